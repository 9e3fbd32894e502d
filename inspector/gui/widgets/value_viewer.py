"""One value in full: as text, as a picture, or as a table, by what it is."""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import NamedTuple

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QStackedLayout, QWidget

from inspector.gui.tasks.runner import TaskRunner
from inspector.gui.widgets.picture_view import PictureView
from inspector.gui.widgets.plain import IconButton
from inspector.gui.widgets.records_view import RecordsView
from inspector.gui.widgets.text_viewer import TextViewer
from inspector.presentation.byte_text import Recorded, bytes_in
from inspector.presentation.records import Records, records_of
from inspector.presentation.value_text import WrittenValue, json_text, readable, reads_as_text
from inspector.presentation.values import ValueNode
from inspector.presentation.words import byte_words, sentence

Buttons = Callable[[], Sequence[QWidget]]


class _Toggle(NamedTuple):
    """How something that can be shown in two ways is called in both."""

    icon: str
    as_text: str
    as_itself: str


_PICTURE = _Toggle("picture", "Show the bytes", "Show the picture")
_TABLE = _Toggle("table", "Show as JSON", "Show as a table")


class ValueViewer(QWidget):
    """Chooses how a value is shown; a button at its head shows the text of it instead."""

    item_requested = Signal(int)  # of the list that is shown as a table
    escape_pressed = Signal()

    def __init__(
        self, tasks: TaskRunner, parent: QWidget | None, *, name: str, buttons: Buttons
    ) -> None:
        super().__init__(parent)
        self._tasks = tasks
        self._name = name
        self._buttons = buttons
        self._as_text: set[_Toggle] = set()
        self._shown: tuple[ValueNode, str, bool] | None = None
        self._back = IconButton("table", _TABLE.as_itself, self._show_itself)
        self._text = TextViewer(tasks, self, name=name, buttons=(*buttons(), self._back))
        self._text.escape_pressed.connect(self.escape_pressed)
        self._stack = QStackedLayout(self)
        self._stack.addWidget(self._text)
        self.setFocusProxy(self._text)

    @cached_property
    def _picture(self) -> PictureView:
        own = IconButton("file", _PICTURE.as_text, lambda: self._show_text(_PICTURE))
        view = PictureView(self._tasks, self, name=self._name, buttons=(*self._buttons(), own))
        view.escape_pressed.connect(self.escape_pressed)
        self._stack.addWidget(view)
        return view

    @cached_property
    def _table(self) -> RecordsView:
        own = IconButton("file", _TABLE.as_text, lambda: self._show_text(_TABLE))
        view = RecordsView(self._tasks, self, name=self._name, buttons=(*self._buttons(), own))
        view.escape_pressed.connect(self.escape_pressed)
        view.item_requested.connect(self.item_requested)
        self._stack.addWidget(view)
        return view

    def show_node(self, node: ValueNode, title: str, *, as_json: bool) -> None:
        """Show a value; with `as_json`, as it stands in the file."""
        self._shown = (node, title, as_json)
        value = node.value
        recorded = None if as_json else bytes_in(value)
        if recorded is not None and recorded.picture:
            self._show_either(_PICTURE, lambda: self._show_picture(recorded, title))
        elif not as_json and not node.is_page and (records := records_of(value)) is not None:
            self._show_either(_TABLE, lambda: self._show_records(records, title))
        else:
            self._back.hide()
            self._write(node, title, as_json=as_json)

    def show_text(self, text: str) -> None:
        """Show a sentence of ours instead of a value."""
        self._shown = None
        self._back.hide()
        self._bring(self._text)
        self._text.show_text(text)

    @property
    def current(self) -> QWidget:
        """What shows the value now."""
        shown = self._stack.currentWidget()
        assert shown is not None
        return shown

    def clear(self) -> None:
        self.show_text("")

    def set_focus_on_value(self) -> None:
        """Put the focus into what is shown."""
        self.current.setFocus(Qt.FocusReason.OtherFocusReason)

    def _show_either(self, toggle: _Toggle, show: Callable[[], None]) -> None:
        assert self._shown is not None
        if toggle not in self._as_text:
            show()
            return
        node, title, as_json = self._shown
        self._back.show_icon(toggle.icon)
        self._back.say(toggle.as_itself)
        self._back.show()
        self._write(node, title, as_json=as_json)

    def _show_picture(self, recorded: Recorded, title: str) -> None:
        self._picture.show_picture(recorded, title)
        self._bring(self._picture)

    def _show_records(self, records: Records, title: str) -> None:
        self._table.show_records(records, title)
        self._bring(self._table)

    def _write(self, node: ValueNode, title: str, *, as_json: bool) -> None:
        value = node.value
        plain = as_json or not reads_as_text(value)

        def write(limit: int) -> WrittenValue:
            return json_text(value, limit) if plain else readable(value, limit)

        self._bring(self._text)
        recorded = None if plain else bytes_in(value)
        if recorded is not None:
            title = sentence([title, recorded.mime_type, byte_words(recorded.size)])
        self._text.show_written(write, title=title)

    def _bring(self, view: QWidget) -> None:
        if view is not self._text and self.current is self._text:
            # A long text would go on filling itself in, and stay in memory.
            self._text.clear()
        self._stack.setCurrentWidget(view)
        self.setFocusProxy(view)

    def _show_text(self, toggle: _Toggle) -> None:
        self._as_text.add(toggle)
        self._again()
        self._back.setFocus(Qt.FocusReason.OtherFocusReason)

    def _show_itself(self) -> None:
        self._as_text.clear()
        self._again()
        self.set_focus_on_value()

    def _again(self) -> None:
        if self._shown is not None:
            node, title, as_json = self._shown
            self.show_node(node, title, as_json=as_json)
