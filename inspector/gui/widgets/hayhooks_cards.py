"""Sentences over executions that a person has to know of, with one thing to do about each."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from inspector.gui import theme
from inspector.gui.widgets.cards import Card
from inspector.gui.widgets.labels import Icon, Words
from inspector.gui.widgets.plain import LinkButton, PanelGround

_RULE_PX = 3


class NoteCard(Card):
    """A sentence with a mark; `colour` says how grave it is: changed, failed or accent."""

    pressed = Signal()

    def __init__(
        self, colour: str = "changed", icon: str = "warning", parent: QWidget | None = None
    ) -> None:
        ground = {"accent": "notice_ground"}.get(colour, f"{colour}_ground")
        super().__init__(ground, colour, parent)
        self._title = Words("", strong=True, wrap=True)
        self._words = Words("", wrap=True)
        self._words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._button = QPushButton()
        self._button.setAutoDefault(False)
        self._button.clicked.connect(self.pressed)
        column = QVBoxLayout()
        column.setSpacing(2)
        column.addWidget(self._title)
        column.addWidget(self._words)
        row = QHBoxLayout(self)
        gap = theme.GAP_PX
        row.setContentsMargins(theme.GROUP_GAP_PX + _RULE_PX, gap - 2, gap, gap - 2)
        row.setSpacing(gap)
        row.addWidget(Icon(icon, colour=colour), 0, Qt.AlignmentFlag.AlignTop)
        row.addLayout(column, 1)
        row.addWidget(self._button, 0, Qt.AlignmentFlag.AlignVCenter)
        self.hide()

    @property
    def text(self) -> str:
        """What is said; nothing while it is hidden."""
        said = (self._title.text(), self._words.text())
        return "" if self.isHidden() else "\n".join(words for words in said if words)

    @property
    def button(self) -> QPushButton:
        return self._button

    def say(self, title: str, words: str = "", *, action: str = "") -> None:
        """Say something; empty words for both take the card away."""
        for label, text in ((self._title, title), (self._words, words)):
            if label.text() != text:
                label.setText(text)
            label.setVisible(bool(text))
        self._button.setText(action)
        self._button.setVisible(bool(action))
        self.setAccessibleName(" ".join(each for each in (title, words) if each))
        self.setVisible(bool(title or words))


class Traps(QWidget):
    """What is not to be seen of an execution: one line, which opens to all of them."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._words: tuple[str, ...] = ()
        self._open = False
        self._label = Words("", step=-1, colour="secondary", wrap=True)
        self._more = LinkButton("", self._toggle)
        self._more.setObjectName("more-traps")
        row = QHBoxLayout(self)
        row.setContentsMargins(theme.GROUP_GAP_PX, 0, theme.GROUP_GAP_PX, theme.GRID_PX)
        row.setSpacing(theme.GAP_PX)
        row.addWidget(Icon("info", size_px=14), 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self._label, 1)
        row.addWidget(self._more, 0, Qt.AlignmentFlag.AlignTop)
        self.hide()

    @property
    def words(self) -> tuple[str, ...]:
        """Everything there is to say."""
        return self._words

    def show_words(self, words: tuple[str, ...]) -> None:
        """Say these."""
        if words != self._words:
            self._words = words
            self._write()

    def _toggle(self) -> None:
        self._open = not self._open
        self._write()

    def _write(self) -> None:
        several = len(self._words) > 1
        shown = self._words if self._open else self._words[:1]
        self._label.setText("\n".join(shown))
        self._label.setAccessibleName("Worth knowing: " + " ".join(self._words))
        self._more.say("Less" if self._open else f"{len(self._words) - 1} more")
        self._more.setVisible(several)
        self.setVisible(bool(self._words))


class EmptyState(QWidget):
    """One sentence and one thing to do, where there is nothing to show."""

    pressed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        PanelGround(self)
        self._title = Words("", step=1, strong=True)
        self._words = Words("", colour="secondary", wrap=True)
        self._button = QPushButton()
        self._button.setObjectName("empty-action")
        self._button.clicked.connect(self.pressed)
        self.setFocusProxy(self._button)
        for label in (self._title, self._words):
            label.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self._words.setMaximumWidth(520)
        column = QVBoxLayout(self)
        column.setSpacing(theme.GAP_PX)
        column.addStretch(2)
        column.addWidget(self._title)
        column.addLayout(_centred(self._words))
        column.addSpacing(theme.GRID_PX)
        column.addLayout(_centred(self._button))
        column.addStretch(3)

    @property
    def text(self) -> str:
        """What is said."""
        return f"{self._title.text()} {self._words.text()}".strip()

    def say(self, title: str, words: str, action: str = "") -> None:
        """Say why it is empty, and offer something."""
        self._title.setText(title)
        self._words.setText(words)
        self._button.setText(action)
        self._button.setVisible(bool(action))
        self.setAccessibleName(f"{title} {words}")


def _centred(widget: QLabel | QPushButton) -> QHBoxLayout:
    row = QHBoxLayout()
    row.addStretch(1)
    row.addWidget(widget, 8 if isinstance(widget, QLabel) else 0)
    row.addStretch(1)
    return row
