"""Messages as they were when they were captured: copied at once, encoded by the writer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from inspector.recording.encoding.snapshots import LEAVES, NotPlainError, plain_copy, plain_tree
from inspector.runfile.interned import Interned
from inspector.runfile.value import TAG

if TYPE_CHECKING:
    from collections.abc import Callable

    from inspector.recording.capture import Capture

# How many fields the parts of Haystack 3.4 have; those of another release are encoded at once.
_FIELDS = {"text": 1, "tool_call": 4, "tool_result": 3, "reasoning": 2}


class KnownMessage(Interned):
    """The node of a message, and what shows whether the message changed since.

    `live` are the dictionaries in the message that can change: its own and those of its
    parts. `shot` are copies, deep enough to share nothing with the message but leaves.
    Whether the message is still the same is one comparison of two lists, in C: a third of a
    microsecond, where encoding takes many. (It takes 1 for True and for 1.0, as `==` does,
    and an equal part in the place of another for that other.) The tree is made of the copies
    when the writer asks for it.
    """

    __slots__ = ("kinds", "live", "role", "shot", "text", "value")

    def __init__(
        self, value: Any, role: str, kinds: list[str], live: list[Any], shot: list[Any],
        text: Callable[[str], Any],
    ) -> None:  # fmt: skip
        super().__init__(None)
        self.value = value
        self.role = role
        self.kinds = kinds
        self.live = live
        self.shot = shot
        self.text = text

    def is_unchanged(self) -> bool:
        """Whether the message is as it was captured."""
        try:
            return self.live == self.shot
        except Exception:  # noqa: BLE001 - something whose comparison raises was put in
            return False

    def build(self) -> Any:
        """Return the tree of the message as it was captured."""
        text = self.text
        shots = iter(self.shot)
        own = next(shots)
        content: list[Any] = []
        tree: dict[str, Any] = {TAG: "chat_message", "role": self.role, "content": content}
        for kind in self.kinds:
            fields = next(shots)
            if kind == "text":
                content.append({"text": plain_tree(fields["text"], text)})
            elif kind == "tool_call":
                content.append({"tool_call": _call_tree(fields, text)})
            elif kind == "tool_result":
                told = {
                    "call": _call_tree(next(shots), text),
                    "result": plain_tree(fields["result"], text),
                    "error": plain_tree(fields["error"], text),
                }
                content.append({"tool_result": told})
            else:
                told = {"text": fields["reasoning_text"], "extra": fields["extra"]}
                content.append({"reasoning": _set_fields(told, text)})
        if own["_name"] is not None:
            tree["name"] = plain_tree(own["_name"], text)
        tree["meta"] = plain_tree(own["_meta"], text)
        return tree


def _call_tree(fields: dict[str, Any], text: Callable[[str], Any]) -> dict[str, Any]:
    told = {
        "id": fields["id"],
        "name": fields["tool_name"],
        "arguments": fields["arguments"],
        "extra": fields["extra"],
    }
    return _set_fields(told, text)


def _set_fields(told: dict[str, Any], text: Callable[[str], Any]) -> dict[str, Any]:
    return {name: plain_tree(item, text) for name, item in told.items() if item is not None}


def snapshot(c: Capture, message: Any, role: str) -> KnownMessage | None:
    """Copy a message of Haystack's own class; None when there is something unusual in it."""
    fields = message.__dict__
    parts = fields.get("_content")
    if len(fields) != 4 or type(parts) is not list:
        return None
    own = fields.copy()
    own["_content"] = parts[:]  # the parts are looked at by themselves
    live: list[Any] = [fields]
    shot: list[Any] = [own]
    kinds: list[str] = []
    kind_of = c.part_kinds.get
    try:
        meta = own["_meta"]
        if meta is not None:
            own["_meta"] = plain_copy(meta)
        for part in parts:
            kind = kind_of(type(part), "")
            part_fields = part.__dict__
            if len(part_fields) != _FIELDS.get(kind):
                return None
            kinds.append(kind)
            live.append(part_fields)
            shot.append(copy := part_fields.copy())
            if kind == "tool_call":
                copy["arguments"] = plain_copy(part_fields["arguments"])
                if part_fields["extra"] is not None:
                    copy["extra"] = plain_copy(part_fields["extra"])
            elif kind == "tool_result":
                _add_origin(kind_of, part_fields, live, shot)
            elif kind == "reasoning":
                copy["extra"] = plain_copy(part_fields["extra"])
            elif type(part_fields["text"]) not in LEAVES:
                return None
    except (NotPlainError, AttributeError, KeyError, TypeError, RecursionError):
        return None
    return KnownMessage(message, role, kinds, live, shot, c.text)


def _add_origin(
    kind_of: Callable[..., str], fields: dict[str, Any], live: list[Any], shot: list[Any]
) -> None:
    """Copy the call that a result answers."""
    origin = fields["origin"]
    call = origin.__dict__
    if kind_of(type(origin)) != "tool_call" or len(call) != 4 or type(fields["result"]) is not str:
        raise NotPlainError
    live.append(call)
    shot.append(copy := call.copy())
    copy["arguments"] = plain_copy(call["arguments"])
    if call["extra"] is not None:
        copy["extra"] = plain_copy(call["extra"])
