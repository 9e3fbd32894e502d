"""Turns mouse, wheel, touchpad and keys on a graph into movement and choices."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, QRectF, Qt, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QCursor,
    QGuiApplication,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QNativeGestureEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QToolTip, QWidget

from inspector.gui.widgets.graph_minimap import GraphMinimap
from inspector.gui.widgets.graph_surface import GraphSurface
from inspector.presentation.graph_arrangement import neighbour
from inspector.presentation.graph_words import edge_words, node_tip

if TYPE_CHECKING:
    from collections.abc import Callable

    from inspector.gui.widgets.graph_view import GraphView

_ZOOM_STEP = 1.2
_KEY_ZOOM = 1.35
_KEY_PAN_SHARE = 0.15
_NOTCH = 120  # what a wheel reports for one click of it
_PX_A_NOTCH = 60


@dataclass(slots=True)
class _Drag:
    """A mouse button held down on the graph."""

    at: QPointF
    view: GraphView
    moved: bool = False


class GraphCanvas(GraphSurface):
    """A graph that one moves about in, and chooses nodes and edges on."""

    node_chosen = Signal(int)  # again for every click on the same one
    edge_chosen = Signal(int)
    fold_wanted = Signal(int)  # fold the node, or unfold it
    fold_all_wanted = Signal(bool)  # fold, or else unfold
    menu_wanted = Signal(QPoint)  # on the screen

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._drag: _Drag | None = None
        self._minimap = GraphMinimap(self)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def zoom(self, factor: float, around: QPointF | None = None) -> None:
        """Zoom in (or out, below 1) around a place: the mouse, what is chosen, the middle."""
        at = self._point_of_interest() if around is None else around
        self.show_view(self.view.zoomed(factor, at))

    def zoom_in(self) -> None:
        self.zoom(_KEY_ZOOM)

    def zoom_out(self) -> None:
        self.zoom(1 / _KEY_ZOOM)

    def step(self, across: int, downward: int) -> None:
        """Choose the next node that way."""
        if self.scene is None:
            return
        card = self._card_of_chosen()
        found = neighbour(self.scene.arrangement.cards, card, across, downward)
        if found is not None:
            self.node_chosen.emit(found.number)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            self._show_tip(event.pos(), event.globalPos())
            return True
        if isinstance(event, QNativeGestureEvent):
            if event.gestureType() == Qt.NativeGestureType.ZoomNativeGesture:
                self.zoom(1 + event.value(), event.position())
                return True
            return False
        if (
            isinstance(event, QKeyEvent)
            and event.type() == QEvent.Type.ShortcutOverride
            and self._handler(event) is not None
        ):
            # The same letters move the timeline, unless one is here.
            event.accept()
            return True
        return super().event(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        # A touchpad moves in both directions at once; a wheel has one, and zooms.
        finger = event.phase() != Qt.ScrollPhase.NoScrollPhase or not event.pixelDelta().isNull()
        delta, held = event.angleDelta(), event.modifiers()
        event.accept()
        if held & Qt.KeyboardModifier.ControlModifier:
            self._zoom_by(delta.y(), event.position())
        elif held & Qt.KeyboardModifier.ShiftModifier:
            self._pan_by(delta.x() or delta.y(), 0)
        elif finger or delta.x():
            self._pan_by(delta.x(), delta.y())
        else:
            self._zoom_by(delta.y(), event.position())

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() in (Qt.MouseButton.LeftButton, Qt.MouseButton.MiddleButton):
            self._drag = _Drag(event.position(), self.view)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        drag = self._drag
        if drag is None:
            self._hover_at(event.position())
            return
        moved = event.position() - drag.at
        if not drag.moved:
            if moved.manhattanLength() < QGuiApplication.styleHints().startDragDistance():
                return
            drag.moved = True
            self.hover(None, None)
            self.setCursor(Qt.CursorShape.ClosedHandCursor)
        self.show_view(drag.view.panned(moved.x(), moved.y()))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        drag, self._drag = self._drag, None
        self.unsetCursor()
        if drag is None or drag.moved or event.button() != Qt.MouseButton.LeftButton:
            return
        point = event.position()
        card = self.card_at(point)
        if card is not None and self.is_on_chevron(card, point):
            self.fold_wanted.emit(card.number)
        elif (node := self.node_at(point)) is not None:
            self.node_chosen.emit(node)
        elif self.scene is not None and (line := self.line_at(point)) is not None:
            self.edge_chosen.emit(self.scene.arrangement.lines[line].edge)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        node = self.node_at(event.position())
        card = self.card_at(event.position())
        if self.scene is None or node is None or card is None:
            return
        if self.scene.graph.inside(node):
            # Of two quick clicks on a chevron, the second is a click like the first.
            self.fold_wanted.emit(node)
        else:
            self.frame_chosen()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        self.menu_wanted.emit(event.globalPos())

    def leaveEvent(self, _event: QEvent) -> None:
        self.hover(None, None)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        handler = self._handler(event)
        if handler is None:
            super().keyPressEvent(event)
        else:
            handler()

    def _handler(self, event: QKeyEvent) -> Callable[[], object] | None:
        kept = event.modifiers() & ~(
            Qt.KeyboardModifier.KeypadModifier | Qt.KeyboardModifier.ShiftModifier
        )
        if kept != Qt.KeyboardModifier.NoModifier:
            return None
        shifted = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        key = Qt.Key(event.key())
        if shifted and key == Qt.Key.Key_F:
            return self.fit
        if key in (Qt.Key.Key_Plus, Qt.Key.Key_BracketLeft, Qt.Key.Key_BracketRight):
            shifted = False  # where a keyboard has them above another key
        return None if shifted else self._keys().get(key)

    def _keys(self) -> dict[Qt.Key, Callable[[], object]]:
        key = Qt.Key
        wide, high = self.width() * _KEY_PAN_SHARE, self.height() * _KEY_PAN_SHARE
        return {
            key.Key_Left: lambda: self.step(-1, 0),
            key.Key_Right: lambda: self.step(1, 0),
            key.Key_Up: lambda: self.step(0, -1),
            key.Key_Down: lambda: self.step(0, 1),
            key.Key_Return: self._choose_again,
            key.Key_Enter: self._choose_again,
            key.Key_BracketLeft: lambda: self.fold_all_wanted.emit(True),
            key.Key_BracketRight: lambda: self.fold_all_wanted.emit(False),
            key.Key_O: self._fold_chosen,
            key.Key_Plus: self.zoom_in,
            key.Key_Equal: self.zoom_in,
            key.Key_Minus: self.zoom_out,
            key.Key_W: self.zoom_in,
            key.Key_S: self.zoom_out,
            key.Key_A: lambda: self.show_view(self.view.panned(wide, 0)),
            key.Key_D: lambda: self.show_view(self.view.panned(-wide, 0)),
            key.Key_PageUp: lambda: self.show_view(self.view.panned(0, high)),
            key.Key_PageDown: lambda: self.show_view(self.view.panned(0, -high)),
            key.Key_F: self.frame_chosen,
            key.Key_Home: self.fit,
        }

    def _choose_again(self) -> None:
        if self.edge is not None:
            self.edge_chosen.emit(self.edge)
        elif (card := self._card_of_chosen()) is not None:
            self.node_chosen.emit(card.number)

    def _fold_chosen(self) -> None:
        card = self._card_of_chosen()
        if card is None or self.scene is None:
            return
        if self.scene.graph.inside(card.number):
            self.fold_wanted.emit(card.number)
        elif (around := self.scene.graph.nodes[card.number].container) >= 0:
            self.fold_wanted.emit(around)

    def _hover_at(self, point: QPointF) -> None:
        node = self.node_at(point)
        line = self.line_at(point) if node is None else None
        self.hover(node, line)
        found = node is not None or line is not None
        self.setCursor(Qt.CursorShape.PointingHandCursor if found else Qt.CursorShape.ArrowCursor)

    def _zoom_by(self, delta: int, around: QPointF) -> None:
        if delta:
            self.zoom(_ZOOM_STEP ** (delta / _NOTCH), around)

    def _pan_by(self, across: int, down: int) -> None:
        share = _PX_A_NOTCH / _NOTCH
        self.show_view(self.view.panned(across * share, down * share))

    def _point_of_interest(self) -> QPointF:
        """Return what zooming with a key keeps in place: the mouse, what is chosen, the middle."""
        mouse = self.mapFromGlobal(QCursor.pos())
        if self.underMouse() and self.rect().contains(mouse):
            return QPointF(mouse)
        card = self._card_of_chosen()
        if card is not None:
            middle = self.view.rect_of(card).center()
            if QRectF(self.rect()).contains(middle):
                return middle
        return QRectF(self.rect()).center()

    def _show_tip(self, at: QPoint, global_at: QPoint) -> None:
        point = QPointF(at)
        scene = self.scene
        node = self.node_at(point)
        line = self.line_at(point) if node is None else None
        if scene is None or (node is None and line is None):
            QToolTip.hideText()
            return
        if node is not None:
            # Rich text so that it wraps; escaped so that it stays text.
            name, *facts = (escape(one) for one in node_tip(scene.traces, node, scene.bounds))
            rect = self.rect_of(node) or QRectF()
            words = "<br>".join((f"<b>{name}</b>", *facts))
            QToolTip.showText(global_at, words, self, rect.toRect())
        elif line is not None:
            edge = scene.arrangement.lines[line].edge
            words = escape(edge_words(scene.traces, edge, scene.bounds))
            QToolTip.showText(
                global_at, f"<p>{words}</p>", self, QRect(at, at).adjusted(-4, -4, 4, 4)
            )
