"""What a person has written for calls that are held, and what of it the worker took."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Collection

    from inspector.presentation.held_value import Edit
    from inspector.presentation.live_replay import HeldCall


class HeldEdits:
    """The edits of one replay, by the number of the pause.

    A worker says that it took an edit, not which. Until it does, what was taken before counts.
    """

    def __init__(self) -> None:
        self._taken: dict[int, Edit] = {}
        self._asked: dict[int, Edit] = {}  # the last one that it has not answered yet
        self._settled: dict[int, int] = {}  # how many of its answers are known

    def ask(self, pause: int, edit: Edit) -> None:
        """Take note that the worker was told of an edit."""
        self._asked[pause] = edit

    def refuse(self, pause: int | None) -> None:
        """Take note that the worker did not take it."""
        if pause is not None:
            self._asked.pop(pause, None)

    def take_answer(self, call: HeldCall) -> bool:
        """Return whether the worker has answered what it was told of a call, and keep what."""
        if call.settled == self._settled.get(call.pause, 0):
            return False
        self._settled[call.pause] = call.settled
        asked = self._asked.pop(call.pause, None)
        if not call.edited:
            self._taken.pop(call.pause, None)
        elif asked is not None:
            self._taken[call.pause] = asked
        return True

    def keep_only(self, pauses: Collection[int]) -> None:
        """Forget what was written for calls that are not held any more."""
        for known in (self._taken, self._asked, self._settled):
            for pause in [pause for pause in known if pause not in pauses]:
                del known[pause]

    def is_other(self, call: HeldCall) -> bool:
        """Say whether a call goes on with something else than it came with, or is about to."""
        return call.edited or call.pause in self._asked

    def value_of(self, call: HeldCall) -> Any:
        """Return what a call goes on with, as far as that is known."""
        edit = self._taken.get(call.pause) if call.edited else None
        return call.values if edit is None else edit.whole
