"""A splitter that shows one hairline and is easy to grab all the same."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSplitter, QSplitterHandle, QWidget

from inspector.gui import theme

_GRAB_PX = 7
_WIDE_PX = 560
_WIDER_THAN_HIGH = 1.4


class QuietSplitter(QSplitter):
    """Parts never fold away by accident; the line between them is a hairline."""

    def __init__(self, orientation: Qt.Orientation, parent: QWidget | None = None) -> None:
        super().__init__(orientation, parent)
        self.setHandleWidth(_GRAB_PX)
        self.setChildrenCollapsible(False)

    def lie_or_stand(self, room: QSize) -> None:
        """Put the parts side by side where a room is wide, below each other where it is not."""
        wide = room.width() >= _WIDE_PX and room.width() > _WIDER_THAN_HIGH * room.height()
        orientation = Qt.Orientation.Horizontal if wide else Qt.Orientation.Vertical
        if self.orientation() != orientation:
            self.setOrientation(orientation)

    def createHandle(self) -> QSplitterHandle:
        return _Handle(self.orientation(), self)


class _Handle(QSplitterHandle):
    def paintEvent(self, _event: QPaintEvent) -> None:
        tokens = theme.current()
        painter = QPainter(self)
        painter.fillRect(self.rect(), tokens.panel)
        if self.orientation() is Qt.Orientation.Horizontal:
            painter.fillRect(self.width() // 2, 0, 1, self.height(), tokens.border)
        else:
            painter.fillRect(0, self.height() // 2, self.width(), 1, tokens.border)
        painter.end()
