"""What the plugin does in tests that are not ours.

Starting pytest with the framework takes seconds, so a few runs of whole projects serve all
the claims here.
"""

import json
import shutil
from importlib.metadata import entry_points

import pytest

from tests.helpers.openai_script import say
from tests.helpers.openai_server import OpenAIServer
from tests.helpers.pipelines import answer
from tests.plugin import foreign_tests
from tests.plugin.projects import Project

# A whole project is run in another process, and the machine may be busy.
pytestmark = [pytest.mark.haystack, pytest.mark.timeout(400)]


@pytest.fixture(scope="session")
def recording(tmp_path_factory):
    """A project, and what its first run said, which recorded on two workers at once."""
    project = Project(tmp_path_factory.mktemp("project"))
    project.write("conftest.py", foreign_tests.CONFTEST)
    project.write("test_recorded.py", foreign_tests.HEAD + foreign_tests.RECORDED)
    with OpenAIServer() as server:
        server.script = answer
        ran = project.pytest("-n", "2", "--inspector-record=new", llm=server.url)
        ran.calls = len(server.log)
    return project, ran


@pytest.fixture(scope="session")
def offline(recording):
    """What the project's tests said without a model, without a key."""
    project, _ = recording
    project.write("test_offline.py", foreign_tests.HEAD + foreign_tests.OFFLINE)
    project.write("deep/test_deep.py", foreign_tests.HEAD + foreign_tests.ELSEWHERE)
    project.write("no.run.json", "{}")
    quiet = ("-W", "error", "-p", "no:asyncio")  # which warns of its own configuration
    return project.pytest("-o", "pythonpath=.", "--strict-markers", *quiet)


@pytest.fixture
def project(recording, tmp_path):
    """A project of its own, with the recording that is there."""
    shutil.copy(recording[0].root / "pump.run.json", tmp_path)
    return Project(tmp_path)


def test_pytest_finds_the_plugin_by_itself():
    (found,) = [each for each in entry_points(group="pytest11") if each.name == "run_inspector"]
    assert found.value == "inspector.pytest_plugin"


def test_every_fixture_but_two_carries_our_name_and_none_a_public_one():
    import inspector
    from inspector import pytest_plugin

    names = {
        each.name or name for name, each in vars(pytest_plugin).items()
        if type(each).__name__ == "FixtureFunctionDefinition"
    }  # fmt: skip
    assert {name for name in names if not name.startswith("inspector_")} == {"recorded", "replayed"}
    assert not names & set(inspector.__all__)


def test_help_and_markers_say_what_there_is(project):
    told = project.pytest("--help", "--markers").text
    assert "--inspector-record={none,new,all}" in told
    assert "--inspector-update" in told
    assert "@pytest.mark.recorded_run(path" in project.pytest("--markers").text


def test_a_project_that_records_nothing_notices_nothing(tmp_path):
    project = Project(tmp_path)
    project.write("test_it.py", """
        import sys

        def test_it():
            loaded = {name.partition(".")[0] for name in sys.modules}
            assert not loaded & {"haystack", "orjson", "PySide6", "deepdiff"}
        """)  # fmt: skip
    ran = project.pytest(
        "-W", "error", "--strict-markers", "-p", "no:pytest-qt", "-p", "no:asyncio"
    )
    assert ran.ending == "1 passed", ran.text
    assert "inspector:" not in ran.text
    assert "Run Inspector" not in ran.text


# Recording


def test_a_missing_recording_is_made_by_running_live(recording):
    project, ran = recording
    assert ran.outcome("test_pump") == "passed", ran.text
    assert "test_pump: recorded: pump.run.json" in ran.text
    assert (project.root / "pump.run.json").is_file()
    assert "inspector: records new" in ran.text


def test_an_async_test_records_the_async_run(recording):
    project, ran = recording
    assert ran.outcome("test_async") == "passed", ran.text
    assert json.loads((project.root / "async.run.json").read_text())["run"]["mode"] == "async"


def test_a_run_that_is_expected_to_fail_is_recorded(recording):
    project, ran = recording
    assert ran.outcome("test_broken") == "passed", ran.text
    assert json.loads((project.root / "broken.run.json").read_text())["run"]["status"] == "failed"


def test_a_run_of_a_failing_test_is_not_kept(recording):
    project, ran = recording
    assert ran.outcome("test_unwanted") == "failed"
    assert not (project.root / "unwanted.run.json").exists()


def test_nothing_is_called_where_there_are_no_inputs(recording):
    _, ran = recording
    assert ran.outcome("test_without_inputs") == "failed"
    assert "There is nothing to record inputs.run.json with" in ran.told("test_without_inputs")
    assert ran.calls == 4  # the pump, the async one, the broken one, and the unwanted one


