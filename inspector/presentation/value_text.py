"""A value written out: as JSON, or as the text a person would read in its place."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from inspector.presentation.byte_text import Recorded, bytes_in, hex_lines
from inspector.presentation.plain_json import plain_entries, plain_items, written_plain
from inspector.presentation.previews import call_words, media_words, preview
from inspector.presentation.values import items_in

SHOWN_AT_ONCE = 2_000_000
"""Characters of one text that are shown before a person asks for all of it."""

MOST_SHOWN = 50_000_000
"""Characters that even "all of it" stops at: shared parts can be endless when written out."""

_INDENT = 2
_DEEPEST_INDENT = 40  # levels; deeper ones stand below each other, or lines would only be blanks
_DEEPEST_PLAIN = 20  # levels; what is written together may be as deep again
_LONG_TEXT = 20_000  # what is looked at to tell a language


@dataclass(frozen=True, slots=True)
class WrittenValue:
    """A value as text, and the language it is in."""

    text: str
    language: str  # "json", "python", "jinja", "markdown", "hex", or "" for plain text
    complete: bool = True
    total: int | None = None  # characters of the whole text, where that is known


def json_text(value: Any, limit: int = SHOWN_AT_ONCE) -> WrittenValue:
    """Return `value` as indented JSON, stopping after about `limit` characters."""
    pieces: list[str] = []
    length = 0
    for piece in json_pieces(value):
        pieces.append(piece)
        length += len(piece)
        if length > limit:
            return WrittenValue("".join(pieces)[:limit], "json", complete=False)
    return WrittenValue("".join(pieces), "json", total=length)


def json_pieces(value: Any) -> Iterator[str]:
    """Yield `value` as indented JSON in small pieces, however deep it is."""
    # Each level is what is left of it, and how it ends.
    levels: list[tuple[Iterator[_Entry], str]] = []
    yield _opened("", value, levels)
    started = False
    while levels:
        rest, closing = levels[-1]
        entry = next(rest, None)
        if entry is None:
            levels.pop()
            yield f"{_margin(len(levels)) if started else ''}{closing}"
            started = True
            continue
        lead, part = entry
        yield f"{',' if started else ''}{_margin(len(levels))}"
        before = len(levels)
        yield _opened(lead, part, levels)
        started = len(levels) == before


_Entry = tuple[str, Any]  # what stands before a value, and the value


class _Written(str):
    """Several entries that were written out in one go."""

    __slots__ = ()


def _opened(lead: str, value: Any, levels: list[tuple[Iterator[_Entry], str]]) -> str:
    """Return how `value` begins, and put what is inside it on `levels`."""
    if isinstance(value, _Written):
        return value
    if isinstance(value, Mapping):
        if value:
            levels.append((_named(value, len(levels) + 1), "}"))
            return f"{lead}{{"
        return f"{lead}{{}}"
    items = items_in(value)
    if items is None:
        return lead + _leaf(value)
    if not items:
        return f"{lead}[]"
    levels.append((_listed(items, len(levels) + 1), "]"))
    return f"{lead}["


def _named(value: Mapping[Any, Any], depth: int) -> Iterator[_Entry]:
    """Yield the entries of a dictionary; many small ones together, which is much faster."""
    for block, plain in plain_entries(value.items()):
        together = plain and depth < _DEEPEST_PLAIN
        text = written_plain(dict(block), _margin(depth)) if together else None
        if text is not None:
            yield "", _Written(text)
        else:
            yield from ((f"{_leaf(str(key))}: ", part) for key, part in block)


def _listed(items: Sequence[Any], depth: int) -> Iterator[_Entry]:
    """Yield the items of a list; many small ones together, which is much faster."""
    for block, plain in plain_items(items):
        together = plain and depth < _DEEPEST_PLAIN
        text = written_plain(block, _margin(depth)) if together else None
        if text is not None:
            yield "", _Written(text)
        else:
            yield from (("", item) for item in block)


def _margin(depth: int) -> str:
    return "\n" + " " * (_INDENT * min(depth, _DEEPEST_INDENT))


def _leaf(value: Any) -> str:
    if isinstance(value, int) and value.bit_length() > 10_000:
        return hex(value)  # Python refuses to write out longer decimals
    if value is None or isinstance(value, str | int | float):
        return json.dumps(value, ensure_ascii=False)
    return json.dumps(str(value), ensure_ascii=False)


def readable(value: Any, limit: int = SHOWN_AT_ONCE) -> WrittenValue:
    """Return the first `limit` characters of a value the way a person reads it.

    Texts come as text, bytes as a hex dump, everything else as JSON.
    """
    if (recorded := bytes_in(value)) is not None:
        return _bytes_text(recorded, limit)
    text = _own_text(value)
    return json_text(value, limit) if text is None else plain_text(text, limit)


def _bytes_text(recorded: Recorded, limit: int) -> WrittenValue:
    if recorded.is_text:
        return plain_text(recorded.head(MOST_SHOWN).decode("utf-8", "replace"), limit)
    written, total = hex_lines(recorded, limit)
    return WrittenValue(written, "hex", len(written) >= total, total)


def plain_text(text: str, limit: int = SHOWN_AT_ONCE) -> WrittenValue:
    """Return the first `limit` characters of a text, and the language it seems to be in."""
    return WrittenValue(text[:limit], language_of(text), len(text) <= limit, len(text))


def reads_as_text(value: Any) -> bool:
    """Say whether `readable` and JSON differ for this value."""
    return _own_text(value) is not None or bytes_in(value) is not None


def _own_text(value: Any) -> str | None:
    match value:
        case str(text):
            return text
        case {"$": "chat_message"}:
            return message_text(value)
        case {"$": "document", "content": str(text)} | {"$": "str", "value": str(text)}:
            return text
        case {"$": "opaque", "repr": str(text)} | {"$": "truncated", "head": str(text)}:
            return text
        case {"$": "exception", "traceback": str(text)}:
            return text
    return None


def message_text(message: Mapping[str, Any]) -> str:
    """Return what a chat message says, with tool calls and results as lines of their own."""
    return "\n\n".join(_part_texts(message.get("content")))


def _part_texts(content: Any) -> Iterable[str]:
    if isinstance(content, str):
        yield content
    for part in items_in(content) or ():
        match part:
            case {"text": str(text)}:
                yield text
            case {"reasoning": {"text": str(text)}}:
                yield f"(reasoning)\n{text}"
            case {"tool_call": {"name": name, **call}}:
                yield f"→ {call_words(str(name), call.get('arguments'), 2_000)}"
            case {"tool_result": {"result": result, **rest}}:
                failed = "✕ " if rest.get("error") else ""
                yield f"← {failed}{result if isinstance(result, str) else preview(result, 2_000)}"
            case {"$": "image" | "file" as kind}:
                yield f"[{kind} · {media_words(part)}]"
            case str():
                yield part
            case _:
                yield preview(part, 2_000)


_TRACEBACK = re.compile(r"^Traceback \(most recent call last\):", re.MULTILINE)
_PYTHON = re.compile(
    r"^(?:def \w+\(|async def \w+\(|class \w+[(:]|import \w+|from [\w.]+ import )", re.MULTILINE
)
_MARKDOWN = re.compile(
    r"^(?:#{1,6} \S|```|[-*] \S.*\n[-*] \S|\d+\. \S.*\n\d+\. \S|\|.+\|\n\|[-:| ]+\|)"
    r"|\*\*\S[^*\n]*\*\*",
    re.MULTILINE,
)


def language_of(text: str) -> str:
    """Guess the language of a text from its beginning; `""` for plain prose."""
    head = text[:_LONG_TEXT]
    trimmed = head.lstrip()
    if trimmed[:1] in ("{", "[") and _looks_like_json(text, trimmed):
        return "json"
    if _encloses(head, "{{", "}}") or _encloses(head, "{%", "%}"):
        return "jinja"
    if _TRACEBACK.search(head):
        return ""
    if _PYTHON.search(head):
        return "python"
    return "markdown" if _MARKDOWN.search(head) else ""


def _encloses(text: str, opening: str, closing: str) -> bool:
    # Not a regular expression: on text full of openings that would take for ever.
    first = text.find(opening)
    return first >= 0 and text.find(closing, first) >= 0


def _looks_like_json(text: str, head: str) -> bool:
    if len(text) > _LONG_TEXT:
        return re.match(r"\[\s*[\"\[{\d\-tfn\]]|\{\s*[\"}]", head) is not None
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True
