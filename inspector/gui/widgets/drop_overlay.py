"""Says what a drop would do, over the whole window."""

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from inspector.gui import theme
from inspector.presentation.words import elided, number_words, one_line

_VEIL = 244  # of 255: what is below stays a shadow
_LONGEST_NAME = 60


class DropOverlay(QWidget):
    """Covers its parent while something is dragged over it."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._words = ""
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setAccessibleName("What a drop would do")
        self.hide()

    @property
    def words(self) -> str:
        return self._words

    def offer(self, paths: Sequence[Path]) -> None:
        """Say what dropping these files would do."""
        self._words = drop_words(paths)
        self.setAccessibleDescription(self._words)
        parent = self.parentWidget()
        if parent is not None:
            self.setGeometry(parent.rect())
        self.raise_()
        self.show()
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        tokens = theme.current()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        veil = QColor(tokens.window)
        veil.setAlpha(_VEIL)
        painter.fillRect(self.rect(), veil)
        edge = QPen(tokens.accent, 2, Qt.PenStyle.DashLine)
        painter.setPen(edge)
        margin = 2 * theme.GROUP_GAP_PX
        painter.drawRoundedRect(self.rect().adjusted(margin, margin, -margin, -margin), 8, 8)
        size = 48
        middle = self.rect().center()
        icon = theme.pixmap("drop", "accent", size)
        painter.drawPixmap(middle.x() - size // 2, middle.y() - size - theme.GAP_PX, icon)
        painter.setPen(tokens.text)
        painter.setFont(theme.font(2, strong=True))
        below = QRect(margin, middle.y() + theme.GAP_PX, self.width() - 2 * margin, 40)
        painter.drawText(below, int(Qt.AlignmentFlag.AlignHCenter), self._words)
        painter.end()


def drop_words(paths: Sequence[Path]) -> str:
    """Return what dropping these files would do."""
    if not paths:
        return "Drop to open the run"
    if len(paths) == 1:
        return f"Drop to open {elided(one_line(paths[0].name), _LONGEST_NAME)}"
    if len(paths) == 2:
        return "Drop to open both runs"
    return f"Drop to open {number_words(len(paths))} runs"
