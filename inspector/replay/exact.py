"""A live value as bytes that are the same for the same value only.

A replay meets the same values each time. Seeing that takes a fraction of what encoding them
takes, as most of it happens in C: `marshal` spells each class of plain value in its own way,
so that 1, 1.0 and True are three values, and refuses what is not plain.
"""

from __future__ import annotations

from marshal import dumps
from typing import TYPE_CHECKING, Any

from haystack.dataclasses import ChatMessage, Document, GeneratedAnswer
from haystack.dataclasses.chat_message import (
    ReasoningContent,
    TextContent,
    ToolCall,
    ToolCallResult,
)
from haystack.tools.tool import Tool

if TYPE_CHECKING:
    from collections.abc import Callable

_MOST_ITEMS = 256
_MOST_MESSAGES = 32  # a longer history is encoded by what it goes on from, which is quicker
_NO_REFERENCES = 2  # the last format that does not depend on how often an object is held
_MARK = StopIteration  # stands before what is no plain tuple: nobody's data begins with it
_LEAVES = frozenset({str, int, float, bool, type(None)})
_PLAIN = _LEAVES | {dict, list, tuple}


class _NotPlainError(Exception):
    """There is something in a value that only encoding does justice."""


def exact(value: Any) -> bytes | None:
    """Return what stands for a value; None for one that is not made of plain ones only."""
    try:
        return dumps(_told(value), _NO_REFERENCES)
    except Exception:  # noqa: BLE001 - then it is encoded, and whoever does that says what is wrong
        return None


def is_plain(value: Any) -> bool:
    """Say whether `exact` can be trusted with a value: it takes a buffer for the bytes in it."""
    told = [_told(value)]
    while told:
        item = told.pop()
        kind = type(item)
        if kind is dict:
            told += item
            told += item.values()
        elif kind is list or kind is tuple:
            told += item
        elif kind not in _LEAVES and item is not _MARK:
            return False
    return True


def _told(value: Any) -> Any:
    kind = type(value)
    tell = _TELL.get(kind)
    if tell is not None:
        return tell(value)
    if kind is dict:
        return {key: item if type(item) in _LEAVES else _told(item) for key, item in value.items()}
    if (kind is list or kind is tuple) and value:
        first = type(value[0])
        if first not in _LEAVES:
            if len(value) > (_MOST_MESSAGES if first is ChatMessage else _MOST_ITEMS):
                raise _NotPlainError
            return kind([_told(item) for item in value])
    return value


def _fields(number: int, count: int) -> Callable[[Any], Any]:
    """Return how something is told whose fields are plain, and so many."""

    def tell(value: Any) -> Any:
        fields = value.__dict__
        if len(fields) != count:
            raise _NotPlainError
        return (_MARK, number, fields)

    return tell


def _message(message: Any) -> Any:
    fields = message.__dict__
    if len(fields) != 4:
        raise _NotPlainError
    parts = [_TELL[type(part)](part) for part in fields["_content"]]
    return (_MARK, 0, fields["_role"]._value_, parts, fields["_name"], fields["_meta"])


def _result(result: Any) -> Any:
    fields = result.__dict__
    if len(fields) != 3:
        raise _NotPlainError
    origin = _call(fields["origin"])
    return (_MARK, 3, _told(fields["result"]), origin, fields["error"])


def _answer(answer: Any) -> Any:
    fields = answer.__dict__
    if len(fields) != 4:
        raise _NotPlainError
    return (_MARK, 6, {name: _told(item) for name, item in fields.items()})


def _tool(tool: Any) -> Any:
    # What a model is told of it, as it is recorded; what it does is not.
    return (_MARK, 7, tool.name, tool.description, tool.parameters)


_call = _fields(2, 4)
_TELL: dict[type, Callable[[Any], Any]] = {
    ChatMessage: _message,
    TextContent: _fields(1, 1),
    ToolCall: _call,
    ToolCallResult: _result,
    ReasoningContent: _fields(4, 2),
    Document: _fields(5, 7),
    GeneratedAnswer: _answer,
    Tool: _tool,
}
"""How values of exactly these classes are told."""
