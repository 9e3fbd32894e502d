"""What is said to an agent: a form where it says what it takes, words otherwise or if preferred."""

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from inspector.errors import InspectorError
from inspector.gui.widgets.hayhooks_fields import Wrong
from inspector.gui.widgets.hayhooks_form import HayhooksForm
from inspector.gui.widgets.plain import LinkButton
from inspector.gui.workspace.open_task import Answer
from inspector.presentation.json_form import Field, form_of
from inspector.presentation.json_form_check import problems_at

_IN_WORDS, _IN_FORM = "Say it in words", "Back to the form"


class A2AMessageForm(QWidget):
    """Reads as an `Answer`, or as `Wrong`, which stands beside the fields then."""

    changed = Signal()
    done = Signal()  # Ctrl+Enter, or Enter in a line

    def __init__(self, spoken: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._words = Field(title=spoken, kind="text", is_long=True, bounds={"minLength": 1})
        self._schema: Mapping[str, Any] | None = None
        self._in_words = True
        self._form = HayhooksForm()
        self._form.changed.connect(self.changed)
        self._form.done.connect(self.done)
        self._way = LinkButton(_IN_WORDS, self._turn)
        self._way.setObjectName("in-words")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._form)

    @property
    def form(self) -> HayhooksForm:
        return self._form

    @property
    def ways(self) -> tuple[LinkButton, LinkButton]:
        """What goes over to words and to JSON; whoever shows the form says where they stand."""
        return self._way, self._form.switch

    @property
    def is_in_words(self) -> bool:
        return self._in_words

    def show_schema(self, schema: Mapping[str, Any] | None) -> None:
        """Ask for what a schema says, or for words."""
        self._schema = schema or None
        self._show(in_words=self._schema is None)

    def read(self) -> Answer | Wrong:
        """Return what is said, and show what is wrong with it."""
        value = self._form.read()
        if isinstance(value, Wrong):
            return value
        if self._in_words and isinstance(value, str):
            return Answer(text=value)
        return Answer(data=value)

    def show_refusal(self, error: InspectorError) -> None:
        """Say beside each field what the agent said is wrong with it."""
        self._form.show_problems(problems_at(getattr(error, "fields", ())))

    def take_focus(self) -> None:
        """Put the focus where one begins to write."""
        self._form.take_focus()

    def _turn(self) -> None:
        self._show(in_words=not self._in_words)
        self._form.take_focus()
        self.changed.emit()

    def _show(self, *, in_words: bool) -> None:
        self._in_words = in_words
        self._form.show_form(self._words if in_words else form_of(self._schema))
        self._way.say(_IN_FORM if in_words else _IN_WORDS)
        self._way.setVisible(self._schema is not None)
