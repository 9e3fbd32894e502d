"""A run becomes a test that people read, keep, and believe when it fails."""

import ast
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from inspector.assets import asset
from inspector.diff.answer import answer_of
from inspector.errors import InspectorError
from inspector.export.fixture import test_text as text_of
from inspector.export.fixture_cut import cut_run
from inspector.export.kinds import Options, export_run
from inspector.export.python_text import assigned
from inspector.presentation.decided import decided
from inspector.redaction.settings import Redaction
from inspector.runfile.load import load_run
from inspector.runfile.model import PipelineRun
from tests.export.hostile_runs import HIDDEN, HOSTILE, hostile_run
from tests.helpers.openai_server import OpenAIServer
from tests.helpers.pipelines import answer
from tests.plugin.projects import PIPELINE, Project

EXAMPLES = ["agent-tools", "crash", "rag-answer", "untaken-branch", "validator-loop"]

AGENT = '''
"""The agent of a greenhouse, as somebody keeps it in a project of their own."""

import greenhouse
from haystack import Pipeline
from haystack.components.agents import Agent
from haystack.components.generators.chat import OpenAIChatGenerator
from scene import show_chunk

SYSTEM = "You look after a greenhouse. Read the sensors before you advise."


def build():
    llm = OpenAIChatGenerator(
        model="gpt-4o-mini", max_retries=0, streaming_callback=show_chunk,
        generation_kwargs={"temperature": 0.2, "stream_options": {"include_usage": True}},
    )
    tools = [greenhouse.search_manual, greenhouse.read_sensor, greenhouse.plan_chore]
    agent = Agent(chat_generator=llm, tools=tools, system_prompt=SYSTEM, max_agent_steps=8)
    pipeline = Pipeline(metadata={"name": "greenhouse_assistant"})
    pipeline.add_component("assistant", agent)
    return pipeline
'''


def example(name: str) -> PipelineRun:
    return load_run(asset(f"examples/{name}.run.json").read_bytes())


def written(folder: Path, run: PipelineRun, name: str, target: str) -> dict[str, bytes]:
    options = Options(name=name, target=target)
    files = export_run(run, "fixture", redact=Redaction(), options=options).files
    for file, data in files.items():
        (folder / file).write_bytes(data)
    return files


@pytest.mark.haystack
@pytest.mark.timeout(300)
def test_the_agents_fixture_passes_and_fails_when_its_prompt_is_edited_and_says_why(
    tmp_path: Path,
) -> None:
    project = Project(tmp_path)
    project.write("agents.py", AGENT)
    project.write("scene.py", 'def show_chunk(chunk):\n    """A chat window would show it."""\n')
    source = asset("examples/greenhouse.py").read_text("utf-8")
    project.write("greenhouse.py", source)
    written(tmp_path, example("agent-tools"), "agent-tools", "agents:build")

    passing = project.pytest()
    assert (passing.code, passing.ending) == (0, "1 passed"), passing.text

    # The prompt template: one word of it.
    project.write("agents.py", AGENT.replace("before you advise", "whenever you advise"))
    edited = project.pytest()
    assert (edited.code, edited.ending) == (1, "1 failed"), edited.text
    assert "Replay of agent-tools.run.json" in edited.text
    assert re.search(r"input drift at .*llm", edited.text)
    assert (
        "- recorded: You look after a greenhouse. Read the sensors before you advise."
        in edited.text
    )
    assert (
        "+ now:      You look after a greenhouse. Read the sensors whenever you advise."
        in edited.text
    )
    assert "assistant#1 is made with another system_prompt than was recorded" in edited.text
    assert "inspector/replay" not in edited.text

    # A decision: the recording stays, and the test expects another one.
    project.write("agents.py", AGENT)
    test = tmp_path / "test_agent_tools.py"
    test.write_text(test.read_text("utf-8").replace("tomatoes", "basil", 1), "utf-8")
    other = project.pytest()
    assert (other.code, other.ending) == (1, "1 failed")
    assert "basil" in other.text


@pytest.mark.haystack
@pytest.mark.timeout(300)
def test_the_fixture_of_a_run_that_failed_passes_while_it_fails_alike(tmp_path: Path) -> None:
    project = Project(tmp_path)
    project.write(
        "failing.py",
        """
        from haystack import Pipeline, component

        @component
        class Fussy:
            haystack_side_effecting = False

            @component.output_types(words=str)
            def run(self, words: str):
                raise ValueError(f"No {words}, thank you.\\nReally.")

        def build():
            pipeline = Pipeline(metadata={"name": "fussy"})
            pipeline.add_component("fussy", Fussy())
            return pipeline
        """,
    )
    project.write(
        "record.py",
        """
        import failing
        from inspector import PipelineRecorder, record_run

        recorder = PipelineRecorder()
        try:
            record_run(failing.build(), {"fussy": {"words": "soup"}}, recorder=recorder)
        except Exception:
            recorder.runs[-1].save("fussy.run.json")
        """,
    )
    subprocess.run([sys.executable, "record.py"], cwd=tmp_path, check=True, timeout=120)
    files = written(tmp_path, load_run(tmp_path / "fussy.run.json"), "fussy", "failing:build")
    assert b"pytest.raises(Exception, match=re.escape(ERROR))" in files["test_fussy.py"]
    assert project.pytest().ending == "1 passed"
    text = (tmp_path / "failing.py").read_text("utf-8")
    project.write("failing.py", text.replace("thank you", "thanks"))
    assert project.pytest().ending == "1 failed"


