"""Any value on one line: enough to recognise it, never more than asked for."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from typing import Any

from inspector.presentation.values import entries_in, entry_count, items_in
from inspector.presentation.visible import one_line
from inspector.presentation.words import byte_words, number_words, plural, sentence
from inspector.runfile.value import tag_of

LONGEST = 200
_DEEPEST = 3  # levels of nesting that a line shows
_WIDEST = 8  # items of one list that a line shows
_BRACKETS = {"tuple": ("(", ")"), "list": ("[", "]")}
_TEXT_TAGS = frozenset(
    {"float", "int", "datetime", "date", "time", "timedelta", "decimal", "uuid", "path"}
)


def preview(value: Any, limit: int = LONGEST) -> str:
    """Return `value` on one line of at most `limit` characters.

    Text stands in quotes, so that what a file says is never mistaken for what
    the program says about it.
    """
    return _cut(_line(value, limit, 0), limit)


def text_preview(text: str, limit: int = LONGEST) -> str:
    """Return the beginning of a text on one line, without quotes."""
    # Blanks collapse: look a little further than needed, never at all of it.
    head = one_line(text[: 4 * limit + 64])
    return _cut(head if len(text) <= 4 * limit + 64 else head + "…", limit)


def type_words(value: Any) -> str:
    """Return what sort of value this is: `text · 1 204 characters`, `list · 3 items`."""
    tag = tag_of(value)
    if tag is not None:
        return _tag_type(tag, value)
    match value:
        case None:
            return "null"
        case bool():
            return "yes or no"
        case int() | float():
            return "number"
        case str():
            return sentence(["text", plural(len(value), "character")])
        case Mapping():
            return sentence(["fields", number_words(len(value))])
    items = items_in(value)
    return sentence(["list", plural(len(items), "item")]) if items is not None else "value"


def short_type(name: Any) -> str:
    """Return the last part of a qualified name: `Document` for `haystack.dataclasses.Document`."""
    return one_line(str(name)[:200]).rpartition(".")[2] or "unnamed"


def _line(value: Any, limit: int, depth: int) -> str:
    tag = tag_of(value)
    if tag is not None:
        return _tagged(tag, value, limit, depth)
    match value:
        case None:
            return "null"
        case True:
            return "true"
        case False:
            return "false"
        case int():
            # Python refuses to write out very long numbers, and nobody reads them.
            return (
                str(value) if value.bit_length() < 128 else f"a number of {value.bit_length()} bits"
            )
        case float():
            return repr(value)
        case str():
            return _quoted(value, limit)
        case Mapping():
            return _fields(value.items(), len(value), limit, depth)
    items = items_in(value)
    return _items(items, limit, depth, "[", "]") if items is not None else one_line(str(value))


def _quoted(text: str, limit: int) -> str:
    return f"“{text_preview(text, max(8, limit - 2))}”"


def _items(items: Sequence[Any], limit: int, depth: int, opening: str, closing: str) -> str:
    if not items:
        return opening + closing
    if depth >= _DEEPEST:
        return f"{opening}{plural(len(items), 'item')}{closing}"
    room = limit - 2
    shown: list[str] = []
    for item in islice(items, _WIDEST):
        part = _line(item, max(12, room), depth + 1)
        shown.append(part)
        room -= len(part) + 2
        if room <= 0:
            break
    rest = len(items) - len(shown)
    more = [f"… {number_words(rest)} more"] if rest else []
    return opening + ", ".join(shown + more) + closing


def _fields(pairs: Iterable[tuple[Any, Any]], total: int, limit: int, depth: int) -> str:
    if not total:
        return "{}"
    if depth >= _DEEPEST:
        return f"{{{plural(total, 'field')}}}"
    room = limit - 2
    shown: list[str] = []
    for key, part in islice(pairs, _WIDEST):
        word = f"{text_preview(str(key), 40)}: {_line(part, max(12, room // 2), depth + 1)}"
        shown.append(word)
        room -= len(word) + 2
        if room <= 0:
            break
    rest = total - len(shown)
    more = [f"… {number_words(rest)} more"] if rest > 0 else []
    return "{" + ", ".join(shown + more) + "}"


def _tagged(tag: str, value: Mapping[str, Any], limit: int, depth: int) -> str:
    if tag in _TEXT_TAGS and isinstance(value.get("value"), str | int | float):
        return text_preview(str(value["value"]), limit)
    items = items_in(value)
    if items is not None:
        opening, closing = _BRACKETS.get(tag, ("{", "}"))
        return _items(items, limit, depth, opening, closing)
    words = _TAG_WORDS.get(tag)
    if words is not None:
        return words(value, limit)
    name = short_type(value.get("type") or tag)
    if depth >= _DEEPEST:
        return name
    fields = _fields(entries_in(value), entry_count(value), limit, depth)
    return fields if tag == "dict" else sentence([name, fields], " ")


def _chat_message(value: Mapping[str, Any], limit: int) -> str:
    content = items_in(value.get("content")) or ()
    parts = [_message_part(part, limit) for part in islice(content, _WIDEST)]
    return sentence([text_preview(str(value.get("role") or "message"), 40), *parts])


def _message_part(part: Any, limit: int) -> str:
    match part:
        case {"text": str(text)}:
            return _quoted(text, limit)
        case {"tool_call": {"name": name, **call}}:
            return f"→ {call_words(str(name), call.get('arguments'), limit)}"
        case {"tool_result": {"result": result, **rest}}:
            failed = "✕ " if rest.get("error") else ""
            return f"← {failed}{_line(result, limit, 1)}"
        case {"reasoning": {"text": str(text)}}:
            return f"thought {_quoted(text, limit)}"
    return _line(part, limit, 1)


def call_words(name: str, arguments: Any, limit: int = LONGEST) -> str:
    """Return a tool call as one would write it: `search(query: “Paris”)`."""
    entries = list(islice(entries_in(arguments), _WIDEST))
    inner = ", ".join(
        f"{text_preview(str(key), 40)}: {_line(part, 40, 2)}" for key, part in entries
    )
    return _cut(f"{text_preview(name, 60)}({inner})", limit)


def _document(value: Mapping[str, Any], limit: int) -> str:
    score = value.get("score")
    content = value.get("content")
    return sentence(
        [
            f"document {text_preview(str(value.get('id', '')), 10)}".rstrip(),
            f"{score:.4g}" if isinstance(score, int | float) else "",
            _quoted(content, limit) if isinstance(content, str) else "",
        ]
    )


def bytes_words(value: Mapping[str, Any]) -> str:
    """Return how big a `bytes` value is, from its text or from what was noted of it."""
    size = value.get("size")
    text = value.get("base64")
    if isinstance(text, str):
        return byte_words(len(text) * 3 // 4 - text[-2:].count("="))
    left_out = "" if tag_of(value) != "bytes" else "left out"
    return sentence([byte_words(size) if isinstance(size, int) else "size unknown", left_out])


def array_words(value: Mapping[str, Any]) -> str:
    """Return an array as its type, shape and digest: `float32 · 768 · digest 5f1c0e…`."""
    shape = value.get("shape")
    sizes = [str(size) for size in shape[:8]] if isinstance(shape, list) else []
    digest = value.get("digest")
    return sentence(
        [
            one_line(str(value.get("dtype", ""))[:40]),
            " × ".join(sizes) or "shape unknown",
            f"digest {one_line(str(digest)[:12])}…" if digest else "",
        ]
    )


def _media(name: str) -> Callable[[Mapping[str, Any], int], str]:
    def words(value: Mapping[str, Any], _limit: int) -> str:
        return sentence([name, media_words(value)])

    return words


def media_words(value: Mapping[str, Any]) -> str:
    """Return the facts of an image, a file or a byte stream."""
    data = value.get("data")
    return sentence(
        [
            text_preview(str(value.get("filename") or ""), 60),
            text_preview(str(value.get("mime_type") or ""), 60),
            bytes_words(data) if isinstance(data, Mapping) else "",
            f"detail {text_preview(str(value['detail']), 20)}" if value.get("detail") else "",
        ]
    )


def _exception(value: Mapping[str, Any], limit: int) -> str:
    message = value.get("message")
    return f"{short_type(value.get('type'))}: {text_preview(str(message or ''), limit)}"


def _opaque(value: Mapping[str, Any], limit: int) -> str:
    return sentence(
        [short_type(value.get("type")), text_preview(str(value.get("repr", "")), limit)]
    )


def _truncated(value: Mapping[str, Any], limit: int) -> str:
    size = value.get("size")
    head = value.get("head")
    return sentence(
        [
            "left out for its size",
            f"{short_type(value['type'])}" if value.get("type") else "",
            byte_words(size) if isinstance(size, int) else "",
            f"begins {_quoted(head, limit)}" if isinstance(head, str) and head else "",
        ]
    )


def _redacted(value: Mapping[str, Any], _limit: int) -> str:
    return sentence(
        [
            "redacted",
            text_preview(str(value.get("rule") or ""), 60),
            text_preview(str(value.get("placeholder") or ""), 60),
        ]
    )


def _missing(value: Mapping[str, Any], _limit: int) -> str:
    return sentence(
        [
            "missing from the file",
            text_preview(str(value.get("why") or ""), 120),
            text_preview(str(value.get("ref") or ""), 34),
        ]
    )


def _secret(value: Mapping[str, Any], _limit: int) -> str:
    names = items_in(value.get("env_vars")) or ()
    from_where = ", ".join(text_preview(str(name), 60) for name in islice(names, _WIDEST))
    return sentence(["secret", f"from {from_where}" if from_where else "its source is not kept"])


def _chunk(value: Mapping[str, Any], limit: int) -> str:
    finish = value.get("finish_reason")
    calls = items_in(value.get("tool_calls")) or ()
    content = value.get("content")
    return (
        sentence(
            [
                _quoted(content, limit) if isinstance(content, str) and content else "",
                f"{plural(len(calls), 'tool call piece')}" if calls else "",
                f"ends: {text_preview(str(finish), 40)}" if finish else "",
            ]
        )
        or "empty chunk"
    )


def _text(value: Mapping[str, Any], limit: int) -> str:
    text = value.get("value")
    return _quoted(text, limit) if isinstance(text, str) else "text that Unicode cannot say"


def _named(field: str, word: str = "") -> Callable[[Mapping[str, Any], int], str]:
    def words(value: Mapping[str, Any], limit: int) -> str:
        return sentence([word, text_preview(str(value.get(field, "unnamed")), limit)], " ")

    return words


_TAG_WORDS: Mapping[str, Callable[[Mapping[str, Any], int], str]] = {
    "str": _text,
    "chat_message": _chat_message,
    "document": _document,
    "bytes": lambda value, _limit: f"bytes · {bytes_words(value)}",
    "array": lambda value, _limit: f"array · {array_words(value)}",
    "complex": lambda value, _limit: f"{value.get('real')} + {value.get('imag')}i",
    "enum": _named("name"),
    "callable": _named("name", "function"),
    "type": _named("name", "class"),
    "component": _named("type", "component"),
    "tool": _named("name", "tool"),
    "image": _media("image"),
    "file": _media("file"),
    "byte_stream": _media("byte stream"),
    "exception": _exception,
    "opaque": _opaque,
    "truncated": _truncated,
    "redacted": _redacted,
    "missing": _missing,
    "secret": _secret,
    "streaming_chunk": _chunk,
}

_TAG_TYPES: Mapping[str, str] = {
    "chat_message": "chat message",
    "byte_stream": "byte stream",
    "sparse_embedding": "sparse embedding",
    "streaming_chunk": "chunk",
    "int": "number",
    "float": "number",
    "str": "text",
    "callable": "function",
    "type": "class",
    "opaque": "not encoded",
    "truncated": "left out",
}


def _tag_type(tag: str, value: Mapping[str, Any]) -> str:
    match tag:
        case "object" | "enum" | "answer" | "exception" if value.get("type"):
            return short_type(value["type"])
        case "opaque" if value.get("type"):
            return sentence(["not encoded", short_type(value["type"])])
        case "dict":
            return sentence(["fields", number_words(entry_count(value))])
        case "list" | "tuple" | "set" | "frozenset":
            return sentence([tag, plural(len(items_in(value) or ()), "item")])
    return _TAG_TYPES.get(tag) or one_line(tag[:40])


def _cut(line: str, limit: int) -> str:
    return line if len(line) <= limit else line[: max(0, limit - 1)].rstrip() + "…"
