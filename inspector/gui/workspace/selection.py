"""What a person looks at in one run: a span, and a field of it."""

from typing import NamedTuple

from PySide6.QtCore import QObject, Signal

# Far more than anybody walks back.
_LONGEST_HISTORY = 200


class Focus(NamedTuple):
    """A span and, when a value of it is looked at, the field.

    A field is a path such as `outputs.replies[0]`, as it stands in links.
    """

    span_id: str | None = None
    field: str | None = None


class RunSelection(QObject):
    """The one place that knows which span and which field of it are current.

    Panes write here and listen here; no pane holds a reference to another.
    Selecting what is already current does nothing, so two views that answer
    each other settle at once.
    """

    span_changed = Signal(object)  # str | None
    field_changed = Signal(object)  # str | None
    history_changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._focus = Focus()
        self._history: list[Focus] = []
        self._position = -1

    @property
    def focus(self) -> Focus:
        return self._focus

    @property
    def span_id(self) -> str | None:
        return self._focus.span_id

    @property
    def field(self) -> str | None:
        return self._focus.field

    def select(self, span_id: str | None, field: str | None = None) -> None:
        """Make a span current, and optionally a field of it.

        Selecting the current span without a field leaves its field alone: two
        views that echo a span to each other must not lose what is read in it.
        """
        if span_id == self._focus.span_id and field is None:
            return
        self._remember(Focus(span_id, field))

    def select_field(self, field: str | None) -> None:
        """Make a field of the current span current."""
        self._remember(Focus(self._focus.span_id, field))

    def pass_over(self, span_id: str) -> None:
        """Make a span current for a moment, as playing does: history takes no note of it."""
        self._move(Focus(span_id))

    def settle(self) -> None:
        """Take note of what was passed over last: looking there can be gone back to."""
        here = self._history[self._position] if self._position >= 0 else Focus()
        if self._focus != here:
            self._note(self._focus)
            self.history_changed.emit()

    @property
    def can_go_back(self) -> bool:
        return self._position > 0

    @property
    def can_go_forward(self) -> bool:
        return self._position + 1 < len(self._history)

    def back(self) -> None:
        """Return to what was looked at before."""
        if self.can_go_back:
            self._travel(self._position - 1)

    def forward(self) -> None:
        """Undo one `back`."""
        if self.can_go_forward:
            self._travel(self._position + 1)

    def _remember(self, focus: Focus) -> None:
        if focus == self._focus:
            return
        self._note(focus)
        self._travel(len(self._history) - 1)

    def _note(self, focus: Focus) -> None:
        del self._history[self._position + 1 :]
        self._history.append(focus)
        del self._history[:-_LONGEST_HISTORY]
        self._position = len(self._history) - 1

    def _travel(self, position: int) -> None:
        self._position = position
        self._move(self._history[position])
        self.history_changed.emit()

    def _move(self, focus: Focus) -> None:
        before, self._focus = self._focus, focus
        if self._focus.span_id != before.span_id:
            self.span_changed.emit(self._focus.span_id)
        if self._focus.field != before.field:
            self.field_changed.emit(self._focus.field)
