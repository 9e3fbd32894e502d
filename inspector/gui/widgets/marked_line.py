"""A line to type in, whose wrong piece is underlined."""

from PySide6.QtCore import QPoint
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QLineEdit, QWidget

from inspector.gui import theme
from inspector.gui.widgets.file_drops import let_files_through

_WAVE_PX = 2


class MarkedLine(QLineEdit):
    """Draws a wave below what its owner says is wrong."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._wrong: tuple[int, int] | None = None
        let_files_through(self)

    @property
    def wrong(self) -> tuple[int, int] | None:
        """Where what is underlined begins and ends."""
        return self._wrong

    def mark_wrong(self, place: tuple[int, int] | None) -> None:
        """Underline a piece of the line."""
        if place != self._wrong:
            self._wrong = place
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self._wrong is None:
            return
        start, end = self._wrong
        left, right = self.x_of(start), self.x_of(max(end, start + 1))
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(theme.current().failed, 1.4))
        y = self.rect().center().y() + self.fontMetrics().height() / 2 + 1
        x = max(left, 2)
        right = min(max(right, x + 6), self.width() - 2)
        up = True
        while x < right:
            painter.drawLine(QPoint(round(x), round(y + up * _WAVE_PX)),
                             QPoint(round(x + 3), round(y + (not up) * _WAVE_PX)))  # fmt: skip
            up, x = not up, x + 3
        painter.end()

    def x_of(self, place: int) -> int:
        """Return where a place of the line is drawn, as far as it is in sight."""
        here = self.cursorPosition()
        metrics = QFontMetrics(self.font())
        text = self.text()
        between = metrics.horizontalAdvance(text[min(place, here) : max(place, here)])
        x = self.cursorRect().center().x() + (between if place > here else -between)
        return min(max(x, 0), self.width())
