"""The sheet of keys."""

from collections.abc import Iterable, Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QDialog,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QScrollArea,
    QStyle,
    QVBoxLayout,
    QWidget,
)

from inspector.gui import theme
from inspector.gui.dialogs.buttons import close_row
from inspector.gui.widgets.labels import Words

Line = tuple[str, Sequence[str]]  # what is done, and the keys that do it
_COLUMNS = 2
_HIGHEST = 800


class ShortcutsDialog(QDialog):
    """Lists every key, by the menu that its action stands in."""

    def __init__(
        self, groups: Iterable[tuple[str, Sequence[Line]]], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle("Keyboard shortcuts")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        told = tuple(groups)
        widest = (parent or self).screen().availableSize().width() * 9 // 10
        sheet = _sheet(told, _COLUMNS)
        if sheet.sizeHint().width() > widest:
            sheet = _sheet(told, 1)  # rather longer than with keys out of sight

        scroll = QScrollArea()
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setWidgetResizable(True)
        scroll.setWidget(sheet)
        buttons = close_row(self)
        buttons.setContentsMargins(16, 0, 16, 12)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(scroll, 1)
        layout.addWidget(buttons)
        wanted = sheet.sizeHint()
        bar = self.style().pixelMetric(QStyle.PixelMetric.PM_ScrollBarExtent)
        self.resize(
            min(widest, wanted.width() + bar + theme.GRID_PX),
            min(_HIGHEST, wanted.height() + 64),
        )


def _sheet(groups: Sequence[tuple[str, Sequence[Line]]], number: int) -> QWidget:
    """Return all keys in so many columns, each group where there is most room."""
    columns = [QVBoxLayout() for _ in range(number)]
    for column in columns:
        column.setSpacing(0)
    heights = [0] * number
    for title, lines in groups:
        shortest = heights.index(min(heights))
        columns[shortest].addLayout(_group(title, lines))
        columns[shortest].addSpacing(2 * theme.GROUP_GAP_PX)
        heights[shortest] += len(lines) + 2
    sheet = QWidget()
    row = QHBoxLayout(sheet)
    row.setContentsMargins(24, 20, 24, 0)
    row.setSpacing(48)
    for column in columns:
        column.addStretch(1)
        row.addLayout(column, 1)
    return sheet


def _group(title: str, lines: Sequence[Line]) -> QGridLayout:
    grid = QGridLayout()
    grid.setHorizontalSpacing(24)
    grid.setVerticalSpacing(6)
    grid.setColumnStretch(0, 1)
    grid.addWidget(Words(title, strong=True), 0, 0, 1, 2)
    for place, (words, keys) in enumerate(lines, start=1):
        grid.addWidget(Words(words, colour="secondary"), place, 0)
        caps = QHBoxLayout()
        caps.setSpacing(theme.GRID_PX)
        caps.addStretch(1)
        for key in keys:
            caps.addWidget(KeyCap(key))
        grid.addLayout(caps, place, 1)
    return grid


class KeyCap(QLabel):
    """One key, drawn as one."""

    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setFont(theme.font(-1))
        self.setAlignment(Qt.AlignmentFlag.AlignCenter)
        metrics = QFontMetrics(self.font())
        self.setFixedSize(
            max(metrics.height() + 8, metrics.horizontalAdvance(key) + 12), metrics.height() + 6
        )

    def paintEvent(self, event: QPaintEvent) -> None:
        tokens = theme.current()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(tokens.border)
        painter.setBrush(tokens.raised)
        painter.drawRoundedRect(self.rect().adjusted(0, 0, -1, -1), 3, 3)
        painter.end()
        super().paintEvent(event)
