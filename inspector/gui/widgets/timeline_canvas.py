"""Turns mouse, wheel, touchpad and keys on a timeline into movement and choices."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, Qt, Signal
from PySide6.QtGui import (
    QCursor,
    QGuiApplication,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QNativeGestureEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QToolTip, QWidget

from inspector.gui.tips import tip
from inspector.gui.widgets.timeline_surface import TimelineSurface

if TYPE_CHECKING:
    from collections.abc import Callable

    from inspector.gui.widgets.timeline_view import TimelineView

ZOOM_STEP = 1.25
_KEY_ZOOM = 1.5
_KEY_PAN_SHARE = 0.2
_NOTCH = 120  # what a wheel reports for one click of it
_PX_A_NOTCH = 60


@dataclass(slots=True)
class _Drag:
    """A mouse button held down on the lanes."""

    at: QPointF
    view: TimelineView
    scroll_px: int
    moved: bool = False


class TimelineCanvas(TimelineSurface):
    """A timeline that one moves about in, and chooses spans on."""

    row_chosen = Signal(int)
    gap_chosen = Signal(object)  # IdleGap: a folded one was pressed
    fold_toggled = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._drag: _Drag | None = None
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def zoom(self, factor: float, at_x: float | None = None) -> None:
        """Zoom in (or out, below 1) around a place: the mouse, the selection or the middle."""
        x = self._point_of_interest() if at_x is None else at_x - self._gutter_px
        self.show_view(self._view.zoomed(factor, min(max(x, 0.0), float(self._view.width_px))))

    def zoom_in(self) -> None:
        self.zoom(_KEY_ZOOM)

    def zoom_out(self) -> None:
        self.zoom(1 / _KEY_ZOOM)

    def pan_left(self) -> None:
        self.show_view(self._view.panned(-self._view.width_px * _KEY_PAN_SHARE))

    def pan_right(self) -> None:
        self.show_view(self._view.panned(self._view.width_px * _KEY_PAN_SHARE))

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            self._show_tip(event.pos(), event.globalPos())
            return True
        if isinstance(event, QNativeGestureEvent):
            if event.gestureType() == Qt.NativeGestureType.ZoomNativeGesture:
                self.zoom(1 + event.value(), event.position().x())
                return True
            return False
        return super().event(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        # A touchpad moves in both directions at once; a wheel has one, and zooms.
        finger = event.phase() != Qt.ScrollPhase.NoScrollPhase or not event.pixelDelta().isNull()
        delta = event.angleDelta()
        held = event.modifiers()
        event.accept()
        if held & Qt.KeyboardModifier.ControlModifier:
            self._zoom_by(delta.y(), event.position().x())
        elif held & Qt.KeyboardModifier.ShiftModifier:
            self._pan_by(delta.x() or delta.y())
        elif event.position().x() < self._gutter_px:
            self._scroll_by(delta.y())
        elif finger:
            self._pan_by(delta.x())
            self._scroll_by(delta.y())
        elif delta.x():
            self._pan_by(delta.x())
        else:
            self._zoom_by(delta.y(), event.position().x())

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() in (Qt.MouseButton.LeftButton, Qt.MouseButton.MiddleButton):
            self._drag = _Drag(event.position(), self._view, self._scroll_px)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        drag = self._drag
        if drag is None:
            self._hover(self.row_at(event.position()))
            if self.note_at(event.position()) is not None:
                self.setCursor(Qt.CursorShape.PointingHandCursor)
            else:
                self.unsetCursor()
            return
        moved = event.position() - drag.at
        if not drag.moved:
            far = QGuiApplication.styleHints().startDragDistance()
            if moved.manhattanLength() < far:
                return
            drag.moved = True
            self._hover(None)
            self.setCursor(Qt.CursorShape.ClosedHandCursor)
        self.show_view(drag.view.resized(self._view.width_px).panned(-moved.x()))
        self.scroll_to(drag.scroll_px - round(moved.y()))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        drag, self._drag = self._drag, None
        self.unsetCursor()
        if drag is None or drag.moved or event.button() != Qt.MouseButton.LeftButton:
            return
        gap = self.gap_at(event.position().x())
        row = self.row_at(event.position())
        noted = self.note_at(event.position())
        if noted is not None:
            self.row_chosen.emit(noted)
        elif gap is not None:
            self.gap_chosen.emit(gap)
        elif row is not None:
            self.row_chosen.emit(row)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        gap = self.gap_at(event.position().x())
        if gap is None and self.row_at(event.position()) is not None:
            self.frame_selection()

    def leaveEvent(self, _event: QEvent) -> None:
        self._hover(None)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        handler = self._keys().get(Qt.Key(event.key()))
        plain = event.modifiers() in (
            Qt.KeyboardModifier.NoModifier,
            Qt.KeyboardModifier.KeypadModifier,
        )
        if handler is None or not plain:
            super().keyPressEvent(event)
            return
        handler()

    def _keys(self) -> dict[Qt.Key, Callable[[], object]]:
        key = Qt.Key
        page = self.height() - self._look.axis_px - self._look.pitch_px
        return {
            key.Key_W: self.zoom_in,
            key.Key_S: self.zoom_out,
            key.Key_A: self.pan_left,
            key.Key_D: self.pan_right,
            key.Key_F: self.frame_selection,
            key.Key_I: self.fold_toggled.emit,
            key.Key_Home: self.fit,
            key.Key_Left: lambda: self._choose_beside(-1),
            key.Key_Right: lambda: self._choose_beside(1),
            key.Key_Up: lambda: self._choose_across(-1),
            key.Key_Down: lambda: self._choose_across(1),
            key.Key_PageUp: lambda: self.scroll_to(self._scroll_px - page),
            key.Key_PageDown: lambda: self.scroll_to(self._scroll_px + page),
        }

    def _zoom_by(self, delta: int, x: float) -> None:
        if delta:
            self.zoom(ZOOM_STEP ** (delta / _NOTCH), x)

    def _pan_by(self, delta: int) -> None:
        if delta:
            self.show_view(self._view.panned(-delta / _NOTCH * _PX_A_NOTCH))

    def _scroll_by(self, delta: int) -> None:
        if delta:
            self.scroll_to(self._scroll_px - round(delta / _NOTCH * _PX_A_NOTCH))

    def _point_of_interest(self) -> float:
        """Return what zooming with a key keeps in place: the mouse, the selection, the middle."""
        mouse = self.mapFromGlobal(QCursor.pos())
        if self.underMouse() and self.rect().contains(mouse):
            return float(mouse.x() - self._gutter_px)
        width = float(self._view.width_px)
        if self._selected is not None:
            middle = self.rect_of(self._selected).center().x() - self._gutter_px
            if 0 <= middle <= width:
                return middle
        return width / 2

    def _choose_beside(self, by: int) -> None:
        """Choose the neighbour in the same lane."""
        scene = self._scene
        if scene is None or not len(scene):
            return
        if self._selected is None:
            self.row_chosen.emit(int(scene.row[0]))
            return
        place = int(scene.place_of_row[self._selected]) + by
        lane = scene.lane[scene.place_of_row[self._selected]]
        if 0 <= place < len(scene) and scene.lane[place] == lane:
            self.row_chosen.emit(int(scene.row[place]))

    def _choose_across(self, by: int) -> None:
        """Choose what ran at about the same time in the next lane up or down."""
        scene = self._scene
        if scene is None or self._selected is None:
            self._choose_beside(by)
            return
        place = scene.place_of_row[self._selected]
        start, end = int(scene.start[place]), int(scene.end[place])
        lane = int(scene.lane[place]) + by
        while 0 <= lane < scene.lane_count:
            row = scene.nearest(lane, float(start), float(end - start))
            if row is not None:
                self.row_chosen.emit(row)
                return
            lane += by

    def _show_tip(self, at: QPoint, global_at: QPoint) -> None:
        if (noted := self.note_at(QPointF(at))) is not None:
            QToolTip.showText(global_at, tip(self._notes[noted]), self)
            return
        if (gap := self.gap_at(at.x())) is not None:
            QToolTip.showText(global_at, f"{escape(gap.words)}. Press to unfold it.", self)
            return
        row = self.row_at(QPointF(at))
        if row is None:
            QToolTip.hideText()
            return
        rect = self._clipped(self.rect_of(row)).toRect()
        QToolTip.showText(global_at, self._words.tip_of(row), self, QRect(rect))
