"""Leads to where a breakpoint is written, in the run or replay in front."""

from collections.abc import Callable

from PySide6.QtWidgets import QWidget

from inspector.gui.panes.breakpoints_pane import BreakpointsPane


class BreakpointMoves:
    """Brings the pane of breakpoints to the front; `show` does so in the window that is seen."""

    def __init__(self, show: Callable[[], QWidget | None]) -> None:
        self._show = show

    def edit(self, key: str) -> None:
        """Put the caret where the condition of a breakpoint is written."""
        window = self._show()
        pane = window.findChild(BreakpointsPane) if window is not None else None
        if pane is not None:
            pane.edit(key)
