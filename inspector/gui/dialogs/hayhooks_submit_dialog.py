"""Starts an execution: which deployment, and its input from a form."""

from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from inspector.errors import InspectorError
from inspector.gui.dialogs.served_send_dialog import ServedSendDialog, choice_box
from inspector.gui.models.hayhooks_servers_model import ServerNode
from inspector.gui.widgets.hayhooks_form import HayhooksForm
from inspector.gui.workspace.open_hayhooks import ServerView
from inspector.presentation.json_form import form_of
from inspector.presentation.json_form_check import problems_at
from inspector.presentation.visible import one_line

_SIZE = (96, 44)
_NOTE = "Sent with a key of its own: pressed twice, or sent again after a failure, it is one."


class HayhooksSubmitDialog(ServedSendDialog):
    """Each input has one key, so that however often it is sent, it makes one execution."""

    submit_requested = Signal(str, object, object, str)  # server, Deployment, value, key

    def __init__(
        self, views: tuple[ServerView, ...], node: ServerNode, parent: QWidget | None = None
    ) -> None:
        form = HayhooksForm()
        choices = [
            (view.server.name, each)
            for view in views
            for each in view.deployments
            if each.is_durable
        ]
        several = len({name for name, _each in choices}) > 1
        super().__init__(
            [
                (
                    one_line(each.name) + (f"  on {one_line(name)}" if several else ""),
                    each.description,
                )
                for name, each in choices
            ],
            which=choice_box("deployment", "What is submitted to"),
            form=form,
            ways=(form.switch,),
            send="Submit",
            note=_NOTE,
            nowhere="No server has said what it runs.",
            size=_SIZE,
            parent=parent,
        )
        self.setWindowTitle("Submit an execution")
        self._choices, self._form = choices, form
        form.done.connect(self._ask)
        form.changed.connect(self._say_note)
        wanted = [
            place
            for place, (name, each) in enumerate(choices)
            if name == node.server and node.deployment in ("", each.name)
        ]
        self._choose(wanted[0] if wanted else 0)

    @property
    def form(self) -> HayhooksForm:
        return self._form

    def _show_form(self, place: int) -> None:
        self._form.show_form(form_of(self._choices[place][1].input_schema))
        self._form.take_focus()

    def _show_problems(self, error: InspectorError) -> None:
        self._form.show_problems(problems_at(getattr(error, "fields", ())))

    def _read(self) -> Any:
        return self._form.read()

    def _emit(self, place: int, value: Any) -> None:
        server, deployment = self._choices[place]
        key = self._key(server, deployment.name, value)
        self.submit_requested.emit(server, deployment, value, key)
