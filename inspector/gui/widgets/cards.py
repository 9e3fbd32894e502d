"""What the start page says of files that are being read or could not be."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QProgressBar,
    QPushButton,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from inspector.gui import theme
from inspector.gui.widgets.labels import ElidedWords, Icon, Words
from inspector.presentation.words import one_line, percent_words, visible_text

_BAR_PX = 3


class Card(QFrame):
    """A ground of one of the theme's colours, with a rule of another at its left."""

    def __init__(self, ground: str, rule: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._ground = ground
        self._rule = rule
        theme.changes.changed.connect(self.update)

    def paintEvent(self, _event: QPaintEvent) -> None:
        tokens = theme.current()
        painter = QPainter(self)
        painter.fillRect(self.rect(), getattr(tokens, self._ground))
        painter.fillRect(0, 0, _BAR_PX, self.height(), getattr(tokens, self._rule))
        painter.end()


class FailureCard(Card):
    """A file that could not be opened: which, why, and what to do next."""

    retry_requested = Signal()
    dismissed = Signal()

    def __init__(
        self, message: str, hint: str, *, can_retry: bool, parent: QWidget | None = None
    ) -> None:
        super().__init__("failed_ground", "failed", parent)
        self.setAccessibleName(message)
        self.setAccessibleDescription(hint)
        words = QVBoxLayout()
        words.setSpacing(2)
        said = Words(visible_text(message), strong=True, wrap=True)
        said.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        words.addWidget(said)
        if hint:
            words.addWidget(Words(visible_text(hint), wrap=True))
        row = QHBoxLayout(self)
        row.setContentsMargins(
            theme.GROUP_GAP_PX + _BAR_PX, theme.GAP_PX, theme.GAP_PX, theme.GAP_PX
        )
        row.setSpacing(theme.GAP_PX)
        row.addWidget(Icon("failed", colour="failed"), 0, Qt.AlignmentFlag.AlignTop)
        row.addLayout(words, 1)
        if can_retry:
            again = QPushButton("Try again")
            again.clicked.connect(self.retry_requested)
            row.addWidget(again, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(_close_button(self.dismissed), 0, Qt.AlignmentFlag.AlignTop)


class OpeningCard(Card):
    """A file that is being read: which, how far, and a way to stop."""

    cancel_requested = Signal()

    def __init__(self, title: str, parent: QWidget | None = None) -> None:
        super().__init__("notice_ground", "accent", parent)
        name = one_line(title)
        self.setAccessibleName(f"Opening {name}")
        self._bar = QProgressBar()
        self._bar.setRange(0, 1000)
        self._bar.setTextVisible(False)
        self._bar.setFixedHeight(6)
        self._bar.setAccessibleName(f"How much of {name} is read")
        self._percent = Words(step=-1, colour="secondary")
        self._percent.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._percent.setFixedWidth(self._percent.fontMetrics().horizontalAdvance("1000 %"))
        cancel = QPushButton("Cancel")
        cancel.clicked.connect(self.cancel_requested)

        top = QHBoxLayout()
        top.addWidget(ElidedWords(f"Opening {name}", strong=True), 1)
        top.addWidget(self._percent)
        words = QVBoxLayout()
        words.setSpacing(theme.GRID_PX + 2)
        words.addLayout(top)
        words.addWidget(self._bar)
        row = QHBoxLayout(self)
        row.setContentsMargins(
            theme.GROUP_GAP_PX + _BAR_PX, theme.GAP_PX, theme.GROUP_GAP_PX, theme.GAP_PX
        )
        row.setSpacing(theme.GROUP_GAP_PX)
        row.addWidget(Icon("open", colour="accent"))
        row.addLayout(words, 1)
        row.addWidget(cancel)

    def move_to(self, fraction: float) -> None:
        """Show how much has been read, from 0 to 1."""
        self._bar.setValue(round(1000 * min(1.0, max(0.0, fraction))))
        self._percent.setText(percent_words(fraction, 1.0))


class Banner(Card):
    """One sentence over the content, with a hint and one action."""

    action_requested = Signal()
    dismissed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("changed_ground", "changed", parent)
        self._icon = Icon("warning", colour="changed")
        self._words = Words(wrap=True)
        self._action = QPushButton()
        self._action.clicked.connect(self.action_requested)
        self.dismissed.connect(self.hide)
        row = QHBoxLayout(self)
        row.setContentsMargins(
            theme.GROUP_GAP_PX + _BAR_PX, theme.GRID_PX, theme.GAP_PX, theme.GRID_PX
        )
        row.setSpacing(theme.GAP_PX)
        row.addWidget(self._icon)
        row.addWidget(self._words, 1)
        row.addWidget(self._action)
        row.addWidget(_close_button(self.dismissed))
        self.hide()

    @property
    def text(self) -> str:
        return "" if self.isHidden() else self._words.text()

    def say(self, message: str, hint: str = "", *, action: str = "") -> None:
        """Show a sentence, and a button when there is something to do about it."""
        self._words.setText(visible_text(f"{message} {hint}".strip()))
        self.setAccessibleName(visible_text(message))
        self._action.setText(action)
        self._action.setVisible(bool(action))
        self.show()


def _close_button(pressed: object) -> QToolButton:
    button = QToolButton()
    button.setAutoRaise(True)
    button.setText("Dismiss")
    button.setToolTip("Dismiss")
    button.setAccessibleName("Dismiss")
    button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonIconOnly)
    button.setIcon(theme.icon("close", "secondary"))
    button.clicked.connect(pressed)
    return button
