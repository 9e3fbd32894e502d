"""Begins a task: which agent, and what is said to it."""

from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from inspector.errors import InspectorError
from inspector.gui.dialogs.served_send_dialog import ServedSendDialog, choice_box
from inspector.gui.widgets.a2a_message_form import A2AMessageForm
from inspector.gui.widgets.plain import FileWords
from inspector.gui.workspace.open_agents import AgentView
from inspector.presentation.visible import one_line, visible_text
from inspector.presentation.words import elided

_SIZE = (90, 30)
_LONGEST_REPLY = 2_000
_NOTE = "Sent with an id of its own: pressed twice, or sent again after a failure, it is one task."


class A2ASendDialog(ServedSendDialog):
    """Each message has one id, so that however often it is sent, it begins one task."""

    send_requested = Signal(str, object, str)  # name of an agent, Answer, id of the message

    def __init__(
        self, views: tuple[AgentView, ...], name: str, parent: QWidget | None = None
    ) -> None:
        form = A2AMessageForm("Your message")
        reply = FileWords("", wrap=True)
        reply.setObjectName("reply")
        reply.hide()
        choices = [(view.name, view.card) for view in views if view.card is not None]
        super().__init__(
            [(one_line(each), card.description) for each, card in choices],
            which=choice_box("agent", "Which agent it goes to"),
            form=form,
            ways=form.ways,
            send="Send",
            note=_NOTE,
            nowhere="No agent has shown its card yet.",
            size=_SIZE,
            below=(reply,),
            parent=parent,
        )
        self.setWindowTitle("Send a message to an agent")
        self._choices, self._form, self._reply = choices, form, reply
        form.done.connect(self._ask)
        form.changed.connect(self._say_note)
        self._choose(next((at for at, each in enumerate(choices) if each[0] == name), 0))

    @property
    def form(self) -> A2AMessageForm:
        return self._form

    def show_reply(self, words: str) -> None:
        """Show what an agent said that answered at once: there is no task to watch."""
        self._rest()
        self._sent = None  # the same once more is another question
        self._reply.setText(elided(visible_text(words), _LONGEST_REPLY))
        self._reply.show()
        self._say("It answered at once, in words: there is no task.")

    def _show_form(self, place: int) -> None:
        self._form.show_schema(self._choices[place][1].input_schema)
        self._form.take_focus()

    def _show_problems(self, error: InspectorError) -> None:
        self._form.show_refusal(error)

    def _read(self) -> Any:
        return self._form.read()

    def _emit(self, place: int, value: Any) -> None:
        name = self._choices[place][0]
        self.send_requested.emit(name, value, self._key(name, value))
