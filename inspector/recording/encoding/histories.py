"""Chat histories, which grow by a few messages each turn and are sent whole each time."""

from __future__ import annotations

from operator import is_
from time import perf_counter_ns
from typing import TYPE_CHECKING, Any

from inspector.recording.encoding.fields import fields_of
from inspector.runfile.interned import Interned
from inspector.runfile.value import TAG

if TYPE_CHECKING:
    from inspector.recording.capture import Capture
    from inspector.recording.encoding.walk import Walk

_CHAINED_FROM = 8
_LOOK_BACK = 32

# A history is looked through when it is short, or when that takes no more than such a part of
# the time since the last look: less often when nobody had the messages but Haystack.
_SHORT = 32
_PART_IN_DOUBT = 20
_PART_OTHERWISE = 60
_GUESSED_NS = 150  # what a look takes for each dictionary, until it was measured

_LEAVES = frozenset({str, int, float, bool, type(None), bytes})


class KnownMessage:
    """A message that was encoded, and what would show that it changed since.

    `live` are the dictionaries in the message that can change: its own and those of its
    parts. `shot` are copies, deep enough to share nothing with the message but leaves.
    Whether the message is still the same is then one comparison of two lists, in C: a
    third of a microsecond, where encoding again takes many. (It takes 1 for True and for
    1.0, as `==` does.)
    """

    __slots__ = ("live", "node", "shot", "value")

    def __init__(self, value: Any, live: list[Any], shot: list[Any], node: Interned) -> None:
        self.value = value
        self.live = live
        self.shot = shot
        self.node = node


class History:
    """A list of messages that was encoded, in case that a longer one begins with it.

    Comparing all of a long history at every turn would in the end cost more than a turn
    without a model. It is always done when the history is short, or when code ran that is
    there to change messages (`Capture.dirty`). Otherwise it is done as long as it takes a
    small part of the time that passes between two looks, which with a real model is always
    the case; and when it is not done, the metas are compared all the same, for that is where
    messages are changed in place: Haystack warns whoever assigns to their other fields.
    """

    __slots__ = (
        "changes", "cost_ns", "doubts", "items", "live", "looked_ns", "metas", "node", "shot",
        "shot_metas",
    )  # fmt: skip

    def __init__(self, items: list[Any], node: Interned, changes: int, doubts: int) -> None:
        self.items = items
        self.node = node
        self.live: list[Any] = []
        self.shot: list[Any] = []
        self.metas: list[Any] = []
        self.shot_metas: list[Any] = []
        self.changes = changes
        self.doubts = doubts
        self.looked_ns = perf_counter_ns()
        self.cost_ns = 0

    def continued(self, items: list[Any], node: Interned) -> History:
        """Return the history that this one became."""
        longer = History(items, node, self.changes, self.doubts)
        longer.live = self.live[:]
        longer.shot = self.shot[:]
        longer.metas = self.metas[:]
        longer.shot_metas = self.shot_metas[:]
        longer.looked_ns = self.looked_ns
        longer.cost_ns = self.cost_ns
        return longer

    def add(self, known: KnownMessage) -> None:
        """Count a message that was looked at just now."""
        live, shot = known.live, known.shot
        if len(live) == 3 and any(live[2] is earlier for earlier in self.live[-16:]):
            # The call that a tool answered mostly stands in the message before already.
            live, shot = live[:2], shot[:2]
        self.live += live
        self.shot += shot
        self.metas.append(live[0]["_meta"])
        self.shot_metas.append(shot[0]["_meta"])

    def is_unchanged(self, changes: int, doubts: int) -> bool:
        """Whether all of its messages are as they were encoded."""
        try:
            now = perf_counter_ns()
            if not self._is_due(now, changes, doubts):
                return self.metas == self.shot_metas
            if self.live != self.shot:
                return False
            self.cost_ns = perf_counter_ns() - now
            self.looked_ns = now
        except Exception:  # noqa: BLE001 - something whose comparison raises was put in
            return False
        self.changes = changes
        self.doubts = doubts
        return True

    def _is_due(self, now: int, changes: int, doubts: int) -> bool:
        if changes != self.changes or len(self.items) < _SHORT:
            return True
        part = _PART_OTHERWISE if doubts == self.doubts else _PART_IN_DOUBT
        cost_ns = self.cost_ns or _GUESSED_NS * len(self.live)
        return now - self.looked_ns > part * cost_ns


