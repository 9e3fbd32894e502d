"""A scene with idle time folded away: the same spans, at the places where they are drawn."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QPen

from inspector.gui.widgets.timeline_look import Look, see_through
from inspector.gui.widgets.timeline_scene import TimelineScene, drawn_small, lane_sums
from inspector.presentation.words import duration_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from PySide6.QtGui import QPainter

    from inspector.gui.widgets.timeline_layer import Frame
    from inspector.presentation.time_folds import TimeFolds

_GROUND = 0.9
_PAD_PX = 6
_NARROWEST_PX = 3
_WRAPPED = int(Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap)


def folded_scene(scene: TimelineScene, folds: TimeFolds) -> TimelineScene:
    """Return a scene as it is drawn. Its order stays: folding moves nothing past another."""
    if not folds:
        return scene
    start = drawn_times(scene.start, folds)
    end = np.maximum(start, drawn_times(scene.end, folds))
    until = max(1, round(folds.drawn(scene.end_ns)))
    overview, failed = drawn_small(start, end, scene.shade, scene.lane, scene.lane_count, until)
    return replace(
        scene,
        start=start,
        end=end,
        sums=lane_sums(start, end, scene.shade, scene.first),
        end_ns=until,
        overview=overview,
        overview_failed=failed,
    )


def drawn_times(times_ns: NDArray[np.int64] | Sequence[int], folds: TimeFolds) -> NDArray[np.int64]:
    """Return where many moments of the run are drawn."""
    times = np.asarray(times_ns, np.float64)
    if not folds:
        return times.astype(np.int64)
    last_real, last_drawn = folds.real_ns[-1], folds.drawn_ns[-1]
    inside = np.interp(times, folds.real_ns, folds.drawn_ns)
    drawn = np.where(times > last_real, times - last_real + last_drawn, inside)
    return np.rint(drawn).astype(np.int64)


def draw_bands(painter: QPainter, folds: TimeFolds, frame: Frame, look: Look) -> None:
    """Draw each folded gap as a torn band that says its length, and its reason if there is room."""
    tokens = look.tokens
    painter.setClipRect(QRectF(frame.gutter_px, 0, frame.width_px, frame.height_px))
    hatch = QBrush(see_through(tokens.outline, 0.35), Qt.BrushStyle.BDiagPattern)
    edge = QPen(tokens.outline, 1, Qt.PenStyle.DashLine)
    for gap, low, high in folds.bands():
        left = round(frame.gutter_px + frame.view.x_of(low))
        right = max(left + _NARROWEST_PX, round(frame.gutter_px + frame.view.x_of(high)))
        if right < frame.gutter_px or left > frame.width_px:
            continue
        band = QRectF(left, look.axis_px, right - left, frame.height_px - look.axis_px)
        painter.fillRect(band, see_through(tokens.window, _GROUND))
        painter.fillRect(band, hatch)
        painter.fillRect(QRectF(left, 0, right - left, look.axis_px - 1), tokens.window)
        painter.setPen(edge)
        for x in (left + 0.5, right - 0.5):
            painter.drawLine(QLineF(x, 0, x, frame.height_px))
        _write(painter, band, duration_words(gap.length_ns), gap.reason, look)


def _write(painter: QPainter, band: QRectF, length: str, reason: str, look: Look) -> None:
    """Write a length on the axis, where no lane can scroll it away; below it the reason."""
    painter.setPen(look.tokens.text)
    wide = look.placer.width(length)
    if wide > band.width() - _PAD_PX:
        return
    x = band.center().x() - wide / 2
    painter.drawText(QPointF(x, look.baseline(0, look.axis_px)), length)
    inner = band.adjusted(_PAD_PX, _PAD_PX, -_PAD_PX, -_PAD_PX)
    needed = painter.boundingRect(inner, _WRAPPED, f"waited {reason}")
    if reason and inner.contains(needed):
        painter.fillRect(needed.adjusted(-2, -1, 2, 1), look.tokens.window)
        painter.drawText(inner, _WRAPPED, f"waited {reason}")
