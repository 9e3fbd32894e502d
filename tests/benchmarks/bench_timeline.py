"""How long the timeline takes to paint, by number of spans and zoom.

`python -m tests.benchmarks.bench_timeline [SPANS...]` prints the median of a paint in which
everything is drawn anew, as after every turn of the wheel, at each zoom; `measure` is the
same for the table of all benchmarks.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from statistics import median
from time import perf_counter
from typing import TYPE_CHECKING, NamedTuple

from tests.benchmarks.report import Row, Took, answered, seconds, skipped, took

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtWidgets import QApplication

    from inspector.gui.widgets.timeline import Timeline

PAINT_MS = 8.0
ANSWER_MS = 50.0
SIZES = (10_000, 100_000, 1_000_000)
WIDTH_PX, HEIGHT_PX = 1_920, 420
_DEEPEST = 30
_NARROWEST_NS = 200.0


class Figures(NamedTuple):
    """What was measured of a timeline of one size."""

    laid_out_s: float
    paints: list[list[Took]]  # by zoom, from everything to as deep as one can go
    hovers: list[Took]
    selects: list[Took]
    ranges: list[Took]


def measure(quick: bool) -> list[Row]:
    if importlib.util.find_spec("PySide6") is None:
        return [skipped("timeline", "PySide6 is not installed")]
    app = _application()
    rows: list[Row] = []
    for size in (100_000,) if quick else (100_000, 1_000_000):
        found = figures(size, rounds=7 if quick else 15)
        rows += [
            Row(f"{size:,} spans laid out, beside the window", seconds(found.laid_out_s)),
            answered(
                f"  painted anew, at the slowest of {len(found.paints)} zooms",
                max(found.paints, key=worked_ms),
                PAINT_MS,
            ),
            answered("  a span selected off the screen", found.selects, ANSWER_MS),
            answered("  narrowed to a range", found.ranges, ANSWER_MS),
        ]
    app.processEvents()
    return rows


def figures(size: int, *, rounds: int) -> Figures:
    """Measure a timeline of `size` made-up spans."""
    from PySide6.QtGui import QImage

    from inspector.gui.widgets.timeline import Timeline
    from inspector.gui.widgets.timeline_scene import build_scene
    from inspector.gui.widgets.timeline_surface import Words
    from inspector.presentation.words import duration_words
    from tests.helpers.synthetic_tables import synthetic_table

    table = synthetic_table(size)
    began = perf_counter()
    scene = build_scene(table)
    laid_out_s = perf_counter() - began

    def label_of(row: int) -> tuple[str, str]:
        return table.name(row), duration_words(table.duration_ns(row))

    timeline = Timeline()
    timeline.resize(WIDTH_PX, HEIGHT_PX)
    timeline.show_scene(scene, Words(label_of, lambda _row: "", {}))
    timeline.grab()
    canvas = timeline.canvas
    target = QImage(canvas.size(), QImage.Format.Format_RGB32)

    def paint() -> None:
        canvas.render(target)

    def paint_anew() -> None:
        canvas.forget()
        canvas.render(target)

    def select() -> None:
        canvas.select(next(far_apart))
        canvas.render(target)

    def narrow() -> None:
        start = next(far_apart) * scene.end_ns // size // 2
        timeline.show_range((start, start + scene.end_ns // 50))
        canvas.render(target)
        timeline.overview.grab()

    paints = _by_zoom(timeline, paint_anew, rounds)
    hovers = _times(paint, rounds)
    canvas.zoom(500, WIDTH_PX / 2)
    far_apart = iter([(n * 7_919_993) % size for n in range(2 * rounds)])
    found = Figures(laid_out_s, paints, hovers, _times(select, rounds), _times(narrow, rounds))
    timeline.deleteLater()
    return found


def _by_zoom(timeline: Timeline, paint_anew: Callable[[], None], rounds: int) -> list[list[Took]]:
    canvas = timeline.canvas
    canvas.fit()
    times: list[list[Took]] = []
    for _ in range(_DEEPEST):
        times.append(_times(paint_anew, rounds))
        if canvas.view.length_ns < _NARROWEST_NS:
            break
        canvas.zoom(2, WIDTH_PX * 0.37)
    canvas.fit()
    return times


def _times(work: Callable[[], None], rounds: int) -> list[Took]:
    return [took(work) for _ in range(rounds)]


def worked_ms(times: list[Took]) -> float:
    """Return the median of the processor's time, in ms."""
    return median(each.worked for each in times)


def _application() -> QApplication:
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from PySide6.QtWidgets import QApplication

    from inspector.gui import theme
    from inspector.gui.settings import ThemeChoice

    existing = QApplication.instance()
    app = existing if isinstance(existing, QApplication) else QApplication([])
    theme.apply(app, ThemeChoice.LIGHT)
    return app


def main(sizes: list[int]) -> int:
    """Print the times of every zoom; 1 when one of them is above the promise."""
    app = _application()
    print("    spans  laid out    worst   median    hover   paints by zoom, ms")
    missed = False
    for size in sizes:
        found = figures(size, rounds=15)
        paints = list(map(worked_ms, found.paints))
        missed |= max(paints) > PAINT_MS
        print(
            f"{size:>9,} {found.laid_out_s:>7.2f} s {max(paints):>5.1f} ms"
            f" {median(paints):>5.1f} ms {worked_ms(found.hovers):>5.2f} ms   "
            + " ".join(f"{time:.1f}" for time in paints)
        )
        app.processEvents()
    return int(missed)


if __name__ == "__main__":
    sys.exit(main([int(size) for size in sys.argv[1:]] or list(SIZES)))
