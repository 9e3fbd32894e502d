"""The list of servers and what they run, with what can be done about it."""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QPainter
from PySide6.QtWidgets import QMenu, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from inspector.gui import theme
from inspector.gui.models.hayhooks_servers_model import ServerNode, ServerRole, ServersModel
from inspector.gui.widgets.labels import Words
from inspector.gui.widgets.row_paint import paint_ground, write_line
from inspector.gui.widgets.served_names import ServedNames
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


class HayhooksServers(ServedNames):
    """Choosing a row looks at its executions."""

    chosen = Signal(object)  # ServerNode
    submit_requested = Signal(object)  # ServerNode

    def __init__(self, parent: QWidget | None = None) -> None:
        model = ServersModel()
        super().__init__(
            model, lambda index: model.node(index).server, what="server",
            title="Servers and what they run", delegate=ServerDelegate(), parent=parent,
        )  # fmt: skip
        self._model = model
        self._tree.setIndentation(theme.ICON_PX)
        self._note = Words("", step=-1, colour="secondary", wrap=True)
        self._note.setObjectName("missing")
        self._note.setContentsMargins(theme.GAP_PX, 0, theme.GAP_PX, theme.GAP_PX)
        self._note.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._note.hide()
        self._column.addWidget(self._note)

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

    def _look_at(self, index: AnyIndex) -> None:
        self.chosen.emit(self._model.node(index))

    def _on_double_click(self, index: AnyIndex) -> None:
        if not self._model.node(index).deployment:
            self._edit()

    def _begin_menu(self, menu: QMenu, index: AnyIndex) -> None:
        node = self._model.node(index)
        menu.addAction("Submit…", lambda: self.submit_requested.emit(node))
