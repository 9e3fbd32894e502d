"""Docks with a quiet title, which gives way to a tab."""

from functools import partial

from PySide6.QtCore import QEvent, QPoint, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import (
    QDockWidget,
    QHBoxLayout,
    QMainWindow,
    QMenu,
    QTabBar,
    QTabWidget,
    QToolButton,
    QWidget,
)

from inspector.gui import theme
from inspector.gui.widgets.labels import Words


class DockTitle(QWidget):
    """The name of a pane, and a way to close it. Takes no room where a tab says it already."""

    def __init__(self, dock: QDockWidget) -> None:
        super().__init__(dock)
        self._folded = False
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self._words = Words(dock.windowTitle(), step=-1, strong=True, colour="secondary")
        self._close = QToolButton()
        self._close.setAutoRaise(True)
        self._close.setToolTip("Close this pane")
        self._close.setAccessibleName(f"Close the pane {dock.windowTitle()}")
        self._close.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._close.clicked.connect(dock.close)
        self._extras: QWidget | None = None
        row = self._row = QHBoxLayout(self)
        row.setContentsMargins(theme.GROUP_GAP_PX, 0, theme.GRID_PX, 0)
        row.addWidget(self._words)
        row.addStretch(1)
        row.addWidget(self._close)
        theme.changes.changed.connect(self._dress)
        self._dress()

    @property
    def close_button(self) -> QToolButton:
        return self._close

    def take(self, extras: QWidget) -> None:
        """Show something of the pane behind its name, where it takes no room from the pane."""
        self._extras = extras
        self._row.takeAt(1)  # the stretch: what comes in its place stretches itself
        self._row.insertWidget(1, extras, 1)

    def fold(self, folded: bool) -> None:
        """Take no room, or the usual one."""
        folded = folded and self._extras is None
        if folded == self._folded:
            return
        self._folded = folded
        self._words.setVisible(not folded)
        self._close.setVisible(not folded)
        self.setMaximumHeight(0 if folded else theme.row_height())
        self.updateGeometry()

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), 0 if self._folded else theme.row_height())

    def minimumSizeHint(self) -> QSize:
        return QSize(0, self.sizeHint().height())

    def paintEvent(self, _event: QPaintEvent) -> None:
        tokens = theme.current()
        painter = QPainter(self)
        painter.fillRect(self.rect(), tokens.window)
        painter.fillRect(0, self.height() - 1, self.width(), 1, tokens.border)
        painter.end()

    def _dress(self) -> None:
        self._close.setIcon(theme.icon("close", "secondary"))


class DockHost(QMainWindow):
    """A place for docks and nothing else. Tabbed docks show their tab instead of a title."""

    edge_taken = Signal()  # a person begins to move the edge between two docks
    resized = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        # A part of another window, not a window of its own.
        self.setWindowFlags(Qt.WindowType.Widget)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.NoContextMenu)
        self.setDockNestingEnabled(True)
        self.setTabPosition(Qt.DockWidgetArea.AllDockWidgetAreas, QTabWidget.TabPosition.North)
        self.setDocumentMode(True)
        self._docks: dict[str, QDockWidget] = {}

    def add(self, key: str, title: str, pane: QWidget, area: Qt.DockWidgetArea) -> QDockWidget:
        """Add a pane; `key` is the name under which its place is remembered."""
        dock = QDockWidget(title, self)
        dock.setObjectName(key)
        dock.setAccessibleName(title)
        dock.setWidget(pane)
        line = DockTitle(dock)
        line.customContextMenuRequested.connect(
            lambda at: self._show_menu(dock, line.mapToGlobal(at))
        )
        dock.setTitleBarWidget(line)
        dock.topLevelChanged.connect(self._tidy_later)
        dock.dockLocationChanged.connect(self._tidy_later)
        dock.visibilityChanged.connect(self._tidy_later)
        self.addDockWidget(area, dock)
        self._docks[key] = dock
        return dock

    def event(self, event: QEvent) -> bool:
        # Nothing of the host can be seen, and pressed, but the edges between docks.
        if event.type() is QEvent.Type.MouseButtonPress:
            self.edge_taken.emit()
        return super().event(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.resized.emit()

    def dock(self, key: str) -> QDockWidget:
        """Return the dock of a pane."""
        return self._docks[key]

    def take_extras(self, key: str, extras: QWidget) -> None:
        """Show something of a pane beside its title."""
        title = self._docks[key].titleBarWidget()
        assert isinstance(title, DockTitle)
        title.take(extras)

    @property
    def docks(self) -> tuple[QDockWidget, ...]:
        return tuple(self._docks.values())

    def _tidy_later(self) -> None:
        QTimer.singleShot(0, self, self._tidy)

    def _tidy(self) -> None:
        for dock in self._docks.values():
            title = dock.titleBarWidget()
            if isinstance(title, DockTitle):
                title.fold(bool(self.tabifiedDockWidgets(dock)) and not dock.isFloating())
        # Qt makes these when panes first share a place, and gives them no name.
        for bar in self.findChildren(QTabBar, options=Qt.FindChildOption.FindDirectChildrenOnly):
            bar.setAccessibleName("Panes")
            if bar.contextMenuPolicy() is not Qt.ContextMenuPolicy.CustomContextMenu:
                bar.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
                bar.customContextMenuRequested.connect(partial(self._show_tab_menu, bar))

    def _show_tab_menu(self, bar: QTabBar, at: QPoint) -> None:
        place = bar.tabAt(at)
        # Qt keeps which dock a tab stands for to itself; titles are ours and differ.
        named = [one for one in self.docks if one.windowTitle() == bar.tabText(place)]
        if place >= 0 and named:
            self._show_menu(named[0], bar.mapToGlobal(at))

    def _show_menu(self, dock: QDockWidget, at: QPoint) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        words = "Put this pane back into the window" if dock.isFloating() else "Take this pane out"
        menu.addAction(words, partial(dock.setFloating, not dock.isFloating()))
        menu.addAction("Close this pane", dock.close)
        menu.popup(at)
