"""Moves the timeline of the run in front, from wherever the focus is."""

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from inspector.gui.widgets.timeline_canvas import TimelineCanvas


class TimelineMoves:
    """What menus and keys can do to a timeline; nothing where there is none."""

    def __init__(self, current: Callable[[], "TimelineCanvas | None"]) -> None:
        self._current = current

    def zoom_in(self) -> None:
        """Show less of the time, larger."""
        if canvas := self._current():
            canvas.zoom_in()

    def zoom_out(self) -> None:
        """Show more of the time, smaller."""
        if canvas := self._current():
            canvas.zoom_out()

    def pan_left(self) -> None:
        """Show what came before."""
        if canvas := self._current():
            canvas.pan_left()

    def pan_right(self) -> None:
        """Show what came after."""
        if canvas := self._current():
            canvas.pan_right()

    def frame_selection(self) -> None:
        """Fill the timeline with the selected span."""
        if canvas := self._current():
            canvas.frame_selection()

    def fit(self) -> None:
        """Show all of the time there is to show."""
        if canvas := self._current():
            canvas.fit()

    def toggle_folds(self) -> None:
        """Fold idle time, or show it as long as it was."""
        if canvas := self._current():
            canvas.fold_toggled.emit()
