"""Notices that Shift is held down by itself."""

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent
from PySide6.QtWidgets import QWidget

# Long enough for Shift with a letter, or with the mouse, to be over or to be seen.
_HELD_MS = 300
_LETS_GO = (QEvent.Type.WindowDeactivate, QEvent.Type.Hide)


class HoldShift(QObject):
    """Watches the window of a widget for Shift without any other key or button."""

    held = Signal(bool)

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget)
        self._widget = widget
        self._window: QWidget | None = None
        self._is_held = False
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_HELD_MS)
        self._timer.timeout.connect(self._begin)
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kind = event.type()
        if watched is self._widget:
            if kind is QEvent.Type.Show:
                self._watch(self._widget.window())
        elif kind is QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            if event.isAutoRepeat():
                return False
            self._end()
            if event.key() == Qt.Key.Key_Shift and self._widget.isVisible():
                self._timer.start()
        elif kind in _LETS_GO or (kind is QEvent.Type.KeyRelease and _is_shift(event)):
            self._end()
        return False

    def _watch(self, window: QWidget) -> None:
        if window is self._window:
            return
        if self._window is not None:
            self._window.removeEventFilter(self)
        self._window = window
        window.installEventFilter(self)

    def _begin(self) -> None:
        shift = Qt.KeyboardModifier.ShiftModifier
        alone = QGuiApplication.mouseButtons() == Qt.MouseButton.NoButton
        if alone and QGuiApplication.queryKeyboardModifiers() in (shift, _NOTHING_KNOWN):
            self._is_held = True
            self.held.emit(True)

    def _end(self) -> None:
        self._timer.stop()
        if self._is_held:
            self._is_held = False
            self.held.emit(False)


# Where the platform cannot be asked, the events have to be believed.
_NOTHING_KNOWN = Qt.KeyboardModifier.NoModifier


def _is_shift(event: QEvent) -> bool:
    return isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Shift
