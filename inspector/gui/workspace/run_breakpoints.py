"""Where a replay of an open run is to pause, and how to take back what was done to that."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QUndoCommand, QUndoStack

from inspector.presentation.breakpoints import MOST, BreakpointSpec, turned

Specs = tuple[BreakpointSpec, ...]
Keep = Callable[[Specs], None]


class RunBreakpoints(QObject):
    """The breakpoints of one run or of one replay, the oldest first.

    Of a key there is at most one. What a person does to them goes on `undo_stack`; `keep`,
    once it is told, is called with what there is after each change.
    """

    changed = Signal()
    edit_asked = Signal(str)  # the key of one whose condition is to be written
    full = Signal()  # one was not set, since there are as many as there can be

    def __init__(self, parent: QObject, undo_stack: QUndoStack, specs: Specs = ()) -> None:
        super().__init__(parent)
        self._specs = specs
        self._keep: Keep | None = None
        self.undo_stack = undo_stack

    @property
    def specs(self) -> Specs:
        return self._specs

    @property
    def is_full(self) -> bool:
        """Whether no more can be set."""
        return len(self._specs) >= MOST

    def at(self, key: str) -> BreakpointSpec | None:
        """Return the breakpoint of a key."""
        return next((spec for spec in self._specs if spec.key == key), None)

    def keep_with(self, keep: Keep, kept: Specs) -> None:
        """Take what was kept before, and have kept what changes from now on."""
        self._keep = None
        if kept:
            mine = {spec.key for spec in self._specs}
            self.become((*(spec for spec in kept if spec.key not in mine), *self._specs))
        self._keep = keep

    def toggle(self, spec: BreakpointSpec) -> None:
        """Set a breakpoint, or take away the one of the same key."""
        if self.at(spec.key) is None:
            self.put(spec)
        else:
            self.remove(spec.key)

    def put(self, spec: BreakpointSpec, instead_of: str = "") -> None:
        """Set a breakpoint in the place of one of the same key, or of another."""
        gone = {spec.key, instead_of or spec.key}
        place = next((at for at, one in enumerate(self._specs) if one.key in gone), None)
        if place is None and self.is_full:
            self.full.emit()
            return
        left = [one for one in self._specs if one.key not in gone]
        left.insert(len(left) if place is None else min(place, len(left)), spec)
        self._push(left, "Set breakpoint" if place is None else "Change breakpoint")

    def remove(self, key: str) -> None:
        """Take a breakpoint away."""
        self._push([one for one in self._specs if one.key != key], "Remove breakpoint")

    def enable(self, key: str, enabled: bool) -> None:
        """Switch a breakpoint on or off."""
        words = "Switch on breakpoint" if enabled else "Switch off breakpoint"
        self._push(
            [one._replace(enabled=enabled) if one.key == key else one for one in self._specs],
            words,
        )

    def clear(self) -> None:
        """Take all of them away."""
        self._push([], "Remove all breakpoints")

    def follow(self, before: Specs, after: Specs) -> None:
        """Do what was done to others, which were `before`, and leave all else as it is."""
        self.become(turned(self._specs, before, after))

    def become(self, specs: Specs) -> None:
        """Put other breakpoints in place, as doing and undoing do."""
        if specs == self._specs:
            return
        self._specs = specs
        if self._keep is not None:
            self._keep(specs)
        self.changed.emit()

    def _push(self, specs: Sequence[BreakpointSpec], words: str) -> None:
        if tuple(specs) != self._specs:
            self.undo_stack.push(_Change(self, tuple(specs), words))


class _Change(QUndoCommand):
    """Other breakpoints than before.

    What came to them past the stack meanwhile, as from a replay of the same run, stays.
    """

    def __init__(self, breakpoints: RunBreakpoints, specs: Specs, words: str) -> None:
        super().__init__(words)
        self._breakpoints = breakpoints
        self._before, self._after = breakpoints.specs, specs

    def redo(self) -> None:
        self._breakpoints.follow(self._before, self._after)

    def undo(self) -> None:
        self._breakpoints.follow(self._after, self._before)
