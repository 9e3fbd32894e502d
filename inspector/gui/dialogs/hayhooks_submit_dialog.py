"""Starts an execution: which deployment, and its input from a form."""

import json
from typing import Any
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
from inspector.gui.models.hayhooks_servers_model import ServerNode
from inspector.gui.widgets.hayhooks_fields import Wrong
from inspector.gui.widgets.hayhooks_form import HayhooksForm
from inspector.gui.widgets.labels import Words
from inspector.gui.widgets.plain import FileWords, Hairline
from inspector.gui.workspace.open_hayhooks import ServerView
from inspector.presentation.json_form import form_of
from inspector.presentation.json_form_check import problems_at
from inspector.presentation.visible import one_line

_WIDE_LETTERS, _HIGH_LINES = 96, 44
_KEY_NOTE = "Sent with a key of its own: pressed twice, or sent again after a failure, it is one."


class HayhooksSubmitDialog(QDialog):
    """Each input has one key, so that however often it is sent, it makes one execution."""

    submit_requested = Signal(str, object, object, str)  # server, Deployment, value, key

    def __init__(
        self, views: tuple[ServerView, ...], node: ServerNode, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Submit an execution")
        self._choices = [
            (view.server.name, each)
            for view in views
            for each in view.deployments
            if each.is_durable
        ]
        self._sent: tuple[str, str] | None = None  # what was sent last, and its key
        self._busy = False
        several = len({name for name, _each in self._choices}) > 1
        self._which = QComboBox()
        self._which.setObjectName("deployment")
        self._which.setAccessibleName("What is submitted to")
        for name, each in self._choices:
            words = (
                f"{one_line(each.name)}  on {one_line(name)}" if several else one_line(each.name)
            )
            self._which.addItem(words[:200])
        self._about = FileWords("", wrap=True, step=-1, colour="secondary")
        self._form = HayhooksForm()
        self._said = Words(_KEY_NOTE, step=-1, colour="secondary", wrap=True)
        self._said.setObjectName("said")
        self._send = QPushButton("Submit")
        self._send.setObjectName("send")
        self._send.setDefault(True)
        self._lay_out()
        self._which.currentIndexChanged.connect(self._on_chosen)
        self._send.clicked.connect(self._ask)
        self._form.done.connect(self._ask)
        self._form.changed.connect(lambda: self._say(_KEY_NOTE))
        wanted = [
            place
            for place, (name, each) in enumerate(self._choices)
            if name == node.server and node.deployment in ("", each.name)
        ]
        self._which.setCurrentIndex(wanted[0] if wanted else 0)
        self._on_chosen()

    @property
    def form(self) -> HayhooksForm:
        return self._form

    @property
    def said(self) -> str:
        return self._said.text()

    def show_refusal(self, error: Exception) -> None:
        """Say why the server did not take it, beside the fields that it names."""
        self._busy = False
        self._send.setEnabled(True)
        if isinstance(error, InspectorError):
            self._form.show_problems(problems_at(getattr(error, "fields", ())))
            self._say(one_line(f"{error} {error.hint}"), "failed")
        else:
            self._say("That went wrong in here.", "failed")

    def _lay_out(self) -> None:
        first = QHBoxLayout()
        first.setSpacing(theme.GAP_PX)
        first.addWidget(Words("To", colour="secondary"))
        first.addWidget(self._which, 1)
        first.addWidget(self._form.switch)
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
        if not 0 <= place < len(self._choices):
            self._send.setEnabled(False)
            self._say("No server has said what it runs.")
            return
        deployment = self._choices[place][1]
        said = one_line(deployment.description)[:600]
        self._about.setText(said)
        self._about.setVisible(bool(said))
        self._form.show_form(form_of(deployment.input_schema))
        self._say(_KEY_NOTE)
        self._form.take_focus()

    def _ask(self) -> None:
        place = self._which.currentIndex()
        if self._busy or not 0 <= place < len(self._choices):
            return
        value: Any = self._form.read()
        if isinstance(value, Wrong):
            self._say("Not sent: see beside the fields.", "failed")
            return
        server, deployment = self._choices[place]
        self._busy = True
        self._send.setEnabled(False)
        self._say("Sent…")
        self.submit_requested.emit(server, deployment, value, self._key(server, value))

    def _key(self, server: str, value: Any) -> str:
        """Return the key of this wish: the same while nothing of it was changed."""
        deployment = self._choices[self._which.currentIndex()][1].name
        wish = json.dumps([server, deployment, value], sort_keys=True)
        if self._sent is None or self._sent[0] != wish:
            self._sent = (wish, f"run-inspector-{uuid4()}")
        return self._sent[1]

    def _say(self, words: str, colour: str = "secondary") -> None:
        self._said.setText(words)
        self._said.set_colour(colour)
