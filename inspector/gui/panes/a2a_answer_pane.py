"""What a task asks for, and the form that answers it."""

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QStackedLayout, QVBoxLayout, QWidget

from inspector.errors import InspectorError
from inspector.gui import theme
from inspector.gui.widgets.a2a_message_form import A2AMessageForm
from inspector.gui.widgets.empty_words import EmptyWords
from inspector.gui.widgets.hayhooks_fields import Wrong
from inspector.gui.widgets.labels import Words
from inspector.gui.widgets.plain import FileWords, Hairline, PanelGround
from inspector.hayhooks.a2a.cards import A2ACard
from inspector.importers.a2a_told import A2ATask
from inspector.presentation.a2a_words import kind_asked, message_words
from inspector.presentation.visible import one_line

_NOT_ASKING = "It asks for nothing now. When it wants an answer, the form for it stands here."
_LONGEST = 4_000


class A2AAnswerPane(QWidget):
    """Keeps what was typed while the same thing is asked, whatever else comes."""

    answer_requested = Signal(object)  # Answer

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._asked: tuple[Any, ...] | None = None
        self._busy = False
        self._kind = Words("", step=-1, colour="secondary")
        self._message = FileWords("", wrap=True, step=1)
        self._message.setObjectName("message")
        self._form = A2AMessageForm("Your answer")
        self._said = Words("", colour="secondary", wrap=True)
        self._said.setObjectName("said")
        self._send = QPushButton("Answer")
        self._send.setObjectName("answer")
        self._empty = EmptyWords(words=_NOT_ASKING)
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
        for way in self._form.ways:
            row.addWidget(way)
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
    def form(self) -> A2AMessageForm:
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

    def show_task(self, task: A2ATask | None, card: A2ACard | None) -> bool:
        """Show what it asks for; say whether that is another thing than before."""
        if task is None or not task.asks:
            is_new = self._asked is not None
            self._asked, self._busy = None, False
            self._pages.setCurrentIndex(0)
            return is_new
        schema = _schema_of(task, card)
        said = task.message
        asked = (said and (said.id, said.parts), task.changed_ns, schema)
        if asked == self._asked:
            return False
        self._asked, self._busy = asked, False
        self._kind.setText(kind_asked(task))
        self._message.setText(message_words(said)[:_LONGEST] or "It says nothing more.")
        self._form.show_schema(schema)
        self._say("")
        self._send.setEnabled(True)
        self._pages.setCurrentIndex(1)
        return True

    def show_asking(self, *, busy: bool) -> None:
        """Show that an answer is on its way, or is not any more."""
        self._busy = busy
        self._send.setEnabled(not busy)
        if busy:
            self._say("Sent…")

    def show_refusal(self, error: InspectorError) -> None:
        """Say why the agent did not take the answer, beside the fields that it names."""
        self.show_asking(busy=False)
        self._form.show_refusal(error)
        self._say(one_line(f"{error} {error.hint}"), "failed")

    def _ask(self) -> None:
        if self._busy:
            return
        said = self._form.read()
        if isinstance(said, Wrong):
            self._say("Not sent: see beside the fields.", "failed")
            return
        self.answer_requested.emit(said)

    def _say(self, words: str, colour: str = "secondary") -> None:
        self._said.setText(words)
        self._said.set_colour(colour)


def _schema_of(task: A2ATask, card: A2ACard | None) -> Mapping[str, Any] | None:
    if task.message is not None and task.message.schema is not None:
        return task.message.schema
    return card.resume_schema if card is not None else None
