"""Goes from finding to finding."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from inspector.gui.workspace.workspace import Workspace

if TYPE_CHECKING:
    from inspector.gui.workspace.open_run import OpenRun


class FindingsController(QObject):
    """Moves the selection of the current run to where something was found."""

    said = Signal(str)  # "Finding 2 of 5: …", or why there is none to go to

    def __init__(self, workspace: Workspace, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._workspace = workspace

    def next(self) -> None:
        """Go to the next span, as the run went, at which something was found."""
        self._go(forward=True)

    def previous(self) -> None:
        """Go to the one before."""
        self._go(forward=False)

    def _go(self, *, forward: bool) -> None:
        open_run = self._workspace.current
        if open_run is None:
            return
        if open_run.findings.found is None:
            open_run.findings.ask()
            self.said.emit(open_run.findings.failure or "Still looking for findings")
            return
        row = self._row(open_run, forward=forward)
        if row is None:
            none = not open_run.findings.found
            self.said.emit(
                "Nothing was found in this run" if none
                else "No further finding" if forward else "No earlier finding"
            )  # fmt: skip
            return
        open_run.selection.select(open_run.run.table.id(row))
        self.said.emit(self._words(open_run, row))

    def _row(self, open_run: "OpenRun", *, forward: bool) -> int | None:
        from inspector.presentation.finding_list import stops

        table = open_run.run.table
        rows = stops(open_run.run, open_run.findings.found or ())
        selected = open_run.selection.span_id
        at = table.row_of(selected) if selected else None
        if forward:
            return next((row for row in rows if at is None or row > at), None)
        return next((row for row in reversed(rows) if at is None or row < at), None)

    def _words(self, open_run: "OpenRun", row: int) -> str:
        from inspector.presentation.finding_list import finding_rows, stops

        found = open_run.findings.found or ()
        rows = stops(open_run.run, found)
        here = [one for one in found if one.spans[:1] == (open_run.run.table.id(row),)]
        (shown,) = finding_rows(open_run.run, here[:1])
        return f"Finding {rows.index(row) + 1} of {len(rows)}: {shown.sentence}"