def test_all_records_anew_with_the_recorded_inputs(project, openai_server):
    openai_server.script = lambda request: say("Something new.")
    tests = "@pump\ndef test_pump(recorded, replayed):\n    replayed(build())\n    recorded.id\n"
    project.write("test_pump.py", foreign_tests.HEAD + tests)
    ran = project.pytest("--inspector-record=all", llm=openai_server.url)
    assert ran.ending == "1 passed", ran.text
    assert "Something new." in (project.root / "pump.run.json").read_text()
    assert len(openai_server.log) == 1


# Replaying


@pytest.mark.parametrize(
    "test",
    [
        "test_pump",
        "test_async",
        "test_broken",
        "test_looked_into",
        "test_twice",
        "test_async_pump",
        "test_it",
    ],
)
def test_what_was_recorded_passes_without_a_model_and_without_a_key(offline, test):
    assert offline.outcome(test) == "passed", offline.text


@pytest.mark.parametrize("test", ["test_longer", "test_async_longer", "test_swallowed"])
def test_a_drift_fails_the_test_with_the_report(offline, test):
    assert offline.outcome(test) == "failed"
    told = offline.told(test)
    assert told.startswith("Replay of pump.run.json: ")
    assert "input drift at llm#1 (major)" in told
    assert "messages[0].content[0].text" in told
    assert "- Answer from the notes." in told
    assert "+ Answer at length." in told
    assert "--inspector-update" in told


def test_a_component_that_is_gone_fails_the_test(offline):
    assert "topology drift at llm#1 (major)" in offline.told("test_removed")


def test_an_answer_that_nobody_asks_for_fails_the_test(offline):
    assert offline.outcome("test_unused") == "failed"
    assert "unused recording at llm#1" in offline.told("test_unused")


def test_a_lenient_replay_lists_every_drift_and_fails_at_the_end(offline):
    told = offline.told("test_every_drift")
    assert "retrieval drift at retriever#1 (major)" in told
    assert "documents[0].content" in told
    assert "input drift at llm#1" in told


def test_documents_that_no_store_was_asked_for_are_told_of_in_the_summary(offline):
    assert offline.outcome("TestPassing.test_empty_store") == "passed", offline.text
    assert "TestPassing::test_empty_store: retrieval not verified: retriever#1" in offline.text


def test_who_requires_verified_documents_fails_without(offline):
    assert offline.outcome("TestFailing.test_empty_store") == "failed"
    told = offline.told("TestFailing.test_empty_store")
    assert "Retrieval not verified: 1 call." in told
    assert "retriever#1: the recorded result was served, since its" in told


@pytest.mark.parametrize(
    "test",
    [
        "test_that_reads",
        "test_that_does_not_even_read",
        "test_that_replays",
        "test_without_a_marker",
    ],
)
def test_a_missing_recording_fails_whoever_looks_at_it(offline, test):
    assert offline.outcome(test) == "failed"
    told = offline.told(test)
    assert told.startswith("Missing recording: there is no ")
    assert "pytest --inspector-record=new makes it" in told


def test_without_a_marker_a_recording_is_named_after_its_test(offline):
    told = offline.told("test_without_a_marker")
    assert "recordings/test_offline-TestMissing-test_without_a_marker.run.json" in told


def test_a_file_that_is_no_recording_is_said_in_words(offline):
    assert offline.outcome("test_no_recording") == "failed"
    assert "Traceback" not in offline.told("test_no_recording")
    assert "no.run.json" in offline.told("test_no_recording")


def test_nothing_errs_and_nothing_is_left_beside_the_recordings(offline, recording):
    assert "error" not in offline.ending
    names = {path.name for path in recording[0].root.iterdir()}
    assert not {name for name in names if name.endswith((".lock", ".tmp", ".jsonl"))}


def test_tests_are_replayed_side_by_side(project):
    tests = "".join(
        f"@pump\ndef test_pump_{number}(replayed):\n"
        f"    replayed(build({'' if number else repr('Answer at length.')}))\n"
        for number in range(6)
    )
    project.write("test_pump.py", foreign_tests.HEAD + tests)
    ran = project.pytest("-n", "2")
    assert ran.ending == "1 failed, 5 passed", ran.text
    assert "input drift at llm#1 (major)" in ran.text


def test_pytest_asyncio_replays_on_its_own_loop(project):
    tests = "@pump\nasync def test_pump(replayed):\n    await replayed.play_async(build({}))\n\n"
    longer = tests.format('"Answer at length."').replace("test_pump", "test_longer")
    tests = tests.format("") + longer
    project.write("test_pump.py", foreign_tests.HEAD + tests)
    ran = project.pytest("-o", "asyncio_mode=auto")
    assert ran.ending == "1 failed, 1 passed", ran.text
    assert "input drift at llm#1 (major)" in ran.text
