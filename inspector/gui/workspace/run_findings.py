"""What the rules find in an open run, looked for beside the window."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QObject, Signal

from inspector.errors import InspectorError
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
    off: tuple[str, ...]  # the rules that were not applied
    project_off: tuple[str, ...]  # those of them that the project's file switches off
    note: str  # what is amiss with that file, or with a rule


class RunFindings(QObject):
    """Holds the findings of one open run. Nothing is looked for until somebody asks."""

    changed = Signal()
    switch_wanted = Signal(str, bool)  # a rule, and whether it is to be applied

    def __init__(self, open_run: "OpenRun") -> None:
        super().__init__(open_run)
        self._open_run = open_run
        self._looked: Looked | None = None
        self._failure = ""
        self._looked_at: PipelineRun | None = None  # or being looked at
        self._is_looking = False
        self._is_wanted = False
        self._off: tuple[str, ...] = ()
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
    def off(self) -> tuple[str, ...]:
        """The rules that were not applied."""
        return () if self._looked is None else self._looked.off

    @property
    def project_off(self) -> tuple[str, ...]:
        """Those of them that only the project's own file can switch on again."""
        return () if self._looked is None else self._looked.project_off

    @property
    def note(self) -> str:
        """Why the project's own file, or a rule, was not heeded; mostly nothing."""
        return "" if self._looked is None else self._looked.note

    def switch_off(self, rules: tuple[str, ...]) -> None:
        """Apply every rule but these, beside those that the project switches off."""
        if rules == self._off:
            return
        self._off = rules
        self._looked_at = None
        if self._is_wanted:
            self.ask()

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
        off, path = self._off, self._open_run.path

        def look(cancelled: Cancelled) -> Looked:
            from inspector.findings import examine, rules_without
            from inspector.findings.plugins import plugin_rules
            from inspector.presentation.finding_list import finding_rows, stops

            of_project, note = _project_off(path)
            both = {*off, *of_project}
            found, skipped = examine(run, rules=rules_without(both), cancelled=cancelled)
            rows = finding_rows(run, found)
            note = " ".join(filter(None, (note, *skipped, *plugin_rules()[1])))
            named = tuple(sorted(both))
            return Looked(found, rows, stops(run, found), named, of_project, note)

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


def _project_off(path: Path | None) -> tuple[tuple[str, ...], str]:
    from inspector.findings import project_switches

    try:
        return project_switches(path).off, ""
    except InspectorError as error:
        # A mistake in a file beside the run is no reason to keep quiet about the run.
        return (), str(error)
