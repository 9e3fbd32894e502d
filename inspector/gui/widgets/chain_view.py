"""The way from the first divergence to the answer, step below step."""

from collections.abc import Sequence

from PySide6.QtCore import QRect, QSize, Qt, Signal
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QHBoxLayout, QVBoxLayout, QWidget

from inspector.gui import theme
from inspector.gui.widgets.labels import Icon, Words
from inspector.gui.widgets.plain import PanelGround
from inspector.presentation.compare_summary import ChainStep

_WRAPPED = int(Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextWordWrap)
_RAIL_PX = 28
_DOT_PX = 4
_CAUSES = {
    "certain": ("completed", "same", "certain"),
    "likely": ("info", "changed", "likely"),
    "possible": ("help", "secondary", "possible"),
}


class ChainStepButton(QAbstractButton):
    """One step: a dot on a rail, which is dashed where the step is inferred."""

    def __init__(self, step: ChainStep, *, first: bool, last: bool) -> None:
        super().__init__()
        self._step = step
        self._first = first
        self._last = last
        known = "" if first else "recorded" if step.recorded else "inferred"
        self._known = known
        self._style_below = Qt.PenStyle.SolidLine
        self.setText(step.words)
        self.setAccessibleName(f"{step.words}, {known}" if known else step.words)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        policy = self.sizePolicy()
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        theme.changes.changed.connect(self.updateGeometry)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        room = QRect(0, 0, max(60, width - _RAIL_PX - self._known_px()), 10_000)
        needed = QFontMetrics(self._font()).boundingRect(room, _WRAPPED, self.text()).height()
        return max(theme.row_height() + 4, needed + theme.GAP_PX)

    def sizeHint(self) -> QSize:
        return QSize(320, self.heightForWidth(max(320, self.width())))

    def minimumSizeHint(self) -> QSize:
        return QSize(160, theme.row_height())

    def _font(self) -> QFont:
        return theme.font(strong=self._first or self._last)

    def _known_px(self) -> int:
        return QFontMetrics(theme.font(-1)).horizontalAdvance("recorded") + 2 * theme.GAP_PX

    def paintEvent(self, _event: QPaintEvent) -> None:
        tokens = theme.current()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self.underMouse():
            painter.fillRect(self.rect(), tokens.hover)
        middle = self.height() // 2
        x = _RAIL_PX // 2
        ink = tokens.changed if self._first else tokens.secondary
        style = Qt.PenStyle.SolidLine if self._step.recorded else Qt.PenStyle.DashLine
        if not self._first:
            painter.setPen(QPen(tokens.secondary, 1.5, style))
            painter.drawLine(x, 0, x, middle - _DOT_PX)
        if not self._last:
            # The rail below belongs to the next step, which draws its own half above its dot.
            painter.setPen(QPen(tokens.secondary, 1.5, self._style_below))
            painter.drawLine(x, middle + _DOT_PX, x, self.height())
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(ink)
        painter.drawEllipse(QRect(x - _DOT_PX, middle - _DOT_PX, 2 * _DOT_PX, 2 * _DOT_PX))
        room = QRect(_RAIL_PX, 0, self.width() - _RAIL_PX - self._known_px(), self.height())
        painter.setPen(tokens.text)
        painter.setFont(self._font())
        painter.drawText(room, _WRAPPED, self.text())
        painter.setFont(theme.font(-1))
        painter.setPen(tokens.secondary)
        painter.drawText(
            self.rect().adjusted(0, 0, -theme.GAP_PX, 0),
            int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter), self._known,
        )  # fmt: skip
        if self.hasFocus():
            painter.setPen(QPen(tokens.accent, 1.5))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(self.rect().adjusted(1, 1, -2, -2), 3, 3)
        painter.end()

    def lead_to(self, step: ChainStep) -> None:
        """Draw the rail to the next step as that one is known."""
        self._style_below = Qt.PenStyle.SolidLine if step.recorded else Qt.PenStyle.DashLine


class ChainView(QWidget):
    """Causes of the first divergence, and what followed from it."""

    step_chosen = Signal(object)  # ChainStep

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._ground = PanelGround(self)
        self.setAccessibleName("Causes, and what followed")
        self._rows = QVBoxLayout(self)
        gap = theme.GROUP_GAP_PX
        self._rows.setContentsMargins(gap, gap, gap, gap)
        self._rows.setSpacing(0)

    def show_chain(
        self, causes: Sequence[tuple[str, str]], steps: Sequence[ChainStep], empty: str
    ) -> None:
        """Show another chain; `empty` says why there is none."""
        while (item := self._rows.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.hide()
                widget.deleteLater()
        if not steps:
            self._rows.addWidget(Words(empty, colour="secondary", wrap=True))
        if causes:
            self._add_title("What may have caused the first divergence")
            for likely, words in causes:
                self._rows.addWidget(_cause(likely, words))
            self._rows.addSpacing(theme.GROUP_GAP_PX)
        if steps:
            self._add_title("From there to the answer")
        before: ChainStepButton | None = None
        for at, step in enumerate(steps):
            button = ChainStepButton(step, first=at == 0, last=at == len(steps) - 1)
            button.clicked.connect(lambda _on=False, step=step: self.step_chosen.emit(step))
            if before is not None:
                before.lead_to(step)
            self._rows.addWidget(button)
            before = button
        self._rows.addStretch(1)

    def _add_title(self, words: str) -> None:
        title = Words(words, step=-1, strong=True, colour="secondary")
        title.setContentsMargins(0, 0, 0, theme.GRID_PX)
        self._rows.addWidget(title)


def _cause(likely: str, words: str) -> QWidget:
    icon, ink, said = _CAUSES.get(likely, _CAUSES["possible"])
    place = QWidget()
    row = QHBoxLayout(place)
    row.setContentsMargins(6, theme.GRID_PX, theme.GAP_PX, theme.GRID_PX)
    row.setSpacing(theme.GAP_PX)
    row.addWidget(Icon(icon, colour=ink), 0, Qt.AlignmentFlag.AlignTop)
    row.addWidget(Words(words, wrap=True), 1)
    row.addWidget(Words(said, step=-1, colour="secondary"), 0, Qt.AlignmentFlag.AlignTop)
    return place
