"""Moves and edits the held call in front, from wherever the focus is."""

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from inspector.gui.panes.replay_window import ReplayWindow
    from inspector.gui.panes.run_tabs import RunTabs


class PauseMoves:
    """What menus and keys can do to a call that is held; nothing where none is."""

    def __init__(self, tabs: Callable[[], "RunTabs"]) -> None:
        self._tabs = tabs

    def _current(self) -> "ReplayWindow | None":
        return self._tabs().current_replay_window

    def write_condition(self, key: str) -> None:
        """Put the caret where the condition of a breakpoint is written."""
        from inspector.gui.panes.breakpoints_pane import BreakpointsPane

        window = self._tabs().current_window or self._current()
        if window is not None:
            window.show_pane("breakpoints")
            window.findChildren(BreakpointsPane)[0].edit(key)

    def edit(self) -> None:
        """Write another value for the held call."""
        if window := self._current():
            window.show_pane("pause")
            window.pause_pane.begin_edit()

    def reset(self) -> None:
        """Put back the value that the held call came with."""
        if window := self._current():
            window.pause_pane.reset()

    def let_go(self) -> None:
        """Let only this one of the held calls go on."""
        if window := self._current():
            window.pause_pane.let_go()

    def next(self) -> None:
        """Look at the next of the held calls."""
        if window := self._current():
            window.pause_pane.step_to_call(1)

    def previous(self) -> None:
        """Look at the held call before."""
        if window := self._current():
            window.pause_pane.step_to_call(-1)
