"""Asks for the passphrase or the key of a sealed run."""

import os
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from inspector.errors import InspectorError
from inspector.gui import theme
from inspector.gui.dialogs.buttons import close_row
from inspector.gui.dialogs.choose_files import choose_file
from inspector.gui.dialogs.replay_dialog_keys import KeysSection
from inspector.gui.tasks.runner import TaskRunner
from inspector.gui.widgets.labels import Words
from inspector.presentation.visible import one_line
from inspector.replay.keys import SessionKeys
from inspector.trust.sealing import IDENTITY, PASSPHRASE, SealedBy, Secret, keys_in, keys_of_file

_MARGIN_PX = 20
_WIDE_CHARACTERS = 72
_NOTE = (
    "It opens this run and goes nowhere else. The run stays in memory: nothing of it is written,"
    " unless you save or export it."
)


class UnsealDialog(QDialog):
    """Hands on what opens a run; it shows nothing of it."""

    open_requested = Signal(object)  # Secret
    cancel_requested = Signal()

    def __init__(
        self, title: str, by: SealedBy, keys: SessionKeys, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle("Open a sealed run")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._tasks = TaskRunner(self)
        self._by = by
        self._from_file: tuple[str, ...] = ()
        is_phrase = by is SealedBy.PASSPHRASE
        how = "with a passphrase" if is_phrase else "for a key"
        self._keys = KeysSection(
            keys, self._tasks, title="Passphrase" if is_phrase else "Key", note=_NOTE
        )
        self._name = PASSPHRASE if is_phrase else IDENTITY
        self._keys.show_names((self._name,))
        self._file = QPushButton("Key file…")
        self._file.setAutoDefault(False)
        self._file.setVisible(not is_phrase)
        self._file.clicked.connect(self._ask_for_file)
        self._said = Words("", wrap=True)
        self._said.setObjectName("said")
        self._open = QPushButton("Open")
        self._open.setObjectName("open")
        self._open.setDefault(True)
        self._open.clicked.connect(self._ask)
        buttons = close_row(self, self._open)
        buttons.button(QDialogButtonBox.StandardButton.Close).setAutoDefault(False)
        foot = QHBoxLayout()
        foot.addWidget(self._file)
        foot.addStretch(1)
        foot.addWidget(buttons)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(_MARGIN_PX, _MARGIN_PX, _MARGIN_PX, 16)
        layout.setSpacing(theme.GROUP_GAP_PX)
        layout.addWidget(Words(f"{one_line(title)} is sealed {how}.", wrap=True))
        layout.addWidget(self._keys)
        layout.addWidget(self._said)
        layout.addStretch(1)
        layout.addLayout(foot)
        self.finished.connect(self._on_finished)
        wide = self.fontMetrics().averageCharWidth() * _WIDE_CHARACTERS
        # Room for a sentence, so that nothing moves when there is one.
        high = layout.totalHeightForWidth(wide) + 2 * self.fontMetrics().lineSpacing()
        self.resize(wide, high)
        if (field := self._keys.findChild(QLineEdit)) is not None:
            field.setFocus()

    def show_failure(self, message: str, hint: str) -> None:
        """Say why it did not open."""
        self._open.setEnabled(True)
        self._say(f"{one_line(message)} {one_line(hint)}".strip(), "failed")

    def _ask(self) -> None:
        given = self._keys.take().get(self._name) or os.environ.get(self._name, "")
        try:
            secret = self._secret(given)
        except InspectorError as error:
            self.show_failure(str(error), error.hint)
            return
        self._open.setEnabled(False)
        self._say("Opening…", "secondary")
        self.open_requested.emit(secret)

    def _secret(self, given: str) -> Secret:
        if self._by is SealedBy.PASSPHRASE:
            if not given:
                raise InspectorError("A passphrase is needed.")
            return Secret(passphrase=given)
        typed = keys_in(given) if given else ()
        if not typed and not self._from_file:
            raise InspectorError("A key is needed.", hint="Type it, or choose its file.")
        return Secret(keys=(*self._from_file, *typed))

    def _ask_for_file(self) -> None:
        choose_file(self, "Key", str(Path.home()), self._take_file)

    def _take_file(self, path: Path) -> None:
        try:
            self._from_file = keys_of_file(path)
        except InspectorError as error:
            self.show_failure(str(error), error.hint)
        else:
            self._say(f"The key of {one_line(path.name)} is used.", "secondary")

    def _say(self, words: str, colour: str) -> None:
        self._said.setText(words)
        self._said.set_colour(colour)

    def _on_finished(self) -> None:
        self._tasks.close()
        self.cancel_requested.emit()
