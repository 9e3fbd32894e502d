"""What a durable execution streams, put together as it would be read, attempt by attempt."""

import json
from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from inspector.presentation.visible import one_line, visible_text

PieceKind = Literal["text", "reasoning", "tool", "result", "other"]
_LONGEST = 400_000  # characters of an attempt that are kept to be shown
_LONGEST_PIECE = 8_000
_TITLES: Mapping[PieceKind, str] = {
    "text": "", "reasoning": "reasoning", "tool": "calls", "result": "result", "other": "chunk",
}  # fmt: skip


class Piece(NamedTuple):
    """One stretch of the stream of one sort; `source` is the component or tool it came from."""

    kind: PieceKind
    source: str
    text: str

    @property
    def title(self) -> str:
        """What stands above it; nothing above plain text."""
        return " ".join(word for word in (_TITLES[self.kind], self.source) if word)


def piece_of(payload: Any) -> Piece | None:
    """Return what one chunk adds; None for one that is not for reading.

    Everything in it is a stranger's: controls and marks of direction come out visible.
    """
    if isinstance(payload, str):
        return Piece("text", "", visible_text(payload))
    if not isinstance(payload, Mapping):
        return Piece("other", "", _spelled(payload))
    if str(payload.get("type", "")).startswith("recorder."):
        return None
    info = payload.get("component_info")
    name = info.get("name") if isinstance(info, Mapping) else None
    source = one_line(name)[:80] if isinstance(name, str) else ""
    calls = payload.get("tool_calls")
    if isinstance(calls, list) and calls:
        return _calls(calls)
    result = payload.get("tool_call_result")
    if isinstance(result, Mapping):
        return Piece("result", _name_in(result.get("origin")), _worded(result.get("result")))
    reasoning = payload.get("reasoning")
    if isinstance(reasoning, Mapping) and reasoning.get("reasoning_text"):
        return Piece("reasoning", source, _worded(reasoning["reasoning_text"]))
    if "content" in payload:
        content = payload["content"]
        if isinstance(content, str):
            return Piece("text", source, visible_text(content)) if content else None
    return Piece("other", source, _spelled(payload))


class AttemptText:
    """What one attempt streamed, as pieces that grow; of too much the beginning is kept."""

    def __init__(self, attempt: int) -> None:
        self.attempt = attempt
        self.chunks = 0
        self.pieces: list[Piece] = []
        self.is_cut = False
        self._length = 0

    def add(self, payload: Any) -> None:
        """Take one chunk."""
        self.chunks += 1
        piece = piece_of(payload)
        if piece is None or not (piece.text or piece.kind == "tool"):
            return
        if self._length >= _LONGEST:
            self.is_cut = True
            return
        self._length += len(piece.text)
        last = self.pieces[-1] if self.pieces else None
        if last is not None and piece.kind in ("text", "reasoning", "tool"):
            if (last.kind, last.source) == (piece.kind, piece.source):
                self.pieces[-1] = last._replace(text=last.text + piece.text)
                return
            if piece.kind == "tool" == last.kind and not piece.source:
                # Arguments come in many chunks, of which the first one names the tool.
                self.pieces[-1] = last._replace(text=last.text + piece.text)
                return
        self.pieces.append(piece)

    @property
    def text(self) -> str:
        """What it said, with a line above what is not plain text."""
        return "\n\n".join(
            f"[{piece.title}]\n{piece.text}" if piece.title and piece.kind != "text" else piece.text
            for piece in self.pieces
        )


def _calls(calls: list[Any]) -> Piece:
    name, words = "", []
    for call in calls:
        if not isinstance(call, Mapping):
            continue
        tool = call.get("tool_name")
        if isinstance(tool, str) and tool:
            name = one_line(tool)[:80]
        arguments = call.get("arguments")
        if arguments:
            words.append(_worded(arguments))
    return Piece("tool", name, "".join(words))


def _name_in(origin: Any) -> str:
    name = origin.get("tool_name") if isinstance(origin, Mapping) else None
    return one_line(name)[:80] if isinstance(name, str) else ""


def _worded(value: Any) -> str:
    return visible_text(value)[:_LONGEST_PIECE] if isinstance(value, str) else _spelled(value)


def _spelled(value: Any) -> str:
    try:
        spelled = json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        spelled = "a value that is no JSON"
    return visible_text(spelled[:_LONGEST_PIECE])
