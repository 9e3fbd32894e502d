"""The run as a tree: component, visit, agent step, LLM and tool call."""

from bisect import bisect_right
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QPoint, Qt
from PySide6.QtGui import QFontMetrics, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QHeaderView,
    QMenu,
    QTreeView,
    QVBoxLayout,
    QWidget,
)

from inspector.gui import theme
from inspector.gui.models.span_tree_model import Column, SpanTreeModel
from inspector.gui.panes.follow_selection import FollowSelection
from inspector.gui.panes.what_if_menu import offer_changes
from inspector.gui.widgets.breakpoint_gutter import BreakpointGutter
from inspector.gui.widgets.breakpoint_menu import show_breakpoint_menu
from inspector.gui.widgets.empty_words import EmptyWords
from inspector.gui.widgets.span_delegate import SpanDelegate
from inspector.gui.workspace.open_run import OpenRun
from inspector.presentation.shown import no_spans_words

if TYPE_CHECKING:
    from inspector.presentation.breakpoints import BreakpointSpec
    from inspector.presentation.run_tree import Key

_FEW_ROWS = 200
_MOST_PAGES = 3
_MOST_OPENED = 1_000
_LEAST_NAME = 24  # letters of a name that are seen, at a usual depth
_USUAL_DEPTH = 5


