"""Sends something to a server: where to, and what, in a form."""

import json
from collections.abc import Iterable, Sequence
from typing import Any
from uuid import uuid4

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from inspector.errors import InspectorError
from inspector.gui import theme
from inspector.gui.dialogs.buttons import close_row
from inspector.gui.widgets.hayhooks_fields import Wrong
from inspector.gui.widgets.labels import Words
from inspector.gui.widgets.plain import FileWords, Hairline
from inspector.presentation.visible import one_line


class ServedSendDialog(QDialog):
    """What is sent has one key, so that however often it is sent, it makes one piece of work.

    Args:
        choices: Where it may go, each in words and with what it says of itself.
        which: Where one of them is chosen.
        form: Where is typed what is sent.
        ways: Other ways to type it.
        send: What is on the button that sends it.
        note: What is said while nothing is wrong.
        nowhere: What is said where there is no choice.
        size: Letters in a line, and lines.
        below: What stands below the form.

    """

    def __init__(
        self,
        choices: Sequence[tuple[str, str]],
        *,
        which: QComboBox,
        form: QWidget,
        ways: Iterable[QWidget],
        send: str,
        note: str,
        nowhere: str,
        size: tuple[int, int],
        below: Sequence[QWidget] = (),
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._descriptions = [description for _words, description in choices]
        self._note, self._nowhere = note, nowhere
        self._sent: tuple[str, str] | None = None  # what was sent last, and its key
        self._busy = False
        self._which = which
        for words, _description in choices:
            which.addItem(words[:200])
        self._about = FileWords("", wrap=True, step=-1, colour="secondary")
        self._said = Words(note, step=-1, colour="secondary", wrap=True)
        self._said.setObjectName("said")
        self._send = QPushButton(send)
        self._send.setObjectName("send")
        self._send.setDefault(True)
        first = QHBoxLayout()
        first.setSpacing(theme.GAP_PX)
        first.addWidget(Words("To", colour="secondary"))
        first.addWidget(which, 1)
        for way in ways:
            first.addWidget(way)
        foot = QHBoxLayout()
        foot.setSpacing(theme.GROUP_GAP_PX)
        foot.addWidget(self._said, 1)
        row = close_row(self, self._send)
        row.button(QDialogButtonBox.StandardButton.Close).setAutoDefault(False)
        foot.addWidget(row)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(20, 20, 20, 16)
        layout.setSpacing(theme.GROUP_GAP_PX)
        layout.addLayout(first)
        layout.addWidget(self._about)
        layout.addWidget(Hairline())
        layout.addWidget(form, 1)
        for widget in below:
            layout.addWidget(widget)
        layout.addWidget(Hairline())
        layout.addLayout(foot)
        there, metrics = self.screen().availableGeometry().size(), self.fontMetrics()
        letters, lines = size
        self.resize(
            min(metrics.averageCharWidth() * letters, there.width() - 40),
            min(metrics.lineSpacing() * lines, there.height() - 80),
        )
        self._send.clicked.connect(self._ask)

    @property
    def said(self) -> str:
        return self._said.text()

    def show_refusal(self, error: Exception) -> None:
        """Say why it was not taken, beside the fields that are named."""
        self._rest()
        if isinstance(error, InspectorError):
            self._show_problems(error)
            self._say(one_line(f"{error} {error.hint}"), "failed")
        else:
            self._say("That went wrong in here.", "failed")

    # What a form has of its own

    def _show_form(self, place: int) -> None:
        """Show the form of a choice, with the caret in it."""

    def _show_problems(self, error: InspectorError) -> None:
        """Say what is wrong beside each field."""

    def _read(self) -> Any:
        """Return what was filled in, or what is wrong with it."""

    def _emit(self, place: int, value: Any) -> None:
        """Have it sent to a choice."""

    # What happens

    def _choose(self, place: int) -> None:
        """Begin with a choice."""
        self._which.setCurrentIndex(place)
        self._on_chosen()
        self._which.currentIndexChanged.connect(self._on_chosen)

    def _on_chosen(self) -> None:
        place = self._which.currentIndex()
        if not 0 <= place < len(self._descriptions):
            self._send.setEnabled(False)
            self._say(self._nowhere)
            return
        said = one_line(self._descriptions[place])[:600]
        self._about.setText(said)
        self._about.setVisible(bool(said))
        self._show_form(place)
        self._say_note()

    def _ask(self) -> None:
        place = self._which.currentIndex()
        if self._busy or not 0 <= place < len(self._descriptions):
            return
        value = self._read()
        if isinstance(value, Wrong):
            self._say("Not sent: see beside the fields.", "failed")
            return
        self._busy = True
        self._send.setEnabled(False)
        self._say("Sent…")
        self._emit(place, value)

    def _key(self, *wish: Any) -> str:
        """Return the key of a wish: the same while nothing of it was changed."""
        words = json.dumps(wish, sort_keys=True)
        if self._sent is None or self._sent[0] != words:
            self._sent = (words, f"run-inspector-{uuid4()}")
        return self._sent[1]

    def _rest(self) -> None:
        self._busy = False
        self._send.setEnabled(True)

    def _say_note(self) -> None:
        self._say(self._note)

    def _say(self, words: str, colour: str = "secondary") -> None:
        self._said.setText(words)
        self._said.set_colour(colour)


def choice_box(object_name: str, name: str) -> QComboBox:
    """Return where one chooses where something goes."""
    made = QComboBox()
    made.setObjectName(object_name)
    made.setAccessibleName(name)
    return made
