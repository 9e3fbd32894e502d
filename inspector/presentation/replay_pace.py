"""Shows a replay at a multiple of the speed at which the recording went.

A worker answers a call that took seconds in no time. Here each event waits until the recording
would have come to it, so that one can watch.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

from inspector.runfile.table import NO_END

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from inspector.runfile.table import SpanTable

PACES: tuple[float | None, ...] = (0.5, 1.0, 2.0, 10.0, None)
"""Times the recorded speed; None is at once."""

_SECOND = 1_000_000_000
_LONGEST_WAIT_S = 2.0
"""Nobody watches an approval that took two hours."""

MOST_WAITING = 50_000


def pace_words(pace: float | None) -> str:
    """Return a speed as it stands on a button."""
    if pace is None:
        return "At once"
    return "½×" if pace == 0.5 else f"{pace:g}×"


class Pacer:
    """Holds events back until it is their time. Times of day are in seconds, from any clock."""

    def __init__(self, table: SpanTable, rows: Mapping[str, int]) -> None:
        self._table = table
        self._rows = rows
        self._row_of: dict[str, int] = {}  # of spans of the replay, by id
        self._waiting: deque[tuple[Mapping[str, Any], int]] = deque()
        self._speed: float | None = None
        self._held = False
        self._latest = 0  # when the last of them is due
        self._at_ns = 0  # where the recording would be
        self._since: float | None = None  # when it was there

    @property
    def speed(self) -> float | None:
        return self._speed

    @property
    def held(self) -> bool:
        """Whether nothing is let through for now."""
        return self._held

    @property
    def waiting(self) -> int:
        """How many events wait."""
        return len(self._waiting)

    def set_speed(self, speed: float | None) -> None:
        """Go on at another speed; None is at once."""
        self._speed = speed
        self._since = None

    def hold(self, held: bool) -> None:
        """Let nothing through for now, or go on."""
        self._held = held
        self._since = None

    def put(self, events: Iterable[Mapping[str, Any]]) -> None:
        """Take events, in the order in which they came."""
        for event in events:
            self._latest = max(self._latest, self._due(event))
            self._waiting.append((event, self._latest))

    def take(self, now: float, most: int) -> list[Mapping[str, Any]]:
        """Return up to so many events whose time has come."""
        taken: list[Mapping[str, Any]] = []
        if self._held or not self._waiting:
            self._since = None  # nothing goes by while there is nothing to show
            return taken
        if self._speed is not None:
            self._advance(now, self._speed)
        while self._waiting and len(taken) < most:
            event, due = self._waiting[0]
            if self._speed is None:
                self._at_ns = max(self._at_ns, due)
            elif due > self._at_ns:
                break
            taken.append(event)
            self._waiting.popleft()
        return taken

    def _advance(self, now: float, speed: float) -> None:
        if self._since is not None:
            self._at_ns += round((now - self._since) * speed * _SECOND)
        self._since = now
        due = self._waiting[0][1]
        # Long waits are cut short, and where the replay was late nothing is caught up with.
        self._at_ns = max(self._at_ns, due - round(_LONGEST_WAIT_S * speed * _SECOND))
        self._at_ns = min(self._at_ns, self._latest)

    def _due(self, event: Mapping[str, Any]) -> int:
        """Return when the recording came to this; what it does not know comes at once."""
        span_id = str(event.get("id"))
        match event.get("event"):
            case "began":
                row = self._rows.get(str(event.get("path") or ""))
                if row is None:
                    return 0
                self._row_of[span_id] = row
                return self._table.start_ns[row]
            case "ended":
                row = self._row_of.pop(span_id, None)
                end = NO_END if row is None else self._table.end_ns[row]
                return 0 if end == NO_END else end
            case _:
                return 0
