"""Two runs as one tree, with a map of what differs beside it."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QPoint, Qt, Signal
from PySide6.QtGui import QFontMetrics, QKeyEvent, QKeySequence, QResizeEvent, QShortcut
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
from inspector.gui.models.compare_tree_model import Column, CompareTreeModel
from inspector.gui.tasks.runner import Cancelled
from inspector.gui.widgets.cards import Card
from inspector.gui.widgets.change_map import ChangeMap
from inspector.gui.widgets.labels import ElidedWords, Icon
from inspector.gui.widgets.pair_delegate import PairDelegate
from inspector.gui.widgets.plain import LinkButton
from inspector.gui.widgets.row_tree import dress_tree
from inspector.gui.workspace.open_comparison import OpenComparison, PairFocus
from inspector.presentation.words import one_line

if TYPE_CHECKING:
    from inspector.presentation.compare_tree import CompareTree


class CompareTreePane(QWidget):
    """Which span stands beside which. Knows one `OpenComparison` and nobody else."""

    open_requested = Signal(bool, object)  # whether on the left; the span's id
    align_requested = Signal(str, str)  # a span of the left run, one of the right

    def __init__(self, open_comparison: OpenComparison, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._open = open_comparison
        self._waiting: tuple[bool, str] | None = None  # a span that is to be aligned
        self._moving = False
        self._model = CompareTreeModel(self)
        self._view = _view(self)
        self._view.setModel(self._model)
        self._view.setItemDelegate(PairDelegate(self._view))
        self._view.selectionModel().currentChanged.connect(self._on_current_changed)
        self._view.customContextMenuRequested.connect(self._show_menu)
        self._view.clicked.connect(self._on_clicked)
        self._view.activated.connect(self._on_clicked)
        self._view.resized.connect(self._lay_out)
        self._map = ChangeMap(self)
        self._map.node_chosen.connect(self._go_to)
        self._strip = _AlignStrip(self)
        self._strip.left.connect(self._end_aligning)
        escape = QShortcut(QKeySequence(Qt.Key.Key_Escape), self._view)
        escape.setContext(Qt.ShortcutContext.WidgetShortcut)
        escape.activated.connect(self._end_aligning)

        row = QHBoxLayout()
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(self._view, 1)
        row.addWidget(self._map)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self._strip)
        layout.addLayout(row, 1)
        self.setFocusProxy(self._view)

        open_comparison.asked.connect(self._on_asked)
        open_comparison.compared.connect(self._make_tree)
        open_comparison.only_changed_changed.connect(self._show_tree)
        open_comparison.selection.changed.connect(self._on_selection_changed)
        theme.changes.changed.connect(self._lay_out)
        if open_comparison.comparison is not None:
            self._make_tree()

    @property
    def view(self) -> QTreeView:
        return self._view

    @property
    def model(self) -> CompareTreeModel:
        return self._model

    @property
    def change_map(self) -> ChangeMap:
        return self._map

    # The tree

    def _on_asked(self) -> None:
        self._end_aligning()
        self._model.show_tree(None, only_changed=False)
        self._map.show_marks((), 0)

    def _make_tree(self) -> None:
        found = self._open.comparison
        left, right = self._open.left.run, self._open.right.run
        if found is None:
            return

        def make(cancelled: Cancelled) -> "CompareTree":
            from inspector.presentation.compare_tree import CompareTree

            return CompareTree(found, left, right, cancelled)

        self._open.tasks.start(
            make, done=self._take_tree, failed=self._on_failed, key="compare-tree"
        )

    def _take_tree(self, tree: "CompareTree") -> None:
        found = self._open.comparison
        if found is None or tree.pairs is not found.pairs:
            return  # the tree of what stood here before
        self._model.show_tree(tree, only_changed=self._open.only_changed)
        self._show_map(tree)
        self._open_first()

    def _show_tree(self) -> None:
        tree = self._model.tree
        self._model.show_tree(tree, only_changed=self._open.only_changed)
        if tree is not None:
            self._show_map(tree)
        self._open_first()

    def _show_map(self, tree: "CompareTree") -> None:
        if self._open.only_changed:
            rows, total = tree.changed_rows()
            self._map.show_marks(tree.marks(), total, lambda node: rows.get(node, 0))
        else:
            self._map.show_marks(tree.marks(), tree.rows, tree.ordinal)

    def _open_first(self) -> None:
        """Open what leads to a difference; what is the same stays folded."""
        tree = self._model.tree
        if tree is None:
            return
        self._view.open_rows([self._model.index_of(node) for node in tree.opened_at_first()])
        self._on_selection_changed(self._open.selection.focus)

    def _on_failed(self, error: Exception) -> None:
        self._open.fail("The spans of the two runs could not be laid side by side.", str(error))

    # Selection

    def _on_current_changed(self, index: QModelIndex) -> None:
        node = self._model.node(index)
        tree = self._model.tree
        self._map.make_current(node)
        if node is None or tree is None or self._moving:
            return
        if self._waiting is None:
            self._open.selection.select(PairFocus(None, *tree.ids(node)))

    def _on_selection_changed(self, focus: PairFocus) -> None:
        tree = self._model.tree
        if tree is None:
            return
        node = tree.node_of(focus.left, focus.right)
        index = self._model.index_of(node) if node is not None else QModelIndex()
        if index.isValid() and index.siblingAtColumn(0) != self._view.currentIndex():
            self._moving = True
            self._view.setCurrentIndex(index)
            self._view.scrollTo(index)
            self._moving = False

    def _go_to(self, node: int) -> None:
        index = self._model.index_of(node)
        if index.isValid():
            self._view.setCurrentIndex(index)
            self._view.scrollTo(index, QAbstractItemView.ScrollHint.PositionAtCenter)

    # Opening, aligning

    def _show_menu(self, point: QPoint) -> None:
        index = self._view.indexAt(point)
        node, tree = self._model.node(index), self._model.tree
        if node is None or tree is None:
            return
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        left, right = tree.ids(node)
        for is_left, span_id, side in ((True, left, "left"), (False, right, "right")):
            action = menu.addAction(f"Open in {side}")
            action.setEnabled(span_id is not None)
            action.triggered.connect(
                lambda _on=False, is_left=is_left, span_id=span_id: self.open_requested.emit(
                    is_left, span_id
                )
            )
        menu.addSeparator()
        for is_left, span_id, side in ((True, left, "left"), (False, right, "right")):
            other = "right" if is_left else "left"
            words = f"Align the {side} span with one on the {other}…"
            if left is None or right is None:
                words = "Align with…"
            if span_id is None:
                continue
            menu.addAction(words).triggered.connect(
                lambda _on=False, is_left=is_left, span_id=span_id: self._begin_aligning(
                    is_left, span_id
                )
            )
        menu.popup(self._view.viewport().mapToGlobal(point))

    def _begin_aligning(self, is_left: bool, span_id: str) -> None:
        self._waiting = (is_left, span_id)
        run = self._open.left.run if is_left else self._open.right.run
        row = run.table.row_of(span_id)
        name = span_id if row is None else run.spans[row].path or run.table.name(row)
        side = "right" if is_left else "left"
        self._strip.say(f"Choose what stands beside {one_line(name)} on the {side}.")
        self._view.setFocus()

    def _end_aligning(self) -> None:
        self._waiting = None
        self._strip.hide()

    def _on_clicked(self, index: QModelIndex) -> None:
        node, tree = self._model.node(index), self._model.tree
        if self._waiting is None or node is None or tree is None:
            return
        is_left, span_id = self._waiting
        other = tree.ids(node)[1 if is_left else 0]
        if other is None:
            side = "right" if is_left else "left"
            self._strip.say(f"That row has no span on the {side}. Choose one that has.")
            return
        self._end_aligning()
        pair = (span_id, other) if is_left else (other, span_id)
        self.align_requested.emit(*pair)

    def _lay_out(self) -> None:
        header = self._view.header()
        mark = QFontMetrics(theme.font(strong=True)).horizontalAdvance("≠") + 2 * theme.GAP_PX
        room = max(0, self._view.viewport().width() - mark)
        # Both are moved in alike; the left side has one sign for what folds before it.
        right = (room - theme.ICON_PX) // 2
        for column, width in (
            (Column.LEFT, room - right), (Column.MARK, mark), (Column.RIGHT, right),
        ):  # fmt: skip
            header.resizeSection(column, width)
        self._view.setIndentation(theme.ICON_PX)
        self._map.stand_beside(header.height(), theme.row_height())


class _AlignStrip(Card):
    """Says that the next row chosen is aligned, and lets one leave."""

    left = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__("notice_ground", "accent", parent)
        self._words = ElidedWords()
        row = QHBoxLayout(self)
        row.setContentsMargins(theme.GROUP_GAP_PX, 2, theme.GRID_PX, 2)
        row.setSpacing(theme.GAP_PX)
        row.addWidget(Icon("compare", colour="accent"))
        row.addWidget(self._words, 1)
        row.addWidget(LinkButton("Cancel", self.left.emit))
        self.hide()

    def say(self, words: str) -> None:
        self._words.setText(words)
        self.setAccessibleName(words)
        self.show()


class _Tree(QTreeView):
    resized = Signal()

    def open_rows(self, rows: Sequence[QModelIndex]) -> None:
        """Open rows. One at a time, each would lay out anew all that stand below it."""
        self.scheduleDelayedItemsLayout()
        for index in rows:
            self.expand(index)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.resized.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        # Enter chooses while aligning; on some platforms a tree would begin to edit.
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            if self.currentIndex().isValid():
                self.activated.emit(self.currentIndex())
            return
        super().keyPressEvent(event)


def _view(parent: QWidget) -> _Tree:
    view = _Tree(parent)
    dress_tree(view, "Spans of both runs")
    view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    view.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
    view.setAnimated(False)
    view.header().setStretchLastSection(False)
    view.header().setMinimumSectionSize(0)
    view.header().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
    return view
