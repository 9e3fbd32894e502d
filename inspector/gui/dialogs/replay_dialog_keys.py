"""Keys for what runs live: where each comes from, and a place to type one."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QGridLayout,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from inspector.gui import theme
from inspector.gui.tasks.runner import Cancelled, TaskRunner
from inspector.gui.widgets.labels import ElidedWords, Words
from inspector.presentation.visible import one_line
from inspector.replay.keys import KeySource, SessionKeys, may_be_given

if TYPE_CHECKING:
    from inspector.replay.keyring_asking import RingAnswer

_MOST = 8
_SOURCES = {
    KeySource.SESSION: ("typed, for this session", "same"),
    KeySource.ENVIRONMENT: ("in the environment", "same"),
    KeySource.KEYRING: ("from the keyring", "same"),
    KeySource.NOWHERE: ("not set", "secondary"),
}


class Keeper(NamedTuple):
    """Who puts keys into the keyring, and whom to tell how that went.

    It takes a while. `tasks` outlives the dialog in which they were typed, where that closes.
    """

    tasks: TaskRunner
    tell: Callable[[str], None]

    def keep(self, typed: Mapping[str, str]) -> None:
        """Put these values away, by the names of their variables."""

        def work(cancelled: Cancelled) -> str:
            from inspector.replay.keyring_asking import keep_in_ring

            answers = [
                keep_in_ring(name, value, cancelled=cancelled) for name, value in typed.items()
            ]
            problem = next((each.problem for each in answers if each.problem), "")
            return f"Not kept in the keyring. {problem}" if problem else "Kept in the keyring."

        def failed(error: Exception) -> None:
            # By its class only: what it says may hold what was to be kept.
            self.tell(f"Not kept in the keyring, which cannot be asked ({type(error).__name__}).")

        self.tasks.start(work, done=self.tell, failed=failed, key=object())


class KeysSection(QWidget):
    """Says where the variables come from that live calls read. Nothing typed is ever shown."""

    changed = Signal()

    def __init__(
        self,
        keys: SessionKeys,
        tasks: TaskRunner,
        parent: QWidget | None = None,
        *,
        keeper: Keeper | None = None,
        title: str = "Keys for live calls",
        note: str = "What is typed is handed to the replay only, and forgotten with the window.",
    ) -> None:
        super().__init__(parent)
        self._keys = keys
        self._tasks = tasks
        self._keeper = keeper
        self._names: tuple[str, ...] = ()
        self._lines: dict[str, QLineEdit] = {}
        self._states: dict[str, Words] = {}
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(theme.GRID_PX)
        layout.addWidget(Words(title, strong=True))
        self._grid_place = QWidget()
        self._grid = QGridLayout(self._grid_place)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(theme.GAP_PX)
        self._grid.setVerticalSpacing(theme.GRID_PX)
        self._grid.setColumnStretch(0, 1)
        layout.addWidget(self._grid_place)
        self._look = QPushButton("Look in the keyring")
        self._look.setAutoDefault(False)
        self._look.clicked.connect(self.look)
        self._keep = QCheckBox("Keep what is typed in the keyring")
        layout.addWidget(self._keep)
        layout.addWidget(self._look, 0, Qt.AlignmentFlag.AlignLeft)
        self._note = Words(note, step=-1, colour="secondary", wrap=True)
        layout.addWidget(self._note)

    def show_names(self, names: tuple[str, ...]) -> None:
        """Ask for these variables; they come from a file."""
        kept = tuple(name for name in names if may_be_given(name))[:_MOST]
        if kept == self._names:
            return
        self._names = kept
        while (item := self._grid.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.hide()
                widget.deleteLater()
        self._lines.clear()
        self._states.clear()
        for place, name in enumerate(kept):
            label = ElidedWords(one_line(name))
            label.setFont(theme.monospace())
            line = self._lines[name] = QLineEdit()
            line.setEchoMode(QLineEdit.EchoMode.Password)
            line.setAccessibleName(f"Key {name}")
            line.setPlaceholderText("type another")
            line.setMaxLength(4_096)
            state = self._states[name] = Words("", step=-1)
            self._grid.addWidget(label, 2 * place, 0)
            self._grid.addWidget(state, 2 * place, 1)
            self._grid.addWidget(line, 2 * place + 1, 0, 1, 2)
        self._say()

    @property
    def names(self) -> tuple[str, ...]:
        """The variables that are asked for."""
        return self._names

    def take(self) -> dict[str, str]:
        """Take what was typed into the keys of the session, and return what a worker is given."""
        typed = {name: line.text() for name, line in self._lines.items() if line.text()}
        for name, value in typed.items():
            self._keys.give(name, value)
            self._lines[name].clear()
        if typed and self._keep.isChecked():
            self._put_away(typed)
        self._say()
        return self._keys.environment(self._names)

    def look(self) -> None:
        """Ask the keyring for what is not there yet."""
        names = tuple(
            name for name in self._names if self._keys.source_of(name) is KeySource.NOWHERE
        )
        if not names:
            self._note.setText("Everything is there already.")
            return

        def work(cancelled: Cancelled) -> "RingAnswer":
            from inspector.replay.keyring_asking import read_ring

            return read_ring(names, cancelled=cancelled)

        self._look.setEnabled(False)
        self._note.setText("Asking the keyring…")
        self._tasks.start(work, done=self._found, failed=self._failed, key=(self, "keyring"))

    def _found(self, answer: "RingAnswer") -> None:
        self._look.setEnabled(True)
        self._keys.take_from_ring(answer.values)
        if answer.problem:
            self._note.setText(answer.problem)
        elif not answer.values:
            self._note.setText("The keyring has none of these.")
        else:
            self._note.setText("Found in the keyring.")
        self._say()
        self.changed.emit()

    def _put_away(self, typed: dict[str, str]) -> None:
        keeper = self._keeper or Keeper(self._tasks, self._note.setText)
        keeper.keep(typed)

    def _failed(self, error: Exception) -> None:
        # By its class only: what it says may hold what was asked for.
        self._look.setEnabled(True)
        self._note.setText(f"The keyring cannot be asked ({type(error).__name__}).")

    def _say(self) -> None:
        for name, state in self._states.items():
            words, colour = _SOURCES[self._keys.source_of(name)]
            state.setText(words)
            state.set_colour(colour)
