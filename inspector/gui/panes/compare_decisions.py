"""What was decided in two runs, the gravest difference first."""

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QMenu, QToolButton, QVBoxLayout, QWidget

from inspector.gui import theme
from inspector.gui.widgets.cells_view import CellsView
from inspector.gui.widgets.labels import Words
from inspector.gui.widgets.plain import Hairline, IconButton
from inspector.gui.workspace.open_comparison import OpenComparison, PairFocus
from inspector.presentation.decision_table import (
    TITLES,
    count_words,
    decision_rows,
    sorted_decisions,
)

_WIDTHS = (18, 17, 20, 0.46, 0.27, 0.27)


class DecisionsPane(QWidget):
    """The table of decisions. Knows one `OpenComparison` and nobody else."""

    next_requested = Signal()
    previous_requested = Signal()
    entered = Signal()  # a person wants to read what is chosen
    open_requested = Signal(bool, object)  # whether on the left; the span's id

    def __init__(self, open_comparison: OpenComparison, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._open = open_comparison
        self._count = Words(strong=True)
        self._order = QComboBox()
        self._order.addItems(["Most severe first", "In the order they happened"])
        self._order.setAccessibleName("Order of the decisions")
        self._order.view().setAccessibleName("Orders of the decisions")
        self._order.activated.connect(lambda place: open_comparison.set_by_severity(place == 0))
        self._only = QToolButton()
        self._only.setText("Only changed")
        self._only.setAccessibleName("Show only what differs")
        self._only.setToolTip("Show only what differs (Ctrl+Shift+D)")
        self._only.setCheckable(True)
        self._only.setAutoRaise(True)
        self._only.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._only.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self._only.clicked.connect(open_comparison.set_only_changed)
        self._table = CellsView(TITLES, "Decisions", _WIDTHS, self)
        self._table.row_changed.connect(self._on_row_changed)
        self._table.row_chosen.connect(lambda _key: self.entered.emit())
        self._table.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self._table.customContextMenuRequested.connect(self._show_menu)
        self._empty = Words(colour="secondary", wrap=True)
        self._empty.setAlignment(Qt.AlignmentFlag.AlignCenter)

        head = QHBoxLayout()
        head.setContentsMargins(theme.GROUP_GAP_PX, 2, theme.GRID_PX, 2)
        head.setSpacing(theme.GRID_PX)
        head.addWidget(self._count)
        head.addStretch(1)
        head.addWidget(self._order)
        head.addWidget(self._only)
        for button in (
            IconButton("previous-change", "Previous change (Alt+Up)",
                       self.previous_requested.emit),
            IconButton("next-change", "Next change (Alt+Down)", self.next_requested.emit),
        ):  # fmt: skip
            head.addWidget(button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(head)
        layout.addWidget(Hairline(self))
        layout.addWidget(self._table, 1)
        layout.addWidget(self._empty, 1)
        self._empty.hide()
        self.setFocusProxy(self._table)

        open_comparison.compared.connect(self._show)
        open_comparison.order_changed.connect(self._show)
        open_comparison.only_changed_changed.connect(self._show)
        open_comparison.selection.changed.connect(self._on_selection_changed)
        theme.changes.changed.connect(self._dress)
        self._dress()
        self._show()

    @property
    def table(self) -> CellsView:
        return self._table

    @property
    def order(self) -> QComboBox:
        return self._order

    def _show(self) -> None:
        self._only.setChecked(self._open.only_changed)
        self._order.setCurrentIndex(0 if self._open.by_severity else 1)
        found = self._open.comparison
        if found is None:
            return
        shown = sorted_decisions(
            found, by_severity=self._open.by_severity, only_changed=self._open.only_changed
        )
        self._count.setText(count_words(found))
        self._table.show_rows(decision_rows(found, shown))
        self._table.make_current(self._open.selection.focus.decision)
        self._table.setVisible(bool(shown))
        self._empty.setVisible(not shown)
        self._empty.setText(
            "No decision differs. “Only changed” hides those that are the same."
            if found.decisions
            else "Neither run recorded a decision."
        )

    def _on_row_changed(self, number: int) -> None:
        if self._open.comparison is not None:
            found = self._open.comparison.decisions[number]
            self._open.selection.select(PairFocus(number, found.left_span, found.right_span))

    def _show_menu(self, point: QPoint) -> None:
        number = self._table.cells.key(self._table.indexAt(point))
        if number is None or self._open.comparison is None:
            return
        found = self._open.comparison.decisions[number]
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for is_left, span_id, side in (
            (True, found.left_span, "left"), (False, found.right_span, "right"),
        ):  # fmt: skip
            action = menu.addAction(f"Open in {side}")
            action.setEnabled(span_id is not None)
            action.triggered.connect(
                lambda _on=False, is_left=is_left, span_id=span_id: self.open_requested.emit(
                    is_left, span_id
                )
            )
        menu.popup(self._table.viewport().mapToGlobal(point))

    def _on_selection_changed(self, focus: PairFocus) -> None:
        self._table.make_current(focus.decision)

    def _dress(self) -> None:
        self._only.setIcon(theme.icon("only-changed", "secondary"))
