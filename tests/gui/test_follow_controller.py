import json
from pathlib import Path
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from inspector.gui.app_program import Program
from inspector.gui.workspace.open_run import Freshness, OpenRun
from tests.gui.conftest import open_file


class Journal:
    """Writes a journal the way a recorder does, a record at a time."""

    def __init__(self, path: Path) -> None:
        self.path = path
        run = {"id": "01JDQ6Z3V4N8W2X5Y7A9B1C3D5", "kind": "pipeline", "name": "live"}
        self.write("run", format="haystack-run", version=1, run={**run, "status": "running"})

    def write(self, record: str, **fields: Any) -> None:
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"record": record, **fields}) + "\n")

    def start(self, span_id: str, name: str, parent: str | None, start_ns: int) -> None:
        kind = "pipeline" if parent is None else "component"
        path = "" if parent is None else f"{name}#1"
        span = {"id": span_id, "parent": parent, "kind": kind, "name": name, "path": path}
        self.write("start", span={**span, "start_ns": start_ns})

    def end(self, span_id: str, end_ns: int) -> None:
        self.write("end", id=span_id, end_ns=end_ns, status="ok", fields={})


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    journal = Journal(tmp_path / "live.run.jsonl")
    journal.start("s1", "live", None, 0)
    return journal


@pytest.fixture
def live(program: Program, journal: Journal, qtbot: QtBot) -> OpenRun:
    return open_file(program, journal.path, qtbot)


def test_a_run_that_is_being_recorded_is_marked_live(live: OpenRun) -> None:
    assert live.freshness is Freshness.LIVE
    assert live.run.status == "running"


def test_a_run_grows_while_it_is_recorded(live: OpenRun, journal: Journal, qtbot: QtBot) -> None:
    live.selection.select("s1")
    journal.start("s2", "retriever", "s1", 5)
    qtbot.waitUntil(lambda: len(live.run.spans) == 2, timeout=10_000)
    assert live.run.spans[1].name == "retriever"
    assert live.selection.span_id == "s1"


def test_a_run_that_ends_is_live_no_longer(live: OpenRun, journal: Journal, qtbot: QtBot) -> None:
    journal.end("s1", 9_000_000)
    journal.write("finish", fields={"status": "completed", "duration_ns": 9_000_000})
    qtbot.waitUntil(lambda: live.freshness is Freshness.READ_ONLY, timeout=10_000)
    assert live.run.status == "completed"


def test_a_journal_that_becomes_a_run_file_keeps_its_tab(
    program: Program, live: OpenRun, journal: Journal, run_file: Path, qtbot: QtBot
) -> None:
    finished = journal.path.with_name("live.run.json")
    finished.write_bytes(run_file.read_bytes())
    journal.path.unlink()
    qtbot.waitUntil(lambda: live.freshness is Freshness.READ_ONLY, timeout=10_000)
    assert live.path == finished
    tabs = program.content.tabs
    assert tabs.tabText(tabs.currentIndex()) == "live.run.json"
    assert program.workspace.open_runs == (live,)


def test_a_finished_file_that_changes_is_marked_stale_and_kept(
    program: Program, run_file: Path, qtbot: QtBot
) -> None:
    open_run = open_file(program, run_file, qtbot)
    before = open_run.run
    assert open_run.freshness is Freshness.READ_ONLY
    with run_file.open("a") as file:
        file.write("\n")
    qtbot.waitUntil(lambda: open_run.freshness is Freshness.STALE, timeout=10_000)
    assert open_run.run is before


def test_a_stale_run_can_be_read_again(program: Program, run_file: Path, qtbot: QtBot) -> None:
    open_run = open_file(program, run_file, qtbot)
    with run_file.open("a") as file:
        file.write("\n")
    qtbot.waitUntil(lambda: open_run.freshness is Freshness.STALE, timeout=10_000)
    with qtbot.waitSignal(program.workspace.added) as caught:
        program.content.action("reload").trigger()
    assert caught.args[0].freshness is Freshness.READ_ONLY
    assert len(program.workspace.open_runs) == 1


def test_an_opened_file_is_never_written_to(program: Program, run_file: Path, qtbot: QtBot) -> None:
    before = run_file.read_bytes(), run_file.stat().st_mtime_ns
    open_file(program, run_file, qtbot)
    program.content.action("close").trigger()
    assert (run_file.read_bytes(), run_file.stat().st_mtime_ns) == before


def test_a_change_before_anybody_watched_is_noticed(
    program: Program, run_file: Path, qtbot: QtBot
) -> None:
    with qtbot.waitSignal(program.workspace.added) as caught:
        program.opener.open([run_file])
    with run_file.open("a") as file:
        file.write("\n")
    open_run: OpenRun = caught.args[0]
    qtbot.waitUntil(lambda: open_run.freshness is Freshness.STALE, timeout=10_000)
