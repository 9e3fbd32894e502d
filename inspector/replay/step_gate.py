"""A gate that a person moves: it holds calls, and lets them go as they are told to.

Calls arrive on any thread and on event loops, and commands come from another thread. A call
on a thread waits for an event; a call on a loop awaits a future, so that everything else of
the loop goes on. Each call has its own latch: three parallel tool calls pause together.
"""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING, Any, Literal

from inspector.replay.gate import GO_ON, STOP, Breakpoint, Stop, Verdict
from inspector.replay.mode import ReplayError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from inspector.replay.gate import Watch

How = Literal["step", "into", "over", "out", "continue"]
LONGEST_HOLD_S = 3_600.0


class Pause:
    """One call that is being held."""

    __slots__ = ("_event", "_future", "_loop", "because", "number", "stop", "verdict")

    def __init__(
        self, number: int, stop: Stop, loop: asyncio.AbstractEventLoop | None,
        because: tuple[str, ...] = (),
    ) -> None:  # fmt: skip
        self.number = number
        self.stop = stop
        self.because = because  # keys of the breakpoints that hold it; a step needs none
        self.verdict = GO_ON
        self._loop = loop
        self._event = None if loop is not None else threading.Event()
        self._future = None if loop is None else loop.create_future()

    def let_go(self) -> None:
        """Let the call go on; any thread may."""
        if self._event is not None:
            self._event.set()
        elif self._loop is not None and self._future is not None:
            try:
                self._loop.call_soon_threadsafe(_settle, self._future)
            except RuntimeError:
                return  # the loop is closed, and so nobody waits

    def wait(self, longest_s: float) -> bool:
        """Wait on this thread; False when it took too long."""
        assert self._event is not None
        return self._event.wait(longest_s)

    async def wait_async(self, longest_s: float) -> bool:
        """Wait without holding the event loop; False when it took too long."""
        assert self._future is not None
        try:
            await asyncio.wait_for(self._future, longest_s)
        except TimeoutError:
            return False
        return True


def _settle(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)


