"""What an execution waits for, and the form that answers it."""

from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QStackedLayout, QVBoxLayout, QWidget

from inspector.errors import InspectorError
from inspector.gui import theme
from inspector.gui.widgets.empty_words import EmptyWords
from inspector.gui.widgets.hayhooks_fields import Wrong
from inspector.gui.widgets.hayhooks_form import HayhooksForm
from inspector.gui.widgets.labels import Words
from inspector.gui.widgets.plain import FileWords, Hairline, PanelGround
from inspector.hayhooks.client.model import Deployment, Execution, Waiting
from inspector.presentation.json_form import form_of
from inspector.presentation.json_form_check import problems_at
from inspector.presentation.visible import one_line, visible_text

_NOT_WAITING = "It waits for nothing now. When it asks for an answer, the form for it stands here."
_LONGEST = 4_000


class HayhooksResumePane(QWidget):
    """Keeps what was typed while the same thing is asked, whatever else comes."""

    resume_requested = Signal(object)  # the value

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._asked: tuple[Waiting, int] | None = None
        self._busy = False
        self._kind = Words("", step=-1, colour="secondary")
        self._message = FileWords("", wrap=True, step=1)
        self._message.setObjectName("message")
        self._form = HayhooksForm()
        self._said = Words("", colour="secondary", wrap=True)
        self._said.setObjectName("said")
        self._send = QPushButton("Resume")
        self._send.setObjectName("resume")
        self._empty = EmptyWords(words=_NOT_WAITING)
        body = QWidget()
        PanelGround(body)
        gap = theme.GROUP_GAP_PX
        column = QVBoxLayout(body)
        column.setContentsMargins(gap, gap, gap, theme.GAP_PX)
        column.setSpacing(theme.GAP_PX)
        column.addWidget(self._kind)
        column.addWidget(self._message)
        column.addWidget(Hairline())
        column.addWidget(self._form)
        row = QHBoxLayout()
        row.setSpacing(theme.GROUP_GAP_PX)
        row.addWidget(self._send)
        row.addWidget(self._said, 1)
        row.addWidget(self._form.switch)
        column.addLayout(row)
        column.addStretch(1)
        self._pages = QStackedLayout(self)
        self._pages.setContentsMargins(0, 0, 0, 0)
        self._pages.addWidget(self._empty)
        self._pages.addWidget(body)
        self._send.clicked.connect(self._ask)
        self._form.done.connect(self._ask)
        self._form.changed.connect(lambda: self._say(""))

    @property
    def form(self) -> HayhooksForm:
        return self._form

    @property
    def is_asking(self) -> bool:
        """Whether something is asked of a person."""
        return self._pages.currentIndex() == 1

    @property
    def said(self) -> str:
        return self._said.text()

    def take_focus(self) -> None:
        """Put the focus where the answer begins."""
        self._form.take_focus()

    def show_execution(self, execution: Execution | None, about: Deployment | None) -> bool:
        """Show what it waits for; say whether that is another thing than before."""
        waiting = execution.waiting if execution is not None else None
        if execution is None or waiting is None:
            is_new = self._asked is not None
            self._asked, self._busy = None, False
            self._pages.setCurrentIndex(0)
            return is_new
        asked = (waiting, execution.row.attempt)
        if asked == self._asked:
            return False
        self._asked, self._busy = asked, False
        kind = one_line(waiting.kind)[:200]
        self._kind.setText(f"Waits for {kind}" if kind else "Waits for an answer")
        self._message.setText(visible_text(waiting.message)[:_LONGEST] or "It says nothing more.")
        schema = waiting.expected_input_schema or (about.resume_schema if about else None)
        self._form.show_form(form_of(schema))
        self._say("")
        self._allow()
        self._pages.setCurrentIndex(1)
        return True

    def show_asking(self, *, busy: bool) -> None:
        """Show that an answer is on its way, or is not any more."""
        self._busy = busy
        self._allow()
        if busy:
            self._say("Sent…")

    def show_refusal(self, error: InspectorError) -> None:
        """Say why the server did not take the answer, beside the fields that it names."""
        self.show_asking(busy=False)
        problems = problems_at(getattr(error, "fields", ()))
        self._form.show_problems(problems)
        self._say(one_line(f"{error} {error.hint}"), "failed")

    def _ask(self) -> None:
        if self._busy:
            return
        value: Any = self._form.read()
        if isinstance(value, Wrong):
            self._say("Not sent: see beside the fields.", "failed")
            return
        self.resume_requested.emit(value)

    def _say(self, words: str, colour: str = "secondary") -> None:
        self._said.setText(words)
        self._said.set_colour(colour)

    def _allow(self) -> None:
        self._send.setEnabled(not self._busy)
