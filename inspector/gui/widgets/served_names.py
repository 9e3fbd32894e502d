"""The list of servers of any kind, with what can be done about each."""

from collections.abc import Callable

from PySide6.QtCore import (
    QAbstractItemModel,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    Qt,
    Signal,
)
from PySide6.QtWidgets import (
    QHBoxLayout,
    QMenu,
    QPushButton,
    QStyledItemDelegate,
    QTreeView,
    QVBoxLayout,
    QWidget,
)

from inspector.gui import theme
from inspector.gui.widgets.plain import IconButton, PanelGround
from inspector.gui.widgets.row_tree import dress_tree

AnyIndex = QModelIndex | QPersistentModelIndex


class ServedNames(QWidget):
    """Buttons and the menu of a row ask for one server; choosing a row looks at it.

    Args:
        model: The rows.
        name_at: Returns the name of the server that a row is of; empty for none.
        what: The word for one of them.
        title: Names the list.
        delegate: Draws the rows.

    """

    add_requested = Signal()
    edit_requested = Signal(str)  # name of a server
    remove_requested = Signal(str)
    refresh_requested = Signal(str)

    def __init__(
        self,
        model: QAbstractItemModel,
        name_at: Callable[[AnyIndex], str],
        *,
        what: str,
        title: str,
        delegate: QStyledItemDelegate,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._name_at = name_at
        self._what = what
        model.setParent(self)
        self._tree = QTreeView()
        dress_tree(self._tree, title)
        self._tree.setHeaderHidden(True)
        delegate.setParent(self._tree)
        self._tree.setItemDelegate(delegate)
        self._tree.setModel(model)
        self._tree.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self._tree.customContextMenuRequested.connect(self._show_menu)
        self._tree.selectionModel().currentChanged.connect(self._on_current)
        self._tree.doubleClicked.connect(self._on_double_click)
        add = QPushButton(f"Add {what}…")
        add.setObjectName(f"add-{what}")
        add.clicked.connect(self.add_requested)
        self._edit_button = IconButton("write", f"Edit the {what}", self._edit)
        self._edit_button.setObjectName(f"edit-{what}")
        self._remove_button = IconButton("remove", f"Remove the {what}", self._remove)
        self._remove_button.setObjectName(f"remove-{what}")
        buttons = QHBoxLayout()
        buttons.setContentsMargins(theme.GAP_PX, theme.GRID_PX, theme.GAP_PX, theme.GRID_PX)
        buttons.setSpacing(theme.GRID_PX)
        buttons.addWidget(add)
        buttons.addStretch(1)
        buttons.addWidget(self._edit_button)
        buttons.addWidget(self._remove_button)
        PanelGround(self)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(0)
        self._column.addWidget(self._tree, 1)
        self._column.addLayout(buttons)
        self.setFocusProxy(self._tree)
        self._allow()

    @property
    def tree(self) -> QTreeView:
        return self._tree

    # What a list has of its own

    def _look_at(self, index: AnyIndex) -> None:
        """Tell that another row is looked at."""

    def _begin_menu(self, menu: QMenu, index: AnyIndex) -> None:
        """Put what one does most into the menu of a row."""

    # What happens

    def _on_current(self, index: AnyIndex, _before: AnyIndex) -> None:
        self._allow()
        self._look_at(index)

    def _on_double_click(self, _index: AnyIndex) -> None:
        self._edit()

    def _allow(self) -> None:
        name = self._name_at(self._tree.currentIndex())
        self._edit_button.setEnabled(bool(name))
        self._remove_button.setEnabled(bool(name))

    def _edit(self) -> None:
        if name := self._name_at(self._tree.currentIndex()):
            self.edit_requested.emit(name)

    def _remove(self) -> None:
        if name := self._name_at(self._tree.currentIndex()):
            self.remove_requested.emit(name)

    def _show_menu(self, at: QPoint) -> None:
        index = self._tree.indexAt(at)
        name = self._name_at(index)
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        if name:
            self._begin_menu(menu, index)
            menu.addAction("Ask it now", lambda: self.refresh_requested.emit(name))
            menu.addSeparator()
            menu.addAction(f"Edit the {self._what}…", lambda: self.edit_requested.emit(name))
            menu.addAction(f"Remove the {self._what}…", lambda: self.remove_requested.emit(name))
        else:
            menu.addAction(f"Add {self._what}…", self.add_requested.emit)
        menu.popup(self._tree.viewport().mapToGlobal(at))
