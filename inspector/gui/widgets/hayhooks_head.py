"""What stands over an execution: how it stands, which it is, and what can be done with it."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from inspector.gui import theme
from inspector.gui.tips import tip
from inspector.gui.widgets.labels import Badge, ElidedWords, Icon, Words
from inspector.gui.widgets.plain import IconButton
from inspector.presentation.execution_words import Look


class _Name(ElidedWords):
    """A name of a server's: in the fixed font, so that it never looks like the program's."""

    def _dress(self) -> None:
        super()._dress()
        self.setFont(theme.monospace(1))


class HayhooksHead(QWidget):
    """The state first, then names; buttons only for what can be done now."""

    cancel_requested = Signal()
    run_requested = Signal()
    fork_requested = Signal()
    copy_requested = Signal()

    def __init__(self, deployment: str, execution_id: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icon = Icon("clock", size_px=18)
        self._state = Words("", step=1, strong=True)
        self._state.setObjectName("state")
        name = _Name(deployment, step=1)
        self._facts = ElidedWords("", step=-1, colour="secondary", sentence=True)
        self._facts.setObjectName("facts")
        self._id = ElidedWords(execution_id, step=-1, colour="secondary")
        self._id.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        copy = IconButton("copy", "Copy the id", self.copy_requested.emit)
        self._connection = Badge()
        self._connection.setObjectName("connection")
        self._run = self._button("Open as run", "open-run", self.run_requested)
        self._fork = self._button("Fork from checkpoint…", "fork", self.fork_requested)
        self._cancel = self._button("Cancel…", "cancel", self.cancel_requested)
        first = QHBoxLayout()
        first.setSpacing(theme.GAP_PX)
        first.addWidget(self._icon)
        first.addWidget(self._state)
        first.addSpacing(theme.GRID_PX)
        first.addWidget(name, 1)
        first.addWidget(self._connection)
        for button in (self._run, self._fork, self._cancel):
            first.addWidget(button)
        second = QHBoxLayout()
        second.setSpacing(theme.GRID_PX)
        second.addWidget(self._facts, 3)
        second.addWidget(self._id, 1)
        second.addWidget(copy)
        layout = QVBoxLayout(self)
        gap = theme.GAP_PX
        layout.setContentsMargins(theme.GROUP_GAP_PX, gap, gap, theme.GRID_PX)
        layout.setSpacing(theme.GRID_PX)
        layout.addLayout(first)
        layout.addLayout(second)

    @property
    def state(self) -> str:
        """What is said of where it stands."""
        return self._state.text()

    @property
    def facts(self) -> str:
        return self._facts.text()

    @property
    def connection(self) -> str:
        """What is said of how we stand to the server."""
        return self._connection.text if self._connection.isVisibleTo(self) else ""

    def say(self, look: Look, words: str, facts: str) -> None:
        """Say where it stands."""
        self._icon.show_icon(look.icon, look.colour)
        self._state.setText(words)
        self._state.set_colour("text" if look.colour in ("secondary", "live") else look.colour)
        self._facts.setText(facts)
        self.setAccessibleName(f"{words} {facts}")

    def say_connection(self, icon: str, words: str, colour: str, more: str = "") -> None:
        """Say how we stand to the server; empty words for nothing to say."""
        if words:
            self._connection.say(icon, words, colour=colour, tip=more)
        else:
            self._connection.hide()

    def offer(self, *, cancel: bool, run: bool, fork: bool, pending: bool) -> None:
        """Offer what can be done now; the rest is not there."""
        self._cancel.setVisible(cancel)
        self._cancel.setEnabled(not pending)
        words = "Canceling…" if pending else "Cancel…"
        self._cancel.setText(words)
        self._cancel.setToolTip(tip("Says first what it will and will not interrupt"))
        self._run.setVisible(run)
        self._fork.setVisible(fork)

    def _button(self, words: str, name: str, asked: object) -> QPushButton:
        button = QPushButton(words)
        button.setObjectName(name)
        button.clicked.connect(lambda _checked=False: asked.emit())  # type: ignore[attr-defined]
        button.hide()
        return button
