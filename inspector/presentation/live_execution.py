"""An execution that is being watched: everything that is known of it so far."""

from collections.abc import Iterable
from dataclasses import replace
from enum import StrEnum
from typing import Any

from inspector.errors import InspectorError
from inspector.hayhooks.client.model import Execution, ExecutionStatus, StreamEvent
from inspector.presentation.chunk_text import AttemptText
from inspector.presentation.execution_story import UNNUMBERED, Sighting, Story, sighting, story
from inspector.presentation.execution_words import Witness
from inspector.presentation.visible import one_line

# What comes right after attaching, one on the heels of the other, was kept by the server.
_HEELS_NS = 250_000_000
_RECENT_NS = 5_000_000_000  # a lease is longer: whoever changed it so lately was alive
_MOST_IDS = 200_000
_MOST_SIGHTINGS = 2_000
_MOST_DELAYS = 50
_USUAL_NS = 3_000_000_000  # between a change and our seeing it


class Connection(StrEnum):
    """How we stand to the server of an execution."""

    CONNECTING = "connecting"
    ATTACHED = "attached"
    RECONNECTING = "reconnecting"
    OVER = "over"  # nothing more will come
    REFUSED = "refused"  # nothing will come, though there may be something


class LiveExecution:
    """Takes the events of a stream, in order, and knows what they come to.

    Events that an earlier window kept are taken first, with `take_past`.
    """

    def __init__(self) -> None:
        self.execution: Execution | None = None
        self.connection = Connection.CONNECTING
        self.problem = ""
        self.hint = ""
        self.url = ""
        self.chunks = 0
        self._attempts: dict[int, AttemptText] = {}
        self._signs: dict[int, tuple[int, int]] = {}
        self._sightings: list[Sighting] = []
        self._ids: set[str] = set()
        self._came_ns = 0  # when we attached, or the last chunk came
        self._is_catching_up = False
        self._replayed = 0
        self._was_late = False
        self._gaps = 0
        self._delays: list[int] = []
        self._kind = self._revision = ""

    @property
    def attempts(self) -> tuple[AttemptText, ...]:
        """What each attempt streamed, in order; only those of which anything was seen."""
        return tuple(self._attempts[number] for number in sorted(self._attempts))

    @property
    def attempt(self) -> int:
        """The newest attempt, whether or not anything was streamed in it."""
        known = self.execution.row.attempt if self.execution is not None else 0
        return max([known, *self._attempts], default=0)

    @property
    def is_stale(self) -> bool:
        """Whether what is shown may have been overtaken."""
        return self.connection in (Connection.CONNECTING, Connection.RECONNECTING)

    @property
    def witness(self) -> Witness:
        """What of its stream was seen."""
        ended = self.problem if self.connection is Connection.REFUSED else ""
        first = min(self._attempts, default=0)
        return Witness(self._replayed, self._was_late, first, self._gaps, ended)

    def story(self, now_ns: int) -> Story | None:
        """Tell what became of it over time; None before anything is known."""
        if self.execution is None:
            return None
        ahead = self.clock_ahead_ns
        looks = [_by_their_clock(look, ahead) for look in self._sightings]
        signs = {
            number: (first - ahead, last - ahead) for number, (first, last) in self._signs.items()
        }
        return story(self.execution, looks, signs, now_ns=now_ns - ahead, is_stale=self.is_stale)

    @property
    def clock_ahead_ns(self) -> int:
        """How far our clock is ahead of the server's, as far as that was noticed.

        A change that comes while we are attached is seen within a second or so of when the
        server says it was.
        """
        noticed = min(self._delays, default=0)
        if noticed < 0:
            return noticed
        # One alone may just have been seen late, such as after the machine slept.
        return noticed if len(self._delays) > 1 and noticed >= _USUAL_NS else 0

    def know(self, kind: str, revision: str) -> None:
        """Take note of what only lists say; empty words say nothing."""
        self._kind = kind or self._kind
        self._revision = revision or self._revision

    def take_past(self, events: Iterable[StreamEvent]) -> None:
        """Take what was seen before, in another window or before a restart."""
        for event in events:
            if event.kind == "chunk":
                self._take_chunk(event, replayed=False)
            self._gaps += event.kind == "gap"
            if event.kind == "status":
                self._recall(event)
            if event.execution is not None:
                self._look_at(event.execution, event.at_ns)

    def take(self, event: StreamEvent) -> None:
        """Take what just came."""
        if event.url:
            self.url = event.url
        match event.kind:
            case "attached":
                self._attach(event)
            case "chunk":
                self._is_catching_up &= event.at_ns - self._came_ns < _HEELS_NS
                self._came_ns = event.at_ns
                self._take_chunk(event, replayed=self._is_catching_up)
            case "gap":
                self._gaps += 1
            case "reconnecting":
                self._break(event.payload)
            case "error":
                self.connection = Connection.REFUSED
                self.problem = _words(event.payload)
        if event.execution is not None:
            self._look_at(event.execution, event.at_ns)
        if event.is_last:
            self.connection, self.problem, self.hint = Connection.OVER, "", ""

    def refuse(self, error: InspectorError, *, for_good: bool) -> None:
        """Take note that the server could not be asked, now or ever."""
        self.connection = Connection.REFUSED if for_good else Connection.RECONNECTING
        self.problem, self.hint = one_line(str(error)), one_line(error.hint)

    def see(self, execution: Execution, at_ns: int) -> None:
        """Take what an answer to something else says, such as to a cancel."""
        self._look_at(execution, at_ns)

    def _compare_clocks(self, known: Execution | None, execution: Execution, at_ns: int) -> None:
        delay = at_ns - execution.row.updated_at_ns
        was_there = self.connection is Connection.ATTACHED and known is not None
        is_new = known is not None and execution.sequence > known.sequence
        # What is told before it happened shows the clocks whenever we came.
        if delay < 0 or (was_there and is_new):
            self._delays.append(delay)
            del self._delays[:-_MOST_DELAYS]

    def _attach(self, event: StreamEvent) -> None:
        late = isinstance(event.payload, dict) and event.payload.get("late") is True
        if not self._came_ns:
            self._was_late = late and not self._ids
        # After a break, too, what was said meanwhile comes at once.
        self._came_ns, self._is_catching_up = event.at_ns, late or bool(self._came_ns)
        self.connection, self.problem, self.hint = Connection.ATTACHED, "", ""

    def _break(self, payload: Any) -> None:
        self.connection = Connection.RECONNECTING
        self.problem = _words(payload)

    def _recall(self, event: StreamEvent) -> None:
        """Take note of how it was once seen to stand, by our clock."""
        told = event.payload if isinstance(event.payload, dict) else {}
        status, attempt = told.get("status"), told.get("attempt")
        if isinstance(status, str) and status in set(ExecutionStatus) and isinstance(attempt, int):
            self._sightings.append(
                Sighting(event.at_ns, event.at_ns, UNNUMBERED, ExecutionStatus(status), attempt)
            )

    def _take_chunk(self, event: StreamEvent, *, replayed: bool) -> None:
        if event.id is not None:
            if event.id in self._ids:
                return
            if len(self._ids) < _MOST_IDS:
                self._ids.add(event.id)
        number = event.attempt or self.attempt or 1
        if number not in self._attempts:
            self._attempts[number] = AttemptText(number)
        self._attempts[number].add(event.payload)
        self.chunks += 1
        self._replayed += replayed
        if event.at_ns and not (replayed and self._is_old(event.at_ns)):
            # When the server kept a chunk for us, nobody says when it was made.
            first, last = self._signs.get(number, (event.at_ns, event.at_ns))
            self._signs[number] = min(first, event.at_ns), max(last, event.at_ns)

    def _is_old(self, at_ns: int) -> bool:
        """Say whether what the server kept may have been said long before it came here."""
        known = self.execution
        return known is None or at_ns - known.row.updated_at_ns > _RECENT_NS

    def _look_at(self, execution: Execution, at_ns: int) -> None:
        known = self.execution
        if known is not None and execution.sequence < known.sequence:
            return
        row = execution.row
        self.know(row.kind, row.revision)
        row = replace(row, kind=self._kind, revision=self._revision)
        execution = replace(execution, row=row)
        look = Sighting(
            execution.row.updated_at_ns, at_ns, execution.sequence, execution.row.status,
            execution.row.attempt, sighting(execution).is_retry,
        )  # fmt: skip
        self._compare_clocks(known, execution, at_ns)
        if self._sightings and self.connection is Connection.ATTACHED:
            # We were there all the time: until now it was as it was.
            before = self._sightings[-1]
            self._sightings[-1] = before._replace(until_ns=max(before.until_ns, at_ns))
        if len(self._sightings) < _MOST_SIGHTINGS:
            self._sightings.append(look)
        self.execution = execution


def _by_their_clock(look: Sighting, ahead_ns: int) -> Sighting:
    at = look.at_ns - (ahead_ns if look.sequence == UNNUMBERED else 0)
    return look._replace(at_ns=at, until_ns=max(at, look.until_ns - ahead_ns))


def _words(payload: Any) -> str:
    return one_line(payload)[:600] if isinstance(payload, str) else ""
