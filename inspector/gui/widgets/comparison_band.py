"""The band over a comparison: what the change did, and which runs stand on which side."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFontMetrics, QResizeEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QProgressBar,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from inspector.gui import theme
from inspector.gui.widgets.cards import Card
from inspector.gui.widgets.labels import ElidedWords, Icon, Words
from inspector.gui.widgets.plain import IconButton, LinkButton
from inspector.presentation.compare_summary import Headline
from inspector.presentation.words import one_line, percent_words, sentence, visible_text

_AROUND_PX = 170  # signs, the button between them, margins


class ComparisonBand(QWidget):
    """The verdict, its likely cause, the two sides and the figures asked for most."""

    swap_requested = Signal()
    rules_requested = Signal()
    page_requested = Signal()
    causes_requested = Signal()
    figures_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._said_figures: Sequence[str] = ()
        self._icon = Icon(size_px=18)
        self._sentence = Words(step=1, strong=True, wrap=True)
        self._sentence.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._sentence.setAccessibleName("Verdict")
        # Wrapped words ask for little room; these get all there is.
        wide = self._sentence.sizePolicy()
        wide.setHorizontalPolicy(QSizePolicy.Policy.Expanding)
        self._sentence.setSizePolicy(wide)
        self._cause = ElidedWords(sentence=True, colour="secondary")
        self._more = LinkButton("", self.causes_requested.emit)
        self._left = ElidedWords()
        self._left.setAccessibleName("Left run")
        self._right = ElidedWords()
        self._right.setAccessibleName("Right run")
        self._swap = IconButton("swap", "Swap left and right (X)", self.swap_requested.emit)
        self._figures = LinkButton("", self.figures_requested.emit)
        self._figures.setToolTip("Show all figures")
        self._rules = LinkButton("Rules…", self.rules_requested.emit)
        self._rules.setToolTip("What does not count, what is taken out of the answers")
        self._page = LinkButton("Save as page…", self.page_requested.emit)
        self._page.setToolTip("One file for a browser, to look at or to send on (Ctrl+S)")
        self._page.hide()

        words = QVBoxLayout()
        words.setSpacing(2)
        words.addWidget(self._sentence)
        self._causes = QWidget()
        cause = QHBoxLayout(self._causes)
        cause.setContentsMargins(0, 0, 0, 0)
        cause.setSpacing(theme.GAP_PX)
        cause.addWidget(self._cause, 1)
        cause.addWidget(self._more)
        words.addWidget(self._causes)
        top = QHBoxLayout()
        top.setSpacing(theme.GAP_PX)
        top.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignTop)
        top.addLayout(words, 1)

        sides = QHBoxLayout()
        sides.setSpacing(theme.GAP_PX)
        sides.addWidget(Words("−", strong=True, colour="failed"))
        sides.addWidget(self._left)
        sides.addWidget(self._swap)
        sides.addWidget(Words("+", strong=True, colour="same"))
        sides.addWidget(self._right)
        sides.addStretch(1)
        sides.addWidget(self._figures)
        sides.addWidget(self._rules)
        sides.addWidget(self._page)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(
            theme.GROUP_GAP_PX, theme.GAP_PX, theme.GROUP_GAP_PX, theme.GRID_PX
        )
        layout.setSpacing(theme.GRID_PX)
        layout.addLayout(top)
        layout.addLayout(sides)

    @property
    def sentence(self) -> str:
        return self._sentence.text()

    def show_sides(self, left: str, right: str) -> None:
        """Say which run stands where."""
        self._left.setText(one_line(left))
        self._right.setText(one_line(right))

    def show_rules(self, count: int) -> None:
        """Say how many rules of a person's own count."""
        self._rules.say(f"Rules ({count})…" if count else "Rules…")

    def show_verdict(self, said: Headline, figures: Sequence[str]) -> None:
        """Show what the change did."""
        self._icon.show_icon(said.icon, said.ink)
        self._icon.show()
        self._sentence.setText(said.sentence)
        self._sentence.set_colour("text")
        self._cause.setText(said.cause)
        self._causes.setVisible(bool(said.cause))
        self._more.say(said.more)
        self._more.setVisible(bool(said.more))
        self._page.show()
        self._said_figures = figures
        self._fit_figures()
        self.setAccessibleDescription(f"{said.sentence} {said.cause}")

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_figures()

    def _fit_figures(self) -> None:
        """Say as many figures as there is room for beside the names of the runs."""
        others = (self._left, self._right, self._rules, self._page)
        room = self.width() - sum(each.sizeHint().width() for each in others) - _AROUND_PX
        figures = list(self._said_figures)
        metrics = QFontMetrics(self._figures.font())
        while figures and metrics.horizontalAdvance(sentence(figures)) > room:
            figures.pop()
        self._figures.say(sentence(figures))
        self._figures.setVisible(bool(figures))

    def show_waiting(self) -> None:
        """Say nothing yet, in the room that the verdict will take."""
        self._icon.show_icon("compare", "secondary")
        self._sentence.setText("Comparing…")
        self._sentence.set_colour("secondary")
        self._causes.hide()
        self._said_figures = ()
        self._figures.hide()
        self._page.hide()

    def show_failure(self) -> None:
        """Say that there is no verdict; why stands below."""
        self._icon.show_icon("failed", "failed")
        self._sentence.setText("The runs could not be compared.")
        self._sentence.set_colour("text")
        self._causes.hide()
        self._said_figures = ()
        self._figures.hide()
        self._page.hide()


