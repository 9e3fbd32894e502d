"""Chat messages, and the histories that grow by a few of them each turn."""

from __future__ import annotations

from operator import is_
from typing import TYPE_CHECKING, Any

from inspector.recording.encoding.fields import bare, fields_of, put_the_rest
from inspector.recording.encoding.leaves import INLINE_CHARS
from inspector.recording.encoding.scalars import bounded_repr
from inspector.recording.encoding.walk import Walk, type_name
from inspector.runfile.interned import Interned
from inspector.runfile.value import TAG

if TYPE_CHECKING:
    from inspector.recording.capture import Capture

_MESSAGE = ("_role", "_content", "_name", "_meta")
_TOOL_CALL = {"id": "id", "tool_name": "name", "arguments": "arguments", "extra": "extra"}
_DELTA = {
    "index": "index", "tool_name": "name", "arguments": "arguments", "id": "id", "extra": "extra",
}  # fmt: skip
_REASONING = {"reasoning_text": "text", "extra": "extra"}
_COMPONENT = {"name": "name", "type": "type"}
_CHUNK = (
    "content", "meta", "index", "finish_reason", "start", "component_info", "tool_calls",
    "tool_call_result", "reasoning",
)  # fmt: skip

_IN = "haystack.dataclasses.chat_message."
PART_NAMES = {
    f"{_IN}TextContent": "text",
    f"{_IN}ToolCall": "tool_call",
    f"{_IN}ToolCallResult": "tool_result",
    f"{_IN}ReasoningContent": "reasoning",
}

_CHAINED_FROM = 8
_LOOK_BACK = 32


class KnownMessage:
    """A message that was encoded, and what would show that it changed since.

    `live` are the dictionaries inside the message that can change: its own, those of
    its parts. `shot` are copies of them, deep enough that nothing in them is shared
    with the message but leaves. Whether the message is still the same is then one
    comparison of two lists, which runs in C: a third of a microsecond, where encoding
    again takes ten. It takes 1 for True and 1.0, which `==` does not tell apart.
    """

    __slots__ = ("live", "node", "shot", "value")

    def __init__(self, value: Any, live: list[Any], shot: list[Any], node: Interned) -> None:
        self.value = value
        self.live = live
        self.shot = shot
        self.node = node


class History:
    """A list of messages that was encoded, in case that a longer one begins with it."""

    __slots__ = ("items", "live", "node", "number", "shot")

    def __init__(self, items: list[Any], live: list[Any], shot: list[Any], node: Interned) -> None:
        self.items = items
        self.live = live
        self.shot = shot
        self.node = node


def encode_messages(c: Capture, items: list[Any], depth: int, walk: Walk) -> Any:
    """Encode a list that begins with a message.

    An agent sends its whole history to the model each turn. It is written as the
    history of the turn before and what came to it, so that a file grows with the turns
    and not with their square.
    """
    if len(items) < _CHAINED_FROM:
        return c.same_list([c.node(item, depth + 1, walk) for item in items])
    before = _earlier(c, items)
    if before is not None and len(before.items) == len(items):
        return before.node
    start = 0 if before is None else len(before.items)
    live = [] if before is None else before.live[:]
    shot = [] if before is None else before.shot[:]
    nodes: list[Any] = []
    kept = True
    for item in items[start:]:
        nodes.append(c.node(item, depth + 1, walk))
        known = c.messages.get(id(item))
        if known is None or known.value is not item:
            kept = False
        else:
            live += known.live
            shot += known.shot
    if before is None:
        node = Interned(nodes)
    else:
        node = Interned({TAG: "list", "after": before.node, "items": nodes}, before.node)
    if kept:
        c.histories.put(id(items[-1]), History(items, live, shot, node), len(live))
    return node


def _earlier(c: Capture, items: list[Any]) -> History | None:
    """Return the longest list encoded before that `items` begins with, still unchanged."""
    get = c.histories.get
    for last in range(len(items) - 1, max(len(items) - _LOOK_BACK, _CHAINED_FROM - 1) - 1, -1):
        known = get(id(items[last]))
        if (
            known is not None
            and len(known.items) == last + 1
            and all(map(is_, known.items, items))
            and is_unchanged(known)
        ):
            return known
    return None


def encode_message(c: Capture, value: Any, depth: int, walk: Walk) -> Any:
    """Encode a chat message with all its parts, or find it again."""
    known = c.messages.get(id(value))
    if known is not None and known.value is value and is_unchanged(known):
        return known.node
    fields = fields_of(value)
    parts: Any = fields.get("_content")
    inside = depth + 3
    tree: dict[str, Any] = {TAG: "chat_message", "role": _role(fields.get("_role"))}
    if (name := fields.get("_name")) is not None:
        tree["name"] = c.node(name, depth + 1, walk)
    tree["content"] = [
        encode_part(c, part, inside, walk)
        for part in (parts[:] if type(parts) in _SEQUENCES else [parts])
    ]
    tree["meta"] = c.node(fields.get("_meta"), inside, walk)
    if len(fields) > len(_MESSAGE) or type(value) is not c.message_class:
        put_the_rest(c, tree, value, fields, _MESSAGE, depth, walk)
    node = Interned(tree)
    try:
        live, shot = _changeable(value)
    except (NotPlainError, AttributeError, KeyError, TypeError, RecursionError):
        return node  # it is encoded anew each time
    c.messages.put(id(value), KnownMessage(value, live, shot, node), 1 + len(live))
    return node


_SEQUENCES = (list, tuple)


