"""What Inspect writes inside of its events: messages, usage, errors, and texts kept elsewhere."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from inspector.importers.messages import chat_message, result
from inspector.importers.reading import usage_in
from inspector.importers.trees import converted, error
from inspector.importers.wire_parts import message_of

if TYPE_CHECKING:
    from inspector.importers.building import RunBuilder
    from inspector.importers.losses import Losses

_KEPT = ("attachment://", "tc://")
_MOST_FILLED = 512 * 2**20
_MOST_REFERRED = 2_000_000
_SHOWN_ERROR = re.compile(r"(?P<type>[A-Za-z_][\w.]*)\((?P<said>.*)\)\Z", re.DOTALL)
_NAMED_ERROR = re.compile(
    r"(?P<type>[A-Za-z_][\w.]*(?:Error|Exception)): (?P<said>.*)\Z", re.DOTALL
)


class Kept:
    """What a sample keeps once and refers to: long texts, and messages.

    Args:
        texts: Its attachments by name.
        pool: The messages that its calls refer to by number.
        losses: Where to say what cannot be filled in.

    """

    def __init__(self, texts: dict[str, Any], pool: list[Any], losses: Losses) -> None:
        self._texts = texts
        self._pool = pool
        self._losses = losses
        self._filled = 0
        self._referred = 0
        self._made: dict[int, Any] = {}
        self._lists: dict[tuple[int, ...], Any] = {}

    def filled(self, tree: Any) -> Any:
        """Return a tree in which texts that are kept elsewhere stand where they belong."""
        if isinstance(tree, str):
            return self._text(tree)
        if not isinstance(tree, (dict, list)):
            return tree
        top: list[Any] = [tree]
        waiting: list[Any] = [top]
        while waiting:
            each = waiting.pop()
            places = each.items() if isinstance(each, dict) else enumerate(each)
            for key, value in list(places):
                if type(value) is str:
                    if value.startswith(_KEPT):
                        each[key] = self._text(value)
                elif type(value) is dict or type(value) is list:
                    waiting.append(value)
        return top[0]

    def _text(self, text: str) -> Any:
        if not text.startswith(_KEPT):
            return text
        found = self._texts.get(text.partition("://")[2])
        if not isinstance(found, str):
            self._losses.problem("A text that the log keeps elsewhere is not in it.", text[:60])
            return text
        self._filled += len(found)
        if self._filled > _MOST_FILLED:
            self._losses.problem("Some texts that the log keeps elsewhere are left out: too many.")
            return text
        return found

    def conversation(self, event: dict[str, Any], builder: RunBuilder) -> Any:
        """Return what a call was asked, each message kept once in the run."""
        numbers = self._numbers(event.get("input_refs"))
        if numbers:
            return self._listed(numbers, builder)
        given = event.get("input")
        if isinstance(given, str):
            return [chat_message("user", [{"text": self.filled(given)}])]
        return [message(each) for each in self.filled(given)] if isinstance(given, list) else None

    def _numbers(self, refs: Any) -> list[int]:
        found: list[int] = []
        for span in refs if isinstance(refs, list) else []:
            if not isinstance(span, list) or len(span) != 2:
                continue
            first, end = span
            if type(first) is int and type(end) is int and 0 <= first < end:
                found += range(first, min(end, len(self._pool)))
            self._referred += max(0, len(found))
            if self._referred > _MOST_REFERRED:
                self._losses.problem(
                    "Some prompts are left out: the log repeats too many messages."
                )
                return []
        return found

    def _listed(self, numbers: list[int], builder: RunBuilder) -> Any:
        """Return a list of messages: one that was seen before, and what was new after it."""
        key = tuple(numbers)
        before = next((n for n in range(len(key), 1, -1) if key[:n] in self._lists), 0)
        new = [self._message(number, builder) for number in key[before:]]
        if not before:
            made = builder.value(new)
        elif not new:
            return self._lists[key]
        else:
            made = builder.kept({"$": "list", "after": self._lists[key[:before]], "items": new})
        if isinstance(made, dict):
            self._lists[key] = made
        return made

    def _message(self, number: int, builder: RunBuilder) -> Any:
        if number not in self._made:
            self._made[number] = builder.value(message(self.filled(self._pool[number])))
        return self._made[number]


def message(tree: Any) -> dict[str, Any]:
    """Return a message of Inspect in our words."""
    if not isinstance(tree, dict):
        return message_of(tree)
    if tree.get("role") == "tool":
        failure = tree.get("error")
        said = _plain(tree.get("content"))
        if isinstance(failure, dict) and said in ("", None, []):
            said = str(failure.get("message") or "")
        part = result(tree.get("tool_call_id"), tree.get("function"), said, failed=bool(failure))
        return chat_message("tool", [part])
    calls = tree.get("tool_calls")
    named = [
        {"id": each.get("id"), "name": each.get("function"), "arguments": each.get("arguments")}
        for each in (calls if isinstance(calls, list) else [])
        if isinstance(each, dict) and not isinstance(each.get("function"), dict)
    ]
    content = tree.get("content")
    if isinstance(content, list):
        content = [_part(each) for each in content]
    made = {"role": tree.get("role"), "content": content, "tool_calls": named or calls}
    return message_of(made, "assistant")


def _part(part: Any) -> Any:
    """Return a part of a message as providers write it."""
    if not isinstance(part, dict):
        return part
    kind = part.get("type")
    if kind == "reasoning":
        said = part.get("reasoning") or part.get("summary")
        return {"type": "thinking", "thinking": "" if part.get("redacted") and not said else said}
    if kind == "image" and isinstance(part.get("image"), str):
        return {"type": "image_url", "image_url": part["image"]}
    if kind == "tool_use" and "result" in part:
        return {"type": "data", **{key: each for key, each in part.items() if key != "type"}}
    return part


def _plain(content: Any) -> Any:
    if isinstance(content, list) and all(
        isinstance(part, dict) and isinstance(part.get("text"), str) for part in content
    ):
        return "\n".join(part["text"] for part in content)
    return content


def usage(raw: Any) -> dict[str, Any] | None:
    """Return what a call used.

    Inspect keeps cached tokens outside of the input, of some providers in older versions inside;
    the total says which.
    """
    if not isinstance(raw, dict):
        return None
    figures = {key: value for key, value in raw.items() if type(value) is int and value >= 0}
    read = figures.get("input_tokens_cache_read", 0)
    written = figures.get("input_tokens_cache_write", 0)
    given, answered = figures.get("input_tokens"), figures.get("output_tokens")
    if given is None and answered is None:
        return None
    total = figures.get("total_tokens") or 0
    outside = total >= (given or 0) + (answered or 0) + read + written
    named: dict[str, Any] = {
        "prompt_tokens": (given or 0) + (read + written if outside else 0),
        "completion_tokens": answered or 0,
        "total_tokens": total,
    }
    if "input_tokens_cache_read" in figures:
        named["prompt_tokens_details"] = {"cached_tokens": read}
    if "input_tokens_cache_write" in figures:
        named.setdefault("prompt_tokens_details", {})["cache_write_tokens"] = written
    if "reasoning_tokens" in figures:
        named["completion_tokens_details"] = {"reasoning_tokens": figures["reasoning_tokens"]}
    found = usage_in(named, "openai")
    return None if found is None else {**found, "raw": converted(raw)}


def failure(tree: Any) -> dict[str, Any]:
    """Return an error in our words, of what Inspect says of it."""
    if not isinstance(tree, dict):
        return error("error", tree)
    said = str(tree.get("message") or "")
    kind = tree.get("type")
    for shape in (_SHOWN_ERROR, _NAMED_ERROR):
        if kind is None and (shown := shape.match(said)) is not None:
            kind, said = shown["type"], shown["said"].strip("'\"")
    stack = tree.get("traceback")
    return error(kind or "error", said, stack if isinstance(stack, str) else None)
