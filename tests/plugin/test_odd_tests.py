"""Tests that are written oddly fail in words, keep nothing wrong and pass for no wrong reason."""

import pytest

from tests.helpers.openai_server import OpenAIServer
from tests.helpers.pipelines import answer
from tests.plugin import foreign_tests
from tests.plugin.projects import Project

pytestmark = [pytest.mark.haystack, pytest.mark.timeout(400)]

TESTS = """
import asyncio
import unittest

class TestOne:
    def test_same_name(self, replayed):
        replayed(build(), ask())

class TestTwo:
    def test_same_name(self, replayed):
        replayed(build(), ask("When do the vents open?"))

@pytest.mark.parametrize("query", ["pump?", "pump!", "x" * 300], ids=["a/b", "a?b", "x" * 300])
def test_ids(replayed, query):
    replayed(build(), ask(query))

class TestOfUnittest(unittest.TestCase):
    @pytest.fixture(autouse=True)
    def _take(self, replayed):
        self.replayed = replayed

    def test_good(self):
        self.replayed(build(), ask())

    def test_bad(self):
        self.replayed(build(), ask())
        self.fail("not content")

    def test_changed(self):
        try:
            self.replayed(build(WORDS), ask())
        except BaseException:
            pass

def test_two_runs(replayed):
    replayed(build(), ask())
    replayed(build(), ask("When do the vents open?"))

@pytest.mark.recorded_run("uncalled.run.json")
def test_uncalled(replayed):
    pass

@pytest.mark.recorded_run("untaken.run.json")
def test_untaken():
    pass

@pytest.mark.recorded_run("mode.run.json", mode="lenient")
def test_mode(replayed):
    replayed(build(), ask())

@pytest.mark.recorded_run("one.run.json", "two.run.json")
def test_two_paths(replayed):
    replayed(build(), ask())

@pytest.mark.recorded_run(7)
def test_no_path(replayed):
    replayed(build(), ask())

@pytest.mark.recorded_run("folder.run.json")
def test_folder(replayed):
    replayed(build(), ask())

@pytest.mark.recorded_run("notes.py/deep.run.json")
def test_no_place(replayed):
    replayed(build(), ask())
"""

WORDS = "WORDS = 'Answer from the notes.'\n"
KEPT = ("TestOne.test_same_name", "TestTwo.test_same_name", "TestOfUnittest.test_good")
LATER = """
@pytest.mark.recorded_run("good.run.json")
def test_fails_after_all(replayed):
    replayed(build("Answer at length."), ask())
    assert replayed.result is None

@pytest.mark.recorded_run("good.run.json")
async def test_side_by_side(replayed):
    await asyncio.gather(
        replayed.play_async(build("Answer in a word."), ask()),
        replayed.play_async(build(), ask()),
        return_exceptions=True,
    )

@pytest.mark.recorded_run("cut.run.json")
def test_cut(replayed):
    replayed(build(), ask())
"""


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """A project of odd tests, and what its first run said."""
    project = Project(tmp_path_factory.mktemp("odd"))
    project.write("test_odd.py", foreign_tests.HEAD + WORDS + TESTS)
    (project.root / "folder.run.json").mkdir()
    with OpenAIServer() as server:
        server.script = answer
        ran = project.pytest("-n", "2", "--inspector-record=new", llm=server.url)
        ran.calls = len(server.log)
    return project, ran


@pytest.fixture(scope="module")
def again(recorded):
    """What the same tests say without a model, of another prompt in one of them."""
    project, _ = recorded
    project.write("test_odd.py", foreign_tests.HEAD + WORDS.replace("from", "with") + TESTS)
    return project.pytest()


@pytest.mark.parametrize("test", KEPT)
def test_each_test_has_a_recording_of_its_own(recorded, again, test):
    assert recorded[1].outcome(test) == "passed", recorded[1].text
    assert again.outcome(test) == "passed", again.text


def test_ids_that_a_file_name_cannot_hold_are_told_apart(recorded, again):
    assert recorded[1].text.count("recorded: test_odd-test_ids_") == 3
    names = {path.name for path in recorded[0].root.glob("recordings/test_odd-test_ids_*")}
    assert len(names) == 3
    assert max(map(len, names)) < 200
    assert "test_ids" not in "".join(line for line in again.text.splitlines() if "FAILED" in line)


def test_tests_of_unittest_are_recorded_and_fail_at_a_drift(recorded, again):
    names = {path.name for path in recorded[0].root.glob("recordings/*TestOfUnittest*")}
    assert names == {
        "test_odd-TestOfUnittest-test_good.run.json",
        "test_odd-TestOfUnittest-test_changed.run.json",
    }
    assert again.outcome("test_changed") == "failed"
    assert "input drift at llm#1" in again.told("test_changed")


def test_a_test_of_two_runs_is_told_when_it_is_recorded(recorded):
    assert "A recording holds one run" in recorded[1].told("test_two_runs")
    assert not list(recorded[0].root.glob("recordings/*two_runs*"))


@pytest.mark.parametrize(
    ("test", "words"),
    [
        ("test_uncalled", "takes `replayed` and does not call it"),
        ("test_untaken", "takes neither `replayed` nor `recorded`"),
        ("test_mode", "There is no mode 'lenient'; there are strict, drift_ok, record_new."),
        ("test_two_paths", "takes one path, and not 'one.run.json', 'two.run.json'"),
        ("test_no_path", "takes the path of a run file, and not 7"),
        ("test_folder", "is no recording: it is no ordinary file"),
        ("test_no_place", "notes.py is no directory"),
    ],
)
def test_what_is_asked_for_wrongly_is_said_and_nothing_runs(recorded, test, words):
    _, ran = recorded
    assert ran.outcome(test) in ("failed", "error")
    told = ran.told(test)
    assert words in told
    assert "Traceback" not in told
    # Three of the classes, three of the ids, three of unittest, and one of two runs.
    assert ran.calls == 9


def test_an_update_is_kept_when_the_test_passes_and_reports_are_of_their_own_replay(
    recorded, tmp_path, openai_server
):
    openai_server.script = answer
    (source,) = recorded[0].root.glob("recordings/*test_good*")
    data = source.read_bytes()
    project = Project(tmp_path)
    (tmp_path / "good.run.json").write_bytes(data)
    (tmp_path / "cut.run.json").write_bytes(data[: len(data) // 3])
    project.write("test_later.py", foreign_tests.HEAD + "import asyncio\n" + LATER)
    words = ("-o", "asyncio_mode=auto")
    ran = project.pytest(*words)
    told = ran.told("test_side_by_side")
    assert "input drift at llm#1" in told
    assert "+ Answer in a word." in told
    assert "Of cut.run.json: " in ran.told("test_cut")
    updated = project.pytest(
        *words, "--inspector-update", "-k", "fails_after or side", llm=openai_server.url
    )
    assert updated.ending.startswith("1 failed, 1 passed"), updated.text
    kept = (tmp_path / "good.run.json").read_text()
    assert "Answer in a word." in kept
    assert "Answer at length." not in kept
