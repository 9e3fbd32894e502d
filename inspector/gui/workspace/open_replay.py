"""A replay that is open in a tab: what was asked for, what came of it so far, and its commands."""

from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QUndoStack

from inspector.gui.tasks.runner import TaskRunner
from inspector.gui.workspace.replay_request import ReplayRequest
from inspector.gui.workspace.run_breakpoints import RunBreakpoints
from inspector.presentation.breakpoints import difference, engine_fields, specs_from

if TYPE_CHECKING:
    from inspector.presentation.live_replay import (
        Advance,
        HeldCall,
        LiveReplay,
        Refusal,
        ReplayedSpan,
    )
    from inspector.presentation.replay_table import ReplayTable
    from inspector.runfile.drift import Drift
    from inspector.runfile.model import PipelineRun


class ReplayState(StrEnum):
    """Where a replay is."""

    STARTING = "starting"  # its worker has not found the target yet
    RUNNING = "running"
    PAUSED = "paused"  # at least one call is held
    ENDED = "ended"  # however it did


class Failure(NamedTuple):
    """Why a replay did not come to its end."""

    message: str
    hint: str = ""
    last_words: str = ""  # the end of what the worker printed
    traceback: str = ""


class ReplayFocus(NamedTuple):
    """What is looked at: a span of the replay, or one that only the recording has, by ids."""

    span_id: str | None = None
    recorded_id: str | None = None


class ReplaySelection(QObject):
    """The one place that knows which span of a replay is current."""

    changed = Signal(object)  # ReplayFocus

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._focus = ReplayFocus()

    @property
    def focus(self) -> ReplayFocus:
        return self._focus

    def select(self, focus: ReplayFocus) -> None:
        """Make a span current; selecting the current one does nothing."""
        if focus == self._focus:
            return
        self._focus = focus
        self.changed.emit(focus)


class Commander(Protocol):
    """Who passes commands on to the worker; each may be called while it runs, and never blocks."""

    def tell(self, command: str, *words: Any, **fields: Any) -> None:
        """Have a method of `replay.host.Worker` called."""

    def hold_showing(self, held: bool) -> None:
        """Show nothing further for now, though the worker may be ahead."""

    def set_pace(self, speed: float | None) -> None:
        """Show what comes at a multiple of the recorded speed; None shows it at once."""


