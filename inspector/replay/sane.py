"""Whether a recorded answer is one that its component could have given.

Recordings are files, and files are edited by hand. What an LLM or a component cannot have
given would fail somewhere in Haystack, with words that say nothing of the recording.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from haystack.dataclasses import ChatMessage, Document, TextContent, ToolCall, ToolCallResult

if TYPE_CHECKING:
    from collections.abc import Iterable

_DEEPEST = 4
_MOST = 1_000
_NAMED = frozenset({"component", "llm"})


def fault_of(kind: str, role: str, value: Any) -> str | None:
    """Say in words why a value cannot be what a call gave back, or None when it can."""
    if kind in _NAMED and not isinstance(value, dict):
        return f"it is a {type(value).__name__}, and not outputs by their names"
    if "llm" in (kind, role) and isinstance(value, dict) and "replies" in value:
        replies = value["replies"]
        if not isinstance(replies, list) or not all(
            isinstance(each, (ChatMessage, str)) for each in replies
        ):
            return "its replies are no messages"
    return _inside(value, 0)


def _inside(value: Any, depth: int) -> str | None:
    if isinstance(value, ChatMessage):
        return _message(value)
    if isinstance(value, Document):
        return _document(value)
    if depth >= _DEEPEST or not isinstance(value, (dict, list, tuple)):
        return None
    parts: Iterable[Any] = value.values() if isinstance(value, dict) else value
    for number, part in enumerate(parts):
        if number >= _MOST:
            break
        if (fault := _inside(part, depth + 1)) is not None:
            return fault
    return None


def _message(message: Any) -> str | None:
    held = vars(message)
    if not isinstance(held.get("_meta"), dict):
        return "the meta of a message is no object"
    if not isinstance(held.get("_name"), (str, type(None))):
        return "the name of a message is no text"
    content: Any = held.get("_content")
    for part in content or ():
        if isinstance(part, TextContent) and not isinstance(vars(part).get("text"), str):
            return "the text of a message is no text"
        if isinstance(part, ToolCallResult):
            part = part.origin  # noqa: PLW2901 - which call it is the result of
        if isinstance(part, ToolCall) and not _is_whole(part):
            return "a tool call lacks its name or its arguments"
        if isinstance(part, (dict, list, int, float, bool, type(None))):
            return "a part of a message is no such part"
    return None


def _is_whole(call: Any) -> bool:
    return isinstance(call.tool_name, str) and isinstance(call.arguments, dict)


def _document(document: Any) -> str | None:
    held = vars(document)
    if not isinstance(held.get("id"), str):
        return "the id of a document is no text"
    if not isinstance(held.get("content"), (str, type(None))):
        return "the content of a document is no text"
    if not isinstance(held.get("meta"), dict):
        return "the meta of a document is no object"
    return None
