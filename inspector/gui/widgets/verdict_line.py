"""One line over a run: how it ended, and what it took."""

from typing import NamedTuple

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent, QResizeEvent
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
# What is left out first where there is no room for everything: it can be seen elsewhere.
_FIRST_TO_GO = ("tool", "llm", "tokens", "problems", "failed", "budget")
_NARROWEST_PX = 240
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
        self._placed: list[_Placed] = []
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
        theme.changes.changed.connect(self._fit)

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
                widget.hide()  # at once: it would take room until it is gone
                widget.deleteLater()
        self._placed = []
        for fact in verdict.facts:
            dot = Words("·", step=1, colour="secondary")
            dot.setContentsMargins(theme.GAP_PX, 0, theme.GAP_PX, 0)
            self._facts.addWidget(dot)
            shown = self._widget_of(fact)
            self._facts.addWidget(shown)
            self._placed.append(_Placed(fact, dot, shown))
        self._fit()
        self.setAccessibleName("Verdict")
        facts = ", ".join(fact.text for fact in verdict.facts)
        self.setAccessibleDescription(f"{verdict.name} {verdict.ending}, {facts}")

    def minimumSizeHint(self) -> QSize:
        # A long verdict must not keep the window wide: what has no room is left out.
        return QSize(_NARROWEST_PX, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Say everything, or what there is room for."""
        for placed in self._placed:
            placed.say(placed.fact.text)
            placed.set_shown(True)
        steps = [(placed, placed.fact.short) for placed in self._placed if placed.fact.short]
        for key in _FIRST_TO_GO:
            steps += [(placed, "") for placed in self._placed if placed.fact.key == key]
        whole = self._name.sizeHint().width() - self._name.minimumSizeHint().width()
        for placed, short in steps:
            # Rather fewer words of a fact than of the name, and rather fewer of the name
            # than a fact less.
            spare = self.width() - (whole if short else 0)
            if self._needed_px() <= spare:
                continue
            if short:
                placed.say(short)
            else:
                placed.set_shown(False)

    def _needed_px(self) -> int:
        """Return how wide everything is that is shown now; a name can be elided."""
        name = 0 if self._name.isHidden() else self._name.minimumSizeHint().width() + theme.GAP_PX
        facts = sum(
            placed.dot.sizeHint().width() + placed.shown.sizeHint().width()
            for placed in self._placed
            if not placed.dot.isHidden()
        )
        ends = 2 * theme.GROUP_GAP_PX + self._icon.width() + 2 * theme.GAP_PX
        return ends + name + self._ending.sizeHint().width() + facts

    def _widget_of(self, fact: Fact) -> "Words | _LinkButton":
        colour = _LINKS.get(fact.key)
        if colour is None:
            words = Words(fact.text, step=1)
            words.setToolTip(tip(fact.tip))
            return words
        button = _LinkButton(fact.text, fact.colour or colour, strong=fact.key != "cost")
        button.setToolTip(tip(fact.tip))
        button.clicked.connect(lambda _checked=False, key=fact.key: self.fact_chosen.emit(key))
        return button


class _Placed(NamedTuple):
    """A fact on the line, and the dot before it."""

    fact: Fact
    dot: Words
    shown: "Words | _LinkButton"

    def say(self, text: str) -> None:
        if self.shown.text() != text:
            self.shown.setText(text)

    def set_shown(self, shown: bool) -> None:
        self.dot.setVisible(shown)
        self.shown.setVisible(shown)


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

    def setText(self, text: str) -> None:
        super().setText(text)
        self.updateGeometry()

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
