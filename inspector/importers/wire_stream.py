"""Answers that came in pieces: server-sent events and lines of JSON, put together again."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from inspector.importers.reading import plain

_LINE_END = re.compile(r"\r\n|\n|\r")
_DONE = "[DONE]"
_WHOLE = ("response.completed", "response.failed", "response.incomplete", "response.done")


class Streamed(NamedTuple):
    """Answers as if they had come in one piece.

    Args:
        answers: One for each that the stream tells of.
        pieces: How many events it came in.
        broken: How many of them cannot be read.
        ended: Whether the stream says that it is over.

    """

    answers: list[Any]
    pieces: int
    broken: int
    ended: bool


def is_events(text: str) -> bool:
    """Whether a text is a stream of server-sent events."""
    head = text[:4096].lstrip()
    if not head.startswith(("data:", "event:", "id:", "retry:", ":")):
        return False
    return head.startswith("data:") or "\ndata:" in head or "\rdata:" in head


def streamed(text: str) -> Streamed:
    """Put the answers in a stream of events together."""
    trees: list[Any] = []
    broken = 0
    ended = False
    for data in _events(text):
        if data.strip() == _DONE:
            ended = True
            continue
        tree = plain(data.strip())
        if isinstance(tree, (dict, list)):
            trees.append(tree)
        else:
            broken += 1
    return joined(trees, broken=broken, ended=ended)


def _events(text: str) -> list[str]:
    found: list[str] = []
    parts: list[str] = []
    for line in _LINE_END.split(text):
        if not line.strip():
            if parts:
                found.append("\n".join(parts))
            parts = []
        elif line.startswith("data:"):
            part = line[5:].removeprefix(" ")
            if parts and plain(parts[0].strip()) is not parts[0].strip():
                # Dumps without the blank lines between: each line is an event by itself.
                found.append("\n".join(parts))
                parts = []
            parts.append(part)
    if parts:
        found.append("\n".join(parts))
    return found


def joined(trees: list[Any], *, broken: int = 0, ended: bool = False) -> Streamed:
    """Put the answers together whose pieces were read already."""
    made = _Joiner()
    for tree in trees:
        if isinstance(tree, dict):
            made.take(tree)
        else:
            made.others.append(tree)
    answers = made.answers()
    return Streamed(answers, len(trees) + broken, broken, ended or made.ended)


class _Joiner:
    """Takes one piece after the other, of whichever provider."""

    def __init__(self) -> None:
        self.others: list[Any] = []
        self.ended = False
        self._chats: dict[str, dict[str, Any]] = {}
        self._current: dict[str, Any] | None = None
        self._done: list[Any] = []
        self._items: list[Any] = []

    def take(self, tree: dict[str, Any]) -> None:
        kind = str(tree.get("type") or "")
        if isinstance(tree.get("choices"), list) and not _holds_message(tree["choices"]):
            self._chunk(tree)
        elif kind.startswith("response."):
            self._of_responses(tree, kind)
        elif kind in ("message_start", "message_delta", "message_stop", "content_block_start",
                      "content_block_delta", "content_block_stop"):  # fmt: skip
            self._of_anthropic(tree, kind)
        elif isinstance(tree.get("candidates"), list) or "usageMetadata" in tree:
            self._of_google(tree)
        elif "done" in tree and ("message" in tree or "response" in tree):
            self._of_ollama(tree)
        elif kind in ("message-start", "content-delta", "tool-call-start", "tool-call-delta",
                      "message-end"):  # fmt: skip
            self._of_cohere(tree, kind)
        elif kind not in ("ping", "content-start", "content-end", "tool-call-end"):
            self.others.append(tree)

    def answers(self) -> list[Any]:
        found = [*self._done, *map(_settled, self._chats.values())]
        if self._current is not None:
            found.append(_settled(self._current))
        if self._items:
            found.append({"object": "response", "output": self._items})
        if self.others and not found:
            return self.others if len(self.others) == 1 else [self.others]
        errors = [each for each in self.others if isinstance(each, dict) and "error" in each]
        if errors and found and isinstance(found[-1], dict):
            found[-1] = {**found[-1], "error": errors[-1]["error"], "choices_so_far": True}
        return found

    def _chunk(self, tree: dict[str, Any]) -> None:
        key = str(tree.get("id") or "")
        known = self._chats.setdefault(key, {"choices": {}})
        for name, value in tree.items():
            if name not in ("choices", "usage", "object") and value is not None:
                known.setdefault(name, value)
        known["object"] = "chat.completion"
        if isinstance(tree.get("usage"), dict):
            known["usage"] = tree["usage"]
        for choice in tree["choices"]:
            if not isinstance(choice, dict):
                continue
            index = _place(choice)
            whole = known["choices"].setdefault(index, {"index": index, "message": {}})
            delta = choice.get("delta")
            if isinstance(delta, dict):
                _add_delta(whole["message"], delta)
            if isinstance(choice.get("text"), str):
                whole["text"] = whole.get("text", "") + choice["text"]
                whole.pop("message", None)
            if choice.get("finish_reason") is not None:
                whole["finish_reason"] = choice["finish_reason"]
                self.ended = True

    def _of_responses(self, tree: dict[str, Any], kind: str) -> None:
        whole = tree.get("response")
        if kind in _WHOLE and isinstance(whole, dict):
            self._done.append(whole)
            self._items, self.ended = [], True
        elif kind == "response.output_item.done" and isinstance(tree.get("item"), dict):
            self._items.append(tree["item"])

    def _of_anthropic(self, tree: dict[str, Any], kind: str) -> None:
        if kind == "message_start" and isinstance(tree.get("message"), dict):
            if self._current is not None:
                self._done.append(_settled(self._current))
            self._current = {**tree["message"], "blocks": {}}
        known = self._current
        if known is None or "blocks" not in known:
            return
        block = known["blocks"].get(_place(tree))
        if kind == "content_block_start" and isinstance(tree.get("content_block"), dict):
            known["blocks"][_place(tree)] = dict(tree["content_block"])
        elif kind == "content_block_delta" and block is not None:
            _add_to_block(block, tree.get("delta"))
        elif kind == "message_delta":
            if isinstance(delta := tree.get("delta"), dict):
                known |= {k: v for k, v in delta.items() if v is not None}
            if isinstance(usage := tree.get("usage"), dict):
                before = known.get("usage")
                known["usage"] = {**(before if isinstance(before, dict) else {}),
                                  **{k: v for k, v in usage.items() if v is not None}}  # fmt: skip
        elif kind == "message_stop":
            self.ended = True

    def _of_google(self, tree: dict[str, Any]) -> None:
        known = self._current = self._current or {"candidates": {}}
        for name, value in tree.items():
            if name != "candidates":
                known[name] = value
        for each in tree.get("candidates") or []:
            if not isinstance(each, dict):
                continue
            index = _place(each)
            whole = known["candidates"].setdefault(
                index, {"content": {"role": "model", "parts": []}}
            )
            content = each.get("content")
            parts = content.get("parts") if isinstance(content, dict) else None
            for part in parts if isinstance(parts, list) else []:
                _add_part(whole["content"]["parts"], part)
            if each.get("finishReason") is not None:
                whole["finishReason"] = each["finishReason"]
                self.ended = True

    def _of_ollama(self, tree: dict[str, Any]) -> None:
        known = self._current = self._current or {}
        message, text = tree.get("message"), tree.get("response")
        known |= {k: v for k, v in tree.items() if k not in ("message", "response")}
        if isinstance(message, dict):
            whole = known.setdefault("message", {"role": "assistant", "content": ""})
            for key in ("content", "thinking"):
                if isinstance(message.get(key), str):
                    whole[key] = _text(whole.get(key)) + message[key]
            if isinstance(message.get("tool_calls"), list):
                whole.setdefault("tool_calls", []).extend(message["tool_calls"])
        elif isinstance(text, str):
            known["response"] = _text(known.get("response")) + text
        if tree.get("done"):
            self.ended = True
            self._done.append(known)
            self._current = None

    def _of_cohere(self, tree: dict[str, Any], kind: str) -> None:
        known = self._current = self._current or {"message": {"role": "assistant", "content": ""}}
        delta = tree.get("delta")
        delta = delta if isinstance(delta, dict) else {}
        inner = delta.get("message")
        inner = inner if isinstance(inner, dict) else {}
        said, call = inner.get("content"), inner.get("tool_calls")
        if isinstance(said, dict) and isinstance(said.get("text"), str):
            known["message"]["content"] += said["text"]
        if isinstance(call, dict):
            _add_delta(known["message"], {"tool_calls": [{**call, "index": _place(tree)}]})
        if kind == "message-end":
            self.ended = True
            known |= {k: delta[k] for k in ("finish_reason", "usage") if k in delta}


def _place(tree: dict[str, Any], otherwise: int = 0) -> int:
    """Return the number of a choice, a block or a call among its like."""
    index = tree.get("index")
    return index if isinstance(index, int) else otherwise


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _holds_message(choices: list[Any]) -> bool:
    return any(
        isinstance(each, dict) and isinstance(each.get("message"), dict) and "delta" not in each
        for each in choices
    )


def _settled(tree: dict[str, Any]) -> dict[str, Any]:
    """Return an answer whose parts, kept by their numbers so far, are lists."""
    made = dict(tree)
    for key in ("choices", "candidates"):
        if isinstance(made.get(key), dict):
            made[key] = list(made[key].values())
    for choice in made.get("choices", []):
        message = choice.get("message")
        if isinstance(message, dict) and isinstance(message.get("tool_calls"), dict):
            message["tool_calls"] = list(message["tool_calls"].values())
    message = made.get("message")
    if isinstance(message, dict) and isinstance(message.get("tool_calls"), dict):
        message["tool_calls"] = list(message["tool_calls"].values())
    blocks = made.pop("blocks", None)
    if isinstance(blocks, dict):
        for block in blocks.values():
            if isinstance(text := block.pop("partial", None), str):
                block["input"] = plain(text) if text else block.get("input", {})
        made["content"] = list(blocks.values())
    return made


def _add_delta(message: dict[str, Any], delta: dict[str, Any]) -> None:
    for key, value in delta.items():
        if value is None:
            continue
        if key == "role":
            message.setdefault("role", value)
        elif key == "tool_calls":
            known = message.setdefault("tool_calls", {})
            if not isinstance(known, dict):
                continue
            for place, call in enumerate(value if isinstance(value, list) else []):
                if isinstance(call, dict):
                    _add_call(known, call, place)
        elif key == "function_call" and isinstance(value, dict):
            known = message.setdefault("function_call", {})
            if isinstance(known, dict):
                _add_texts(known, value)
        elif isinstance(value, str):
            message[key] = _text(message.get(key)) + value
        else:
            message[key] = value


def _add_call(known: dict[Any, Any], call: dict[str, Any], place: int) -> None:
    whole = known.setdefault(_place(call, place), {"function": {}})
    for key, value in call.items():
        if key == "function" and isinstance(value, dict):
            _add_texts(whole["function"], value)
        elif value is not None:
            whole.setdefault(key, value)


def _add_texts(whole: dict[str, Any], more: dict[str, Any]) -> None:
    for key, value in more.items():
        if isinstance(value, str):
            whole[key] = _text(whole.get(key)) + value


def _add_to_block(block: dict[str, Any], delta: Any) -> None:
    if not isinstance(delta, dict):
        return
    for key in ("text", "thinking", "signature"):
        if isinstance(delta.get(key), str):
            block[key] = _text(block.get(key)) + delta[key]
    if isinstance(delta.get("partial_json"), str):
        block["partial"] = block.get("partial", "") + delta["partial_json"]


def _add_part(parts: list[Any], part: Any) -> None:
    last = parts[-1] if parts else None
    if (
        isinstance(part, dict)
        and isinstance(last, dict)
        and isinstance(part.get("text"), str)
        and isinstance(last.get("text"), str)
        and bool(part.get("thought")) == bool(last.get("thought"))
    ):
        parts[-1] = {**last, **part, "text": last["text"] + part["text"]}
    else:
        parts.append(part)
