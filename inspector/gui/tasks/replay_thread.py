"""Drives the worker of one replay on a thread of its own.

The thread touches nothing of Qt. What it has to say waits in a queue of bounded length until
the window's thread takes it, a few events at a time: a worker that floods waits for the window,
never the other way round.
"""

import threading
from collections import deque
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from inspector.errors import InspectorError

if TYPE_CHECKING:
    from inspector.replay.host import Worker
    from inspector.replay.limits import Limits
    from inspector.replay.protocol import Job
    from inspector.runfile.model import PipelineRun

_MOST_WAITING = 20_000
_LOOK_S = 0.02


class Order(NamedTuple):
    """What a worker is to do, and where."""

    recording: "PipelineRun"
    job: "Job"
    python: Path | None
    directory: Path | None
    limits: "Limits | None"
    environment: Mapping[str, str]
    timing: Mapping[str, float]  # how long `Worker` waits for what, where not as usual

    def __repr__(self) -> str:
        """Say what is to be done, without the environment: it may hold keys."""
        return f"Order({self.job.target!r}, {self.job.run!r})"


class Left(NamedTuple):
    """What there is once a replay is over."""

    run: "PipelineRun | None" = None
    error: Exception | None = None  # why it did not come to its end, or left no run


class ReplayThread:
    """Starts a worker, listens to it, and reads what it has left.

    `rows` are those of the recording by path, once they are known, which is before any event.
    `left` is there when nothing more will come.
    """

    def __init__(self, order: Order) -> None:
        self._order = order
        # Not a `Queue`: the window would wait for its lock whenever this thread, while it holds
        # it, is not let run. Both ends of a deque are safe without one.
        self._events: deque[dict[str, Any]] = deque()
        self._lock = threading.Lock()
        self._worker: Worker | None = None
        self._pending: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = []
        self._killed = threading.Event()
        self.rows: Mapping[str, int] | None = None
        self.left: Left | None = None
        self._thread = threading.Thread(target=self._work, name="inspector-replaying", daemon=True)

    def start(self) -> None:
        """Begin; returns at once."""
        self._thread.start()

    @property
    def is_over(self) -> bool:
        """Whether the thread has come to its end, and everything it said was taken."""
        return not self._thread.is_alive() and not self._events

    @property
    def was_killed(self) -> bool:
        return self._killed.is_set()

    @property
    def last_words(self) -> str:
        """The end of what the worker printed so far."""
        worker = self._worker
        return "" if worker is None else worker.last_words

    def take(self, most: int) -> list[dict[str, Any]]:
        """Return up to so many events that have come; never waits."""
        taken: list[dict[str, Any]] = []
        while self._events and len(taken) < most:
            taken.append(self._events.popleft())
        return taken

    def tell(self, command: str, *words: Any, **fields: Any) -> None:
        """Have a method of the worker called, at once or as soon as there is one; never waits.

        Raises:
            ReplayError: What is said cannot be passed on.

        """
        with self._lock:
            if self._worker is None:
                self._pending.append((command, words, fields))
            else:
                getattr(self._worker, command)(*words, **fields)

    def kill(self) -> None:
        """End the worker at once, and the thread with it; never waits."""
        self._killed.set()
        with self._lock:
            worker = self._worker
        if worker is not None:
            worker.kill()

    def join(self) -> None:
        """Wait until the thread has come to its end."""
        self._thread.join()

    # On the thread

    def _work(self) -> None:
        try:
            self.left = self._left()
        except Exception as error:  # noqa: BLE001 - handed to the window
            self.left = Left(None, error)

    def _left(self) -> Left:
        from inspector.replay.host import Worker
        from inspector.runfile.totals import rows_by_path

        order = self._order
        self.rows = rows_by_path(order.recording)
        worker = Worker(
            self._job(), python=order.python, directory=order.directory, limits=order.limits,
            environment=order.environment, **order.timing,
        )  # fmt: skip
        with worker:
            self._hand_over(worker)
            for event in worker.events():
                self._put(event)
        if not (worker.finished or {}).get("run"):
            return Left()
        try:
            return Left(worker.run())
        except InspectorError as error:
            return Left(None, error)

    def _job(self) -> "Job":
        """Return the job with the file to replay, or one of our own where there is none.

        Raises:
            RunFileError: What the window shows is not in the file any more, and nowhere else.

        """
        from dataclasses import replace

        from inspector.errors import RunFileError

        job = self._order.job
        if job.run and self._is_still_at(Path(job.run)):
            return job
        if job.run and str(job.mode) == "record_new":
            raise RunFileError(
                f"{Path(job.run).name} is another file than when it was opened.",
                hint="Open it again: what is new would be added to another recording.",
            )
        place = Path(job.output).with_suffix(".recorded.json")
        self._order.recording.save(place)
        return replace(job, run=str(place))

    def _is_still_at(self, path: Path) -> bool:
        """Say whether a file holds what the window shows: it may have been recorded anew."""
        from inspector.runfile.load import load_run
        from inspector.runfile.source import FileSource

        recording = self._order.recording
        source = recording.parts.source
        if isinstance(source, FileSource):
            return source.is_at(path)
        try:  # what was unpacked is in memory, and there is no file to look at
            return load_run(path).id == recording.id
        except InspectorError:
            return False

    def _hand_over(self, worker: "Worker") -> None:
        """Pass on what was said before there was a worker."""
        # With the lock, so that nothing said meanwhile comes before it: a breakpoint that was
        # taken away would else be set again. No command of a worker waits for anything.
        with self._lock:
            for command, words, fields in self._pending:
                try:
                    getattr(worker, command)(*words, **fields)
                except InspectorError as error:
                    self._put({"event": "refused", "message": str(error), "hint": error.hint})
            self._pending.clear()
            self._worker = worker
        if self._killed.is_set():
            worker.kill()

    def _put(self, event: dict[str, Any]) -> None:
        while len(self._events) >= _MOST_WAITING and not self._killed.wait(_LOOK_S):
            pass  # the window is behind
        self._events.append(event)