def _role(role: Any) -> Any:
    if type(role) is str:
        return role
    try:
        word = fields_of(role)["_value_"]
    except (AttributeError, KeyError):
        word = None
    return word if type(word) is str else bounded_repr(role)


def encode_part(c: Capture, part: Any, depth: int, walk: Walk) -> Any:
    """Encode one part of a message."""
    kind = c.part_kinds.get(type(part))
    if kind is None:
        kind = c.part_kinds[type(part)] = PART_NAMES.get(type_name(type(part)), "")
    if kind == "text":
        fields = part.__dict__
        text = fields.get("text")
        if type(text) is str and len(fields) == 1:
            return {"text": text if len(text) <= INLINE_CHARS else c.text(text)}
        return bare(c, part, {"text": "text"}, depth, walk)
    if kind == "tool_call":
        return {"tool_call": bare(c, part, _TOOL_CALL, depth + 1, walk)}
    if kind == "tool_result":
        return {"tool_result": _tool_result(c, part, depth + 1, walk)}
    if kind == "reasoning":
        return {"reasoning": bare(c, part, _REASONING, depth + 1, walk)}
    return c.node(part, depth, walk)


def _tool_result(c: Capture, value: Any, depth: int, walk: Walk) -> dict[str, Any]:
    fields = fields_of(value)
    result: Any = fields.get("result")
    tree: dict[str, Any] = {}
    if (origin := fields.get("origin")) is not None:
        call = encode_part(c, origin, depth, walk)
        tree["call"] = call.get("tool_call", call) if type(call) is dict else call
    if type(result) in _SEQUENCES:
        tree["result"] = [encode_part(c, part, depth + 2, walk) for part in result[:]]
    else:
        tree["result"] = c.node(result, depth + 3, walk)
    tree["error"] = c.node(fields.get("error"), depth + 1, walk)
    if len(fields) > 3:
        put_the_rest(c, tree, value, fields, ("result", "error", "origin"), depth, walk)
    return tree


def encode_part_alone(c: Capture, value: Any, depth: int, walk: Walk) -> Any:
    """Encode a part that stands outside of a message."""
    part = encode_part(c, value, depth + 2, walk)
    return {TAG: "object", "type": type_name(type(value)), "fields": part}


def encode_chunk(c: Capture, value: Any, depth: int, walk: Walk) -> Any:
    """Encode a chunk of a stream: its content and whatever else is set."""
    fields = fields_of(value)
    inside = depth + 3
    tree: dict[str, Any] = {TAG: "streaming_chunk"}
    for name in ("content", "meta", "index", "finish_reason"):
        if (item := fields.get(name)) is not None:
            if type(item) is str and len(item) <= INLINE_CHARS:
                tree[name] = item
            else:
                tree[name] = c.node(item, inside, walk)
    if (start := fields.get("start")) is not None and start is not False:
        tree["start"] = c.node(start, inside, walk)
    if (info := fields.get("component_info")) is not None:
        tree["component"] = bare(c, info, _COMPONENT, inside, walk)
    if (calls := fields.get("tool_calls")) is not None:
        tree["tool_calls"] = [bare(c, call, _DELTA, inside + 1, walk) for call in list(calls)]
    if (result := fields.get("tool_call_result")) is not None:
        tree["tool_call_result"] = _tool_result(c, result, inside, walk)
    if (thought := fields.get("reasoning")) is not None:
        tree["reasoning"] = bare(c, thought, _REASONING, inside, walk)
    put_the_rest(c, tree, value, fields, _CHUNK, depth, walk)
    return tree


# Telling whether a message changed


def is_unchanged(known: KnownMessage | History) -> bool:
    """Whether all that can change is as it was."""
    try:
        return bool(known.live == known.shot)
    except Exception:  # noqa: BLE001 - something whose comparison raises was put in
        return False


class NotPlainError(Exception):
    """Something in a message is neither a plain container nor a plain leaf."""


_LEAVES = frozenset({str, int, float, bool, type(None), bytes})


def _changeable(message: Any) -> tuple[list[Any], list[Any]]:
    """Return what can change of a message, and a copy of it."""
    fields = message.__dict__
    live: list[Any] = [fields]
    shot: list[Any] = [_copied_fields(fields, "_role", "_content")]
    for part in fields["_content"]:
        _add_part(part, live, shot)
    return live, shot


def _add_part(part: Any, live: list[Any], shot: list[Any]) -> None:
    fields = fields_of(part)
    live.append(fields)
    if "origin" not in fields:
        shot.append(_copied_fields(fields))
        return
    shot.append(_copied_fields(fields, "origin", "result"))
    _add_part(fields["origin"], live, shot)
    if type(fields["result"]) is not str:
        for inner in fields["result"]:
            _add_part(inner, live, shot)


def _copied_fields(fields: dict[str, Any], *shared: str) -> dict[str, Any]:
    """Return a copy; what is `shared` holds objects, which are looked at by themselves."""
    copy: dict[str, Any] = {}
    for name, item in fields.items():
        if name not in shared:
            copy[name] = item if type(item) in _LEAVES else plain_copy(item)
        elif type(item) is list:
            copy[name] = item[:]
        else:
            copy[name] = item
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
        return {key: plain_copy(inner) for key, inner in item.items() if _is_key(key)}
    if kind is list:
        return [plain_copy(inner) for inner in item]
    if kind is tuple:
        return tuple([plain_copy(inner) for inner in item])
    raise NotPlainError


def _is_key(key: Any) -> bool:
    if type(key) not in _LEAVES:
        raise NotPlainError
    return True
