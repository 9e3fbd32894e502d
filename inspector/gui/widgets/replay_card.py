"""Why a replay did not come to its end, and what to do about it."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from inspector.gui import theme
from inspector.gui.widgets.labels import Words
from inspector.presentation.replay_words import Verdict
from inspector.presentation.visible import visible_text

_BAR_PX = 3


class ReplayEndCard(QFrame):
    """A sentence that may be long, and a hint."""

    printed_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._colour = "failed"
        self._message = Words(wrap=True)
        self._message.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self._hint = Words(wrap=True, colour="secondary")
        self._printed = QPushButton("What it printed")
        self._printed.clicked.connect(self.printed_requested)
        words = QVBoxLayout()
        words.setSpacing(2)
        words.addWidget(self._message)
        words.addWidget(self._hint)
        row = QHBoxLayout(self)
        row.setContentsMargins(
            theme.GROUP_GAP_PX + _BAR_PX, theme.GAP_PX, theme.GROUP_GAP_PX, theme.GAP_PX
        )
        row.setSpacing(theme.GAP_PX)
        row.addLayout(words, 1)
        row.addWidget(self._printed, 0, Qt.AlignmentFlag.AlignTop)
        theme.changes.changed.connect(self.update)

    @property
    def message(self) -> str:
        return self._message.text()

    @property
    def hint(self) -> str:
        return self._hint.text()

    def say(self, verdict: Verdict, *, has_printed: bool) -> None:
        """Say how a replay ended."""
        self._colour = verdict.colour
        self._message.setText(visible_text(verdict.detail))
        self._hint.setText(visible_text(verdict.hint))
        self._hint.setVisible(bool(verdict.hint))
        self._printed.setVisible(has_printed)
        self.setAccessibleName(f"{verdict.title} {verdict.detail}")
        self.setAccessibleDescription(verdict.hint)
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        tokens = theme.current()
        painter = QPainter(self)
        painter.fillRect(self.rect(), getattr(tokens, f"{self._colour}_ground"))
        painter.fillRect(0, 0, _BAR_PX, self.height(), getattr(tokens, self._colour))
        painter.end()
