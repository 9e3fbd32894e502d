"""Watches one execution on a thread of its own.

The thread touches nothing of Qt. What comes waits in a queue of bounded length until the
window's thread takes it: a server that floods waits for the window, never the other way round.
"""

from collections import deque
from typing import TYPE_CHECKING

from inspector.errors import InspectorError
from inspector.gui.tasks.served_thread import ServedThread, Trouble

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from inspector.hayhooks.client.client import HayhooksClient
    from inspector.hayhooks.client.model import StreamEvent

_MOST_WAITING = 5_000
_LOOK_S = 0.02
_PASSING = frozenset({"down", "degraded", "busy"})
_POLL_S = 1.0


class Past:
    """What was seen of an execution before."""

    __slots__ = ("events",)

    def __init__(self, events: "tuple[StreamEvent, ...]") -> None:
        self.events = events


class WatchThread(ServedThread["HayhooksClient"]):
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
        super().__init__(client, "inspector-watching")
        self._deployment = deployment
        self._execution = execution
        self._recall = recall
        self._note = note
        self._events: deque[StreamEvent | Trouble | Past] = deque()
        self._last_id: str | None = None
        self._last_attempt: int | None = None

    def take(self, most: int) -> "list[StreamEvent | Trouble | Past]":
        """Return up to so many of the things that have come; never waits."""
        taken: list[StreamEvent | Trouble | Past] = []
        while self._events and len(taken) < most:
            taken.append(self._events.popleft())
        return taken

    # On the thread

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

        self._begin()
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
                    self._went_well()
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
                if not self._goes_on_after(error, _PASSING):
                    return
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

    def _has_more(self) -> bool:
        return bool(self._events)

    def _put(self, what: "StreamEvent | Trouble | Past") -> None:
        while len(self._events) >= _MOST_WAITING and not self._stopped.wait(_LOOK_S):
            pass  # the window is behind
        self._events.append(what)


def _forget(_event: "StreamEvent") -> None:
    """Keep nothing."""
