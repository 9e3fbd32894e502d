"""How long the window takes to answer a step, a choice, a range and a filter in a very long run.

What is measured is the window's own thread from the key to the last thing painted for it,
the span's values included: what it works, and beside that the clock, which counts what
workers and others on the machine do meanwhile.
"""

from __future__ import annotations

import importlib.util
import os
import tempfile
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from tests.benchmarks.report import Row, Took, answered, skipped, took

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtWidgets import QApplication

    from inspector.gui.app_program import Program
    from inspector.gui.workspace.open_run import OpenRun

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

_FILTERS = {
    "all": "status:ok OR duration:>={}ns",
    "most": "duration:>{}ns",
    "one in five": "kind:llm duration:>{}ns",
    "few": "kind:agent duration:>{}ns",
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

    def answer(work: Callable[[], object]) -> Took:
        def all_of_it() -> None:
            work()
            settle(program, app)

        return took(all_of_it)

    rows = [Row(f"{SPANS:,} spans in the window, all panes", "")]
    for what, name in _STEPS.items():
        trigger = program.content.action(name).trigger
        open_run.selection.select(table.id(len(table) // 2))
        answer(trigger)  # what is worked out once for a run
        times = [answer(trigger) for _ in range(rounds)]
        rows.append(answered(f"  {what}", times, ANSWER_MS))
    far_apart = [(number * 7_919_993) % len(table) for number in range(1, 2 * rounds + 1)]
    chosen = [answer(partial(open_run.selection.select, table.id(row))) for row in far_apart]
    rows.append(answered("  a span chosen far away", chosen, ANSWER_MS))
    whole = table.end_of_run()
    narrowed, widened = [], []
    for number in range(rounds):
        at = whole * number // (rounds + 1)
        narrowed.append(answer(partial(open_run.range.set, at, at + whole // 50)))
        widened.append(answer(open_run.range.clear))
    rows.append(answered("  narrowed to a range", narrowed, ANSWER_MS))
    rows.append(answered("  the whole run again", widened, ANSWER_MS))
    rows += _filters(open_run, answer, rounds)
    frames = _frames(program, app, rounds)
    rows.append(answered("  a moment of playing all of it in 10 s", frames, FRAME_MS))
    return rows


def _filters(
    open_run: OpenRun, answer: Callable[[Callable[[], object]], Took], rounds: int
) -> list[Row]:
    """Search for what all spans match, what most do and what few do, and show nothing else."""
    search, rows = open_run.search, []
    search.open()
    for what, line in _FILTERS.items():
        asked, shown, asked_again, everything = [], [], [], []
        # A line is never the same again, nor is the state of what shows it.
        for number in range(rounds):
            asked.append(answer(partial(search.ask, line.format(number))))
            shown.append(answer(partial(search.set_filter, True)))
            asked_again.append(answer(partial(search.ask, line.format(1_000 + number))))
            assert search.found is not None
            everything.append(answer(partial(search.set_filter, False)))
            answer(partial(search.ask, ""))
        rows += [
            answered(f"  a search that {what} match, marked", asked, ANSWER_MS),
            answered("    nothing else shown", shown, ANSWER_MS),
            answered("    another line, nothing else shown", asked_again, ANSWER_MS),
            answered("    everything shown again", everything, ANSWER_MS),
        ]
    search.close()
    return rows


def _frames(program: Program, app: QApplication, rounds: int) -> list[Took]:
    """Return how long each frame of playing takes."""
    from inspector.gui.controllers.play_controller import PlayController
    from inspector.presentation.playback import Speed

    now = [0]
    player = PlayController(program.workspace, program.settings, clock_ns=lambda: now[0])
    player.set_speed(Speed.FIT)
    player.toggle()

    def frame() -> None:
        now[0] += 33_000_000
        player.go_on()
        app.processEvents()

    taken = [took(frame) for _ in range(3 * rounds)]
    player.stop()
    return taken


def settle(program: Program, app: QApplication) -> None:
    """Let everything happen that follows from what was done."""
    quiet = 0
    while quiet < 2:
        app.processEvents()
        shown = program.content.tabs.current_window
        busy = any(one.tasks.busy for one in program.workspace.open_runs)
        quiet = 0 if busy or (shown is not None and not shown.is_whole) else quiet + 1
