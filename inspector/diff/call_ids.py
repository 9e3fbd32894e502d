"""Messages without what a provider happened to call their tool calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from inspector.runfile.value import is_message

if TYPE_CHECKING:
    from collections.abc import Callable


def alike_but_for_ids(left: Any, right: Any) -> bool:
    """Whether two lists of messages are equal when their tool calls are numbered.

    Quick to say yes; no may also mean that they differ by what else does not count.
    """
    if not (isinstance(left, list) and isinstance(right, list) and len(left) == len(right)):
        return False
    if not (left and all(map(is_message, left)) and all(map(is_message, right))):
        return False
    return _numbered(left) == _numbered(right)


def renamed(message: dict[str, Any], name_of: Callable[[str], Any]) -> dict[str, Any]:
    """Return a message whose tool calls are called otherwise, and the results of some.

    Calls that stand anywhere else in it, such as in what a tool was given, are left alone.
    """
    parts = message.get("content")
    if not isinstance(parts, list):
        return message
    found = []
    for part in parts:
        kept = part
        if type(part) is dict:
            if "tool_call" in part:
                kept = _with_call(part, "tool_call", name_of)
            elif type(result := part.get("tool_result")) is dict:
                kept = {**part, "tool_result": _with_call(result, "call", name_of)}
        found.append(kept)
    return {**message, "content": found}


def _with_call(holder: dict[str, Any], key: str, name_of: Callable[[str], Any]) -> dict[str, Any]:
    call = holder.get(key)
    if type(call) is not dict or "arguments" not in call or type(call.get("id")) is not str:
        return holder
    return {**holder, key: {**call, "id": name_of(call["id"])}}


def _numbered(messages: list[Any]) -> list[dict[str, Any]]:
    numbers: dict[str, str] = {}

    def name_of(call_id: str) -> str:
        return numbers.setdefault(call_id, f"\0{len(numbers)}")

    return [renamed(message, name_of) for message in messages]
