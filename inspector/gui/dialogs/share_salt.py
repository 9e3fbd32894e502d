"""Asks for the salt that makes placeholders the same in several files."""

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QLineEdit, QPushButton, QVBoxLayout, QWidget

from inspector.gui import theme
from inspector.gui.tasks.runner import Cancelled, TaskRunner
from inspector.gui.widgets.labels import Words
from inspector.redaction.salts import SALT_VARIABLE, salt_of_environment
from inspector.replay.keys import SessionKeys

if TYPE_CHECKING:
    from inspector.replay.keyring_asking import RingAnswer

_ABOUT = "At least 8 characters, better 30 random ones. It is written into no file."


class SaltRow(QWidget):
    """A line for the salt, and the keyring of the system. What is typed is never shown."""

    given = Signal(object)  # bytes
    kept = Signal()  # it was put into the keyring, or could not be

    def __init__(self, keys: SessionKeys, tasks: TaskRunner, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = keys
        self._tasks = tasks
        self._line = QLineEdit()
        self._line.setObjectName("salt")
        self._line.setAccessibleName("Salt, the same for all files of yours")
        self._line.setPlaceholderText("salt, the same for all files of yours")
        self._line.setEchoMode(QLineEdit.EchoMode.Password)
        self._line.setMaxLength(4_096)
        self._use = QPushButton("Use it")
        self._use.setObjectName("use-salt")
        self._use.setEnabled(False)
        self._keep = QCheckBox("Keep it in the keyring")
        self._keep.setObjectName("keep-salt")
        self._look = QPushButton("Look in the keyring")
        self._look.setObjectName("look-salt")
        for button in (self._use, self._look):
            button.setAutoDefault(False)
        self._about = Words(_ABOUT, step=-1, colour="secondary", wrap=True)
        self._about.setObjectName("about-salt")
        row = QHBoxLayout()
        row.setSpacing(theme.GAP_PX)
        row.addWidget(self._line, 1)
        for widget in (self._keep, self._use, self._look):
            row.addWidget(widget)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(theme.GRID_PX)
        layout.addLayout(row)
        layout.addWidget(self._about)
        self._line.textChanged.connect(lambda text: self._use.setEnabled(bool(text)))
        self._line.returnPressed.connect(self._take)
        self._use.clicked.connect(self._take)
        self._look.clicked.connect(self._ask_keyring)

    @property
    def known(self) -> bytes | None:
        """The salt of this session, or that of the environment."""
        told = self._session.environment((SALT_VARIABLE,)).get(SALT_VARIABLE)
        return told.encode() if told else salt_of_environment()

    def put_away(self) -> None:
        """Keep what was typed, now that it is known to be one."""
        typed = self._line.text()
        if not typed:
            return
        self._session.give(SALT_VARIABLE, typed)
        self._line.clear()
        if self._keep.isChecked():
            self._tasks.start(
                partial(_kept, typed), done=self._on_kept, failed=self._on_failed, key="keep-salt"
            )

    def _take(self) -> None:
        if typed := self._line.text():
            self.given.emit(typed.encode())

    def _ask_keyring(self) -> None:
        def work(_cancelled: Cancelled) -> "RingAnswer":
            from inspector.replay.keyring_asking import read_ring

            return read_ring((SALT_VARIABLE,))

        self._look.setEnabled(False)
        self._about.setText("Asking the keyring…")
        self._tasks.start(work, done=self._on_found, failed=self._on_failed, key="look-salt")

    def _on_found(self, answer: "RingAnswer") -> None:
        self._look.setEnabled(True)
        self._session.take_from_ring(answer.values)
        salt = answer.values.get(SALT_VARIABLE)
        if salt:
            self._about.setText(_ABOUT)
            self.given.emit(salt.encode())
        else:
            self._about.setText(answer.problem or f"The keyring has no {SALT_VARIABLE}.")

    def _on_kept(self, problem: str) -> None:
        self._about.setText(problem or "It is in the keyring now.")
        self.kept.emit()

    def _on_failed(self, error: Exception) -> None:
        # By its class only: what it says may hold what was asked for.
        self._look.setEnabled(True)
        self._about.setText(f"The keyring cannot be asked ({type(error).__name__}).")


def _kept(salt: str, _cancelled: Cancelled) -> str:
    from inspector.replay.keyring_asking import keep_in_ring

    return keep_in_ring(SALT_VARIABLE, salt).problem
