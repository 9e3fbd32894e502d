"""Steps through the current run."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from inspector.gui.workspace.open_run import OpenRun
from inspector.gui.workspace.workspace import Workspace

if TYPE_CHECKING:
    from inspector.presentation.walk import Walk

# Takes the walk and the row of the selected span, returns the row to go to.
Step = Callable[["Walk", int | None], int | None]


class WalkController(QObject):
    """Moves the selection of the current run, a span at a time.

    Where there is nothing in a direction the selection stays, and `ended` says
    what there is none of.
    """

    ended = Signal(str)  # "No further tool call"
    arrived = Signal(str)  # "Finding 2 of 5: ..."

    def __init__(self, workspace: Workspace, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._walk: Walk | None = None
        self._table: object = None

    def next(self) -> None:
        self._step(_next, "This is the last span", past_folded=_next)

    def previous(self) -> None:
        self._step(_previous, "This is the first span", past_folded=_previous)

    def over(self) -> None:
        # What comes after one thing in a component may be the agent that the component is.
        self._step(lambda walk, row: walk.over(row), "Nothing comes after this", past_folded=_next)

    def into(self) -> None:
        self._step(_into, "Nothing happened inside this span", past_folded=_into)

    def out(self) -> None:
        self._step(_out, "This span is in no other", past_folded=_out)

    def first(self) -> None:
        self._step(lambda walk, _row: walk.first, "This run has no spans")

    def last(self) -> None:
        self._step(lambda walk, _row: walk.last, "This run has no spans")

    def next_tool(self) -> None:
        self._step(
            lambda walk, row: walk.next_of_kind(row, "tool"),
            "No further tool call",
            none="There is no tool call",
        )

    def previous_tool(self) -> None:
        self._step(
            lambda walk, row: walk.previous_of_kind(row, "tool"),
            "No earlier tool call",
            none="There is no tool call",
        )

    def next_llm(self) -> None:
        self._step(
            lambda walk, row: walk.next_of_kind(row, "llm"),
            "No further LLM call",
            none="There is no LLM call",
        )

    def previous_llm(self) -> None:
        self._step(
            lambda walk, row: walk.previous_of_kind(row, "llm"),
            "No earlier LLM call",
            none="There is no LLM call",
        )

    def next_failure(self) -> None:
        self._step(
            lambda walk, row: walk.next_failure(row), "No further failure", none="Nothing failed"
        )

    def previous_failure(self) -> None:
        self._step(
            lambda walk, row: walk.previous_failure(row),
            "No earlier failure",
            none="Nothing failed",
        )

    def next_finding(self) -> None:
        """Go to the next span that a finding points at."""
        self._to_finding(lambda walk, row, rows: walk.next_of(rows, row), "No further finding")

    def previous_finding(self) -> None:
        self._to_finding(lambda walk, row, rows: walk.previous_of(rows, row), "No earlier finding")

    def _to_finding(
        self, step: Callable[["Walk", int | None, Sequence[int]], int | None], nothing: str
    ) -> None:
        open_run = self._workspace.current
        if open_run is None:
            return
        findings = open_run.findings
        if findings.found is None:
            findings.ask()
            self.ended.emit(findings.failure or "Still looking for findings")
            return
        before = open_run.selection.span_id
        rows = findings.rows
        self._step(
            lambda walk, row: step(walk, row, rows),
            nothing if rows else "Nothing was found in this run",
        )
        if open_run.selection.span_id != before:
            from inspector.presentation.finding_list import words_at

            self.arrived.emit(words_at(open_run.run, findings.found, open_run.selection.span_id))

    def next_visit(self) -> None:
        self._step(lambda walk, row: walk.next_visit(row), "This is the last visit")

    def previous_visit(self) -> None:
        self._step(lambda walk, row: walk.previous_visit(row), "This is the first visit")

    def back(self) -> None:
        """Return to what was looked at before."""
        if open_run := self._workspace.current:
            open_run.selection.back()

    def forward(self) -> None:
        """Undo one `back`."""
        if open_run := self._workspace.current:
            open_run.selection.forward()

    def go_to_first_failure(self) -> None:
        """Select the span at which something first went wrong, wherever we are."""
        self._step(lambda walk, _row: walk.next_failure(None), "Nothing failed in this run")

    def _step(
        self, step: Step, nothing: str, *, past_folded: Step | None = None, none: str = ""
    ) -> None:
        """Go where `step` leads, and on from an agent that the tree shows in another row.

        Args:
            step: How to go on.
            nothing: What is said where that leads nowhere.
            past_folded: How to go on from what the tree shows in another row.
            none: What is said instead where it would lead nowhere from anywhere.

        """
        open_run = self._workspace.current
        if open_run is None:
            return
        walk = self._walk_of(open_run)
        table = open_run.run.table
        selected = open_run.selection.span_id
        start = table.row_of(selected) if selected else None
        row = _found(open_run, walk, step, start, past_folded)
        if row is not None:
            open_run.selection.select(table.id(row))
        elif none and _found(open_run, walk, step, None, past_folded) is None:
            where = "run" if open_run.range.bounds is None else "range"
            self.ended.emit(f"{none} in this {where}")
        else:
            self.ended.emit(nothing)

    def _walk_of(self, open_run: OpenRun) -> "Walk":
        if self._walk is None or self._table is not open_run.run.table:
            self._table = open_run.run.table
            from inspector.presentation.llm_calls import llm_flags
            from inspector.presentation.walk import Walk

            self._walk = Walk(open_run.run.table, partial(llm_flags, open_run.run))
        return self._walk


def _next(walk: "Walk", row: int | None) -> int | None:
    return walk.next(row)


def _previous(walk: "Walk", row: int | None) -> int | None:
    return walk.previous(row)


def _into(walk: "Walk", row: int | None) -> int | None:
    return walk.into(row)


def _out(walk: "Walk", row: int | None) -> int | None:
    return walk.out(row)


def _found(
    open_run: OpenRun, walk: "Walk", step: Step, row: int | None, past_folded: Step | None
) -> int | None:
    """Return where a step leads from a row, or from before the run, and on to what is seen."""
    from inspector.presentation.run_tree import is_folded

    table = open_run.run.table
    row = step(walk, row)
    while row is not None:
        if past_folded is not None and is_folded(table, row):
            further = past_folded(walk, row)
        # A range narrows the walk as it narrows every pane.
        elif not open_run.range.overlaps(
            table.start_ns[row], None if table.end_ns[row] < 0 else table.end_ns[row]
        ):
            further = step(walk, row)
        else:
            return row
        row = None if further == row else further
    return None
