"""Tabs as words with a line under the current one."""

from PySide6.QtCore import QRect, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFontMetrics,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QWheelEvent,
)
from PySide6.QtWidgets import QTabBar, QWidget

from inspector.gui import theme

_LINE_PX = 2
_WIDE_PX = 10
_CLOSE_PX = 4


class QuietTabBar(QTabBar):
    """A tab bar that fits into a narrow dock by standing closer, and shouts nowhere."""

    chosen = Signal(int)  # by a person: `currentChanged` also tells what a program did

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._padding = _WIDE_PX
        self._step = 0
        self._under_mouse = -1
        self.setExpanding(False)
        self.setDrawBase(False)
        self.setUsesScrollButtons(True)
        self.setElideMode(Qt.TextElideMode.ElideNone)
        self.setMouseTracking(True)
        theme.changes.changed.connect(self.updateGeometry)

    def fit_into(self, width: int) -> None:
        """Choose how far apart the tabs stand, so that all fit where that is possible."""
        places = range(self.count())
        for step in (0, -1):
            metrics = QFontMetrics(theme.font(step))
            words = sum(metrics.horizontalAdvance(self.tabText(place)) for place in places)
            room = (width - words) // max(1, 2 * self.count())
            if room >= _CLOSE_PX:
                break
        padding = max(_CLOSE_PX, min(_WIDE_PX, room))
        if (padding, step) != (self._padding, self._step):
            self._padding, self._step = padding, step
            self.setFont(theme.font(step))
            # Qt lays tabs out again only when one of them changes.
            for place in range(self.count()):
                self.setTabText(place, self.tabText(place))
            self.updateGeometry()

    def tabSizeHint(self, place: int) -> QSize:
        return QSize(self._words_px(place) + 2 * self._padding, theme.row_height() + theme.GRID_PX)

    def minimumTabSizeHint(self, place: int) -> QSize:
        return self.tabSizeHint(place)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        before = self.currentIndex()
        super().keyPressEvent(event)
        if self.currentIndex() != before:
            self.chosen.emit(self.currentIndex())

    def mousePressEvent(self, event: QMouseEvent) -> None:
        super().mousePressEvent(event)
        place = self.tabAt(event.position().toPoint())
        if place == self.currentIndex() and event.button() is Qt.MouseButton.LeftButton:
            self.chosen.emit(place)

    def wheelEvent(self, event: QWheelEvent) -> None:
        before = self.currentIndex()
        super().wheelEvent(event)
        if self.currentIndex() != before:
            self.chosen.emit(self.currentIndex())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._hover(self.tabAt(event.position().toPoint()))
        super().mouseMoveEvent(event)

    def leaveEvent(self, event: object) -> None:
        self._hover(-1)
        super().leaveEvent(event)  # type: ignore[arg-type]  # Qt hands what it takes

    def paintEvent(self, _event: QPaintEvent) -> None:
        tokens = theme.current()
        painter = QPainter(self)
        painter.fillRect(0, self.height() - 1, self.width(), 1, tokens.border)
        painter.setFont(self.font())
        for place in range(self.count()):
            self._paint_tab(painter, place, tokens)
        painter.end()

    def _paint_tab(self, painter: QPainter, place: int, tokens: theme.Tokens) -> None:
        room = self.tabRect(place)
        current = place == self.currentIndex()
        if place == self._under_mouse and self.isTabEnabled(place) and not current:
            painter.fillRect(room.adjusted(0, 0, 0, -1), tokens.hover)
        painter.setPen(self._ink(place, tokens, current=current))
        painter.drawText(room, int(Qt.AlignmentFlag.AlignCenter), self.tabText(place))
        if current:
            inner = self._padding - theme.GRID_PX
            line = QRect(room.left() + inner, 0, room.width() - 2 * inner, _LINE_PX)
            line.moveBottom(room.bottom())
            painter.fillRect(line, tokens.accent)
            if self.hasFocus():
                painter.setPen(QPen(tokens.accent, 1))
                painter.drawRect(room.adjusted(1, 2, -2, -4))

    def _ink(self, place: int, tokens: theme.Tokens, *, current: bool) -> QColor:
        if not self.isTabEnabled(place):
            return tokens.disabled
        return tokens.text if current else tokens.secondary

    def _hover(self, place: int) -> None:
        if place != self._under_mouse:
            self._under_mouse = place
            self.update()

    def _words_px(self, place: int) -> int:
        return self.fontMetrics().horizontalAdvance(self.tabText(place))
