"""What rows that we draw ourselves have in common: their ground, and words cut to the room."""

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QPalette
from PySide6.QtWidgets import QStyle, QStyleOptionViewItem

from inspector.gui import theme

_LEFT = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)


def paint_ground(painter: QPainter, option: QStyleOptionViewItem) -> None:
    """Fill the ground of a row that is chosen or below the mouse; of others it stays as it is."""
    if option.state & QStyle.StateFlag.State_Selected:
        painter.fillRect(option.rect, option.palette.color(QPalette.ColorRole.Highlight))
    elif option.state & QStyle.StateFlag.State_MouseOver:
        painter.fillRect(option.rect, theme.current().hover)


def write_line(
    painter: QPainter,
    place: QRect,
    text: str,
    font: QFont,
    colour: str,
    elide: Qt.TextElideMode = Qt.TextElideMode.ElideMiddle,
) -> int:
    """Write as much as there is room for; return how wide that is."""
    metrics = QFontMetrics(font)
    shown = metrics.elidedText(text, elide, max(0, place.width()))
    painter.setFont(font)
    painter.setPen(getattr(theme.current(), colour))
    painter.drawText(place, _LEFT, shown)
    return metrics.horizontalAdvance(shown)
