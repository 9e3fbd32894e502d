"""Draws the card of a span into a picture that can be kept or sent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPen, QTextLayout, QTextOption

from inspector.gui import theme
from inspector.gui.widgets.drawn_picture import image_of, png_of, svg_of

if TYPE_CHECKING:
    from PySide6.QtGui import QColor, QFont, QImage

    from inspector.presentation.span_card import CardRow, SpanCard

_WIDTH_EM = 62  # as wide as a text that reads well, whatever the size of letters
_MARGIN_PX = 20
_RULE_PX = 3
_WIDEST_LABEL = 0.26  # of the card
_ICON_PX = 20


class CardPicture:
    """The picture of one card, in the theme that is current."""

    def __init__(self, card: SpanCard) -> None:
        self._card = card
        self._tokens = theme.current()
        self._title = theme.font(2, strong=True)
        self._small = theme.font(-1)
        self._value = theme.monospace(-1)
        self._width = round(QFontMetricsF(self._value).averageCharWidth() * _WIDTH_EM * 1.5)
        self._left = _MARGIN_PX + _RULE_PX + theme.GROUP_GAP_PX
        self._label_px = self._measure_labels()
        self._rows = [(row, self._laid_out(row)) for row in card.rows]
        self._height = round(self._draw(None))

    @property
    def title(self) -> str:
        return self._card.title

    def image(self) -> QImage:
        """Return the card at twice the size of the screen."""
        return image_of(self._draw, self._size, self._tokens.panel)

    def png(self) -> bytes:
        """Return the card as a PNG file."""
        return png_of(self.image())

    def svg(self) -> bytes:
        """Return the card as an SVG file."""
        return svg_of(self._draw, self._size, self._tokens.panel, self._card.title)

    @property
    def _size(self) -> QSize:
        return QSize(self._width, self._height)

    def _measure_labels(self) -> float:
        metrics = QFontMetricsF(self._small)
        widest = max((metrics.horizontalAdvance(row.label) for row in self._card.rows), default=0)
        return min(widest, self._width * _WIDEST_LABEL)

    def _laid_out(self, row: CardRow) -> QTextLayout:
        """Return the text of a row in lines; what has no blank is broken anywhere."""
        left = self._left + self._label_px + theme.GROUP_GAP_PX
        layout = QTextLayout(row.text.replace("\n", "\u2028"), self._value)
        option = QTextOption()
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        layout.setTextOption(option)
        layout.beginLayout()
        height = 0.0
        while (line := layout.createLine()).isValid():
            line.setLineWidth(self._width - _MARGIN_PX - left)
            line.setPosition(QPointF(0, height))
            height += line.height()
        layout.endLayout()
        return layout

    def _draw(self, painter: QPainter | None) -> float:
        """Draw the card, or without a painter nothing; return how high it is."""
        card, tokens = self._card, self._tokens
        colour = tokens.failed if card.failed else tokens.for_kind(card.kind, card.role)
        y = float(_MARGIN_PX)
        y += self._write_head(painter, y) + theme.GRID_PX
        y += self._write(painter, self._left, y, " · ".join(card.facts), self._small, "secondary")
        y += theme.GROUP_GAP_PX
        for row, layout in self._rows:
            y += self._write_row(painter, y, row, layout) + theme.GAP_PX
        if card.more:
            y += self._write(painter, self._left, y, card.more, self._small, "secondary")
            y += theme.GAP_PX
        y += theme.GRID_PX
        if painter is not None:
            painter.setPen(QPen(tokens.border, 1))
            painter.drawLine(
                QPointF(self._left, y + 0.5), QPointF(self._width - _MARGIN_PX, y + 0.5)
            )
        y += theme.GAP_PX
        place = QFontMetricsF(self._small).elidedText(
            card.place, Qt.TextElideMode.ElideMiddle, self._width - _MARGIN_PX - self._left
        )
        y += self._write(painter, self._left, y, place, self._small, "secondary")
        if painter is not None:
            painter.fillRect(QRectF(_MARGIN_PX, _MARGIN_PX, _RULE_PX, y - _MARGIN_PX), colour)
        return y + _MARGIN_PX

    def _write_head(self, painter: QPainter | None, y: float) -> float:
        card = self._card
        height = QFontMetricsF(self._title).height()
        if painter is not None:
            colour = "failed" if card.failed else theme.Tokens.name_for_kind(card.kind, card.role)
            # As sharp as the picture will be, not as the screen is.
            icon = theme.pixmap(card.icon, colour, 4 * _ICON_PX)
            place = QRectF(self._left, y + (height - _ICON_PX) / 2, _ICON_PX, _ICON_PX)
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
            painter.drawPixmap(place, icon, QRectF(icon.rect()))
        left = self._left + _ICON_PX + theme.GAP_PX
        return self._write(painter, left, y, card.title, self._title, "text")

    def _write_row(
        self, painter: QPainter | None, y: float, row: CardRow, layout: QTextLayout
    ) -> float:
        label = QFontMetricsF(self._small).elidedText(
            row.label, Qt.TextElideMode.ElideRight, self._label_px
        )
        ink = row.colour if row.is_ours and row.colour != "text" else "secondary"
        # On one line with the first one of the text.
        lower = QFontMetricsF(self._value).ascent() - QFontMetricsF(self._small).ascent()
        self._write(painter, self._left, y + max(0.0, lower), label, self._small, ink)
        if painter is not None:
            is_loud = row.colour in ("failed", "secondary")
            painter.setPen(self._ink(row.colour if is_loud else "text"))
            left = self._left + self._label_px + theme.GROUP_GAP_PX
            layout.draw(painter, QPointF(left, y))
        least = QFontMetricsF(self._small).height()
        return float(max(layout.boundingRect().height(), least))

    def _write(
        self, painter: QPainter | None, x: float, y: float, text: str, font: QFont, ink: str
    ) -> float:
        metrics = QFontMetricsF(font)
        if painter is not None:
            painter.setFont(font)
            painter.setPen(self._ink(ink))
            painter.drawText(QPointF(x, y + metrics.ascent()), text)
        return metrics.height()

    def _ink(self, name: str) -> QColor:
        ink: QColor = getattr(self._tokens, name)
        return ink
