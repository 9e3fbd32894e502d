"""What an execution waits for, and the form that answers it."""

from typing import Any

from PySide6.QtWidgets import QPushButton, QWidget

from inspector.errors import InspectorError
from inspector.gui.panes.served_answer_pane import ServedAnswerPane
from inspector.gui.widgets.hayhooks_form import HayhooksForm
from inspector.hayhooks.client.model import Deployment, Execution
from inspector.presentation.json_form import form_of
from inspector.presentation.json_form_check import problems_at
from inspector.presentation.visible import one_line, visible_text

_NOT_WAITING = "It waits for nothing now. When it asks for an answer, the form for it stands here."


class HayhooksResumePane(ServedAnswerPane):
    """Answers an execution with a form of the fields that it expects."""

    def __init__(self, parent: QWidget | None = None) -> None:
        form = HayhooksForm()
        send = QPushButton("Resume")
        send.setObjectName("resume")
        super().__init__(form, (form.switch,), send, _NOT_WAITING, parent)
        self._form = form
        form.done.connect(self._ask)
        form.changed.connect(self._say_nothing)

    @property
    def form(self) -> HayhooksForm:
        return self._form

    def take_focus(self) -> None:
        """Put the focus where the answer begins."""
        self._form.take_focus()

    def show_execution(self, execution: Execution | None, about: Deployment | None) -> bool:
        """Show what it waits for; say whether that is another thing than before."""
        waiting = execution.waiting if execution is not None else None
        if execution is None or waiting is None:
            return self._show_nothing()
        asked = (waiting, execution.row.attempt)
        if self._is_known(asked):
            return False
        schema = waiting.expected_input_schema or (about.resume_schema if about else None)
        self._form.show_form(form_of(schema))
        kind = one_line(waiting.kind)[:200]
        self._show_question(
            asked,
            f"Waits for {kind}" if kind else "Waits for an answer",
            visible_text(waiting.message),
        )
        return True

    def _show_problems(self, error: InspectorError) -> None:
        self._form.show_problems(problems_at(getattr(error, "fields", ())))

    def _read(self) -> Any:
        return self._form.read()
