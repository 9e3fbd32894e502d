"""A stranger's file in the dialog: what it may do is ticked first, and it can do no more."""

import os
import sys
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QRadioButton

from inspector.gui.dialogs.replay_dialog_source import interpreter_of
from inspector.presentation.replay_choice import ReplayChoice, Source, pipeline_key
from inspector.presentation.replay_manifest import NO_NETWORK
from tests.gui.replaying.asking import Asked, asked
from tests.gui.replaying.conftest import LONG_MS
from tests.helpers.openai_server import OpenAIServer
from tests.replay.hostile import files
from tests.replay.hostile.files import EXAMPLES, hostile

__all__ = ["asked"]

FILE = "The definition in this file"
AGREE = "Build something from this file"


def agreed(asked: Asked, path: Path) -> Asked:
    asked.open(path)
    asked.press(FILE)
    asked.press(AGREE)
    return asked


def outcome(asked: Asked) -> dict[str, Any]:
    replay = asked.replay()
    assert replay.failure is None or replay.live is not None, replay.failure
    return dict(replay.live.finished or {})


def test_nothing_begins_without_the_tick(asked: Asked) -> None:
    asked.open(EXAMPLES / "rag-answer.run.json")
    asked.press(FILE)
    assert not asked.start.isEnabled()
    assert "Tick that something may be built from this file" in asked.said
    assert "Anybody may have written this file" in asked.said
    asked.press(AGREE)
    assert asked.start.isEnabled()


def test_the_mode_that_is_ticked_is_the_one_that_counts(asked: Asked) -> None:
    asked.open(EXAMPLES / "rag-answer.run.json")
    asked.press("Learn what is new")
    asked.press(FILE)  # which can learn nothing
    strict = asked.button("Stop at the first difference")
    assert strict.isChecked()
    asked.press("A Python target")
    assert strict.isChecked()
    assert NO_NETWORK in asked.said


def test_a_tick_of_one_s_own_pipeline_is_none_for_a_file(asked: Asked) -> None:
    asked.open(EXAMPLES / "agent-tools.run.json")
    assert asked.list.rows.rows
    next(one for one in asked.dialog.findChildren(QRadioButton) if one.text() == FILE).click()
    assert asked.list.rows.rows == (), "nothing is to be ticked until it was looked at"
    asked.wait_until_quiet()
    assert all(row.is_code for row in asked.list.rows.rows)
    assert asked.list.rows.rows


def test_what_can_do_no_harm_is_ticked_and_nothing_else(asked: Asked) -> None:
    asked.open(EXAMPLES / "validator-loop.run.json")
    asked.press(FILE)
    ticks = {row.name.rpartition(".")[2]: row.ticked for row in asked.list.rows.rows}
    assert ticks == {
        "ChatPromptBuilder": True, "BranchJoiner": True, "JsonSchemaValidator": False,
        "OpenAIChatGenerator": None,
    }  # fmt: skip


def test_a_tick_has_a_class_made_in_the_worker(asked: Asked) -> None:
    agreed(asked, EXAMPLES / "validator-loop.run.json")
    assert asked.row("JsonSchemaValidator").happens == "Recorded answer"
    asked.tick("JsonSchemaValidator")
    assert asked.row("JsonSchemaValidator").happens == "Made in the worker"
    asked.press("Replay")
    assert outcome(asked)["outcome"] == "same"
    run = asked.program.workspace.replays[0].result()
    validators = [span for span in run.spans if span.name == "validator"]
    assert {span.raw["source"] for span in validators} == {"executed"}


def test_a_tool_server_starts_no_command(asked: Asked, tmp_path: Path) -> None:
    witness = tmp_path / "started"
    agreed(asked, hostile(tmp_path, files.tool_server(witness), "agent-tools"))
    asked.press("Replay")
    assert outcome(asked)["outcome"] == "same"
    assert not witness.exists()


def test_a_command_is_said_where_it_could_run_live(asked: Asked, tmp_path: Path) -> None:
    witness = tmp_path / "started"
    asked.open(hostile(tmp_path, files.tool_server(witness), "agent-tools"))
    asked.press("Go on, and list the differences")
    asked.press("Let calls without a recorded answer run live")
    row = asked.row("read_sensor")
    assert row.warning == f"It would start /usr/bin/touch {witness}"
    assert row.ticked is False
    assert not witness.exists()


