"""Brings what a replay's thread says to the window, in slices that nobody feels."""

from collections.abc import Mapping
from time import perf_counter
from typing import Any

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from inspector.errors import InspectorError
from inspector.gui.tasks import garbage
from inspector.gui.tasks.replay_thread import Left, Order, ReplayThread
from inspector.gui.workspace.open_replay import Failure, OpenReplay, ReplayState
from inspector.presentation.live_replay import Advance, LiveReplay
from inspector.presentation.replay_pace import MOST_WAITING, Pacer

_TICK_MS = 20
_SLICE_S = 0.004
_PIECE = 64
_SWEEP_EVERY = 5  # ticks
_LISTEN_EVERY = 12
_ENDED_BY_HAND = "The worker of the replay was ended."


class ReplayDriver(QObject):
    """Stands between one replay and its thread.

    Everything here happens on the window's thread: a timer takes what has come, and stops when
    the thread is over.
    """

    over = Signal()  # the thread has come to its end, and so may this
    crashed = Signal(object)  # an exception that is a bug of ours

    def __init__(self, replay: OpenReplay, order: Order, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._replay: OpenReplay | None = replay
        self._order = order
        self._thread = ReplayThread(order)
        self._pacer: Pacer | None = None
        self._known_held: set[int] = set()
        self._ticks = 0
        self._is_over = False
        self._stopping = False
        self._early: list[dict[str, Any]] = []  # commands that were refused at once
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.CoarseTimer)
        self._timer.setInterval(_TICK_MS)
        self._timer.timeout.connect(self._tick)

    @property
    def is_over(self) -> bool:
        return self._is_over

    @property
    def was_ended(self) -> bool:
        """Whether the worker was told to end at once."""
        return self._thread.was_killed

    def start(self) -> None:
        """Begin."""
        garbage.hold()
        self._thread.start()
        self._timer.start()

    def abandon(self) -> None:
        """End the worker; nobody wants to know any more what becomes of the replay."""
        self._replay = None
        self._thread.kill()

    def close(self) -> None:
        """End the worker, and wait until it and the thread are gone."""
        self.abandon()
        self._thread.join()
        self._rest()

    # What a person says, as `Commander`

    def tell(self, command: str, *words: Any, **fields: Any) -> None:
        """Have a method of the worker called; whatever is wrong with it is told as refused."""
        if command == "stop":
            if self.is_ahead:
                self._show_the_rest()
                return
            if self._stopping:
                self._thread.kill()
                return
            self._stopping = True
        if command in ("go_on", "stop", "step", "into", "over", "out") and self._pacer is not None:
            self._pacer.hold(False)
        if command == "pause" and self.is_ahead:
            self.hold_showing(True)
            return
        try:
            self._thread.tell(command, *words, **fields)
        except InspectorError as error:
            pause = words[1] if command == "set_value" else None
            self._early.append(
                {"event": "refused", "message": str(error), "hint": error.hint,
                 "do": command.replace("_", " "), "pause": pause}
            )  # fmt: skip

    def hold_showing(self, held: bool) -> None:
        """Show nothing further for now, though the worker may be ahead."""
        if self._pacer is not None and self._replay is not None:
            self._pacer.hold(held)
            self._move()

    def set_pace(self, speed: float | None) -> None:
        """Show what comes at a multiple of the recorded speed; None shows it at once."""
        if self._pacer is not None:
            self._pacer.set_speed(speed)

    def _show_the_rest(self) -> None:
        """Show at once what is left to be shown: the worker is done, and cannot be stopped."""
        if self._replay is not None and self._pacer is not None:
            self._pacer.hold(False)
            self._replay.set_pace(None)

    @property
    def is_ahead(self) -> bool:
        """Whether the worker is done with what is still being shown."""
        return self._pacer is not None and self._pacer.waiting > 0 and self._thread.left is not None

    # What comes

    def _tick(self) -> None:
        self._ticks += 1
        if self._ticks % _SWEEP_EVERY == 0:
            garbage.sweep()
        replay = self._replay
        if replay is None:
            self._thread.take(_PIECE * _PIECE)
        else:
            self._show(replay)
        waiting = self._pacer.waiting if self._pacer is not None and replay is not None else 0
        if self._thread.is_over and not waiting:
            self._end()

    def _show(self, replay: OpenReplay) -> None:
        live = self._live(replay)
        if live is None or self._pacer is None:
            return
        advance = self._applied(live, self._pacer)
        if advance is not None:
            replay.advance(advance)
            for refusal in advance.refused:
                replay.refuse(refusal)
            for drift in advance.drifts:
                replay.find(drift)
            if advance.held:
                self._tell_of_pauses(replay)
        self._move()
        if self._ticks % _LISTEN_EVERY == 0:
            self._listen(replay)

    def _live(self, replay: OpenReplay) -> LiveReplay | None:
        if replay.live is None and (rows := self._thread.rows) is not None:
            self._begin(replay, rows)
        return replay.live

    def _begin(self, replay: OpenReplay, rows: Mapping[str, int]) -> None:
        recording = self._order.recording
        self._pacer = Pacer(recording.table, rows)
        self._pacer.set_speed(replay.pace)
        replay.begin(LiveReplay(recording, rows))

    def _applied(self, live: LiveReplay, pacer: Pacer) -> Advance | None:
        """Take what has come and is due, for as long as nobody notices."""
        began = perf_counter()
        advance: Advance | None = None
        if self._early:
            advance = live.take(self._early)
            self._early = []
        while perf_counter() - began < _SLICE_S:
            if pacer.waiting < MOST_WAITING:
                pacer.put(self._thread.take(_PIECE))
            events = pacer.take(perf_counter(), _PIECE)
            if not events:
                break
            more = live.take(events)
            advance = more if advance is None else advance.and_then(more)
        return advance

    def _tell_of_pauses(self, replay: OpenReplay) -> None:
        held = {call.pause: call for call in replay.held}
        for number, call in held.items():
            if number not in self._known_held:
                replay.paused.emit(call)
        self._known_held = set(held)
        replay.held_changed.emit()

    def _move(self) -> None:
        replay = self._replay
        if replay is None or replay.live is None or replay.state is ReplayState.ENDED:
            return
        if replay.held or (self._pacer is not None and self._pacer.held):
            replay.move_to(ReplayState.PAUSED)
        elif replay.live.started:
            replay.move_to(ReplayState.RUNNING)

    def _listen(self, replay: OpenReplay) -> None:
        words = self._thread.last_words
        if words != replay.last_words:
            replay.last_words = words
            replay.printed.emit(words)

    # Its end

    def _end(self) -> None:
        replay, left = self._replay, self._thread.left or Left()
        self._rest()
        if replay is not None:
            self._listen(replay)
            failure = self._failure(replay, left)
            if replay.live is not None and replay.live.close():
                self._tell_of_pauses(replay)
            replay.end(left.run, failure)
        self.over.emit()

    def _failure(self, replay: OpenReplay, left: Left) -> Failure | None:
        words = replay.last_words
        if self.was_ended and left.run is None:
            return Failure(_ENDED_BY_HAND, "", words)
        if left.error is None:
            return None
        if not isinstance(left.error, InspectorError):
            self.crashed.emit(left.error)
            return Failure("The replay could not be followed.", "", words)
        said = getattr(left.error, "last_words", "") or words
        return Failure(str(left.error), left.error.hint, said)

    def _rest(self) -> None:
        if not self._is_over:
            self._is_over = True
            self._timer.stop()
            garbage.release()
