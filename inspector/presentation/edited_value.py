"""Recorded values as text that a person edits, and what is wrong with what they wrote."""

from __future__ import annotations

import json
from collections.abc import Mapping
from math import isfinite
from typing import TYPE_CHECKING, Any

from inspector.errors import InspectorError
from inspector.presentation.previews import preview
from inspector.presentation.value_paths import ABSENT, follow, split
from inspector.presentation.values import entries_in, field_path, items_in
from inspector.presentation.visible import one_line
from inspector.runfile.value import TAG, is_document, is_message, tag_of

if TYPE_CHECKING:
    from collections.abc import Iterator

LONGEST = 1_000_000  # characters of a value that can be edited
_DEEPEST = 200
_LEAST, _MOST, _MOST_DIGITS = -(2**63), 2**64 - 1, 20
_ROLES = ("user", "system", "assistant", "tool")
_PARTS = ("text", "tool_call", "tool_result", "reasoning", "image", "file")
# Of these, a file holds too little to make them again.
_DESCRIBED = frozenset({"truncated", "missing", "opaque", "unreadable", "secret", "type"})
_WORDS = {str: "a text", bool: "true or false", int: "a number", float: "a number",
          list: "a list", dict: "an object", type(None): "null"}  # fmt: skip


def plain_tree(value: Any, depth: int = 0) -> Any:
    """Return a value tree of one's own, with lists that were kept in parts put together."""
    if depth > _DEEPEST:
        return value
    items = items_in(value) if isinstance(value, list) or tag_of(value) == "list" else None
    if items is not None:
        return [plain_tree(item, depth + 1) for item in items]
    if isinstance(value, Mapping):
        return {key: plain_tree(part, depth + 1) for key, part in value.items()}
    return value


def as_json(value: Any) -> str:
    """Return a value as JSON to edit.

    Raises:
        InspectorError: It is too large for that.

    """
    text = json.dumps(value, ensure_ascii=False, indent=2)
    if len(text) > LONGEST:
        raise InspectorError(
            "This value is too large to be edited here.",
            hint="Change what it is made from, or replay with the changed target.",
        )
    return text


def from_json(text: str) -> Any:
    """Return the value that JSON describes.

    Raises:
        InspectorError: It is no JSON; says where.

    """
    if len(text) > 2 * LONGEST:
        raise InspectorError("This is too much to be given in place of a recorded value.")
    try:
        value = json.loads(
            text, parse_constant=_refuse, parse_int=_whole_number, parse_float=_number
        )
    except json.JSONDecodeError as error:
        raise InspectorError(
            f"Line {error.lineno}, column {error.colno}: {_told(error, text)}",
        ) from error
    except RecursionError as error:
        raise InspectorError("This is nested too deeply.") from error
    return value


def _whole_number(digits: str) -> int:
    # Longer ones go to no worker, and Python reads no more than a few thousand digits.
    if len(digits) > _MOST_DIGITS or not _LEAST <= (number := int(digits)) <= _MOST:
        raise InspectorError(
            f"{_shortened(digits)} is too large: whole numbers have at most 64 bits.",
        )
    return number


def _number(digits: str) -> float:
    number = float(digits)
    if not isfinite(number):
        raise InspectorError(f"{_shortened(digits)} is too large for a number.")
    return number


def _shortened(digits: str) -> str:
    return digits if len(digits) <= _MOST_DIGITS else f"{digits[:_MOST_DIGITS]}…"


def _refuse(word: str) -> Any:
    raise InspectorError(f"{word} is no number in JSON.")


def _told(error: json.JSONDecodeError, text: str) -> str:
    """Return what is wrong in words of our own, with what stands there."""
    if not text.strip():
        return "there is nothing here; write null for nothing."
    found = text[error.pos : error.pos + 12].partition("\n")[0].strip()
    here = f" before {found!r}" if found else " at the end"
    words = {
        "Expecting value": "a value is missing",
        "Expecting ',' delimiter": "a comma is missing",
        "Expecting ':' delimiter": "a colon is missing",
        "Expecting property name enclosed in double quotes": "a name in double quotes is missing",
        "Extra data": "there is more than one value",
        "Unterminated string starting at": "this text has no closing quote",
        "Illegal trailing comma before end of object": "there is a comma too many",
        "Illegal trailing comma before end of array": "there is a comma too many",
    }
    said = words.get(error.msg, error.msg[:1].lower() + error.msg[1:])
    return f"{said}{here}."


def main_text(value: Any) -> str | None:
    """Return the path of the one text that a value is about; None where there is none.

    Of an answer of an LLM that is the text of its reply, of a prompt or a result the text.
    """
    if isinstance(value, str):
        return ""
    found = list(_main_texts(value, "", 0))
    return found[0].removeprefix(".") if len(found) == 1 else None


def _main_texts(value: Any, path: str, depth: int) -> Iterator[str]:
    if depth > 6:
        return
    if isinstance(value, str):
        yield path
    elif is_message(value):
        for at, part in enumerate(value.get("content") or ()):
            if isinstance(part, dict) and isinstance(part.get("text"), str):
                yield f"{path}.content[{at}].text"
    elif isinstance(value, dict) and TAG not in value:
        for name, part in value.items():
            if name not in ("meta", "usage"):
                yield from _main_texts(part, field_path(path, name), depth + 1)
    elif isinstance(value, list):
        for at, part in enumerate(value[:50]):
            yield from _main_texts(part, f"{path}[{at}]", depth + 1)


def part_at(value: Any, path: str) -> Any:
    """Return what stands at a path inside a value, or `ABSENT`."""
    return follow(value, split(path)) if path else value


