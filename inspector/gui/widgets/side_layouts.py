"""Lines of two texts as they are drawn, kept as long as they are likely to be drawn again."""

from collections import OrderedDict
from typing import NamedTuple

from PySide6.QtCore import QPointF, QRect, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QTextCharFormat, QTextLayout, QTextOption

from inspector.gui import theme
from inspector.presentation.side_by_side import SideLine
from inspector.presentation.visible import visible_text
from inspector.presentation.words import plural

LINE_PAD_PX = 1
_MOST_KEPT = 600
_FAR = 1e7
_WORD_ALPHA = 64  # of 255: the ground of words that differ, over that of their line


def paint_fold(painter: QPainter, box: QRect, hidden: int) -> None:
    """Draw the row that stands for rows that are the same on both sides."""
    tokens = theme.current()
    painter.fillRect(box, tokens.raised)
    painter.setPen(tokens.secondary)
    painter.setFont(theme.font(-1))
    painter.drawText(box, int(Qt.AlignmentFlag.AlignCenter), f"{plural(hidden, 'equal line')}")
    painter.setFont(theme.monospace())


class Spot(NamedTuple):
    """A place in one of the texts; `unit` counts as Qt does, where an emoji takes two."""

    row: int
    unit: int


class SideLayouts:
    """Makes and keeps the layouts of lines."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[int, int], QTextLayout] = OrderedDict()

    def __len__(self) -> int:
        return len(self._kept)

    def clear(self) -> None:
        self._kept.clear()

    def text(self, _row: int, _side: int, line: SideLine) -> str:
        """Return a line as it is shown."""
        return "".join(visible_text(piece.text) for piece in line.pieces)

    def layout(
        self, row: int, side: int, line: SideLine, width: int | None, *, by_words: bool
    ) -> QTextLayout:
        """Return a line laid out.

        Args:
            row: Where it stands.
            side: 0 left, 1 right.
            line: What it says.
            width: Where it breaks, in px; None lets it go on.
            by_words: Whether only some of its words differ, which are marked by themselves.

        """
        key = (row, side)
        known = self._kept.get(key)
        if known is not None:
            self._kept.move_to_end(key)
            return known
        made = self._kept[key] = _laid_out(line, side, width, by_words=by_words)
        if len(self._kept) > _MOST_KEPT:
            self._kept.popitem(last=False)
        return made

    def selection(self, start: int, stop: int) -> QTextLayout.FormatRange:
        """Return how a stretch looks that is selected."""
        look = QTextCharFormat()
        look.setBackground(theme.current().accent)
        look.setForeground(theme.current().on_accent)
        return _range(start, stop, look)

    def unit_at(self, layout: QTextLayout, x: float, y: float) -> int:
        """Return the place in a line that is nearest to a point."""
        for number in range(layout.lineCount()):
            line = layout.lineAt(number)
            if y < line.y() + line.height() or number == layout.lineCount() - 1:
                return int(line.xToCursor(x))
        return 0


def _laid_out(line: SideLine, side: int, width: int | None, *, by_words: bool) -> QTextLayout:
    font = theme.monospace()
    parts = [(visible_text(piece.text), piece.marked) for piece in line.pieces]
    layout = QTextLayout("".join(text for text, _ in parts), font)
    option = QTextOption()
    wrap = QTextOption.WrapMode
    option.setWrapMode(wrap.NoWrap if width is None else wrap.WrapAtWordBoundaryOrAnywhere)
    option.setTabStopDistance(4 * QFontMetrics(font).horizontalAdvance(" "))
    layout.setTextOption(option)
    if by_words:
        look = _word_look(side)
        ranges = []
        at = 0
        for text, marked in parts:
            size = units(text)
            if marked and size:
                ranges.append(_range(at, at + size, look))
            at += size
        layout.setFormats(ranges)
    layout.beginLayout()
    y = 0.0
    while (made := layout.createLine()).isValid():
        made.setLineWidth(_FAR if width is None else width)
        made.setPosition(QPointF(0, y))
        y += made.height()
    layout.endLayout()
    return layout


def _word_look(side: int) -> QTextCharFormat:
    tokens = theme.current()
    ink = QColor(tokens.failed if side == 0 else tokens.same)
    look = QTextCharFormat()
    look.setFontUnderline(True)
    look.setUnderlineColor(ink)
    ground = QColor(ink)
    ground.setAlpha(_WORD_ALPHA)
    look.setBackground(ground)
    return look


def _range(start: int, stop: int, look: QTextCharFormat) -> QTextLayout.FormatRange:
    made = QTextLayout.FormatRange()
    made.start = start
    made.length = stop - start
    made.format = look
    return made


def units(text: str) -> int:
    """Return the length of a text as Qt counts it."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def stretch(text: str, start: int, stop: int) -> str:
    """Return a part of a text between two places as Qt counts them."""
    if text.isascii():
        return text[start:stop]
    cut = text.encode("utf-16-le", "surrogatepass")[2 * start : 2 * stop]
    return cut.decode("utf-16-le", "replace")
