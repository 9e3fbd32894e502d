"""Shows a graph at some zoom, and knows what is where."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QImage, QPainter, QPaintEvent, QResizeEvent

from inspector.gui import theme
from inspector.gui.widgets.focus_ring import RingedWidget
from inspector.gui.widgets.graph_cards import READABLE, SMALL_CHEVRON_PX
from inspector.gui.widgets.graph_look import CHEVRON_PX, Look, current_look
from inspector.gui.widgets.graph_painter import GraphPainter, Marked
from inspector.gui.widgets.graph_view import LEGIBLE, GraphView, beginning, fitting, framing
from inspector.presentation.graph_words import edge_words

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from inspector.gui.widgets.graph_scene import GraphScene
    from inspector.presentation.graph_arrangement import Card

_REACH_PX = 5
_REVEAL_PX = 24


class GraphSurface(RingedWidget):
    """Draws a scene. What people do with it is the canvas's matter."""

    view_changed = Signal()
    look_changed = Signal()  # text has another size: everything has to be laid out anew
    resized = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._scene: GraphScene | None = None
        self._look = current_look()
        self._view = GraphView()
        self._is_fitted = True
        self._node: int | None = None  # chosen; may be folded away
        self._edge: int | None = None
        self._hovered_node: int | None = None
        self._hovered_line: int | None = None
        self._layer: tuple[object, QImage] | None = None
        self.setAccessibleName("Graph of the pipeline")
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        theme.changes.changed.connect(self._on_theme_changed)

    @property
    def scene(self) -> GraphScene | None:
        return self._scene

    @property
    def look(self) -> Look:
        return self._look

    @property
    def view(self) -> GraphView:
        return self._view

    @property
    def is_fitted(self) -> bool:
        """Whether all is shown because nobody zoomed or panned since it was fitted."""
        return self._is_fitted

    @property
    def node(self) -> int | None:
        """The chosen node; where it is folded away, the one around it is marked."""
        return self._node

    @property
    def edge(self) -> int | None:
        """The chosen edge."""
        return self._edge

    def show_scene(self, scene: GraphScene) -> None:
        """Show another drawing, or what a run did in another stretch of time.

        A node that is in sight stays where it is: the chosen one, else the one
        that was in the middle.
        """
        before, anchor = self._scene, self._anchor()
        self._scene = scene
        self._hovered_node = self._hovered_line = None
        if before is None or self._is_fitted:
            self._begin()
        elif before.arrangement is not scene.arrangement and anchor is not None:
            self._hold(*anchor)
        self.updateGeometry()
        self.update()
        self.view_changed.emit()

    def show_view(self, view: GraphView, *, fitted: bool = False) -> None:
        """Show another part, or the same at another size."""
        self._is_fitted = fitted
        if self._scene is not None:
            drawn = self._scene.arrangement
            view = view.bounded(drawn.width, drawn.height, self.width(), self.height())
        if view != self._view:
            self._view = view
            self._hovered_node = self._hovered_line = None
            self.update()
            self.view_changed.emit()

    def _begin(self) -> None:
        """Show all of the graph, or the beginning of one that would be too small then."""
        assert self._scene is not None
        drawn = self._scene.arrangement
        room = self.width(), self.height()
        view = beginning(drawn.width, drawn.height, *room, down=drawn.down)
        self.show_view(view, fitted=True)

    def fit(self) -> None:
        """Show all of the graph."""
        if self._scene is not None:
            drawn = self._scene.arrangement
            view = fitting(drawn.width, drawn.height, self.width(), self.height())
            self.show_view(view, fitted=view.zoom >= LEGIBLE)

    def frame_chosen(self) -> None:
        """Show the chosen node large."""
        card = self._card_of_chosen()
        if card is not None:
            self.show_view(framing(card, self.width(), self.height()))

    def choose(self, node: int | None, edge: int | None = None) -> None:
        """Mark a node and an edge, and bring the node on the screen if it is not there."""
        self._node, self._edge = node, edge
        self.setAccessibleDescription(self._spoken())
        card = self._card_of_chosen()
        if card is not None:
            self._reveal(card)
        self.update()

    def card_at(self, point: QPointF) -> Card | None:
        """Return the innermost card at a place of the screen."""
        if self._scene is None:
            return None
        at = self._view.from_screen(point)
        return self._scene.arrangement.card_at(at.x(), at.y())

    def node_at(self, point: QPointF) -> int | None:
        """Return the node at a place; of a frame, only its title stands for it."""
        card = self.card_at(point)
        if card is None or (card.is_open and not self._is_on_title(card, point)):
            return None
        return card.number

    def line_at(self, point: QPointF) -> int | None:
        """Return which of the drawn lines is at a place of the screen, or very near."""
        if self._scene is None or self.node_at(point) is not None:
            return None
        reach = _REACH_PX / self._view.zoom
        return self._scene.line_at(self._view.from_screen(point), reach)

    def is_on_chevron(self, card: Card, point: QPointF) -> bool:
        """Say whether a place is on what folds and unfolds a card."""
        scene = self._scene
        if scene is None or not scene.graph.inside(card.number):
            return False
        rect, small = self._view.rect_of(card), self._view.zoom < READABLE
        if small and rect.height() < SMALL_CHEVRON_PX:
            return False
        wide = SMALL_CHEVRON_PX + 6 if small else (CHEVRON_PX + 4) * self._view.zoom
        if card.is_open:
            return self._is_on_title(card, point) and point.x() < rect.left() + wide
        return rect.contains(point) and point.x() > rect.right() - wide

    def rect_of(self, node: int) -> QRectF | None:
        """Return where a node is on the screen; of a frame, its title."""
        card = self._scene.card(node) if self._scene else None
        if card is None:
            return None
        rect = self._view.rect_of(card)
        if card.is_open:
            rect.setHeight(min(rect.height(), self._look.title_height * self._view.zoom))
        return rect

    def sizeHint(self) -> QSize:
        return QSize(520, 320)

    def minimumSizeHint(self) -> QSize:
        return QSize(120, 80)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        if self._scene is None:
            painter.fillRect(self.rect(), self._look.tokens.window)
            return
        painter.drawImage(QPointF(0, 0), self._current_layer(self._scene))
        drawing = GraphPainter(painter, self._scene, self._view, self._look, QRectF(self.rect()))
        drawing.mark(self._marked(self._scene))
        self._draw_focus(painter)

    def resizeEvent(self, _event: QResizeEvent) -> None:
        self.resized.emit()
        if self._scene is None:
            return
        if self._is_fitted:
            self._begin()
        else:
            self.show_view(self._view)

    def hover(self, node: int | None, line: int | None) -> None:
        """Mark what the mouse is on."""
        if (node, line) != (self._hovered_node, self._hovered_line):
            self._hovered_node, self._hovered_line = node, line
            self.update()

    def _current_layer(self, scene: GraphScene) -> QImage:
        ratio = self.devicePixelRatioF()
        key = (self._view, scene, self._look, self.size().toTuple(), ratio)
        if self._layer is None or self._layer[0] != key:
            image = QImage(self.size() * ratio, QImage.Format.Format_RGB32)
            image.setDevicePixelRatio(ratio)
            image.fill(self._look.tokens.window)
            painter = QPainter(image)
            GraphPainter(painter, scene, self._view, self._look, QRectF(self.rect())).draw()
            painter.end()
            self._layer = (key, image)
        return self._layer[1]

    def _marked(self, scene: GraphScene) -> Marked:
        card = self._card_of_chosen()
        line = None if self._edge is None else scene.line_of(self._edge)
        node = card.number if card else None
        return Marked(node, line, self._hovered_node, self._hovered_line)

    def _card_of_chosen(self) -> Card | None:
        if self._scene is None or self._node is None:
            return None
        shown = self._scene.arrangement.shown_for(self._node)
        return None if shown is None else self._scene.card(shown)

    def _spoken(self) -> str:
        scene = self._scene
        if scene is None:
            return ""
        if self._edge is not None:
            return edge_words(scene.traces, self._edge, scene.bounds)
        return "" if self._node is None else scene.words(self._node).spoken

    def _is_on_title(self, card: Card, point: QPointF) -> bool:
        rect = self.rect_of(card.number)
        return rect is not None and rect.contains(point)

    def _reveal(self, card: Card) -> None:
        rect = self._view.rect_of(card)
        if self.rect_of(card.number) is None or QRectF(self.rect()).contains(rect):
            return
        title = self.rect_of(card.number) or rect
        if card.is_open and QRectF(self.rect()).contains(title):
            return
        room = QRectF(self.rect()).adjusted(_REVEAL_PX, _REVEAL_PX, -_REVEAL_PX, -_REVEAL_PX)
        across = max(0.0, room.left() - title.left()) or min(0.0, room.right() - title.right())
        down = max(0.0, room.top() - title.top()) or min(0.0, room.bottom() - title.bottom())
        self.show_view(self._view.panned(round(across), round(down)))

    def _anchor(self) -> tuple[int, QPointF] | None:
        """Return a node and where it is on the screen: what must not move."""
        if self._scene is None:
            return None
        card = self._card_of_chosen()
        if card is None or not self._view.rect_of(card).intersects(QRectF(self.rect())):
            middle = self._view.from_screen(QRectF(self.rect()).center())
            card = min(
                self._scene.arrangement.cards,
                key=lambda one: abs(one.middle.x - middle.x()) + abs(one.middle.y - middle.y()),
                default=None,
            )
        return None if card is None else (card.number, self._view.to_screen(card.x, card.y))

    def _hold(self, node: int, at: QPointF) -> None:
        """Move the view so that a node is where it was in the drawing before."""
        assert self._scene is not None
        shown = self._scene.arrangement.shown_for(node)
        card = None if shown is None else self._scene.card(shown)
        if card is not None:
            now = self._view.to_screen(card.x, card.y)
            self.show_view(self._view.panned(at.x() - now.x(), at.y() - now.y()))

    def _on_theme_changed(self) -> None:
        height = self._look.name.height()
        self._look = current_look()
        self.update()
        if self._look.name.height() != height:
            self.look_changed.emit()
