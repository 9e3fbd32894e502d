"""Draws a graph: on the screen, and into pictures."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen, QPolygonF

from inspector.gui.widgets.graph_cards import RADIUS, CardPainter, dimmed, ground_at, pen, sized
from inspector.presentation.words import THIN, number_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from inspector.gui.widgets.graph_look import Look
    from inspector.gui.widgets.graph_scene import GraphScene
    from inspector.gui.widgets.graph_view import GraphView
    from inspector.presentation.graph_layout import Point

LABELS_FROM = 1.2
_ROUTE_LABELS_FROM = 0.5
_SMALLEST_LABEL = 0.8
_ARROW_PX = 7.0
_LIT_PX, _DIM_PX, _CHOSEN_PX = 1.6, 1.2, 2.2


class Marked(NamedTuple):
    """What stands out: what is chosen, and what the mouse is on."""

    node: int | None = None
    line: int | None = None
    hovered_node: int | None = None
    hovered_line: int | None = None

    def lines(self, scene: GraphScene) -> set[int]:
        """Return the edges to draw strongly."""
        found = {line for line in (self.line, self.hovered_line) if line is not None}
        for node in (self.node, self.hovered_node):
            if node is not None:
                found.update(scene.lines_at(node))
        return found


class GraphPainter:
    """Draws one scene at one view."""

    def __init__(
        self, painter: QPainter, scene: GraphScene, view: GraphView, look: Look, clip: QRectF
    ) -> None:
        self._painter = painter
        self._scene = scene
        self._view = view
        self._look = look
        self._clip = clip
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)

    def draw(self) -> None:
        """Draw everything as it is when nothing is chosen."""
        scene, view = self._scene, self._view
        seen = [
            card for card in scene.arrangement.cards if view.rect_of(card).intersects(self._clip)
        ]
        cards = CardPainter(self._painter, scene, view, self._look, self._clip)
        for card in seen:
            if card.is_open:
                cards.draw_frame(card)
        self._draw_lines()
        for card in seen:
            if not card.is_open:
                cards.draw_card(card)
        self._draw_labels(range(len(scene.arrangement.lines)))

    def mark(self, marked: Marked) -> None:
        """Draw what stands out, over the rest."""
        scene, tokens = self._scene, self._look.tokens
        lines = marked.lines(scene)
        for line in sorted(lines):
            chosen = line in (marked.line, marked.hovered_line)
            self._stroke(line, tokens.accent, _CHOSEN_PX if chosen else _LIT_PX)
        # Lines pass beside cards but end at them: the cards stay as they were.
        self._draw_labels(sorted(lines), always=True)
        for node, width in ((marked.hovered_node, 1.0), (marked.node, 2.0)):
            card = None if node is None else scene.card(node)
            if card is None:
                continue
            rect = self._view.rect_of(card)
            stroke = QPen(tokens.accent if width > 1 else tokens.secondary, width)
            self._painter.setPen(stroke)
            self._painter.setBrush(Qt.BrushStyle.NoBrush)
            by = 1.5 if width > 1 else 0.5
            self._painter.drawRoundedRect(rect.adjusted(-by, -by, by, by), RADIUS + by, RADIUS + by)

    # Edges

    def _draw_lines(self) -> None:
        scene, tokens = self._scene, self._look.tokens
        lit, dim = QPainterPath(), QPainterPath()
        heads: list[tuple[int, QColor]] = []
        seen = self._to_scene(self._clip)
        for index, path in enumerate(scene.paths):
            if not scene.boxes[index].intersects(seen):
                continue
            taken = scene.passed[index] > 0
            if seen.contains(scene.boxes[index]):
                (lit if taken else dim).addPath(path)
            else:
                _add_seen(lit if taken else dim, scene.arrangement.lines[index].route.curve, seen)
            heads.append((index, tokens.pipeline if taken else dimmed(tokens)))
        # From afar, lines as thick as ever would be all that one sees.
        thin = min(1.0, max(0.5, self._view.zoom * 1.3))
        self._painter.save()
        self._enter_scene()
        self._painter.setBrush(Qt.BrushStyle.NoBrush)
        self._painter.strokePath(dim, pen(dimmed(tokens), _DIM_PX * thin, dashed=True))
        self._painter.strokePath(lit, pen(tokens.pipeline, _LIT_PX * thin))
        self._painter.restore()
        for index, colour in heads:
            self._draw_head(index, colour)

    def _stroke(self, line: int, colour: QColor, width: float) -> None:
        self._painter.save()
        self._enter_scene()
        self._painter.setBrush(Qt.BrushStyle.NoBrush)
        dashed = not self._scene.passed[line]
        self._painter.strokePath(self._scene.paths[line], pen(colour, width, dashed=dashed))
        self._painter.restore()
        self._draw_head(line, colour)

    def _draw_head(self, line: int, colour: QColor) -> None:
        """Draw the arrow at the end of an edge; all of them point the way layers follow."""
        end = self._scene.arrangement.lines[line].route.end
        tip = self._view.to_screen(*end)
        long_ = min(_ARROW_PX, _ARROW_PX * max(self._view.zoom, 0.3) * 1.2)
        wide = long_ * 0.55
        if self._scene.arrangement.down:
            base = (QPointF(-wide, -long_), QPointF(wide, -long_))
        else:
            base = (QPointF(-long_, -wide), QPointF(-long_, wide))
        self._painter.setPen(Qt.PenStyle.NoPen)
        self._painter.setBrush(colour)
        self._painter.drawPolygon(QPolygonF([tip, tip + base[0], tip + base[1]]))

    def _draw_labels(self, lines: range | list[int], *, always: bool = False) -> None:
        scene, zoom = self._scene, self._view.zoom
        if zoom < (0.4 if always else _ROUTE_LABELS_FROM):
            return
        seen = self._to_scene(self._clip)
        for line in lines:
            if not scene.boxes[line].intersects(seen):
                continue
            edge = scene.graph.edges[scene.arrangement.lines[line].edge]
            is_route = scene.graph.nodes[edge.sender].role == "routing"
            count = scene.passed[line]
            near = always or zoom >= LABELS_FROM
            words = scene.label(line, whole=near) if near or is_route else ""
            if count > 1 and (always or not edge.is_call):
                times = f"×{THIN}{number_words(count)}"
                words = f"{words}  {times}" if words else times
            if words:
                self._draw_label(line, words, strong=always, taken=count > 0)

    def _draw_label(self, line: int, words: str, *, strong: bool, taken: bool) -> None:
        look, tokens = self._look, self._look.tokens
        at = self._label_place(line)
        gap_px = 190.0 if strong or self._scene.arrangement.down else self._gap_px(line)
        share = 1.0 if strong else min(1.0, max(self._view.zoom, _SMALLEST_LABEL))
        words = look.elided(words, max(28.0, gap_px) / share, small=True)
        width = look.small.horizontalAdvance(words) * share + 8
        height = look.small.height() * share
        rect = QRectF(
            round(at.x() - width / 2), round(at.y() - height / 2), round(width), round(height)
        )
        if not rect.intersects(self._clip):
            return
        self._painter.setPen(Qt.PenStyle.NoPen)
        self._painter.setBrush(self._ground(line))
        self._painter.drawRoundedRect(rect, RADIUS, RADIUS)
        self._painter.setFont(sized(look.small_font, share))
        self._painter.setPen(
            tokens.accent if strong else tokens.text if taken else tokens.secondary
        )
        self._painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, words)

    def _label_place(self, line: int) -> QPointF:
        """Return the middle of the first bend of an edge, which is between two layers."""
        curve = self._scene.arrangement.lines[line].route.curve
        down = self._scene.arrangement.down
        best = (0.0, 0)
        for index in range(0, len(curve) - 1, 3):
            start, end = curve[index], curve[index + 3]
            far = abs(end.y - start.y) if down else abs(end.x - start.x)
            if far > best[0] + 0.5:
                best = far, index
            if best[0] >= 40:
                break
        start, one, other, end = curve[best[1] : best[1] + 4]
        return self._view.to_screen(
            (start.x + 3 * one.x + 3 * other.x + end.x) / 8,
            (start.y + 3 * one.y + 3 * other.y + end.y) / 8,
        )

    def _gap_px(self, line: int) -> float:
        curve = self._scene.arrangement.lines[line].route.curve
        widest = max(
            abs(curve[index + 3].x - curve[index].x) for index in range(0, len(curve) - 1, 3)
        )
        return widest * self._view.zoom - 24

    def _ground(self, line: int) -> QColor:
        scene = self._scene
        card = scene.card(scene.graph.edges[scene.arrangement.lines[line].edge].sender)
        return ground_at(self._look.tokens, card.depth if card else 0)

    def _enter_scene(self) -> None:
        self._painter.translate(self._view.x, self._view.y)
        self._painter.scale(self._view.zoom, self._view.zoom)

    def _to_scene(self, rect: QRectF) -> QRectF:
        return QRectF(
            self._view.from_screen(rect.topLeft()), self._view.from_screen(rect.bottomRight())
        )


def _add_seen(path: QPainterPath, curve: Sequence[Point], seen: QRectF) -> None:
    """Add what is in sight of a long line: stroking the rest takes as long as all of it."""
    at = None
    for index in range(0, len(curve) - 1, 3):
        points = curve[index : index + 4]
        xs, ys = [point.x for point in points], [point.y for point in points]
        if (
            max(xs) < seen.left()
            or min(xs) > seen.right()
            or max(ys) < seen.top()
            or min(ys) > seen.bottom()
        ):
            continue
        if at != index:
            path.moveTo(*points[0])
        path.cubicTo(*points[1], *points[2], *points[3])
        at = index + 3
