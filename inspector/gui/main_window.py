"""The window itself: where it stands, what is dragged over it. Light, so that it shows at once."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QMimeData, Qt, Signal
from PySide6.QtGui import (
    QCloseEvent,
    QDragEnterEvent,
    QDragLeaveEvent,
    QDragMoveEvent,
    QDropEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import QMainWindow

from inspector.gui.settings import Memory

if TYPE_CHECKING:
    from inspector.gui.widgets.drop_overlay import DropOverlay

_FIRST_SIZE = (1280, 800)
_GEOMETRY = "geometry"


class MainWindow(QMainWindow):
    """An empty window. `WindowContent` fills it, once `painted` has said that it is seen."""

    painted = Signal()  # once
    dropped = Signal(QMimeData)
    compare_dropped = Signal(object, object)  # two paths, the left one first
    closing = Signal()

    def __init__(self, memory: Memory) -> None:
        super().__init__()
        self._memory = memory
        self._was_painted = False
        self._overlay: DropOverlay | None = None
        self.setWindowTitle("Run Inspector")
        self.setAcceptDrops(True)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.NoContextMenu)
        self.resize(*_FIRST_SIZE)
        self.restoreGeometry(memory.bytes(_GEOMETRY))

    @property
    def overlay(self) -> "DropOverlay":
        """What covers the window while something is dragged over it; made when that happens."""
        if self._overlay is None:
            from inspector.gui.widgets.drop_overlay import DropOverlay

            self._overlay = DropOverlay(self)
        return self._overlay

    def bring_forward(self) -> None:
        """Come to the front, as when another launch handed us its files."""
        self.setWindowState(self.windowState() & ~Qt.WindowState.WindowMinimized)
        self.show()
        self.raise_()
        self.activateWindow()

    def toggle_full_screen(self) -> None:
        """Fill the screen, or stop doing so."""
        self.setWindowState(self.windowState() ^ Qt.WindowState.WindowFullScreen)

    def event(self, event: QEvent) -> bool:
        handled = super().event(event)
        if event.type() is QEvent.Type.Paint and not self._was_painted:
            self._was_painted = True
            self.painted.emit()
        return handled

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        from inspector.gui.controllers.open_controller import paths_in

        mime = event.mimeData()
        if mime.hasUrls() or mime.hasText():
            event.acceptProposedAction()
            self.overlay.offer(paths_in(mime))
            self.overlay.point_at(event.position().toPoint())

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        self.overlay.point_at(event.position().toPoint())
        event.acceptProposedAction()

    def dragLeaveEvent(self, _event: QDragLeaveEvent) -> None:
        self.overlay.hide()

    def dropEvent(self, event: QDropEvent) -> None:
        self.overlay.hide()
        event.acceptProposedAction()
        from inspector.gui.controllers.open_controller import paths_in

        paths = paths_in(event.mimeData())
        self.overlay.point_at(event.position().toPoint())
        if len(paths) == 2 and self.overlay.is_comparing:
            self.compare_dropped.emit(*paths)
        else:
            self.dropped.emit(event.mimeData())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._overlay is not None:
            self._overlay.setGeometry(self.rect())

    def closeEvent(self, event: QCloseEvent) -> None:
        self.closing.emit()
        self._memory.keep_bytes(_GEOMETRY, self.saveGeometry())
        super().closeEvent(event)
