"""The line below a run: what is shown, and how far it can be trusted."""

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QMouseEvent, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QStyle, QStyleOptionFocusRect, QStylePainter, QWidget

from inspector.gui import theme
from inspector.gui.widgets.labels import Badge, ElidedWords
from inspector.presentation.visible import one_line

if TYPE_CHECKING:
    from inspector.runfile.verify import Integrity
    from inspector.trust.signing import Signed

INTEGRITY_LOOKS = {
    "ok": ("integrity", "same", "Unchanged since it was written"),
    "changed": ("integrity-changed", "changed", "Changed since it was written"),
    "none": ("integrity-none", "secondary", "No digest to check against"),
}
"""The icon, the colour and the words for each state of a file's digest."""


def integrity_look(
    integrity: "Integrity", signature: "Signed | None" = None
) -> tuple[str, str, str, str]:
    """Return the icon, the colour, the words and the sentences about a file as a whole."""
    icon, colour, words = INTEGRITY_LOOKS[integrity.state]
    if signature is None or signature.state == "none":
        return icon, colour, words, integrity.message
    message = one_line(f"{integrity.message} {signature.message}")
    if signature.state == "bad":
        return "integrity-changed", "changed", "Not what was signed", message
    if integrity.state == "changed":
        # Whoever signed it vouches for a file that was changed before.
        return icon, colour, words, message
    if signature.state == "good":
        return "integrity", "same", f"Signed by {one_line(signature.name)}", message
    return icon, colour, f"{words}; signed by an unknown key", message


class BadgeButton(Badge):
    """A badge that leads to what there is to say about it, by mouse and by keyboard."""

    chosen = Signal()

    def __init__(self, leads: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._leads = leads
        self.setContentsMargins(theme.GRID_PX, 0, theme.GRID_PX, 0)  # room for the ring
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def say(self, icon: str, text: str, *, colour: str = "secondary", tip: str = "") -> None:
        super().say(icon, text, colour=colour, tip=tip)
        self.setAccessibleDescription(f"{tip} {self._leads}".strip())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        inside = self.rect().contains(event.position().toPoint())
        if event.button() == Qt.MouseButton.LeftButton and inside:
            self.chosen.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self.chosen.emit()
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        if self.hasFocus():
            painter = QStylePainter(self)
            ring = QStyleOptionFocusRect()
            ring.initFrom(self)
            painter.drawPrimitive(QStyle.PrimitiveElement.PE_FrameFocusRect, ring)
            painter.end()


class StatusLine(QWidget):
    """Words at the left, badges at the right."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.words = ElidedWords(step=-1, colour="secondary")
        self.redaction = Badge()
        self.integrity = BadgeButton("Enter shows what the check found.")
        self.freshness = Badge()
        row = QHBoxLayout(self)
        row.setContentsMargins(theme.GROUP_GAP_PX, 3, theme.GROUP_GAP_PX, 3)
        row.setSpacing(2 * theme.GAP_PX)
        row.addWidget(self.words, 1)
        for badge in (self.redaction, self.integrity, self.freshness):
            row.addWidget(badge)
