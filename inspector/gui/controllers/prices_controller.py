"""Remembers whose prices a person works with."""

from PySide6.QtCore import QObject

from inspector.gui.settings import Memory
from inspector.gui.workspace.open_run import OpenRun
from inspector.gui.workspace.run_pricing import PriceChoice
from inspector.gui.workspace.workspace import Workspace


class PricesController(QObject):
    """Has each run that is opened priced as the last one was, also after the next start.

    Runs that are open already keep what was chosen in them.
    """

    def __init__(self, workspace: Workspace, memory: Memory, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._memory = memory
        workspace.added.connect(self._on_added)

    def _on_added(self, open_run: OpenRun) -> None:
        path, only, as_of = self._memory.prices
        open_run.pricing.begin_with(PriceChoice(path, only, as_of))
        open_run.pricing.chosen.connect(self._on_chosen)

    def _on_chosen(self, choice: PriceChoice) -> None:
        self._memory.remember_prices(*choice)
