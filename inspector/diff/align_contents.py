"""What an alignment has to know of the spans of a run, decoded as late as can be."""

from __future__ import annotations

from functools import cached_property
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from inspector.runfile.kinds import KIND_CODE, SpanKind
from inspector.runfile.leaf import LeafError, read_leaf

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from inspector.diff.align_prints import Prints
    from inspector.runfile.model import PipelineRun
    from inspector.runfile.records import Record

STEP = KIND_CODE[SpanKind.STEP]
LLM = KIND_CODE[SpanKind.LLM]
COMPONENT = KIND_CODE[SpanKind.COMPONENT]
TOOL = KIND_CODE[SpanKind.TOOL]
PIPELINE = KIND_CODE[SpanKind.PIPELINE]
AGENT = KIND_CODE[SpanKind.AGENT]

_NOTHING = b""
_SHORT = 96
_LONG = 4_000
_MANY = 200_000
_ROWS_A_TICK = 500
_MOST_TOPOLOGIES = 1_000
_DIGEST_SIZE = 20
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

    def __init__(
        self, run: PipelineRun, prints: Prints, *, sound: bool,
        tick: Callable[[], None] | None = None,
    ) -> None:  # fmt: skip
        self.run = run
        self._sound = sound  # equal digests mean equal values in both runs
        self.table = run.table
        self._prints = prints
        self._tick = tick
        self._asked: dict[int, bytes] = {}
        self._said: dict[int, bytes] = {}
        # The JSON of a span's values is short, as a rule: what is long in it is referred to.
        self._longest = _LONG if len(run.table) <= _MANY else _SHORT

    @cached_property
    def facts(self) -> list[SpanFacts]:
        """What is known of each span, by row."""
        found: list[SpanFacts | None] = [None] * len(self.table)
        words: dict[Any, Any] = {}
        word = words.setdefault  # what many spans have is held once
        whole = blake2b(digest_size=16)
        for row, text in self.run.record_texts():
            if self._tick is not None and not row % _ROWS_A_TICK:
                self._tick()
            whole.update(text)
            fields = self._fields(row, text)
            error, senders, receivers = fields.error, fields.senders, fields.receivers
            found[row] = SpanFacts(
                word(fields.type, fields.type),
                word(fields.role, fields.role),
                fields.path.rpartition("/")[2],
                self._kept(_given(fields)),
                self._kept(bytes(fields.outputs)),
                _NOTHING if error is _ABSENT else self._kept(bytes(error)),
                _NOTHING if senders is _ABSENT else word(said := bytes(senders), said),
                _NOTHING if receivers is _ABSENT else word(said := bytes(receivers), said),
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

    @cached_property
    def components(self) -> frozenset[str]:
        """The names of the components that the run had, whether they ran or not."""
        names: set[str] = set()
        waiting: list[Any] = [self.run.topology]
        for _ in range(_MOST_TOPOLOGIES):
            if not waiting:
                break
            topology = waiting.pop()
            components = topology.get("components") if isinstance(topology, dict) else None
            if isinstance(components, dict):
                names.update(components)
                waiting += [each.get("topology") for each in components.values()
                            if isinstance(each, dict)]  # fmt: skip
        return frozenset(names)

    # What a span was asked

    def asked_json(self, row: int) -> Hashable:
        """Return what equal spans were asked, decoding nothing: equal JSON is equal content.

        Spans that take nothing, such as the steps of an agent, are known by what is in them.
        """
        if not self._sound:
            return self.asked(row)
        if asked := self.facts[row].asked:
            return asked
        return tuple((self.group(child), self.facts[child].asked) for child in self._inside(row))

    def asked(self, row: int) -> bytes:
        """Return the print of what a span was asked."""
        known = self._asked.get(row)
        if known is None:
            known = self._asked[row] = self._asked_of(row)
        return known

    def _asked_of(self, row: int) -> bytes:
        if text := self.facts[row].asked:
            # What a tool was given is never noise.
            is_tool = self.table.kind[row] == TOOL
            return self._printed(row, text, "inputs", "arguments" if is_tool else "inputs")
        parts = [
            b"%d %b %b" % (self.table.kind[child], self._word(child), self.asked(child))
            for child in self._inside(row)
        ]
        return b"\n".join(sorted(parts))

    def _word(self, row: int) -> bytes:
        """Return the name of a tool; what else is in a step is known by its kind."""
        if self.table.kind[row] != TOOL:
            return b""
        return self.table.name(row).encode("utf-8", "surrogatepass")

    def _inside(self, row: int) -> list[int]:
        """Return by which spans one is known that takes nothing itself: the parts of a step."""
        if self.table.kind[row] != STEP:
            return []
        return [child for child in self.children(row) if self.facts[child].asked]

    def _printed(self, row: int, text: bytes, name: str, place: str) -> bytes:
        if self._tick is not None:
            self._tick()
        if len(text) == _DIGEST_SIZE:
            text = self._texts(row)[name]
        try:
            tree, _ = read_leaf(text, strictly=True)
        except LeafError:
            return text  # not to be read by anybody: known by its bytes
        return self._prints.of(tree, place)

    def _texts(self, row: int) -> dict[str, bytes]:
        fields = self._fields(row, self.run.record_text(row))
        outputs, error = bytes(fields.outputs), bytes(fields.error)
        return {"inputs": _given(fields), "outputs": outputs, "error": error}

    def _fields(self, row: int, text: bytes) -> _Fields:
        try:
            return _DECODER.decode(text)
        except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
            return _from_record(self.run.record(row))

    def _kept(self, text: bytes) -> bytes:
        if text in (b"", b"null"):
            return _NOTHING
        if len(text) <= self._longest and len(text) != _DIGEST_SIZE:
            return text
        return blake2b(text, digest_size=_DIGEST_SIZE).digest()

    def was_asked(self, row: int) -> bool:
        """Whether anything is known of what a span was asked."""
        return bool(self.facts[row].asked)

    def same_json(self, one: bytes, two: bytes) -> bool:
        """Whether two values of this and the other run are equal for having equal JSON."""
        return one == two and (self._sound or not one)

    def print_of(self, tree: Any) -> bytes:
        """Return the print of a value."""
        return self._prints.of(tree)

    # What a span said

    def said(self, row: int) -> bytes | None:
        """Return the print of what came out; None where that was not recorded."""
        if not (text := self.facts[row].said):
            return None
        known = self._said.get(row)
        if known is None:
            known = self._said[row] = self._printed(row, text, "outputs", "outputs")
        return known

    def failure(self, row: int) -> bytes:
        """Return the print of what a span failed with."""
        if not (text := self.facts[row].failed):
            return b""
        text = self._texts(row)["error"] if len(text) == _DIGEST_SIZE else text
        try:
            error, _ = read_leaf(text, strictly=True)
        except LeafError:
            return text
        if not isinstance(error, dict):
            return text
        return self._prints.of([error.get("type"), error.get("message")])

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


def _given(fields: _Fields) -> bytes:
    """Return what went in as JSON: inputs, or arguments, or both in a list."""
    if fields.arguments is _ABSENT:
        return bytes(fields.inputs)
    inputs, arguments = bytes(fields.inputs), bytes(fields.arguments)
    if inputs and arguments:
        return b"[%b,%b]" % (inputs, arguments)
    return inputs or arguments


def _from_record(record: Record) -> _Fields:
    """Read the same from a record that is not as it should be."""
    raw: dict[str, Any] = dict(record.raw)
    names = ("inputs", "outputs", "arguments", "error", "senders", "receivers")
    given = {name: msgspec.Raw(msgspec.json.encode(raw[name])) for name in names if name in raw}
    return _Fields(
        type=record.text("type"), role=record.text("role"), path=record.text("path"), **given
    )
