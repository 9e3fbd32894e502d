"""The timeline of an open run."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from inspector.gui.tasks.runner import Cancelled
from inspector.gui.widgets.range_trail import IdleOffer, RangeTrail
from inspector.gui.widgets.timeline import Timeline
from inspector.gui.widgets.timeline_folds import drawn_times, folded_scene
from inspector.gui.widgets.timeline_found import found_scene
from inspector.gui.widgets.timeline_scene import (
    FAILED_SHADE,
    TimelineScene,
    build_scene,
    running_sums,
)
from inspector.gui.widgets.timeline_surface import Words
from inspector.presentation.idle_gaps import IdleGap, gaps_of, idle_words, is_mostly_idle
from inspector.presentation.narrowing import with_parents
from inspector.presentation.notes import mark_lines
from inspector.presentation.outline import component_roles, span_label, total_tokens
from inspector.presentation.shown import no_spans_words, no_times_words
from inspector.presentation.span_facts import span_facts
from inspector.presentation.time_folds import UNFOLDED, TimeFolds, fold
from inspector.presentation.words import duration_words, plural, status_mark, status_words
from inspector.runfile.columns import MARK_USAGE
from inspector.runfile.kinds import RunStatus, SpanStatus
from inspector.runfile.table import NO_END

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from inspector.gui.workspace.open_run import OpenRun
    from inspector.runfile.model import PipelineRun

# Laid out in less time than it takes to notice; beside the window that would flicker.
_MOST_AT_ONCE = 4_000
_MOST_AT_FIRST = 12_000  # a pause before anything is seen is noticed less than a sentence
_MOST_ADDED_UP = 5_000
_FOUND_TASK = "timeline found"
# What is drawn, where nothing was at work, and how that is folded.
_LaidOut = tuple[TimelineScene, list[IdleGap], TimeFolds]
# Whether gaps are folded, and where those begin that are not all the same.
_Folding = tuple[bool, frozenset[int]]


class TimelinePane(QWidget):
    """Shows when everything in a run happened, and what at the same time as what."""

    def __init__(self, open_run: OpenRun, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._open_run = open_run
        self._timeline = Timeline()
        self._scene_run: PipelineRun | None = None  # whose scene is on the screen
        self._laying_out: PipelineRun | None = None
        self._whole: TimelineScene | None = None  # before anything is looked for in it
        self._before_narrowed: int | None = None  # how far down the lanes were scrolled
        self._folds = UNFOLDED
        self._gaps: list[IdleGap] = []
        self._is_folded = False
        self._kept_open: set[int] = set()  # where gaps begin that were unfolded one by one
        self._trail = RangeTrail()
        self._offer = IdleOffer()
        self.title_extras = _side_by_side(self._trail, self._offer)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._timeline)
        self.setFocusProxy(self._timeline)

        selection, time_range = open_run.selection, open_run.range
        self._timeline.row_chosen.connect(self._on_row_chosen)
        self._timeline.range_wanted.connect(self._on_range_wanted)
        self._timeline.range_kept.connect(time_range.commit)
        self._timeline.range_left.connect(time_range.pop)
        self._timeline.gap_chosen.connect(self._unfold_one)
        self._timeline.fold_toggled.connect(self.toggle_folds)
        self._offer.fold_wanted.connect(self._fold)
        self._trail.left_all.connect(time_range.clear)
        self._trail.crumb_chosen.connect(time_range.return_to)
        self._trail.kept.connect(time_range.commit)
        selection.span_changed.connect(self._show_selected)
        open_run.playhead.changed.connect(self._show_playing)
        open_run.notes.changed.connect(self._show_notes)
        time_range.changed.connect(self._show_range)
        open_run.run_changed.connect(self.set_run)
        open_run.search.found_changed.connect(self._show_found)
        open_run.search.filter_changed.connect(self._show_found)
        self.set_run(open_run.run)
        self._show_range()
        self._show_notes()

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
            self._timeline.say(no_spans_words(run))
        elif untimed := no_times_words(run):
            self._timeline.say(untimed)
        elif len(run.table) <= (_MOST_AT_ONCE if self._scene_run else _MOST_AT_FIRST):
            self._show(run, *_laid_out(run, self._folding))
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

        folding = self._folding

        def work(_cancelled: Cancelled) -> _LaidOut:
            return _laid_out(run, folding)

        def done(laid_out: _LaidOut) -> None:
            self._laying_out = None
            self._show(run, *laid_out)
            newest = self._open_run.run
            if newest is not run or folding != self._folding:
                self.set_run(newest)

        def failed(error: Exception) -> None:
            self._laying_out = None
            self._timeline.say(f"This run could not be laid out in time: {error}")

        self._open_run.tasks.start(work, done=done, failed=failed, key="timeline")

    def toggle_folds(self) -> None:
        """Fold idle time, or show it as long as it was."""
        self._fold(not self._is_folded)

    def _fold(self, folded: bool) -> None:
        """Draw the gaps as bands, or as long as they were."""
        if self._gaps and folded != self._is_folded:
            self._is_folded = folded
            self._kept_open.clear()
            self._draw_anew()

    def _unfold_one(self, gap: IdleGap) -> None:
        self._kept_open.add(gap.start_ns)
        self._is_folded = any(one.start_ns not in self._kept_open for one in self._gaps)
        self._draw_anew()

    def _draw_anew(self) -> None:
        if self._scene_run is not None:
            self.set_run(self._scene_run)

    @property
    def _folding(self) -> _Folding:
        return self._is_folded, frozenset(self._kept_open)

    def _show(
        self, run: PipelineRun, scene: TimelineScene, gaps: list[IdleGap], folds: TimeFolds
    ) -> None:
        self._scene_run = run
        self._gaps = gaps
        words = idle_words(gaps, round(folds.real(scene.end_ns))) if gaps else ""
        self._offer.offer(words, folded=bool(folds))
        self._whole = scene
        self._folds = self._open_run.folds = folds
        if self._open_run.search.matched is None:
            self._timeline.show_scene(scene, _words_of(run, scene), folds)
            self._show_selected(self._open_run.selection.span_id)
        else:
            self._show_found()
        self._add_up_tokens(run, scene.end_ns, folds)

    def _show_found(self) -> None:
        """Let stand out what a search found, or show only that and what is around it."""
        run, whole, search = self._scene_run, self._whole, self._open_run.search
        if run is None or whole is None:
            return
        matched, only = search.matched, search.is_filter
        if matched is None:
            self._open_run.tasks.start(_nothing, done=_ignore, failed=_ignore, key=_FOUND_TASK)
            self._take_found(run, whole, narrowed=False)
            return
        matched = matched[: len(whole)].ljust(len(whole), b"\0")

        def work(_cancelled: Cancelled) -> TimelineScene:
            kept = with_parents(run.table, matched) if only else None
            return found_scene(whole, matched, kept)

        def done(scene: TimelineScene) -> None:
            if self._whole is whole:
                self._take_found(run, scene, narrowed=only)

        if len(whole) <= _MOST_AT_ONCE:
            done(work(Cancelled()))
        else:
            self._open_run.tasks.start(work, done=done, failed=_raise, key=_FOUND_TASK)

    def _take_found(self, run: PipelineRun, scene: TimelineScene, *, narrowed: bool) -> None:
        canvas = self._timeline.canvas
        if narrowed and self._before_narrowed is None:
            self._before_narrowed = canvas.scroll_px
        self._timeline.show_scene(scene, _words_of(run, scene), self._folds)
        if not narrowed and self._before_narrowed is not None:
            canvas.scroll_to(self._before_narrowed)
            self._before_narrowed = None
        self._show_selected(self._open_run.selection.span_id)

    def _add_up_tokens(self, run: PipelineRun, until: int, folds: TimeFolds) -> None:
        def work(cancelled: Cancelled) -> NDArray[np.float64] | None:
            return _tokens_in_time(run, until, folds, cancelled)

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
            self._timeline.select(row if row is not None and self._timeline.shows(row) else None)

    def _show_range(self) -> None:
        time_range = self._open_run.range
        self._timeline.show_range(time_range.bounds)
        self._trail.show_range(time_range.bounds, time_range.breadcrumbs)

    def _show_notes(self) -> None:
        run, marks = self._open_run.run, self._open_run.notes.by_row()
        self._timeline.show_notes(
            {
                row: "\n".join(mark_lines(span_label(run, row), mark))
                for row, mark in sorted(marks.items())
            }
        )

    def _show_playing(self) -> None:
        moment = self._open_run.playhead.moment
        if moment is None:
            self._timeline.show_playing((), None)
        else:
            differing = self._open_run.playhead.differing
            self._timeline.show_playing(moment.glowing, moment.at_ns, differing)


def _nothing(_cancelled: Cancelled) -> None:
    """Take the place of a task whose result nobody wants any more."""


def _ignore(_result: object) -> None:
    """Nothing follows from it."""


def _raise(error: Exception) -> None:
    raise error


def _side_by_side(*widgets: QWidget) -> QWidget:
    both = QWidget()
    row = QHBoxLayout(both)
    row.setContentsMargins(0, 0, 0, 0)
    for widget in widgets[:-1]:
        row.addWidget(widget)
    row.addStretch(1)
    row.addWidget(widgets[-1])
    return both


def _laid_out(run: PipelineRun, folding: _Folding) -> _LaidOut:
    scene = build_scene(run.table, roles=component_roles(run), end_ns=run.duration_ns)
    gaps = gaps_of(run, scene.end_ns)
    if not is_mostly_idle(gaps, scene.end_ns):
        return scene, [], UNFOLDED
    is_folded, kept_open = folding
    folds = fold([gap for gap in gaps if is_folded and gap.start_ns not in kept_open], scene.end_ns)
    return folded_scene(scene, folds), gaps, folds


def _tokens_in_time(
    run: PipelineRun, until: int, folds: TimeFolds, cancelled: Cancelled
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
    starts = [table.start_ns[row] for row in rows]
    begun, ended = (drawn_times(times, folds).tolist() for times in (starts, ends))
    return running_sums(begun, ended, tokens, until)


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
