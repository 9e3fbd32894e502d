"""Reading the journal of a run that is being recorded, or was when its writer died."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Any

import msgspec
import orjson

from inspector.runfile import upgrade as formats
from inspector.runfile.bounds import BLOCK
from inspector.runfile.claim import is_claimed
from inspector.runfile.columns import Columns, SpanHeader
from inspector.runfile.kinds import RunStatus
from inspector.runfile.leaf import LeafError, read_leaf
from inspector.runfile.model import PipelineRun, RunParts
from inspector.runfile.shallow import members_of
from inspector.runfile.sniff import require_run
from inspector.runfile.store import ValueStore
from inspector.runfile.value_index import PlainIndex

if TYPE_CHECKING:
    from pathlib import Path

    from inspector.runfile.intake import Intake
    from inspector.runfile.problems import Problems
    from inspector.runfile.reading import Watch
    from inspector.runfile.source import ByteSource
    from inspector.runfile.table import SpanTable

Place = tuple[int, int]

_HEADER = msgspec.json.Decoder(SpanHeader)
_UNREADABLE = (msgspec.MsgspecError, RecursionError, UnicodeDecodeError)
_TABLE_FIELDS = frozenset(
    {"start_ns", "end_ns", "kind", "status", "name", "role", "usage", "error"}
)


class _Line(msgspec.Struct, gc=False):
    """One record of a journal, its contents not looked into."""

    record: str
    id: str = ""
    span: msgspec.Raw = msgspec.Raw()
    value: msgspec.Raw = msgspec.Raw()
    chunk: msgspec.Raw = msgspec.Raw()
    fields: msgspec.Raw = msgspec.Raw()
    run: msgspec.Raw = msgspec.Raw()
    format: msgspec.Raw = msgspec.Raw()
    version: msgspec.Raw = msgspec.Raw()
    status: msgspec.Raw = msgspec.Raw()
    at_ns: msgspec.Raw = msgspec.Raw()
    end_ns: msgspec.Raw = msgspec.Raw()


class _Changes(msgspec.Struct, gc=False):
    """Fields of a span that its table shows."""

    kind: str | msgspec.UnsetType = msgspec.UNSET
    status: str | msgspec.UnsetType = msgspec.UNSET
    name: str | msgspec.UnsetType = msgspec.UNSET
    role: str | msgspec.UnsetType = msgspec.UNSET
    start_ns: int | msgspec.UnsetType = msgspec.UNSET
    end_ns: int | msgspec.UnsetType = msgspec.UNSET
    usage: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    error: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET


_LINE = msgspec.json.Decoder(_Line)
_CHANGES = msgspec.json.Decoder(_Changes)


class JournalReader:
    """Takes whole lines of a journal, as many as there are so far, and remembers them.

    The journal stays where it is: of each span only the places of its records are kept.
    """

    def __init__(self, source: ByteSource, name: str, problems: Problems) -> None:
        self.header: dict[str, Any] = {}
        self.finished = False
        self._source = source
        self._name = name
        self._problems = problems
        self._columns = Columns(problems)
        self._values = PlainIndex()
        self._rows: dict[str, int] = {}
        # By span: where its start, its updates and its end stand, and each chunk's time
        # and place. These lists only grow: a run that was handed out remembers how far.
        self._records: list[list[Place]] = []
        self._chunks: dict[int, list[tuple[int, Place]]] = {}
        self._extra: dict[str, bytes] = {}
        self._line = 0

    def feed(self, text: bytes, offset: int) -> None:
        """Take whole lines that stand at `offset`."""
        at = 0
        while at < len(text):
            end = text.find(b"\n", at)
            end = len(text) if end < 0 else end
            self._line += 1
            if line := text[at:end].strip():
                lead = text.find(line[:1], at) - at
                self._take(line, offset + at + lead)
            at = end + 1

    def run(
        self, origin: Path | None, *, running: bool, whole: bool, goes_on: bool = False
    ) -> PipelineRun:
        """Return the run as far as the journal tells.

        Args:
            origin: Where the journal is.
            running: Whether its writer is still at work.
            whole: Whether its last line was.
            goes_on: Whether more will be fed.

        """
        status = None
        if not self.finished:
            status = RunStatus.RUNNING if running else RunStatus.INCOMPLETE
        table = self._columns.table(copy=goes_on)
        values = PlainIndex(self._values) if goes_on else self._values
        header = dict(self.header)
        return PipelineRun(
            RunParts(
                header=header,
                members={"run": orjson.dumps(header)},
                table=table,
                records=JournalRecords(
                    self._source,
                    table,
                    list(self._records) if goes_on else self._records,
                    {row: (chunks, len(chunks)) for row, chunks in self._chunks.items()},
                ),
                values=ValueStore(self._source, values),
                index=values,
                source=self._source,
                problems=self._problems.found(),
                origin=origin,
                complete=self.finished and whole,
                status=status,
                extra=self._extra,
            )
        )

    def _take(self, text: bytes, offset: int) -> None:
        where = f"line {self._line}"
        line = _read_line(text)
        if line is None:
            self._problems.add("This record cannot be read; it is left out.", where=where)
            return
        match line.record:
            case "start":
                self._start(line, text, offset, where)
            case "value":
                self._value(line, text, offset, where)
            case "update" | "end":
                self._change(line, text, offset, where)
            case "chunk":
                self._chunk(line, text, offset, where)
            case "run":
                self._begin(line, where)
            case "header" | "finish":
                self.header.update(self._object(line.fields, where))
                self.finished = self.finished or line.record == "finish"
            case _:
                self._problems.add(
                    f"Records called “{line.record[:40]}” are not known; they are left out."
                )

    def _begin(self, line: _Line, where: str) -> None:
        if self._line == 1:
            members = {"format": bytes(memoryview(line.format))}
            require_run(members, self._name, complete=True, size=0)
            formats.check_version(self._scalar(line.version, where), self._name)
        self.header.update(self._object(line.run, where))

    def _start(self, line: _Line, text: bytes, offset: int, where: str) -> None:
        record = memoryview(line.span)
        row = len(self._columns)
        try:
            self._columns.append(_HEADER.decode(record), row, 0)
        except _UNREADABLE:
            fields = self._object(line.span, where)
            if not fields:
                self._problems.add("This span cannot be read; it is left out.", where=where)
                return
            self._columns.add(fields, row, 0)
        self._rows[self._columns.id(row)] = row
        self._records.append([(offset, len(text))])

    def _value(self, line: _Line, text: bytes, offset: int, where: str) -> None:
        length = len(memoryview(line.value))
        # Our writer puts the value last; then its place needs no looking for.
        start = len(text) - 1 - length
        if text[start : start + length] != bytes(memoryview(line.value)):
            places = [member for member in members_of(text)[0] if member.key == "value"]
            start = places[-1].start if places else 0
        if not length or not line.id:
            self._problems.add("This value cannot be read; it is left out.", where=where)
            return
        self._values[line.id] = (offset + start, length)

    def _change(self, line: _Line, text: bytes, offset: int, where: str) -> None:
        row = self._rows.get(line.id)
        if row is None:
            self._say_unknown(line, where)
            return
        self._records[row].append((offset, len(text)))
        fields = self._changes(line.fields, where) if line.fields else {}
        for name in ("end_ns", "status"):
            if value := getattr(line, name):
                fields[name] = self._scalar(value, where)
        if line.record == "end":
            fields.setdefault("status", "ok")
        self._columns.change(row, fields)

    def _chunk(self, line: _Line, text: bytes, offset: int, where: str) -> None:
        row = self._rows.get(line.id)
        at_ns = self._scalar(line.at_ns, where)
        if row is None or type(at_ns) is not int or not line.chunk:
            self._say_unknown(line, where)
            return
        self._chunks.setdefault(row, []).append((at_ns, (offset, len(text))))

    def _say_unknown(self, line: _Line, where: str) -> None:
        self._problems.add(
            f"This {line.record} is of a span that did not start here; it is left out.", where=where
        )

    def _changes(self, raw: msgspec.Raw, where: str) -> dict[str, Any]:
        """Return the new values of what the table shows of a span."""
        try:
            fields = msgspec.structs.asdict(_CHANGES.decode(memoryview(raw)))
        except _UNREADABLE:
            fields = self._object(raw, where)
        return {
            name: item
            for name, item in fields.items()
            if name in _TABLE_FIELDS and item is not msgspec.UNSET
        }

    def _object(self, raw: msgspec.Raw, where: str) -> dict[str, Any]:
        text = bytes(memoryview(raw))
        fields: dict[str, Any] = {}
        for key, start, end in members_of(text)[0]:
            try:
                fields[key] = read_leaf(text[start:end])[0]
            except LeafError as error:
                self._problems.add(f"{key} {error}.", where=where)
        return fields

    def _scalar(self, raw: msgspec.Raw, where: str) -> Any:
        if not raw:
            return None
        try:
            return read_leaf(memoryview(raw))[0]
        except LeafError as error:
            self._problems.add(f"A field {error}.", where=where)
            return None


class JournalRecords:
    """Puts a span's record together from what its journal said about it, piece by piece."""

    def __init__(
        self,
        source: ByteSource,
        table: SpanTable,
        records: list[list[Place]],
        chunks: dict[int, tuple[list[tuple[int, Place]], int]],
    ) -> None:
        self._source = source
        self._table = table
        self._records = records
        self._known = array("L", map(len, records))
        self._chunks = chunks

    def text(self, row: int) -> bytes:
        """Return the record of a row as JSON."""
        number = self._table.offset[row]
        fields: dict[str, bytes] = {}
        for place in self._records[number][: self._known[number]]:
            line = self._source.read_at(*place)
            said = {key: line[start:end] for key, start, end in members_of(line)[0]}
            for part in ("span", "fields"):
                inner = said.get(part, b"{}")
                fields.update({key: inner[at:end] for key, at, end in members_of(inner)[0]})
            fields.update({key: said[key] for key in ("end_ns", "status") if key in said})
        if "chunks" not in fields and number in self._chunks:
            fields["chunks"] = self._chunk_list(number)
        return b"{%s}" % b",".join(
            orjson.dumps(key) + b":" + value for key, value in fields.items()
        )

    def in_order(self) -> JournalRecords:
        """Return itself: what is known of a span is spread over the journal anyway."""
        return self

    def _chunk_list(self, number: int) -> bytes:
        items = []
        chunks, known = self._chunks[number]
        for at_ns, place in chunks[:known]:
            line = self._source.read_at(*place)
            chunk = next(m for m in reversed(members_of(line)[0]) if m.key == "chunk")
            items.append(b"[%d,%s]" % (at_ns, line[chunk.start : chunk.end]))
        return b"[%s]" % b",".join(items)