class StepGate:
    """Pauses a replay where it is told to.

    Args:
        on_pause: Is told of each call that is being held, on the thread of the call.
        breakpoints: Where to pause from the start.
        at_first: Pause at the first place there is.
        longest_hold_s: After so long the replay is stopped, as nobody seems to be there.
        watch: Is told what else happens.
        on_gone: Is told of each held call that went away by itself, as its task was canceled.

    """

    def __init__(
        self, on_pause: Callable[[Pause], None], *, breakpoints: Iterable[Breakpoint] = (),
        at_first: bool = False, longest_hold_s: float = LONGEST_HOLD_S,
        watch: Watch | None = None, on_gone: Callable[[Pause], None] = lambda _pause: None,
    ) -> None:  # fmt: skip
        self.watch = watch
        self._on_gone = on_gone
        self._on_pause = on_pause
        self._breakpoints: dict[int, Breakpoint] = dict(enumerate(breakpoints, 1))
        self._next_breakpoint = len(self._breakpoints) + 1
        self._longest_hold_s = longest_hold_s
        self._lock = threading.Lock()
        self._held: dict[int, Pause] = {}
        self._number = 0
        self._stopped = False
        # While somebody steps, every place there is: also that of calls that go on at once.
        self._stepping = at_first
        self._steps: list[Callable[[Stop], bool]] = []  # other places to pause at, once each

    # -- what the replay asks ------------------------------------------------------------

    def before(self, stop: Stop) -> Verdict:
        return self._hold(stop)

    def after(self, stop: Stop) -> Verdict:
        return self._hold(stop)

    async def before_async(self, stop: Stop) -> Verdict:
        return await self._hold_async(stop)

    async def after_async(self, stop: Stop) -> Verdict:
        return await self._hold_async(stop)

    def _hold(self, stop: Stop) -> Verdict:
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            pass
        else:
            return self._not_held(stop)
        because = self._pauses_at(stop)
        if because is None:
            return STOP if self._stopped else GO_ON
        pause = self._begin(stop, None, because)
        if pause is None:
            return STOP
        return self._verdict(pause, in_time=pause.wait(self._longest_hold_s))

    def _not_held(self, stop: Stop) -> Verdict:
        """Let a call on an event loop that nobody awaits go on, as it cannot be held.

        Whoever steps is held at the next place instead.

        Raises:
            ReplayError: A breakpoint names this very place.

        """
        with self._lock:
            if self._stopped:
                return STOP
            named = [each for each in self._breakpoints.values() if each.path or each.name]
        if any(each.fits(stop) for each in named):
            raise ReplayError(
                f"{stop.name} is called on an event loop without await, and cannot be paused "
                "there: everything on the loop would stand still.",
                hint="Set the breakpoint on what is awaited around it.",
            )
        return GO_ON

    async def _hold_async(self, stop: Stop) -> Verdict:
        because = self._pauses_at(stop)
        if because is None:
            return STOP if self._stopped else GO_ON
        pause = self._begin(stop, asyncio.get_running_loop(), because)
        if pause is None:
            return STOP
        try:
            in_time = await pause.wait_async(self._longest_hold_s)
        finally:
            with self._lock:
                left = self._held.pop(pause.number, None)  # it may have been canceled
            if left is not None:
                self._on_gone(pause)
        return self._verdict(pause, in_time=in_time)

    def _pauses_at(self, stop: Stop) -> tuple[str, ...] | None:
        """Return the keys of the breakpoints it is to be held at; None when it goes on."""
        with self._lock:
            if self._stopped:
                return None
            is_step = self._stepping
            fitting = next((each for each in self._steps if each(stop)), None)
            if fitting is not None and not is_step:
                self._steps.remove(fitting)
                is_step = True
            breakpoints = tuple(self._breakpoints.items())
        # Without the lock: a condition has the value encoded, which may be large.
        because = tuple(each.key or str(n) for n, each in breakpoints if each.fits(stop))
        if because and not is_step:
            with self._lock:
                if not self._held:
                    self._steps.clear()  # a breakpoint in between ends a step
        return because if because or is_step else None

    def _begin(
        self, stop: Stop, loop: asyncio.AbstractEventLoop | None, because: tuple[str, ...]
    ) -> Pause | None:
        with self._lock:
            if self._stopped:
                return None
            self._number += 1
            pause = self._held[self._number] = Pause(self._number, stop, loop, because)
        self._on_pause(pause)
        return pause

    def _verdict(self, pause: Pause, *, in_time: bool) -> Verdict:
        if not in_time:
            self.stop()
        with self._lock:
            self._held.pop(pause.number, None)
            return STOP if self._stopped else pause.verdict

    # -- what a person says --------------------------------------------------------------

    @property
    def held(self) -> tuple[Pause, ...]:
        """The calls that are being held, in the order in which they came."""
        with self._lock:
            return tuple(self._held.values())

    def go(self, how: How, number: int | None = None) -> None:
        """Let calls go on, and say where to pause next.

        `continue` lets all of them go, to the next breakpoint. The others let one go, the
        oldest unless said: `step` and `into` to the next place there is, which is inside of
        it if anything is, where `into` leaves alone what goes on beside it; `over` to the end
        of this call, or past it; `out` to the end of what it is inside of.

        Raises:
            ReplayError: There is no such pause.

        """
        with self._lock:
            if how == "continue":
                self._stepping = False
                if number is None:
                    self._steps.clear()
                released = list(self._held.values()) if number is None else [self._one(number)]
            else:
                pause = self._one(number)
                self._stepping = how not in _STEPS
                if how in _STEPS:
                    self._steps.append(_STEPS[how](pause.stop))
                released = [pause]
            for pause in released:
                del self._held[pause.number]
        for pause in released:
            pause.let_go()

    def set_value(self, value: Any, number: int | None = None) -> Pause:
        """Let a held call go on with another value, once it is let go.

        Raises:
            ReplayError: There is no such pause, or nothing can be changed there.

        """
        with self._lock:
            pause = self._one(number)
            stop = pause.stop
            if not stop.can_edit:
                raise ReplayError(f"Nothing can be changed {stop.phase} {stop.path}.")
            if stop.phase == "before" and not isinstance(value, dict):
                raise ReplayError(
                    f"The inputs of {stop.path} are passed by name.",
                    hint='Write them as {"name": value}.',
                )
            pause.verdict = Verdict.replace(value)
            return pause

    def reset_value(self, number: int | None = None) -> Pause:
        """Let a held call go on with what it came with, whatever was set before.

        Raises:
            ReplayError: There is no such pause.

        """
        with self._lock:
            pause = self._one(number)
            pause.verdict = GO_ON
            return pause

    def pause(self) -> None:
        """Pause at the next place there is."""
        with self._lock:
            self._stepping = True

    def stop(self) -> None:
        """Let nothing go on any further.

        All that is held is let go at once: a thread pool whose other calls are still held
        would never end.
        """
        with self._lock:
            self._stopped = True
            released = list(self._held.values())
            self._held.clear()
        for pause in released:
            pause.let_go()

    def add(self, breakpoint_: Breakpoint) -> int:
        """Set a breakpoint and return its number."""
        with self._lock:
            number = self._next_breakpoint
            self._next_breakpoint += 1
            self._breakpoints[number] = breakpoint_
            return number

    def remove(self, number: int | None = None, key: str = "") -> None:
        """Take a breakpoint away, those of a key, or all of them."""
        with self._lock:
            if key:
                kept = {n: each for n, each in self._breakpoints.items() if each.key != key}
                self._breakpoints = kept
            elif number is None:
                self._breakpoints.clear()
            else:
                self._breakpoints.pop(number, None)

    def _one(self, number: int | None) -> Pause:
        """Return the pause of a number, or the oldest; the lock is held."""
        if not self._held:
            raise ReplayError("Nothing is paused.")
        if number is None:
            return next(iter(self._held.values()))
        if number not in self._held:
            raise ReplayError(f"There is no pause {number} any more.")
        return self._held[number]


def _into(at: Stop) -> Callable[[Stop], bool]:
    """Return what fits the next place inside this call, its end, or past that any place."""
    if at.phase == "after":
        return lambda _stop: True
    inside = f"{at.path}/" if at.path else ""
    return lambda stop: stop.path == at.path or stop.path.startswith(inside)


def _over(at: Stop) -> Callable[[Stop], bool]:
    """Return what fits the end of this call, and after its end the next place outside."""
    inside = f"{at.path}/"
    return lambda stop: not stop.path.startswith(inside)


def _out(at: Stop) -> Callable[[Stop], bool]:
    """Return what fits the first place that is not among or inside the siblings of this one."""
    around = at.path
    while "/" in around:
        around = around.rpartition("/")[0]
        # A step is no call, and has no place to be held at.
        if not around.rpartition("/")[2].startswith("step"):
            return lambda stop: not stop.path.startswith(f"{around}/")
    return _never


def _never(_stop: Stop) -> bool:
    return False


_STEPS: dict[str, Callable[[Stop], Callable[[Stop], bool]]] = {
    "into": _into,
    "over": _over,
    "out": _out,
}
