"""Draws the cards and frames of a graph."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPainterPath, QPen

from inspector.gui import theme
from inspector.gui.widgets.graph_look import CHEVRON_PX, PAD_PX, RULE_PX, Look
from inspector.presentation.words import sentence

if TYPE_CHECKING:
    from inspector.gui.widgets.graph_scene import GraphScene
    from inspector.gui.widgets.graph_view import GraphView
    from inspector.presentation.graph_arrangement import Card
    from inspector.presentation.graph_words import CardWords

READABLE = 0.78
"""From this zoom on, cards show all they have to say; below it, only their names."""

SMALL_CHEVRON_PX = 14
RADIUS = 4.0
_SMALLEST_NAME_PX = 11  # the height of a card on which a name still fits
_FRAME_STEP, _DIMMED_INK = 0.018, 0.07
_DASHES = [3.0, 3.0]


class CardPainter:
    """Draws the nodes of one scene at one view."""

    def __init__(
        self, painter: QPainter, scene: GraphScene, view: GraphView, look: Look, clip: QRectF
    ) -> None:
        self._painter = painter
        self._scene = scene
        self._view = view
        self._look = look
        self._clip = clip

    def draw_frame(self, card: Card) -> None:
        """Draw the ground and the title of what is unfolded."""
        painter, look, tokens = self._painter, self._look, self._look.tokens
        words = self._scene.words(card.number)
        rect = self._view.rect_of(card)
        painter.setPen(self._edge_pen(words))
        painter.setBrush(_frame_ground(tokens, card.depth))
        painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), RADIUS, RADIUS)
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

    def draw_card(self, card: Card) -> None:
        """Draw a node that is no frame."""
        painter, look, tokens = self._painter, self._look, self._look.tokens
        words = self._scene.words(card.number)
        rect = self._view.rect_of(card)
        folds = bool(self._scene.graph.inside(card.number))
        ground = tokens.panel if words.ran else ground_at(look.tokens, card.depth)
        if words.failed_always:
            ground = tokens.failed_ground
        painter.setPen(self._edge_pen(words))
        painter.setBrush(ground)
        body = rect.adjusted(0.5, 0.5, -0.5, -0.5)
        if folds:
            # There is more behind it.
            painter.drawRoundedRect(body.translated(3, 3), RADIUS, RADIUS)
        painter.drawRoundedRect(body, RADIUS, RADIUS)
        rule = QRectF(rect.left(), rect.top(), max(2.0, RULE_PX * self._view.zoom), rect.height())
        if words.ran:
            path = QPainterPath()
            path.addRoundedRect(rect, RADIUS, RADIUS)
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
        painter.setFont(sized(look.small_font, share))
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
        if words.ran:
            return pen(tokens.outline, 1)
        return pen(dimmed(tokens), 1, dashed=True)

    def _colour_name(self, words: CardWords) -> str:
        if words.failed_always:
            return "failed"
        return self._look.colour_name(words.kind, words.role, ran=words.ran)


_LEFT = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)


def sized(font: QFont, share: float) -> QFont:
    """Return a font at a share of its size, as far as it can still be read."""
    made = QFont(font)
    made.setPointSizeF(max(5.5, font.pointSizeF() * share))
    return made


def ground_at(tokens: theme.Tokens, depth: int) -> QColor:
    """Return what things stand on that are inside of so many frames."""
    return _frame_ground(tokens, depth - 1) if depth else tokens.window


def _frame_ground(tokens: theme.Tokens, depth: int) -> QColor:
    """Return the ground of a frame, which is never that of the frame around it."""
    # Two steps, over and over: any darker, and dimmed lines could hardly be seen on it.
    return _mixed(tokens.window, tokens.text, _FRAME_STEP * (depth % 2 + 1))


def dimmed(tokens: theme.Tokens) -> QColor:
    """Return the colour of lines that say that something did not happen."""
    return _mixed(tokens.outline, tokens.text, _DIMMED_INK)


def _mixed(colour: QColor, other: QColor, share: float) -> QColor:
    return QColor(
        round(colour.red() + (other.red() - colour.red()) * share),
        round(colour.green() + (other.green() - colour.green()) * share),
        round(colour.blue() + (other.blue() - colour.blue()) * share),
    )


def pen(colour: QColor, width: float, *, dashed: bool = False) -> QPen:
    """Return a pen of a width in pixels, whatever the zoom."""
    made = QPen(colour, width)
    made.setCosmetic(True)
    made.setCapStyle(Qt.PenCapStyle.FlatCap)
    if dashed:
        made.setDashPattern(_DASHES)
    return made
