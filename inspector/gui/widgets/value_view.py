"""Values as a tree, and the one that is chosen in full beside it."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QModelIndex, QPoint, Qt, Signal
from PySide6.QtGui import QAction, QGuiApplication, QKeyEvent, QKeySequence, QResizeEvent
from PySide6.QtWidgets import (
    QHeaderView,
    QMenu,
    QStackedLayout,
    QTreeView,
    QVBoxLayout,
    QWidget,
)

from inspector.gui import theme
from inspector.gui.models.value_tree_model import Column, ValueRole, ValueTreeModel
from inspector.gui.tasks.runner import TaskRunner
from inspector.gui.widgets.empty_words import EmptyWords
from inspector.gui.widgets.plain import QUESTIONS, IconButton
from inspector.gui.widgets.quiet_splitter import QuietSplitter
from inspector.gui.widgets.value_delegate import ValueDelegate
from inspector.gui.widgets.value_viewer import ValueViewer
from inspector.presentation.previews import text_preview
from inspector.presentation.value_text import (
    MOST_SHOWN,
    WrittenValue,
    json_text,
    readable,
)
from inspector.presentation.values import PAGE, ValueNode, items_in

_WITHOUT_ABOUT_PX = 440
_KEPT_OPEN = 100  # branches that open again with the next values
_FITTED = 100  # names that are measured
# Children of a root that is opened from the start.
_OPENED_AT_ONCE = 12
_OPENED_ALONE = 60


class ValueView(QWidget):
    """A tree of values over a viewer, or beside it where there is room."""

    field_chosen = Signal(str)  # the path of the value a person chose
    asked = Signal(str, bool)  # the path of a value: where it came from, or who used it
    menu_opened = Signal(object, str)  # QMenu and path: others add what they offer for a value

    def __init__(
        self, tasks: TaskRunner, name: str, parent: QWidget | None = None, *, asks: bool = True
    ) -> None:
        super().__init__(parent)
        # What is on its way in a replay is in no file yet, where one could look for it.
        self._questions = QUESTIONS if asks else ()
        self._tasks = tasks
        self._as_json = False
        self._model = ValueTreeModel(self)
        self._tree = _ValueTree(self)
        self._tree.setModel(self._model)
        self._tree.setAccessibleName(f"{name}: values")
        self._tree.prepare()
        self._tree.selectionModel().currentChanged.connect(self._on_current_changed)
        self._tree.clicked.connect(self._on_chosen)
        self._tree.activated.connect(self._on_activated)
        self._tree.copy_requested.connect(self.copy_value)
        self._tree.customContextMenuRequested.connect(self._on_menu_requested)
        self._viewer = ValueViewer(
            tasks, self, name=f"{name}: the chosen value", buttons=self._question_buttons
        )
        self._viewer.escape_pressed.connect(self._tree.setFocus)
        self._viewer.item_requested.connect(self._on_item_requested)

        self._splitter = QuietSplitter(Qt.Orientation.Vertical, self)
        self._splitter.addWidget(self._tree)
        self._splitter.addWidget(self._viewer)
        self._splitter.setSizes([200, 300])
        self._splitter.setStretchFactor(0, 2)
        self._splitter.setStretchFactor(1, 3)
        self._empty = EmptyWords(self)
        self._stack = QStackedLayout()
        self._stack.addWidget(self._splitter)
        self._stack.addWidget(self._empty)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addLayout(self._stack)
        self.setFocusProxy(self._tree)

    def show_nodes(self, roots: Sequence[ValueNode], missing: str = "") -> None:
        """Show other values; without any, `missing` says why.

        The place that was looked at is kept where the new values have it too, so
        that stepping through the visits of a component compares like with like.
        """
        before = self.current_path
        opened = self._tree.opened_paths()
        self._model.show_nodes(roots)
        self._stack.setCurrentIndex(0 if roots else 1)
        self._empty.say(missing or "Nothing was recorded here.")
        if not roots:
            return
        most = _OPENED_ALONE if len(roots) == 1 else _OPENED_AT_ONCE
        for row, root in enumerate(roots[:_OPENED_AT_ONCE]):
            if 0 < root.child_count <= most:
                self._tree.expand(self._model.index(row, 0))
        for path in opened:
            self._tree.expand(self._model.index_of(path))
        self._tree.fit_names(roots)
        if not self.show_field(before):
            self._tree.setCurrentIndex(self._first_worth_reading())

    def _first_worth_reading(self) -> QModelIndex:
        """Return the first value; of a list with one item, that item."""
        index = self._model.index(0, Column.NAME)
        node = self._model.node(index)
        if node is not None and node.child_count == 1 and items_in(node.value) is not None:
            return self._model.index(0, Column.NAME, index)
        return index

    def show_field(self, path: str) -> bool:
        """Open the tree at a path; `False` when there is nothing."""
        index = self._model.index_of(path) if path else QModelIndex()
        if not index.isValid():
            return False
        if index != self._tree.currentIndex().siblingAtColumn(0):
            self._tree.setCurrentIndex(index)
        self._tree.make_room_for(index)
        return True

    @property
    def current_path(self) -> str:
        node = self.current_node
        return node.path if node is not None else ""

    @property
    def current_node(self) -> ValueNode | None:
        return self._model.node(self._tree.currentIndex())

    def copy_value(self) -> None:
        """Copy the chosen value: text as it is, everything else as JSON."""
        node = self.current_node
        if node is not None:
            self._copy(node, as_json=False)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._splitter.lie_or_stand(self.size())

    def _on_current_changed(self, current: QModelIndex, _previous: QModelIndex) -> None:
        node = self._model.node(current)
        if node is None:
            self._viewer.clear()
            return
        self._show_in_viewer(node)

    def _show_in_viewer(self, node: ValueNode) -> None:
        title = text_preview(_without_root(node.path), 80)
        self._viewer.show_node(node, title, as_json=self._as_json)

    def _question_buttons(self) -> list[QWidget]:
        return [
            IconButton(icon, words, partial(self._ask, backward=backward))
            for icon, words, backward in self._questions
        ]

    def _on_item_requested(self, number: int) -> None:
        path = f"{self.current_path}[{number}]"
        if self.show_field(path):
            self.field_chosen.emit(path)
            self._tree.setFocus(Qt.FocusReason.OtherFocusReason)

    def _on_chosen(self, index: QModelIndex) -> None:
        node = self._model.node(index)
        if node is not None:
            self.field_chosen.emit(node.path)

    def _on_activated(self, index: QModelIndex) -> None:
        self._on_chosen(index)
        if not self._model.hasChildren(index.siblingAtColumn(0)):
            self._viewer.set_focus_on_value()

    def _on_menu_requested(self, at: QPoint) -> None:
        node = self.current_node
        if node is None:
            return
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for words, act in (
            ("Copy value", lambda: self._copy(node, as_json=False)),
            ("Copy as JSON", lambda: self._copy(node, as_json=True)),
            ("Copy path", lambda: QGuiApplication.clipboard().setText(node.path)),
        ):
            action = QAction(words, menu)
            action.triggered.connect(act)
            menu.addAction(action)
        menu.addSeparator()
        for icon, words, backward in self._questions:
            ask = partial(self.asked.emit, node.path, backward)
            menu.addAction(theme.icon(icon), words, ask)
        menu.addSeparator()
        shown = QAction("Show messages and documents as JSON", menu, checkable=True)
        shown.setChecked(self._as_json)
        shown.toggled.connect(self._on_json_toggled)
        menu.addAction(shown)
        self.menu_opened.emit(menu, node.path)
        menu.popup(self._tree.viewport().mapToGlobal(at))

    def _ask(self, *, backward: bool) -> None:
        if self.current_path:
            self.asked.emit(self.current_path, backward)

    def _on_json_toggled(self, on: bool) -> None:
        self._as_json = on
        node = self.current_node
        if node is not None:
            self._show_in_viewer(node)

    def _copy(self, node: ValueNode, *, as_json: bool) -> None:
        write = json_text if as_json else readable
        value = node.value

        def copy(written: WrittenValue) -> None:
            QGuiApplication.clipboard().setText(written.text)

        # A value can be large: it is written out on a worker thread.
        self._tasks.start(
            lambda _cancelled: write(value, MOST_SHOWN),
            done=copy,
            failed=lambda error: self._viewer.show_text(f"Could not copy: {error}"),
            key=(self, "copy"),
        )


def _without_root(path: str) -> str:
    """Return a path without `inputs.` or `outputs.`, which the tab says already."""
    return path.partition(".")[2] or path


class _ValueTree(QTreeView):
    copy_requested = Signal()

    def prepare(self) -> None:
        """Set what needs a model first."""
        theme.dress_rows(self)
        self.setItemDelegate(ValueDelegate(self))
        self.setUniformRowHeights(True)
        self.setFrameShape(QTreeView.Shape.NoFrame)
        self.setEditTriggers(QTreeView.EditTrigger.NoEditTriggers)
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.setAllColumnsShowFocus(True)
        self.setIndentation(4 * theme.GRID_PX)
        header = self.header()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(Column.NAME, QHeaderView.ResizeMode.Interactive)
        header.setSectionResizeMode(Column.VALUE, QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(Column.ABOUT, QHeaderView.ResizeMode.Interactive)
        header.resizeSection(Column.ABOUT, 190)
        header.sectionResized.connect(self._on_section_resized)
        self._fitted_px = 0
        self._sized_by_hand = False

    def opened_paths(self) -> list[str]:
        """Return where the tree is open, from the top down; of very many, the first."""
        model = self.model()
        paths: list[str] = []
        waiting = [QModelIndex()]
        while waiting and len(paths) < _KEPT_OPEN:
            parent = waiting.pop(0)
            # Rows that were never opened are not asked for: that would make them.
            for row in range(min(model.rowCount(parent), PAGE)):
                index = model.index(row, Column.NAME, parent)
                if self.isExpanded(index):
                    paths.append(index.data(ValueRole.PATH))
                    waiting.append(index)
        return paths

    def fit_names(self, roots: Sequence[ValueNode]) -> None:
        """Give names the room that those at the top need, unless a person chose another."""
        if self._sized_by_hand:
            return
        names = [root.label for root in roots[:_FITTED]]
        names += [child.label for child in roots[0].children[:_FITTED]] if len(roots) == 1 else []
        widest = max(map(self.fontMetrics().horizontalAdvance, names), default=0)
        self._fitted_px = min(max(widest + 3 * self.indentation(), 100), 260)
        self.header().resizeSection(Column.NAME, self._fitted_px)

    def make_room_for(self, index: QModelIndex) -> None:
        """Widen the names for one that stands deep inside, and for those it stands in.

        They may take up to three fifths of the room there is: values have to be read, too.
        """
        if self._sized_by_hand:
            return
        way = [index.siblingAtColumn(Column.NAME)]
        while (above := way[-1].parent()).isValid():
            way.append(above)
        advance = self.fontMetrics().horizontalAdvance
        widest = max(
            (depth + 1) * self.indentation() + advance(str(one.data())) + 2 * theme.GAP_PX
            for depth, one in enumerate(reversed(way))
        )
        wanted = min(widest, self.viewport().width() * 3 // 5)
        if wanted > self.header().sectionSize(Column.NAME):
            self._fitted_px = wanted
            self.header().resizeSection(Column.NAME, wanted)

    def _on_section_resized(self, section: int, _before: int, after: int) -> None:
        if section == Column.NAME and after != self._fitted_px:
            self._sized_by_hand = True

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.setColumnHidden(Column.ABOUT, self.width() < _WITHOUT_ABOUT_PX)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy_requested.emit()
        elif event.key() == Qt.Key.Key_Asterisk:
            # Qt would open everything below, which may be endless.
            event.accept()
        else:
            super().keyPressEvent(event)
