"""Writing a run while it happens."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from inspector.errors import RecordingError
from inspector.runfile.completion import Completion
from inspector.runfile.files import COMPRESSED
from inspector.runfile.interned import Deferred, Interned
from inspector.runfile.layout import FORMAT_NAME, FORMAT_VERSION
from inspector.runfile.limits import WriteLimits
from inspector.runfile.run_spans import RunSpans
from inspector.runfile.run_values import RunValues
from inspector.runfile.spool import Spool
from inspector.runfile.writer_thread import MOST_RECORDS, SHARED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from inspector.runfile.finished import FinishedRun
    from inspector.runfile.model import PipelineRun
    from inspector.runfile.scrub import ChunkScrub, Scrub

__all__ = ["Deferred", "Interned", "RunWriter", "WriteLimits", "journal_path"]


class RunWriter:
    """Takes the records of one run from any thread, and makes its file.

    The methods that take records only append to a queue; all work is done by the writer's
    own thread. A run that is over before that thread looks for the first time goes straight
    to its file. Any other is kept in a journal beside it, which can be read at any moment,
    also when this process is killed.

    Nothing here raises into the host. What cannot be written stays in memory, within limits,
    and the run says what was left out.

    Args:
        header: What is known of the run; the rest comes with `header` and `finish`.
        target: The file of the run; its suffix decides about compression. None for no file.
        directory: Where to put a file of the run's own name, when there is no `target`.
        name: That name, without suffixes; the run's id unless given.
        sink: Gets the finished run, on a thread of its own.
        stream: Gets the run's id and journal lines as they come, on that thread, too.
        keep: Says by the final header whether the run is to be kept.
        saved: Gets the path of the file, once it is there.
        limits: How much the run may take.
        scrub: Takes what must not be written out of each record's text, before it is hashed.
        redact: Gets each tree before it becomes text, and returns what may be written. It
            meets `Interned` nodes in it, which it leaves alone: their trees come by themselves.
            With it, the trees of these nodes are kept for as long as the nodes are.
        chunk_scrub: Takes what must not be written out of the chunks of streams.

    """

    def __init__(
        self,
        header: Mapping[str, Any],
        *,
        target: Path | str | None = None,
        directory: Path | str | None = None,
        name: str | None = None,
        sink: Callable[[FinishedRun], object] | None = None,
        stream: Callable[[str, bytes], object] | None = None,
        keep: Callable[[Mapping[str, Any]], bool] | None = None,
        saved: Callable[[Path], object] | None = None,
        limits: WriteLimits | None = None,
        redact: Callable[[Any], Any] | None = None,
        scrub: Scrub | None = None,
        chunk_scrub: ChunkScrub | None = None,
    ) -> None:
        if target is None and directory is not None:
            target = Path(directory, f"{name or header['id']}.run.json")
        self._target = None if target is None else os.fspath(target)
        self._header = dict(header)
        self._spool = Spool()
        self._left_out: dict[str, str] = {}
        self._dropped = 0
        self._values = RunValues(
            self._spool, limits or WriteLimits(), self._leave_out, redact, scrub, self._to_disk
        )
        self._scrub = scrub
        self._redacts = chunk_scrub is not None
        self._spans = RunSpans(self._spool, self._values, chunk_scrub)
        self._completion = Completion(self._target, sink, stream, keep, saved)
        self._opened = False  # the first line of the journal is written
        self._finishing = False  # no more records are taken from the host
        self._over = False  # the last record was taken from the queue
        self._done = threading.Event()
        self._queue = queue = SHARED.queue
        self._append = queue.append
        SHARED.add(self)

    # Called by host threads: append, and go on

    def start(self, span: dict[str, Any]) -> None:
        """Take the start of a span. The dictionary belongs to the writer from now on."""
        self._put((self, self._take_start, span))

    def update(self, span_id: str, fields: dict[str, Any]) -> None:
        """Take more of what is known of a span."""
        self._put((self, self._take_update, span_id, fields))

    def chunk(self, span_id: str, at_ns: int, chunk: Any) -> None:
        """Take a chunk of a stream, and when it arrived."""
        self._put((self, self._take_chunk, span_id, at_ns, chunk))

    def end(self, span_id: str, end_ns: int, status: str, fields: dict[str, Any]) -> None:
        """Take the end of a span."""
        self._put((self, self._take_end, span_id, end_ns, status, fields))

    def do(self, work: Callable[[tuple[Any, ...]], None], *material: Any) -> None:
        """Do some work in its turn, on the writer's thread: `work((writer, work, *material))`.

        It may call `started`, `updated`, `chunked`, `ended` and `noted`, which nobody else may.
        """
        if len(self._queue) < MOST_RECORDS:
            self._append((self, work, *material))
        else:
            self._dropped += 1

    def header(self, fields: dict[str, Any]) -> None:
        """Take more of what is known of the run."""
        self._put((self, self._take_header, fields))

    def finish(self, fields: dict[str, Any]) -> None:
        """Take the last of what is known of the run; later records are dropped."""
        if self._finishing:
            return
        self._finishing = True
        self._append((self, self._take_finish, fields))
        if SHARED.in_child:  # it may end without a word
            SHARED.hurry()

    def _put(self, record: tuple[Any, ...]) -> None:
        if len(self._queue) < MOST_RECORDS:
            self._append(record)
        else:
            self._dropped += 1

    def wait(self, timeout_s: float | None = None) -> bool:
        """Wait until the finished run is where it belongs; False when that took too long.

        With no time to wait, it only says how things are, and wakes nobody.
        """
        done = self._done.is_set()
        if done or SHARED.is_current() or (timeout_s is not None and timeout_s <= 0):
            return done
        SHARED.hurry()
        return self._done.wait(timeout_s)

    @property
    def path(self) -> Path | None:
        """Where the finished run is on disk; its journal when the file could not be made."""
        return self._completion.path

    @property
    def finished(self) -> FinishedRun | None:
        """The finished run, once it is where it belongs."""
        return self._completion.finished if self._done.is_set() else None

    def load(self) -> PipelineRun:
        """Open the finished run.

        Raises:
            RecordingError: It is not written yet, or was not kept.
            RunFileError: Its file cannot be read any more.

        """
        finished = self.finished
        if finished is None:
            raise RecordingError("The run is not written yet.", hint="Wait for it first.")
        return finished.load()

    # Called on the writer's thread

    def failed(self, error: Exception) -> None:
        """Note that a record could not be taken; the others can."""
        self._leave_out("records", f"one could not be written ({type(error).__name__}: {error})")

    def flush(self) -> None:
        """Bring what was taken to where a crash cannot reach it."""
        self._spans.write_fresh()
        if self._spool.in_memory:
            self._to_disk()

    def _to_disk(self) -> None:
        """Give the records to the journal and to whoever follows the run."""
        first = b"" if self._opened else self._open()
        spool, completion = self._spool, self._completion
        if completion.streams:
            why = completion.pass_on(str(self._header.get("id", "")), first + spool.take_new())
            if why:
                self._leave_out("stream", why)
        if completion.forgets:
            spool.let_go()
        elif self._target is not None and spool.failure is None:
            if first:
                spool.create(journal_path(self._target), first)
            if spool.failure is not None or not spool.flush():
                self._leave_out("journal", completion.disk_failed(spool.failure))

    def _open(self) -> bytes:
        """Return the first line of the journal."""
        self._opened = True
        line = {"record": "run", "format": FORMAT_NAME, "version": FORMAT_VERSION}
        # Values that the header refers to come after it: readers look them up later.
        return self._values.json({**line, "run": self._header}) + b"\n"

    def orphan(self) -> None:
        """Stop: this is a forked child, and the run belongs to its parent."""
        self._finishing = self._over = True
        self._append = _forget
        self._spool.abandon()
        self._completion.abandon()
        self._done.set()

    def started(self, span: dict[str, Any]) -> None:
        """Keep the start of a span."""
        if not self._over:
            self._spans.start(span)

    def updated(self, span_id: str, fields: dict[str, Any]) -> None:
        """Keep more of a span."""
        if not self._over:
            self._spans.update(span_id, fields)

    def chunked(self, span_id: str, at_ns: int, chunk: Any) -> None:
        """Keep a chunk of a stream."""
        if not self._over:
            self._spans.chunk(span_id, at_ns, chunk)

    def ended(self, span_id: str, end_ns: int, status: str, fields: dict[str, Any]) -> None:
        """Keep the end of a span."""
        if not self._over:
            self._spans.end(span_id, end_ns, status, fields)

    def noted(self, fields: dict[str, Any]) -> None:
        """Keep more of the run header."""
        if self._over:
            return
        self._header.update(fields)
        if self._opened:
            self._spool.append(b'{"record":"header","fields":' + self._values.json(fields) + b"}\n")

    def _take_start(self, record: tuple[Any, ...]) -> None:
        self.started(record[2])

    def _take_update(self, record: tuple[Any, ...]) -> None:
        self.updated(record[2], record[3])

    def _take_chunk(self, record: tuple[Any, ...]) -> None:
        self.chunked(record[2], record[3], record[4])

    def _take_end(self, record: tuple[Any, ...]) -> None:
        self.ended(record[2], record[3], record[4], record[5])

    def _take_header(self, record: tuple[Any, ...]) -> None:
        self.noted(record[2])

    def _take_finish(self, record: tuple[Any, ...]) -> Iterator[None]:
        self._over = True
        self._header.update(record[2])
        if self._dropped:
            self._leave_out("records", f"{self._dropped} came faster than they could be written")
        return self._complete(record[2])

    def _complete(self, fields: dict[str, Any]) -> Iterator[None]:
        try:
            lined = self._opened or self._completion.streams
            self._spans.close(lined)
            if lined:
                self._to_disk()
            self._spans.settle()
            if self._scrub is not None:
                fields = {**fields, **self._scrubbed(self._scrub)}
                self._header.update(fields)
            if self._left_out:
                self._header["not_recorded"] = self._not_recorded()
                fields = {**fields, "not_recorded": self._header["not_recorded"]}
            if lined:
                last = b'{"record":"finish","fields":' + self._values.json(fields) + b"}\n"
                self._spool.append(last)
                self._to_disk()
            if self._redacts:
                # Sinks get to see it, too, and may write what they like of it.
                self._header = orjson.loads(self._values.json(self._header))
            yield from self._completion.run(self._header, self._spans, self._values, self._spool)
        except Exception as error:  # noqa: BLE001 - a guest never raises into its host
            self._completion.gave_up(self._header, error)
        finally:
            self._spans.clear()
            self._values.clear()
            self._spool.let_go()
            self._completion.deliver(self._done.set)

    def _scrubbed(self, scrub: Scrub) -> dict[str, Any]:
        """Return what was taken out of the run, once all of it has become text."""
        self._values.json(self._header)
        return scrub.report()

    def _not_recorded(self) -> list[Any]:
        told = self._header.get("not_recorded")
        own = [{"what": what, "why": why} for what, why in self._left_out.items()]
        return [*(told if isinstance(told, list) else []), *own]

    def _leave_out(self, what: str, why: str) -> None:
        self._left_out.setdefault(what, why)


def journal_path(target: str) -> str:
    """Return where the journal of a run stands while it is written."""
    for suffix in COMPRESSED:
        target = target.removesuffix(suffix)
    return target.removesuffix(".json").removesuffix(".run") + ".run.jsonl"


def _forget(_record: tuple[Any, ...]) -> None:
    """Take a record that nobody will write."""
