"""Everything that is shown of two runs compared: the verdict first, then what proves it."""

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QFontMetrics, QResizeEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from inspector.gui import theme
from inspector.gui.panes.compare_decisions import DecisionsPane
from inspector.gui.panes.compare_detail_pane import CompareDetailPane
from inspector.gui.panes.compare_tree_pane import CompareTreePane
from inspector.gui.widgets.comparison_band import (
    ComparisonBand,
    ComputingCard,
    NoComparisonCard,
)
from inspector.gui.widgets.empty_words import EmptyWords
from inspector.gui.widgets.plain import Hairline
from inspector.gui.widgets.quiet_splitter import QuietSplitter
from inspector.gui.widgets.status_line import StatusLine
from inspector.gui.workspace.open_comparison import OpenComparison, PairFocus
from inspector.presentation.compare_summary import headline, key_figures, side_words
from inspector.presentation.decision_table import sorted_decisions
from inspector.presentation.words import sentence

if TYPE_CHECKING:
    from inspector.diff.model import Comparison

SLOW_MS = 200
_ROWS_AT_FIRST = 7
_TREE_LETTERS = 76  # of names, on both sides together
_TREE_SHARES = 0.28, 0.42
_NO_NEXT = "No further difference in this text."
_NO_PREVIOUS = "No difference before this one in this text."
_KEYS = "Alt+↓ goes to the next change, F7 to the next difference in a text, X swaps the sides."


