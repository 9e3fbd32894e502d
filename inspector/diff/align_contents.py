"""What an alignment has to know of the spans of a run, decoded as late as can be."""

from __future__ import annotations

from functools import cached_property
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from inspector.diff.align_prints import TOP, Prints
from inspector.runfile.kinds import KIND_CODE, SpanKind

if TYPE_CHECKING:
    from collections.abc import Hashable

    from inspector.runfile.model import PipelineRun
    from inspector.runfile.records import Record

STEP = KIND_CODE[SpanKind.STEP]
LLM = KIND_CODE[SpanKind.LLM]
TOOL = KIND_CODE[SpanKind.TOOL]
PIPELINE = KIND_CODE[SpanKind.PIPELINE]
AGENT = KIND_CODE[SpanKind.AGENT]

_NOTHING = b""
_SHORT = 96
_ABSENT = msgspec.Raw(b"")


class _Fields(msgspec.Struct, gc=False):
    """The fields that count, most of them as they stand."""

    type: str = ""
    role: str = ""
    path: str = ""
    inputs: msgspec.Raw = _ABSENT
    outputs: msgspec.Raw = _ABSENT
    arguments: msgspec.Raw = _ABSENT
    error: msgspec.Raw = _ABSENT
    senders: msgspec.Raw = _ABSENT
    receivers: msgspec.Raw = _ABSENT


_DECODER = msgspec.json.Decoder(_Fields)


class SpanFacts(NamedTuple):
    """One span: what is inside the JSON of its values is not known here."""

    type: str
    role: str
    tail: str
    """The last part of its path, such as `llm#2` or `step3`."""
    asked: bytes
    """The JSON of what went in, or a digest of it; empty where that was not recorded."""
    said: bytes
    failed: bytes
    senders: bytes
    receivers: bytes
    """Who sent and who received, as JSON."""


class Contents:
    """The spans of one run as an alignment sees them."""

    def __init__(self, run: PipelineRun, prints: Prints, *, sound: bool) -> None:
        self.run = run
        self._sound = sound  # equal digests mean equal values in both runs
        self.table = run.table
        self._prints = prints
        self._asked: dict[int, str] = {}
        self._said: dict[int, str] = {}

    @cached_property
    def facts(self) -> list[SpanFacts]:
        """What is known of each span, by row."""
        found: list[SpanFacts | None] = [None] * len(self.table)
        words: dict[Any, Any] = {}  # what many spans have is held once
        whole = blake2b(digest_size=16)
        for row, text in self.run.record_texts():
            whole.update(text)
            try:
                fields = _DECODER.decode(text)
            except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
                fields = _from_record(self.run.record(row))
            found[row] = SpanFacts(
                words.setdefault(fields.type, fields.type),
                words.setdefault(fields.role, fields.role),
                fields.path.rpartition("/")[2],
                _kept(fields.inputs, fields.arguments),
                _kept(fields.outputs),
                _kept(fields.error),
                words.setdefault(senders := bytes(fields.senders), senders),
                words.setdefault(receivers := bytes(fields.receivers), receivers),
            )
        self._digest = whole.digest()
        return [each if each is not None else _UNKNOWN for each in found]

    @property
    def digest(self) -> bytes:
        """A digest of every record, which gives two runs an order that is always the same."""
        return self._digest if self.facts else _NOTHING

    def group(self, row: int) -> Hashable:
        """Return by what siblings are told apart: those that happen once a parent by kind."""
        kind = self.table.kind[row]
        if kind in (STEP, LLM, PIPELINE, AGENT):
            return kind
        return kind, self.table.name(row)

    def children(self, row: int) -> list[int]:
        """Return the rows below one, in start order."""
        return list(self.table.children(row))

    # What a span was asked

    def asked_json(self, row: int) -> Hashable:
        """Return what equal spans were asked, decoding nothing: equal JSON is equal content.

        Spans that take nothing, such as the steps of an agent, are known by what is in them.
        """
        if not self._sound:
            return self.asked(row)
        if asked := self.facts[row].asked:
            return asked
        below = self.children(row)
        return tuple((self.group(child), self.facts[child].asked) for child in below)

    def asked(self, row: int) -> str:
        """Return the print of what a span was asked."""
        known = self._asked.get(row)
        if known is None:
            known = self._asked[row] = self._asked_of(row)
        return known

    def _asked_of(self, row: int) -> str:
        if self.facts[row].asked:
            record = self.run.record(row).raw
            texts = [
                self._prints.of(record[name], (name, "", None, False)) if name in record else ""
                for name in ("inputs", "arguments")
            ]
            return "|".join(texts)
        # Not further down: a run of steps in steps would be read again at every level.
        parts = [
            f"{self.group(child)}{self.asked(child)}"
            for child in self.children(row)
            if self.facts[child].asked
        ]
        return "<" + "\x1f".join(sorted(parts)) + ">"

    def was_asked(self, row: int) -> bool:
        """Whether anything is known of what a span was asked."""
        return bool(self.facts[row].asked)

    def same_json(self, one: bytes, two: bytes) -> bool:
        """Whether two values of this and the other run are equal for having equal JSON."""
        return one == two and (self._sound or not one)

    def print_of(self, tree: Any) -> str:
        """Return the print of a value."""
        return self._prints.of(tree)

    # What a span said

    def said(self, row: int) -> str | None:
        """Return the print of what came out; None where that was not recorded."""
        if not self.facts[row].said:
            return None
        known = self._said.get(row)
        if known is None:
            tree = self.run.record(row).raw.get("outputs")
            known = self._said[row] = self._prints.of(tree, ("outputs", "", None, False))
        return known

    def failure(self, row: int) -> str:
        """Return the print of what a span failed with."""
        if not self.facts[row].failed:
            return ""
        error = self.run.record(row).raw.get("error")
        if not isinstance(error, dict):
            return ""
        return self._prints.of([error.get("type"), error.get("message")], TOP)

    # What an agent did in a step

    def calls(self, row: int) -> Hashable:
        """Return the tool calls of a step with what they were asked, in no order."""
        tools = [child for child in self.children(row) if self.table.kind[child] == TOOL]
        return tuple(sorted((self.table.name(tool), self.asked(tool)) for tool in tools)) or None

    def tools(self, row: int) -> Hashable:
        """Return the names of the tools that a step called, in no order."""
        below = self.children(row)
        return tuple(sorted(self.table.name(row) for row in below if self.table.kind[row] == TOOL))


_UNKNOWN = SpanFacts("", "", "", _NOTHING, _NOTHING, _NOTHING, _NOTHING, _NOTHING)


def _kept(*raws: msgspec.Raw) -> bytes:
    text = b"|".join(bytes(raw) for raw in raws) if len(raws) > 1 else bytes(raws[0])
    if text in (b"|", b"null|", b"null"):
        return _NOTHING
    return text if len(text) <= _SHORT else blake2b(text, digest_size=20).digest()


def _from_record(record: Record) -> _Fields:
    """Read the same from a record that is not as it should be."""
    raw: dict[str, Any] = dict(record.raw)
    names = ("inputs", "outputs", "arguments", "error", "senders", "receivers")
    given = {name: msgspec.Raw(msgspec.json.encode(raw[name])) for name in names if name in raw}
    return _Fields(
        type=record.text("type"), role=record.text("role"), path=record.text("path"), **given
    )