class ComputingCard(Card):
    """A comparison that is under way: how far, and a way to stop."""

    cancel_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("notice_ground", "accent", parent)
        self.setAccessibleName("Comparing")
        self._bar = QProgressBar()
        self._bar.setRange(0, 1000)
        self._bar.setTextVisible(False)
        self._bar.setFixedHeight(6)
        self._bar.setAccessibleName("How much is compared")
        self._percent = Words(step=-1, colour="secondary")
        cancel = QPushButton("Cancel")
        cancel.clicked.connect(self.cancel_requested)
        row = QHBoxLayout(self)
        row.setContentsMargins(theme.GROUP_GAP_PX, theme.GAP_PX, theme.GROUP_GAP_PX, theme.GAP_PX)
        row.setSpacing(theme.GROUP_GAP_PX)
        row.addWidget(Words("Comparing span by span", strong=True))
        row.addWidget(self._bar, 1)
        row.addWidget(self._percent)
        row.addWidget(cancel)

    def move_to(self, fraction: float) -> None:
        """Show how much is done, from 0 to 1."""
        self._bar.setValue(round(1000 * min(1.0, max(0.0, fraction))))
        self._percent.setText(percent_words(fraction, 1.0))


class NoComparisonCard(Card):
    """Why there is no comparison, and what to do about it."""

    again_requested = Signal()
    rules_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("failed_ground", "failed", parent)
        self._message = Words(strong=True, wrap=True)
        self._message.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._hint = Words(wrap=True)
        again = QPushButton("Compare again")
        again.clicked.connect(self.again_requested)
        rules = QPushButton("Change the rules…")
        rules.clicked.connect(self.rules_requested)
        words = QVBoxLayout()
        words.setSpacing(2)
        words.addWidget(self._message)
        words.addWidget(self._hint)
        row = QHBoxLayout(self)
        row.setContentsMargins(theme.GROUP_GAP_PX, theme.GAP_PX, theme.GROUP_GAP_PX, theme.GAP_PX)
        row.setSpacing(theme.GAP_PX)
        row.addWidget(Icon("failed", colour="failed"), 0, Qt.AlignmentFlag.AlignTop)
        row.addLayout(words, 1)
        row.addWidget(rules, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(again, 0, Qt.AlignmentFlag.AlignTop)

    def say(self, message: str, hint: str) -> None:
        """Show why."""
        self._message.setText(visible_text(message))
        self._hint.setText(visible_text(hint))
        self._hint.setVisible(bool(hint))
        self.setAccessibleName(message)
        self.setAccessibleDescription(hint)
