"""Writing a run while it happens."""

from __future__ import annotations

import logging
import threading
from array import array
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from inspector.errors import RecordingError
from inspector.runfile import layout
from inspector.runfile.compact import compact
from inspector.runfile.digest import value_id
from inspector.runfile.files import replacing
from inspector.runfile.interned import Deferred, Interned
from inspector.runfile.spool import Spool
from inspector.runfile.writer_thread import MOST_RECORDS, SHARED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from inspector.runfile.model import PipelineRun
    from inspector.runfile.scrub import Scrub

__all__ = ["Deferred", "Interned", "RunWriter", "WriteLimits"]

log = logging.getLogger("inspector.recording")

INLINE_BYTES = 200
"""A value of up to so many bytes of JSON stands where it is used."""

_START, _UPDATE, _CHUNK, _END, _HEADER, _FINISH = range(6)


@dataclass(frozen=True, slots=True)
class WriteLimits:
    """How much a run may take."""

    value_bytes: int = 64 * 2**20
    """Of one value."""
    run_bytes: int = 2 * 2**30
    """Of all values together."""
    memory_bytes: int = 256 * 2**20
    """Of what cannot be written to disk."""


class _Entry:
    """What the writer knows of a span."""

    __slots__ = ("chunks", "data", "ended", "length", "offset", "written")

    def __init__(self, data: dict[str, Any]) -> None:
        self.data: dict[str, Any] | None = data  # None once its JSON stands in the spool
        self.written = False  # its start is in the spool
        self.ended = False
        self.offset = 0
        self.length = 0
        self.chunks: array[int] | None = None  # at_ns, offset, length of each


