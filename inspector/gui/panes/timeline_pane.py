"""The timeline of an open run."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QVBoxLayout, QWidget

from inspector.gui.widgets.timeline import Timeline
from inspector.gui.widgets.timeline_scene import (
    FAILED_SHADE,
    TimelineScene,
    build_scene,
    running_sums,
)
from inspector.gui.widgets.timeline_surface import Words
from inspector.presentation.outline import span_label, total_tokens
from inspector.presentation.span_facts import span_facts
from inspector.presentation.words import duration_words, plural, status_mark, status_words
from inspector.runfile.columns import MARK_USAGE
from inspector.runfile.kinds import KIND_CODE, RunStatus, SpanKind, SpanStatus
from inspector.runfile.table import NO_END

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from inspector.gui.tasks.runner import Cancelled
    from inspector.gui.workspace.open_run import OpenRun
    from inspector.runfile.model import PipelineRun

# Laid out in less time than it takes to notice; beside the window that would flicker.
_MOST_AT_ONCE = 4_000
_MOST_AT_FIRST = 12_000  # a pause before anything is seen is noticed less than a sentence
_MOST_ADDED_UP = 5_000
_COMPONENT = KIND_CODE[SpanKind.COMPONENT]


class TimelinePane(QWidget):
    """Shows when everything in a run happened, and what at the same time as what."""

    def __init__(self, open_run: OpenRun, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._open_run = open_run
        self._timeline = Timeline()
        self._scene_run: PipelineRun | None = None  # whose scene is on the screen
        self._laying_out: PipelineRun | None = None
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._timeline)
        self.setFocusProxy(self._timeline)

        selection, time_range = open_run.selection, open_run.range
        self._timeline.row_chosen.connect(self._on_row_chosen)
        self._timeline.range_wanted.connect(self._on_range_wanted)
        self._timeline.range_kept.connect(time_range.commit)
        self._timeline.range_left.connect(time_range.pop)
        selection.span_changed.connect(self._show_selected)
        time_range.changed.connect(self._show_range)
        open_run.run_changed.connect(self.set_run)
        self.set_run(open_run.run)
        self._show_range()

    @property
    def open_run(self) -> OpenRun:
        return self._open_run

    @property
    def timeline(self) -> Timeline:
        """The widget itself, for those who zoom, pan and fit."""
        return self._timeline

    def set_run(self, run: PipelineRun) -> None:
        """Show a run, or more of the same run: zoom, range and selection stay."""
        if not len(run.table):
            self._timeline.say("Nothing has happened in this run yet. Spans appear here in time.")
        elif len(run.table) <= (_MOST_AT_ONCE if self._scene_run else _MOST_AT_FIRST):
            self._show(run, _scene_of(run))
        else:
            if self._scene_run is None:
                self._timeline.say(f"Laying out {plural(len(run.table), 'span')}…")
            self._lay_out(run)

    def _lay_out(self, run: PipelineRun) -> None:
        # A run that grows faster than it is laid out must not start over for ever:
        # what is under way is shown, then what has come in since.
        if self._laying_out is not None:
            return
        self._laying_out = run

        def work(_cancelled: Cancelled) -> TimelineScene:
            return _scene_of(run)

        def done(scene: TimelineScene) -> None:
            self._laying_out = None
            self._show(run, scene)
            newest = self._open_run.run
            if newest is not run:
                self.set_run(newest)

        def failed(error: Exception) -> None:
            self._laying_out = None
            self._timeline.say(f"This run could not be laid out in time: {error}")

        self._open_run.tasks.start(work, done=done, failed=failed, key="timeline")

    def _show(self, run: PipelineRun, scene: TimelineScene) -> None:
        self._scene_run = run
        self._timeline.show_scene(scene, _words_of(run, scene))
        self._show_selected(self._open_run.selection.span_id)
        self._add_up_tokens(run, scene.end_ns)

    def _add_up_tokens(self, run: PipelineRun, until: int) -> None:
        def work(cancelled: Cancelled) -> NDArray[np.float64] | None:
            return _tokens_in_time(run, until, cancelled)

        self._open_run.tasks.start(
            work,
            done=self._timeline.overview.show_weights,
            failed=lambda _error: self._timeline.overview.show_weights(None),
            key="timeline tokens",
        )

    def _on_row_chosen(self, row: int) -> None:
        if self._scene_run is not None:
            self._open_run.selection.select(self._scene_run.table.id(row))

    def _on_range_wanted(self, bounds: tuple[int, int] | None) -> None:
        if bounds is None:
            self._open_run.range.clear()
        else:
            self._open_run.range.set(*bounds)

    def _show_selected(self, span_id: str | None) -> None:
        if self._scene_run is not None:
            row = self._scene_run.table.row_of(span_id) if span_id else None
            self._timeline.select(row)

    def _show_range(self) -> None:
        self._timeline.show_range(self._open_run.range.bounds)


def _scene_of(run: PipelineRun) -> TimelineScene:
    return build_scene(run.table, roles=_roles(run), end_ns=run.duration_ns)


def _tokens_in_time(
    run: PipelineRun, until: int, cancelled: Cancelled
) -> NDArray[np.float64] | None:
    table = run.table
    rows = [row for row, marks in enumerate(table.marks) if marks & MARK_USAGE]
    if not rows or len(rows) > _MOST_ADDED_UP:
        return None
    tokens: list[int] = []
    for row in rows:
        if cancelled():
            return None
        usage = run.spans[row].usage
        tokens.append((total_tokens(usage) or 0) if usage is not None else 0)
    ends = [until if table.end_ns[row] == NO_END else table.end_ns[row] for row in rows]
    return running_sums([table.start_ns[row] for row in rows], ends, tokens, until)


def _roles(run: PipelineRun) -> dict[int, str]:
    """What components do, by the code of their name; one span of each has to say it."""
    table = run.table
    roles: dict[int, str] = {}
    for row, (kind, name) in enumerate(zip(table.kind, table.name_code, strict=True)):
        if kind == _COMPONENT and name not in roles:
            roles[name] = run.spans[row].role
    return roles


def _words_of(run: PipelineRun, scene: TimelineScene) -> Words:
    table = run.table
    shown_names: dict[int, str] = {}
    still = status_words(
        SpanStatus.UNFINISHED if run.status is not RunStatus.RUNNING else RunStatus.RUNNING
    )

    def label_of(row: int) -> tuple[str, str]:
        name = shown_names.get(row)
        if name is None:
            name = span_label(run, row)
            if scene.shade[scene.place_of_row[row]] == FAILED_SHADE:
                name = f"{status_mark(SpanStatus.FAILED)} {name}"
            elif table.status_of(row) is SpanStatus.CANCELED:
                name = f"{status_mark(SpanStatus.CANCELED)} {name}"
            shown_names[row] = name
        took = table.duration_ns(row)
        return name, still if took is None else duration_words(took)

    def tip_of(row: int) -> str:
        # Rich text so that it wraps; escaped so that it stays text.
        name, *facts = (escape(line) for line in span_facts(run, row))
        return "<br>".join((f"<b>{name}</b>", *facts))

    captions = {
        branch.first_lane: span_label(run, branch.row)
        for branch in scene.branches
        if branch.is_agent or branch.name_count == 1
    }
    return Words(label_of, tip_of, captions)
