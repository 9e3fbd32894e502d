"""`replay --manifest` and `--live-from`: what would happen and what it costs is said first."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from inspector import record_run
from inspector.cli.main import main
from inspector.replay.live_price import price_from
from inspector.runfile.load import load_run
from tests.helpers.openai_server import OpenAIServer
from tests.replay.hostile import files
from tests.replay.hostile.files import EXAMPLES, hostile
from tests.replay.worker.conftest import Project, project

__all__ = ["project"]

AGENT = str(EXAMPLES / "agent-tools.run.json")
DATA = {"retriever": {"query": "vents"}, "prompt": {"query": "When do the vents open?"}}


def test_the_manifest_is_told_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", AGENT, "--manifest"]) == 0
    said = capsys.readouterr().out
    assert "No model, no tool and no store is called: the recording answers." in said
    assert "live it contacts api.openai.com, reads OPENAI_API_KEY" in said
    assert "haystack.components.generators.chat.openai.OpenAIChatGenerator" in said


def test_the_manifest_is_told_to_programs(capsys: pytest.CaptureFixture[str]) -> None:
    path = "assistant#1/step2/llm"
    assert main(["replay", AGENT, "--manifest", "--json", "--live-from", path, "--stub"]) == 0
    told = json.loads(capsys.readouterr().out)
    llm = next(part for part in told["parts"] if part["name"] == "llm")
    assert (llm["fate"], llm["calls"], llm["from_here"]) == ("answered", 4, 2)
    price = price_from(load_run(AGENT), path)
    assert told["estimated_price"]["amount"] == f"{price.amount:f}"
    assert told["estimated_price"]["calls"] == 2
    assert told["variables"] == ["OPENAI_API_KEY"]
    assert any(line.startswith("agent: assistant") for line in told["stub"])


def test_the_manifest_of_a_hostile_file_starts_nothing_and_needs_no_haystack(
    tmp_path: Path,
) -> None:
    witness = tmp_path / "started"
    path = hostile(tmp_path, files.tool_server(witness), "agent-tools")
    script = f"""
import sys
from inspector.cli.main import main
assert main(["replay", {str(path)!r}, "--manifest"]) == 0
assert "haystack" not in sys.modules
"""
    ran = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    assert f"! It would start /usr/bin/touch {witness}" in ran.stdout
    assert not witness.exists()


def test_control_characters_of_a_file_reach_no_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    change = files.exfiltration("https://x\u001b[31m.example/", "NAME\u202eEVIL")
    assert main(["replay", str(hostile(tmp_path, change)), "--manifest"]) == 0
    said = capsys.readouterr().out
    assert "\x1b" not in said
    assert "\u202e" not in said


def test_the_price_is_part_of_the_whole(openai_server: OpenAIServer) -> None:
    run = load_run(AGENT)
    whole = price_from(run, "s1")
    half = price_from(run, "assistant#1/step2/llm")
    assert whole.calls == 4
    assert whole.amount is not None
    assert half.amount is not None
    assert 0 < half.amount < whole.amount


def test_running_live_says_its_price_and_needs_a_yes(
    project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    project.record("rag", DATA)
    asked = project.server.count()
    command = ["replay", str(project.path("rag")), "--pipeline", "garden:rag", "--live-from"]
    assert main([*command, "llm#1"]) == 2
    said = capsys.readouterr().err
    assert "Estimated:" in said
    assert "--allow-live" in said
    assert project.server.count() == asked
    assert main([*command, "llm#1", "--allow-live", "--live-budget", "1"]) in (0, 1)
    assert "Running live from llm#1 on. Estimated:" in capsys.readouterr().err
    assert project.server.count() == asked + 1


def test_a_span_that_is_none_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", AGENT, "--manifest", "--live-from", "nowhere#1"]) == 2
    assert "No recorded call goes by 'nowhere#1'" in capsys.readouterr().err


def test_a_class_is_made_where_the_command_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = str(EXAMPLES / "validator-loop.run.json")
    validator = "haystack.components.validators.json_schema.JsonSchemaValidator"
    kept = tmp_path / "kept.run.json"
    assert main(["replay", "--stub", "--make", validator, path, "-o", str(kept)]) == 0
    assert f"ticked: validator ({validator})" in capsys.readouterr().err
    made = [span for span in load_run(kept).spans if span.name == "validator"]
    assert {span.raw["source"] for span in made} == {"executed"}
    assert main(["replay", "--make", validator, path, "--pipeline", "a:b"]) == 2


def test_what_an_earlier_replay_answered_has_no_known_price(openai_server: OpenAIServer) -> None:
    from inspector.replay.api import replay_run
    from tests.helpers import pipelines

    case = pipelines.rag(openai_server)
    _result, run = record_run(case.target, case.data, **case.options)
    _result, replayed = replay_run(case.target, run, record=True)
    price = price_from(replayed, "llm#1")
    assert (price.calls, price.amount, price.unpriced) == (1, None, 1)
