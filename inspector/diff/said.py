"""What values say, in short texts for rows and in whole texts to be compared."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import orjson

from inspector.runfile.value import REF, TAG, is_message, tag_of

SHORT = 100
_LONGEST = 2_000_000
_MOST_STRINGS = 50
_DEEPEST = 8
_LEAST_VECTOR = 8
_LEFT_OUT = ("truncated", "missing")
_PLAIN = frozenset({str, int, float, bool, type(None)})


def short(text: str, length: int = SHORT) -> str:
    """Return a text in one line, cut to a length."""
    line = " ".join(text[: 4 * length].split())
    return line if len(line) <= length and len(text) <= 4 * length else line[: length - 1] + "…"


def quoted(text: str, length: int = SHORT) -> str:
    """Return a text in one line between quotation marks."""
    return f"“{short(text, length)}”"


def plural(number: int, one: str) -> str:
    """Return `1 document`, `2 documents`."""
    return f"{number} {one}" if number == 1 else f"{number} {one}s"


def article(noun: str) -> str:
    """Return `a` or `an`, as it is said before a noun."""
    return "an" if noun[:1].lower() in tuple("aeiou") else "a"


def only_there(name: str, did: str, *, before: bool) -> str:
    """Say that a component did something on one side only: on the left one, or the right one."""
    return f"{name} no longer ran; before, it {did}" if before else f"{name} newly ran and {did}"


def listed(words: Sequence[str], most: int = 3) -> str:
    """Return `a, b and c`, or `a, b, c and 4 more`."""
    shown = list(words[:most])
    if len(words) > most:
        return f"{', '.join(shown)} and {len(words) - most} more"
    if len(shown) < 2:
        return "".join(shown)
    return f"{', '.join(shown[:-1])} and {shown[-1]}"


def is_vector(tree: Any) -> bool:
    """Whether a value is an embedding: an array, or a list of so many numbers that nobody reads."""
    if tag_of(tree) == "array":
        return True
    return (
        isinstance(tree, list)
        and len(tree) >= _LEAST_VECTOR
        and all(type(each) in (float, int) for each in tree)
    )


def is_left_out(tree: Any, depth: int = 6) -> bool:
    """Whether something in a value was too large to be kept: nobody knows what it was."""
    level = [tree]
    for _ in range(depth + 1):
        below: list[Any] = []
        for node in level:
            if isinstance(node, dict):
                if node.get(TAG) in _LEFT_OUT:
                    return True
                below += node.values()
            elif isinstance(node, list):
                below += node
            elif isinstance(node, Mapping):
                below += node.values()
        level = [node for node in below if type(node) not in _PLAIN]
        if not level:
            break
    return False


def value_words(tree: Any, length: int = SHORT) -> str:
    """Return a value in a few words: a text as it stands, anything else as JSON."""
    if isinstance(tree, str):
        return short(tree, length)
    if is_vector(tree):
        return "an embedding"
    if is_message(tree):
        return short(message_text(tree), length)
    if tag_of(tree) == "callable":
        return str(tree.get("name"))
    if tag_of(tree) == "truncated":
        return f"{tree.get('size')} bytes that were not kept"
    if tag_of(tree) in ("enum", "datetime", "date", "decimal", "uuid", "path", "float", "int"):
        return short(str(tree.get("value")), length)
    return short(json_words(tree), length)


def json_words(tree: Any, longest: int = _LONGEST) -> str:
    """Return a value as JSON text, keys sorted, cut where it is very long."""
    try:
        text = orjson.dumps(tree, option=orjson.OPT_SORT_KEYS | orjson.OPT_NON_STR_KEYS)
    except (TypeError, ValueError):  # half a character, a number beyond JSON
        return repr(tree)[:longest]
    return text.decode()[:longest]


def message_text(message: Any, *, calls: bool = True) -> str:
    """Return all that a chat message says: texts, tool calls and tool results, a line each."""
    if not isinstance(message, Mapping):
        return value_words(message, _LONGEST)
    content = message.get("content")
    if isinstance(content, str):
        return content
    parts = [
        part
        for part in (content if isinstance(content, list) else ())
        if calls or not (isinstance(part, Mapping) and "tool_call" in part)
    ]
    return "\n\n".join(filter(None, map(_part_text, parts)))


def _part_text(part: Any) -> str:
    if not isinstance(part, Mapping):
        return value_words(part, _LONGEST)
    if isinstance(text := part.get("text"), str):
        return text
    if isinstance(call := part.get("tool_call"), Mapping):
        return call_text(call)
    if isinstance(result := part.get("tool_result"), Mapping):
        mark = "✕ " if result.get("error") else ""
        origin = result.get("call")
        name = origin.get("name") if isinstance(origin, Mapping) else "tool"
        return f"← {mark}{name}: {_whole(result.get('result'))}"
    if isinstance(reasoning := part.get("reasoning"), Mapping):
        return f"(reasoning) {reasoning.get('text', '')}"
    tag = tag_of(part)
    return f"[{tag}]" if tag else value_words(part, _LONGEST)


def _whole(value: Any) -> str:
    if (
        isinstance(value, list)
        and value
        and all(isinstance(part, Mapping) and isinstance(part.get("text"), str) for part in value)
    ):
        return "\n\n".join(part["text"] for part in value)
    return value if isinstance(value, str) else json_words(value)


def call_text(call: Mapping[str, Any]) -> str:
    """Return a tool call as a person writes it: `search(query="valve")`."""
    arguments = call.get("arguments")
    if not isinstance(arguments, Mapping):
        return f"→ {call.get('name')}({'' if arguments is None else value_words(arguments)})"
    return f"→ {call.get('name')}({arguments_text(arguments)})"


def arguments_text(arguments: Any) -> str:
    """Return arguments as a person writes them: `query="valve", top_k=3`."""
    if not isinstance(arguments, Mapping) or tag_of(arguments) is not None:
        return "" if arguments is None else json_words(arguments)
    return ", ".join(f"{key}={json_words(arguments[key])}" for key in sorted(arguments))


def conversation_text(messages: Any) -> str:
    """Return what an LLM was sent as one text: a prompt, or messages with their roles."""
    if isinstance(messages, str):
        return messages
    if is_message(messages):
        messages = [messages]
    if not isinstance(messages, list):
        return "" if messages is None else json_words(messages)
    turns = []
    for message in messages:
        role = message.get("role") if isinstance(message, Mapping) else None
        text = message_text(message)
        turns.append(f"{role}:\n{text}" if isinstance(role, str) else text)
    return "\n\n".join(turns)


def replies_text(outputs: Any, *, calls: bool = True) -> str | None:
    """Return what an LLM replied, or None where its outputs hold no reply."""
    if not isinstance(outputs, Mapping):
        return None
    for socket in ("replies", "last_message", "reply", "message"):
        said = outputs.get(socket)
        if isinstance(said, str):
            return said
        if is_message(said):
            return message_text(said, calls=calls)
        if isinstance(said, list) and said:
            texts = [
                each if isinstance(each, str) else message_text(each, calls=calls) for each in said
            ]
            return "\n\n".join(filter(None, texts))
    return None


def question_text(inputs: Any) -> str:
    """Return the texts that a run was given, each once: what a person would call its question."""
    return "\n\n".join(dict.fromkeys(_strings(inputs, 0, [0])))


def _strings(tree: Any, depth: int, seen: list[int]) -> Iterator[str]:
    if seen[0] >= _MOST_STRINGS or depth > _DEEPEST:
        return
    if isinstance(tree, str):
        seen[0] += 1
        yield tree
    elif is_message(tree):
        seen[0] += 1
        yield message_text(tree)
    elif tag_of(tree) is not None or (isinstance(tree, Mapping) and REF in tree):
        if tag_of(tree) == "document" and isinstance(tree.get("content"), str):
            seen[0] += 1
            yield tree["content"]
    elif isinstance(tree, Mapping):
        for key in tree:
            yield from _strings(tree[key], depth + 1, seen)
    elif isinstance(tree, list):
        for item in tree:
            yield from _strings(item, depth + 1, seen)
