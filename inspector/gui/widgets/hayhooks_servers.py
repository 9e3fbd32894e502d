"""The list of servers and what they run, with what can be done about it."""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPoint, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QPainter
from PySide6.QtWidgets import (
    QHBoxLayout,
    QMenu,
    QPushButton,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeView,
    QVBoxLayout,
    QWidget,
)

from inspector.gui import theme
from inspector.gui.models.hayhooks_servers_model import ServerNode, ServerRole, ServersModel
from inspector.gui.widgets.labels import Words
from inspector.gui.widgets.plain import IconButton, PanelGround
from inspector.gui.widgets.row_paint import paint_ground, write_line
from inspector.gui.widgets.row_tree import dress_tree
from inspector.gui.workspace.open_hayhooks import ServerView
from inspector.presentation.execution_words import Look

AnyIndex = QModelIndex | QPersistentModelIndex


class ServerDelegate(QStyledItemDelegate):
    """Writes a name at the left and what is to be known of it at the right."""

    def sizeHint(self, option: QStyleOptionViewItem, index: AnyIndex) -> QSize:
        return QSize(super().sizeHint(option, index).width(), theme.row_height())

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        painter.save()
        paint_ground(painter, option)
        place = option.rect.adjusted(theme.GRID_PX, 0, -theme.GAP_PX, 0)
        look, node = index.data(ServerRole.LOOK), index.data(ServerRole.NODE)
        if isinstance(look, Look):
            top = place.top() + (place.height() - theme.ICON_PX) // 2
            painter.drawPixmap(place.left(), top, theme.pixmap(look.icon, look.colour))
            place.setLeft(place.left() + theme.ICON_PX + theme.GRID_PX + 2)
        detail = index.data(ServerRole.DETAIL) or ""
        small = theme.font(-1)
        # Of a narrow pane the name has the larger part.
        width = min(QFontMetrics(small).horizontalAdvance(detail), place.width() * 3 // 5)
        name = index.data() or ""
        is_own = isinstance(node, ServerNode) and bool(node.deployment)
        font = theme.monospace(-1) if is_own else theme.font(strong=not is_own)
        named = place.adjusted(0, 0, -(width + theme.GAP_PX if detail else 0), 0)
        write_line(painter, named, name, font, "text")
        if detail:
            # In the plain colour where it says that all is well: it is not what one looks for.
            well = not isinstance(look, Look) or look.colour == "same"
            aside = place.adjusted(place.width() - width - 1, 0, 0, 0)
            ink = "secondary" if well else look.colour
            write_line(painter, aside, detail, small, ink, Qt.TextElideMode.ElideRight)
        painter.restore()


class HayhooksServers(QWidget):
    """Choosing a row looks at its executions."""

    chosen = Signal(object)  # ServerNode
    add_requested = Signal()
    edit_requested = Signal(str)  # name of a server
    remove_requested = Signal(str)
    submit_requested = Signal(object)  # ServerNode
    refresh_requested = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = ServersModel(self)
        self._tree = QTreeView()
        dress_tree(self._tree, "Servers and what they run")
        self._tree.setHeaderHidden(True)
        self._tree.setItemDelegate(ServerDelegate(self._tree))
        self._tree.setModel(self._model)
        self._tree.setIndentation(theme.ICON_PX)
        self._tree.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self._tree.customContextMenuRequested.connect(self._show_menu)
        self._tree.selectionModel().currentChanged.connect(self._on_current)
        self._tree.doubleClicked.connect(lambda _index: self._on_double_click())
        add = QPushButton("Add server…")
        add.setObjectName("add-server")
        add.clicked.connect(self.add_requested)
        self._edit_button = IconButton("write", "Edit the server", self._edit)
        self._edit_button.setObjectName("edit-server")
        self._remove_button = IconButton("remove", "Remove the server", self._remove)
        self._remove_button.setObjectName("remove-server")
        buttons = QHBoxLayout()
        buttons.setContentsMargins(theme.GAP_PX, theme.GRID_PX, theme.GAP_PX, theme.GRID_PX)
        buttons.setSpacing(theme.GRID_PX)
        buttons.addWidget(add)
        buttons.addStretch(1)
        buttons.addWidget(self._edit_button)
        buttons.addWidget(self._remove_button)
        self._note = Words("", step=-1, colour="secondary", wrap=True)
        self._note.setObjectName("missing")
        self._note.setContentsMargins(theme.GAP_PX, 0, theme.GAP_PX, theme.GAP_PX)
        self._note.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._note.hide()
        PanelGround(self)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self._tree, 1)
        layout.addLayout(buttons)
        layout.addWidget(self._note)
        self.setFocusProxy(self._tree)
        self._allow(ServerNode())

    @property
    def tree(self) -> QTreeView:
        return self._tree

    @property
    def current(self) -> ServerNode:
        """What is looked at."""
        return self._model.node(self._tree.currentIndex())

    def show_views(self, views: tuple[ServerView, ...]) -> None:
        """Show these servers; what is looked at stays so."""
        current = self.current
        scrolled = self._tree.verticalScrollBar().value()
        if self._model.show(views):
            self._tree.expandAll()
            self._tree.setCurrentIndex(self._model.index_of(current))
            self._tree.verticalScrollBar().setValue(scrolled)

    def choose(self, node: ServerNode) -> None:
        """Look at a server or a deployment."""
        self._tree.setCurrentIndex(self._model.index_of(node))

    def say_missing(self, words: str) -> None:
        """Say what is not installed, and how it would be; empty words for nothing."""
        self._note.setText(words)
        self._note.setVisible(bool(words))

    def _on_current(self, index: AnyIndex, _before: AnyIndex) -> None:
        node = self._model.node(index)
        self._allow(node)
        self.chosen.emit(node)

    def _allow(self, node: ServerNode) -> None:
        self._edit_button.setEnabled(bool(node.server))
        self._remove_button.setEnabled(bool(node.server))

    def _on_double_click(self) -> None:
        if not self.current.deployment:
            self._edit()

    def _edit(self) -> None:
        if self.current.server:
            self.edit_requested.emit(self.current.server)

    def _remove(self) -> None:
        if self.current.server:
            self.remove_requested.emit(self.current.server)

    def _show_menu(self, at: QPoint) -> None:
        node = self._model.node(self._tree.indexAt(at))
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        if node.server:
            menu.addAction("Submit…", lambda: self.submit_requested.emit(node))
            menu.addAction("Ask it now", lambda: self.refresh_requested.emit(node.server))
            menu.addSeparator()
            menu.addAction("Edit the server…", lambda: self.edit_requested.emit(node.server))
            menu.addAction("Remove the server…", lambda: self.remove_requested.emit(node.server))
        else:
            menu.addAction("Add server…", self.add_requested.emit)
        menu.popup(self._tree.viewport().mapToGlobal(at))
