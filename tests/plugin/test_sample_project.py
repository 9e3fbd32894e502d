"""A project that is not ours, tested with what the README says and nothing else."""

import re
from pathlib import Path

import pytest

from tests.helpers.pipelines import answer
from tests.plugin.projects import Project

pytestmark = [pytest.mark.haystack, pytest.mark.timeout(400)]

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
BLOCK = next(
    block for block in re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
    if "recorded_run" in block
)  # fmt: skip
HEAD = "from notes import build as build_pipeline\n"
LONGER = "from functools import partial\nfrom notes import build\n"
LONGER += "build_pipeline = partial(build, 'Answer at length.')\n"


@pytest.fixture
def project(tmp_path):
    return Project(tmp_path)


def test_the_readme_leads_to_a_passing_and_a_failing_test(project, openai_server):
    openai_server.script = answer
    project.write("test_pump.py", HEAD + BLOCK.replace('"night shift"', '"Answering"'))
    missing = project.pytest()
    assert (missing.code, missing.ending) == (1, "1 failed")
    assert "Missing recording: there is no " in missing.text
    assert "pytest --inspector-record=new makes it" in missing.text
    assert not (project.root / "pump.run.json").exists()

    made = project.pytest("--inspector-record=new", llm=openai_server.url)
    assert made.ending == "1 passed", made.text
    assert "test_the_night_shift_is_named: recorded: pump.run.json" in made.text
    assert len(openai_server.log) == 1

    # Without a model, and without a key.
    passing = project.pytest()
    assert (passing.code, passing.ending) == (0, "1 passed"), passing.text
    assert len(openai_server.log) == 1

    project.write("test_longer.py", LONGER + BLOCK)
    both = project.pytest()
    assert (both.code, both.ending) == (1, "1 failed, 1 passed"), both.text
    assert "Replay of pump.run.json: " in both.text
    assert "input drift at llm#1 (major)" in both.text
    assert "messages[0].content[0].text" in both.text
    assert "- Answer from the notes." in both.text
    assert "+ Answer at length." in both.text
    # The report is the failure: nobody has to find it between our frames.
    assert "inspector/replay" not in both.text


def test_updates_add_what_is_new_so_that_old_and_new_pass(project, openai_server):
    openai_server.script = answer
    block = BLOCK.replace('"night shift"', '"Answering"')
    project.write("test_pump.py", HEAD + block)
    assert project.pytest("--inspector-record=new", llm=openai_server.url).code == 0
    project.write("test_longer.py", LONGER + block)
    project.write("test_shorter.py", LONGER.replace("at length", "in a word") + block)
    assert project.pytest().ending == "2 failed, 1 passed"
    # Two processes that extend one file, as likely as not at the same time.
    updated = project.pytest("--inspector-update", "-n", "2", llm=openai_server.url)
    assert updated.ending == "3 passed", updated.text
    assert updated.text.count("updated: pump.run.json") == 2
    assert len(openai_server.log) == 3
    after = project.pytest()
    assert after.ending == "3 passed", after.text
