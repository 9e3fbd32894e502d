"""Says what a drop would do, over the whole window."""

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from inspector.gui import theme
from inspector.presentation.words import elided, number_words, one_line

_VEIL = 244  # of 255: what is below stays a shadow
_LONGEST_NAME = 60
COMPARE_WORDS = "Drop here to compare them"


class DropOverlay(QWidget):
    """Covers its parent while something is dragged over it."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._words = ""
        self._offers_comparing = False
        self._is_comparing = False
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setAccessibleName("What a drop would do")
        self.hide()

    @property
    def words(self) -> str:
        return self._words

    @property
    def is_comparing(self) -> bool:
        """Whether a drop of two files compares them, rather than opens both."""
        return self._is_comparing

    def point_at(self, point: QPoint) -> None:
        """Say where the drop would be: of two files, the left half compares and the right opens."""
        comparing = self._offers_comparing and point.x() < self.width() // 2
        if comparing == self._is_comparing:
            return
        self._is_comparing = comparing
        self._tell()
        self.update()

    def offer(self, paths: Sequence[Path]) -> None:
        """Say what dropping these files would do."""
        self._words = drop_words(paths)
        self._offers_comparing = len(paths) == 2
        self._is_comparing = False
        self._tell()
        parent = self.parentWidget()
        if parent is not None:
            self.setGeometry(parent.rect())
        self.raise_()
        self.show()
        self.update()

    def _tell(self) -> None:
        self.setAccessibleDescription(COMPARE_WORDS if self._is_comparing else self._words)

    def paintEvent(self, _event: QPaintEvent) -> None:
        tokens = theme.current()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        veil = QColor(tokens.window)
        veil.setAlpha(_VEIL)
        painter.fillRect(self.rect(), veil)
        margin = 2 * theme.GROUP_GAP_PX
        whole = self.rect().adjusted(margin, margin, -margin, -margin)
        if not self._offers_comparing:
            self._paint_offer(painter, whole, "drop", self._words, chosen=True)
        else:
            gap = theme.GROUP_GAP_PX
            half = (whole.width() - gap) // 2
            left = QRect(whole.left(), whole.top(), half, whole.height())
            right = QRect(whole.right() - half + 1, whole.top(), half, whole.height())
            comparing = self._is_comparing
            self._paint_offer(painter, left, "compare", COMPARE_WORDS, chosen=comparing)
            self._paint_offer(painter, right, "drop", self._words, chosen=not comparing)
        painter.end()

    def _paint_offer(
        self, painter: QPainter, box: QRect, icon: str, words: str, *, chosen: bool
    ) -> None:
        tokens = theme.current()
        ink = tokens.accent if chosen else tokens.outline
        painter.setPen(QPen(ink, 2, Qt.PenStyle.DashLine))
        painter.setBrush(tokens.notice_ground if chosen and self._offers_comparing
                         else Qt.BrushStyle.NoBrush)  # fmt: skip
        painter.drawRoundedRect(box, 8, 8)
        size = 48
        middle = box.center()
        drawn = theme.pixmap(icon, "accent" if chosen else "secondary", size)
        painter.drawPixmap(middle.x() - size // 2, middle.y() - size - theme.GAP_PX, drawn)
        painter.setPen(tokens.text if chosen else tokens.secondary)
        painter.setFont(theme.font(2, strong=True))
        below = QRect(box.left(), middle.y() + theme.GAP_PX, box.width(), 40)
        painter.drawText(below, int(Qt.AlignmentFlag.AlignHCenter), words)


def drop_words(paths: Sequence[Path]) -> str:
    """Return what dropping these files would do."""
    if not paths:
        return "Drop to open the run"
    if len(paths) == 1:
        return f"Drop to open {elided(one_line(paths[0].name), _LONGEST_NAME)}"
    if len(paths) == 2:
        return "Drop to open both runs"
    return f"Drop to open {number_words(len(paths))} runs"
