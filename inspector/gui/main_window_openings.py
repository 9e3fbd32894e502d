"""What the window says while files are read, and when that fails."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QVBoxLayout

from inspector.gui.controllers.compare_controller import CompareController
from inspector.gui.controllers.open_controller import OpenController
from inspector.gui.controllers.reader import Source
from inspector.gui.panes.run_tabs import RunTabs
from inspector.gui.tasks.runner import Cancelled

if TYPE_CHECKING:
    from inspector.gui.panes.start_page import StartPage
    from inspector.gui.widgets.cards import OpeningCard
    from inspector.importers.crash_folders import CrashSnapshot

_MOST_CRASHES = 5


class Openings(QObject):
    """Shows how far reading is, with a way to stop it: over a run, or on the start page.

    A failure stays on the start page until it is dismissed or works.
    """

    def __init__(
        self,
        opener: OpenController,
        comparer: CompareController,
        tabs: RunTabs,
        place: QVBoxLayout,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._tabs = tabs
        self._tasks = opener.tasks
        self._place = place
        self._strips: dict[Source, OpeningCard] = {}
        self._readers: dict[Source, OpenController | CompareController] = {}
        self._failed: set[Source] = set()
        for reader in (opener, comparer):
            reader.slowed.connect(lambda source, reader=reader: self._on_slowed(source, reader))
            reader.failed.connect(
                lambda source, message, hint, reader=reader: self._on_failed(
                    source, message, hint, reader
                )
            )
            reader.moved.connect(self._on_moved)
            reader.settled.connect(self._on_settled)
        tabs.currentChanged.connect(self._show_strips)

    def tie(self, page: "StartPage") -> None:
        """Have what a person wants of a card on the start page done, and fill the page."""
        self._look_for_crashes(page)
        page.retry_requested.connect(lambda source: self._readers[source].retry(source))
        page.cancel_requested.connect(lambda source: self._readers[source].cancel(source))

    def _look_for_crashes(self, page: "StartPage") -> None:
        def work(_cancelled: Cancelled) -> "list[CrashSnapshot]":
            from inspector.importers.crash_folders import crash_folders, crash_snapshots

            return crash_snapshots(crash_folders(), _MOST_CRASHES)

        self._tasks.start(work, done=page.show_crashes, failed=_ignore, key="crash folders")

    def _on_slowed(self, source: Source, reader: OpenController | CompareController) -> None:
        from inspector.gui.widgets.cards import OpeningCard

        self._readers[source] = reader
        self._tabs.start_page.show_opening(source, source.title)
        strip = self._strips[source] = OpeningCard(source.title)
        strip.cancel_requested.connect(lambda: reader.cancel(source))
        self._place.addWidget(strip)
        self._show_strips()

    def _on_moved(self, source: Source, fraction: float) -> None:
        if strip := self._strips.get(source):
            strip.move_to(fraction)
            self._tabs.start_page.move_opening(source, fraction)

    def _on_settled(self, source: Source) -> None:
        if strip := self._strips.pop(source, None):
            strip.hide()
            strip.deleteLater()
            self._tabs.start_page.end_opening(source)
        if source in self._failed:
            self._failed.discard(source)
            self._tabs.start_page.dismiss(source)

    def _on_failed(
        self, source: Source, message: str, hint: str, reader: OpenController | CompareController
    ) -> None:
        self._readers[source] = reader
        self._failed.add(source)
        again = reader.can_retry(source)
        self._tabs.start_page.show_failure(source, message, hint, can_retry=again)
        self._tabs.show_start()

    def _show_strips(self) -> None:
        for strip in self._strips.values():
            strip.setVisible(not self._tabs.is_start_shown)


def _ignore(_error: Exception) -> None:
    """Offer nothing, where nothing can be looked at."""
