"""What somebody waits for, and the form that answers it."""

from collections.abc import Iterable
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QStackedLayout, QVBoxLayout, QWidget

from inspector.errors import InspectorError
from inspector.gui import theme
from inspector.gui.widgets.empty_words import EmptyWords
from inspector.gui.widgets.hayhooks_fields import Wrong
from inspector.gui.widgets.labels import Words
from inspector.gui.widgets.plain import FileWords, Hairline, PanelGround
from inspector.presentation.visible import one_line

_LONGEST = 4_000


class ServedAnswerPane(QWidget):
    """Keeps what was typed while the same thing is asked, whatever else comes.

    Args:
        form: Where the answer is typed.
        ways: Other ways to type it, at the right below the form.
        send: The button that sends it.
        nothing: What is said while nothing is asked.

    """

    answer_requested = Signal(object)  # what the form was filled in with

    def __init__(
        self,
        form: QWidget,
        ways: Iterable[QWidget],
        send: QPushButton,
        nothing: str,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._asked: object | None = None
        self._busy = False
        self._kind = Words("", step=-1, colour="secondary")
        self._message = FileWords("", wrap=True, step=1)
        self._message.setObjectName("message")
        self._said = Words("", colour="secondary", wrap=True)
        self._said.setObjectName("said")
        self._send = send
        body = QWidget()
        PanelGround(body)
        gap = theme.GROUP_GAP_PX
        column = QVBoxLayout(body)
        column.setContentsMargins(gap, gap, gap, theme.GAP_PX)
        column.setSpacing(theme.GAP_PX)
        column.addWidget(self._kind)
        column.addWidget(self._message)
        column.addWidget(Hairline())
        column.addWidget(form)
        row = QHBoxLayout()
        row.setSpacing(theme.GROUP_GAP_PX)
        row.addWidget(send)
        row.addWidget(self._said, 1)
        for way in ways:
            row.addWidget(way)
        column.addLayout(row)
        column.addStretch(1)
        self._pages = QStackedLayout(self)
        self._pages.setContentsMargins(0, 0, 0, 0)
        self._pages.addWidget(EmptyWords(words=nothing))
        self._pages.addWidget(body)
        send.clicked.connect(self._ask)

    @property
    def is_asking(self) -> bool:
        """Whether something is asked of a person."""
        return self._pages.currentIndex() == 1

    @property
    def said(self) -> str:
        return self._said.text()

    def take_focus(self) -> None:
        """Put the focus where the answer begins."""

    def show_asking(self, *, busy: bool) -> None:
        """Show that an answer is on its way, or is not any more."""
        self._busy = busy
        self._send.setEnabled(not busy)
        if busy:
            self._say("Sent…")

    def show_refusal(self, error: InspectorError) -> None:
        """Say why the answer was not taken, beside the fields that are named."""
        self.show_asking(busy=False)
        self._show_problems(error)
        self._say(one_line(f"{error} {error.hint}"), "failed")

    # What a form has of its own

    def _show_problems(self, error: InspectorError) -> None:
        """Say what is wrong beside each field."""

    def _read(self) -> Any:
        """Return what was filled in, or what is wrong with it."""

    # What is asked

    def _show_nothing(self) -> bool:
        """Show that nothing is asked; say whether something was."""
        was_asked = self._asked is not None
        self._asked, self._busy = None, False
        self._pages.setCurrentIndex(0)
        return was_asked

    def _is_known(self, asked: object) -> bool:
        """Say whether this is asked already; the form for it stays as it is."""
        return asked == self._asked

    def _show_question(self, asked: object, kind: str, message: str) -> None:
        self._asked, self._busy = asked, False
        self._kind.setText(kind)
        self._message.setText(message[:_LONGEST] or "It says nothing more.")
        self._say("")
        self._send.setEnabled(True)
        self._pages.setCurrentIndex(1)

    def _ask(self) -> None:
        if self._busy:
            return
        said = self._read()
        if isinstance(said, Wrong):
            self._say("Not sent: see beside the fields.", "failed")
            return
        self.answer_requested.emit(said)

    def _say_nothing(self) -> None:
        self._say("")

    def _say(self, words: str, colour: str = "secondary") -> None:
        self._said.setText(words)
        self._said.set_colour(colour)
