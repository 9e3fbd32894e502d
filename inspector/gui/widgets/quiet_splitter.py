"""A splitter that shows one hairline and is easy to grab all the same."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSplitter, QSplitterHandle, QWidget

from inspector.gui import theme

_GRAB_PX = 7


class QuietSplitter(QSplitter):
    """Parts never fold away by accident; the line between them is a hairline."""

    def __init__(self, orientation: Qt.Orientation, parent: QWidget | None = None) -> None:
        super().__init__(orientation, parent)
        self.setHandleWidth(_GRAB_PX)
        self.setChildrenCollapsible(False)

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
