"""Bookmarks and notes on a timeline: a small ribbon where the span of each begins."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QPainter, QPolygonF

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from PySide6.QtGui import QColor

    from inspector.gui.widgets.timeline_scene import TimelineScene

RIBBON_PX, RIBBON_HEIGHT_PX = 7, 10
_REACH_PX = 5


def spots(
    scene: TimelineScene, rows: Iterable[int], x_of: Callable[[float], float]
) -> dict[int, int]:
    """Return which row is marked at which pixel; of several at one, the first of them."""
    found: dict[int, int] = {}
    for row in rows:
        if scene.holds(row):
            start = float(scene.start[scene.place_of_row[row]])
            found.setdefault(round(x_of(start)), row)
    return found


def spot_at(found: dict[int, int], x: float) -> int | None:
    """Return the row whose ribbon is there, the nearest first."""
    near = [(abs(at - x), row) for at, row in found.items() if abs(at - x) <= _REACH_PX]
    return min(near)[1] if near else None


def draw_ribbons(painter: QPainter, places: Iterable[int], bottom: float, ink: QColor) -> None:
    """Draw a ribbon at each place, hanging down to `bottom`."""
    half, top = RIBBON_PX / 2, bottom - RIBBON_HEIGHT_PX
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(ink)
    for x in places:
        painter.drawPolygon(
            QPolygonF(
                [
                    QPointF(x - half, top),
                    QPointF(x + half, top),
                    QPointF(x + half, bottom),
                    QPointF(x, bottom - half + 0.5),
                    QPointF(x - half, bottom),
                ]
            )
        )
    painter.restore()
