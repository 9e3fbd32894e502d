"""Several runs beside each other: a row for each, the baseline first."""

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer, Signal, SignalInstance
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QMenu, QPushButton, QVBoxLayout, QWidget

from inspector.gui import theme
from inspector.gui.tasks.runner import Cancelled
from inspector.gui.widgets.cohort_view import CohortView
from inspector.gui.widgets.compared_texts import ComparedTexts
from inspector.gui.widgets.comparison_band import ComputingCard
from inspector.gui.widgets.empty_words import EmptyWords
from inspector.gui.widgets.labels import Icon, Words
from inspector.gui.widgets.plain import Hairline, IconButton, PanelGround
from inspector.gui.widgets.quiet_splitter import QuietSplitter
from inspector.gui.widgets.status_line import StatusLine
from inspector.gui.workspace.open_cohort import OpenCohort
from inspector.presentation.cohort_table import (
    BASELINE,
    CohortTable,
    cohort_table,
    cohort_verdict,
    run_words,
    tip_words,
)
from inspector.presentation.visible import one_line

if TYPE_CHECKING:
    from inspector.presentation.compare_detail import DetailText

_SLOW_MS = 200
_KEYS = "Return compares the selected run with the baseline. A press on a title sorts by it."


class CohortWindow(QWidget):
    """The tab of one cohort: verdict, table, and the answer of the selected run beside the first.

    Knows one `OpenCohort` and nobody else.
    """

    open_requested = Signal(object, int)  # OpenCohort, place
    compare_requested = Signal(object, int)
    add_requested = Signal(object)  # OpenCohort
    page_requested = Signal(object)
    cancel_requested = Signal(object)

    def __init__(self, cohort: OpenCohort, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.open_cohort = cohort
        self._table: CohortTable | None = None
        self._view: CohortView | None = None
        self._sorted_by: tuple[int | None, bool] = (None, False)
        self._wants_focus = False
        self._icon = Icon("cohort", colour="secondary")
        self._verdict = Words(step=1, strong=True, wrap=True)
        self._computing = ComputingCard()
        self._computing.hide()
        self._nothing = EmptyWords()
        self._about = Words(step=-1, colour="secondary", wrap=True)
        self._about.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._texts = ComparedTexts(name="The answer of the baseline, and of the selected run")
        self._status = StatusLine()
        self._compare = QPushButton("Compare with baseline")
        self._open = QPushButton("Open run")
        self._compare.clicked.connect(lambda: self._ask(self.compare_requested))
        self._open.clicked.connect(lambda: self._ask(self.open_requested))
        self._baseline = IconButton("home", "Make this run the baseline", self._make_baseline)
        self._take_out = IconButton("remove", "Take this run out", self._remove)
        self._add = IconButton("add", "Add runs…", lambda: self.add_requested.emit(cohort))
        self._copy = IconButton("copy", "Copy the table for a pull request", self.copy_table)
        self._save = IconButton("file", "Save as a page…", lambda: self.page_requested.emit(cohort))
        self._slow = QTimer(self)
        self._slow.setSingleShot(True)
        self._slow.setInterval(_SLOW_MS)
        self._slow.timeout.connect(self._computing.show)
        self._lay_out()
        self._computing.cancel_requested.connect(lambda: self.cancel_requested.emit(cohort))
        cohort.computing.connect(self._wait)
        cohort.progressed.connect(self._computing.move_to)
        cohort.computed.connect(self._show)
        cohort.failed.connect(self._fail)
        cohort.selected_changed.connect(self._show_selected)
        if cohort.cohort is not None:
            self._show()
        elif cohort.failure is not None:
            self._fail(*cohort.failure)
        else:
            self._wait()

    @property
    def view(self) -> CohortView | None:
        """The table, once it is there."""
        return self._view

    @property
    def texts(self) -> ComparedTexts:
        return self._texts

    @property
    def verdict(self) -> str:
        return self._verdict.text()

    @property
    def about(self) -> str:
        """What is said of the selected run."""
        return self._about.text()

    def take_focus(self) -> None:
        """Put the focus into the table, as soon as it is there."""
        if self._view is not None:
            self._view.setFocus()
        else:
            self._wants_focus = True

    def say(self, words: str) -> None:
        """Say something at the left of the status line."""
        self._status.words.setText(words)

    def copy_table(self) -> None:
        """Copy the table as Markdown."""
        if (found := self.open_cohort.cohort) is not None:
            from inspector.presentation.cohort_text import cohort_markdown

            QGuiApplication.clipboard().setText(cohort_markdown(found))
            self.say("The table was copied as Markdown.")

    def sort_by(self, column: int) -> None:
        """Put the rows in the order of a column; asked again, the other way round."""
        before, falling = self._sorted_by
        self._sorted_by = (column, column == before and not falling)
        self._show_rows()

    def _lay_out(self) -> None:
        head = QWidget()
        PanelGround(head)
        row = QHBoxLayout(head)
        row.setContentsMargins(theme.GROUP_GAP_PX, theme.GAP_PX, theme.GAP_PX, theme.GAP_PX)
        row.setSpacing(theme.GAP_PX)
        row.addWidget(self._icon)
        row.addWidget(self._verdict, 1)
        for button in (self._add, self._copy, self._save):
            row.addWidget(button)
        tools = QHBoxLayout()
        tools.setContentsMargins(theme.GROUP_GAP_PX, theme.GAP_PX, theme.GAP_PX, theme.GAP_PX)
        tools.setSpacing(theme.GRID_PX)
        tools.addWidget(self._about, 1)
        for widget in (self._compare, self._open, self._baseline, self._take_out):
            tools.addWidget(widget, 0, Qt.AlignmentFlag.AlignTop)
        below = QWidget()
        PanelGround(below)
        inside = QVBoxLayout(below)
        inside.setContentsMargins(0, 0, 0, 0)
        inside.setSpacing(0)
        inside.addLayout(tools)
        inside.addWidget(Hairline())
        inside.addWidget(self._texts, 1)
        self._place = QVBoxLayout()
        above = QWidget()
        above.setLayout(self._place)
        self._place.setContentsMargins(0, 0, 0, 0)
        self._body = QuietSplitter(Qt.Orientation.Vertical)
        self._body.addWidget(above)
        self._body.addWidget(below)
        self._body.setStretchFactor(0, 0)
        self._body.setStretchFactor(1, 1)
        self._body.hide()
        self._nothing.say("What the runs decided stands here once they are compared.")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(head)
        layout.addWidget(self._computing)
        layout.addWidget(Hairline(self))
        layout.addWidget(self._body, 1)
        layout.addWidget(self._nothing, 1)
        layout.addWidget(Hairline(self))
        layout.addWidget(self._status)
        self._verdict.setText("Comparing…")
        self.say(_KEYS)

    def _wait(self) -> None:
        self._slow.start()

    def _rest(self) -> None:
        self._slow.stop()
        self._computing.hide()

    def _fail(self, message: str, hint: str) -> None:
        self._rest()
        self._verdict.setText("There is no table")
        self._nothing.say(one_line(f"{message} {hint}".strip()))
        self._nothing.show()
        self._body.hide()

    def _show(self) -> None:
        self._rest()
        found = self.open_cohort.cohort
        assert found is not None
        before, self._table = self._table, cohort_table(found)
        self._verdict.setText(cohort_verdict(found))
        if self._view is None or before is None or before.columns != self._table.columns:
            self._make_view(self._table)
        self._show_rows()
        first_time = self._nothing.isVisibleTo(self)
        self._nothing.hide()
        self._body.show()
        if first_time and self._view is not None:
            height = self._view.sizeHint().height()
            self._body.setSizes([height, max(1, self.height() - height)])
        if self.open_cohort.selected is None:
            self.open_cohort.select(1)
        self._show_selected()
        if self._wants_focus:
            self._wants_focus = False
            self.take_focus()

    def _make_view(self, shown: CohortTable) -> None:
        had_focus = self._view is not None and self._view.hasFocus()
        if self._view is not None:
            self._place.removeWidget(self._view)
            self._view.hide()
            self._view.deleteLater()
        self._sorted_by = (None, False)
        view = self._view = CohortView(shown)
        view.row_changed.connect(self.open_cohort.select)
        view.row_chosen.connect(self._on_chosen)
        view.sort_requested.connect(self.sort_by)
        view.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        view.customContextMenuRequested.connect(self._on_menu)
        self._place.addWidget(view)
        if had_focus:
            view.setFocus()

    def _show_rows(self) -> None:
        if self._table is None or self._view is None:
            return
        column, falling = self._sorted_by
        self._view.show_rows(self._table.sorted_rows(column, falling=falling))
        self._view.make_current(self.open_cohort.selected)
        self._view.mark_sorted(column, falling=falling)

    def _show_selected(self) -> None:
        found, place = self.open_cohort.cohort, self.open_cohort.selected
        if found is None or place is None or place > len(found.members):
            return
        if self._view is not None:
            self._view.make_current(place)
        self._about.setText(tip_words(found, place))
        is_member = place != BASELINE
        self._compare.setEnabled(is_member)
        self._baseline.setEnabled(is_member)
        self._take_out.setEnabled(len(self.open_cohort.members) > 2)
        baseline = found.answer
        answer = found.members[place - 1].answer if is_member else baseline
        name = run_words(found.baseline, found.label)
        other = run_words(found.members[place - 1].run, found.members[place - 1].label) if (
            is_member
        ) else name  # fmt: skip
        title = f"Answer of {name}  ↔  {other}" if is_member else f"Answer of {name}"

        def compare(cancelled: Cancelled) -> "DetailText":
            from inspector.presentation.compare_detail import text_of

            return text_of("Answer", baseline, answer, cancelled)

        self.open_cohort.tasks.start(
            compare,
            done=lambda text: self._texts.show_texts([text], one_line(title)),
            failed=_raise,
            key=(self, "answer"),
        )

    def _on_chosen(self, key: int) -> None:
        self.open_cohort.select(key)
        self._ask(self.compare_requested if key != BASELINE else self.open_requested)

    def _ask(self, signal: SignalInstance) -> None:
        if (place := self.open_cohort.selected) is not None:
            signal.emit(self.open_cohort, place)

    def _make_baseline(self) -> None:
        if (place := self.open_cohort.selected) is not None:
            self.open_cohort.make_baseline(place)

    def _remove(self) -> None:
        if (place := self.open_cohort.selected) is not None:
            self.open_cohort.remove(place)

    def _on_menu(self) -> None:
        if self._view is None or self.open_cohort.selected is None:
            return
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for words, button in (
            ("Compare with baseline", self._compare),
            ("Open run", self._open),
            ("Make this run the baseline", self._baseline),
            ("Take this run out", self._take_out),
        ):
            action = menu.addAction(words, button.click)
            action.setEnabled(button.isEnabled())
        index = self._view.currentIndex()
        at = self._view.visualRect(index).bottomLeft()
        menu.popup(self._view.viewport().mapToGlobal(at))


def _raise(error: Exception) -> None:
    raise error
