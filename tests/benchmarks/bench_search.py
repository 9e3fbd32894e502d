"""How long a search takes: by columns in a long run, by words in a large one, and in the window."""

from __future__ import annotations

import importlib.util
import tempfile
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

from inspector.presentation.query_parser import parse_query
from inspector.presentation.search import RunSearch
from inspector.runfile.load import load_run
from tests.benchmarks.big_file import write_run
from tests.benchmarks.report import Row, Took, answered, seconds, size, skipped, took

if TYPE_CHECKING:
    from collections.abc import Callable

    from inspector.runfile.model import PipelineRun

ANSWER_MS = 50.0
SPANS = 100_000
COLUMNS = (
    "kind:component",
    "name:stage3 -status:ok",
    "duration:>1us",
    "kind:llm OR (kind:component duration:<1ms name:=stage1)",
)
RECORDS = ("visit:>2", "tokens:>1000", "type:stage")
WORDS = (("found everywhere", "tomato"), ("found nowhere", "no-such-words"))


def measure(quick: bool) -> list[Row]:
    rounds = 5 if quick else 15
    with tempfile.TemporaryDirectory() as folder:
        many = Path(folder) / "many.run.json"
        write_run(many, spans=SPANS, value_bytes=40)
        rows = _columns(load_run(many, use_cache=False), rounds)
        rows += _window(load_run(many, use_cache=False), rounds)
        large = Path(folder) / "large.run.json"
        written = write_run(large, spans=4_000 if quick else 21_000)
        rows += _words(load_run(large, use_cache=False), written)
    return rows


def _columns(run: PipelineRun, rounds: int) -> list[Row]:
    rows = []
    for line in COLUMNS:
        query = parse_query(line)
        search = RunSearch(run)
        times = _times(lambda: search.at_once(query), rounds)  # noqa: B023 - called at once
        rows.append(answered(f"{SPANS:,} spans, {line}", times, ANSWER_MS))
    search = RunSearch(run)
    began = perf_counter()
    search.find(parse_query(RECORDS[0]))
    rows.append(Row("  all records read, once a run", seconds(perf_counter() - began)))
    for line in RECORDS:
        query = parse_query(line)
        times = _times(lambda: search.find(query), rounds)  # noqa: B023 - called at once
        rows.append(answered(f"  then {line}", times, ANSWER_MS))
    return rows


def _words(run: PipelineRun, written: int) -> list[Row]:
    rows = []
    for what, line in WORDS:
        first: list[float] = []
        began = perf_counter()
        RunSearch(run).find(
            parse_query(line),
            found=lambda _rows: first.append(perf_counter() - began),  # noqa: B023 - called at once
        )
        all_of_it = seconds(perf_counter() - began)
        shown = f", first after {seconds(first[0])}" if first else ""
        rows.append(
            Row(f"words {what} in {size(written)}, beside the window", f"{all_of_it}{shown}")
        )
    return rows


def _window(run: PipelineRun, rounds: int) -> list[Row]:
    if importlib.util.find_spec("PySide6") is None:
        return [skipped("a filter in the window", "PySide6 is not installed")]
    from PySide6.QtWidgets import QApplication

    from inspector.gui import theme
    from inspector.gui.panes.tree_pane import TreePane
    from inspector.gui.settings import ThemeChoice
    from inspector.gui.workspace.open_run import OpenRun

    existing = QApplication.instance()
    app = existing if isinstance(existing, QApplication) else QApplication([])
    theme.apply(app, ThemeChoice.LIGHT)
    opened = OpenRun(run, title="many")
    tree = TreePane(opened)
    tree.resize(500, 600)
    tree.grab()
    opened.search.open()
    opened.search.set_filter(True)
    lines = iter([f"kind:component duration:>{number}ns" for number in range(2 * rounds)])

    def narrow() -> None:
        opened.search.ask(next(lines))
        tree.grab()

    times = _times(narrow, rounds)
    opened.close()
    tree.deleteLater()
    return [answered(f"{SPANS:,} spans, the tree filtered and painted", times, ANSWER_MS)]


def _times(work: Callable[[], object], rounds: int) -> list[Took]:
    return [took(work) for _ in range(rounds)]
