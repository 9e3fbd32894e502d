"""How long the timeline takes to paint, by number of spans and zoom.

`python -m tests.benchmarks.bench_timeline [SPANS...]` prints the median of a
paint in which everything is drawn anew, as after every turn of the wheel, at
each zoom. The promise is 8 ms with a million spans; the last column is what a
paint costs in which only the mouse moved.
"""

from __future__ import annotations

import os
import sys
from statistics import median
from time import perf_counter

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from typing import TYPE_CHECKING

from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication

from inspector.gui import theme
from inspector.gui.widgets.timeline import Timeline
from inspector.gui.widgets.timeline_scene import build_scene
from inspector.gui.widgets.timeline_surface import Words
from inspector.presentation.words import duration_words
from tests.helpers.synthetic_tables import synthetic_table

if TYPE_CHECKING:
    from inspector.runfile.table import SpanTable

PROMISE_MS = 8.0
SIZES = (10_000, 100_000, 1_000_000)
WIDTH_PX, HEIGHT_PX = 1_920, 420
ROUNDS = 15
_DEEPEST = 30


def main(sizes: list[int]) -> int:
    """Print the times; 1 when the promise is broken."""
    app = QApplication.instance() or QApplication([])
    assert isinstance(app, QApplication)
    theme.apply(app, theme.ThemeChoice.LIGHT)
    print(
        f"{'spans':>9} {'laid out':>9} {'worst':>8} {'median':>8} {'hover':>8}   paints by zoom, ms"
    )
    broken = False
    for size in sizes:
        table = synthetic_table(size)
        began = perf_counter()
        scene = build_scene(table)
        laid_out_s = perf_counter() - began
        timeline = Timeline()
        timeline.resize(WIDTH_PX, HEIGHT_PX)
        timeline.show_scene(scene, _words(table))
        timeline.grab()
        times = _by_zoom(timeline)
        hover = _hover(timeline)
        broken |= max(times) > PROMISE_MS
        said = " ".join(f"{time:.1f}" for time in times)
        print(
            f"{size:>9,} {laid_out_s:>7.2f} s {max(times):>5.1f} ms {median(times):>5.1f} ms"
            f" {hover:>5.2f} ms   {said}"
        )
        timeline.deleteLater()
    print(f"promise: at most {PROMISE_MS:.0f} ms at every zoom: {'broken' if broken else 'kept'}")
    return int(broken)


def _by_zoom(timeline: Timeline) -> list[float]:
    canvas = timeline.canvas
    target = QImage(canvas.size(), QImage.Format.Format_RGB32)
    times = []
    canvas.fit()
    for _ in range(_DEEPEST):
        times.append(_paint_ms(timeline, target))
        before = canvas.view
        canvas.zoom(2, WIDTH_PX * 0.37)
        if canvas.view == before:
            break
    canvas.fit()
    return times


def _paint_ms(timeline: Timeline, target: QImage) -> float:
    canvas = timeline.canvas
    taken = []
    for turn in range(ROUNDS):
        # A pixel to and fro: what is drawn is the same, but nothing of it is at hand.
        canvas.show_view(canvas.view.panned(1 if turn % 2 else -1))
        canvas.forget()
        began = perf_counter()
        canvas.render(target)
        taken.append((perf_counter() - began) * 1e3)
    return median(taken)


def _hover(timeline: Timeline) -> float:
    target = QImage(timeline.canvas.size(), QImage.Format.Format_RGB32)
    taken = []
    for _ in range(ROUNDS):
        began = perf_counter()
        timeline.canvas.render(target)
        taken.append((perf_counter() - began) * 1e3)
    return median(taken)


def _words(table: SpanTable) -> Words:
    def label_of(row: int) -> tuple[str, str]:
        return table.name(row), duration_words(table.duration_ns(row))

    return Words(label_of, lambda _row: "", {})


if __name__ == "__main__":
    sys.exit(main([int(size) for size in sys.argv[1:]] or list(SIZES)))
