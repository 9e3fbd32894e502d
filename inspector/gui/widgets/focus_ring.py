"""Pictures that show that the keyboard is at them."""

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFocusEvent, QPainter, QPen
from PySide6.QtWidgets import QWidget

from inspector.gui import theme

_BY_KEYBOARD = (
    Qt.FocusReason.TabFocusReason,
    Qt.FocusReason.BacktabFocusReason,
    Qt.FocusReason.ShortcutFocusReason,
)


class RingedWidget(QWidget):
    """Has a ring while it has the focus, for those who came by keyboard."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shows_focus = False

    def focusInEvent(self, event: QFocusEvent) -> None:
        # Who came by mouse knows where they are.
        self._shows_focus = event.reason() in _BY_KEYBOARD
        self.update()

    def focusOutEvent(self, _event: QFocusEvent) -> None:
        self._shows_focus = False
        self.update()

    def _draw_focus(self, painter: QPainter) -> None:
        """Draw the ring, where there is one; last, above all else."""
        if not self._shows_focus:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setClipping(False)
        painter.setPen(QPen(theme.current().accent, 1))
        painter.drawRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5))
