"""The tree of a replay: the recording's, filled in as the replay comes, and what is new in it."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QFontMetrics, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QHeaderView, QTreeView, QWidget

from inspector.gui import theme
from inspector.gui.models.replay_tree_model import ReplayColumn, ReplayTreeModel
from inspector.gui.panes.replay_arranger import Arranged, ReplayArranger
from inspector.gui.panes.replay_flash import ReplayFlash
from inspector.gui.panes.replay_gutter import ReplayGutter
from inspector.gui.panes.replay_turns import ReplayTurns
from inspector.gui.widgets.replay_delegate import ReplayDelegate
from inspector.gui.widgets.row_tree import dress_tree
from inspector.gui.workspace.open_replay import OpenReplay, ReplayFocus

if TYPE_CHECKING:
    from inspector.presentation.run_tree import Key

AnyIndex = QModelIndex | QPersistentModelIndex
_FEW_ROWS = 200
_LEAST_NAME = 12  # letters
_USUAL_DEPTH = 5


class ReplayTreePane(QWidget):
    """Shows how each span of a replay stands to the recording. Knows one `OpenReplay`."""

    open_requested = Signal(object)  # ReplayFocus: show it where its values are

    def __init__(
        self,
        replay: OpenReplay,
        arranger: ReplayArranger,
        flash: ReplayFlash,
        turns: ReplayTurns,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._replay = replay
        self._turns = turns
        self._arranger = arranger
        self._model = ReplayTreeModel(self)
        self._opened: set[Key] = set()
        self._collapsed: set[Key] = set()  # by a person: what is new in them opens them no more
        self._is_following = False
        self._view = QTreeView()
        dress_tree(self._view, "Spans of the replay")
        self._view.setAnimated(False)
        self._view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._view.setModel(self._model)
        self._view.setItemDelegate(ReplayDelegate(self._view))
        self.setFocusProxy(self._view)
        self._gutter = ReplayGutter(replay, self._view, self._model, self)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self._gutter)
        layout.addWidget(self._view, 1)
        self._view.expanded.connect(self._on_expanded)
        self._view.collapsed.connect(self._on_collapsed)
        self._view.selectionModel().currentChanged.connect(self._on_moved)
        self._view.activated.connect(self._on_activated)
        # Tree and timeline are not drawn anew in one turn: together they could be felt.
        arranger.arranged.connect(lambda _arranged: turns.want(self._show_newest))
        replay.rows_changed.connect(self._on_rows_changed)
        replay.held_changed.connect(self._show_held)
        replay.ended.connect(self._paint)
        replay.selection.changed.connect(self._show_selected)
        flash.changed.connect(self._on_flash)
        theme.changes.changed.connect(self._lay_out_columns)
        self._lay_out_columns()
        self._show_newest()

    @property
    def view(self) -> QTreeView:
        return self._view

    @property
    def gutter(self) -> ReplayGutter:
        return self._gutter

    @property
    def model(self) -> ReplayTreeModel:
        return self._model

    def _show_newest(self) -> None:
        if self._arranger.now is not None:
            self._show(self._arranger.now)

    def _show(self, arranged: Arranged) -> None:
        """Show rows, with the branches that were open open again."""
        table = self._replay.table
        assert table is not None
        first = self._model.rowCount() == 0
        scroll = self._view.verticalScrollBar().value()
        opened = set(self._opened)
        self._is_following = True
        self._model.show(table, arranged.tree)
        if first and arranged.rows <= _FEW_ROWS:
            self._view.expandAll()
        elif first:
            self._view.expandToDepth(0)
        for key in opened:
            self._view.expand(self._model.index_for(key))
        if not first and arranged.rows <= _FEW_ROWS:
            self._open_what_is_new(table.recorded, arranged.rows)
        self._opened |= opened
        self._is_following = False
        self._view.updateGeometries()
        # Without scrolling there, which would open the branch it is in.
        self._view.setAutoScroll(False)
        self._show_selected(self._replay.selection.focus)
        self._view.setAutoScroll(True)
        self._view.verticalScrollBar().setValue(scroll)
        self._show_held()

    def _on_expanded(self, index: QModelIndex) -> None:
        key = self._model.key(index)
        self._opened.add(key)
        self._collapsed.discard(key)

    def _on_collapsed(self, index: QModelIndex) -> None:
        key = self._model.key(index)
        self._opened.discard(key)
        self._collapsed.add(key)

    def _on_rows_changed(self, _rows: list[int], _grew: bool) -> None:
        self._turns.want(self._paint)

    def _paint(self) -> None:
        self._model.refresh()
        self._view.viewport().update()

    def _open_what_is_new(self, first: int, end: int) -> None:
        for row in range(first, end):
            index = self._model.index_of(row)
            while index.isValid():
                if self._model.hasChildren(index) and self._model.key(index) not in self._collapsed:
                    self._view.expand(index)
                index = self._model.parent(index)

    def _show_held(self) -> None:
        live, table = self._replay.live, self._replay.table
        if live is None or table is None:
            return
        held: dict[int, str] = {}
        for call in live.held:
            if (span := live.span(call.span_id)) is not None:
                held[table.row_of(span)] = f"paused {call.phase} it"
        self._model.show_held(held)
        self._view.viewport().update()

    def _on_flash(self, rows: frozenset[int]) -> None:
        self._model.flash(rows)
        self._view.viewport().update()

    # What is selected

    def _show_selected(self, focus: ReplayFocus) -> None:
        row = self._replay.row_of(focus)
        index = QModelIndex() if row is None else self._model.index_of(row)
        if not index.isValid() or self._view.currentIndex() == index:
            return
        self._is_following = True
        self._view.setCurrentIndex(index)
        self._is_following = False

    def _on_moved(self, current: AnyIndex, _previous: AnyIndex) -> None:
        row = self._model.table_row(current)
        if row is not None and not self._is_following:
            self._replay.select_row(row)

    def _on_activated(self, index: QModelIndex) -> None:
        if (row := self._model.table_row(index)) is not None:
            self.open_requested.emit(self._replay.focus_of(row))

    def _lay_out_columns(self) -> None:
        header = self._view.header()
        header.setStretchLastSection(False)
        metrics = QFontMetrics(theme.font())
        self._widths = {
            ReplayColumn.HOW: metrics.horizontalAdvance("Against the recording") + 24,
            ReplayColumn.TIME: metrics.horizontalAdvance("999.9 ms") + 2 * theme.GAP_PX,
        }
        header.setSectionResizeMode(ReplayColumn.NAME, QHeaderView.ResizeMode.Stretch)
        for column, width in self._widths.items():
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Fixed)
            header.resizeSection(column, width)
        self._view.setIndentation(theme.ICON_PX)
        self._make_room_for_names()

    def _make_room_for_names(self) -> None:
        """Hide times, then the words behind the marks, where there is no room beside the names."""
        metrics = QFontMetrics(theme.font())
        names = _LEAST_NAME * metrics.averageCharWidth() + _USUAL_DEPTH * theme.ICON_PX
        left = self._view.width() - names
        how, time = (self._widths[each] for each in (ReplayColumn.HOW, ReplayColumn.TIME))
        self._view.setColumnHidden(ReplayColumn.TIME, left < how + time)
        mark = metrics.horizontalAdvance("≠…") + 24
        self._view.header().resizeSection(ReplayColumn.HOW, min(how, max(mark, left)))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._make_room_for_names()
