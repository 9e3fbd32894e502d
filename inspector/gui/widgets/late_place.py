"""Where something goes that is made when it is first looked at."""

from collections.abc import Callable

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from inspector.gui import theme


class LatePlace(QWidget):
    """Empty until it is filled; says when a person first sees it so.

    What is in sight at once does not wait for what takes longer to make, and
    what is never looked at is never made.
    """

    wanted = Signal()  # once, after the place was painted empty
    filled = Signal(QWidget)  # once, with what stands here now
    hint_changed = Signal()  # what stands here may want another size than before

    def __init__(self, make: Callable[[], QWidget], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._make = make
        self._held: QWidget | None = None
        self._was_seen = False
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)

    @property
    def is_filled(self) -> bool:
        return self._held is not None

    def fill(self) -> QWidget:
        """Return what stands here; make it if nobody needed it before."""
        if self._held is None:
            self._held = self._make()
            layout = self.layout()
            assert layout is not None
            layout.addWidget(self._held)
            self._held.show()  # at once: Qt would do it a turn of the loop later
            layout.activate()  # and with its size, so that what fills it is laid out once
            self.setFocusProxy(self._held)
            self.filled.emit(self._held)
        return self._held

    def event(self, event: QEvent) -> bool:
        handled = super().event(event)
        if event.type() is QEvent.Type.LayoutRequest:
            self.hint_changed.emit()
        return handled

    def paintEvent(self, _event: QPaintEvent) -> None:
        if self._held is not None:
            return
        painter = QPainter(self)
        painter.fillRect(self.rect(), theme.current().panel)
        painter.end()
        if not self._was_seen:
            self._was_seen = True
            self.wanted.emit()


def first_focusable(pane: QWidget) -> QWidget | None:
    """Return the first thing in a pane that the Tab key would stop at."""
    return next(
        (
            child
            for child in pane.findChildren(QWidget)
            if child.focusPolicy() & Qt.FocusPolicy.TabFocus and child.isVisibleTo(pane)
        ),
        None,
    )
