"""The time by which several processes agree on who holds a lease.

The clock on the wall can be set, forward and back, while executions run; a process that
trusted it would take the work of another one away. What all processes of a machine agree on
is how long ago it was started. So the file keeps one pair, "when it was this much after the
start, the wall said that", and everybody counts on from there.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable

_SYSTEM: str = sys.platform
_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
# How much more sleep than is known is worth moving leases for.
_NAP_MS = 1_000
# So often it is written down how late it is, for the time after a restart of the machine.
_NOTED_EVERY_MS = 10_000
_GUESSED = "about "


class Clock(Protocol):
    """Tells the time of a store, in milliseconds, the same to every process that asks."""

    def now(self, connection: sqlite3.Connection, *, may_write: bool) -> int:
        """Return the time. With `may_write`, inside of a transaction that may change the file."""
        ...


class ToldClock:
    """The time is what somebody says it is. For tests."""

    def __init__(self, tell: Callable[[], int]) -> None:
        self._tell = tell

    def now(self, connection: sqlite3.Connection, *, may_write: bool) -> int:  # noqa: ARG002
        return self._tell()


class _Anchor(NamedTuple):
    boot: str
    wall_ms: int
    elapsed_ms: int
    slept_ms: int
    seen_ms: int


class SharedClock:
    """Counts on from what the file says, by the time since the machine was started.

    Setting the clock on the wall changes nothing before the machine starts anew. Even then time
    never runs backwards: it goes on from the latest that was written down. While the machine
    sleeps nobody can renew a lease, so leases do not run out in that time either, where the
    system tells sleep from waking (Linux, macOS).

    Args:
        wall: Milliseconds since 1970.
        elapsed: Milliseconds since the machine was started, sleep included.
        awake: The same without sleep.
        boot: What is another one after each start of the machine.

    """

    def __init__(
        self,
        *,
        wall: Callable[[], int] | None = None,
        elapsed: Callable[[], int] | None = None,
        awake: Callable[[], int] | None = None,
        boot: str | None = None,
    ) -> None:
        self._wall = wall or _wall_ms
        self._elapsed = elapsed or _elapsed_ms
        self._awake = awake or _awake_ms
        self._boot = boot or boot_id()
        # What the file said last. Nobody changes it while the machine runs, where that is known.
        self._known: _Anchor | None = None

    def now(self, connection: sqlite3.Connection, *, may_write: bool) -> int:
        elapsed = self._elapsed()
        if (known := self._known) is not None:
            now = known.wall_ms + elapsed - known.elapsed_ms
            if not may_write or not self._is_news(known, now, self._slept(elapsed)):
                return now
        row = connection.execute(
            "SELECT boot, wall_ms, elapsed_ms, slept_ms, seen_ms FROM clock"
        ).fetchone()
        anchor = None if row is None else _Anchor(*row)
        if anchor is None or anchor.boot != self._boot:
            now = max(self._wall(), anchor.seen_ms if anchor else 0)
            if may_write:
                self._keep(connection, _Anchor(self._boot, now, elapsed, self._slept(elapsed), now))
            return now
        # Only what was read is remembered: what is written may still be taken back.
        self._known = None if self._boot.startswith(_GUESSED) else anchor
        now = anchor.wall_ms + elapsed - anchor.elapsed_ms
        if may_write:
            self._note(connection, anchor, now, self._slept(elapsed))
        return now

    @staticmethod
    def _is_news(anchor: _Anchor, now: int, slept: int) -> bool:
        return slept - anchor.slept_ms > _NAP_MS or now - anchor.seen_ms >= _NOTED_EVERY_MS

    def _slept(self, elapsed: int) -> int:
        return elapsed - self._awake()

    def _note(self, connection: sqlite3.Connection, anchor: _Anchor, now: int, slept: int) -> None:
        if not self._is_news(anchor, now, slept):
            return
        if slept - anchor.slept_ms > _NAP_MS:
            lengthen_leases(connection, slept - anchor.slept_ms)
        else:
            slept = anchor.slept_ms
        self._keep(connection, anchor._replace(slept_ms=slept, seen_ms=now))

    def _keep(self, connection: sqlite3.Connection, anchor: _Anchor) -> None:
        connection.execute("REPLACE INTO clock VALUES (1, ?, ?, ?, ?, ?)", anchor)


def lengthen_leases(connection: sqlite3.Connection, by_ms: int) -> None:
    """Have every lease that is held end `by_ms` later."""
    connection.execute(
        "UPDATE execution SET lease_ms = lease_ms + :by, control = json_set(control, "
        "'$.lease_expires_at_ms', lease_ms + :by) WHERE lease_ms IS NOT NULL",
        {"by": by_ms},
    )


def boot_id() -> str:
    """Return what is another one after each start of the machine."""
    try:
        return _BOOT_ID.read_text(encoding="ascii").strip()
    except (OSError, UnicodeError):
        # To the minute: that the clock on the wall was set then looks like a new start, which
        # costs a jump of the time, forward only.
        return f"{_GUESSED}{(_wall_ms() - _elapsed_ms()) // 60_000}"


def _wall_ms() -> int:
    return time.time_ns() // 1_000_000


def _awake_ms() -> int:
    return time.monotonic_ns() // 1_000_000


def _elapsed_ms() -> int:
    if _SYSTEM == "linux":
        return time.clock_gettime_ns(time.CLOCK_BOOTTIME) // 1_000_000
    if _SYSTEM == "darwin":
        # There, unlike elsewhere, this one goes on while the machine sleeps.
        return time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1_000_000
    return time.monotonic_ns() // 1_000_000
