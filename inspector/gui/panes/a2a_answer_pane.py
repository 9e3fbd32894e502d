"""What a task asks for, and the form that answers it."""

from collections.abc import Mapping
from typing import Any

from PySide6.QtWidgets import QPushButton, QWidget

from inspector.errors import InspectorError
from inspector.gui.panes.served_answer_pane import ServedAnswerPane
from inspector.gui.widgets.a2a_message_form import A2AMessageForm
from inspector.hayhooks.a2a.cards import A2ACard
from inspector.importers.a2a_told import A2ATask
from inspector.presentation.a2a_words import kind_asked, message_words

_NOT_ASKING = "It asks for nothing now. When it wants an answer, the form for it stands here."


class A2AAnswerPane(ServedAnswerPane):
    """Answers an agent in words, or with a form where it says what it wants."""

    def __init__(self, parent: QWidget | None = None) -> None:
        form = A2AMessageForm("Your answer")
        send = QPushButton("Answer")
        send.setObjectName("answer")
        super().__init__(form, form.ways, send, _NOT_ASKING, parent)
        self._form = form
        form.done.connect(self._ask)
        form.changed.connect(self._say_nothing)

    @property
    def form(self) -> A2AMessageForm:
        return self._form

    def take_focus(self) -> None:
        """Put the focus where the answer begins."""
        self._form.take_focus()

    def show_task(self, task: A2ATask | None, card: A2ACard | None) -> bool:
        """Show what it asks for; say whether that is another thing than before."""
        if task is None or not task.asks:
            return self._show_nothing()
        schema = _schema_of(task, card)
        said = task.message
        asked = (said and (said.id, said.parts), task.changed_ns, schema)
        if self._is_known(asked):
            return False
        self._form.show_schema(schema)
        self._show_question(asked, kind_asked(task), message_words(said))
        return True

    def _show_problems(self, error: InspectorError) -> None:
        self._form.show_refusal(error)

    def _read(self) -> Any:
        return self._form.read()


def _schema_of(task: A2ATask, card: A2ACard | None) -> Mapping[str, Any] | None:
    if task.message is not None and task.message.schema is not None:
        return task.message.schema
    return card.resume_schema if card is not None else None
