"""Messages as conventions for traces write them: flattened into keys, or in parts."""

from __future__ import annotations

from typing import Any

from inspector.importers.reading import plain, settled, told
from inspector.importers.trees import call_of, converted
from inspector.runfile.value import TAG

_MOST = 10_000


def nested(attributes: dict[str, Any], prefix: str) -> list[Any]:
    """Return what `prefix.0.a.b`, `prefix.1.a.b`, ... say, as a list of objects."""
    found: dict[int, Any] = {}
    length = len(prefix) + 1
    for key, value in attributes.items():
        if not key.startswith(prefix) or key[length - 1 : length] != ".":
            continue
        number, _, rest = key[length:].partition(".")
        if number.isdigit() and int(number) < _MOST:
            _put(found.setdefault(int(number), {}), rest, value)
    return [found[number] for number in sorted(found)]


def _put(tree: dict[str, Any], path: str, value: Any) -> None:
    keys = path.split(".") if path else [""]
    for key in keys[:-1]:
        inner = tree.setdefault(key, {})
        if not isinstance(inner, dict):
            return
        tree = inner
    tree[keys[-1]] = value


def numbered(tree: Any) -> list[Any]:
    """Return what an object with the keys `0`, `1`, ... holds, in that order."""
    if not isinstance(tree, dict):
        return []
    return [tree[key] for key in sorted((k for k in tree if k.isdigit()), key=int)]


def chat_message(role: Any, parts: list[dict[str, Any]], name: Any = None) -> dict[str, Any]:
    """Return a message of ours."""
    made: dict[str, Any] = {TAG: "chat_message", "role": str(role or "assistant")}
    if isinstance(name, str) and name:
        made["name"] = name
    made["content"] = parts
    return made


def text(value: Any) -> dict[str, Any]:
    """Return a part of a message that is a text."""
    return {"text": value if isinstance(value, str) else settled(told(value))}


def call(name: Any, arguments: Any, id_: Any = None) -> dict[str, Any]:
    """Return a part of a message that calls a tool."""
    value = {"name": name, "arguments": plain(arguments), "id": id_}
    return {"tool_call": call_of(value)}


def result(id_: Any, name: Any, value: Any, *, failed: bool = False) -> dict[str, Any]:
    """Return a part of a message that answers a call."""
    made: dict[str, Any] = {"name": str(name or ""), "arguments": {}}
    if id_:
        made["id"] = str(id_)
    said = value if isinstance(value, str) else converted(value)
    return {"tool_result": {"call": made, "result": said, "error": failed}}


def from_parts(tree: Any) -> Any:
    """Return a message whose content stands in parts with a `type` each."""
    if not isinstance(tree, dict) or not isinstance(tree.get("parts"), list):
        return converted(tree)
    parts = [_part(part) for part in tree["parts"]]
    made = chat_message(tree.get("role"), parts, tree.get("name"))
    if isinstance(tree.get("finish_reason"), str):
        made["meta"] = {"finish_reason": tree["finish_reason"]}
    return made


def _part(part: Any) -> dict[str, Any]:
    if not isinstance(part, dict):
        return text(part)
    kind = part.get("type")
    if kind == "text":
        return text(part.get("content", part.get("text", "")))
    if kind == "tool_call":
        return call(part.get("name"), part.get("arguments", {}), part.get("id"))
    if kind == "tool_call_response":
        answer = part.get("response", part.get("result"))
        return result(part.get("id"), part.get("name"), answer)
    if kind in ("reasoning", "thinking"):
        return {"reasoning": {"text": str(part.get("content", ""))}}
    made = converted(part)
    return made if isinstance(made, dict) else text(made)
