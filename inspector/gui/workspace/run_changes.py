"""What a person wants to be different in replays of an open run, and how to take that back."""

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QUndoCommand, QUndoStack

if TYPE_CHECKING:
    from collections.abc import Sequence

    from inspector.presentation.what_if import Change
    from inspector.presentation.what_if_places import Place

Key = tuple[str, str, str]


class RunChanges(QObject):
    """The changes to one run, in the order in which they were first made.

    Of a place there is at most one. What a person does to them goes on `undo_stack`. Panes
    say with `ask` that something is to be edited; whoever shows editors hears of it.
    """

    changed = Signal()
    asked = Signal(object)  # Place
    replay_asked = Signal()

    def __init__(self, parent: QObject, undo_stack: QUndoStack) -> None:
        super().__init__(parent)
        self._changes: tuple[Change, ...] = ()
        self.version = 0
        """How often they were changed: what was made of them before is old by then."""
        self.undo_stack = undo_stack

    @property
    def changes(self) -> "tuple[Change, ...]":
        return self._changes

    def at(self, key: Key) -> "Change | None":
        """Return the change of a place, if there is one."""
        return next((change for change in self._changes if change.key == key), None)

    def ask(self, place: "Place") -> None:
        """Let a person edit a place."""
        self.asked.emit(place)

    def ask_for_replay(self) -> None:
        """Let a person replay the run with the changes."""
        self.replay_asked.emit()

    def put(self, change: "Change") -> None:
        """Make a change; one that puts back what was recorded is none."""
        known = self.at(change.key)
        if change.after == change.before:
            self.remove(change.key)
            return
        if known is None:
            self._push((*self._changes, change), "What if")
            return
        changes = tuple(change if each.key == change.key else each for each in self._changes)
        self._push(changes, "What if, otherwise")

    def remove(self, key: Key) -> None:
        """Have it as it was recorded."""
        left = tuple(change for change in self._changes if change.key != key)
        self._push(left, "What if, not any more")

    def clear(self) -> None:
        """Have everything as it was recorded."""
        self._push((), "What if, nothing any more")

    def words(self) -> tuple[str, ...]:
        """Return every change in a sentence."""
        from inspector.presentation.what_if import change_words

        return tuple(change_words(change) for change in self._changes)

    def overrides(self) -> dict[str, Any]:
        """Return the changes as the job of a replay takes them; `{}` where there are none."""
        from inspector.presentation.what_if import overrides_of

        return overrides_of(self._changes)

    def become(self, changes: "tuple[Change, ...]") -> None:
        """Put other changes in place, as doing and undoing do."""
        if changes == self._changes:
            return
        self._changes = changes
        self.version += 1
        self.changed.emit()

    def _push(self, changes: "Sequence[Change]", words: str) -> None:
        if tuple(changes) != self._changes:
            self.undo_stack.push(_Step(self, tuple(changes), words))


class _Step(QUndoCommand):
    """Other changes than before."""

    def __init__(self, owner: RunChanges, changes: "tuple[Change, ...]", words: str) -> None:
        super().__init__(words)
        self._owner = owner
        self._before, self._after = owner.changes, changes

    def redo(self) -> None:
        self._owner.become(self._after)

    def undo(self) -> None:
        self._owner.become(self._before)
