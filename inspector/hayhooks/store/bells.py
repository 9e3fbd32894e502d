"""Those who wait for a stream, on whatever event loop, and how they are woken."""

from __future__ import annotations

import asyncio
import threading
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator

# A look costs microseconds, and nobody looks while nobody waits.
_LOOK_EVERY_S = 0.05


class Bells:
    """Wakes who waits for an execution's stream, whoever adds to it.

    This process says so itself (`ring`). What another one adds is found by `look`: SQLite tells
    cheaply whether anything was changed at all, and chunks are numbered through all streams.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: dict[int, set[tuple[asyncio.AbstractEventLoop, asyncio.Event]]] = {}
        self._seen: tuple[sqlite3.Connection, int] | None = None
        self._seen_number = 0

    def looked_for_every_s(self) -> float | None:
        """Return how often to look; None while nobody waits."""
        return _LOOK_EVERY_S if self._waiting else None

    @contextmanager
    def listening(self, execution: int) -> Iterator[asyncio.Event]:
        """Give an event of this loop that is set when the stream of `execution` grows."""
        place = (asyncio.get_running_loop(), asyncio.Event())
        with self._lock:
            self._waiting.setdefault(execution, set()).add(place)
        try:
            yield place[1]
        finally:
            with self._lock:
                places = self._waiting[execution]
                places.discard(place)
                if not places:
                    del self._waiting[execution]

    def ring(self, executions: Iterable[int]) -> None:
        """Wake who waits for one of `executions`. From any thread."""
        with self._lock:
            places = [
                place for execution in executions for place in self._waiting.get(execution, ())
            ]
        for loop, event in places:
            with suppress(RuntimeError):  # its loop was closed
                loop.call_soon_threadsafe(event.set)

    def look(self, connection: sqlite3.Connection) -> None:
        """Wake those whose streams have grown since the last look. On the reader's thread."""
        (version,) = connection.execute("PRAGMA data_version").fetchone()
        if self._seen is None or self._seen[0] is not connection:
            # The number means something to its own connection only.
            (last,) = connection.execute("SELECT max(number) FROM chunk").fetchone()
            self._seen, self._seen_number = (connection, version), last or 0
            with self._lock:
                everybody = tuple(self._waiting)
            self.ring(everybody)
            return
        if version == self._seen[1]:
            return
        grown = connection.execute(
            "SELECT execution, max(number) FROM chunk WHERE number > ? GROUP BY execution",
            (self._seen_number,),
        ).fetchall()
        self._seen = (connection, version)
        if grown:
            self._seen_number = max(number for _, number in grown)
            self.ring(execution for execution, _ in grown)
