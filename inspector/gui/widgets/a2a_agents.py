"""The list of agents, with what can be done about it."""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPoint, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QMenu, QPushButton, QTreeView, QVBoxLayout, QWidget

from inspector.gui import theme
from inspector.gui.models.a2a_agents_model import AgentsModel
from inspector.gui.widgets.hayhooks_servers import ServerDelegate
from inspector.gui.widgets.plain import IconButton, PanelGround
from inspector.gui.widgets.row_tree import dress_tree
from inspector.gui.workspace.open_agents import AgentView

AnyIndex = QModelIndex | QPersistentModelIndex


class A2AAgents(QWidget):
    """Choosing a row looks at its card and its tasks."""

    chosen = Signal(str)  # name of an agent
    add_requested = Signal()
    edit_requested = Signal(str)  # name of an agent
    remove_requested = Signal(str)
    send_requested = Signal(str)
    refresh_requested = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = AgentsModel(self)
        self._tree = QTreeView()
        dress_tree(self._tree, "Agents")
        self._tree.setHeaderHidden(True)
        self._tree.setRootIsDecorated(False)
        self._tree.setItemDelegate(ServerDelegate(self._tree))
        self._tree.setModel(self._model)
        self._tree.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self._tree.customContextMenuRequested.connect(self._show_menu)
        self._tree.selectionModel().currentChanged.connect(self._on_current)
        self._tree.doubleClicked.connect(lambda _index: self._edit())
        add = QPushButton("Add agent…")
        add.setObjectName("add-agent")
        add.clicked.connect(self.add_requested)
        self._edit_button = IconButton("write", "Edit the agent", self._edit)
        self._edit_button.setObjectName("edit-agent")
        self._remove_button = IconButton("remove", "Remove the agent", self._remove)
        self._remove_button.setObjectName("remove-agent")
        buttons = QHBoxLayout()
        buttons.setContentsMargins(theme.GAP_PX, theme.GRID_PX, theme.GAP_PX, theme.GRID_PX)
        buttons.setSpacing(theme.GRID_PX)
        buttons.addWidget(add)
        buttons.addStretch(1)
        buttons.addWidget(self._edit_button)
        buttons.addWidget(self._remove_button)
        PanelGround(self)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self._tree, 1)
        layout.addLayout(buttons)
        self.setFocusProxy(self._tree)
        self._allow()

    @property
    def tree(self) -> QTreeView:
        return self._tree

    @property
    def current(self) -> str:
        """The agent that is looked at; empty for none."""
        return self._model.name(self._tree.currentIndex())

    def show_views(self, views: tuple[AgentView, ...], chosen: str) -> None:
        """Show these agents, with one of them chosen."""
        self._model.show(views)
        if self.current != chosen:
            self._tree.setCurrentIndex(self._model.index_of(chosen))
        self._allow()

    def _on_current(self, index: AnyIndex, _before: AnyIndex) -> None:
        self._allow()
        if name := self._model.name(index):
            self.chosen.emit(name)

    def _allow(self) -> None:
        self._edit_button.setEnabled(bool(self.current))
        self._remove_button.setEnabled(bool(self.current))

    def _edit(self) -> None:
        if self.current:
            self.edit_requested.emit(self.current)

    def _remove(self) -> None:
        if self.current:
            self.remove_requested.emit(self.current)

    def _show_menu(self, at: QPoint) -> None:
        name = self._model.name(self._tree.indexAt(at))
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        if name:
            menu.addAction("Send a message…", lambda: self.send_requested.emit(name))
            menu.addAction("Ask it now", lambda: self.refresh_requested.emit(name))
            menu.addSeparator()
            menu.addAction("Edit the agent…", lambda: self.edit_requested.emit(name))
            menu.addAction("Remove the agent…", lambda: self.remove_requested.emit(name))
        else:
            menu.addAction("Add agent…", self.add_requested.emit)
        menu.popup(self._tree.viewport().mapToGlobal(at))