class ComparisonWindow(QWidget):
    """The tab of one comparison: verdict, decisions, the tree of both runs, and what differs."""

    swap_requested = Signal()
    next_requested = Signal()
    previous_requested = Signal()
    rules_requested = Signal(object)  # OpenComparison
    page_requested = Signal(object)  # OpenComparison
    cancel_requested = Signal(object)  # OpenComparison
    open_requested = Signal(object, object)  # ComparedRun, the span's id
    align_requested = Signal(object, str, str)  # OpenComparison, left span, right span

    def __init__(self, comparison: OpenComparison, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.open_comparison = comparison
        self._band = ComparisonBand()
        self._computing = ComputingCard()
        self._computing.hide()
        self._failed = NoComparisonCard()
        self._failed.hide()
        self._decisions = DecisionsPane(comparison)
        self._tree = CompareTreePane(comparison)
        self._detail = CompareDetailPane(comparison)
        self._nothing = EmptyWords()
        self._nothing.say("What both runs decided stands here once they are compared.")
        self._nothing.hide()
        self._status = StatusLine()
        self._kind: str | None = None  # of the decision that is chosen
        self._sized = False
        self._wants_focus = False
        self._slow = QTimer(self)
        self._slow.setSingleShot(True)
        self._slow.setInterval(SLOW_MS)
        self._slow.timeout.connect(self._computing.show)

        self._below = QuietSplitter(Qt.Orientation.Horizontal)
        self._below.addWidget(self._tree)
        self._below.addWidget(self._detail)
        self._below.setStretchFactor(0, 1)
        self._below.setStretchFactor(1, 2)
        self._body = QuietSplitter(Qt.Orientation.Vertical)
        self._body.addWidget(self._decisions)
        self._body.addWidget(self._below)
        self._body.setStretchFactor(0, 0)
        self._body.setStretchFactor(1, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self._band)
        layout.addWidget(self._computing)
        layout.addWidget(self._failed)
        layout.addWidget(Hairline(self))
        layout.addWidget(self._body, 1)
        layout.addWidget(self._nothing, 1)
        layout.addWidget(Hairline(self))
        layout.addWidget(self._status)
        self._connect(comparison)
        self._show_sides()
        if comparison.comparison is not None:
            self._show()
        elif comparison.failure is not None:
            self._fail(*comparison.failure)
        else:
            self._wait()

    @property
    def band(self) -> ComparisonBand:
        return self._band

    @property
    def decisions(self) -> DecisionsPane:
        return self._decisions

    @property
    def tree(self) -> CompareTreePane:
        return self._tree

    @property
    def detail(self) -> CompareDetailPane:
        return self._detail

    @property
    def is_settled(self) -> bool:
        """Whether nothing is being computed for this tab."""
        return not self.open_comparison.tasks.busy

    def take_focus(self) -> None:
        """Put the focus where keys do most, as soon as there is something."""
        self._wants_focus = not self._body.isEnabled()
        self._decisions.table.setFocus()

    def say(self, words: str) -> None:
        """Say something at the left of the status line."""
        self._status.words.setText(words)

    def step(self, by: int) -> None:
        """Go to the next difference in the text that is shown, or with -1 to the one before."""
        if not self._detail.step(by):
            self.say(_NO_NEXT if by > 0 else _NO_PREVIOUS)

    def _connect(self, comparison: OpenComparison) -> None:
        comparison.computing.connect(self._wait)
        comparison.asked.connect(self._show_sides)
        comparison.progressed.connect(self._computing.move_to)
        comparison.compared.connect(self._show)
        comparison.failed.connect(self._fail)
        comparison.selection.changed.connect(self._on_selection_changed)
        self._computing.cancel_requested.connect(lambda: self.cancel_requested.emit(comparison))
        self._failed.again_requested.connect(comparison.ask_again)
        self._failed.rules_requested.connect(lambda: self.rules_requested.emit(comparison))
        self._band.swap_requested.connect(self.swap_requested)
        self._band.rules_requested.connect(lambda: self.rules_requested.emit(comparison))
        self._band.page_requested.connect(lambda: self.page_requested.emit(comparison))
        self._band.causes_requested.connect(lambda: self._detail.show_tab("causes"))
        self._band.figures_requested.connect(lambda: self._detail.show_tab("figures"))
        self._decisions.entered.connect(self._detail.take_focus)
        self._decisions.open_requested.connect(self._ask_to_open)
        self._decisions.next_requested.connect(self.next_requested)
        self._decisions.previous_requested.connect(self.previous_requested)
        self._tree.open_requested.connect(self._ask_to_open)
        self._detail.open_requested.connect(self._ask_to_open)
        self._tree.align_requested.connect(
            lambda left, right: self.align_requested.emit(comparison, left, right)
        )

    def _wait(self) -> None:
        self._failed.hide()
        focused = self.focusWidget()
        self._wants_focus |= focused is not None and self._body.isAncestorOf(focused)
        self._body.setEnabled(False)
        self._computing.move_to(0.0)
        self._slow.start()
        if not self._band.sentence:
            self._band.show_waiting()

    def _show_sides(self) -> None:
        one = self.open_comparison
        self._band.show_sides(one.left.title, one.right.title)
        rules = one.rules
        self._band.show_rules(len(rules.ignore) + len(rules.sync) + bool(rules.extract))

    def _show(self) -> None:
        found = self.open_comparison.comparison
        assert found is not None
        self._settle()
        self._body.setEnabled(True)
        self._body.show()
        self._nothing.hide()
        if self._wants_focus:
            self.take_focus()
        self._band.show_verdict(headline(found), key_figures(found))
        one = self.open_comparison
        self._say_notes()
        self.setAccessibleName(
            f"Comparison of {side_words(found.left)} with {side_words(found.right)}"
        )
        if not self._sized:
            self._share_room(len(found.decisions))
        if one.selection.focus.decision is None:
            self._choose(found)

    def _choose(self, found: "Comparison") -> None:
        """Choose what was chosen before, or the gravest decision."""
        focus = self.open_comparison.selection.focus
        spans = (focus.left, focus.right)
        again = [each for each in found.decisions if (each.left_span, each.right_span) == spans
                 and each.kind == self._kind]  # fmt: skip
        gravest = sorted_decisions(found, only_changed=True)
        if not again and self._kind is None and focus != PairFocus():
            # A span was chosen, not a decision. Other rules may have put it beside another.
            self.open_comparison.selection.select(_paired_now(self.open_comparison, found, focus))
            return
        chosen = next(iter((*again, *gravest)), None)
        self.open_comparison.selection.select(
            PairFocus()
            if chosen is None
            else PairFocus(chosen.number, chosen.left_span, chosen.right_span)
        )

    def _on_selection_changed(self, focus: PairFocus) -> None:
        self._say_notes()
        found = self.open_comparison.comparison
        if found is not None:
            chosen = None if focus.decision is None else found.decisions[focus.decision]
            self._kind = None if chosen is None else chosen.kind

    def _fail(self, message: str, hint: str) -> None:
        self._settle()
        self._body.setEnabled(False)
        # What stood there is of other rules, or of the other way round.
        self._body.hide()
        self._nothing.show()
        self._band.show_failure()
        self._failed.say(message, hint)
        self._failed.show()

    def _settle(self) -> None:
        self._slow.stop()
        self._computing.hide()
        self._failed.hide()

    def _say_notes(self) -> None:
        found = self.open_comparison.comparison
        self._status.words.setText((sentence(list(found.notes), " ") or _KEYS) if found else "")

    def _ask_to_open(self, is_left: bool, span_id: str | None) -> None:
        one = self.open_comparison
        self.open_requested.emit(one.left if is_left else one.right, span_id)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if not self._sized:
            self._share_room(_ROWS_AT_FIRST)

    def _share_room(self, decisions: int) -> None:
        """Give the decisions what they need, and what belongs to them the rest."""
        found = self.open_comparison.comparison
        rows = (min(max(decisions, 2), _ROWS_AT_FIRST) + 2) * theme.row_height() + theme.GAP_PX
        height = self._body.height()
        top = min(rows, height * 4 // 10)
        self._body.setSizes([top, height - top])
        letters = _TREE_LETTERS * QFontMetrics(theme.font()).averageCharWidth()
        least, most = (int(self.width() * share) for share in _TREE_SHARES)
        left = min(max(letters, least), most)
        self._below.setSizes([left, self.width() - left])
        # From now on a person's own sizes count.
        self._sized = found is not None and self.isVisible()


def _paired_now(one: OpenComparison, found: "Comparison", focus: PairFocus) -> PairFocus:
    """Return the pair in which the span that was chosen stands: the left one, if there was one."""
    tables = one.left.run.table, one.right.run.table
    for side, span_id in enumerate((focus.left, focus.right)):
        row = None if span_id is None else tables[side].row_of(span_id)
        pair = next((each for each in found.pairs if (each.left, each.right)[side] == row), None)
        if row is not None and pair is not None:
            return PairFocus(
                None,
                None if pair.left is None else tables[0].id(pair.left),
                None if pair.right is None else tables[1].id(pair.right),
            )
    return focus
