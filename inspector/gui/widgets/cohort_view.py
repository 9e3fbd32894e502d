"""The table of a cohort: rows sorted by a press on a title, wide enough for every figure."""

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QWidget

from inspector.gui import theme
from inspector.gui.widgets.cells_view import CellsView
from inspector.presentation.cohort_table import CohortColumn, CohortTable, ColumnKind

_LEAST_ANSWER = 26  # characters
_LEAST_RUN = 24
_RUN_SHARE = 0.36  # of the room that run and answer have together
_MOST_ROWS = 12
_ARROW_PX = 14


class CohortView(CellsView):
    """Runs as rows, the baseline on top whatever they are sorted by."""

    sort_requested = Signal(int)  # the column

    def __init__(self, shown: CohortTable, parent: QWidget | None = None) -> None:
        self._columns: tuple[CohortColumn, ...] = shown.columns
        self._words = [
            [each.title, *(row.cells[at].text for row in shown.rows)]
            for at, each in enumerate(shown.columns)
        ]
        titles = [column.title for column in shown.columns]
        super().__init__(titles, "Runs beside the baseline", [2] * len(titles), parent)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        header = self.header()
        header.setSectionsClickable(True)
        header.sectionClicked.connect(self.sort_requested)

    def mark_sorted(self, column: int | None, *, falling: bool) -> None:
        """Show by which column the rows stand in order; None is the order they came in."""
        titles = [each.title for each in self._columns]
        if column is not None:
            titles[column] = f"{titles[column]} {'▾' if falling else '▴'}"
        self.cells.show_titles(titles)

    def sizeHint(self) -> QSize:
        rows = min(max(self.cells.rowCount(), 3), _MOST_ROWS)
        height = self.header().sizeHint().height() + rows * theme.row_height() + theme.GAP_PX
        return QSize(900, height)

    def _lay_out(self) -> None:
        metrics = QFontMetrics(theme.font())
        character = metrics.averageCharWidth()
        # Figures are seen whole; a title has its arrow beside it.
        widths = [
            max(
                metrics.horizontalAdvance(title) + _ARROW_PX,
                *(metrics.horizontalAdvance(each) for each in words),
            )
            + 2 * theme.GAP_PX
            + 2
            for title, *words in self._words
        ]
        wide = {ColumnKind.RUN: _LEAST_RUN, ColumnKind.ANSWER: _LEAST_ANSWER}
        fixed = sum(
            width
            for column, width in zip(self._columns, widths, strict=True)
            if column.kind not in wide
        )
        room = self.viewport().width() - fixed
        shares = {ColumnKind.RUN: _RUN_SHARE, ColumnKind.ANSWER: 1 - _RUN_SHARE}
        for at, column in enumerate(self._columns):
            if column.kind in wide:
                least = wide[column.kind] * character
                widths[at] = max(least, int(room * shares[column.kind]))
            self.header().resizeSection(at, widths[at])
