"""Asks about the value in front, from wherever the focus is."""

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from inspector.gui.panes.run_window import RunWindow


class ValueMoves:
    """What menus and keys can ask about a value; nothing where there is none."""

    def __init__(self, current: Callable[[], "RunWindow | None"]) -> None:
        self._current = current

    def where_from(self) -> None:
        """Ask where the value in front came from."""
        if window := self._current():
            window.span_pane.ask_where_from()

    def who_used(self) -> None:
        """Ask what the value in front went into."""
        if window := self._current():
            window.span_pane.ask_who_used()
