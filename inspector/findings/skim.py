"""Every record of a run, read once and only as far as several rules need it.

A span is decoded in full where a rule looks at it closely. What rules ask of all spans
stands here: a few words a span, whatever its size.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from inspector.errors import RunFileError
from inspector.runfile.kinds import KIND_CODE, SpanKind

if TYPE_CHECKING:
    from inspector.runfile.model import PipelineRun

_OPAQUE = b'"$":"opaque"'
_TRUNCATED = b'"$":"truncated"'
_UNREADABLE = (msgspec.MsgspecError, RecursionError, UnicodeDecodeError)
_MOST_KNOWN = 100_000
_OFTEN = 1_024
_SHORT = 2_000
_LLM = KIND_CODE[SpanKind.LLM]
_TOOL = KIND_CODE[SpanKind.TOOL]


class _Fields(msgspec.Struct, gc=False):
    role: msgspec.Raw = msgspec.Raw()
    visit: msgspec.Raw = msgspec.Raw()
    senders: msgspec.Raw = msgspec.Raw()
    receivers: msgspec.Raw = msgspec.Raw()
    inputs: msgspec.Raw = msgspec.Raw()
    outputs: msgspec.Raw = msgspec.Raw()
    usage: msgspec.Raw = msgspec.Raw()
    chunks: msgspec.Raw = msgspec.Raw()


class _Tokens(msgspec.Struct, gc=False):
    input_tokens: int | None = None
    cached_input_tokens: int | None = None


_TOKENS = msgspec.json.Decoder(_Tokens)
_FIELDS = msgspec.json.Decoder(_Fields)
Wires = Mapping[str, tuple[str | None, ...]]
_NO_WIRES: Wires = {}


class Skim:
    """What the records say of roles, wires and values, row by row.

    `inputs` and `outputs` hold a number for each: equal where the recorded JSON is, 0 where
    nothing was recorded.
    """

    def __init__(self, run: PipelineRun, stop: Callable[[], None]) -> None:
        count = len(run.table)
        self.roles = [""] * count
        self.inputs = [0] * count
        self.outputs = [0] * count
        self.opaque: list[int] = []
        self.truncated: list[int] = []
        self.streamed: list[int] = []
        self.tokens: dict[int, tuple[int | None, int | None]] = {}
        """Of calls that report some: those of the prompt, and how many came from a cache."""
        self.asked: dict[int, bytes] = {}
        """The JSON of what tools were asked, where it is short."""
        self.replied: dict[int, bytes] = {}
        """The JSON of what models put out, where it is short."""
        self._kinds = run.table.kind
        self._senders = [b""] * count
        self._receivers = [b""] * count
        self._texts: dict[bytes, bytes] = {}
        self._words: dict[bytes, str] = {b"": ""}
        self._wires: dict[bytes, Wires] = {b"": _NO_WIRES}
        try:
            for number, (row, text) in enumerate(run.record_texts()):
                if number % _OFTEN == 0:
                    stop()
                self._take(row, text)
        except RunFileError:
            pass  # the file changed: the run says so among its problems

    def senders(self, row: int) -> Wires:
        """Return who sent each input; None stands for the caller."""
        return self._wired(self._senders[row])

    def receivers(self, row: int) -> Wires:
        """Return who each output socket is connected to."""
        return self._wired(self._receivers[row])

    def has_senders(self, row: int) -> bool:
        """Whether it was recorded who sent the inputs."""
        return bool(self._senders[row])

    def rows_of(self, *roles: str) -> list[int]:
        """Return the rows of these roles, in start order."""
        return [row for row, role in enumerate(self.roles) if role in roles]

    def _take(self, row: int, text: bytes) -> None:
        if _OPAQUE in text:
            self.opaque.append(row)
        if _TRUNCATED in text:
            self.truncated.append(row)
        try:
            fields = _FIELDS.decode(text)
        except _UNREADABLE:
            return
        role = bytes(fields.role)
        word = self._words.get(role)
        if word is None:
            word = self._words[role] = _word(role)
        self.roles[row] = word
        self._take_values(row, word, fields)
        if fields.senders:
            self._senders[row] = self._same(bytes(fields.senders))
        if fields.receivers:
            self._receivers[row] = self._same(bytes(fields.receivers))
        if fields.usage:
            self.tokens[row] = _tokens(bytes(fields.usage))
        if fields.chunks:
            self.streamed.append(row)

    def _take_values(self, row: int, role: str, fields: _Fields) -> None:
        inputs, outputs = bytes(fields.inputs), bytes(fields.outputs)
        if inputs:
            self.inputs[row] = hash(inputs) or 1
        if outputs:
            self.outputs[row] = hash(outputs) or 1
        kind = self._kinds[row]
        if kind == _TOOL and len(inputs) <= _SHORT:
            self.asked[row] = inputs
        elif (kind == _LLM or role == "llm") and len(outputs) <= _SHORT:
            self.replied[row] = outputs

    def _same(self, text: bytes) -> bytes:
        if len(self._texts) > _MOST_KNOWN:
            self._texts.clear()
        return self._texts.setdefault(text, text)

    def _wired(self, text: bytes) -> Wires:
        found = self._wires.get(text)
        if found is None:
            found = self._wires[text] = _wires(text)
        return found


def _tokens(text: bytes) -> tuple[int | None, int | None]:
    try:
        said = _TOKENS.decode(text)
    except _UNREADABLE:
        return None, None
    return said.input_tokens, said.cached_input_tokens


def _word(text: bytes) -> str:
    try:
        said: Any = msgspec.json.decode(text)
    except _UNREADABLE:
        return ""
    return said if isinstance(said, str) else ""


def _wires(text: bytes) -> Wires:
    try:
        said: Any = msgspec.json.decode(text)
    except _UNREADABLE:
        return _NO_WIRES
    if not isinstance(said, dict):
        return _NO_WIRES
    return {
        socket: tuple(name for name in names if name is None or isinstance(name, str))
        for socket, names in said.items()
        if isinstance(names, list)
    }