def encode_messages(c: Capture, items: list[Any], depth: int, walk: Walk) -> Any:
    """Encode a list that begins with a message.

    An agent sends its whole history to the model each turn. It is written as the history
    of the turn before and what was added, so that a file grows with the turns and not
    with their square.
    """
    if len(items) < _CHAINED_FROM:
        return c.same_list([c.node(item, depth + 1, walk) for item in items])
    before = _earlier(c, items)
    if before is None:
        nodes = [c.node(item, depth + 1, walk) for item in items]
        history = History(items, Interned(nodes, apart=True), c.changes, c.doubts)
        added = items
    elif len(before.items) == len(items):
        return before.node
    else:
        added = items[len(before.items) :]
        nodes = [c.node(item, depth + 1, walk) for item in added]
        tree = {TAG: "list", "after": before.node, "items": nodes}
        history = before.continued(items, Interned(tree, before.node, apart=True))
    for item in added:
        known = c.messages.get(id(item))
        if known is None or known.value is not item:
            return history.node  # it could not be compared later
        history.add(known)
    c.histories.put(id(items[-1]), history, len(items))
    return history.node


def _earlier(c: Capture, items: list[Any]) -> History | None:
    """Return the longest list encoded before that `items` begins with, unchanged."""
    get = c.histories.get
    for last in range(len(items) - 1, max(len(items) - _LOOK_BACK, _CHAINED_FROM - 1) - 1, -1):
        known: History | None = get(id(items[last]))
        if (
            known is not None
            and len(known.items) == last + 1
            and all(map(is_, known.items, items))
            and known.is_unchanged(c.changes, c.doubts)
        ):
            return known
    return None


# Telling whether a message changed


def is_unchanged(known: KnownMessage) -> bool:
    """Whether a message is as it was encoded."""
    try:
        return known.live == known.shot
    except Exception:  # noqa: BLE001 - something whose comparison raises was put in
        return False


def remember_message(c: Capture, message: Any, tree: dict[str, Any], node: Interned) -> None:
    """Keep a message that was encoded just now, if it can be compared later.

    What was made of a container is a copy of it, unless a tag had to be used in it: comparing
    the two tells, and saves making another.
    """
    try:
        fields = message.__dict__
        meta, told = fields["_meta"], tree["meta"]
        own = fields.copy()
        own["_content"] = fields["_content"][:]  # the parts are looked at by themselves
        if meta is not None:
            own["_meta"] = told if told == meta else plain_copy(meta)
        live: list[Any] = [fields]
        shot: list[Any] = [own]
        kinds = c.part_kinds
        for part, words in zip(fields["_content"], tree["content"], strict=True):
            kind = kinds.get(type(part))
            if kind == "text":
                live.append(part.__dict__)
                shot.append(_copied(part.__dict__))
            elif kind == "tool_call":
                live.append(part.__dict__)
                shot.append(_copied_call(part.__dict__, words["tool_call"]))
            else:
                _add_part(c, part, words, live, shot)
    except Exception:  # noqa: BLE001 - there is something odd in it: it is encoded anew each time
        return
    c.messages.put(id(message), KnownMessage(message, live, shot, node), 1)


class NotPlainError(Exception):
    """There is something else than plain containers and plain leaves."""


def _add_part(c: Capture, part: Any, told: Any, live: list[Any], shot: list[Any]) -> None:
    fields = fields_of(part)
    kind = c.part_kinds.get(type(part))
    live.append(fields)
    if kind == "tool_call":
        shot.append(_copied_call(fields, told["tool_call"]))
    elif kind == "tool_result":
        origin = fields_of(fields["origin"])
        live.append(origin)
        shot.append(own := fields.copy())
        shot.append(_copied_call(origin, told["tool_result"]["call"]))
        result = fields["result"]
        if type(result) is not str:
            own["result"] = result[:]
            for inner, words in zip(result, told["tool_result"]["result"], strict=True):
                _add_part(c, inner, words, live, shot)
    else:
        shot.append(_copied(fields))


def _copied_call(fields: dict[str, Any], told: dict[str, Any]) -> dict[str, Any]:
    copy = fields.copy()
    arguments, words = fields["arguments"], told["arguments"]
    copy["arguments"] = words if words == arguments else plain_copy(arguments)
    if fields["extra"] is not None:
        copy["extra"] = plain_copy(fields["extra"])
    return copy


def _copied(fields: dict[str, Any]) -> dict[str, Any]:
    copy = fields.copy()
    for name, item in fields.items():
        if type(item) not in _LEAVES:
            copy[name] = plain_copy(item)
    return copy


def plain_copy(item: Any) -> Any:
    """Return a copy of plain containers around plain leaves.

    Raises:
        NotPlainError: There is something else in it.

    """
    kind = type(item)
    if kind in _LEAVES:
        return item
    if kind is dict:
        if not _LEAVES.issuperset(map(type, item)):
            raise NotPlainError
        if _LEAVES.issuperset(map(type, item.values())):
            return item.copy()
        return {key: plain_copy(inner) for key, inner in item.items()}
    if kind is list:
        return [plain_copy(inner) for inner in item]
    if kind is tuple:
        return tuple([plain_copy(inner) for inner in item])
    raise NotPlainError
