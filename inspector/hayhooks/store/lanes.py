"""The threads on which SQLite is waited for, so that no event loop ever is.

One thread writes and one reads; each has a connection of its own. What comes to the writer while
it is busy is done in one transaction with what else came: that is what makes many slots cheap.
"""

from __future__ import annotations

import os
import queue
import sqlite3
import threading
from abc import ABC, abstractmethod
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeVar

from inspector.errors import InspectorError
from inspector.hayhooks.store.faults import StoreUnavailableError, in_words

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from inspector.hayhooks.store.clock import Clock

T = TypeVar("T")

_MOST_AT_ONCE = 64
_SYNC_EVERY_S = 1.0


@dataclass(slots=True)
class Turn:
    """What a piece of work gets: a connection inside of a transaction, and the time.

    Args:
        connection: With a transaction that is begun and ended outside of the work.
        now_ms: The store's time.
        streams: Work adds the numbers of the executions whose streams it added to.

    """

    connection: sqlite3.Connection
    now_ms: int
    streams: set[int] = field(default_factory=set)


class _Job:
    __slots__ = ("answer", "is_one", "work")

    def __init__(self, work: Callable[[Turn], Any], is_one: bool) -> None:
        self.work = work
        self.is_one = is_one
        self.answer: Future[Any] = Future()


def _code(error: sqlite3.Error) -> int:
    code = getattr(error, "sqlite_errorcode", 0)
    return code & 0xFF if isinstance(code, int) else 0


class _HalfDoneError(Exception):
    """Work raised after it had changed something."""


class Lane(ABC):
    """A thread with a connection, which does what it is given in the order it comes."""

    def __init__(self, name: str, path: Path, open_: Callable[[], sqlite3.Connection]) -> None:
        self._path = path
        self._open = open_
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._connection: sqlite3.Connection | None = None
        self._closing = False
        self._lock = threading.Lock()
        self._process = os.getpid()
        self.closed: Future[None] = Future()
        # A daemon: whoever forgets to close a store can still end the program. That is no worse
        # for the file than being killed.
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def ask(self, work: Callable[[Turn], T], *, is_one: bool = False) -> Future[T]:
        """Have `work` done. Its future holds what it returns, or raises.

        Args:
            work: What to do.
            is_one: It is one question only, which needs no transaction around it to be read.

        Raises:
            StoreUnavailableError: The lane was closed, or this is a forked process.

        """
        if os.getpid() != self._process:
            raise StoreUnavailableError(
                "A store of executions cannot be used by a process that was forked from its own.",
                hint="Open the file anew in that process.",
            )
        job = _Job(work, is_one)
        with self._lock:  # what came behind the end would be waited for in vain
            if self._closing:
                raise StoreUnavailableError("The store of executions was closed.")
            self._jobs.put(job)
        return job.answer

    def close(self) -> None:
        """Take nothing more; what was asked before is done. `closed` says when."""
        with self._lock:
            if not self._closing:
                self._closing = True
                self._jobs.put(None)

    def _run(self) -> None:
        try:
            while (jobs := self._next()) is not None:
                ready = [job for job in jobs if job.answer.set_running_or_notify_cancel()]
                if ready:
                    self._serve(ready)
        finally:
            self._let_go()
            self.closed.set_result(None)

    def _next(self) -> list[_Job] | None:
        job = self._jobs.get()
        return None if job is None else [job]

    def _serve(self, jobs: list[_Job]) -> None:
        for job in jobs:
            try:
                self._transact([job])
            except sqlite3.Error as error:
                self._note_fault(error)
                job.answer.set_exception(in_words(error, self._path))
            except _HalfDoneError as refused:
                job.answer.set_exception(refused.__cause__ or refused)
            except Exception as error:  # noqa: BLE001 - whoever asked gets to know
                job.answer.set_exception(error)

    @abstractmethod
    def _transact(self, jobs: list[_Job]) -> None: ...

    def _opened(self) -> sqlite3.Connection:
        if self._connection is None:
            self._connection = self._open()
        return self._connection

    def _note_fault(self, error: sqlite3.Error) -> None:
        # What is merely locked or full is fine later; any other connection is not trusted again.
        if _code(error) not in {
            sqlite3.SQLITE_BUSY,
            sqlite3.SQLITE_FULL,
            sqlite3.SQLITE_CONSTRAINT,
        }:
            self._let_go()

    def _let_go(self) -> None:
        if self._connection is not None:
            with suppress(sqlite3.Error):
                self._connection.close()
            self._connection = None


