"""What every row that we draw ourselves begins with."""

from PySide6.QtGui import QPainter, QPalette
from PySide6.QtWidgets import QStyle, QStyleOptionViewItem

from inspector.gui import theme


def paint_ground(painter: QPainter, option: QStyleOptionViewItem) -> None:
    """Fill the ground of a row that is chosen or below the mouse; of others it stays as it is."""
    if option.state & QStyle.StateFlag.State_Selected:
        painter.fillRect(option.rect, option.palette.color(QPalette.ColorRole.Highlight))
    elif option.state & QStyle.StateFlag.State_MouseOver:
        painter.fillRect(option.rect, theme.current().hover)
