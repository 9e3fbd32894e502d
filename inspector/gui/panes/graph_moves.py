"""Moves the graph of the run in front, from wherever the focus is."""

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from inspector.gui.panes.graph_pane import GraphPane


class GraphMoves:
    """What menus and keys can do to a graph; nothing where there is none."""

    def __init__(self, current: Callable[[], "GraphPane | None"]) -> None:
        self._current = current

    def fit(self) -> None:
        """Show all of the graph."""
        if pane := self._current():
            pane.canvas.fit()

    def fold_all(self) -> None:
        """Draw pipelines and agents without what is inside of them."""
        if pane := self._current():
            pane.fold_all()

    def unfold_all(self) -> None:
        """Draw everything that is inside of something."""
        if pane := self._current():
            pane.unfold_all()

    def turn(self) -> None:
        """Draw from left to right, or from top to bottom."""
        if pane := self._current():
            pane.turn()

    def toggle_list(self) -> None:
        """Show the graph as a list, or as a drawing."""
        if pane := self._current():
            pane.toggle_list()

    def copy_picture(self) -> None:
        """Put a picture of the graph on the clipboard."""
        if pane := self._current():
            pane.copy_picture()

    def save_picture(self) -> None:
        """Ask where to save a picture of the graph."""
        if pane := self._current():
            pane.save_picture()