class OpenReplay(QObject):
    """One replay in a tab.

    `live` is what is known of it, and `table` the rows of it and its recording; both are None
    until the recording has been looked through. `paused` and `drift_found` come once for
    each, `advanced` once for each batch.
    """

    front = "replay"  # the word for it in `ActionSpec`

    state_changed = Signal(str)  # ReplayState
    begun = Signal()  # `live` and `table` are there
    advanced = Signal(object)  # Advance
    rows_changed = Signal(object, bool)  # rows of `table`, and whether there are more than before
    paused = Signal(object)  # HeldCall
    chosen_changed = Signal()  # another of the held calls is looked at
    held_changed = Signal()  # other calls are held, or one was edited
    drift_found = Signal(object)  # Drift
    refused = Signal(str, str)  # a command could not be carried out: sentence, hint
    value_refused = Signal(object)  # Refusal of another value for a held call
    printed = Signal(str)  # the end of what the worker printed so far
    pace_changed = Signal(object)  # float, or None for at once
    stopping = Signal()  # it was told to stop
    ended = Signal()
    kept_changed = Signal()  # the result was saved

    def __init__(self, request: ReplayRequest, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.request = request
        self.live: LiveReplay | None = None
        self.table: ReplayTable | None = None
        self.failure: Failure | None = None
        self.title = request.shown_title
        self.selection = ReplaySelection(self)
        self.undo_stack = QUndoStack(self)
        self.breakpoints = RunBreakpoints(self, self.undo_stack, specs_from(request.breakpoints))
        self._set = self.breakpoints.specs  # what the worker knows of
        self.breakpoints.changed.connect(self._on_breakpoints_changed)
        self.tasks = TaskRunner(self)
        self.last_words = ""
        self.kept_at: Path | None = None  # the file that the result was saved to
        self._state = ReplayState.STARTING
        self._run: PipelineRun | None = None
        self._commander: Commander | None = None
        self._pace: float | None = None
        self._chosen: int | None = None
        self._stepped = False  # whether somebody waits for where a step leads
        self._asked_first: list[Callable[[int | None], bool]] = []

    @property
    def request_again(self) -> ReplayRequest:
        """What to ask for to have it once more, with the breakpoints of now."""
        return self.request._replace(breakpoints=engine_fields(self.breakpoints.specs))

    @property
    def chosen(self) -> int | None:
        """The pause whose call is looked at, and moved by a step; None is the oldest."""
        return self._chosen if any(call.pause == self._chosen for call in self.held) else None

    def choose(self, pause: int | None) -> None:
        """Look at another of the calls that are held."""
        if pause != self._chosen:
            self._chosen = pause
            self.chosen_changed.emit()
        call = next((call for call in self.held if call.pause == pause), None)
        if call is not None and self.table is not None:
            self.selection.select(self.focus_at(call.span_id))

    @property
    def state(self) -> ReplayState:
        return self._state

    @property
    def held(self) -> "tuple[HeldCall, ...]":
        """The calls that are being held, the oldest first."""
        return self.live.held if self.live is not None else ()

    @property
    def pace(self) -> float | None:
        """How fast what comes is shown: times the recorded speed; None is at once."""
        return self._pace

    @property
    def run(self) -> "PipelineRun | None":
        """The replay as a run, once it has ended and been read."""
        return self._run

    def result(self) -> "PipelineRun":
        """Return the replay as a run.

        Raises:
            LookupError: There is none, or not yet.

        """
        if self._run is None:
            raise LookupError("This replay has left no run.")
        return self._run

    # What a person says

    def step(self, pause: int | None = None) -> None:
        """Let a held call go on, to the next place there is."""
        self._move("step", self.chosen if pause is None else pause)

    def into(self, pause: int | None = None) -> None:
        """Pause at the next place inside, or after it."""
        self._move("into", self.chosen if pause is None else pause)

    def over(self, pause: int | None = None) -> None:
        """Pause after this call, and at nothing inside of it."""
        self._move("over", self.chosen if pause is None else pause)

    def out(self, pause: int | None = None) -> None:
        """Pause at the end of what this call is inside of."""
        self._move("out", self.chosen if pause is None else pause)

    def go_on(self, pause: int | None = None) -> None:
        """Let everything go on, or one call, to the next breakpoint."""
        self._move("go_on", pause)

    def pause(self) -> None:
        """Pause at the next place there is."""
        self._tell("pause")

    def stop(self) -> None:
        """Let nothing go on any further; asked again, end the worker at once."""
        self._tell("stop")
        if self._state is not ReplayState.ENDED:
            self.stopping.emit()

    def set_value(self, value: Any, pause: int | None = None, **more: Any) -> None:
        """Let a held call go on with another value, as `replay.host.Worker.set_value` takes it."""
        self._tell("set_value", value, pause, **more)

    def reset_value(self, pause: int | None = None) -> None:
        """Let a held call go on with what it came with, whatever was set before."""
        self._tell("reset_value", pause)

    def set_breakpoint(self, **fields: Any) -> None:
        """Pause at places as `replay.gate.Breakpoint` describes them, from now on."""
        self._tell("set_breakpoint", **fields)

    def remove_breakpoint(self, number: int | None = None, key: str = "") -> None:
        """Pause there no more; without a number and a key, at none of them."""
        self._tell("remove_breakpoint", number, key)

    def focus_of(self, row: int) -> ReplayFocus:
        """Return what is looked at in a row of `table`."""
        assert self.table is not None
        span = self.table.span_of(row)
        return ReplayFocus(None if span is None else span.id, self.table.recorded_id(row))

    def focus_at(self, span_id: str) -> ReplayFocus:
        """Return what is looked at when one looks at a span of the replay."""
        span = self.live.span(span_id) if self.live is not None else None
        return ReplayFocus() if span is None else self.focus_of_span(span)

    def focus_of_span(self, span: "ReplayedSpan") -> ReplayFocus:
        """Return what is looked at when one looks at a span of the replay."""
        assert self.table is not None
        return ReplayFocus(span.id, self.table.recorded_id(self.table.row_of(span)))

    def row_of(self, focus: ReplayFocus) -> int | None:
        """Return the row of `table` in which what is looked at stands."""
        if self.table is None or self.live is None:
            return None
        span = self.live.span(focus.span_id) if focus.span_id else None
        if span is not None:
            return self.table.row_of(span)
        recorded = focus.recorded_id
        return self.live.recording.table.row_of(recorded) if recorded else None

    def select_row(self, row: int) -> None:
        """Look at what stands in a row of `table`."""
        if self.table is not None:
            self.selection.select(self.focus_of(row))

    def _move(self, how: str, pause: int | None) -> None:
        # Who is writing another value for a call has it used before the call goes on.
        if not all(may_move(pause) for may_move in self._asked_first):
            return
        self._stepped = how != "go_on"
        self._tell(how, pause)

    def ask_first(self, may_move: Callable[[int | None], bool]) -> None:
        """Have somebody asked before calls are let go: while one says no, all of them stay.

        Args:
            may_move: Takes the number of the pause, None for all; tells a person why not.

        """
        self._asked_first.append(may_move)

    def arrive(self, call: "HeldCall") -> bool:
        """Take note that a call is held; return whether a step has led there.

        The first one after a step is what the step was for, whatever else is held.
        """
        led, self._stepped = self._stepped, False
        if led:
            self.choose(call.pause)
        return led

    def _on_breakpoints_changed(self) -> None:
        gone, new = difference(self._set, self.breakpoints.specs)
        self._set = self.breakpoints.specs
        for key in gone:
            self.remove_breakpoint(key=key)
        for spec in new:
            self.set_breakpoint(**spec.fields)

    def set_pace(self, speed: float | None) -> None:
        """Show what comes at a multiple of the recorded speed; None shows it at once."""
        if speed == self._pace:
            return
        self._pace = speed
        if self._commander is not None:
            self._commander.set_pace(speed)
        self.pace_changed.emit(speed)

    def _tell(self, command: str, *words: Any, **fields: Any) -> None:
        if self._commander is not None and self._state is not ReplayState.ENDED:
            self._commander.tell(command, *words, **fields)

    # What its controller says

    def attach(self, commander: Commander) -> None:
        """Take note of who passes commands on."""
        self._commander = commander

    def begin(self, live: "LiveReplay") -> None:
        """Take note that the recording was looked through."""
        from inspector.presentation.replay_table import ReplayTable

        self.live = live
        self.table = ReplayTable(live)
        self.begun.emit()

    def move_to(self, state: ReplayState) -> None:
        """Take note of where the replay is."""
        if state is self._state:
            return
        self._state = state
        self.state_changed.emit(str(state))

    def advance(self, advance: "Advance") -> None:
        """Tell of what some events have changed."""
        if advance.spans and self.table is not None:
            before = len(self.table)
            rows = self.table.take(advance.spans)
            self.rows_changed.emit(rows, len(self.table) > before)
        self.advanced.emit(advance)

    def find(self, drift: "Drift") -> None:
        """Tell of a drift."""
        self.drift_found.emit(drift)

    def refuse(self, refusal: "Refusal") -> None:
        """Tell of a command that could not be carried out."""
        self.refused.emit(refusal.message, refusal.hint)
        if refusal.is_of_value:
            self.value_refused.emit(refusal)

    def end(self, run: "PipelineRun | None", failure: Failure | None) -> None:
        """Take note that the replay is over, with what it has left."""
        self._run = run
        self.failure = failure
        self.move_to(ReplayState.ENDED)
        self.ended.emit()

    def keep_at(self, path: Path) -> None:
        """Take note that what it has left is in a file."""
        self.kept_at = path
        self.kept_changed.emit()

    def close(self) -> None:
        """End what was started for this replay."""
        self.tasks.close()