@pytest.mark.parametrize("name", EXAMPLES)
def test_what_a_test_needs_is_still_there_after_the_cut(name: str) -> None:
    run = example(name)
    short, data = cut_run(run)
    assert short.verify().state == "ok"
    assert decided(short) == decided(run)
    assert answer_of(short) == answer_of(run)
    assert [span.path for span in short.spans] == [span.path for span in run.spans]
    assert [span.inputs for span in short.spans] == [span.inputs for span in run.spans]
    assert [span.outputs for span in short.spans] == [span.outputs for span in run.spans]
    assert len(data) < len(asset(f"examples/{name}.run.json").read_bytes())
    assert b"Traceback" not in data
    whats = [note["what"] for note in short.not_recorded]
    assert "streamed chunks, costs and tracebacks" in whats


def test_a_test_says_each_decision_and_the_answer() -> None:
    run = example("agent-tools")
    names = run_literals(text_of(run, "a.run.json", "a", None))
    assert names["DECISIONS"]["assistant#1/step0/tool:read_sensor[1]"].endswith(" failed")
    assert names["DECISIONS"]["assistant#1/agent#1"] == "ended: text after 4 steps"
    assert names["ANSWER"].startswith("Both beds are too dry")
    found = run_literals(text_of(example("rag-answer"), "a.run.json", "a", None))["DECISIONS"]
    assert found["retriever#1"].startswith("found watering-schedule, valve-screen")
    loop = run_literals(text_of(example("validator-loop"), "a.run.json", "a", None))["DECISIONS"]
    assert [loop[f"validator#{at}"] for at in (1, 2, 3)] == [
        "gave validation_error", "gave validation_error", "gave validated",
    ]  # fmt: skip


def run_literals(text: str) -> dict[str, Any]:
    """Return what a test assigns at its top; anything that is not a literal raises."""
    found = {}
    for node in ast.parse(text).body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            found[node.targets[0].id] = ast.literal_eval(node.value)
    return found


@pytest.mark.parametrize("name", ["agent-tools", "crash", "rag-answer"])
def test_what_a_run_says_is_nothing_but_a_literal_in_its_test(name: str) -> None:
    run = hostile_run(HOSTILE, name)
    made = export_run(run, "fixture", redact=Redaction(),
                      options=Options(name="x"))  # fmt: skip
    text = made.main.decode()
    assert not [sign for sign in HIDDEN if sign in text]
    shape = [type(node).__name__ for node in ast.parse(text).body]
    calm = text_of(example(name), "x.run.json", "x", None)
    assert shape == [type(node).__name__ for node in ast.parse(calm).body]
    names = run_literals(text)
    said = names.get("ANSWER") or names["ERROR"]
    assert HOSTILE.split("\n")[0] in said


@pytest.mark.parametrize("words", ["", "a", HOSTILE, "'", '"', "'\"", "x" * 500, "\ud800" * 90])
def test_a_text_in_a_test_is_what_the_run_said(words: str) -> None:
    assert run_literals(assigned("A", words)) == {"A": words}
    assert run_literals(assigned("A", {words: words})) == {"A": {words: words}}


@pytest.mark.parametrize(
    "target", ["", "a", "a:b()", "os:system; x", "a.b:", "a b:c", "import:x", "a\n:b", "a:b.c"]
)
def test_a_target_that_is_none_is_said(target: str) -> None:
    with pytest.raises(InspectorError, match="names no pipeline"):
        text_of(example("crash"), "a.run.json", "a", target or " ")


def test_a_yaml_is_loaded_from_beside_the_test() -> None:
    text = text_of(example("crash"), "a.run.json", "a", 'it"s.yaml')
    assert "(Path(__file__).parent / 'it\"s.yaml').read_text" in text
    ast.parse(text)


def test_a_fixture_is_always_redacted() -> None:
    with pytest.raises(InspectorError, match="always redacted"):
        export_run(example("crash"), "fixture", redact=None)
    tree = json.loads(asset("examples/rag-answer.run.json").read_text("utf-8"))
    text = json.dumps(tree).replace("clogged screen", "ada@example.com screen")
    made = export_run(load_run(text.encode()), "fixture", redact=Redaction())
    assert b"ada@example.com" not in b"".join(made.files.values())
    assert b"<email:1>" in made.main


def test_a_run_that_has_not_ended_is_no_fixture() -> None:
    tree = json.loads(asset("examples/rag-answer.run.json").read_text("utf-8"))
    tree["run"]["status"] = "paused"
    with pytest.raises(InspectorError, match="came to its end, and this one is paused"):
        export_run(load_run(json.dumps(tree).encode()), "fixture", redact=Redaction())


@pytest.mark.haystack
@pytest.mark.timeout(300)
def test_a_fixture_without_secrets_still_replays_where_they_are(
    tmp_path: Path, openai_server: OpenAIServer
) -> None:
    openai_server.script = answer
    project = Project(tmp_path)
    notes = PIPELINE.replace("by the night shift.", "by ada.lovelace@example.com, the night shift.")
    assert notes != PIPELINE
    project.write("notes.py", notes)
    project.write(
        "record.py",
        """
        import notes
        from inspector import record_run

        _, run = record_run(notes.build(), notes.ask())
        run.save("notes.run.json")
        """,
    )
    environment = {**os.environ, "NOTES_LLM": openai_server.url}
    subprocess.run(
        [sys.executable, "record.py"], cwd=tmp_path, env=environment, check=True, timeout=120
    )
    assert b"ada.lovelace@" in (tmp_path / "notes.run.json").read_bytes()
    files = written(tmp_path, load_run(tmp_path / "notes.run.json"), "notes", "notes:build")
    assert b"ada.lovelace@" not in b"".join(files.values())
    asked = len(openai_server.log)
    ran = project.pytest()
    assert (ran.code, ran.ending) == (0, "1 passed"), ran.text
    assert len(openai_server.log) == asked
