"""What the rules find in an open run, looked for beside the window."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QObject, Signal

from inspector.gui.tasks.runner import Cancelled
from inspector.runfile.kinds import RunStatus

if TYPE_CHECKING:
    from inspector.findings import Finding
    from inspector.gui.workspace.open_run import OpenRun
    from inspector.presentation.finding_list import FindingRow
    from inspector.runfile.model import PipelineRun

# A longer run is looked at when it has ended: not over and over while it grows.
_MOST_WHILE_RUNNING = 5_000


class Looked(NamedTuple):
    """What came of one look at a run."""

    found: "tuple[Finding, ...]"
    shown: "tuple[FindingRow, ...]"
    rows: Sequence[int]


class RunFindings(QObject):
    """Holds the findings of one open run. Nothing is looked for until somebody asks."""

    changed = Signal()

    def __init__(self, open_run: "OpenRun") -> None:
        super().__init__(open_run)
        self._open_run = open_run
        self._looked: Looked | None = None
        self._failure = ""
        self._looked_at: PipelineRun | None = None  # or being looked at
        self._is_looking = False
        self._is_wanted = False
        open_run.run_changed.connect(self._on_run_changed)

    @property
    def found(self) -> "tuple[Finding, ...] | None":
        """The worst first; None until they are known."""
        return None if self._looked is None else self._looked.found

    @property
    def shown(self) -> "tuple[FindingRow, ...]":
        """The same, as a list shows them."""
        return () if self._looked is None else self._looked.shown

    @property
    def rows(self) -> Sequence[int]:
        """The rows of the spans that findings point at first, in start order."""
        return () if self._looked is None else self._looked.rows

    @property
    def failure(self) -> str:
        """Why they cannot be known, in a sentence; nothing while they can."""
        return self._failure

    def ask(self) -> None:
        """Look for them, now and whenever there is more of the run; `changed` tells."""
        self._is_wanted = True
        run = self._open_run.run
        if self._is_looking or run is self._looked_at:
            return
        if run.status is RunStatus.RUNNING and len(run.table) > _MOST_WHILE_RUNNING:
            return
        self._looked_at = run
        self._is_looking = True

        def look(cancelled: Cancelled) -> Looked:
            from inspector.findings import check
            from inspector.presentation.finding_list import finding_rows, stops

            found = check(run, cancelled=cancelled)
            return Looked(found, finding_rows(run, found), stops(run, found))

        self._open_run.tasks.start(
            look, done=self._on_looked, failed=self._on_failed, key="findings"
        )

    def _on_looked(self, looked: Looked) -> None:
        self._looked = looked
        self._settle("")

    def _on_failed(self, error: Exception) -> None:
        self._looked = None
        self._settle(str(error))

    def _settle(self, failure: str) -> None:
        self._is_looking = False
        self._failure = failure
        self.changed.emit()
        self.ask()  # there may be more of the run by now

    def _on_run_changed(self) -> None:
        if self._is_wanted:
            self.ask()
