"""An exported fixture in a project that is not ours, run as people run their tests."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("haystack", reason="a fixture replays a pipeline")

from inspector.assets import asset
from inspector.export.kinds import Options, export_run
from inspector.redaction.settings import Redaction
from inspector.runfile.load import load_run
from inspector.runfile.model import PipelineRun
from tests.export.examples import example
from tests.helpers.openai_server import OpenAIServer
from tests.helpers.pipelines import answer
from tests.plugin.projects import PIPELINE, Project

pytestmark = [pytest.mark.haystack, pytest.mark.timeout(300)]

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


def written(folder: Path, run: PipelineRun, name: str, target: str) -> dict[str, bytes]:
    options = Options(name=name, target=target)
    files = export_run(run, "fixture", redact=Redaction(), options=options).files
    for file, data in files.items():
        (folder / file).write_bytes(data)
    return files


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
