"""The calls that a replay holds at the same time, each to be looked at and let go on its own."""

from collections.abc import Sequence

from PySide6.QtCore import QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from inspector.gui import theme
from inspector.gui.widgets.plain import LinkButton, PanelGround
from inspector.presentation.held_value import row_words
from inspector.presentation.live_replay import HeldCall
from inspector.presentation.tree_row import icon_of

_MOST_ROWS = 5  # that are seen at once
_LEFT = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)


class HeldCalls(QScrollArea):
    """A row for each held call; there are few, but for parallel calls of many tools."""

    chosen = Signal(int)  # the number of a pause
    let_go = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rows: dict[int, _Row] = {}
        self.setWidgetResizable(True)
        self.setFrameShape(QScrollArea.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setAccessibleName("Calls that are held")
        inside = QWidget()
        PanelGround(inside)
        self._column = QVBoxLayout(inside)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(0)
        self._column.addStretch(1)
        self.setWidget(inside)
        theme.changes.changed.connect(self._fit)

    def show_calls(self, calls: Sequence[HeldCall], current: int | None) -> None:
        """Show these calls, and which of them is looked at."""
        there = {call.pause for call in calls}
        for pause in [pause for pause in self._rows if pause not in there]:
            row = self._rows.pop(pause)
            row.hide()
            row.deleteLater()
        for place, call in enumerate(calls):
            if call.pause not in self._rows:
                row = self._rows[call.pause] = _Row(call)
                row.button.clicked.connect(lambda _on=False, p=call.pause: self.chosen.emit(p))
                row.go.clicked.connect(lambda _on=False, p=call.pause: self.let_go.emit(p))
                row.button.stepped.connect(self._step)
                self._column.insertWidget(place, row)
            self._rows[call.pause].show_call(call, current=call.pause == current)
        self._fit()

    def row(self, pause: int) -> "_Row":
        """Return the row of a pause."""
        return self._rows[pause]

    def _step(self, by: int) -> None:
        pauses = list(self._rows)
        at = next((n for n, p in enumerate(pauses) if self._rows[p].button.hasFocus()), 0)
        pause = pauses[(at + by) % len(pauses)]
        self._rows[pause].button.setFocus(Qt.FocusReason.OtherFocusReason)
        self.chosen.emit(pause)

    def _fit(self) -> None:
        rows = min(len(self._rows), _MOST_ROWS)
        self.setFixedHeight(rows * (theme.row_height() + 2))


class _Row(QWidget):
    def __init__(self, call: HeldCall) -> None:
        super().__init__()
        self.button = _CallButton(call)
        self.go = LinkButton("Let go")
        self.go.setToolTip("Let only this call go on, to the next breakpoint (Ctrl+F5)")
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, theme.GRID_PX, 0)
        layout.setSpacing(theme.GRID_PX)
        layout.addWidget(self.button, 1)
        layout.addWidget(self.go)

    def show_call(self, call: HeldCall, *, current: bool) -> None:
        self.button.show_call(call, current=current)
        self.go.setAccessibleName(f"Let only {' '.join(row_words(call))} go on")


class _CallButton(QAbstractButton):
    """One call in a line; the one that is looked at stands on the ground of what is chosen."""

    stepped = Signal(int)

    def __init__(self, call: HeldCall) -> None:
        super().__init__()
        self._call = call
        self.setCheckable(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)

    def show_call(self, call: HeldCall, *, current: bool) -> None:
        self._call = call
        self.setChecked(current)
        where, value = row_words(call)
        edited = ", edited" if call.edited else ""
        self.setAccessibleName(f"{where}{edited}: {value}")
        self.update()

    def nextCheckState(self) -> None:
        """Leave it to who shows the calls which of them is looked at."""

    def sizeHint(self) -> QSize:
        return QSize(200, theme.row_height() + 2)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            self.stepped.emit(1 if event.key() == Qt.Key.Key_Down else -1)
        else:
            super().keyPressEvent(event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        tokens = theme.current()
        painter = QPainter(self)
        if self.isChecked():
            painter.fillRect(self.rect(), tokens.selection)
        elif self.underMouse():
            painter.fillRect(self.rect(), tokens.hover)
        call, size = self._call, theme.ICON_PX
        left = theme.GROUP_GAP_PX
        top = (self.height() - size) // 2
        ink = tokens.name_for_kind(call.kind, call.role)
        painter.drawPixmap(
            QPoint(left, top), theme.pixmap(icon_of(call.kind, call.role), ink, size)
        )
        left += size + theme.GAP_PX
        where, value = row_words(call)
        left += self._write(painter, left, where, "text", strong=self.isChecked())
        if call.edited:
            left += self._write(painter, left + theme.GAP_PX, "≠ edited", "changed")
            left += theme.GAP_PX
        self._write(painter, left + theme.GROUP_GAP_PX, value, "secondary", value=True)
        if self.hasFocus():
            painter.setPen(QPen(tokens.accent, 2))
            painter.drawRect(self.rect().adjusted(1, 1, -1, -1))
        painter.end()

    def _write(
        self, painter: QPainter, left: int, words: str, colour: str, *, strong: bool = False,
        value: bool = False,
    ) -> int:  # fmt: skip
        font = theme.monospace(-1) if value else theme.font(strong=strong)
        metrics = QFontMetrics(font)
        room = QRect(left, 0, max(0, self.width() - theme.GAP_PX - left), self.height())
        shown = metrics.elidedText(words, Qt.TextElideMode.ElideRight, room.width())
        painter.setFont(font)
        painter.setPen(getattr(theme.current(), colour))
        painter.drawText(room, _LEFT, shown)
        return metrics.horizontalAdvance(shown)