def test_a_variable_goes_to_no_stranger(
    asked: Asked, tmp_path: Path, openai_server: OpenAIServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DB_PASSWORD", "a-secret-of-the-user")
    collector = openai_server.url.replace("127.0.0.1", "localhost")
    agreed(asked, hostile(tmp_path, files.exfiltration(collector, "DB_PASSWORD")))
    asked.press("Replay")
    assert outcome(asked)["outcome"] == "same"
    assert openai_server.count() == 0


def test_a_variable_that_would_be_sent_elsewhere_is_said_and_not_ticked(
    asked: Asked, tmp_path: Path
) -> None:
    change = files.exfiltration("https://collector.example/v1", "DB_PASSWORD")
    asked.open(hostile(tmp_path, change))
    asked.press("Go on, and list the differences")
    asked.press("Let calls without a recorded answer run live")
    assert asked.row("llm").warning == "DB_PASSWORD would be sent to collector.example"
    assert asked.row("llm").ticked is False


def test_an_alias_bomb_is_a_sentence(asked: Asked, tmp_path: Path) -> None:
    asked.open(hostile(tmp_path, files.alias_bomb()))
    asked.press(FILE)
    asked.wait(lambda: "Nothing can be built from this file" in asked.said)
    assert "The definition in the file" in asked.said
    asked.press(AGREE)
    assert not asked.start.isEnabled()


def test_a_template_that_fills_the_memory_leaves_a_sentence(asked: Asked, tmp_path: Path) -> None:
    path = hostile(tmp_path, files.template("{{ documents }}{{ query }}" + files.HUGE))
    before = path.read_bytes()
    agreed(asked, path)
    asked.press("Replay")
    assert outcome(asked)["outcome"] in ("failed", "drift")
    assert path.read_bytes() == before


def test_an_interpreter_beside_a_stranger_s_file_is_not_started(
    asked: Asked, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    witness = tmp_path / "started"
    python = tmp_path / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    (tmp_path / ".venv" / "pyvenv.cfg").write_text("home = /usr/bin\n")
    python.write_text(f"#!/bin/sh\ntouch {witness}\n")
    python.chmod(0o755)
    path = hostile(tmp_path, lambda tree: None)
    monkeypatch.chdir(tmp_path)  # somebody started the window in the folder of his downloads
    agreed(asked, path)
    asked.press("Replay")
    assert outcome(asked)["outcome"] == "same"
    assert not witness.exists()
    choice = ReplayChoice(source=Source.FILE, directory=str(tmp_path))
    assert interpreter_of(choice) == Path(sys.executable)


def test_nothing_is_remembered_of_a_stranger_s_file(asked: Asked) -> None:
    path = EXAMPLES / "rag-answer.run.json"
    agreed(asked, path)
    asked.press("Replay")
    asked.replay()
    run = asked.program.workspace.open_runs[0].run
    assert asked.program.settings._disk.value("replays") is None
    assert pipeline_key(run)


def test_no_key_is_asked_for_or_given(asked: Asked, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "of-the-user")
    agreed(asked, EXAMPLES / "rag-answer.run.json")
    requests: list[Any] = []
    asked.dialog.replay_requested.disconnect()
    asked.dialog.replay_requested.connect(requests.append)
    assert "Keys for live calls" not in asked.said
    asked.press("Replay")
    (request,) = requests
    assert dict(request.environment) == {}
    assert request.limits is not None
    assert request.job.stub
    assert not request.job.allow_live
    assert request.job.target == ""


def test_names_of_a_file_cannot_pose_as_the_program(asked: Asked, tmp_path: Path) -> None:
    evil = "os.system\u202e\n(can do no harm)"

    def change(tree: dict[str, Any]) -> None:
        tree["run"]["topology"]["components"]["answer_builder"]["type"] = evil
        tree["run"]["name"] = "nice\u202eelif\nrun"

    asked.open(hostile(tmp_path, change))
    asked.press(FILE)
    names = [row.name for row in asked.list.rows.rows]
    assert not [name for name in names if "\u202e" in name or "\n" in name]
    assert "\u202e" not in asked.said
    assert os.linesep not in asked.dialog.windowTitle()


def test_ten_thousand_parts_are_listed_without_a_stall(asked: Asked, tmp_path: Path) -> None:
    def change(tree: dict[str, Any]) -> None:
        (root, *_rest) = tree["spans"]
        tree["spans"] = [root] + [
            {
                "id": f"s{number}", "parent": root["id"], "kind": "component",
                "operation": "haystack.component.run", "name": f"part {number}",
                "type": "evil.Part", "role": "other", "path": f"part {number}#1", "visit": 1,
                "start_ns": number, "end_ns": number + 1, "status": "ok",
            }
            for number in range(2, 10_103)
        ]  # fmt: skip

    asked.open(hostile(tmp_path, change))
    asked.qtbot.waitUntil(lambda: len(asked.list.rows.rows) == 2_000, timeout=LONG_MS)
    assert "8101 parts more are not listed" in asked.said
