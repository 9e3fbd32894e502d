"""One line over a run: how it ended, and what it took."""

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QHBoxLayout, QWidget

from inspector.gui import theme
from inspector.gui.tips import tip
from inspector.gui.widgets.labels import ElidedWords, Icon, Words
from inspector.presentation.verdict import Fact, Verdict
from inspector.runfile.kinds import RunStatus

_COLOURS = {
    RunStatus.COMPLETED: "same",
    RunStatus.FAILED: "failed",
    RunStatus.CANCELED: "changed",
    RunStatus.PAUSED: "changed",
    RunStatus.INCOMPLETE: "changed",
    RunStatus.RUNNING: "live",
}
# Facts that lead somewhere, and the colour they have where they do not bring their own.
_LINKS = {"failed": "failed", "problems": "changed", "findings": "changed", "cost": "text"}


class VerdictLine(QWidget):
    """Draws a `Verdict`; facts that lead somewhere are buttons."""

    fact_chosen = Signal(str)  # its key

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shown: Verdict | None = None
        self._icon = Icon(size_px=18)
        self._name = ElidedWords(step=1, strong=True)
        self._ending = Words(step=1, strong=True)
        self._facts = QHBoxLayout()
        self._facts.setSpacing(0)
        row = QHBoxLayout(self)
        row.setContentsMargins(theme.GROUP_GAP_PX, theme.GAP_PX, theme.GROUP_GAP_PX, theme.GAP_PX)
        row.setSpacing(theme.GAP_PX)
        row.addWidget(self._icon)
        row.addWidget(self._name, 0)
        ending = QHBoxLayout()
        ending.setSpacing(0)
        ending.addWidget(self._ending)
        ending.addLayout(self._facts)
        row.addLayout(ending)
        row.addStretch(1)

    @property
    def shown(self) -> Verdict | None:
        return self._shown

    def show_verdict(self, verdict: Verdict) -> None:
        """Show how a run ended."""
        self._shown = verdict
        colour = _COLOURS[verdict.status]
        self._icon.show_icon(str(verdict.status), colour)
        self._name.setText(verdict.name)
        self._name.setVisible(bool(verdict.name))
        self._ending.setText(verdict.ending)
        self._ending.set_colour(colour)
        while (item := self._facts.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.deleteLater()
        for fact in verdict.facts:
            dot = Words("·", step=1, colour="secondary")
            dot.setContentsMargins(theme.GAP_PX, 0, theme.GAP_PX, 0)
            self._facts.addWidget(dot)
            self._facts.addWidget(self._widget_of(fact))
        self.setAccessibleName("Verdict")
        facts = ", ".join(fact.text for fact in verdict.facts)
        self.setAccessibleDescription(f"{verdict.name} {verdict.ending}, {facts}")

    def _widget_of(self, fact: Fact) -> QWidget:
        colour = _LINKS.get(fact.key)
        if colour is None:
            words = Words(fact.text, step=1)
            words.setToolTip(tip(fact.tip))
            return words
        button = _LinkButton(fact.text, fact.colour or colour, strong=fact.key != "cost")
        button.setToolTip(tip(fact.tip))
        button.clicked.connect(lambda _checked=False, key=fact.key: self.fact_chosen.emit(key))
        return button


class _LinkButton(QAbstractButton):
    """A fact that leads somewhere: drawn like the others, underlined under the mouse."""

    def __init__(self, text: str, colour: str, *, strong: bool) -> None:
        super().__init__()
        self._colour = colour
        self._strong = strong
        self.setText(text)
        self.setAccessibleName(text)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        theme.changes.changed.connect(self.updateGeometry)

    def sizeHint(self) -> QSize:
        metrics = QFontMetrics(theme.font(1, strong=self._strong))
        return QSize(metrics.horizontalAdvance(self.text()), metrics.height() + 4)

    def paintEvent(self, _event: QPaintEvent) -> None:
        tokens = theme.current()
        painter = QPainter(self)
        font = theme.font(1, strong=self._strong)
        font.setUnderline(self.underMouse() or self.hasFocus())
        painter.setFont(font)
        painter.setPen(getattr(tokens, self._colour))
        painter.drawText(self.rect(), int(Qt.AlignmentFlag.AlignVCenter), self.text())
        painter.end()
