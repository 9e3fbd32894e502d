"""How long the window takes to answer a step, a choice and a range in a very long run.

What is measured is the window's own thread from the key to the last thing painted for it,
the span's values included. What others do on the machine meanwhile is not counted.
"""

from __future__ import annotations

import importlib.util
import os
import tempfile
from functools import partial
from pathlib import Path
from statistics import median
from time import thread_time
from typing import TYPE_CHECKING

from tests.benchmarks.report import Row, limit, skipped

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtWidgets import QApplication

    from inspector.gui.app_program import Program

ANSWER_MS = 50.0
FRAME_MS = 33.0
SPANS = 100_000
_STEPS = {
    "the next span": "next",
    "over a span": "over",
    "the next LLM call": "next-llm",
    "the next tool call": "next-tool",
    "the next visit": "next-visit",
    "the next failure": "next-failure",
    "back to what was selected": "back",
}


def measure(quick: bool) -> list[Row]:
    if importlib.util.find_spec("PySide6") is None:
        return [skipped("stepping", "PySide6 is not installed")]
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from PySide6.QtCore import QSettings
    from PySide6.QtWidgets import QApplication

    from inspector.gui.app_program import build

    existing = QApplication.instance()
    app = existing if isinstance(existing, QApplication) else QApplication([])
    with tempfile.TemporaryDirectory(prefix="run-bench-") as folder:
        disk = QSettings(str(Path(folder) / "settings.ini"), QSettings.Format.IniFormat)
        program = build(app, disk, expecting_runs=True)
        program.window.resize(1_920, 1_200)
        program.window.show()
        try:
            return _measure(program, app, rounds=5 if quick else 15)
        finally:
            program.window.close()
            program.close()


def _measure(program: Program, app: QApplication, rounds: int) -> list[Row]:
    from inspector.gui.workspace.open_run import OpenRun
    from tests.helpers.drawn_runs import run_from_table
    from tests.helpers.synthetic_tables import synthetic_table

    open_run = OpenRun(run_from_table(synthetic_table(SPANS)), title="long.run.json")
    program.workspace.add(open_run)
    table = open_run.run.table
    settle(program, app)

    def answer(work: Callable[[], object]) -> float:
        begun = thread_time()
        work()
        settle(program, app)
        return (thread_time() - begun) * 1e3

    rows = [Row(f"{SPANS:,} spans in the window, all panes", "")]
    for what, name in _STEPS.items():
        trigger = program.content.action(name).trigger
        open_run.selection.select(table.id(len(table) // 2))
        answer(trigger)  # what is worked out once for a run
        taken = median(answer(trigger) for _ in range(rounds))
        rows.append(limit(f"  {what}", taken, ANSWER_MS, "ms"))
    far_apart = [(number * 7_919_993) % len(table) for number in range(1, 2 * rounds + 1)]
    chosen = [answer(partial(open_run.selection.select, table.id(row))) for row in far_apart]
    rows.append(limit("  a span chosen far away", median(chosen), ANSWER_MS, "ms"))
    whole = table.end_of_run()
    narrowed, widened = [], []
    for number in range(rounds):
        at = whole * number // (rounds + 1)
        narrowed.append(answer(partial(open_run.range.set, at, at + whole // 50)))
        widened.append(answer(open_run.range.clear))
    rows.append(limit("  narrowed to a range", median(narrowed), ANSWER_MS, "ms"))
    rows.append(limit("  the whole run again", median(widened), ANSWER_MS, "ms"))
    frames = _frames(program, app, rounds)
    rows.append(limit("  a moment of playing all of it in 10 s", frames, FRAME_MS, "ms"))
    return rows


def _frames(program: Program, app: QApplication, rounds: int) -> float:
    """Return how long a frame of playing takes, in ms."""
    from inspector.gui.controllers.play_controller import PlayController
    from inspector.presentation.playback import Speed

    now = [0]
    player = PlayController(program.workspace, program.settings, clock_ns=lambda: now[0])
    player.set_speed(Speed.FIT)
    player.toggle()
    taken = []
    for _ in range(3 * rounds):
        now[0] += 33_000_000
        begun = thread_time()
        player.go_on()
        app.processEvents()
        taken.append((thread_time() - begun) * 1e3)
    player.stop()
    return median(taken)


def settle(program: Program, app: QApplication) -> None:
    """Let everything happen that follows from what was done."""
    quiet = 0
    while quiet < 2:
        app.processEvents()
        shown = program.content.tabs.current_window
        busy = any(one.tasks.busy for one in program.workspace.open_runs)
        quiet = 0 if busy or (shown is not None and not shown.is_whole) else quiet + 1
