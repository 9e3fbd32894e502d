"""Where another value is written for a call that is held."""

from typing import Any

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from inspector.errors import InspectorError
from inspector.gui import theme
from inspector.gui.tips import tip
from inspector.gui.widgets.json_edit import JsonEdit
from inspector.gui.widgets.labels import Words
from inspector.gui.widgets.plain import Hairline, LinkButton, PanelGround
from inspector.presentation.held_value import (
    Edit,
    EditError,
    read_edit,
    reads_as_text,
    text_to_edit,
)
from inspector.presentation.live_replay import HeldCall

_CHECK_AFTER_MS = 150
_TEXT_HINT = "This text goes on in place of the result. Ctrl+Enter uses it, Esc leaves it."
_JSON_HINT = "Ctrl+Enter uses it, Esc leaves it. Values with $ are objects as the file has them."
_NOT_WHOLE = "Only the beginning is here: what is used replaces all of it."


class HeldEditor(QWidget):
    """Takes what a held call is to go on with, and says what is wrong with it, and where."""

    used = Signal(object)  # Edit
    left = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._call: HeldCall | None = None
        self._as_text = False
        self._recorded: Any = None
        self._error: EditError | None = None
        self._edit = JsonEdit("The value that the call goes on with")
        self._told = Words(step=-1, colour="secondary", wrap=True)
        self._where = LinkButton("", self._go_to_error)
        self._use = QPushButton("Use this value")
        self._use.clicked.connect(self.use)
        self._leave = QPushButton("Cancel")
        self._leave.clicked.connect(self.left)
        self._take = LinkButton("Take the recorded value", self._take_recorded)
        self._checking = QTimer(self)
        self._checking.setSingleShot(True)
        self._checking.setInterval(_CHECK_AFTER_MS)
        self._checking.timeout.connect(self.check)
        self._edit.textChanged.connect(self._on_changed)
        self._edit.done.connect(self.use)
        self._edit.left.connect(self.left)
        self._lay_out()
        self.setFocusProxy(self._edit)

    @property
    def edit(self) -> JsonEdit:
        return self._edit

    @property
    def told(self) -> str:
        """What is said below the text: what is wrong with it, or how to go on."""
        return self._told.text()

    def begin(self, call: HeldCall, value: Any, recorded: Any = None) -> None:
        """Show a value to be edited.

        Args:
            call: The call that is held.
            value: What it goes on with as things are.
            recorded: What the recording has there, where that is something else.

        Raises:
            InspectorError: It is too large to be edited.

        """
        text = text_to_edit(call, value)
        self._call = call
        self._recorded = recorded
        self._take.setVisible(recorded is not None)
        self._show(text, as_text=reads_as_text(call, value))
        self._edit.selectAll() if self._as_text else None
        self._edit.setFocus()

    def use(self) -> None:
        """Hand over what was written, if it is a value for the call."""
        edit = self.check()
        if edit is not None:
            self.used.emit(edit)
        elif self._error is not None:
            self._go_to_error()

    def refuse(self, words: str) -> None:
        """Say why the worker did not take what was written."""
        self._say(words, wrong=True)

    def check(self) -> Edit | None:
        """Look at what was written; say what is wrong."""
        self._checking.stop()
        if self._call is None:
            return None
        self._error = None
        try:
            edit = read_edit(self._call, self._edit.toPlainText(), as_text=self._as_text)
        except EditError as error:
            self._error = error
            self._edit.mark_wrong((error.start, error.end))
            self._say(f"{error} {error.hint}".strip(), wrong=True)
            self._use.setEnabled(False)
            return None
        self._edit.mark_wrong(None)
        hint = _TEXT_HINT if self._as_text else _JSON_HINT
        self._say(f"{_NOT_WHOLE} {hint}" if self._call.cut else hint, wrong=False)
        self._use.setEnabled(True)
        return edit

    def _lay_out(self) -> None:
        said = QHBoxLayout()
        said.setContentsMargins(theme.GROUP_GAP_PX, theme.GAP_PX, theme.GAP_PX, 0)
        said.setSpacing(theme.GAP_PX)
        said.addWidget(self._told, 1)
        said.addWidget(self._where, 0, Qt.AlignmentFlag.AlignTop)
        below = QHBoxLayout()
        below.setContentsMargins(theme.GRID_PX, theme.GRID_PX, theme.GAP_PX, theme.GAP_PX)
        below.setSpacing(theme.GAP_PX)
        below.addWidget(self._take)
        below.addStretch(1)
        below.addWidget(self._leave)
        below.addWidget(self._use)
        ground = QWidget()
        PanelGround(ground)
        column = QVBoxLayout(ground)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._edit, 1)
        column.addWidget(Hairline())
        column.addLayout(said)
        column.addLayout(below)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(ground)

    def _show(self, text: str, *, as_text: bool) -> None:
        self._as_text = as_text
        self._edit.take_for(json=not as_text)
        self._edit.setPlainText(text)
        self.check()

    def _on_changed(self) -> None:
        if self._call is not None:
            self._checking.start()

    def _take_recorded(self) -> None:
        if self._call is None:
            return
        try:
            text = text_to_edit(self._call, self._recorded)
        except InspectorError as error:
            self._say(f"{error} {error.hint}".strip(), wrong=True)
            return
        self._show(text, as_text=reads_as_text(self._call, self._recorded))
        self._edit.setFocus()

    def _go_to_error(self) -> None:
        if self._error is not None:
            self._edit.go_to(self._error.start)

    def _say(self, words: str, *, wrong: bool) -> None:
        self._told.setText(words)
        self._told.set_colour("failed" if wrong else "secondary")
        self._edit.setAccessibleDescription(words)
        place = self._error.start if self._error is not None else None
        self._where.setVisible(place is not None)
        if place is not None:
            line = self._edit.toPlainText().count("\n", 0, place) + 1
            self._where.say("Go there")
            self._where.setToolTip(tip(f"Put the caret where it is wrong, in line {line}"))