class RunWriter:
    """Takes the records of one run from any thread and makes its file."""

    def __init__(
        self,
        header: Mapping[str, Any],
        *,
        target: Path | str | None = None,
        directory: Path | str | None = None,
        name: str | None = None,
        sink: Callable[[Any], object] | None = None,
        limits: WriteLimits | None = None,
        scrub: Scrub | None = None,
    ) -> None:
        if target is None and directory is not None:
            target = Path(directory) / f"{name or header['id']}.run.json"
        self.path: Path | None = None
        self.data: bytes | None = None
        self._target = Path(target) if target is not None else None
        self._sink = sink
        self._limits = limits or WriteLimits()
        self._scrub = scrub
        self._header = dict(header)
        self._spool = Spool()
        self._entries: list[_Entry] = []
        self._by_id: dict[str, _Entry] = {}
        self._fresh: list[_Entry] = []
        self._values: dict[str, tuple[int, int]] = {}
        self._flushed = False
        self._dropped = 0
        self._left_out: dict[str, str] = {}
        self._finished = False
        self._done = threading.Event()
        self._queue = SHARED.queue
        self._append = SHARED.queue.append
        SHARED.add(self)

    # Called by host threads: append and go on

    def start(self, span: dict[str, Any]) -> None:
        """A span began. The dictionary belongs to the writer from now on."""
        if len(self._queue) < MOST_RECORDS:
            self._append((self, _START, span))
        else:
            self._dropped += 1

    def update(self, span_id: str, fields: dict[str, Any]) -> None:
        """More is known of a span."""
        if len(self._queue) < MOST_RECORDS:
            self._append((self, _UPDATE, span_id, fields))
        else:
            self._dropped += 1

    def chunk(self, span_id: str, at_ns: int, chunk: Any) -> None:
        """A chunk of a stream arrived."""
        if len(self._queue) < MOST_RECORDS:
            self._append((self, _CHUNK, span_id, at_ns, chunk))
        else:
            self._dropped += 1

    def end(self, span_id: str, end_ns: int, status: str, fields: dict[str, Any]) -> None:
        """A span ended."""
        if len(self._queue) < MOST_RECORDS:
            self._append((self, _END, span_id, end_ns, status, fields))
        else:
            self._dropped += 1

    def header(self, fields: dict[str, Any]) -> None:
        """More is known of the run."""
        self._append((self, _HEADER, fields))

    def finish(self, fields: dict[str, Any]) -> None:
        """The run is over; what comes later is dropped."""
        if not self._finished:
            self._finished = True
            self._append((self, _FINISH, fields))
            if SHARED.in_child:
                SHARED.hurry()

    def wait(self, timeout_s: float | None = None) -> bool:
        """Wait until the finished run is where it belongs; False when the time is over."""
        if not self._done.is_set() and not SHARED.is_current():
            SHARED.hurry()
            self._done.wait(timeout_s)
        return self._done.is_set()

    def load(self) -> PipelineRun:
        """Open the finished run.

        Raises:
            RecordingError: It is not finished, or could not be kept.

        """
        from inspector.runfile.load import load_run

        if not self._done.is_set():
            raise RecordingError("The run is not written yet.", hint="Wait for it first.")
        if self.data is not None:
            return load_run(self.data)
        if self.path is not None:
            return load_run(self.path)
        raise RecordingError("The run was not kept.")

    # Called on the writer's thread

    def take(self, record: tuple[Any, ...]) -> Iterator[None] | None:
        """Take one record; returns the rest of the work when the run is over."""
        try:
            match record:
                case (_, 0, span):
                    self._take_start(span)
                case (_, 3, span_id, end_ns, status, fields):
                    self._take_end(span_id, {**fields, "end_ns": end_ns, "status": status})
                case (_, 1, span_id, fields):
                    self._take_update(span_id, fields)
                case (_, 2, span_id, at_ns, chunk):
                    self._take_chunk(span_id, at_ns, chunk)
                case (_, 4, fields):
                    self._take_header(fields)
                case (_, 5, fields):
                    return self._complete(fields)
        except Exception as error:  # noqa: BLE001 - one bad record must not end all writing
            self._leave_out("records", f"{type(error).__name__}: {error}")
        return None

    def flush(self) -> None:
        """Write what was taken to the journal."""
        if self._target is None and not self._fresh:
            return
        for entry in self._fresh:
            self._write_start(entry)
        self._fresh.clear()
        if self._target is None or (self._spool.failure is not None):
            return
        if not self._flushed:
            if not self._spool.in_memory:
                return
            self._flushed = True
            first = {"record": "run", "format": layout.FORMAT_NAME,
                     "version": layout.FORMAT_VERSION, "run": self._header}  # fmt: skip
            path = journal_path(self._target)
            if not self._spool.create(path, self._json(first) + b"\n"):
                self._disk_failed()
                return
            self._header_line = False
        if not self._spool.flush():
            self._disk_failed()

    def orphan(self) -> None:
        """Become the copy of a run that another process writes."""
        self._finished = True
        self._append = _forget
        self._done.set()

    def _take_start(self, span: dict[str, Any]) -> None:
        entry = _Entry(span)
        self._entries.append(entry)
        self._by_id[span["id"]] = entry
        self._fresh.append(entry)

    def _take_update(self, span_id: str, fields: dict[str, Any]) -> None:
        entry = self._by_id[span_id]
        self._data_of(entry).update(fields)
        if entry.written:
            self._line(b"update", span_id, b',"fields":' + self._json(fields))

    def _take_chunk(self, span_id: str, at_ns: int, chunk: Any) -> None:
        entry = self._by_id[span_id]
        self._write_start(entry)
        if entry.chunks is None:
            entry.chunks = array("q")
        text = self._json(chunk)
        head = b'{"record":"chunk","id":"%s","at_ns":%d,"chunk":' % (span_id.encode(), at_ns)
        offset = self._spool.append(head + text + b"}\n") + len(head)
        entry.chunks.extend((at_ns, offset, len(text)))

    def _take_end(self, span_id: str, fields: dict[str, Any]) -> None:
        entry = self._by_id[span_id]
        data = self._data_of(entry)
        data.update(fields)
        entry.ended = True
        if entry.written:
            # All of the span stands in its last record: the file is made from that.
            text = self._json(data)
            head = self._end_head(span_id, fields) + b',"fields":'
            entry.offset = self._spool.append(head + text + b"}\n") + len(head)
            entry.length = len(text)
            entry.data = None

    def _take_header(self, fields: dict[str, Any]) -> None:
        self._header.update(fields)
        if self._flushed:
            self._spool.append(b'{"record":"header","fields":' + self._json(fields) + b"}\n")

    def _data_of(self, entry: _Entry) -> dict[str, Any]:
        if entry.data is None:
            entry.data = orjson.loads(self._spool.read(entry.offset, entry.length))
        return entry.data

    def _write_start(self, entry: _Entry) -> None:
        if entry.written or entry.data is None:
            return
        entry.written = True
        text = self._json(entry.data)
        head = b'{"record":"start","span":'
        offset = self._spool.append(head + text + b"}\n") + len(head)
        if entry.ended:
            head = self._end_head(entry.data["id"], entry.data)
            self._spool.append(head + b',"fields":{}}\n')
            entry.offset, entry.length, entry.data = offset, len(text), None

    @staticmethod
    def _end_head(span_id: str, fields: Mapping[str, Any]) -> bytes:
        return b'{"record":"end","id":"%s","end_ns":%d,"status":"%s"' % (
            span_id.encode(), fields["end_ns"], fields["status"].encode(),
        )  # fmt: skip

    def _line(self, record: bytes, span_id: str, rest: bytes) -> None:
        self._spool.append(b'{"record":"%s","id":"%s"%s}\n' % (record, span_id.encode(), rest))

    # Values

    def _json(self, tree: Any) -> bytes:
        text = compact(tree, self._stand_in)
        return text if self._scrub is None else self._scrub.clean(text)

    def _stand_in(self, node: Any) -> Any:
        if not isinstance(node, Interned):
            return {"$": "opaque", "type": type(node).__name__}
        if node.ref is not None:
            return node.ref
        chain = [node]
        while (before := chain[-1].after) is not None and before.ref is None:
            chain.append(before)
        for link in reversed(chain):
            self._store(link)
        return node.ref

    def _store(self, node: Interned) -> None:
        text = self._json(node.build())
        if len(text) <= INLINE_BYTES:
            node.ref = orjson.Fragment(text)
        else:
            digest = self._store_text(text)
            node.ref = orjson.Fragment(b'{"$ref":"%s"}' % digest.encode())
        node.tree = node.after = None

    def _store_text(self, text: bytes) -> str:
        digest = value_id(text)
        if digest not in self._values:
            head = b'{"record":"value","id":"%s","value":' % digest.encode()
            offset = self._spool.append(head + text + b"}\n") + len(head)
            self._values[digest] = (offset, len(text))
        return digest

    # The end

    def _complete(self, fields: dict[str, Any]) -> Iterator[None]:
        try:
            self._header.update(fields)
            if self._left_out:
                notes = [{"what": what, "why": why} for what, why in self._left_out.items()]
                self._header["not_recorded"] = [*self._header.get("not_recorded", []), *notes]
            spans = list(self._span_texts())
            if self._scrub is not None:
                self._header.update(self._scrub.report())
            header = self._json(self._header)
            parts = layout.pieces(header, spans, self._value_texts(), digest_of=_count_value)
            if self._target is None:
                self.data = b"".join(parts)
            else:
                self._target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                with replacing(self._target) as out:
                    yield from layout.write_pieces(out, parts)
                self.path = self._target
                self._spool.close(remove=True)
        except Exception as error:
            log.warning("The run could not be written: %s", error, exc_info=error)
        finally:
            self._done.set()

    def _span_texts(self) -> Iterator[bytes]:
        for entry in self._entries:
            if entry.data is None:
                text = self._spool.read(entry.offset, entry.length)
            else:
                entry.data.setdefault("status", "unfinished")
                text = self._json(entry.data)
            if entry.chunks is not None:
                chunks = b'"chunks":' + self._chunk_list(entry.chunks)
                text = text[:-1] + b"," + chunks + b"}"
            yield text

    def _chunk_list(self, chunks: array[int]) -> bytes:
        items = [
            b"[%d,%s]" % (chunks[at], self._spool.read(chunks[at + 1], chunks[at + 2]))
            for at in range(0, len(chunks), 3)
        ]
        text = b"[" + b",".join(items) + b"]"
        if len(text) <= INLINE_BYTES:
            return text
        return b'{"$ref":"%s"}' % self._store_text(text).encode()

    def _value_texts(self) -> Iterator[tuple[bytes, bytes]]:
        for digest, (offset, length) in self._values.items():
            yield b'"%s"' % digest.encode(), self._spool.read(offset, length)

    def _disk_failed(self) -> None:
        error = self._spool.failure
        self._leave_out("journal", f"it could not be written: {error}")
        log.warning("The journal of %s cannot be written: %s", self._target, error)

    def _leave_out(self, what: str, why: str) -> None:
        self._left_out.setdefault(what, why)


def journal_path(target: Path) -> Path:
    """Return where the journal of a run stands while it is written."""
    name = target.name
    for suffix in (".gz", ".zst"):
        name = name.removesuffix(suffix)
    return target.with_name(name.removesuffix(".json") + ".jsonl")


def _count_value(digests: layout.RecordDigests, key: bytes, _text: bytes) -> None:
    digests.add_value(key[1:-1].decode())


def _forget(_record: tuple[Any, ...]) -> None:
    """Take a record that nobody will write."""
