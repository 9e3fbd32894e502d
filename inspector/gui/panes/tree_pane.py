"""The run as a tree: component, visit, agent step, LLM and tool call."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTreeView, QVBoxLayout, QWidget

from inspector.gui import theme
from inspector.gui.models.span_tree_model import Column, SpanTreeModel
from inspector.gui.panes.follow_selection import FollowSelection
from inspector.gui.widgets.labels import Words
from inspector.gui.widgets.span_delegate import SpanDelegate
from inspector.gui.workspace.open_run import OpenRun

if TYPE_CHECKING:
    from inspector.presentation.run_tree import Key

_FEW_ROWS = 200


class TreePane(QWidget):
    """Shows what happened inside of what. Knows one `OpenRun` and nobody else."""

    def __init__(self, open_run: OpenRun, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._open_run = open_run
        self._model = SpanTreeModel(open_run.run, self)
        self._opened: set[Key] = set()
        self._view = _view(self)
        self._view.setModel(self._model)
        self._view.setItemDelegate(SpanDelegate(self._view))
        self._lay_out_columns()
        self._empty = Words(colour="secondary", wrap=True)
        self._empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._empty.setContentsMargins(24, 24, 24, 24)

        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self._view)
        layout.addWidget(self._empty)

        self._view.expanded.connect(self._on_expanded)
        self._view.collapsed.connect(self._on_collapsed)
        self._open_first()
        self._follow = FollowSelection(self._view, self._model, open_run.selection)
        open_run.range.changed.connect(self._on_changed)
        open_run.run_changed.connect(self._on_changed)
        theme.changes.changed.connect(self._lay_out_columns)
        self._say_when_empty()

    @property
    def view(self) -> QTreeView:
        return self._view

    def fold_all(self) -> None:
        """Close every branch."""
        self._opened.clear()
        self._view.collapseAll()
        self._follow.show_selected(self._open_run.selection.span_id)

    def unfold_all(self) -> None:
        """Open every branch, as far as that helps."""
        # A hundred thousand open rows help nobody and would hold up the window.
        if len(self._open_run.run.spans) <= 20 * _FEW_ROWS:
            self._view.expandAll()
        else:
            self._view.expandToDepth(2)

    def _open_first(self) -> None:
        if len(self._open_run.run.spans) <= _FEW_ROWS:
            self._view.expandAll()
        else:
            self._view.expandToDepth(0)

    def _on_expanded(self, index: QModelIndex) -> None:
        self._opened.add(self._model.key(index))

    def _on_collapsed(self, index: QModelIndex) -> None:
        self._opened.discard(self._model.key(index))

    def _on_changed(self) -> None:
        """Show other rows, with the branches that were open open again."""
        scroll = self._view.verticalScrollBar().value()
        opened = set(self._opened)
        self._model.show(self._open_run.run, self._open_run.range.bounds)
        for key in opened:
            self._view.expand(self._model.index_for(key))
        self._opened = opened
        self._follow.show_selected(self._open_run.selection.span_id)
        self._view.verticalScrollBar().setValue(scroll)
        self._say_when_empty()

    def _say_when_empty(self) -> None:
        empty = self._model.rowCount() == 0
        self._view.setVisible(not empty)
        self._empty.setVisible(empty)
        ranged = self._open_run.range.bounds is not None
        self._empty.setText(
            "Nothing ran in this stretch of time. Backspace shows the whole run."
            if ranged
            else "This run has no spans yet: what it runs will be listed here."
        )

    def _lay_out_columns(self) -> None:
        header = self._view.header()
        metrics = QFontMetrics(theme.font())
        figures = metrics.horizontalAdvance("999.9 ms") + 2 * theme.GAP_PX
        header.setSectionResizeMode(Column.NAME, QHeaderView.ResizeMode.Stretch)
        for column, width in (
            (Column.SHARE, 56),
            (Column.DURATION, figures),
            (Column.TOKENS, figures),
        ):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Fixed)
            header.resizeSection(column, width)
        self._view.setIndentation(theme.ICON_PX)


def _view(parent: QWidget) -> QTreeView:
    view = QTreeView(parent)
    view.setAccessibleName("Components")
    view.setUniformRowHeights(True)
    view.setAllColumnsShowFocus(True)
    view.setMouseTracking(True)
    view.setFrameShape(QTreeView.Shape.NoFrame)
    view.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    view.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
    view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    view.setAnimated(False)
    view.header().setStretchLastSection(False)
    view.header().setSectionsMovable(False)
    theme.dress_rows(view)
    return view
