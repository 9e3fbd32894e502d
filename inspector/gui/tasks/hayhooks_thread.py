"""Watches one execution on a thread of its own.

The thread touches nothing of Qt. What comes waits in a queue of bounded length until the
window's thread takes it: a server that floods waits for the window, never the other way round.
"""

import random
import threading
from collections import deque
from typing import TYPE_CHECKING

from inspector.errors import InspectorError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from inspector.hayhooks.client.client import HayhooksClient
    from inspector.hayhooks.client.model import StreamEvent

_MOST_WAITING = 5_000
_LOOK_S = 0.02
_FIRST_PAUSE_S = 0.5
_LONGEST_PAUSE_S = 30.0
_PASSING = frozenset({"down", "degraded", "busy"})
_POLL_S = 1.0


class Trouble:
    """The server could not be asked; `for_good` when it is not asked again."""

    __slots__ = ("error", "for_good")

    def __init__(self, error: Exception, *, for_good: bool) -> None:
        self.error = error
        self.for_good = for_good


class Past:
    """What was seen of an execution before."""

    __slots__ = ("events",)

    def __init__(self, events: "tuple[StreamEvent, ...]") -> None:
        self.events = events


class WatchThread:
    """Attaches to an execution, again and again while its server is away.

    Args:
        client: Asks the server; it is this thread's alone, and closed with it.
        deployment: What runs.
        execution: Which.
        recall: Returns what was seen of it before.
        note: Keeps what comes, before the window sees it.

    """

    def __init__(
        self,
        client: "HayhooksClient",
        deployment: str,
        execution: str,
        *,
        recall: "Callable[[], Iterable[StreamEvent]]",
        note: "Callable[[StreamEvent], None]",
    ) -> None:
        self._client = client
        self._deployment = deployment
        self._execution = execution
        self._recall = recall
        self._note = note
        self._events: deque[StreamEvent | Trouble | Past] = deque()
        self._stopped = threading.Event()
        self._again = threading.Event()  # somebody does not want to wait for the next try
        self._last_id: str | None = None
        self._last_attempt: int | None = None
        self._thread = threading.Thread(target=self._work, name="inspector-watching", daemon=True)

    def start(self) -> None:
        """Begin; returns at once."""
        self._thread.start()

    @property
    def is_over(self) -> bool:
        """Whether the thread has come to its end, and everything it said was taken."""
        return not self._thread.is_alive() and not self._events

    def take(self, most: int) -> "list[StreamEvent | Trouble | Past]":
        """Return up to so many of the things that have come; never waits."""
        taken: list[StreamEvent | Trouble | Past] = []
        while self._events and len(taken) < most:
            taken.append(self._events.popleft())
        return taken

    def hurry(self) -> None:
        """Ask the server now, where the next try would be later."""
        self._again.set()

    def stop(self) -> None:
        """End the stream at once; never waits."""
        self._stopped.set()
        self._again.set()
        self._client.close()

    def join(self, timeout_s: float | None = None) -> None:
        """Wait until the thread has come to its end."""
        if self._thread.ident is not None:
            self._thread.join(timeout_s)

    # On the thread

    def _work(self) -> None:
        try:
            self._begin()
            self._watch()
        except Exception as error:  # noqa: BLE001 - handed to the window
            if not self._stopped.is_set():
                self._put(Trouble(error, for_good=True))
        finally:
            self._client.close()

    def _begin(self) -> None:
        try:
            past = tuple(self._recall())
        except InspectorError:
            return  # the cache is of use, not of need
        if past:
            self._put(Past(past))
            for event in past:
                self._remember(event)

    def _watch(self) -> None:
        from inspector.hayhooks.client.model import HayhooksError

        pause = _FIRST_PAUSE_S
        while not self._stopped.is_set():
            try:
                for event in self._client.stream(
                    self._deployment,
                    self._execution,
                    last_event_id=self._last_id,
                    last_attempt=self._last_attempt,
                    cancelled=self._stopped.is_set,
                    poll_s=_POLL_S,
                ):
                    pause = _FIRST_PAUSE_S
                    self._remember(event)
                    self._keep(event)
                    self._put(event)
            except HayhooksError as error:
                if self._stopped.is_set():
                    return
                if error.kind == "invalid" and self._last_id is not None:
                    # It was of a stream that the server has forgotten.
                    self._last_id = self._last_attempt = None
                    continue
                for_good = error.kind not in _PASSING
                self._put(Trouble(error, for_good=for_good))
                if for_good:
                    return
                wait = error.retry_after_s or random.uniform(pause / 2, pause)  # noqa: S311
                self._again.wait(min(wait, _LONGEST_PAUSE_S))
                self._again.clear()
                pause = min(2 * pause, _LONGEST_PAUSE_S)
            else:
                return

    def _remember(self, event: "StreamEvent") -> None:
        if event.kind == "chunk" and event.id:
            self._last_id, self._last_attempt = event.id, event.attempt

    def _keep(self, event: "StreamEvent") -> None:
        try:
            self._note(event)
        except InspectorError:
            self._note = _forget  # the cache is of use, not of need

    def _put(self, what: "StreamEvent | Trouble | Past") -> None:
        while len(self._events) >= _MOST_WAITING and not self._stopped.wait(_LOOK_S):
            pass  # the window is behind
        self._events.append(what)


def _forget(_event: "StreamEvent") -> None:
    """Keep nothing."""
