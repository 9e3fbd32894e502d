"""An execution watched: over broken connections, on whichever replica answers, without a gap."""

from __future__ import annotations

import random
import time
from typing import TYPE_CHECKING, Any

from inspector.hayhooks.client.address import path_of
from inspector.hayhooks.client.line import Line
from inspector.hayhooks.client.model import Execution, HayhooksError, StreamEvent, StreamKind
from inspector.hayhooks.client.reading import number, odd, parsed, read_execution, word
from inspector.hayhooks.client.refusal import refusal
from inspector.hayhooks.client.sse import EventParser, SentEvent, TooLongError
from inspector.hayhooks.client.wire import Answer

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator

    from inspector.hayhooks.client.client import HayhooksClient
    from inspector.hayhooks.client.wire import Wire

_TICK_S = 0.2
_SILENCE_S = 45.0  # a server with nothing to tell says so every fifteen seconds
_FIRST_PAUSE_S = 0.25
_LONGEST_PAUSE_S = 15.0
_POLL_S = 6.0  # how long an answer to a question beside the stream may take
_LONGEST_ID = 100
# What may be over soon. Anything else stays as it is, however often one asks.
_PASSING = frozenset({"down", "degraded", "busy"})
_LAST: dict[str, StreamKind] = {
    "completed": "completed", "failed": "failed", "canceled": "canceled",
}  # fmt: skip


class _BrokenError(Exception):
    """The stream ended before the execution did."""


