"""Brings back what was open when the window was closed."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from PySide6.QtCore import QObject, QTimer

from inspector.gui.controllers.cohort_controller import CohortController
from inspector.gui.controllers.compare_controller import CompareController
from inspector.gui.controllers.open_controller import OpenController, Source
from inspector.gui.messages import Messages
from inspector.gui.settings import Memory, SettingsStore
from inspector.gui.workspace.open_cohort import OpenCohort
from inspector.gui.workspace.open_comparison import OpenComparison
from inspector.gui.workspace.open_run import OpenRun
from inspector.gui.workspace.workspace import Item, Workspace

_MOST_TABS = 40
_MOST_NAMED = 3
_TWO = 2  # files of a comparison


class KeptTab(NamedTuple):
    """A tab as it is remembered: one file, two that were compared, or more in a table."""

    files: tuple[str, ...]
    at: str | None = None
    field: str | None = None
    current: bool = False


class SessionController(QObject):
    """Remembers tabs and what was selected in them; opens them again when asked to.

    Only files are remembered. What was piped or pasted is gone with the window.
    """

    def __init__(
        self,
        workspace: Workspace,
        opener: OpenController,
        comparer: CompareController,
        cohorts: CohortController,
        settings: SettingsStore,
        memory: Memory,
        messages: Messages,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._opener = opener
        self._comparer = comparer
        self._cohorts = cohorts
        self._settings = settings
        self._memory = memory
        self._messages = messages
        self._waiting: list[KeptTab] = []  # to be opened, one after the other
        self._awaited: Source | None = None
        self._in_front: tuple[str, ...] | None = None  # what is to end up in front
        self._to_come = 0
        opener.settled.connect(self._on_settled)
        workspace.added.connect(self._on_added)
        workspace.comparison_added.connect(self._on_added)
        workspace.cohort_added.connect(self._on_added)
        settings.changed.connect(self._on_settings_changed)

    def keep(self) -> None:
        """Remember what is open, for the next start."""
        if not self._settings.current.restore_tabs:
            return
        tabs = [_kept(item, item is self._workspace.current_item) for item in self._workspace.items]
        self._memory.keep_tabs([tab._asdict() for tab in tabs if tab.files][:_MOST_TABS])

    def restore(self) -> None:
        """Open again what was open, in the same order, and say which files are gone."""
        if not self._settings.current.restore_tabs:
            return
        tabs = [tab for told in self._memory.tabs[:_MOST_TABS] if (tab := _tab(told)) is not None]
        gone = {file for tab in tabs for file in tab.files if not _is_there(file)}
        here = [tab for tab in tabs if gone.isdisjoint(tab.files)]
        if gone:
            self._messages.notice(_gone_words(sorted(gone)))
        self._in_front = next((tab.files for tab in here if tab.current), None)
        self._to_come = len(here)
        # Runs first: what compares them then finds them read.
        self._waiting = sorted(here, key=lambda tab: len(tab.files))
        self._open_next()

    def _open_next(self) -> None:
        while self._waiting:
            tab = self._waiting.pop(0)
            if len(tab.files) == _TWO:
                self._comparer.compare_files(Path(tab.files[0]), Path(tab.files[1]))
                continue
            if len(tab.files) > _TWO:
                self._cohorts.open_files([Path(file) for file in tab.files])
                continue
            path = Path(tab.files[0])
            source = Source(path.name, path, at=tab.at, field=tab.field)
            self._opener.open_source(source)
            if source in self._opener.under_way:
                self._awaited = source
                return

    def _on_settled(self, source: Source) -> None:
        if source == self._awaited:
            self._awaited = None
            # Settled is said first; the tab is made in the same turn of the loop.
            QTimer.singleShot(0, self, self._open_next)

    def _on_added(self, _item: Item) -> None:
        if self._to_come <= 0:
            return
        self._to_come -= 1
        for item in self._workspace.items:
            if self._in_front and _kept(item, True).files == self._in_front:
                # After whoever made the newest tab current.
                QTimer.singleShot(0, item, lambda item=item: self._workspace.make_current(item))

    def _on_settings_changed(self) -> None:
        if not self._settings.current.restore_tabs:
            self._memory.keep_tabs([])


def _kept(item: Item, current: bool) -> KeptTab:
    paths: Sequence[Path | None] = ()  # a replay is not kept: it would have to run again
    at = field = None
    if isinstance(item, OpenComparison):
        paths = (item.left.path, item.right.path)
    elif isinstance(item, OpenCohort) and len(item.members) > _TWO:
        paths = [member.side.path for member in item.members]
    elif isinstance(item, OpenRun):
        paths = (item.path,)
        at, field = _place(item)
    files = tuple(str(path) for path in paths if path is not None)
    return KeptTab(files if len(files) == len(paths) else (), at, field, current)


def _place(open_run: OpenRun) -> tuple[str | None, str | None]:
    focus = open_run.selection.focus
    return focus.span_id, focus.field


def _tab(told: Any) -> KeptTab | None:
    """Return a tab from what is stored; None of what makes no sense."""
    files = told.get("files") if isinstance(told, dict) else None
    if not isinstance(files, list) or not 1 <= len(files) <= _MOST_TABS:
        return None
    if not all(isinstance(file, str) and file and "\0" not in file for file in files):
        return None
    at, field = (
        value if isinstance(value := told.get(name), str) else None for name in ("at", "field")
    )
    return KeptTab(tuple(files), at, field, told.get("current") is True)


def _is_there(file: str) -> bool:
    try:
        return Path(file).is_file()
    except OSError:
        return False


def _gone_words(files: Sequence[str]) -> str:
    from inspector.presentation.visible import one_line

    named = ", ".join(one_line(Path(file).name) for file in files[:_MOST_NAMED])
    more = f" and {len(files) - _MOST_NAMED} more" if len(files) > _MOST_NAMED else ""
    verb = "is" if len(files) == 1 else "are"
    return f"{named}{more} {verb} not there any more, and could not be opened again."
