"""Plays the current run, as it went or faster."""

from __future__ import annotations

from time import perf_counter_ns
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from inspector.presentation.playback import LEAST_GLOW_S, Playback, Speed
from inspector.presentation.words import plural

if TYPE_CHECKING:
    from collections.abc import Callable

    from inspector.gui.settings import SettingsStore
    from inspector.gui.tasks.runner import Cancelled
    from inspector.gui.workspace.open_run import OpenRun
    from inspector.gui.workspace.workspace import Workspace

_FRAME_MS = 33
_SELECT_EVERY_NS = round(LEAST_GLOW_S * 1_000_000_000)
_STILL_MS = round(LEAST_GLOW_S * 1_000)


class PlayController(QObject):
    """Moves a playhead through the run in front, and the selection with what begins.

    Playing starts at the selected span and ends with the run, or the range. Its one
    timer runs only while something is played. With reduced motion no line sweeps over
    the screen: what is selected and what glows changes five times a second. Where a
    comparison of the run is open, what put out something else in the other one flashes.
    """

    playing_changed = Signal(bool)
    speed_changed = Signal(object)  # Speed
    said = Signal(str)

    def __init__(
        self,
        workspace: Workspace,
        settings: SettingsStore,
        parent: QObject | None = None,
        *,
        clock_ns: Callable[[], int] = perf_counter_ns,
    ) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._settings = settings
        self._clock_ns = clock_ns
        self._speed = Speed.NORMAL
        self._open_run: OpenRun | None = None
        self._playback: Playback | None = None
        self._at_ns = 0.0
        self._looked_ns = 0
        self._selected_ns = 0
        self._told = ""  # how the run differs from the one that it is compared with
        self._timer = QTimer(self)
        self._timer.timeout.connect(self.go_on)
        workspace.current_changed.connect(self.stop)
        workspace.removed.connect(self._on_removed)

    @property
    def is_playing(self) -> bool:
        return self._timer.isActive()

    @property
    def speed(self) -> Speed:
        return self._speed

    def set_speed(self, speed: Speed) -> None:
        """Play at another speed from here on."""
        if speed is self._speed:
            return
        if self.is_playing:
            self.go_on()
        self._speed = speed
        self.speed_changed.emit(speed)

    def faster(self) -> None:
        """Play at the next higher speed."""
        self.set_speed(self._speed.stepped(1))

    def slower(self) -> None:
        """Play at the next lower speed."""
        self.set_speed(self._speed.stepped(-1))

    def fit(self) -> None:
        """Play all there is in ten seconds."""
        self.set_speed(Speed.FIT)

    def toggle(self) -> None:
        """Play from here, or stop here."""
        if self.is_playing:
            self.stop()
        else:
            self._start()

    def stop(self) -> None:
        """Stop here. What is selected stays so."""
        if self._open_run is None:
            return
        self._timer.stop()
        open_run, self._open_run, self._playback = self._open_run, None, None
        open_run.selection.history_changed.disconnect(self._on_chosen)
        open_run.playhead.show(None)
        open_run.selection.settle()
        self.playing_changed.emit(False)
        # What was said when playing began went with the first span that was passed.
        if self._told and self._workspace.current is open_run:
            self.said.emit(self._told)

    def go_on(self) -> None:
        """Show what is to be seen after the time that went by."""
        open_run, playback = self._open_run, self._playback
        if open_run is None or playback is None:
            return
        now_ns = self._clock_ns()
        self._at_ns = playback.later(self._at_ns, now_ns - self._looked_ns, self._speed)
        self._looked_ns = now_ns
        moment = playback.moment(round(self._at_ns), self._speed)
        newest = moment.newest
        due = moment.is_over or now_ns - self._selected_ns >= _SELECT_EVERY_NS
        if newest is not None and due:
            self._selected_ns = now_ns
            open_run.selection.pass_over(open_run.run.table.id(newest))
        if moment.is_over:
            self.stop()
        else:
            open_run.playhead.show(moment)

    def _start(self) -> None:
        open_run = self._workspace.current
        if open_run is None or not len(open_run.run.table):
            return
        run = open_run.run
        until = max(run.table.end_of_run(), run.duration_ns or 0)
        self._open_run = open_run
        self._playback = Playback(run.table, open_run.range.bounds, until, open_run.folds)
        self._at_ns = float(self._begin(open_run, self._playback))
        self._looked_ns = self._clock_ns()
        self._selected_ns = self._looked_ns - _SELECT_EVERY_NS
        self._timer.start(_STILL_MS if self._settings.current.reduce_motion else _FRAME_MS)
        open_run.selection.history_changed.connect(self._on_chosen)
        self._look_for_baseline(open_run)
        self.playing_changed.emit(True)
        self.go_on()

    def _look_for_baseline(self, open_run: OpenRun) -> None:
        """Find out what differs from the run that this one is compared with, if there is one."""
        found = self._workspace.comparison_of(open_run)
        self._told = ""
        if found is None:
            open_run.playhead.set_differing(frozenset())
            return
        comparison, is_left, other = found
        run = open_run.run

        def work(_cancelled: Cancelled) -> frozenset[int]:
            from inspector.presentation.baseline import differing_rows

            return differing_rows(comparison, run, is_left=is_left)

        def done(rows: frozenset[int]) -> None:
            if self._open_run is open_run:
                open_run.playhead.set_differing(rows)
                self._told = (
                    f"{plural(len(rows), 'span')} put out something else than in {other}."
                    if rows
                    else f"Everything put out the same as in {other}."
                )
                self.said.emit(self._told)

        open_run.tasks.start(work, done=done, failed=_raise, key=(self, "baseline"))

    def _begin(self, open_run: OpenRun, playback: Playback) -> int:
        """Return where to begin: with the selected span, or again where that was the last."""
        table, selected = open_run.run.table, open_run.selection.span_id
        row = table.row_of(selected) if selected else None
        if row is None or row == len(table) - 1:
            return playback.start_ns
        start = table.start_ns[row]
        return start if playback.start_ns <= start < playback.end_ns else playback.start_ns

    def _on_chosen(self) -> None:
        """Go on from a span that a person chose meanwhile."""
        open_run, playback = self._open_run, self._playback
        if open_run is not None and playback is not None:
            self._at_ns = float(self._begin(open_run, playback))
            self._looked_ns = self._clock_ns()

    def _on_removed(self, item: object) -> None:
        if item is self._open_run:
            self.stop()


def _raise(error: Exception) -> None:
    raise error