class Reader(Lane):
    """Reads. Between its work it looks whether another process added to a stream.

    Args:
        clock: Of the store.
        listened_every_s: None while nobody waits for streams, else how often to look.
        look: Looks, with the connection.

    """

    def __init__(
        self,
        path: Path,
        open_: Callable[[], sqlite3.Connection],
        clock: Clock,
        listened_every_s: Callable[[], float | None],
        look: Callable[[sqlite3.Connection], None],
    ) -> None:
        self._clock = clock
        self._listened_every_s = listened_every_s
        self._look = look
        self._looked_at = 0.0
        super().__init__("executions-reader", path, open_)

    def _next(self) -> list[_Job] | None:
        while True:
            every = self._listened_every_s()
            if every is None:
                return super()._next()
            left = self._looked_at + every - monotonic()
            if left <= 0:
                self._looked_at = monotonic()
                self._look_round()
                continue
            try:
                job = self._jobs.get(timeout=left)
            except queue.Empty:
                continue
            return None if job is None else [job]

    def _look_round(self) -> None:
        try:
            self._look(self._opened())
        except (sqlite3.Error, InspectorError):
            self._let_go()  # those who wait ask for themselves, too, and are told why

    def _transact(self, jobs: list[_Job]) -> None:
        (job,) = jobs
        connection = self._opened()
        if not job.is_one:
            connection.execute("BEGIN")
        try:
            turn = Turn(connection, self._clock.now(connection, may_write=False))
            answer = job.work(turn)
        finally:
            if not job.is_one:
                with suppress(sqlite3.Error):
                    connection.execute("ROLLBACK")  # nothing was changed
        job.answer.set_result(answer)


class Writer(Lane):
    """Writes, several pieces of work in one transaction. Never half a piece.

    Args:
        clock: Of the store.
        written: Told of each commit, with the executions whose streams were added to.

    """

    def __init__(
        self,
        path: Path,
        open_: Callable[[], sqlite3.Connection],
        clock: Clock,
        written: Callable[[set[int]], None],
    ) -> None:
        self._clock = clock
        self._written = written
        super().__init__("executions-writer", path, open_)

    def _next(self) -> list[_Job] | None:
        job = self._jobs.get()
        if job is None:
            return None
        jobs = [job]
        while len(jobs) < _MOST_AT_ONCE:
            try:
                job = self._jobs.get_nowait()
            except queue.Empty:
                break
            if job is None:
                self._jobs.put(None)  # after these
                break
            jobs.append(job)
        return jobs

    def _serve(self, jobs: list[_Job]) -> None:
        if len(jobs) > 1:
            try:
                self._transact(jobs)
            except sqlite3.Error as error:
                if _code(error) == sqlite3.SQLITE_BUSY:
                    # All were waited for at once; waiting again for each would take for ever.
                    for job in jobs:
                        job.answer.set_exception(in_words(error, self._path))
                    return
            except Exception:  # noqa: BLE001, S110 - it is met again by itself
                pass
            else:
                return
            # One of them spoiled it for all: each by itself, then.
        super()._serve(jobs)

    def _transact(self, jobs: list[_Job]) -> None:
        connection = self._opened()
        connection.execute("BEGIN IMMEDIATE")
        answers: list[tuple[Any, Exception | None]] = []
        try:
            turn = Turn(connection, self._clock.now(connection, may_write=True))
            answers.extend(self._try(job, turn) for job in jobs)
            connection.execute("COMMIT")
        except BaseException:
            with suppress(sqlite3.Error):
                connection.execute("ROLLBACK")
            raise
        for job, (answer, refusal) in zip(jobs, answers, strict=True):
            if refusal is None:
                job.answer.set_result(answer)
            else:
                job.answer.set_exception(refusal)
        self._written(turn.streams)

    @staticmethod
    def _try(job: _Job, turn: Turn) -> tuple[Any, Exception | None]:
        changes = turn.connection.total_changes
        try:
            return job.work(turn), None
        except sqlite3.Error:
            raise
        except Exception as refusal:
            if turn.connection.total_changes != changes:
                raise _HalfDoneError from refusal
            return None, refusal


class Syncing:
    """Has the disk keep what was written, once a second while anything is written.

    A process that is killed loses nothing of what SQLite wrote; a machine that loses its power
    may. Waiting for the disk at each commit would make a store a hundred times slower, so that
    up to the last second may be lost then, as with a Redis that appends to a file.
    """

    def __init__(self, path: Path) -> None:
        self._log = path.with_name(path.name + "-wal")
        self._dirty = threading.Event()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="executions-sync", daemon=True)
        self._thread.start()

    def note(self) -> None:
        """Say that something was written."""
        self._dirty.set()

    def close(self) -> None:
        """Stop, after a last time."""
        self._stop.set()
        self._dirty.set()

    def _run(self) -> None:
        stopped = False
        while not stopped:
            self._dirty.wait()
            stopped = self._stop.wait(_SYNC_EVERY_S)
            self._dirty.clear()
            with suppress(OSError):  # gone: it was written into the file itself
                descriptor = os.open(self._log, os.O_RDWR)
                try:
                    os.fsync(descriptor)
                finally:
                    os.close(descriptor)
