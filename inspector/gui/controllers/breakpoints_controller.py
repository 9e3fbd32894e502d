"""Breakpoints of the run or the replay in front, and where they are remembered."""

from PySide6.QtCore import QObject, Signal

from inspector.gui.settings import Memory
from inspector.gui.workspace.open_replay import OpenReplay
from inspector.gui.workspace.open_run import OpenRun
from inspector.gui.workspace.run_breakpoints import RunBreakpoints, Specs
from inspector.gui.workspace.workspace import Workspace
from inspector.presentation.breakpoints import (
    FULL,
    BreakpointSpec,
    breakpoint_at,
    breakpoint_for,
    kept_name,
    specs_from,
    stored,
    turned,
)


class BreakpointsController(QObject):
    """Sets and takes away breakpoints as a person asks for it; `said` tells what happened.

    A replay has breakpoints of its own, which follow into the worker at once and back to the
    recording it is of, if that is open.
    """

    said = Signal(str)
    edit_asked = Signal(str)  # the key of one in front whose condition is to be written

    def __init__(self, workspace: Workspace, memory: Memory, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._memory = memory
        workspace.added.connect(self._on_added)
        workspace.replay_added.connect(self._on_replay_added)

    def toggle(self) -> None:
        """Set a breakpoint before the selected call, or take it away."""
        item = self._workspace.current_item
        breakpoints = self._breakpoints()
        if breakpoints is None:
            return
        spec = _selected_in_replay(item) if isinstance(item, OpenReplay) else self._selected()
        if spec is None:
            self.said.emit("No replay can pause there: choose a component, an LLM or a tool call.")
            return
        self._toggle(breakpoints, spec)

    def toggle_tools(self) -> None:
        """Pause before every tool call, or not any more."""
        self._toggle_kind("tool")

    def toggle_llms(self) -> None:
        """Pause before every LLM call, or not any more."""
        self._toggle_kind("llm")

    def switch(self) -> None:
        """Switch the breakpoint at the selected call off, or on again."""
        item, breakpoints = self._workspace.current_item, self._breakpoints()
        spec = _selected_in_replay(item) if isinstance(item, OpenReplay) else self._selected()
        there = breakpoints.at(spec.key) if breakpoints is not None and spec is not None else None
        if breakpoints is None or there is None:
            self.said.emit("There is no breakpoint at the selected call. F9 sets one.")
            return
        breakpoints.enable(there.key, not there.enabled)
        self.said.emit(f"{there.words}: {'switched off' if there.enabled else 'on again'}.")

    def edit_condition(self) -> None:
        """Have the condition of the breakpoint at the selected call written."""
        item, breakpoints = self._workspace.current_item, self._breakpoints()
        spec = _selected_in_replay(item) if isinstance(item, OpenReplay) else self._selected()
        if breakpoints is None or spec is None:
            self.said.emit("No replay can pause there: choose a component, an LLM or a tool call.")
            return
        if breakpoints.at(spec.key) is None:
            breakpoints.put(spec)
        if breakpoints.at(spec.key) is not None:
            self.edit_asked.emit(spec.key)

    def clear(self) -> None:
        """Take all breakpoints away."""
        breakpoints = self._breakpoints()
        if breakpoints is None:
            return
        count = len(breakpoints.specs)
        breakpoints.clear()
        self.said.emit("All breakpoints are gone." if count else "There are no breakpoints.")

    def _toggle_kind(self, kind: str) -> None:
        breakpoints = self._breakpoints()
        if breakpoints is not None:
            self._toggle(breakpoints, BreakpointSpec(kinds=(kind,)))

    def _toggle(self, breakpoints: RunBreakpoints, spec: BreakpointSpec) -> None:
        was = breakpoints.at(spec.key)
        breakpoints.toggle(spec)
        if was is None and breakpoints.at(spec.key) is None:
            return  # which was said
        words = (was or spec).words
        told = f"{words[:1].lower()}{words[1:]}"
        self.said.emit(f"No breakpoint any more {told}." if was else f"Breakpoint {told}.")

    def _breakpoints(self) -> RunBreakpoints | None:
        item = self._workspace.current_item
        return item.breakpoints if isinstance(item, OpenRun | OpenReplay) else None

    def _selected(self) -> BreakpointSpec | None:
        open_run = self._workspace.current
        span_id = open_run.selection.span_id if open_run is not None else None
        row = open_run.run.table.row_of(span_id) if open_run is not None and span_id else None
        return None if open_run is None or row is None else breakpoint_for(open_run.run, row)

    def _hear(self, breakpoints: RunBreakpoints) -> None:
        breakpoints.edit_asked.connect(self.edit_asked)
        breakpoints.full.connect(lambda: self.said.emit(FULL))

    def _on_added(self, open_run: OpenRun) -> None:
        name = kept_name(open_run.run)

        def keep(specs: Specs) -> None:
            self._memory.keep_breakpoints(name, stored(specs))

        self._hear(open_run.breakpoints)
        open_run.breakpoints.keep_with(keep, specs_from(self._memory.breakpoints(name)))

    def _on_replay_added(self, replay: OpenReplay) -> None:
        name = kept_name(replay.request.recording.run)
        known = replay.breakpoints.specs

        def keep(specs: Specs) -> None:
            # What was done here, and not what is here: others may stand in the run by now.
            nonlocal known
            before, known = known, specs
            kept = specs_from(self._memory.breakpoints(name))
            self._memory.keep_breakpoints(name, stored(turned(kept, before, specs)))
            for open_run in self._workspace.open_runs:
                if kept_name(open_run.run) == name:
                    open_run.breakpoints.follow(before, specs)

        self._hear(replay.breakpoints)
        # Those that are switched off were not asked for, and are there all the same.
        kept = specs_from(self._memory.breakpoints(name))
        replay.breakpoints.keep_with(keep, tuple(spec for spec in kept if not spec.enabled))
        known = replay.breakpoints.specs


def _selected_in_replay(replay: OpenReplay) -> BreakpointSpec | None:
    focus, live = replay.selection.focus, replay.live
    span = live.span(focus.span_id) if live is not None and focus.span_id else None
    if span is not None:
        return breakpoint_at(span.kind, span.path)
    recording = replay.request.recording.run
    row = recording.table.row_of(focus.recorded_id) if focus.recorded_id else None
    return None if row is None else breakpoint_for(recording, row)
