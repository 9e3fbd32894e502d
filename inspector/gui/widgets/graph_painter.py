"""Draws a graph: on the screen, and into pictures."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPainterPath, QPen, QPolygonF

from inspector.gui import theme
from inspector.gui.widgets.graph_look import CHEVRON_PX, PAD_PX, RULE_PX, Look
from inspector.presentation.words import THIN, number_words, sentence

if TYPE_CHECKING:
    from collections.abc import Sequence

    from inspector.gui.widgets.graph_scene import GraphScene
    from inspector.gui.widgets.graph_view import GraphView
    from inspector.presentation.graph_arrangement import Card
    from inspector.presentation.graph_layout import Point
    from inspector.presentation.graph_words import CardWords

READABLE = 0.78
"""From this zoom on, cards show all they have to say; below it, only their names."""

LABELS_FROM = 1.2
SMALL_CHEVRON_PX = 14
_ROUTE_LABELS_FROM = 0.5
_SMALLEST_LABEL = 0.8
_RADIUS = 4.0
_ARROW_PX = 7.0
_LIT_PX, _DIM_PX, _CHOSEN_PX = 1.6, 1.2, 2.2
_SMALLEST_NAME_PX = 11  # the height of a card on which a name still fits
_DASHES = [3.0, 3.0]


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
        cards = [
            card for card in scene.arrangement.cards if view.rect_of(card).intersects(self._clip)
        ]
        for card in cards:
            if card.is_open:
                self._draw_frame(card)
        self._draw_lines()
        for card in cards:
            if not card.is_open:
                self._draw_card(card)
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
            pen = QPen(tokens.accent if width > 1 else tokens.secondary, width)
            self._painter.setPen(pen)
            self._painter.setBrush(Qt.BrushStyle.NoBrush)
            by = 1.5 if width > 1 else 0.5
            self._painter.drawRoundedRect(
                rect.adjusted(-by, -by, by, by), _RADIUS + by, _RADIUS + by
            )

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
            heads.append((index, tokens.pipeline if taken else tokens.outline))
        # From afar, lines as thick as ever would be all that one sees.
        thin = min(1.0, max(0.5, self._view.zoom * 1.3))
        self._painter.save()
        self._enter_scene()
        self._painter.setBrush(Qt.BrushStyle.NoBrush)
        self._painter.strokePath(dim, _pen(tokens.outline, _DIM_PX * thin, dashed=True))
        self._painter.strokePath(lit, _pen(tokens.pipeline, _LIT_PX * thin))
        self._painter.restore()
        for index, colour in heads:
            self._draw_head(index, colour)

    def _stroke(self, line: int, colour: QColor, width: float) -> None:
        self._painter.save()
        self._enter_scene()
        self._painter.setBrush(Qt.BrushStyle.NoBrush)
        dashed = not self._scene.passed[line]
        self._painter.strokePath(self._scene.paths[line], _pen(colour, width, dashed=dashed))
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
        for line in lines:
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
        gap_px = 132.0 if strong or self._scene.arrangement.down else self._gap_px(line)
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
        self._painter.drawRoundedRect(rect, _RADIUS, _RADIUS)
        self._painter.setFont(_sized(look.small_font, share))
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

    # Cards

    def _draw_frame(self, card: Card) -> None:
        painter, look, tokens = self._painter, self._look, self._look.tokens
        words = self._scene.words(card.number)
        rect = self._view.rect_of(card)
        painter.setPen(self._edge_pen(words))
        painter.setBrush(_frame_ground(tokens, card.depth))
        painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), _RADIUS, _RADIUS)
        if self._view.zoom < READABLE:
            height = (look.title_height + PAD_PX) * self._view.zoom
            title = QRectF(rect.left(), rect.top(), rect.width(), height)
            self._draw_small(title, words, folds=True, is_open=True)
            return
        painter.save()
        painter.translate(rect.topLeft())
        painter.scale(self._view.zoom, self._view.zoom)
        height = look.title_height
        self._icon("chevron-down", "secondary", 6, height)
        self._icon(words.icon, self._colour_name(words), CHEVRON_PX + PAD_PX, height)
        left = CHEVRON_PX + PAD_PX + look.icon_px + PAD_PX - 2
        right = card.width - PAD_PX
        if words.duration:
            right = self._figure(words.duration, right, 0, height)
        right = self._marks(words, right, 0, height)
        self._name(words, QRectF(left, 0, right - left - PAD_PX, height))
        painter.restore()

    def _draw_card(self, card: Card) -> None:
        painter, look, tokens = self._painter, self._look, self._look.tokens
        words = self._scene.words(card.number)
        rect = self._view.rect_of(card)
        folds = bool(self._scene.graph.inside(card.number))
        ground = tokens.panel if words.ran else self._ground_at(card.depth)
        if words.failed_always:
            ground = tokens.failed_ground
        painter.setPen(self._edge_pen(words))
        painter.setBrush(ground)
        body = rect.adjusted(0.5, 0.5, -0.5, -0.5)
        if folds:
            # There is more behind it.
            painter.drawRoundedRect(body.translated(3, 3), _RADIUS, _RADIUS)
        painter.drawRoundedRect(body, _RADIUS, _RADIUS)
        rule = QRectF(rect.left(), rect.top(), max(2.0, RULE_PX * self._view.zoom), rect.height())
        if words.ran:
            path = QPainterPath()
            path.addRoundedRect(rect, _RADIUS, _RADIUS)
            painter.setClipPath(path, Qt.ClipOperation.IntersectClip)
            painter.fillRect(rule, look.colour(self._colour_name(words)))
            painter.setClipRect(self._clip)
        if self._view.zoom < READABLE:
            self._draw_small(rect, words, folds=folds, is_open=False)
            return
        painter.save()
        painter.translate(rect.topLeft())
        painter.scale(self._view.zoom, self._view.zoom)
        self._draw_details(card, words, folds=folds)
        painter.restore()

    def _draw_details(self, card: Card, words: CardWords, *, folds: bool) -> None:
        look = self._look
        line = look.name.height()
        self._icon(words.icon, self._colour_name(words), RULE_PX + PAD_PX, line + 2 * PAD_PX)
        right = card.width - PAD_PX
        if folds:
            self._icon("chevron-right", "secondary", card.width - CHEVRON_PX, card.height)
            right = card.width - CHEVRON_PX - 2
        left = look.text_left
        named = self._marks(words, right, PAD_PX, line)
        self._name(words, QRectF(left, PAD_PX, named - left - 4, line))
        below, height = PAD_PX + line, look.small.height()
        if words.duration:
            right = self._figure(words.duration, right, below, height)
        self._painter.setFont(look.small_font)
        self._painter.setPen(look.tokens.secondary)
        room = QRectF(left, below, right - left - 6, height)
        self._painter.drawText(room, _LEFT, look.elided(words.detail, room.width(), small=True))

    def _draw_small(self, rect: QRectF, words: CardWords, *, folds: bool, is_open: bool) -> None:
        """Draw a card from afar: its name as large as it can be, and whether it failed."""
        look, painter = self._look, self._painter
        if rect.height() < _SMALLEST_NAME_PX:
            return
        left, right = rect.left() + 7, rect.right() - 5
        if folds and rect.height() >= SMALL_CHEVRON_PX:
            at = left - 4 if is_open else right - SMALL_CHEVRON_PX + 4
            place = QPointF(at, rect.center().y() - SMALL_CHEVRON_PX / 2)
            turned = "chevron-down" if is_open else "chevron-right"
            painter.drawPixmap(place, theme.pixmap(turned, "secondary", SMALL_CHEVRON_PX))
            left += (SMALL_CHEVRON_PX - 2) * is_open
            right -= (SMALL_CHEVRON_PX - 2) * (not is_open)
        if words.uninvited and rect.height() >= SMALL_CHEVRON_PX:
            right -= SMALL_CHEVRON_PX
            place = QPointF(right, rect.center().y() - SMALL_CHEVRON_PX / 2)
            painter.drawPixmap(place, theme.pixmap("warning", "changed", SMALL_CHEVRON_PX))
            right -= 4
        share = min(1.0, rect.height() / look.small.height())
        painter.setFont(_sized(look.small_font, share))
        name = f"{words.mark} {words.name}" if words.mark else words.name
        figures = sentence([words.count, words.duration], "  ")
        wide = look.small.horizontalAdvance(figures) * share
        if figures and right - left - wide - 10 >= look.small.horizontalAdvance(name) * share:
            painter.setPen(look.tokens.secondary)
            painter.drawText(QRectF(left, rect.top(), right - left, rect.height()), _RIGHT, figures)
            right -= wide + 10
        painter.setPen(self._ink(words))
        room = QRectF(left, rect.top(), right - left, rect.height())
        painter.drawText(room, _LEFT, look.elided(name, room.width() / share, small=True))

    def _marks(self, words: CardWords, right: float, top: float, height: float) -> float:
        """Draw how often a node ran and what was odd about it; return what is left of it."""
        look = self._look
        if words.count:
            right = self._figure(words.count, right, top, height)
        if words.mark:
            colour = look.tokens.failed if words.failed else look.tokens.live
            right = self._figure(words.mark, right - 4 * bool(words.count), top, height, colour)
        if words.uninvited:
            right -= look.icon_px + 4
            self._icon("warning", "changed", right, 2 * top + height)
        return right

    def _figure(
        self, text: str, right: float, top: float, height: float, colour: QColor | None = None
    ) -> float:
        look = self._look
        width = look.small.horizontalAdvance(text)
        self._painter.setFont(look.small_font)
        self._painter.setPen(colour or look.tokens.secondary)
        self._painter.drawText(QRectF(right - width - 1, top, width + 1, height), _RIGHT, text)
        return right - width

    def _name(self, words: CardWords, room: QRectF) -> None:
        self._painter.setFont(self._look.name_font)
        self._painter.setPen(self._ink(words))
        self._painter.drawText(
            room, _LEFT, self._look.elided(words.name, room.width(), small=False)
        )

    def _icon(self, name: str, colour: str, left: float, height: float) -> None:
        size = self._look.icon_px
        # At few sizes, since each is drawn anew and kept.
        sharp = size if self._view.zoom <= 1 else 8 * ceil(size * self._view.zoom / 8)
        rect = QRectF(left, (height - size) / 2, size, size)
        picture = theme.pixmap(name, colour, sharp)
        self._painter.drawPixmap(rect, picture, QRectF(picture.rect()))

    def _ink(self, words: CardWords) -> QColor:
        tokens = self._look.tokens
        if words.failed_always:
            return tokens.failed
        return tokens.text if words.ran else tokens.secondary

    def _edge_pen(self, words: CardWords) -> QPen:
        tokens = self._look.tokens
        if words.failed:
            return QPen(tokens.failed, 1)
        if words.uninvited:
            return QPen(tokens.changed, 1)
        return _pen(tokens.outline, 1, dashed=not words.ran)

    def _colour_name(self, words: CardWords) -> str:
        if words.failed_always:
            return "failed"
        return self._look.colour_name(words.kind, words.role, ran=words.ran)

    def _ground(self, line: int) -> QColor:
        scene = self._scene
        node = scene.graph.nodes[scene.graph.edges[scene.arrangement.lines[line].edge].sender]
        card = scene.card(node.number)
        return self._ground_at(card.depth if card else 0)

    def _ground_at(self, depth: int) -> QColor:
        tokens = self._look.tokens
        return _frame_ground(tokens, depth - 1) if depth else tokens.window

    def _enter_scene(self) -> None:
        self._painter.translate(self._view.x, self._view.y)
        self._painter.scale(self._view.zoom, self._view.zoom)

    def _to_scene(self, rect: QRectF) -> QRectF:
        return QRectF(
            self._view.from_screen(rect.topLeft()), self._view.from_screen(rect.bottomRight())
        )


_LEFT = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)


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


def _sized(font: QFont, share: float) -> QFont:
    made = QFont(font)
    made.setPointSizeF(max(5.5, font.pointSizeF() * share))
    return made


def _frame_ground(tokens: theme.Tokens, depth: int) -> QColor:
    """Return the ground of a frame: each one inside of another a little further from the page."""
    share = 0.035 * (depth + 1)
    pairs = zip(tokens.window.getRgb()[:3], tokens.text.getRgb()[:3], strict=True)
    return QColor(*(round(page + (ink - page) * share) for page, ink in pairs))


def _pen(colour: QColor, width: float, *, dashed: bool = False) -> QPen:
    pen = QPen(colour, width)
    pen.setCosmetic(True)
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    if dashed:
        pen.setDashPattern(_DASHES)
    return pen
