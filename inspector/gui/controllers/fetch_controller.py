"""Looks at GitHub for a person who asked, and opens the runs that they choose."""

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QObject, Signal

from inspector.errors import InspectorError
from inspector.gui.controllers.open_controller import OpenController
from inspector.gui.messages import Messages
from inspector.gui.tasks.progress import Progress
from inspector.gui.tasks.runner import Cancelled, Task, TaskRunner
from inspector.presentation.offered import offer_title

if TYPE_CHECKING:
    from inspector.sources.offers import Listing, Offer
    from inspector.sources.service import Service


class _Asked(NamedTuple):
    """Who is asked; the token is forgotten with it."""

    service: "Service"
    token: str | None


class _Fetched(NamedTuple):
    """What came, and in words what did not."""

    runs: list[tuple[str, bytes]]
    failures: list[InspectorError]


class FetchController(QObject):
    """Nothing is fetched but by `look` and `fetch`, and one of them at a time."""

    listed = Signal(object)  # Listing
    failed = Signal(str, str)  # message, hint
    moved = Signal(float)
    opened = Signal()

    def __init__(
        self,
        opener: OpenController,
        tasks: TaskRunner,
        messages: Messages,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._opener = opener
        self._tasks = tasks
        self._messages = messages
        self._asked: _Asked | None = None
        self._task: Task | None = None

    def look(self, text: str, address: str, given: Mapping[str, str]) -> bool:
        """List what a link leads to; say whether that was begun.

        Args:
            text: The link.
            address: Of the GitHub; empty for github.com.
            given: Tokens that were typed or came from the keyring, by the variable they are for.

        """
        from inspector.sources.service import service_at
        from inspector.sources.tokens import variables_of

        try:
            service = service_at(address)
            link = service.link(text)
        except InspectorError as error:
            self.failed.emit(str(error), error.hint)
            return False
        names = variables_of(service)
        token = next((t for name in names if (t := given.get(name) or os.environ.get(name))), None)
        asked = self._asked = _Asked(service, token)

        def work(cancelled: Cancelled, progress: Progress) -> "Listing":
            from inspector.sources.github import runs_at
            from inspector.sources.web import Web

            return runs_at(Web(*asked, cancelled=cancelled), link, progress.report)

        progress = self._progress()
        self._task = self._tasks.start(
            lambda cancelled: work(cancelled, progress),
            done=self.listed.emit,
            failed=self._say,
            key=self,
        )
        return True

    def fetch(self, offers: Sequence["Offer"]) -> None:
        """Fetch the runs that were chosen, and open each."""
        asked = self._asked
        if asked is None or not offers:
            return
        progress = self._progress()

        def work(cancelled: Cancelled) -> _Fetched:
            from inspector.sources.web import Web

            web = Web(*asked, cancelled=cancelled)
            found = _Fetched([], [])
            for number, offer in enumerate(offers):

                def report(part: float, done: int = number) -> None:
                    progress.report((done + part) / len(offers))

                try:
                    data = offer.fetch(web, report)
                except InspectorError as error:
                    found.failures.append(error)
                else:
                    found.runs.append((offer_title(offer), data))
            return found

        self._task = self._tasks.start(work, done=self._open, failed=self._say, key=self)

    def cancel(self) -> None:
        """Stop what is under way."""
        if self._task is not None:
            self._task.cancel()
            self._task = None

    def _open(self, found: _Fetched) -> None:
        for title, data in found.runs:
            self._opener.open_bytes(data, title)
        if found.failures:
            first = found.failures[0]
            self.failed.emit(str(first), first.hint)
        else:
            self.opened.emit()

    def _progress(self) -> Progress:
        progress = Progress(self)
        progress.moved.connect(self.moved)
        return progress

    def _say(self, error: Exception) -> None:
        if isinstance(error, InspectorError):
            self.failed.emit(str(error), error.hint)
        else:
            self.failed.emit("That went wrong in here.", "")
            self._messages.failed(error)
