"""One sentence where there is nothing to show, and what would be there."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QVBoxLayout, QWidget

from inspector.gui import theme
from inspector.gui.widgets.labels import Words
from inspector.gui.widgets.plain import PanelGround


class EmptyWords(QWidget):
    """Says quietly why a place is empty."""

    def __init__(self, parent: QWidget | None = None, *, words: str = "") -> None:
        super().__init__(parent)
        self._words = Words(words, colour="secondary", wrap=True, parent=self)
        self._words.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
        self._words.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        PanelGround(self)
        layout = QVBoxLayout(self)
        gap = theme.GROUP_GAP_PX
        layout.setContentsMargins(gap, gap, gap, gap)
        layout.addWidget(self._words)
        layout.addStretch(1)

    def say(self, words: str) -> None:
        self._words.setText(words)
        self.setAccessibleName(words)