class TreePane(QWidget):
    """Shows what happened inside of what. Knows one `OpenRun` and nobody else."""

    def __init__(self, open_run: OpenRun, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._open_run = open_run
        self._model = SpanTreeModel(open_run.run, self)
        self._opened: set[Key] = set()
        self._column_px: dict[Column, int] = {}
        self._before_range: tuple[int, str | None] | None = None
        self._before_filter: tuple[set[Key], int] | None = None
        self._view = _view(self)
        self._view.setModel(self._model)
        self._view.setItemDelegate(SpanDelegate(self._view))
        self._lay_out_columns()
        self._empty = EmptyWords()

        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        self._gutter = BreakpointGutter(self._view, self._model.gutter_mark, self)
        beside = QHBoxLayout()
        beside.setSpacing(0)
        beside.addWidget(self._gutter)
        beside.addWidget(self._view, 1)
        layout.addLayout(beside)
        layout.addWidget(self._empty)

        self._view.expanded.connect(self._on_expanded)
        self._view.collapsed.connect(self._on_collapsed)
        self._open_first()
        self._follow = FollowSelection(self._view, self._model, open_run.selection)
        open_run.range.changed.connect(self._on_changed)
        open_run.run_changed.connect(self._on_changed)
        open_run.search.found_changed.connect(self._on_found)
        open_run.search.filter_changed.connect(self._on_found)
        open_run.notes.changed.connect(self._show_marks)
        open_run.breakpoints.changed.connect(self._show_breakpoints)
        self._gutter.toggled.connect(self._toggle_breakpoint)
        self._gutter.menu_requested.connect(self._offer_breakpoint)
        self._view.customContextMenuRequested.connect(self._offer_changes)
        theme.changes.changed.connect(self._lay_out_columns)
        self._show_marks()
        self._show_breakpoints()
        self._say_when_empty()

    @property
    def view(self) -> QTreeView:
        return self._view

    @property
    def gutter(self) -> BreakpointGutter:
        return self._gutter

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

    def _show_marks(self) -> None:
        self._model.show_marks(self._open_run.notes.marks)
        self._view.viewport().update()

    def _show_breakpoints(self) -> None:
        self._model.show_breakpoints(self._open_run.breakpoints.specs)
        self._gutter.update()

    def _toggle_breakpoint(self, index: QModelIndex) -> None:
        if (spec := self._breakpoint_for(index)) is not None:
            self._open_run.breakpoints.toggle(spec)

    def _offer_breakpoint(self, index: QModelIndex, at: QPoint) -> None:
        if (spec := self._breakpoint_for(index)) is not None:
            show_breakpoint_menu(self._open_run.breakpoints, spec, at, self)

    def _offer_changes(self, at: QPoint) -> None:
        index = self._view.indexAt(at)
        row = self._model.tree.row(index.internalId()) if index.isValid() else None
        if row is None:
            return
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        span_id = self._open_run.run.table.id(row)
        offer_changes(menu, self._open_run, span_id)
        menu.addSeparator()
        menu.addAction(
            theme.icon("live"),
            "Re-run live from here…",
            lambda: self._open_run.live_asked.emit(span_id),
        )
        if menu.actions():
            menu.popup(self._view.viewport().mapToGlobal(at))

    def _breakpoint_for(self, index: QModelIndex) -> "BreakpointSpec | None":
        from inspector.presentation.breakpoints import breakpoint_for

        row = self._model.tree.row(index.internalId()) if index.isValid() else None
        return None if row is None else breakpoint_for(self._open_run.run, row)

    def _on_found(self) -> None:
        search = self._open_run.search
        self._model.mark(search.matched, only=search.is_filter)
        if search.only_found is not None:
            if self._before_filter is None:
                self._before_filter = set(self._opened), self._view.verticalScrollBar().value()
            self._show_only_found()
        elif self._before_filter is not None:
            self._opened, scroll = self._before_filter
            self._before_filter = None
            self._on_changed()
            self._view.verticalScrollBar().setValue(scroll)
        self._view.viewport().update()

    def _show_only_found(self) -> None:
        """Show what was found, opened as far as that helps."""
        search = self._open_run.search
        with _width_kept(self._view):
            self._model.show(self._open_run.run, self._open_run.range.bounds, search.only_found)
            if search.found is not None and len(search.found) <= _MOST_OPENED:
                self._view.expandAll()
            else:
                self._view.expandToDepth(0)
            self._follow.show_selected(self._open_run.selection.span_id)
        self._say_when_empty()

    def _on_changed(self) -> None:
        """Show other rows, with the branches that were open open again."""
        if self._open_run.search.only_found is not None:
            self._on_found()
            return
        scroll = self._scroll_after_change()
        opened = self._worth_opening()
        with _width_kept(self._view):
            self._model.show(self._open_run.run, self._open_run.range.bounds)
            for key in opened:
                self._view.expand(self._model.index_for(key))
            self._opened = opened
        self._follow.show_selected(self._open_run.selection.span_id)
        self._view.verticalScrollBar().setValue(scroll)
        self._say_when_empty()

    def _worth_opening(self) -> "set[Key]":
        """Return what was open, but of many pages those around the selected span.

        Every page that one was led into stays open, and has a thousand rows.
        """
        pages = sorted(key.row for key in self._opened if key.sort == "page")
        if len(pages) <= _MOST_PAGES:
            return set(self._opened)
        selected = self._open_run.selection.span_id
        here = (self._open_run.run.table.row_of(selected) if selected else None) or 0
        far = set(sorted(pages, key=lambda row: abs(row - here))[_MOST_PAGES:])
        # What was open inside of a page goes with it: to find its place makes the page.
        return {
            key
            for key in self._opened
            if key.row < pages[0] or pages[bisect_right(pages, key.row) - 1] not in far
        }

    def _scroll_after_change(self) -> int:
        """Return how far down to be: after a range where one was before it."""
        scroll = self._view.verticalScrollBar().value()
        selected = self._open_run.selection.span_id
        if self._open_run.range.bounds is not None:
            self._before_range = self._before_range or (scroll, selected)
        elif self._before_range is not None:
            before, self._before_range = self._before_range, None
            # Who chose something in the range goes on from there.
            return before[0] if before[1] == selected else scroll
        return scroll

    def _say_when_empty(self) -> None:
        empty = self._model.rowCount() == 0
        self._view.setVisible(not empty)
        self._gutter.setVisible(not empty)
        self._empty.setVisible(empty)
        if self._open_run.search.only_found is not None:
            words = "Nothing was found. Esc in the search line shows everything again."
        elif self._open_run.range.bounds is not None:
            words = "Nothing ran in this stretch of time. Backspace shows the whole run."
        else:
            words = no_spans_words(self._open_run.run)
        self._empty.say(words)

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
            self._column_px[column] = width
        self._view.setIndentation(theme.ICON_PX)
        self._make_room_for_names()

    def _make_room_for_names(self) -> None:
        """Hide figures where there is no room for them beside the names."""
        header = self._view.header()
        metrics = QFontMetrics(theme.font())
        names = _LEAST_NAME * metrics.averageCharWidth() + _USUAL_DEPTH * theme.ICON_PX
        left = self.width() - names - header.sectionSize(Column.DURATION)
        for column in (Column.TOKENS, Column.SHARE):
            needed = self._column_px[column]
            self._view.setColumnHidden(column, left < needed)
            left -= needed

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._make_room_for_names()


@contextmanager
def _width_kept(view: QTreeView) -> Iterator[None]:
    """Show other rows without the scroll bar going and coming, which lays out and paints twice."""
    before = view.verticalScrollBarPolicy()
    if view.verticalScrollBar().isVisible():
        view.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
    yield
    view.updateGeometries()  # at once: until then it does not know how far it scrolls
    view.setVerticalScrollBarPolicy(before)


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
    view.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
    view.header().setStretchLastSection(False)
    view.header().setSectionsMovable(False)
    theme.dress_rows(view)
    return view