def with_part(value: Any, path: str, part: Any) -> Any:
    """Return a value with something else at a path; everything beside it is shared."""
    return _with(value, [step.label for step in split(path)], part)


def _with(value: Any, labels: list[str], part: Any) -> Any:
    if not labels:
        return part
    first, *rest = labels
    if isinstance(value, list):
        at = int(first)
        return [*value[:at], _with(value[at], rest, part), *value[at + 1 :]]
    return {**value, first: _with(value.get(first), rest, part)}


def fault_in(value: Any) -> str:
    """Return why a value cannot be given to a replay, in a sentence; "" when it can."""
    return first_fault(value)[1]


def first_fault(value: Any) -> tuple[str, str]:
    """Return where a value cannot be given to a replay, and why; twice "" when it can."""
    for path, inner in _parts(value):
        where = path.removeprefix(".") or "The value"
        tag = tag_of(inner)
        if tag in _DESCRIBED:
            return path, (
                f"{where} was kept as its description only ({tag}). "
                "Put a value of your own there, or take it out."
            )
        if is_message(inner) and (fault := _message_fault(inner)):
            return path, f"{where}: {fault}"
        if is_document(inner) and (fault := document_fault(inner)):
            return path, f"{where}: {fault}"
    return "", ""


def _parts(value: Any) -> Iterator[tuple[str, Any]]:
    todo: list[tuple[str, Any, int]] = [("", value, 0)]
    while todo:
        path, inner, depth = todo.pop()
        yield path, inner
        if depth > _DEEPEST:
            continue
        if isinstance(inner, list):
            todo += [(f"{path}[{at}]", part, depth + 1) for at, part in enumerate(inner)][::-1]
        elif isinstance(inner, dict):
            named = [(field_path(path, str(name)), part) for name, part in inner.items()]
            todo += [
                (where, part, depth + 1)
                for where, part in reversed(named)
                if isinstance(part, dict | list)
            ]


def _message_fault(message: Mapping[str, Any]) -> str:
    if message.get("role") not in _ROLES:
        return (
            f"a message is from {', '.join(_ROLES)}, not from {preview(message.get('role'), 40)}."
        )
    content = message.get("content")
    if not isinstance(content, list):
        return "the content of a message is a list of parts."
    for at, part in enumerate(content):
        if not isinstance(part, dict) or not any(name in part for name in (*_PARTS, TAG)):
            return f"part {at + 1} of the message is none of {', '.join(_PARTS)}."
        if "text" in part and not isinstance(part["text"], str | dict):
            return f"the text of part {at + 1} is {_type_words(part['text'])}, not a text."
        if "tool_call" in part:
            call = part["tool_call"]
            if not isinstance(call, dict) or not isinstance(call.get("name"), str):
                return f"the tool call in part {at + 1} names no tool."
            if not isinstance(call.get("arguments"), dict):
                return f"the arguments of the tool call in part {at + 1} are an object."
    return ""


def document_fault(document: Mapping[str, Any]) -> str:
    """Return why this is no document, in a sentence; "" when it is one."""
    content, score, meta = (document.get(name) for name in ("content", "score", "meta"))
    if content is not None and not isinstance(content, str | dict):
        return f"the content of a document is a text, not {_type_words(content)}."
    if isinstance(score, bool) or not isinstance(score, int | float | dict | None):
        return f"the score of a document is a number, not {_type_words(score)}."
    if meta is not None and not isinstance(meta, dict):
        return f"the meta of a document is an object, not {_type_words(meta)}."
    if not isinstance(document.get("id"), str) or not document["id"]:
        return "a document needs an id."
    return ""


def answer_fault(recorded: Any, value: Any, role: str) -> str:
    """Return why this is no answer of such a call, in a sentence; "" when it is one.

    Args:
        recorded: What it gave back; None where it failed.
        value: What it is to give back.
        role: What the call is: "tool", or the role of its span.

    """
    if fault := fault_in(value):
        return fault
    if role == "tool":
        return ""  # tools give back what they like
    if not isinstance(value, dict) or TAG in value:
        return f"A component gives back an object with its outputs, not {_type_words(value)}."
    if isinstance(recorded, dict):
        names = sorted(map(str, recorded))
        if missing := [name for name in names if name not in value]:
            return f"The output {missing[0]!r} is missing; the recorded answer has it."
        if more := [name for name in value if name not in recorded]:
            known = ", ".join(names)
            return (
                f"There is no output {one_line(str(more[0]))!r}; the recorded answer has {known}."
            )
    if role == "llm":
        replies = value.get("replies")
        if not isinstance(replies, list) or not replies:
            return "An LLM answers with a list of replies that is not empty."
        if not all(is_message(each) or isinstance(each, str) for each in replies):
            return "The replies of an LLM are messages or texts."
    return ""


def doubt_about(recorded: Any, value: Any) -> str:
    """Return what is odd about a new value, though it may be meant; "" when nothing is."""
    one, other = _type_words(recorded), _type_words(value)
    if recorded is None or value is None or one == other:
        return ""
    return f"It was {one} in the recording ({preview(recorded, 40)}) and is {other} now."


def _type_words(value: Any) -> str:
    tag = tag_of(value)
    if tag is not None:
        return f"a {tag.replace('_', ' ')}"
    return _WORDS.get(type(value), "something else")


def names_in(value: Any) -> list[str]:
    """Return the names of what a value holds."""
    return [str(name) for name, _ in entries_in(value)]


__all__ = [
    "ABSENT", "answer_fault", "as_json", "document_fault", "doubt_about", "fault_in", "from_json",
    "main_text", "names_in", "part_at", "plain_tree", "with_part",
]  # fmt: skip
