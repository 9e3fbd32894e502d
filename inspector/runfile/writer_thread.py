"""The one thread that writes every run of this process.

Host threads append to a queue and go on: no lock, no hashing, no I/O. The thread looks at
the queue every few hundredths of a second while a run is open and sleeps otherwise, so a
busy host is not woken against for each record.
"""

from __future__ import annotations

import atexit
import os
import sys
import threading
from collections import deque
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any, Protocol

from inspector.runfile.delivery import DELIVERIES

if TYPE_CHECKING:
    from collections.abc import Iterator

TICK_S = 0.04
"""How often records are taken; a journal is never more than 0.1 s behind."""

_LINGER_S = 2.0
_SLICE_S = 0.02
_POLITE_S = 0.045
_CLOSE_S = 30.0
_BETWEEN_CLOCKS = 64

MOST_RECORDS = 1_000_000
"""So many records may wait; a host that makes more loses them, and is told."""

MOST_BYTES = 256 * 2**20
"""So many bytes of text may wait; beyond that, values are left out, and the run says so."""


class Waiting:
    """How much text was handed over and not taken yet, over all runs.

    Host threads add without a lock: now and then one of two additions is lost, which
    does not matter, since the writer sets it to zero whenever it has caught up.
    """

    __slots__ = ("bytes",)

    def __init__(self) -> None:
        self.bytes = 0


class Served(Protocol):
    """What the thread serves: a run that is being written."""

    def failed(self, error: Exception) -> None:
        """Note that a record could not be taken."""
        ...

    def flush(self) -> None:
        """Bring what was taken to where a crash cannot reach it."""
        ...

    def orphan(self) -> None:
        """Stop: this is a forked child, and the run belongs to its parent."""
        ...


class WriterThread:
    """The queue, and the thread behind it, which starts when the first run does."""

    def __init__(self) -> None:
        # A record is the run, what to do with it, and what that needs. Doing it returns an
        # iterator when it is long: the thread goes through it and serves others meanwhile.
        self.queue: deque[tuple[Any, ...]] = deque()
        self.waiting = Waiting()
        self._open: set[Served] = set()
        self._jobs: deque[Iterator[None]] = deque()
        self._registered = False
        self._reset()

    def _reset(self) -> None:
        self._thread: threading.Thread | None = None
        self._wake = threading.Event()
        self._asleep = False
        self._serving = threading.Lock()
        self._starting = threading.Lock()
        self._forked = False
        self._finalized = False
        self._polite_until = 0.0

    # Called by host threads

    def add(self, run: Served) -> None:
        """Serve this run from now on."""
        self._open.add(run)
        if self._thread is None or not self._thread.is_alive():
            self._start()
        elif self._asleep:
            self._wake.set()

    def hurry(self) -> None:
        """Look at the queue now: somebody waits."""
        if self._thread is None or not self._thread.is_alive():
            self._start()
        self._wake.set()
        if self._thread is None:
            # No thread can be started any more; whoever waits does the work.
            self.catch_up()

    @property
    def in_child(self) -> bool:
        """Whether this process was forked, and may end without saying so."""
        return self._forked

    def is_current(self) -> bool:
        """Whether the caller is on the writer's thread."""
        return threading.current_thread() is self._thread

    def close(self) -> None:
        """Write whatever waits, and have it delivered. Called when the interpreter exits."""
        deadline = monotonic() + _CLOSE_S
        while self._pending() and monotonic() < deadline:
            if self._thread is not None and self._thread.is_alive():
                self._wake.set()
                self._thread.join(TICK_S / 4)
            else:
                self.catch_up()
        if self._serving.acquire(timeout=max(0.0, deadline - monotonic())):
            try:
                self._flush()
            finally:
                self._serving.release()
        DELIVERIES.close()

    def _pending(self) -> bool:
        return bool(self.queue or self._jobs)

    def _start(self) -> None:
        with self._starting:
            if self._thread is not None and self._thread.is_alive():
                return
            if not self._registered:
                self._registered = True
                atexit.register(self.close)
                if hasattr(os, "register_at_fork"):
                    os.register_at_fork(after_in_child=self._after_fork)
            if not self._finalized and _is_worker_process():
                # It ends without running what atexit holds, and cleared what it inherited.
                self._finalized = True
                sys.modules["multiprocessing.util"].Finalize(None, self.close, exitpriority=0)
            thread = threading.Thread(target=self._loop, name="inspector-writer", daemon=True)
            try:
                thread.start()
            except RuntimeError:
                # The interpreter shuts down or the system has no thread left.
                # Records stay in the queue until somebody waits for them.
                self._thread = None
            else:
                self._thread = thread

    def _after_fork(self) -> None:
        # The thread stayed with the parent, which also writes what is in the queue.
        self.queue.clear()
        self._jobs.clear()
        for run in self._open:
            run.orphan()
        self._open = set()
        self.waiting.bytes = 0
        self._reset()
        self._forked = True

    # Called on the thread itself

    def _loop(self) -> None:
        idle_since = monotonic()
        while True:
            busy = bool(self._open or self.queue)
            now = monotonic()
            if busy:
                idle_since = now
            if busy or now - idle_since < _LINGER_S:
                self._wake.wait(TICK_S)
            else:
                self._asleep = True
                if not (self._open or self.queue):
                    self._wake.wait()
                self._asleep = False
            self._wake.clear()
            self.catch_up()

    def catch_up(self) -> None:
        """Take, flush and end whatever waits. On the thread itself, or where there is none."""
        with self._serving:
            self._polite_until = monotonic() + _POLITE_S
            while True:
                more = self._take()
                self._flush()
                self._work()
                if not (more or self._jobs):
                    break

    def _take(self) -> bool:
        """Take records for a while, since a host that never pauses wants its flushes, too."""
        until = monotonic() + TICK_S
        queue, count = self.queue, 0
        try:
            while True:
                record = queue.popleft()
                run: Served = record[0]
                try:
                    job = record[1](record)
                except Exception as error:  # noqa: BLE001 - one bad record must not end all writing
                    run.failed(error)
                    continue
                if job is not None:
                    self._open.discard(run)
                    self._jobs.append(job)
                self._give_way()
                count += 1
                if count % _BETWEEN_CLOCKS == 0 and monotonic() > until:
                    return True
        except IndexError:
            self.waiting.bytes = 0
        return False

    def _give_way(self) -> None:
        """Let a thread of the host have its turn at once.

        The interpreter would let us go on for milliseconds while a thread waits that let go
        of its lock only for a moment. But a host that computes without a pause gives the lock
        back as slowly: so this ends before the file could fall behind.
        """
        if monotonic() < self._polite_until:
            sleep(0)

    def _flush(self) -> None:
        for run in tuple(self._open):
            try:
                run.flush()
            except Exception as error:  # noqa: BLE001 - the other runs are not at fault
                run.failed(error)

    def _work(self) -> None:
        """Go on with the runs that end, a slice at a time, so that others are not late."""
        until = monotonic() + _SLICE_S
        while self._jobs and monotonic() < until:
            try:
                next(self._jobs[0])
                self._give_way()
            except StopIteration:
                self._jobs.popleft()


def _is_worker_process() -> bool:
    """Whether `multiprocessing` made this process."""
    module = sys.modules.get("multiprocessing.process")
    return module is not None and module.parent_process() is not None


SHARED = WriterThread()
"""Serves all runs of this process."""
