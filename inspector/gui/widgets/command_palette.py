"""The command palette: a line to type in, and below it everything that fits."""

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QModelIndex, QRect, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QFrame,
    QLineEdit,
    QListView,
    QVBoxLayout,
    QWidget,
)

from inspector.gui import theme
from inspector.gui.models.palette_model import PaletteModel
from inspector.gui.widgets.labels import Words
from inspector.gui.widgets.palette_delegate import PaletteDelegate
from inspector.presentation.palette import PaletteEntry, ranked

_WIDEST_PX = 640
_MOST_ROWS = 12
_FROM_TOP_PX = 48
_MOVES = {
    Qt.Key.Key_Up: -1,
    Qt.Key.Key_Down: 1,
    Qt.Key.Key_PageUp: -_MOST_ROWS,
    Qt.Key.Key_PageDown: _MOST_ROWS,
}
_STILL_OURS = (
    Qt.FocusReason.ActiveWindowFocusReason,
    Qt.FocusReason.PopupFocusReason,
    Qt.FocusReason.MenuBarFocusReason,
)


class CommandPalette(QFrame):
    """Lies over the window while somebody looks for something to do.

    Keys alone do everything: letters narrow, arrows choose, Enter does, Esc leaves.
    """

    chosen = Signal(str)  # the key of an entry that can be done

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._over = parent
        self._entries: Sequence[PaletteEntry] = ()
        self._used: Sequence[str] = ()
        self._came_from: QWidget | None = None
        self._line = _Line(self)
        self._model = PaletteModel(self)
        self._list = _list(self)
        self._list.setModel(self._model)
        self._list.setItemDelegate(PaletteDelegate(self._list))
        self._nothing = Words(colour="secondary")
        self._nothing.setContentsMargins(theme.GROUP_GAP_PX, theme.GAP_PX, 0, theme.GAP_PX)
        self.setAccessibleName("Command palette")
        self.setAutoFillBackground(True)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(theme.GAP_PX, theme.GAP_PX, theme.GAP_PX, theme.GAP_PX)
        layout.setSpacing(theme.GAP_PX)
        layout.addWidget(self._line)
        layout.addWidget(self._nothing)
        layout.addWidget(self._list, 1)
        self.hide()

        self._line.textChanged.connect(self._narrow)
        self._line.moved.connect(self._move)
        self._line.entered.connect(self._choose)
        self._line.left.connect(self.leave)
        self._line.lost.connect(self._on_lost)
        self._list.clicked.connect(lambda _index: self._choose())
        self._list.selectionModel().currentChanged.connect(self._tell)

    @property
    def line(self) -> QLineEdit:
        return self._line

    @property
    def view(self) -> QListView:
        return self._list

    def begin(self, entries: Sequence[PaletteEntry], used: Sequence[str]) -> None:
        """Show what can be done, with the caret where one types."""
        focus = QApplication.focusWidget()
        if focus is None or not self.isAncestorOf(focus):
            self._came_from = focus
        self._entries, self._used = entries, used
        self._line.clear()
        self._narrow("")
        self.show()
        self.raise_()
        self._line.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def leave(self) -> None:
        """Go, and give the focus back to what had it."""
        if not self.isVisible():
            return
        came_from, self._came_from = self._came_from, None
        self.hide()
        if came_from is not None and came_from.isVisible():
            came_from.setFocus(Qt.FocusReason.OtherFocusReason)

    def place(self) -> None:
        """Stand in the middle of the window, below its toolbar, as high as there are rows."""
        window = self._over
        width = min(_WIDEST_PX * theme.row_height() // theme.ROW_PX, window.width() - 32)
        rows = min(_MOST_ROWS, self._model.rowCount())
        row = self._list.sizeHintForRow(0) if rows else 0
        below = rows * row + 2 if rows else self._nothing.sizeHint().height()
        high = self._line.sizeHint().height() + 3 * theme.GAP_PX + below
        high = min(high, window.height() - _FROM_TOP_PX - 16)
        self.setGeometry(QRect((window.width() - width) // 2, _FROM_TOP_PX, width, high))

    def event(self, event: QEvent) -> bool:
        handled = super().event(event)
        # The line may have got higher meanwhile, with larger text.
        if event.type() == QEvent.Type.LayoutRequest and self.isVisible():
            self.place()
        return handled

    def paintEvent(self, _event: QPaintEvent) -> None:
        tokens = theme.current()
        painter = QPainter(self)
        painter.fillRect(self.rect(), tokens.panel)
        painter.setPen(tokens.outline)
        painter.drawRect(self.rect().adjusted(0, 0, -1, -1))
        painter.end()

    def _narrow(self, wanted: str) -> None:
        rows = ranked(self._entries, wanted, self._used)
        self._model.show(rows)
        self._list.setVisible(bool(rows))
        self._nothing.setVisible(not rows)
        self._nothing.setText("Nothing is called that. Fewer letters find more.")
        self._list.setCurrentIndex(self._model.index(0))
        self._list.scrollToTop()
        self._tell(self._list.currentIndex())
        self.place()

    def _move(self, by: int) -> None:
        count = self._model.rowCount()
        if not count:
            return
        at = self._list.currentIndex().row() + by
        # One step past an end comes in at the other; a page stops at the end.
        at = at % count if abs(by) == 1 else max(0, min(count - 1, at))
        self._list.setCurrentIndex(self._model.index(at))

    def _choose(self) -> None:
        row = self._model.row(self._list.currentIndex())
        if row is None or row.entry.why_not:
            return
        self.leave()
        self.chosen.emit(row.entry.key)

    def _tell(self, current: QModelIndex) -> None:
        # The focus stays in the line: what is chosen below is told as what it says.
        row = self._model.row(current)
        self._line.setAccessibleDescription(row.spoken if row else self._nothing.text())

    def _on_lost(self, reason: Qt.FocusReason) -> None:
        if reason not in _STILL_OURS and self.isVisible():
            self._came_from = None
            self.hide()


class _Line(QLineEdit):
    """A line that hands on the keys that move in the list."""

    moved = Signal(int)
    entered = Signal()
    left = Signal()
    lost = Signal(object)  # Qt.FocusReason

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setPlaceholderText("What to do, or what to go to")
        self.setAccessibleName("Command palette: what to do, or what to go to")
        self.setClearButtonEnabled(False)
        self.setTextMargins(theme.GRID_PX, theme.GRID_PX, theme.GRID_PX, theme.GRID_PX)

    def event(self, event: QEvent) -> bool:
        # Esc leaves the palette before anything else that listens to it; Tab stays here.
        if isinstance(event, QKeyEvent):
            if event.type() == QEvent.Type.ShortcutOverride and event.key() == Qt.Key.Key_Escape:
                event.accept()
                return True
            if event.type() == QEvent.Type.KeyPress and event.key() in (
                Qt.Key.Key_Tab,
                Qt.Key.Key_Backtab,
            ):
                self.moved.emit(1 if event.key() == Qt.Key.Key_Tab else -1)
                return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        if key in _MOVES:
            self.moved.emit(_MOVES[key])
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.entered.emit()
        elif key == Qt.Key.Key_Escape:
            self.left.emit()
        else:
            super().keyPressEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.lost.emit(event.reason())


def _list(parent: QWidget) -> QListView:
    view = QListView(parent)
    view.setAccessibleName("What fits")
    # The keys of the line move in it; a second place to be in would be one too many.
    view.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    view.setUniformItemSizes(True)
    view.setMouseTracking(True)
    view.setFrameShape(QListView.Shape.NoFrame)
    view.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
    view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    theme.dress_rows(view)
    return view
