"""Signs of life of an attempt, while nothing else happens in it.

A model may think for a minute, and nothing is written meanwhile. Were its worker killed then,
nobody could tell later for how long it had been at it. So the loop of the runtime, which keeps
the lease alive as well, has a few bytes written now and then.
"""

from __future__ import annotations

from contextlib import suppress
from time import perf_counter_ns
from typing import TYPE_CHECKING

from inspector.hayhooks.recorder.layout import ALIVE
from inspector.runfile.durable import EXTENSION

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop, TimerHandle

    from inspector.recording.session import LiveSpan

FIRST_S = 1.0
_LONGEST_S = 30.0
_SHARE = 0.05  # of how long the attempt has run: so exactly is its end known


class SignsOfLife:
    """Writes down that an attempt goes on.

    Args:
        loop: The loop of the runtime.
        root: The span of the attempt.

    """

    def __init__(self, loop: AbstractEventLoop, root: LiveSpan) -> None:
        self._loop = loop
        self._root = root
        self._timer: TimerHandle | None = None
        self._is_over = False
        loop.call_soon_threadsafe(self._wait, FIRST_S)

    def stop(self) -> None:
        """Write no more of them. From any thread."""
        self._is_over = True
        with suppress(RuntimeError):  # the loop is closed, and its timers are gone
            self._loop.call_soon_threadsafe(self._cancel)

    def _cancel(self) -> None:
        if self._timer is not None:
            self._timer.cancel()

    def _wait(self, delay_s: float) -> None:
        if not self._is_over:
            self._timer = self._loop.call_later(delay_s, self._beat)

    def _beat(self) -> None:
        root = self._root
        if self._is_over or root.end_ns is not None:
            return
        now_ns = perf_counter_ns() - root.recording.zero_ns
        root.put("extensions", {EXTENSION: {ALIVE: now_ns}})
        elapsed_s = (now_ns - root.start_ns) / 1e9
        self._wait(min(max(FIRST_S, elapsed_s * _SHARE), _LONGEST_S))
