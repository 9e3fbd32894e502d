"""Chat histories, which grow by a few messages each turn and are sent whole each time."""

from __future__ import annotations

from itertools import repeat
from operator import is_
from time import perf_counter_ns
from typing import TYPE_CHECKING, Any

from inspector.recording.encoding.known_messages import KnownMessage
from inspector.runfile.interned import Interned
from inspector.runfile.value import TAG

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from inspector.recording.capture import Capture
    from inspector.recording.encoding.walk import Walk

_CHAINED_FROM = 8
_LOOK_BACK = 32

# A history is looked through when it is short, or when that takes no more than such a part of
# the time since the last look: less often when nobody had the messages but Haystack.
_SHORT = 32
_PART_IN_DOUBT = 100
_PART_OTHERWISE = 200
_GUESSED_NS = 150  # what a look takes for each dictionary, until it was measured


class _Trail:
    """The messages of a history and of all that grew out of it, one after the other."""

    __slots__ = ("items", "live", "shot")

    def __init__(self, items: list[Any], live: list[Any], shot: list[Any]) -> None:
        self.items = items
        self.live = live
        self.shot = shot


class History:
    """A list of messages that was encoded, in case that a longer one begins with it.

    Comparing all of a long history at every turn would in the end cost more than a turn
    without a model. It is always done when the history is short, or when code ran that is
    there to change messages (`Capture.dirty`). Otherwise it is done as often as it takes a
    small part of the time that passes between two looks: with a real model, always.
    """

    __slots__ = ("changes", "cost_ns", "cut", "doubts", "looked_ns", "node", "size", "trail")

    def __init__(self, trail: _Trail, node: Interned, changes: int, doubts: int) -> None:
        self.trail = trail
        self.size = len(trail.items)  # it ends here, though the trail may go on
        self.cut = len(trail.live)
        self.node = node
        self.changes = changes
        self.doubts = doubts
        self.looked_ns = perf_counter_ns()
        self.cost_ns = 0

    def begins(self, value: list[Any], tail: list[Any], lock: AbstractContextManager[Any]) -> bool:
        """Whether `value` is this history and then `tail`.

        Comparing whole lists looks at addresses only, as long as they are the same. To go
        through the messages, or to copy the list, would touch each of them, and they are long
        out of the processor's cache. A message that was replaced by an equal one counts as the
        same: if it changes, it will be unequal.
        """
        known = self.trail.items
        with lock:
            if len(known) != self.size:  # others went on from here
                return known[: self.size] + tail == value
            known += tail
            try:
                return known == value
            finally:
                del known[self.size :]

    def is_unchanged(self, changes: int, doubts: int) -> bool:
        """Whether all of its messages are as they were captured, as far as anybody knows."""
        now = perf_counter_ns()
        if changes == self.changes and self.size >= _SHORT:
            part = _PART_OTHERWISE if doubts == self.doubts else _PART_IN_DOUBT
            if now - self.looked_ns < part * (self.cost_ns or _GUESSED_NS * self.cut):
                return True
        trail = self.trail
        live, shot = trail.live, trail.shot
        if len(live) != self.cut:
            live, shot = live[: self.cut], shot[: self.cut]
        try:
            if live != shot:
                return False
        except Exception:  # noqa: BLE001 - something whose comparison raises was put in
            return False
        self.cost_ns = perf_counter_ns() - now
        self.looked_ns = now
        self.changes = changes
        self.doubts = doubts
        return True

    def extended(self, c: Capture, added: list[KnownMessage], node: Interned) -> History:
        """Return the history that this one becomes with some more messages."""
        trail = self.trail
        with c.lock:  # two threads may go on from here, each its own way
            if len(trail.items) != self.size:
                trail = _Trail(
                    trail.items[: self.size], trail.live[: self.cut], trail.shot[: self.cut]
                )
            _extend(trail, added)
            longer = History(trail, node, self.changes, self.doubts)
        longer.looked_ns = self.looked_ns
        longer.cost_ns = self.cost_ns
        return longer


def _extend(trail: _Trail, added: list[KnownMessage]) -> None:
    for known in added:
        live, shot = known.live, known.shot
        if len(live) == 3 and any(map(is_, trail.live[-16:], repeat(live[2]))):
            # The call that a tool answered mostly stands in a message before already.
            live, shot = live[:2], shot[:2]
        trail.items.append(known.value)
        trail.live += live
        trail.shot += shot


def encode_messages(c: Capture, value: list[Any], depth: int, walk: Walk) -> Any:
    """Encode a list that begins with a message.

    An agent sends its whole history to the model each turn. It is written as the history
    of the turn before and what was added, so that a file grows with the turns and not
    with their square.
    """
    if len(value) < _CHAINED_FROM:
        return c.same_list([c.node(item, depth + 1, walk) for item in value[:]])
    before, added = _earlier(c, value)
    if before is not None and not added:
        return before.node
    nodes = [c.node(item, depth + 1, walk) for item in added]
    if before is None:
        node = Interned(nodes, apart=True)
    else:
        tree = {TAG: "list", "after": before.node, "items": nodes}
        node = Interned(tree, before.node, apart=True)
    if all(type(known) is KnownMessage for known in nodes):
        if before is None:
            trail = _Trail([], [], [])
            _extend(trail, nodes)
            history = History(trail, node, c.changes, c.doubts)
        else:
            history = before.extended(c, nodes, node)
        c.histories.put(id(added[-1]), history, 1 + len(added))
    return node


def _earlier(c: Capture, value: list[Any]) -> tuple[History | None, list[Any]]:
    """Return the longest history that a list goes on from, unchanged, and what it adds."""
    get = c.histories.get
    size = len(value)
    for last in range(size - 1, max(size - _LOOK_BACK, _CHAINED_FROM - 1) - 1, -1):
        known: History | None = get(id(value[last]))
        if known is not None and known.size == last + 1:
            tail = value[known.size :]
            if known.begins(value, tail, c.lock) and known.is_unchanged(c.changes, c.doubts):
                return known, tail
    return None, value[:]
