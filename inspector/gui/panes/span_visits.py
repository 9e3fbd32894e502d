"""The visits of the selected span's component, and what this one changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from inspector.gui.widgets.hold_shift import HoldShift
from inspector.gui.widgets.visits_bar import VisitsBar
from inspector.presentation.outline import span_label
from inspector.runfile.kinds import SpanKind

if TYPE_CHECKING:
    from PySide6.QtWidgets import QStackedLayout, QWidget

    from inspector.gui.tasks.runner import Cancelled
    from inspector.gui.widgets.difference_view import DifferenceView
    from inspector.gui.workspace.open_run import OpenRun
    from inspector.presentation.visit_difference import VisitDifference
    from inspector.presentation.walk import Walk


class SpanVisits(QObject):
    """Fills the bar of visits, and puts the changes in front of a stack of pages.

    While the changes are shown they stay so from span to span, where there is a visit
    before; where there is none, the page below them is seen.
    """

    def __init__(self, open_run: OpenRun, stack: QStackedLayout, parent: QWidget) -> None:
        super().__init__(parent)
        self.bar = VisitsBar(parent)
        self._open_run = open_run
        self._stack = stack
        self._view: DifferenceView | None = None
        self._page = 0
        self._toggled = False
        self._held = False
        self._row: int | None = None
        self._before: int | None = None
        self._walk: Walk | None = None
        self.bar.previous_wanted.connect(lambda: self._go(-1))
        self.bar.next_wanted.connect(lambda: self._go(1))
        self.bar.difference_wanted.connect(self._on_toggled)
        self._shift = HoldShift(self.bar)
        self._shift.held.connect(self._on_held)

    @property
    def is_toggled(self) -> bool:
        """Whether a person asked for the changes, and there are any to show."""
        return self._toggled and self._before is not None

    def toggle(self) -> None:
        """Show the changes, or no longer."""
        if self._before is not None or self._toggled:
            self._on_toggled(not self._toggled)

    def show_span(self, row: int | None, walk: Walk | None) -> None:
        """Show the visits of a span; without a walk they are not known yet."""
        self._row, self._walk = row, walk
        self._before = walk.previous_visit(row) if walk is not None and row is not None else None
        if row is None:
            self.bar.show_nothing()
        else:
            table = self._open_run.run.table
            is_step = table.kind_of(row) is SpanKind.STEP
            name = "" if is_step else span_label(self._open_run.run, row)
            visit = walk.visit_of(row) if walk is not None else None
            self.bar.show_visit(name, visit, of="step" if is_step else "visit")
        self._refresh()

    def show_page(self, page: int) -> None:
        """Bring a page to the front, behind the changes while those are shown."""
        self._page = page
        if self._view is None or self._stack.currentWidget() is not self._view or not self._wanted:
            self._stack.setCurrentIndex(page)

    @property
    def _wanted(self) -> bool:
        return (self._toggled or self._held) and self._before is not None

    def _go(self, by: int) -> None:
        if self._walk is None or self._row is None:
            return
        find = self._walk.next_visit if by > 0 else self._walk.previous_visit
        row = find(self._row)
        if row is not None:
            self._open_run.selection.select(self._open_run.run.table.id(row))

    def _on_toggled(self, on: bool) -> None:
        self._toggled = on
        self._refresh()

    def _on_held(self, held: bool) -> None:
        self._held = held
        self._refresh()

    def _refresh(self) -> None:
        self.bar.show_difference(self._wanted)
        if not self._wanted:
            self._stack.setCurrentIndex(self._page)
            return
        run, before, now = self._open_run.run, self._before, self._row
        assert before is not None
        assert now is not None

        def compare(_cancelled: Cancelled) -> VisitDifference:
            from inspector.presentation.visit_difference import visit_difference

            return visit_difference(run, run.spans[before], run.spans[now])

        self._open_run.tasks.start(
            compare, done=self._show, failed=self._on_failed, key=(self, "difference")
        )

    def _show(self, difference: VisitDifference) -> None:
        if not self._wanted:  # any more
            return
        if self._view is None:
            from inspector.gui.widgets.difference_view import DifferenceView

            self._view = DifferenceView()
            self._stack.addWidget(self._view)
        self._view.show_difference(difference)
        self._stack.setCurrentWidget(self._view)

    def _on_failed(self, error: Exception) -> None:
        self._toggled = self._held = False
        self._refresh()
        raise error
