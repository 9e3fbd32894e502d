"""The still picture of a timeline: ground, bars, words and axis, without what the mouse does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QImage, QPainter, QPen

from inspector.gui.widgets.timeline_folds import draw_bands
from inspector.gui.widgets.timeline_labels import Tone
from inspector.gui.widgets.timeline_look import (
    LANE_GAP_PX,
    TOP_PX,
    Look,
    mixed,
    see_through,
)
from inspector.gui.widgets.timeline_marks import marks_together
from inspector.gui.widgets.timeline_raster import Bars, Raster, draw_lanes
from inspector.gui.widgets.timeline_scene import FAILED_SHADE, QUIET, Hatch
from inspector.presentation.time_folds import UNFOLDED, TimeFolds, folded_ticks
from inspector.runfile.kinds import STATUS_CODE, SpanStatus

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from inspector.gui.widgets.timeline_labels import Label, LabelOf
    from inspector.gui.widgets.timeline_scene import TimelineScene
    from inspector.gui.widgets.timeline_view import TimelineView
    from inspector.presentation.ticks import Tick

_FAILED = STATUS_CODE[SpanStatus.FAILED]
_TICK_PX = 4
_FAILURE_TICK_PX = 5
_MARK_PX, _LOW_MARK_PX = 7, 3
_MARK_WIDTH_PX = 2
_MOST_TALL_MARKS = 120
_CAPTION_PAD_PX = 8
# Hatching and underlining is done bar by bar: a broken run could ask for a hundred thousand.
_MOST_DRESSED = 500
_HATCH_STRENGTH = 0.4
_NARROWEST_DRESSED_PX = 3
_HATCHED_PX = 6
_HATCHED_STRENGTH = 0.75
_STYLES = {
    Hatch.FALLING: Qt.BrushStyle.FDiagPattern,
    Hatch.CROSSED: Qt.BrushStyle.DiagCrossPattern,
    Hatch.DOTTED: Qt.BrushStyle.Dense6Pattern,
    Hatch.RUNNING: Qt.BrushStyle.BDiagPattern,
    Hatch.AROUND: Qt.BrushStyle.FDiagPattern,
}
_HATCH_INKS = {Hatch.RUNNING: "secondary", Hatch.AROUND: "changed"}


@dataclass(frozen=True, slots=True)
class Frame:
    """What is to be seen: a stretch of time, some lanes, on so many pixels.

    `view` is as wide as the lanes are, without the gutter of captions.
    """

    view: TimelineView
    scroll_px: int
    width_px: int
    height_px: int
    gutter_px: int
    ratio: float

    def lanes(self, look: Look, lane_count: int) -> range:
        """Return the lanes that are at least partly on the screen."""
        first = max(0, (self.scroll_px - TOP_PX) // look.pitch_px)
        below = self.height_px - look.axis_px + self.scroll_px - TOP_PX
        return range(min(first, lane_count), min(lane_count, -(-below // look.pitch_px)))

    def top_of(self, look: Look, lane: int) -> int:
        """Return the top edge of a lane on the screen."""
        return look.axis_px + TOP_PX + lane * look.pitch_px - self.scroll_px


class Layer:
    """A picture of a frame."""

    def __init__(
        self,
        scene: TimelineScene,
        frame: Frame,
        look: Look,
        label_of: LabelOf,
        captions: Mapping[int, str],
        folds: TimeFolds = UNFOLDED,
    ) -> None:
        self._scene = scene
        self._frame = frame
        self._look = look
        self._ratio = frame.ratio
        view = frame.view
        most = max(1, view.width_px // look.tick_room_px)
        self.ticks = folded_ticks(folds, max(0.0, view.start_ns), view.end_ns, most)
        wide = view.resized(round(view.width_px * self._ratio))
        lanes = frame.lanes(look, scene.lane_count)
        raster = draw_lanes(
            scene, wide, lanes, look.shades, look.tokens.panel.rgb(), ratio=self._ratio
        )
        # Held here: the image only borrows these pixels.
        ground_line = self._ground_line(wide)
        self._pixels = np.empty((round(frame.height_px * self._ratio), len(ground_line)), np.uint32)
        self._pixels[:] = ground_line
        self._put_lanes(raster, lanes, ground_line)
        height, width = self._pixels.shape
        self.image = QImage(self._pixels.data, width, height, 4 * width, QImage.Format.Format_RGB32)
        self.image.setDevicePixelRatio(self._ratio)
        painter = QPainter(self.image)
        painter.setFont(look.font)
        self._dress(painter, raster.bars, lanes)
        self._write(
            painter,
            look.placer.place(scene, raster.bars, wide.width_px, self._ratio, label_of),
            lanes,
        )
        self._draw_gutter(painter, captions, lanes)
        self._draw_axis(painter)
        self._draw_marks(painter)
        if folds:
            draw_bands(painter, folds, frame, look)
        painter.end()

    def _ground_line(self, wide: TimelineView) -> NDArray[np.uint32]:
        """Return the row of pixels that lies behind everything: panel and grid lines."""
        frame, tokens = self._frame, self._look.tokens
        width = round(frame.width_px * self._ratio)
        line = np.full(width, tokens.panel.rgb(), np.uint32)
        gutter = round(frame.gutter_px * self._ratio)
        marks = np.array([tick.at_ns for tick in self.ticks if tick.words], np.int64)
        x = gutter + np.round(wide.x_of(marks)).astype(np.int64)
        line[x[(x > gutter) & (x < width)]] = mixed(tokens.border, tokens.panel, 0.5).rgb()
        return line

    def _put_lanes(self, raster: Raster, lanes: range, ground_line: NDArray[np.uint32]) -> None:
        look, ratio = self._look, self._ratio
        left = round(self._frame.gutter_px * ratio)
        top_edge = round(look.axis_px * ratio)
        behind = ground_line[left:]
        ahead = raster.pixels[:, : len(behind)]
        drawn = np.where(ahead != 0, ahead, behind[: ahead.shape[1]])
        ticked: list[bool] = np.any(raster.ticks, axis=1, keepdims=False).tolist()
        failed = np.uint32(look.tokens.failed.rgb())
        for place, (lane, line) in enumerate(zip(lanes, drawn, strict=True)):
            top = round(self._frame.top_of(look, lane) * ratio)
            bottom = top + round(look.bar_px * ratio)
            top = max(top, top_edge)
            if bottom <= top:
                continue
            part = self._pixels[top:bottom, left : left + len(line)]
            part[:] = line
            if ticked[place]:
                tick = part[: round(_FAILURE_TICK_PX * ratio)]
                np.copyto(tick, failed, where=raster.ticks[place, : len(line)])

    def _dress(self, painter: QPainter, bars: Bars, lanes: range) -> None:
        """Hatch what has not ended, and underline what failed because of something inside."""
        scene, look, frame = self._scene, self._look, self._frame
        painter.setClipRect(
            QRectF(frame.gutter_px, look.axis_px, frame.width_px, frame.height_px - look.axis_px)
        )
        wide = bars.right - bars.left >= _NARROWEST_DRESSED_PX * self._ratio
        shade = scene.shade[bars.place]
        echo = (scene.status[bars.place] == _FAILED) & (shade != FAILED_SHADE) & (shade < QUIET)
        for at in np.flatnonzero(wide & echo)[:_MOST_DRESSED].tolist():
            rect = self._rect(bars, at, lanes)
            painter.fillRect(rect.adjusted(0, look.bar_px - 3, 0, 0), look.tokens.failed)
        unfinished = np.isin(bars.place, scene.unfinished)
        hatch = QBrush(see_through(look.tokens.panel, _HATCH_STRENGTH), Qt.BrushStyle.BDiagPattern)
        for at in np.flatnonzero(wide & unfinished)[:_MOST_DRESSED].tolist():
            painter.fillRect(self._rect(bars, at, lanes), hatch)
        self._hatch(painter, bars, lanes, wide)

    def _hatch(self, painter: QPainter, bars: Bars, lanes: range, wide: NDArray[np.bool_]) -> None:
        """Cross bars whose colour is not to speak alone, along their lower edge."""
        height = max(_HATCHED_PX, self._look.bar_px // 3)
        for how, places in (self._scene.hatched or {}).items():
            # What is pale is crossed with dark, and what is dark with the ground.
            colour = getattr(self._look.tokens, _HATCH_INKS.get(how, "panel"))
            ink = QBrush(see_through(colour, _HATCHED_STRENGTH), _STYLES[how])
            found = np.flatnonzero(wide & np.isin(bars.place, places))
            for at in found[:_MOST_DRESSED].tolist():
                rect = self._rect(bars, at, lanes)
                painter.fillRect(rect.adjusted(0, rect.height() - height, 0, 0), ink)

    def _rect(self, bars: Bars, at: int, lanes: range) -> QRectF:
        frame, ratio = self._frame, self._ratio
        left, right = bars.left[at] / ratio, bars.right[at] / ratio
        top = frame.top_of(self._look, lanes.start + int(bars.lane[at]))
        return QRectF(frame.gutter_px + left, top, right - left, self._look.bar_px)

    def _write(self, painter: QPainter, labels: list[Label], lanes: range) -> None:
        look, frame = self._look, self._frame
        tokens = look.tokens
        inks = {
            Tone.INSIDE: tokens.on_kind,
            Tone.BESIDE: tokens.text,
            Tone.SOFT: tokens.secondary,
            Tone.FAILED: tokens.failed,
        }
        labels.sort(key=lambda label: label.tone.value)
        tone = None
        for label in labels:
            if label.tone is not tone:
                tone = label.tone
                painter.setPen(inks[tone])
            top = frame.top_of(look, lanes.start + label.lane)
            painter.drawText(
                QPointF(frame.gutter_px + label.x, look.baseline(top, look.bar_px)), label.text
            )

    def _draw_gutter(self, painter: QPainter, captions: Mapping[int, str], lanes: range) -> None:
        frame, look = self._frame, self._look
        if not frame.gutter_px:
            return
        tokens = look.tokens
        painter.setClipRect(QRectF(0, look.axis_px, frame.width_px, frame.height_px - look.axis_px))
        for lane, words in captions.items():
            if lane not in lanes:
                continue
            top = frame.top_of(look, lane)
            painter.setPen(QPen(tokens.border, 0))
            y = top - LANE_GAP_PX / 2
            painter.drawLine(QLineF(0, y, frame.gutter_px - 1, y))
            painter.setPen(tokens.secondary)
            room = frame.gutter_px - 2 * _CAPTION_PAD_PX
            text = look.metrics.elidedText(words, Qt.TextElideMode.ElideMiddle, room)
            painter.drawText(QPointF(_CAPTION_PAD_PX, look.baseline(top, look.bar_px)), text)
        painter.setPen(QPen(tokens.border, 0))
        x = frame.gutter_px - 1
        painter.drawLine(QLineF(x, look.axis_px, x, frame.height_px))

    def _draw_axis(self, painter: QPainter) -> None:
        frame, look = self._frame, self._look
        tokens = look.tokens
        painter.setClipping(False)
        painter.fillRect(QRectF(0, 0, frame.width_px, look.axis_px), tokens.panel)
        line = QPen(tokens.border, 0)
        for tick in self.ticks:
            x = round(frame.gutter_px + frame.view.x_of(tick.at_ns)) + 0.5
            painter.setPen(line)
            length = 2 * _TICK_PX if tick.words else _TICK_PX
            painter.drawLine(QLineF(x, look.axis_px - length, x, look.axis_px))
            if tick.words:
                painter.setPen(tokens.secondary)
                self._write_tick(painter, tick, x)
        painter.setPen(line)
        painter.drawLine(QLineF(0, look.axis_px - 0.5, frame.width_px, look.axis_px - 0.5))

    def _draw_marks(self, painter: QPainter) -> None:
        """Mark on the axis where what was found begins: lanes may be scrolled out of sight."""
        marked, frame, look = self._scene.marked, self._frame, self._look
        if marked is None or not len(marked):
            return
        x = np.round(frame.view.x_of(marked)).astype(np.int64)
        width = frame.view.width_px
        seen = np.zeros(width + 1, bool)
        seen[x[(x >= 0) & (x <= width)]] = True
        places = np.flatnonzero(seen)
        # Many would be a wall: they leave the times to be read.
        height = _MARK_PX if len(places) <= _MOST_TALL_MARKS else _LOW_MARK_PX
        for at, length in marks_together(places, _MARK_WIDTH_PX):
            spot = QRectF(frame.gutter_px + at - 1, look.axis_px - 1 - height, length, height)
            painter.fillRect(spot, look.tokens.accent)

    def _write_tick(self, painter: QPainter, tick: Tick, x: float) -> None:
        look, frame = self._look, self._frame
        left = x + _TICK_PX
        if left + look.placer.width(tick.words) <= frame.width_px:
            painter.drawText(QPointF(left, look.baseline(0, look.axis_px - _TICK_PX)), tick.words)
