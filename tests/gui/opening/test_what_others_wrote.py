"""Files of other programs open in the window as runs do."""

import json
from pathlib import Path

import orjson
import pytest
from PySide6.QtCore import QMimeData, QSettings
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from inspector.gui.app_program import Program, build
from inspector.gui.widgets.choice_row import ChoiceRow
from inspector.presentation.run_info import run_info
from inspector.presentation.shown import no_times_words
from inspector.presentation.summary import summary
from tests.gui.conftest import open_file, wait_until_quiet

FOREIGN = Path(__file__).parents[2] / "data" / "foreign"


def titles(program: Program) -> list[str]:
    return [run.title for run in program.workspace.open_runs]


def test_several_runs_of_a_file_become_several_tabs(program: Program, qtbot: QtBot) -> None:
    path = FOREIGN / "otlp_json" / "haystack_two_async_concurrent.otlp.jsonl"
    program.opener.open([path])
    qtbot.waitUntil(lambda: len(program.workspace.open_runs) == 2)
    wait_until_quiet(program, qtbot)
    assert titles(program) == [f"{path.name} (1)", f"{path.name} (2)"]
    assert program.workspace.current is program.workspace.open_runs[0]
    one, other = (run.run for run in program.workspace.open_runs)
    assert "Q one" in json.dumps(one.inputs)
    assert "Q two" in json.dumps(other.inputs)


def test_reading_such_a_file_again_reads_all_its_runs_once(program: Program, qtbot: QtBot) -> None:
    path = FOREIGN / "otlp_json" / "haystack_two_async_concurrent.otlp.jsonl"
    program.opener.open([path])
    qtbot.waitUntil(lambda: len(program.workspace.open_runs) == 2)
    wait_until_quiet(program, qtbot)
    before = program.workspace.open_runs
    program.opener.reload(before[1])
    qtbot.waitUntil(lambda: len(program.workspace.open_runs) == 2)
    wait_until_quiet(program, qtbot)
    assert not set(before) & set(program.workspace.open_runs)


@pytest.mark.parametrize(
    "name",
    [
        "haystack_snapshot/hs3.4.1_rag_crash_llm_500.json",
        "haystack_snapshot/hs2.31.0_agent_bp_chatgen_v1.json",
        "otlp_json/haystack_agent.otlp.jsonl",
        "otlp_json/hs2.31_openinference_agent.otlp.jsonl",
        "odd/otlp_missing_root.json",
        "odd/jsonl_raw_u2028.jsonl",
        "otlp_protobuf/haystack_rag.pb",
        "inspect/relay_limit_0.3.285.eval",
        "swe_agent/mini_2.4.6.traj.json",
    ],
)
def test_a_file_of_another_program_is_shown_with_every_span(
    program: Program, qtbot: QtBot, name: str
) -> None:
    opened = open_file(program, FOREIGN / name, qtbot)
    for span in opened.run.spans:
        opened.selection.select(span.id)
        wait_until_quiet(program, qtbot)
        assert opened.selection.span_id == span.id


def test_a_snapshot_says_what_it_lacks(program: Program, qtbot: QtBot) -> None:
    path = FOREIGN / "haystack_snapshot" / "hs3.4.1_rag_crash_llm_500.json"
    opened = open_file(program, path, qtbot)
    sections = {section.title: section for section in run_info(opened.run)}
    lacking = {entry.name: entry.text for entry in sections["Not recorded"].entries}
    assert lacking["times and durations"].startswith("a snapshot holds no times")
    imported = {entry.name: entry.text for entry in sections["Imported"].entries}
    assert imported["Format"] == "a Haystack snapshot"
    assert imported["Stopped at"] == "llm"


def test_pasted_json_of_another_program_is_opened(program: Program, qtbot: QtBot) -> None:
    mime = QMimeData()
    mime.setText((FOREIGN / "otlp_json" / "haystack_rag.otlp.jsonl").read_text())
    with qtbot.waitSignal(program.workspace.added):
        program.opener.paste(mime)
    assert len(program.workspace.open_runs[0].run.spans) == 4


def test_a_long_attribute_does_not_hold_the_window_up(
    program: Program, qtbot: QtBot, tmp_path: Path
) -> None:
    messages = [{"role": "user", "content": [{"text": f"line {n} " * 250}]} for n in range(2_300)]
    held = orjson.dumps({"messages": messages}).decode()
    assert len(held) > 5_000_000
    span = {
        "traceId": "b" * 32, "spanId": "1" * 16, "name": "haystack.component.run",
        "startTimeUnixNano": "1000000000000000000", "endTimeUnixNano": "1000000000000000900",
        "attributes": [
            {"key": "haystack.component.name", "value": {"stringValue": "prompt"}},
            {"key": "haystack.component.input", "value": {"stringValue": held}},
        ],
    }  # fmt: skip
    path = tmp_path / "big.json"
    path.write_bytes(orjson.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}))
    opened = open_file(program, path, qtbot)
    opened.selection.select("s1")
    wait_until_quiet(program, qtbot)
    assert len(opened.run.spans[0].inputs["messages"]) == 2_300


def test_no_timeline_is_drawn_of_what_has_no_times(program: Program, qtbot: QtBot) -> None:
    path = FOREIGN / "haystack_snapshot" / "hs2.31.0_agent_bp_chatgen_v1.json"
    opened = open_file(program, path, qtbot)
    assert no_times_words(opened.run) == "There is no timeline: a snapshot holds no times."
    traced = open_file(program, FOREIGN / "otlp_json" / "haystack_rag.otlp.jsonl", qtbot)
    assert not no_times_words(traced.run)


def test_what_has_no_times_took_no_time_that_is_shown(program: Program, qtbot: QtBot) -> None:
    path = FOREIGN / "haystack_snapshot" / "hs3.4.1_loop_crash_boom.json"
    opened = open_file(program, path, qtbot)
    shown = summary(opened.run, opened.run.spans[1])
    names = {fact.label for group in shown.groups for fact in group.facts}
    assert not names & {"Took", "Began"}
    assert {"When it began", "How long it took"} <= names


def test_the_start_page_offers_the_snapshots_that_haystack_left(
    qapp: QApplication,
    disk: QSettings,
    qtbot: QtBot,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    folder = tmp_path / ".haystack" / "pipeline_snapshot"
    folder.mkdir(parents=True)
    left = FOREIGN / "haystack_snapshot" / "hs3.4.1_rag_crash_llm_500.json"
    (folder / "llm_0_2026_11_29_14_18_11.json").write_bytes(left.read_bytes())
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    made = build(qapp, disk)
    qtbot.addWidget(made.window)
    made.window.show()
    page = made.content.tabs.start_page

    def offered() -> list[ChoiceRow]:
        return [row for row in page.findChildren(ChoiceRow) if row.text() == "Stopped at llm"]

    qtbot.waitUntil(lambda: bool(offered()))
    with qtbot.waitSignal(made.workspace.added) as caught:
        offered()[0].click()
    assert caught.args[0].run.name == "snapshot at llm"
    wait_until_quiet(made, qtbot)
    made.close()
