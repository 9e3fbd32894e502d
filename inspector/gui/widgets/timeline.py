"""A timeline: the whole run in a strip, and below it the part one looks at, in lanes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout, QScrollBar, QStackedLayout, QWidget

from inspector.gui.widgets.empty_words import EmptyWords
from inspector.gui.widgets.timeline_canvas import TimelineCanvas
from inspector.gui.widgets.timeline_look import TOP_PX
from inspector.gui.widgets.timeline_overview import Bounds, TimelineOverview
from inspector.gui.widgets.timeline_view import TimelineView, whole
from inspector.presentation.time_folds import UNFOLDED, TimeFolds

if TYPE_CHECKING:
    from collections.abc import Mapping

    from PySide6.QtGui import QKeyEvent

    from inspector.gui.widgets.timeline_scene import TimelineScene
    from inspector.gui.widgets.timeline_surface import Words


class Timeline(QWidget):
    """Shows a scene. Says which row was chosen and which range is wanted; keeps neither.

    Whoever owns the selection and the range answers with `select` and `show_range`. Here
    ranges are moments of the run; below, in strip and lanes, they are where it is drawn.
    """

    row_chosen = Signal(int)
    range_wanted = Signal(object)  # (start_ns, end_ns) or None for everything
    range_kept = Signal()  # Enter: keep this range to come back to
    range_left = Signal()  # Backspace: back to the range before
    gap_chosen = Signal(object)  # IdleGap: unfold this one
    fold_toggled = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.overview = TimelineOverview()
        self.canvas = TimelineCanvas()
        self._scroll = QScrollBar(Qt.Orientation.Vertical)
        self._scroll.setAccessibleName("Lanes")
        self._empty = EmptyWords()
        self._end_ns = 0
        self._bounds: Bounds | None = None
        self._folds = UNFOLDED
        self._before_range: tuple[float, float, int] | None = None  # from, to, scrolled down

        body = QWidget()
        grid = QGridLayout(body)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setSpacing(0)
        grid.addWidget(self.overview, 0, 0)
        grid.addWidget(self.canvas, 1, 0)
        grid.addWidget(self._scroll, 1, 1)
        grid.setRowStretch(1, 1)
        self._pages = QStackedLayout(self)
        self._pages.setContentsMargins(0, 0, 0, 0)
        self._pages.addWidget(self._empty)
        self._pages.addWidget(body)
        self.setFocusProxy(self.canvas)

        self.canvas.row_chosen.connect(self.row_chosen)
        self.canvas.view_changed.connect(self._on_view_changed)
        self.canvas.lanes_changed.connect(self._on_lanes_changed)
        self._scroll.valueChanged.connect(self.canvas.scroll_to)
        self.canvas.gap_chosen.connect(self.gap_chosen)
        self.canvas.fold_toggled.connect(self.fold_toggled)
        self.overview.range_wanted.connect(self._on_range_wanted)
        self.overview.moment_chosen.connect(self._on_moment_chosen)
        self._on_lanes_changed()

    def say(self, words: str) -> None:
        """Show a sentence instead of a timeline."""
        self._empty.say(words)
        self._pages.setCurrentIndex(0)

    def show_scene(self, scene: TimelineScene, words: Words, folds: TimeFolds = UNFOLDED) -> None:
        """Show a scene. A part of the time that one has zoomed to stays on the screen.

        Args:
            scene: The spans, at the times at which they are drawn.
            words: What is said about them.
            folds: What of the time is folded in the scene.

        """
        self._pages.setCurrentIndex(1)
        first = not self._end_ns
        seen, everything = self._seen(), self.canvas.view.shows_all
        self._end_ns, self._folds = scene.end_ns, folds
        self.overview.show_scene(scene)
        if first:
            self.canvas.show_view(TimelineView.of_all(*whole(scene.end_ns), self.canvas.width()))
        self._bound()
        if not first and not everything:
            self._show_stretch(*seen)
        self.canvas.show_scene(scene, words, folds)
        self.overview.show_range(self._drawn(self._bounds))
        self._on_view_changed()

    def show_range(self, bounds: Bounds | None) -> None:
        """Narrow everything to a range; leaving it brings back what was seen before it."""
        if bounds == self._bounds:
            return
        if self._bounds is None:
            self._before_range = (*self._seen(), self.canvas.scroll_px)
        self._bounds = bounds
        self.overview.show_range(self._drawn(bounds))
        self._bound()
        if bounds is not None:
            self.canvas.fit()
        elif self._before_range is not None:
            start, end, scrolled = self._before_range
            self._before_range = None
            self._show_stretch(start, end)
            self.canvas.scroll_to(scrolled)

    def shows(self, row: int) -> bool:
        """Say whether the span of a row is on the timeline at all."""
        return self.canvas.shows(row)

    def show_playing(
        self,
        rows: tuple[int, ...],
        at_ns: float | None,
        differing: frozenset[int] = frozenset(),
    ) -> None:
        """Let spans glow, those that differ otherwise, and show how far playing has got."""
        drawn = None if at_ns is None else self._folds.drawn(at_ns)
        self.canvas.show_playing(rows, drawn, differing)

    def show_notes(self, notes: Mapping[int, str]) -> None:
        """Mark spans to which a person left something: by row, what is said of it."""
        self.canvas.show_notes(notes)
        self.overview.show_notes(notes)

    def select(self, row: int | None) -> None:
        """Mark a span as the selected one."""
        self.canvas.select(row)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        match event.key():
            case Qt.Key.Key_Return | Qt.Key.Key_Enter if self._bounds is not None:
                self.range_kept.emit()
            case Qt.Key.Key_Backspace if self._bounds is not None:
                self.range_left.emit()
            case _:
                super().keyPressEvent(event)

    def _bound(self) -> None:
        limits = self._drawn(self._bounds) or whole(self._end_ns)
        self.canvas.show_view(self.canvas.view.bounded(*limits))

    def _drawn(self, bounds: Bounds | None) -> Bounds | None:
        """Return where a stretch of the run is drawn."""
        if bounds is None:
            return None
        low, high = (round(self._folds.drawn(at)) for at in bounds)
        return low, max(low + 1, high)

    def _seen(self) -> tuple[float, float]:
        """Return the stretch of the run that is on the screen."""
        view = self.canvas.view
        return self._folds.real(view.start_ns), self._folds.real(view.end_ns)

    def _show_stretch(self, start_ns: float, end_ns: float) -> None:
        low, high = self._folds.drawn(start_ns), self._folds.drawn(end_ns)
        self.canvas.show_view(self.canvas.view.showing(low, high))

    def _on_range_wanted(self, drawn: Bounds | None) -> None:
        if drawn is None:
            self.range_wanted.emit(None)
            return
        low, high = (round(self._folds.real(at)) for at in drawn)
        self.range_wanted.emit((low, max(low + 1, high)))

    def _on_view_changed(self) -> None:
        view = self.canvas.view
        self.overview.set_gutter(self.canvas.gutter_px)
        self.overview.show_view(view.start_ns, view.end_ns, whole=view.shows_all)

    def _on_lanes_changed(self) -> None:
        canvas, bar = self.canvas, self._scroll
        bar.setRange(0, canvas.furthest_px)
        bar.setPageStep(max(1, canvas.height()))
        bar.setSingleStep(canvas.lane_px)
        bar.setValue(canvas.scroll_px)
        # Less than the air below the last lane is not worth a bar.
        bar.setVisible(canvas.furthest_px > TOP_PX)

    def _on_moment_chosen(self, at_ns: float) -> None:
        view = self.canvas.view
        half = view.length_ns / 2
        self.canvas.show_view(view.showing(at_ns - half, at_ns + half))