class Watch:
    """One execution being watched, by one thread."""

    def __init__(
        self,
        client: HayhooksClient,
        deployment: str,
        execution: str,
        last_event_id: str | None,
        last_attempt: int | None,
        *,
        stopped: Callable[[], bool],
        reconnect: bool,
        poll_s: float | None,
    ) -> None:
        self._client = client
        self._deployment = deployment
        self._execution = execution
        self._stopped = stopped
        self._reconnect = reconnect
        self._poll_s = poll_s
        self._last_id = last_event_id
        self._attempt = last_attempt
        self._shown: tuple[Any, ...] | None = None  # of the execution, as last told
        self._over: Execution | None = None  # said to be over, though the stream goes on
        self._attached = False
        self._broken = 0  # connections in a row that told nothing new

    def events(self) -> Iterator[StreamEvent]:
        """Yield events until the execution is over, or there is no use in going on.

        Raises:
            HayhooksError: It cannot be attached to in the first place.

        """
        while not self._stopped():
            problem = yield from self._connected()
            if problem is None:
                return
            if self._attached and not self._reconnect:
                yield self._event("error", problem)
                return
            self._broken += 1
            if self._attached:
                yield self._event("reconnecting", problem)
            self._pause()

    def _connected(self) -> Generator[StreamEvent, None, str | None]:
        """Yield what one connection tells; return why to try another, None when that is all."""
        wires = self._client.wires()
        try:
            # Where it broke, the next address is tried first.
            for event in self._of_one_connection(wires[self._broken % len(wires)]):
                if event.kind != "attached":
                    self._broken = 0
                yield event
        except _BrokenError as error:
            return None if self._stopped() else str(error)
        except HayhooksError as error:
            if self._stopped():
                return None
            # Each address once, before it is said that it cannot be attached to.
            if error.kind in _PASSING and (self._attached or self._broken + 1 < len(wires)):
                return str(error)
            if not self._attached:
                raise
            yield self._event("error", str(error))
        return None

    def _of_one_connection(self, wire: Wire) -> Iterator[StreamEvent]:
        headers = {**self._client.owner_headers(), "Accept": "text/event-stream"}
        if self._last_id is not None:
            headers["Last-Event-ID"] = self._last_id
        path = path_of(self._deployment, execution=self._execution)
        with wire.opened(f"{path}/stream", headers) as (response, sock):
            if response.status != 200:
                told = {key.lower(): value for key, value in response.headers.items()}
                answer = Answer(response.status, told, wire.read_all(response), wire.url)
                raise refusal(answer, wire.name, f"execution {self._execution[:40]}")
            kind = (response.headers.get("content-type") or "").lower()
            if not kind.startswith("text/event-stream"):
                raise odd(f"{wire.name} answers with something else than a stream.")
            self._client.prefer(wire)
            sock.settimeout(_SILENCE_S)
            line = Line(response, sock)
            try:
                yield from self._attached_events(wire)
                yield from self._told(line, wire)
            finally:
                line.hang_up()

    def _attached_events(self, wire: Wire) -> Iterator[StreamEvent]:
        # Asked after the stream was opened: what happens from now on comes through it.
        execution = self._inspected(wire, None)
        began_late = self._last_id is None and execution.row.attempt > 0
        self._attached = True
        self._shown = _visible(execution)
        yield self._event(
            "attached", {"late": began_late}, execution=execution, attempt=execution.row.attempt,
            url=wire.url,
        )  # fmt: skip
        yield from self._new_attempt(execution.row.attempt, wire)

    def _told(self, line: Line, wire: Wire) -> Iterator[StreamEvent]:
        parser = EventParser()
        polled_at = time.monotonic()
        while not self._stopped():
            piece = line.next(_TICK_S)
            if piece is None:
                raise _BrokenError(f"The connection to {wire.name} ended.")
            try:
                sent = parser.feed(piece) if piece else []
            except TooLongError as error:
                raise odd(f"{wire.name} sends an event that is too large.") from error
            for one in sent:
                for event in self._read(one, wire):
                    yield event
                    if event.is_last:
                        return
            if self._poll_s is not None and time.monotonic() - polled_at >= self._poll_s:
                for event in self._polled(wire):
                    yield event
                    if event.is_last:
                        return
                polled_at = time.monotonic()

    def _read(self, sent: SentEvent, wire: Wire) -> Iterator[StreamEvent]:
        if sent.kind == "chunk":
            yield from self._chunk(sent, wire)
        elif sent.kind == "gap":
            self._last_id = None
            yield self._event("gap", self._detail(sent), url=wire.url)
        elif sent.kind == "error":
            raise _BrokenError(self._detail(sent) or f"{wire.name} broke the stream off.")
        elif sent.kind in _LAST:
            execution = self._client.with_kind(read_execution(parsed(sent.data), self._deployment))
            if execution.row.id != self._execution:
                raise odd(f"{wire.name} tells of another execution.")
            yield from self._new_attempt(execution.row.attempt, wire)
            yield self._last(execution, wire)

    def _chunk(self, sent: SentEvent, wire: Wire) -> Iterator[StreamEvent]:
        tree = parsed(sent.data)
        if not isinstance(tree, dict):
            raise odd(f"{wire.name} sends a chunk that is none.")
        attempt = number(tree.get("attempt")) or self._attempt
        if attempt:
            yield from self._new_attempt(attempt, wire)
        if 0 < len(sent.id) <= _LONGEST_ID and sent.id.isascii() and sent.id.isprintable():
            self._last_id = sent.id
        yield StreamEvent(
            sent.id or None, "chunk", attempt, tree.get("payload"), time.time_ns(), None, wire.url
        )

    def _new_attempt(self, attempt: int, wire: Wire) -> Iterator[StreamEvent]:
        before, self._attempt = self._attempt, max(attempt, self._attempt or 0)
        if before and attempt > before:
            yield self._event("attempt", attempt=attempt, url=wire.url)

    def _polled(self, wire: Wire) -> Iterator[StreamEvent]:
        try:
            execution = self._inspected(wire, _POLL_S)
        except HayhooksError:
            return  # the stream itself will tell when it is no good any more
        yield from self._new_attempt(execution.row.attempt, wire)
        if execution.row.status.is_over:
            if self._over is not None:  # it had its time to say so itself
                yield self._last(execution, wire)
            self._over = execution
        elif _visible(execution) != self._shown:
            self._shown = _visible(execution)
            yield self._event("status", execution=execution, url=wire.url)

    def _inspected(self, wire: Wire, timeout_s: float | None) -> Execution:
        path = path_of(self._deployment, execution=self._execution)
        headers = self._client.owner_headers()
        answer = wire.ask("GET", path, headers, timeout_s=timeout_s)
        if answer.status != 200:
            raise refusal(answer, wire.name, f"execution {self._execution[:40]}")
        return self._client.with_kind(read_execution(parsed(answer.data), self._deployment))

    def _last(self, execution: Execution, wire: Wire) -> StreamEvent:
        kind = _LAST.get(execution.row.status)
        if kind is None:
            raise odd(f"{wire.name} ends a stream that is not over.")
        return self._event(kind, execution=execution, url=wire.url)

    def _event(
        self,
        kind: StreamKind,
        payload: Any = None,
        *,
        execution: Execution | None = None,
        attempt: int | None = None,
        url: str = "",
    ) -> StreamEvent:
        which = attempt or (execution.row.attempt if execution else None) or self._attempt
        return StreamEvent(None, kind, which, payload, time.time_ns(), execution, url)

    def _detail(self, sent: SentEvent) -> str:
        try:
            tree = parsed(sent.data)
        except HayhooksError:
            return ""
        return word(tree.get("detail")) if isinstance(tree, dict) else ""

    def _pause(self) -> None:
        """Wait before asking again: not at all for another address, then longer and longer."""
        addresses = len(self._client.wires())
        rounds = (self._broken - 1) // addresses
        if self._broken % addresses and rounds == 0:
            return
        longest = min(_LONGEST_PAUSE_S, _FIRST_PAUSE_S * 2 ** min(rounds, 10))
        until = time.monotonic() + random.uniform(longest / 2, longest)  # noqa: S311 - no secret
        while not self._stopped() and (left := until - time.monotonic()) > 0:
            time.sleep(min(_TICK_S, left))


def _visible(execution: Execution) -> tuple[Any, ...]:
    """Return what of an execution a person would notice; leases are renewed all the time."""
    row = execution.row
    return (
        row.status, row.attempt, row.cancellation_pending, execution.waiting, execution.progress,
    )  # fmt: skip