def _read_line(text: bytes) -> _Line | None:
    """Return a record; one that is damaged or nested deeply as far as it is whole."""
    try:
        return _LINE.decode(text)
    except _UNREADABLE:
        pass
    members, whole = members_of(text)
    if not whole:
        return None
    known = {key: text[start:end] for key, start, end in members}
    words: dict[str, Any] = {}
    for name in ("record", "id"):
        try:
            words[name] = read_leaf(known.pop(name, b'""'))[0]
        except LeafError:
            return None
        if not isinstance(words[name], str):
            return None
    fields = _Line.__struct_fields__
    parts: dict[str, Any] = {key: msgspec.Raw(part) for key, part in known.items() if key in fields}
    return _Line(**words, **parts)


def read_journal(intake: Intake, start: int, watch: Watch) -> PipelineRun:
    """Return the run of a journal, up to its last whole line."""
    source = intake.source
    file = intake.plain_file
    running = False
    if file is not None:
        file.expect_growth()
        running = is_claimed(file.descriptor())
    reader = JournalReader(source, intake.name, intake.problems)
    end = feed_lines(reader, source, start, source.size, watch)
    rest = source.read_at(end, source.size - end)
    whole = not rest.strip()
    if not whole and members_of(rest)[1]:
        reader.feed(rest, end)
        whole = True
    elif not whole and not running:
        intake.problems.add("Its last line is cut off; the rest is shown.")
    return reader.run(intake.path, running=running, whole=whole and intake.whole)


def feed_lines(
    reader: JournalReader, source: ByteSource, start: int, end: int, watch: Watch | None = None
) -> int:
    """Give a reader every whole line between two places; return where the last one ends."""
    pieces: list[bytes] = []
    begun = at = start
    while at < end:
        if watch is not None:
            watch.at(at)
        block = source.read_at(at, min(BLOCK, end - at))
        at += len(block)
        cut = block.rfind(b"\n") + 1
        if cut:
            reader.feed(b"".join(pieces) + block[:cut], begun)
            begun = at - len(block) + cut
            pieces.clear()
        pieces.append(block[cut:])
    return begun
