"""Asks who may open a sealed copy of a run, and seals it."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QRadioButton,
    QVBoxLayout,
    QWidget,
)

from inspector.errors import InspectorError
from inspector.gui import theme
from inspector.gui.dialogs.buttons import close_row
from inspector.gui.dialogs.choose_files import choose_file
from inspector.gui.tasks.runner import Cancelled, TaskRunner
from inspector.gui.widgets.labels import Words
from inspector.presentation.visible import one_line
from inspector.trust.sealed_copies import For, keys_among, write_sealed
from inspector.trust.sealing import IDENTITY, PASSPHRASE, keys_in, public_of, recipients_in

if TYPE_CHECKING:
    from inspector.runfile.model import PipelineRun

_MARGIN_PX = 20
_WIDE_CHARACTERS = 76
_LINES_OF_KEYS = 4
_LONGEST = 4_096
_NOTE = (
    "The copy is encrypted whole, and nothing is taken out of it: who opens it reads all of the"
    " run. The run itself stays as it is."
)


class SealDialog(QDialog):
    """Makes a sealed copy beside the window. What is typed is forgotten with it."""

    place_wanted = Signal(object)  # Callable[[Path], None]: with where the copy goes
    sealed = Signal(object, str)  # Path, what else there is to say

    def __init__(
        self, run: "PipelineRun", origin: Path | None, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Seal")
        self._run, self._origin = run, origin
        self._tasks = TaskRunner(self)
        self._for_keys = QRadioButton("The owners of these public keys")
        self._for_keys.setChecked(True)
        self._keys = QPlainTextEdit()
        self._keys.setAccessibleName("Public keys, one a line")
        self._keys.setPlaceholderText("age1… or ssh-ed25519 …, one a line")
        self._keys.setFont(theme.monospace())
        self._keys.setTabChangesFocus(True)
        high = self._keys.fontMetrics().lineSpacing() * _LINES_OF_KEYS + 2 * theme.GAP_PX
        self._keys.setFixedHeight(high)
        self._file = _button("Add a file of keys…", "key-file", self._ask_for_file)
        self._own = QCheckBox("And me: for the key that is in my keyring")
        self._own.setObjectName("own")
        self._by_phrase = QRadioButton("Who knows this passphrase")
        self._phrase = _secret_line("Passphrase")
        self._again = _secret_line("The passphrase once more")
        self._keep = QCheckBox("Keep it in my keyring")
        self._keep.setObjectName("keep")
        self._said = Words("", wrap=True)
        self._said.setObjectName("said")
        self._seal = _button("Seal and save as…", "seal", self._ask_where)
        self._seal.setDefault(True)
        self._lay_out()
        self._for_keys.toggled.connect(self._on_way)
        self.finished.connect(self._tasks.close)
        self._allow()
        self._keys.setFocus()

    @property
    def busy(self) -> bool:
        """Whether something is being sealed."""
        return self._tasks.busy

    def _lay_out(self) -> None:
        below_keys = QHBoxLayout()
        below_keys.addWidget(self._file)
        below_keys.addWidget(self._own)
        below_keys.addStretch(1)
        phrases = QHBoxLayout()
        phrases.setSpacing(theme.GAP_PX)
        phrases.addWidget(self._phrase, 1)
        phrases.addWidget(self._again, 1)
        buttons = close_row(self, self._seal)
        buttons.button(QDialogButtonBox.StandardButton.Close).setAutoDefault(False)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(_MARGIN_PX, _MARGIN_PX, _MARGIN_PX, 16)
        layout.setSpacing(theme.GAP_PX)
        layout.addWidget(Words("Who may open the sealed copy?", strong=True))
        layout.addWidget(self._for_keys)
        layout.addWidget(self._keys)
        layout.addLayout(below_keys)
        layout.addSpacing(theme.GRID_PX)
        layout.addWidget(self._by_phrase)
        layout.addLayout(phrases)
        layout.addWidget(self._keep)
        layout.addSpacing(theme.GRID_PX)
        layout.addWidget(Words(_NOTE, step=-1, colour="secondary", wrap=True))
        layout.addWidget(self._said)
        layout.addStretch(1)
        layout.addWidget(buttons)
        wide = self.fontMetrics().averageCharWidth() * _WIDE_CHARACTERS
        # Room for a sentence, so that nothing moves when there is one.
        self.resize(wide, layout.totalHeightForWidth(wide) + 2 * self.fontMetrics().lineSpacing())

    def _on_way(self) -> None:
        self._say("", "secondary")
        self._allow()

    def _allow(self) -> None:
        """Let a person fill in what the chosen way needs."""
        free = not self._tasks.busy
        by_keys = self._for_keys.isChecked()
        of_keys: tuple[QWidget, ...] = (self._keys, self._file, self._own)
        of_phrase: tuple[QWidget, ...] = (self._phrase, self._again, self._keep)
        of_both: tuple[QWidget, ...] = (self._for_keys, self._by_phrase, self._seal)
        for widgets, wanted in ((of_keys, by_keys), (of_phrase, not by_keys), (of_both, True)):
            for widget in widgets:
                widget.setEnabled(free and wanted)

    def _ask_for_file(self) -> None:
        choose_file(self, "Public keys", str(Path.home()), self._take_file)

    def _take_file(self, path: Path) -> None:
        try:
            keys = recipients_in(str(path))
        except InspectorError as error:
            self._fail(error)
            return
        there = self._keys.toPlainText().splitlines()
        more = [key for key in keys if key not in there]
        self._keys.setPlainText("\n".join([*filter(None, there), *more]))
        self._say("", "secondary")

    def _ask_where(self) -> None:
        try:
            wanted = self._wanted()
        except InspectorError as error:
            self._fail(error)
            return
        self._say("", "secondary")
        self.place_wanted.emit(lambda place: self._write(wanted, place))

    def _wanted(self) -> For:
        if self._by_phrase.isChecked():
            phrase = self._phrase.text()
            if not phrase:
                raise InspectorError("A passphrase is needed.")
            if phrase != self._again.text():
                raise InspectorError("Those are two different passphrases.")
            return For(passphrase=phrase)
        text = self._keys.toPlainText()
        if not text.strip() and self._own.isChecked():
            return For()
        return For(keys_among(text))

    def _write(self, wanted: For, place: Path) -> None:
        run, origin = self._run, self._origin
        own, keep = self._own.isChecked(), self._keep.isChecked()

        def work(cancelled: Cancelled) -> str:
            whole = wanted
            if own and not wanted.passphrase:
                whole = For(tuple(dict.fromkeys((*wanted.keys, *_own_keys(cancelled)))))
            told = write_sealed(run, origin, place, whole, cancelled)
            if keep and wanted.passphrase:
                told = f"{told} {_kept(wanted.passphrase, cancelled)}".strip()
            return told

        self._say("Sealing…", "secondary")
        self._tasks.start(
            work, done=lambda told: self._done(place, told), failed=self._fail, key="seal"
        )
        self._allow()

    def _done(self, place: Path, told: str) -> None:
        self.sealed.emit(place, told)
        self.accept()

    def _fail(self, error: Exception) -> None:
        if isinstance(error, InspectorError):
            self._say(f"{one_line(str(error))} {one_line(error.hint)}".strip(), "failed")
        else:
            # By its class only: what it says may hold what was typed.
            self._say(f"That went wrong in here ({type(error).__name__}).", "failed")
        self._allow()

    def _say(self, words: str, colour: str) -> None:
        self._said.setText(words)
        self._said.set_colour(colour)


def _own_keys(cancelled: Cancelled) -> list[str]:
    from inspector.replay.keyring_asking import read_ring

    answer = read_ring((IDENTITY,), cancelled=cancelled)
    if IDENTITY not in answer.values:
        raise InspectorError(
            answer.problem or f"There is no key {IDENTITY} in the keyring.",
            hint="run-inspector seal --make-key makes one.",
        )
    return public_of(keys_in(answer.values[IDENTITY]))


def _kept(passphrase: str, cancelled: Cancelled) -> str:
    from inspector.replay.keyring_asking import keep_in_ring

    problem = keep_in_ring(PASSPHRASE, passphrase, cancelled=cancelled).problem
    return f"The passphrase was not kept. {problem}" if problem else ""


def _button(words: str, name: str, do: Callable[[], None]) -> QPushButton:
    button = QPushButton(words)
    button.setObjectName(name)
    button.setAutoDefault(False)
    button.clicked.connect(do)
    return button


def _secret_line(name: str) -> QLineEdit:
    line = QLineEdit()
    line.setEchoMode(QLineEdit.EchoMode.Password)
    line.setAccessibleName(name)
    line.setPlaceholderText(name.lower())
    line.setMaxLength(_LONGEST)
    return line
