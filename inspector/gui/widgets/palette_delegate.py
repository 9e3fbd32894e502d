"""Draws the rows of the command palette."""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem

from inspector.gui import theme
from inspector.gui.models.roles import ROW_ROLE
from inspector.gui.widgets.row_paint import paint_ground
from inspector.presentation.palette import PaletteRow

AnyIndex = QModelIndex | QPersistentModelIndex
_LEFT = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
_PAD_PX = 4


class PaletteDelegate(QStyledItemDelegate):
    """Draws what is done at the left, its keys or why it cannot be done at the right."""

    def sizeHint(self, option: QStyleOptionViewItem, index: AnyIndex) -> QSize:
        return QSize(super().sizeHint(option, index).width(), theme.row_height() + _PAD_PX)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        row = index.data(ROW_ROLE)
        if not isinstance(row, PaletteRow):
            return
        painter.save()
        paint_ground(painter, option)
        place = option.rect.adjusted(theme.GROUP_GAP_PX, 0, -theme.GROUP_GAP_PX, 0)
        entry = row.entry
        if entry.icon:
            top = place.top() + (place.height() - theme.ICON_PX) // 2
            ink = "disabled" if entry.why_not else "secondary"
            painter.drawPixmap(place.left(), top, theme.pixmap(entry.icon, ink, theme.ICON_PX))
        place.setLeft(place.left() + theme.ICON_PX + theme.GAP_PX)
        place.setRight(place.right() - _write_at_the_right(painter, place, row))
        _write_text(painter, place, row)
        painter.restore()


def _write_at_the_right(painter: QPainter, place: QRect, row: PaletteRow) -> int:
    """Write the keys, and before them the group or the reason; return how wide that is."""
    entry = row.entry
    small = theme.font(-1)
    metrics = QFontMetrics(small)
    painter.setFont(small)
    painter.setPen(theme.current().secondary)
    taken = 0
    if entry.shortcut:
        cap = metrics.horizontalAdvance(entry.shortcut) + 12
        box = QRect(place.right() + 1 - cap, 0, cap, metrics.height() + 4)
        box.moveTop(place.top() + (place.height() - box.height()) // 2)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(theme.current().border)
        painter.setBrush(theme.current().raised)
        painter.drawRoundedRect(box.adjusted(0, 0, -1, -1), 3, 3)
        painter.restore()
        painter.drawText(box, int(Qt.AlignmentFlag.AlignCenter), entry.shortcut)
        taken = cap + theme.GAP_PX
    words = metrics.elidedText(
        entry.why_not or entry.group, Qt.TextElideMode.ElideLeft, place.width() // 2
    )
    painter.drawText(place.adjusted(0, 0, -taken, 0), _RIGHT, words)
    return taken + metrics.horizontalAdvance(words) + theme.GROUP_GAP_PX


def _write_text(painter: QPainter, place: QRect, row: PaletteRow) -> None:
    """Write the text, with the letters that were meant marked and stronger."""
    tokens = theme.current()
    ink = tokens.secondary if row.entry.why_not else tokens.text
    plain, strong = theme.font(), theme.font(strong=True)
    meant = set(row.places)
    left = place.left()
    text = row.entry.text
    shown = QFontMetrics(strong if meant else plain).elidedText(
        text, Qt.TextElideMode.ElideMiddle, place.width()
    )
    # Where the middle was left out, the places are those of another text.
    meant = meant if shown == text else set()
    for piece, is_meant in _pieces(shown, meant):
        font = strong if is_meant else plain
        metrics = QFontMetrics(font)
        width = metrics.horizontalAdvance(piece)
        if is_meant:
            ground = QRect(left, place.center().y() - metrics.height() // 2, width, 0)
            ground.setHeight(metrics.height() + 1)
            painter.fillRect(ground, tokens.match_ground)
        painter.setFont(font)
        painter.setPen(tokens.text if is_meant else ink)
        painter.drawText(QRect(left, place.top(), width + 2, place.height()), _LEFT, piece)
        left += width


def _pieces(text: str, meant: set[int]) -> list[tuple[str, bool]]:
    pieces: list[tuple[str, bool]] = []
    for at, letter in enumerate(text):
        is_meant = at in meant
        if pieces and pieces[-1][1] == is_meant:
            pieces[-1] = (pieces[-1][0] + letter, is_meant)
        else:
            pieces.append((letter, is_meant))
    return pieces
