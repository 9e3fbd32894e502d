"""The line above a value that is shown in full: what it is, and what can be done with it."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QWidget

from inspector.gui import theme
from inspector.gui.widgets.labels import ElidedWords


class ViewerHead(QWidget):
    """Facts at the left, buttons at the right."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._title = ElidedWords(parent=self, colour="secondary", step=-1)
        self._title.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(theme.GAP_PX, 0, theme.GRID_PX, 0)
        self._row.setSpacing(theme.GRID_PX)
        self._row.addWidget(self._title, 1)

    def say(self, words: str) -> None:
        self._title.setText(words)

    def add_button(self, button: QWidget) -> None:
        """Put a button at the right of those that are there."""
        self._row.addWidget(button)
