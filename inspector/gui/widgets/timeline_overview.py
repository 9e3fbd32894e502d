"""The whole run in a strip, on which one chooses the range that everything shows."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QImage, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from inspector.gui import theme
from inspector.gui.widgets.timeline_look import OVERVIEW_PX, current_look, mixed, see_through
from inspector.gui.widgets.timeline_marks import marks_together
from inspector.gui.widgets.timeline_notes import RIBBON_HEIGHT_PX, draw_ribbons, spots
from inspector.gui.widgets.timeline_view import whole
from inspector.presentation.words import duration_words

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from inspector.gui.widgets.timeline_scene import TimelineScene

Bounds = tuple[int, int]

_PAD_PX = 4
_EDGE_PX = 6
_LEAST_DRAG_PX = 4
_KEY_SHARE = 0.02
_MARK_PX = 2
_FOUND_PX, _LOW_FOUND_PX = 6, 3
_MOST_TALL_MARKS = 80
_BAR_PX = 2
_WEIGHT_FAINTNESS = 0.78
_MOST_PARTED = 6
_DIMMED = 0.72
_GRIP_PX = 10


class _Hold(Enum):
    NOTHING = "nothing"
    NEW = "new"
    START = "start"
    END = "end"
    WHOLE = "whole"


class TimelineOverview(QWidget):
    """Shows a whole run in little. Dragging makes a range, its edges and middle move it."""

    range_wanted = Signal(object)  # (start_ns, end_ns) or None for everything
    moment_chosen = Signal(float)  # a click: show what is here

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._scene: TimelineScene | None = None
        self._bounds: Bounds | None = None
        self._shown: tuple[float, float] | None = None
        self._look = current_look()
        self._gutter_px = 0
        self._hold = _Hold.NOTHING
        self._held_at = 0.0
        self._held_bounds: Bounds | None = None
        self._weights: NDArray[np.float64] | None = None
        self._noted: tuple[int, ...] = ()
        self._picture: tuple[object, QImage, NDArray[np.uint32]] | None = None
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setFixedHeight(OVERVIEW_PX)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("Overview")
        self.setToolTip("Drag to look at a part of the run. Double-click to see all of it again.")
        theme.changes.changed.connect(self._on_theme_changed)

    @property
    def bounds(self) -> Bounds | None:
        return self._bounds

    def show_scene(self, scene: TimelineScene) -> None:
        """Show another run, or more of the same one."""
        self._scene = scene
        self.update()

    def show_weights(self, weights: NDArray[np.float64] | None) -> None:
        """Show an amount over the time of the run, such as tokens, as a faint area."""
        self._weights = weights if weights is not None and weights.max(initial=0) > 0 else None
        self._picture = None
        self.update()

    def show_notes(self, rows: Iterable[int]) -> None:
        """Mark where spans begin to which a person left something, by their rows."""
        self._noted = tuple(rows)
        self.update()

    def show_range(self, bounds: Bounds | None) -> None:
        """Show which range everything is narrowed to."""
        self._bounds = bounds
        words = duration_words(bounds[1] - bounds[0]) if bounds else "the whole run"
        self.setAccessibleDescription(f"Shows {words}")
        self.update()

    def show_view(self, start_ns: float, end_ns: float, *, whole: bool) -> None:
        """Show which part of the time the lanes below have on the screen."""
        self._shown = None if whole else (start_ns, end_ns)
        self.update()

    def set_gutter(self, gutter_px: int) -> None:
        """Leave room at the left, so that times stand above each other."""
        if gutter_px != self._gutter_px:
            self._gutter_px = gutter_px
            self.update()

    def x_of(self, at_ns: float) -> float:
        """Return where a moment is."""
        low, high = whole(self._length_ns)
        return self._gutter_px + (at_ns - low) / (high - low) * self._room_px

    def ns_of(self, x: float) -> float:
        """Return the moment at a place, as far as the run goes."""
        low, high = whole(self._length_ns)
        at_ns = low + (x - self._gutter_px) / self._room_px * (high - low)
        return min(max(at_ns, 0.0), float(self._length_ns))

    def sizeHint(self) -> QSize:
        return QSize(640, OVERVIEW_PX)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        tokens = self._look.tokens
        painter.fillRect(self.rect(), tokens.window)
        if self._scene is not None:
            picture = self._drawn(self._scene)
            painter.drawImage(QPointF(round(self.x_of(0)), 0), picture)
            self._draw_failures(painter, self._scene)
            self._draw_marked(painter, self._scene)
            self._draw_shown(painter)
            self._draw_range(painter)
            if self._noted:
                places = spots(self._scene, self._noted, self.x_of)
                draw_ribbons(painter, places, RIBBON_HEIGHT_PX, tokens.accent)
        painter.setPen(QPen(tokens.border, 0))
        painter.drawLine(QPointF(0, OVERVIEW_PX - 0.5), QPointF(self.width(), OVERVIEW_PX - 0.5))
        if self.hasFocus():
            painter.setPen(QPen(tokens.accent, 1))
            painter.drawRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton or self._scene is None:
            return
        self._held_at = event.position().x()
        self._held_bounds = self._bounds
        self._hold = self._hold_at(self._held_at)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        x = event.position().x()
        if self._hold is _Hold.NOTHING:
            self._point(self._hold_at(x))
            return
        if self._hold is _Hold.NEW and abs(x - self._held_at) < _LEAST_DRAG_PX:
            return
        self._want(self._dragged(x))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton:
            return
        hold, self._hold = self._hold, _Hold.NOTHING
        still = abs(event.position().x() - self._held_at) < _LEAST_DRAG_PX
        if still and hold is not _Hold.NOTHING:
            self.moment_chosen.emit(self.ns_of(event.position().x()))

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._hold = _Hold.NOTHING
            self.range_wanted.emit(None)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        by = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(event.key()))
        if event.key() == Qt.Key.Key_Escape and self._hold is not _Hold.NOTHING:
            # Let go as if nothing had been dragged.
            self._hold = _Hold.NOTHING
            self.range_wanted.emit(self._held_bounds)
        elif by is None or self._scene is None:
            super().keyPressEvent(event)
        else:
            self._nudge(by, resize=bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier))

    @property
    def _length_ns(self) -> int:
        return self._scene.end_ns if self._scene else 1

    @property
    def _room_px(self) -> int:
        return max(1, self.width() - self._gutter_px)

    def _hold_at(self, x: float) -> _Hold:
        if self._bounds is None:
            return _Hold.NEW
        left, right = (self.x_of(at) for at in self._bounds)
        # On a narrow range the edges reach outwards, so that its middle can still be had.
        inward = min(_EDGE_PX, (right - left) / 4)
        if left - _EDGE_PX <= x <= left + inward:
            return _Hold.START
        if right - inward <= x <= right + _EDGE_PX:
            return _Hold.END
        return _Hold.WHOLE if left < x < right else _Hold.NEW

    def _dragged(self, x: float) -> Bounds:
        at, held = self.ns_of(x), self.ns_of(self._held_at)
        if self._hold is _Hold.NEW or self._held_bounds is None:
            return self._whole(held, at)
        start, end = self._held_bounds
        if self._hold is _Hold.START:
            return self._whole(at, end)
        if self._hold is _Hold.END:
            return self._whole(start, at)
        by = min(max(at - held, -start), self._length_ns - end)
        return self._whole(start + by, end + by)

    def _whole(self, one_ns: float, other_ns: float) -> Bounds:
        low, high = sorted((round(one_ns), round(other_ns)))
        return max(0, low), max(low + 1, high)

    def _nudge(self, by: int, *, resize: bool) -> None:
        length = self._length_ns
        step = by * length * _KEY_SHARE
        start, end = self._bounds or (0, length)
        if resize:
            self._want(self._whole(start, min(max(end + step, start), length)))
        else:
            step = min(max(step, -start), length - end)
            self._want(self._whole(start + step, end + step))

    def _want(self, bounds: Bounds) -> None:
        if bounds != self._bounds:
            self.range_wanted.emit(bounds)

    def _point(self, hold: _Hold) -> None:
        shapes = {
            _Hold.START: Qt.CursorShape.SplitHCursor,
            _Hold.END: Qt.CursorShape.SplitHCursor,
            _Hold.WHOLE: Qt.CursorShape.OpenHandCursor,
        }
        self.setCursor(shapes.get(hold, Qt.CursorShape.CrossCursor))

    def _draw_range(self, painter: QPainter) -> None:
        if self._bounds is None:
            return
        tokens = self._look.tokens
        left, right = (round(self.x_of(at)) for at in self._bounds)
        right = max(right, left + 2)
        veil = see_through(tokens.window, _DIMMED)
        painter.fillRect(QRectF(self._gutter_px, 0, left - self._gutter_px, OVERVIEW_PX), veil)
        painter.fillRect(QRectF(right, 0, self.width() - right, OVERVIEW_PX), veil)
        for x in (left, right - 1):
            painter.fillRect(QRectF(x, 0, 1, OVERVIEW_PX), tokens.accent)
            top = (OVERVIEW_PX - _GRIP_PX) / 2
            painter.fillRect(QRectF(x - 1, top, 3, _GRIP_PX), tokens.accent)

    def _draw_shown(self, painter: QPainter) -> None:
        if self._shown is None:
            return
        left, right = (self.x_of(at) for at in self._shown)
        bar = QRectF(left, OVERVIEW_PX - 3, max(3.0, right - left), 2)
        painter.fillRect(bar, self._look.tokens.accent)

    def _drawn(self, scene: TimelineScene) -> QImage:
        ratio = self.devicePixelRatioF()
        key = (scene, self._look, self._room_px, ratio)
        if self._picture is None or self._picture[0] != key:
            wide = round(self.x_of(self._length_ns)) - round(self.x_of(0))
            pixels = self._pixels(scene, max(1, round(wide * ratio)), ratio)
            height, width = pixels.shape
            image = QImage(pixels.data, width, height, 4 * width, QImage.Format.Format_RGB32)
            image.setDevicePixelRatio(ratio)
            self._picture = (key, image, pixels)  # the image only borrows the pixels
        return self._picture[1]

    def _pixels(self, scene: TimelineScene, width: int, ratio: float) -> NDArray[np.uint32]:
        ground = self._look.tokens.window.rgb()
        inks = np.concatenate([np.array([ground], np.uint32), self._look.shades])
        rows, columns = scene.overview.shape
        picked = inks[scene.overview[:, np.arange(width) * columns // width]]
        pixels = np.full((round(OVERVIEW_PX * ratio), width), ground, np.uint32)
        self._lay_weights(pixels)
        bar_px = _BAR_PX if rows <= _MOST_PARTED else (OVERVIEW_PX - 2 * _PAD_PX) / rows
        step_px = bar_px + 1 if rows <= _MOST_PARTED else bar_px
        for row, line in enumerate(picked):
            top = _PAD_PX + row * step_px
            part = pixels[round(top * ratio) : round((top + bar_px) * ratio)]
            np.copyto(part, line, where=line != ground)
        return pixels

    def _lay_weights(self, pixels: NDArray[np.uint32]) -> None:
        """Fill a faint area from the bottom, as high as the amount is."""
        if self._weights is None:
            return
        height, width = pixels.shape
        weights = self._weights[np.arange(width) * len(self._weights) // width]
        tops = height - np.ceil(weights / self._weights.max() * (height - 2))
        tint = mixed(self._look.tokens.llm, self._look.tokens.window, _WEIGHT_FAINTNESS).rgb()
        np.copyto(pixels, np.uint32(tint), where=np.arange(height)[:, None] >= tops)

    def _draw_failures(self, painter: QPainter, scene: TimelineScene) -> None:
        """Mark where things went wrong, above everything: no failure may be lost in a column."""
        columns = np.flatnonzero(scene.overview_failed)
        if not len(columns):
            return
        low, high = self.x_of(0), self.x_of(self._length_ns)
        spots = np.round(low + columns * (high - low) / len(scene.overview_failed))
        places = spots[np.diff(spots, prepend=-1.0) != 0]
        # Many would be a wall: they leave the rest of the strip to be seen.
        height = OVERVIEW_PX - 1 if len(places) <= _MOST_TALL_MARKS else _PAD_PX
        for x, width in marks_together(places, _MARK_PX):
            painter.fillRect(QRectF(x, 0, width, height), self._look.tokens.failed)

    def _draw_marked(self, painter: QPainter, scene: TimelineScene) -> None:
        """Mark at the bottom where what was found begins."""
        if scene.marked is None or not len(scene.marked):
            return
        low, high = self.x_of(0), self.x_of(self._length_ns)
        spots = low + scene.marked * ((high - low) / max(1, scene.end_ns))
        seen = np.zeros(self.width() + 1, bool)
        seen[np.clip(np.round(spots), 0, self.width()).astype(np.int64)] = True
        places = np.flatnonzero(seen)
        height = _FOUND_PX if len(places) <= _MOST_TALL_MARKS else _LOW_FOUND_PX
        for x, width in marks_together(places, _MARK_PX):
            spot = QRectF(x - 1, OVERVIEW_PX - 1 - height, width, height)
            painter.fillRect(spot, self._look.tokens.accent)

    def _on_theme_changed(self) -> None:
        self._look = current_look()
        self.update()
