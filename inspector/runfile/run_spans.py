"""The spans of a run while it is written."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Any

import orjson

if TYPE_CHECKING:
    from collections.abc import Iterator

    from inspector.runfile.run_values import RunValues
    from inspector.runfile.scrub import ChunkScrub
    from inspector.runfile.spool import Spool


class _Entry:
    """What the writer knows of one span."""

    __slots__ = ("chunks", "data", "ended", "length", "offset", "text", "written")

    def __init__(self, data: dict[str, Any]) -> None:
        self.data: dict[str, Any] | None = data  # None once the whole span is in the spool
        self.written = False  # its start is in the spool
        self.ended = False
        self.text: bytes | None = None  # its JSON, where that was wanted before the end
        self.offset = 0
        self.length = 0
        self.chunks: array[int] | None = None  # at_ns, offset and length of each


class RunSpans:
    """Gathers what comes of each span, and appends it to the spool.

    A span that begins and ends between two flushes is turned into JSON once. Of a span that
    is over, only the place of its JSON is kept.
    """

    def __init__(
        self, spool: Spool, values: RunValues, chunk_scrub: ChunkScrub | None = None
    ) -> None:
        self._spool = spool
        self._values = values
        self._chunk_scrub = chunk_scrub
        self._entries: list[_Entry] = []
        self._by_id: dict[str, _Entry] = {}
        self._fresh: list[_Entry] = []

    def start(self, span: dict[str, Any]) -> None:
        """Take a span that began."""
        entry = _Entry(span)
        self._by_id[span["id"]] = entry
        self._entries.append(entry)
        self._fresh.append(entry)

    def update(self, span_id: str, fields: dict[str, Any]) -> None:
        """Take further fields of a span."""
        entry = self._by_id[span_id]
        if entry.data is None:
            # It was over already: read it back.
            entry.data = orjson.loads(self._spool.read(entry.offset, entry.length))
        entry.data.update(fields)
        if entry.written:
            text = self._values.json(fields)
            self._spool.append(_head(b"update", span_id) + b',"fields":' + text + b"}\n")

    def chunk(self, span_id: str, at_ns: int, chunk: Any) -> None:
        """Take a chunk of a span's stream."""
        if self._chunk_scrub is None:
            self._keep(span_id, at_ns, self._values.json(chunk))
            return
        for when_ns, clean in self._chunk_scrub.chunk(span_id, at_ns, chunk):
            self._keep(span_id, when_ns, self._values.json_of_clean(clean))

    def _release(self, span_id: str) -> None:
        """Keep the chunks that were held back."""
        if self._chunk_scrub is not None:
            for when_ns, clean in self._chunk_scrub.rest(span_id):
                self._keep(span_id, when_ns, self._values.json_of_clean(clean))

    def _keep(self, span_id: str, at_ns: int, text: bytes) -> None:
        entry = self._by_id[span_id]
        if not entry.written:
            self._write(entry)
        if entry.chunks is None:
            entry.chunks = array("q")
        head = _head(b"chunk", span_id) + b',"at_ns":%d,"chunk":' % at_ns
        offset = self._spool.append(head + text + b"}\n") + len(head)
        entry.chunks.extend((at_ns, offset, len(text)))

    def end(self, span_id: str, end_ns: int, status: str, fields: dict[str, Any]) -> None:
        """Take the end of a span."""
        entry = self._by_id[span_id]
        data = entry.data
        if data is None or entry.ended:
            return
        self._release(span_id)
        data.update(fields)
        data["end_ns"] = end_ns
        data["status"] = status
        entry.ended = True
        if entry.written:
            # All of the span stands in its last record: the file is made from that.
            text = self._values.json(data)
            head = _end_of(data) + b',"fields":'
            entry.offset = self._spool.append(head + text + b"}\n") + len(head)
            entry.length = len(text)
            entry.data = None

    def write_fresh(self) -> None:
        """Append the spans that began since the last time to the spool."""
        if self._fresh:
            fresh, self._fresh = self._fresh, []
            for entry in fresh:
                if not entry.written:
                    self._write(entry)

    def close(self, journaled: bool) -> None:
        """Note that no span will end any more."""
        for span_id in [*self._by_id] if self._chunk_scrub is not None else ():
            self._release(span_id)
        if journaled:
            self.write_fresh()
        for entry in self._entries:
            if entry.data is not None and not entry.ended:
                entry.data["status"] = "unfinished"

    def settle(self) -> None:
        """Turn every span into JSON now. Nothing may come of them any more."""
        for entry in self._entries:
            if entry.data is not None:
                entry.text = self._values.json(entry.data)

    def texts(self) -> Iterator[bytes]:
        """Yield the JSON of each span, in start order."""
        read = self._spool.reader()
        for entry in self._entries:
            if entry.data is None:
                text = read(entry.offset, entry.length)
            else:
                text = entry.text or self._values.json(entry.data)
            if entry.chunks is not None:
                text = b'%s,"chunks":%s}' % (text[:-1], self._chunks(entry.chunks))
            yield text

    def clear(self) -> None:
        """Let go of everything: the run is where it belongs."""
        self._entries.clear()
        self._by_id.clear()
        self._fresh.clear()

    def _write(self, entry: _Entry) -> None:
        data = entry.data
        assert data is not None
        entry.written = True
        text = self._values.json(data)
        head = b'{"record":"start","span":'
        offset = self._spool.append(head + text + b"}\n") + len(head)
        if entry.ended:
            self._spool.append(_end_of(data) + b',"fields":{}}\n')
            entry.offset, entry.length, entry.data = offset, len(text), None

    def _chunks(self, chunks: array[int]) -> bytes:
        read = self._spool.read
        items = [
            b"[%d,%s]" % (chunks[at], read(chunks[at + 1], chunks[at + 2]))
            for at in range(0, len(chunks), 3)
        ]
        return self._values.reference(b"[" + b",".join(items) + b"]")


def _head(record: bytes, span_id: str) -> bytes:
    return b'{"record":"%s","id":%s' % (record, orjson.dumps(span_id))


def _end_of(data: dict[str, Any]) -> bytes:
    return _head(b"end", data["id"]) + b',"end_ns":%s,"status":%s' % (
        orjson.dumps(data["end_ns"]),
        orjson.dumps(data["status"]),
    )
