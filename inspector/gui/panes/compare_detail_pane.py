"""How the chosen decision, or the chosen spans, differ: texts, documents, values; then causes."""

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QHBoxLayout, QScrollArea, QTabWidget, QVBoxLayout, QWidget

from inspector.gui import theme
from inspector.gui.tasks.runner import Cancelled
from inspector.gui.widgets.cells_view import CellsView
from inspector.gui.widgets.chain_view import ChainView
from inspector.gui.widgets.compared_texts import ComparedTexts
from inspector.gui.widgets.empty_words import EmptyWords
from inspector.gui.widgets.labels import ElidedWords, Words
from inspector.gui.widgets.plain import LinkButton
from inspector.gui.widgets.quiet_splitter import QuietSplitter
from inspector.gui.widgets.rank_flow_view import RankFlowView
from inspector.gui.workspace.open_comparison import OpenComparison, PairFocus
from inspector.presentation.compare_detail import (
    VALUE_TITLES,
    Detail,
    DetailText,
    detail_of_decision,
    detail_of_pair,
    text_of,
)
from inspector.presentation.compare_summary import (
    FIGURE_TITLES,
    SETUP_TITLES,
    ChainStep,
    cause_lines,
    chain_steps,
    figure_rows,
    setup_rows,
)

if TYPE_CHECKING:
    from inspector.diff.model import Comparison

SLOW_MS = 200
_TABS = {
    "texts": "Texts", "documents": "Documents", "values": "Values", "causes": "Causes",
    "setup": "Set-up", "figures": "Figures",
}  # fmt: skip
_VALUE_WIDTHS = (4, 9, 0.34, 0.33, 0.33, 15)
_SETUP_WIDTHS = (14, 0.5, 0.25, 0.25)
_FIGURE_WIDTHS = (30, 18, 18, 22, 1.0)


