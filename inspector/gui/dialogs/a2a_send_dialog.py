"""Begins a task: which agent, and what is said to it."""

import json
from uuid import uuid4

from PySide6.QtCore import Qt, Signal
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
from inspector.gui.widgets.a2a_message_form import A2AMessageForm
from inspector.gui.widgets.hayhooks_fields import Wrong
from inspector.gui.widgets.labels import Words
from inspector.gui.widgets.plain import FileWords, Hairline
from inspector.gui.workspace.open_agents import AgentView
from inspector.gui.workspace.open_task import Answer
from inspector.presentation.visible import one_line, visible_text
from inspector.presentation.words import elided

_WIDE_LETTERS, _HIGH_LINES = 90, 30
_LONGEST_REPLY = 2_000
_NOTE = "Sent with an id of its own: pressed twice, or sent again after a failure, it is one task."


class A2ASendDialog(QDialog):
    """Each message has one id, so that however often it is sent, it begins one task."""

    send_requested = Signal(str, object, str)  # name of an agent, Answer, id of the message

    def __init__(
        self, views: tuple[AgentView, ...], name: str, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Send a message to an agent")
        self._choices = [view for view in views if view.card is not None]
        self._sent: tuple[str, str] | None = None  # what was sent last, and its id
        self._busy = False
        self._which = QComboBox()
        self._which.setObjectName("agent")
        self._which.setAccessibleName("Which agent it goes to")
        for view in self._choices:
            self._which.addItem(one_line(view.name)[:200])
        self._about = FileWords("", wrap=True, step=-1, colour="secondary")
        self._form = A2AMessageForm("Your message")
        self._reply = FileWords("", wrap=True)
        self._reply.setObjectName("reply")
        self._reply.hide()
        self._said = Words(_NOTE, step=-1, colour="secondary", wrap=True)
        self._said.setObjectName("said")
        self._send = QPushButton("Send")
        self._send.setObjectName("send")
        self._send.setDefault(True)
        self._lay_out()
        self._which.currentIndexChanged.connect(self._on_chosen)
        self._send.clicked.connect(self._ask)
        self._form.done.connect(self._ask)
        self._form.changed.connect(lambda: self._say(_NOTE))
        places = [place for place, view in enumerate(self._choices) if view.name == name]
        self._which.setCurrentIndex(places[0] if places else 0)
        self._on_chosen()

    @property
    def form(self) -> A2AMessageForm:
        return self._form

    @property
    def said(self) -> str:
        return self._said.text()

    def show_reply(self, words: str) -> None:
        """Show what an agent said that answered at once: there is no task to watch."""
        self._busy = False
        self._send.setEnabled(True)
        self._sent = None  # the same once more is another question
        self._reply.setText(elided(visible_text(words), _LONGEST_REPLY))
        self._reply.show()
        self._say("It answered at once, in words: there is no task.")

    def show_refusal(self, error: Exception) -> None:
        """Say why the agent did not take it, beside the fields that it names."""
        self._busy = False
        self._send.setEnabled(True)
        if isinstance(error, InspectorError):
            self._form.show_refusal(error)
            self._say(one_line(f"{error} {error.hint}"), "failed")
        else:
            self._say("That went wrong in here.", "failed")

    def _lay_out(self) -> None:
        first = QHBoxLayout()
        first.setSpacing(theme.GAP_PX)
        first.addWidget(Words("To", colour="secondary"))
        first.addWidget(self._which, 1)
        for way in self._form.ways:
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
        layout.addWidget(self._form, 1)
        layout.addWidget(self._reply)
        layout.addWidget(Hairline())
        layout.addLayout(foot)
        there = self.screen().availableGeometry().size()
        metrics = self.fontMetrics()
        self.resize(
            min(metrics.averageCharWidth() * _WIDE_LETTERS, there.width() - 40),
            min(metrics.lineSpacing() * _HIGH_LINES, there.height() - 80),
        )

    def _on_chosen(self) -> None:
        place = self._which.currentIndex()
        card = self._choices[place].card if 0 <= place < len(self._choices) else None
        if card is None:
            self._send.setEnabled(False)
            self._say("No agent has shown its card yet.")
            return
        said = one_line(card.description)[:600]
        self._about.setText(said)
        self._about.setVisible(bool(said))
        self._form.show_schema(card.input_schema)
        self._say(_NOTE)
        self._form.take_focus()

    def _ask(self) -> None:
        place = self._which.currentIndex()
        if self._busy or not 0 <= place < len(self._choices):
            return
        said = self._form.read()
        if isinstance(said, Wrong):
            self._say("Not sent: see beside the fields.", "failed")
            return
        name = self._choices[place].name
        self._busy = True
        self._send.setEnabled(False)
        self._say("Sent…")
        self.send_requested.emit(name, said, self._key(name, said))

    def _key(self, name: str, said: Answer) -> str:
        """Return the id of this message: the same while nothing of it was changed."""
        wish = json.dumps([name, said], sort_keys=True)
        if self._sent is None or self._sent[0] != wish:
            self._sent = (wish, f"run-inspector-{uuid4()}")
        return self._sent[1]

    def _say(self, words: str, colour: str = "secondary") -> None:
        self._said.setText(words)
        self._said.set_colour(colour)
