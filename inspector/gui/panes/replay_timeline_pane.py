"""The timeline of a replay: it fills in over a ghost of the recording."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout, QScrollBar, QStackedLayout, QWidget

from inspector.gui.widgets.empty_words import EmptyWords
from inspector.gui.widgets.replay_scene import Ghost, painted
from inspector.gui.widgets.timeline_canvas import TimelineCanvas
from inspector.gui.widgets.timeline_look import TOP_PX
from inspector.gui.widgets.timeline_surface import Words
from inspector.gui.widgets.timeline_view import TimelineView, whole
from inspector.presentation.replay_row import how_words
from inspector.presentation.replay_words import MATCH_MARKS
from inspector.presentation.words import duration_words

if TYPE_CHECKING:
    from inspector.gui.panes.replay_arranger import ReplayArranger
    from inspector.gui.panes.replay_flash import ReplayFlash
    from inspector.gui.panes.replay_turns import ReplayTurns
    from inspector.gui.widgets.timeline_scene import TimelineScene
    from inspector.gui.workspace.open_replay import OpenReplay, ReplayFocus
    from inspector.presentation.replay_table import ReplayTable

_GATHERING = "The recording is looked through; its spans stand here in a moment."


class ReplayCanvas(TimelineCanvas):
    """A timeline whose bars change their colours, and nothing else, many times a second."""

    def recolour(self, scene: TimelineScene) -> None:
        """Show the same bars in other colours."""
        self._scene = scene
        self.update()

    @property
    def scene(self) -> TimelineScene | None:
        return self._scene

    def label_of(self, row: int) -> tuple[str, str]:
        """Return what is written at the bar of a row: its name, and how long it took."""
        return self._words.label_of(row)


class ReplayTimelinePane(QWidget):
    """Shows how far a replay is, and how each span stands to the recording."""

    arranged = Signal()  # once: it is known how many lanes there are

    def __init__(
        self,
        replay: OpenReplay,
        arranger: ReplayArranger,
        flash: ReplayFlash,
        turns: ReplayTurns,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._replay = replay
        self._turns = turns
        self._arranger = arranger
        self._ghost: Ghost | None = None
        self._labels: dict[int, str] = {}
        self.canvas = ReplayCanvas()
        self.canvas.setAccessibleName("Timeline of the replay")
        self._scroll = QScrollBar(Qt.Orientation.Vertical)
        self._scroll.setAccessibleName("Lanes")
        self._empty = EmptyWords(words=_GATHERING)
        body = QWidget()
        grid = QGridLayout(body)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setSpacing(0)
        grid.addWidget(self.canvas, 0, 0)
        grid.addWidget(self._scroll, 0, 1)
        self._pages = QStackedLayout(self)
        self._pages.setContentsMargins(0, 0, 0, 0)
        self._pages.addWidget(self._empty)
        self._pages.addWidget(body)
        self.setFocusProxy(self.canvas)

        self.canvas.row_chosen.connect(replay.select_row)
        self.canvas.lanes_changed.connect(self._on_lanes_changed)
        self._scroll.valueChanged.connect(self.canvas.scroll_to)
        arranger.arranged.connect(lambda _arranged: turns.want(self._show_newest))
        arranger.failed.connect(self._on_failed)
        replay.rows_changed.connect(self._on_rows_changed)
        replay.ended.connect(self._paint)
        replay.selection.changed.connect(self._show_selected)
        flash.changed.connect(self._on_flash)
        self._on_lanes_changed()
        self._show_newest()

    @property
    def scene(self) -> TimelineScene | None:
        """What is drawn now."""
        return None if self._ghost is None else self.canvas.scene

    def _show_newest(self) -> None:
        table, arranged = self._replay.table, self._arranger.now
        if table is not None and arranged is not None:
            self._show(table, arranged.ghost)

    def _show(self, table: ReplayTable, ghost: Ghost) -> None:
        first = self._ghost is None
        self._ghost = ghost
        scene = painted(ghost, table.states, tuple(table.failed))
        everything = self.canvas.view.shows_all
        if first:
            self._pages.setCurrentIndex(1)
        view = self.canvas.view
        if first or everything:
            view = TimelineView.of_all(*whole(scene.end_ns), self.canvas.width())
        self.canvas.show_view(view.bounded(*whole(scene.end_ns)))
        self.canvas.show_scene(scene, self._words(table, ghost))
        self._show_selected(self._replay.selection.focus)
        if first:
            self.arranged.emit()

    def _on_rows_changed(self, rows: list[int], _grew: bool) -> None:
        for row in rows:
            self._labels.pop(row, None)
        self._turns.want(self._paint)

    def _paint(self) -> None:
        table = self._replay.table
        if self._ghost is not None and table is not None:
            self.canvas.recolour(painted(self._ghost, table.states, tuple(table.failed)))

    def _on_failed(self, why: Exception) -> None:
        self._empty.say(f"This replay could not be laid out in time: {why}")

    def _on_flash(self, rows: frozenset[int]) -> None:
        self.canvas.show_playing(tuple(sorted(rows)), None)

    def _show_selected(self, focus: ReplayFocus) -> None:
        row = self._replay.row_of(focus)
        self.canvas.select(row if row is not None and self.canvas.shows(row) else None)

    def _on_lanes_changed(self) -> None:
        canvas, bar = self.canvas, self._scroll
        bar.setRange(0, canvas.furthest_px)
        bar.setPageStep(max(1, canvas.height()))
        bar.setSingleStep(canvas.lane_px)
        bar.setValue(canvas.scroll_px)
        bar.setVisible(canvas.furthest_px > TOP_PX)

    def _words(self, table: ReplayTable, ghost: Ghost) -> Words:
        def label_of(row: int) -> tuple[str, str]:
            label = self._labels.get(row)
            if label is None:
                match = table.match(row)
                mark = f"{MATCH_MARKS[match]} " if match is not None else ""
                failed = "✕ " if row in table.failed else ""
                label = self._labels[row] = f"{mark}{failed}{table.label(row)}"
            return label, _took(table, row)

        def tip_of(row: int) -> str:
            how = how_words(table.match(row), is_over=table.live.is_over) or "not replayed"
            new = " · not in the recording" if row >= table.recorded else ""
            lines = [f"<b>{escape(table.label(row))}</b>", escape(f"{how}{new}"), _took(table, row)]
            return "<br>".join(line for line in lines if line)

        captions = {
            branch.first_lane: table.label(branch.row)
            for branch in ghost.scene.branches
            if branch.is_agent or branch.name_count == 1
        }
        return Words(label_of, tip_of, captions)


def _took(table: ReplayTable, row: int) -> str:
    """Return how long a span took: in the replay, or in the recording where it has not come."""
    span = table.span_of(row)
    if span is not None:
        return "" if span.end_ns is None else duration_words(span.end_ns - span.start_ns)
    took = table.live.recording.table.duration_ns(row)
    return "" if took is None else duration_words(took)