class CompareDetailPane(QWidget):
    """Shows one choice at a time. Knows one `OpenComparison` and nobody else."""

    open_requested = Signal(bool, object)  # whether on the left; the span's id

    def __init__(self, open_comparison: OpenComparison, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._open = open_comparison
        self._detail: Detail | None = None
        self._mark = Words(strong=True)
        self._title = ElidedWords(sentence=True, strong=True)
        self._path = ElidedWords(step=-1, colour="secondary")
        self._left = LinkButton("Open in left", lambda: self._ask_to_open(True))
        self._right = LinkButton("Open in right", lambda: self._ask_to_open(False))
        self._slow = QTimer(self)
        self._slow.setSingleShot(True)
        self._slow.setInterval(SLOW_MS)
        self._slow.timeout.connect(lambda: self._path.setText("Being compared…"))
        self._tabs = QTabWidget()
        self._tabs.setDocumentMode(True)
        self._tabs.setAccessibleName("How it differs")
        self._tabs.tabBar().setAccessibleName("How it differs")
        self._pages: dict[str, int] = {}
        for key, page in (
            ("texts", self._make_texts()), ("documents", self._make_documents()),
            ("values", self._make_values()), ("causes", self._make_causes()),
            ("setup", self._make_setup()), ("figures", self._make_figures()),
        ):  # fmt: skip
            self._pages[key] = self._tabs.addTab(page, _TABS[key])

        head = QHBoxLayout()
        head.setContentsMargins(theme.GROUP_GAP_PX, 3, theme.GRID_PX, 3)
        head.setSpacing(theme.GAP_PX)
        head.addWidget(self._mark)
        head.addWidget(self._title, 3)
        head.addWidget(self._path, 1)
        head.addWidget(self._left)
        head.addWidget(self._right)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(head)
        layout.addWidget(self._tabs, 1)

        open_comparison.compared.connect(self._on_compared)
        open_comparison.asked.connect(self._on_asked)
        open_comparison.selection.changed.connect(self._on_selection_changed)
        open_comparison.only_changed_changed.connect(self._texts.set_folded)
        self._say_nothing()
        if open_comparison.comparison is not None:
            self._on_compared()

    @property
    def tabs(self) -> QTabWidget:
        return self._tabs

    @property
    def texts(self) -> ComparedTexts:
        return self._texts

    @property
    def documents(self) -> RankFlowView:
        return self._flow

    @property
    def document(self) -> ComparedTexts:
        return self._document

    @property
    def figures(self) -> CellsView:
        return self._figures

    @property
    def values(self) -> CellsView:
        return self._values

    @property
    def is_settled(self) -> bool:
        """Whether what is chosen is shown."""
        return not self._slow.isActive() and self._path.text() != "Being compared…"

    def show_tab(self, key: str) -> None:
        """Bring a tab to the front."""
        self._tabs.setCurrentIndex(self._pages[key])

    def take_focus(self) -> None:
        """Put the focus into what is shown."""
        shown = {
            "texts": self._texts, "documents": self._flow, "values": self._values,
            "setup": self._setup, "figures": self._figures,
        }  # fmt: skip
        key = next(key for key, page in self._pages.items() if page == self._tabs.currentIndex())
        shown.get(key, self._tabs).setFocus(Qt.FocusReason.OtherFocusReason)

    def step(self, by: int) -> bool:
        """Go to the next difference in the text in sight; say whether there was one."""
        shown = {"texts": self._texts, "documents": self._document, "values": self._value}
        key = next(key for key, page in self._pages.items() if page == self._tabs.currentIndex())
        panel = shown.get(key)
        return panel is not None and panel.view.step(by)

    # The pages

    def _make_texts(self) -> QWidget:
        self._texts = ComparedTexts()
        self._no_texts = EmptyWords()
        return _stacked(self._texts, self._no_texts)

    def _make_documents(self) -> QWidget:
        self._flow = RankFlowView()
        self._flow.picture.flow_changed.connect(self._on_flow_changed)
        self._document = ComparedTexts(name="The chosen document on both sides")
        splitter = QuietSplitter(Qt.Orientation.Vertical)
        splitter.addWidget(self._flow)
        splitter.addWidget(self._document)
        splitter.setSizes([160, 160])
        return splitter

    def _make_values(self) -> QWidget:
        self._values = CellsView(VALUE_TITLES, "Values that differ", _VALUE_WIDTHS)
        self._values.row_changed.connect(self._on_value_changed)
        self._value = ComparedTexts(name="The chosen value on both sides")
        splitter = self._value_parts = QuietSplitter(Qt.Orientation.Vertical)
        splitter.addWidget(self._values)
        splitter.addWidget(self._value)
        splitter.setSizes([200, 130])
        self._no_values = EmptyWords()
        return _stacked(splitter, self._no_values)

    def _make_causes(self) -> QWidget:
        self._chain = ChainView()
        self._chain.step_chosen.connect(self._on_step_chosen)
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setFrameShape(QScrollArea.Shape.NoFrame)
        area.setAccessibleName("Causes")
        area.setWidget(self._chain)
        return area

    def _make_setup(self) -> QWidget:
        self._setup = CellsView(SETUP_TITLES, "What is set up in another way", _SETUP_WIDTHS)
        self._no_setup = EmptyWords()
        self._no_setup.say("Both runs are set up alike: components, parameters, packages.")
        return _stacked(self._setup, self._no_setup)

    def _make_figures(self) -> QWidget:
        self._figures = CellsView(FIGURE_TITLES, "Figures", _FIGURE_WIDTHS)
        return self._figures

    # What happens

    def _on_asked(self) -> None:
        self._say_nothing()

    def _on_compared(self) -> None:
        found = self._open.comparison
        assert found is not None
        steps = chain_steps(found)
        self._chain.show_chain(
            cause_lines(found), steps, "No decision differs, so nothing follows from one."
        )
        setup = setup_rows(found)
        self._setup.show_rows(setup)
        self._setup.setVisible(bool(setup))
        self._no_setup.setVisible(not setup)
        self._figures.show_rows(figure_rows(found))
        number = f" ({len(setup)})" if setup else ""
        self._tabs.setTabText(self._pages["setup"], f"{_TABS['setup']}{number}")
        self._on_selection_changed(self._open.selection.focus)

    def _on_selection_changed(self, focus: PairFocus) -> None:
        found = self._open.comparison
        if found is None:
            return
        if focus == PairFocus():
            self._say_nothing()
            self.show_tab("figures")
            return
        runs = (self._open.left.run, self._open.right.run)
        ignore = self._open.rules.ignore

        def make(cancelled: Cancelled) -> Detail:
            return _detail(found, runs, focus, ignore, cancelled)

        self._slow.start()
        self._open.tasks.start(make, done=self._show, failed=self._on_failed, key="compare-detail")

    def _show(self, detail: Detail) -> None:
        if self._open.comparison is None:
            return  # of what stood here before
        self._slow.stop()
        self._detail = detail
        focus = self._open.selection.focus
        self._mark.setText(detail.mark)
        self._mark.show()
        self._mark.set_colour(detail.ink)
        self._title.setText(detail.title)
        self._path.setText(detail.path)
        self._left.setEnabled(focus.left is not None)
        self._right.setEnabled(focus.right is not None)
        self._left.show()
        self._right.show()
        self._texts.show_texts(detail.texts)
        self._texts.setVisible(bool(detail.texts))
        self._tabs.setTabEnabled(self._pages["texts"], bool(detail.texts))
        self._no_texts.setVisible(not detail.texts)
        self._no_texts.say("No text belongs to this. Values says how inputs and outputs differ.")
        self._tabs.setTabEnabled(self._pages["documents"], detail.documents is not None)
        if detail.documents is not None:
            self._flow.picture.show_flow(detail.documents)
        self._values.show_rows(detail.rows)
        self._value.show_texts(())
        self._value_parts.setVisible(bool(detail.rows))
        self._no_values.setVisible(not detail.rows)
        self._no_values.say(detail.note or "Inputs and outputs are the same on both sides.")
        loud = sum(row.cells[0].ink != "secondary" for row in detail.rows)
        number = f" ({loud})" if loud else ""
        self._tabs.setTabText(self._pages["values"], f"{_TABS['values']}{number}")
        self.show_tab(detail.best)
        if detail.rows:
            self._values.make_current(detail.rows[0].key)
            self._on_value_changed(detail.rows[0].key)

    def _say_nothing(self) -> None:
        self._slow.stop()
        self._detail = None
        self._mark.hide()
        self._title.setText("Choose a decision or a span to see how it differs")
        self._path.setText("")
        self._left.hide()
        self._right.hide()
        self._texts.hide()
        self._tabs.setTabEnabled(self._pages["texts"], False)
        self._no_texts.show()
        self._no_texts.say("Choose a decision above: its texts stand here side by side.")
        self._tabs.setTabEnabled(self._pages["documents"], False)
        self._values.show_rows(())
        self._value_parts.hide()
        self._no_values.show()
        self._no_values.say("Choose a decision or a span: its values stand here leaf by leaf.")
        self._tabs.setTabText(self._pages["values"], _TABS["values"])

    def _on_failed(self, error: Exception) -> None:
        self._slow.stop()
        self._say_nothing()
        self._title.setText("This could not be compared in detail")
        self._path.setText(str(error))

    def _on_flow_changed(self, number: int) -> None:
        detail = self._detail
        if detail is None or detail.documents is None:
            return
        left, right = detail.document_texts[number]
        name = detail.documents.flows[number].name
        self._compare_texts(name, left, right, self._document, "compare-document")

    def _on_value_changed(self, key: int) -> None:
        if self._detail is None:
            return
        chosen = self._detail.values[key]
        self._compare_texts(chosen.leaf, chosen.left, chosen.right, self._value, "compare-value")

    def _compare_texts(
        self, title: str, left: Any, right: Any, into: ComparedTexts, key: str
    ) -> None:
        def make(cancelled: Cancelled) -> DetailText:
            return text_of(title, left, right, cancelled)

        def show(text: DetailText) -> None:
            into.show_texts([text], title)

        self._open.tasks.start(make, done=show, failed=self._on_failed, key=key)

    def _on_step_chosen(self, step: ChainStep) -> None:
        self._open.selection.select(PairFocus(step.decision, step.left, step.right))

    def _ask_to_open(self, is_left: bool) -> None:
        focus = self._open.selection.focus
        span_id = focus.left if is_left else focus.right
        if span_id is not None:
            self.open_requested.emit(is_left, span_id)


def _detail(
    found: "Comparison",
    runs: Any,
    focus: PairFocus,
    ignore: tuple[str, ...],
    cancelled: Cancelled,
) -> Detail:
    if focus.decision is not None and focus.decision < len(found.decisions):
        return detail_of_decision(found, runs, focus.decision, ignore=ignore, cancelled=cancelled)
    return detail_of_pair(found, runs, focus.left, focus.right, ignore=ignore, cancelled=cancelled)


def _stacked(full: QWidget, empty: QWidget) -> QWidget:
    page = QWidget()
    layout = QVBoxLayout(page)
    layout.setContentsMargins(0, 0, 0, 0)
    layout.setSpacing(0)
    layout.addWidget(full, 1)
    layout.addWidget(empty, 1)
    empty.hide()
    return page
