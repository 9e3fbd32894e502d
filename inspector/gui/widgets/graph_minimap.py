"""The whole graph in small, in a corner of what shows a part of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent, QPen, QPixmap
from PySide6.QtWidgets import QWidget

from inspector.gui import theme

if TYPE_CHECKING:
    from inspector.gui.widgets.graph_scene import GraphScene
    from inspector.gui.widgets.graph_surface import GraphSurface

_WIDEST_PX, _HIGHEST_PX = 168, 112
_MARGIN_PX, _INSET_PX = 8, 4
# Of all room, so much at most: where that is little, the graph itself needs it.
_SHARE = 0.35
_SMALLEST_PX = 40


class GraphMinimap(QWidget):
    """Stands in the lower right corner while some of the graph is out of sight.

    Pressing and dragging moves the part that is shown.
    """

    def __init__(self, surface: GraphSurface) -> None:
        super().__init__(surface)
        self._surface = surface
        self._scale = 1.0
        self._drawn: tuple[object, QPixmap] | None = None
        self.setAccessibleName("The whole graph in small")
        self.setCursor(Qt.CursorShape.SizeAllCursor)
        self.hide()
        surface.view_changed.connect(self.place)
        surface.resized.connect(self.place)

    def place(self) -> None:
        """Take the room that there is, or none when all of the graph is in sight."""
        surface, scene = self._surface, self._surface.scene
        if scene is None:
            self.hide()
            return
        drawn = scene.arrangement
        whole = QRectF(0, 0, drawn.width, drawn.height)
        if not drawn.cards or self._seen().adjusted(-1, -1, 1, 1).contains(whole):
            self.hide()
            return
        room_x = min(_WIDEST_PX, surface.width() * _SHARE) - 2 * _INSET_PX
        room_y = min(_HIGHEST_PX, surface.height() * _SHARE) - 2 * _INSET_PX
        if min(room_x, room_y) < _SMALLEST_PX:
            self.hide()
            return
        self._scale = min(room_x / drawn.width, room_y / drawn.height)
        width = max(_SMALLEST_PX, round(drawn.width * self._scale)) + 2 * _INSET_PX
        height = max(_INSET_PX * 4, round(drawn.height * self._scale)) + 2 * _INSET_PX
        self.setGeometry(
            surface.width() - width - _MARGIN_PX,
            surface.height() - height - _MARGIN_PX,
            width,
            height,
        )
        self.show()
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        scene = self._surface.scene
        if scene is None:
            return
        tokens = theme.current()
        painter = QPainter(self)
        key = (scene, self._surface.look, self.size().toTuple(), self.devicePixelRatioF())
        if self._drawn is None or self._drawn[0] != key:
            self._drawn = (key, self._whole(scene))
        painter.drawPixmap(0, 0, self._drawn[1])
        seen = self._small(self._seen()) & QRectF(self.rect()).adjusted(1, 1, -1, -1)
        shade = QColor(tokens.accent)
        shade.setAlphaF(0.14)
        painter.fillRect(seen, shade)
        painter.setPen(QPen(tokens.accent, 1))
        painter.drawRect(seen.adjusted(0.5, 0.5, -0.5, -0.5))
        painter.end()

    def _whole(self, scene: GraphScene) -> QPixmap:
        tokens, look = theme.current(), self._surface.look
        ratio = self.devicePixelRatioF()
        made = QPixmap(self.size() * ratio)
        made.setDevicePixelRatio(ratio)
        painter = QPainter(made)
        painter.fillRect(self.rect(), tokens.panel)
        painter.setPen(QPen(tokens.border, 1))
        painter.drawRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5))
        for card in scene.arrangement.cards:
            rect = self._small(QRectF(card.x, card.y, card.width, card.height))
            rect.setSize(rect.size().expandedTo(QRectF(0, 0, 1.5, 1.5).size()))
            if card.is_open:
                painter.setPen(QPen(tokens.border, 1))
                painter.drawRect(rect)
                continue
            words = scene.words(card.number)
            colour: QColor = tokens.border
            if words.failed:
                colour = tokens.failed
            elif words.ran:
                colour = look.colour(look.colour_name(words.kind, words.role, ran=True))
            painter.fillRect(rect, colour)
        painter.end()
        return made

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._go_to(event.position())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._go_to(event.position())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        # Not handed on: below this there is a node that nobody meant.
        event.accept()

    def _go_to(self, point: QPointF) -> None:
        surface = self._surface
        x = (point.x() - _INSET_PX) / self._scale
        y = (point.y() - _INSET_PX) / self._scale
        at = surface.view.to_screen(x, y)
        middle = QRectF(surface.rect()).center()
        surface.show_view(surface.view.panned(middle.x() - at.x(), middle.y() - at.y()))

    def _seen(self) -> QRectF:
        view, room = self._surface.view, QRectF(self._surface.rect())
        return QRectF(view.from_screen(room.topLeft()), view.from_screen(room.bottomRight()))

    def _small(self, rect: QRectF) -> QRectF:
        scale = self._scale
        return QRectF(
            rect.x() * scale + _INSET_PX,
            rect.y() * scale + _INSET_PX,
            rect.width() * scale,
            rect.height() * scale,
        )
