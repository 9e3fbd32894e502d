"""Spans told over the stream of an execution, while they happen.

Whoever watches the stream of a server sees the graph move. It is a sketch: no contents, few
events, since each takes a place in the log of chunks that the server keeps (100, unless told
otherwise). The segment has everything.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from inspector.hayhooks.recorder.layout import SCHEMA

if TYPE_CHECKING:
    from inspector.recording.session import LiveSpan

MOST_EVENTS = 60
_LONGEST = 120
_COARSE = frozenset({"component", "llm", "tool", "agent", "step"})
_EACH = 4


class SpanStream:
    """Tells of spans as chunks `{"type": "recorder.span", ...}`; used on the writer's thread.

    Of many spans it tells the first, then every fourth of those that matter most, and at last
    how many it left out. What has started is also told to have ended.

    Args:
        context: The durable context whose stream it is.
        run: The id of the run that all attempts belong to.
        attempt: Which one this is.
        most: How many events one attempt may send.

    """

    def __init__(self, context: Any, run: str, attempt: int, most: int) -> None:
        self._context = context
        self._head = {"type": "recorder.span", "schema": SCHEMA, "run": run, "attempt": attempt}
        self._left = max(0, most - 1)  # one says what was left out
        self._many = most // 2
        self._open: set[str] = set()
        self._passed = 0
        self._left_out = 0
        self._over = False

    def started(self, record: tuple[Any, ...]) -> None:
        """Take the start of a span: `(writer, started, live)`."""
        live: LiveSpan = record[2]
        if self._over or live.id is None:
            return
        if not self._is_told(live):
            self._left_out += 1
            return
        self._open.add(live.id)
        self._left -= 2
        parent = live.parent
        self._send(
            {
                **self._head, "event": "start", "id": live.id,
                "parent": None if parent is None else parent.id, "kind": live.kind,
                "name": live.name[:_LONGEST], "path": live.path[-_LONGEST:],
                "at_ns": live.start_ns,
            }
        )  # fmt: skip

    def ended(self, record: tuple[Any, ...]) -> None:
        """Take the end of a span: `(writer, ended, live)`."""
        live: LiveSpan = record[2]
        if self._over or live.id not in self._open:
            return
        self._open.discard(live.id)
        self._send(
            {**self._head, "event": "end", "id": live.id, "status": live.status,
             "at_ns": live.end_ns}
        )  # fmt: skip
        if live.parent is None and self._left_out:
            told = {**self._head, "type": "recorder.spans", "left_out": self._left_out}
            self._send(told)

    def _is_told(self, live: LiveSpan) -> bool:
        if self._left < 2:
            return False
        if self._left >= self._many:
            return True
        if live.kind not in _COARSE:
            return False
        self._passed += 1
        return self._passed % _EACH == 1

    def _send(self, event: dict[str, Any]) -> None:
        try:
            self._context.stream_chunk_sync(event)
        except Exception:  # noqa: BLE001 - the lease is lost or the attempt over: nobody listens
            self._over = True
