"""Everything that is known of the selected span, one tab at a time."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QStackedLayout, QTabWidget, QVBoxLayout, QWidget

from inspector.errors import InspectorError
from inspector.gui.panes.span_visits import SpanVisits
from inspector.gui.panes.tab_memory import TabMemory
from inspector.gui.panes.what_if_menu import offer_changes
from inspector.gui.tips import tip
from inspector.gui.widgets.empty_words import EmptyWords
from inspector.gui.widgets.tab_bar import QuietTabBar
from inspector.gui.widgets.tab_place import TabPlace
from inspector.presentation.agent_turns import agent_row
from inspector.presentation.span_detail import SpanDetail, Tab, span_detail
from inspector.presentation.span_facts import is_unchanged
from inspector.presentation.value_text import json_text
from inspector.presentation.walk import Walk

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from PySide6.QtGui import QResizeEvent
    from PySide6.QtWidgets import QMenu

    from inspector.gui.panes.value_questions import ValueQuestions
    from inspector.gui.tasks.runner import Cancelled
    from inspector.gui.widgets.agent_view import AgentView
    from inspector.gui.widgets.chat_view import ChatView
    from inspector.gui.widgets.documents_view import DocumentsPanel
    from inspector.gui.widgets.error_view import ErrorView
    from inspector.gui.widgets.facts_view import FactsView
    from inspector.gui.widgets.text_viewer import TextViewer
    from inspector.gui.widgets.value_view import ValueView
    from inspector.gui.workspace.open_run import OpenRun

_SAY_READING_AFTER_MS = 200
_WALKED_AT_ONCE = 20_000  # spans

_TITLES = {
    Tab.SUMMARY: "Summary",
    Tab.INPUT: "Input",
    Tab.OUTPUT: "Output",
    Tab.MESSAGES: "Messages",
    Tab.TURNS: "Turns",
    Tab.DOCUMENTS: "Documents",
    Tab.STATE: "State",
    Tab.RAW: "Raw",
    Tab.ERROR: "Error",
}


class SpanPane(QWidget):
    """Shows the selected span. Knows one `OpenRun` and nobody else.

    A worker decodes and words the span; what was shown stays until that is done,
    so that stepping through a run does not flicker. The tab a person chose comes
    back with every span that has something to show in it.
    """

    def __init__(self, open_run: OpenRun, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._open_run = open_run
        self._walk: Walk | None = None
        self._shown = open_run.run
        self._detail: SpanDetail | None = None
        self._memory = TabMemory()
        self._filled: set[Tab] = set()
        # Most tabs of most spans are never looked at, and eight views take time to make.
        self._places = {tab: TabPlace() for tab in Tab}
        self._fill: Mapping[Tab, Callable[[SpanDetail], None]] = {
            Tab.SUMMARY: lambda detail: self._facts.show_summary(detail.summary),
            Tab.INPUT: lambda detail: self._inputs.show_nodes(
                detail.inputs.roots, detail.inputs.missing
            ),
            Tab.OUTPUT: lambda detail: self._outputs.show_nodes(
                detail.outputs.roots, detail.outputs.missing
            ),
            Tab.MESSAGES: lambda detail: self._chat.show_transcript(detail.messages),
            Tab.TURNS: self._show_turns,
            Tab.DOCUMENTS: lambda detail: self._documents.show_documents(detail.documents),
            Tab.STATE: lambda detail: self._state.show_nodes(detail.state.roots),
            Tab.RAW: self._show_raw,
            Tab.ERROR: self._show_error,
        }

        self._bar = QuietTabBar(self)
        self._tabs = QTabWidget(self)
        self._tabs.setTabBar(self._bar)
        self._tabs.setDocumentMode(True)
        self._tabs.setAccessibleName("What is known of the span")
        self._bar.setAccessibleName("Tabs of the span")
        for tab, place in self._places.items():
            self._tabs.addTab(place, _TITLES[tab])
        self._tabs.currentChanged.connect(lambda _place: self._fill_current())
        self._bar.chosen.connect(self._on_tab_chosen)
        self._empty = EmptyWords(self)
        self._stack = QStackedLayout()
        self._stack.addWidget(self._empty)
        self._stack.addWidget(self._tabs)
        self._visits = SpanVisits(open_run, self._stack, self)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self._visits.bar)
        layout.addLayout(self._stack, 1)
        self._layout = layout
        self.setFocusProxy(self._tabs)

        self._slow = QTimer(self)
        self._slow.setSingleShot(True)
        self._slow.setInterval(_SAY_READING_AFTER_MS)
        self._slow.timeout.connect(lambda: self._say("Reading the span…"))
        self._connect(open_run)
        self._prepare_walk()
        self._show_selected()

    def _connect(self, open_run: OpenRun) -> None:
        open_run.selection.span_changed.connect(self._show_selected)
        open_run.selection.field_changed.connect(self._show_field)
        open_run.run_changed.connect(self._on_run_changed)

    @cached_property
    def _facts(self) -> FactsView:
        from inspector.gui.widgets.facts_view import FactsView

        view = FactsView(self, name="Summary of the span")
        view.span_requested.connect(self._open_run.selection.select)
        return self._places[Tab.SUMMARY].take(view)

    @cached_property
    def _inputs(self) -> ValueView:
        return self._places[Tab.INPUT].take(self._value_view("Input"))

    @cached_property
    def _outputs(self) -> ValueView:
        return self._places[Tab.OUTPUT].take(self._value_view("Output"))

    @cached_property
    def _state(self) -> ValueView:
        return self._places[Tab.STATE].take(self._value_view("State"))

    @cached_property
    def _chat(self) -> ChatView:
        from inspector.gui.widgets.chat_view import ChatView

        view = ChatView(self._open_run.tasks, self)
        view.span_requested.connect(self._open_run.selection.select)
        view.asked.connect(self._ask)
        view.menu_opened.connect(self._offer_changes)
        view.field_requested.connect(self._show_value)
        return self._places[Tab.MESSAGES].take(view)

    @cached_property
    def _turns(self) -> AgentView:
        from inspector.gui.widgets.agent_view import AgentView

        view = AgentView(self._open_run.tasks, self)
        view.span_requested.connect(self._open_run.selection.select)
        view.field_requested.connect(self._show_message)
        return self._places[Tab.TURNS].take(view)

    @cached_property
    def _documents(self) -> DocumentsPanel:
        from inspector.gui.widgets.documents_view import DocumentsPanel

        view = DocumentsPanel(self._open_run.tasks, self)
        view.field_chosen.connect(self._open_run.selection.select_field)
        view.asked.connect(self._ask)
        view.menu_opened.connect(self._offer_changes)
        return self._places[Tab.DOCUMENTS].take(view)

    @cached_property
    def _raw(self) -> TextViewer:
        from inspector.gui.widgets.text_viewer import TextViewer

        view = TextViewer(self._open_run.tasks, self, name="The span as it stands in the file")
        return self._places[Tab.RAW].take(view)

    @cached_property
    def _error(self) -> ErrorView:
        from inspector.gui.widgets.error_view import ErrorView

        return self._places[Tab.ERROR].take(ErrorView(self._open_run.tasks, self))

    def _value_view(self, name: str) -> ValueView:
        from inspector.gui.widgets.value_view import ValueView

        view = ValueView(self._open_run.tasks, name, self)
        view.field_chosen.connect(self._open_run.selection.select_field)
        view.asked.connect(self._ask)
        view.menu_opened.connect(self._offer_changes)
        return view

    @cached_property
    def _questions(self) -> ValueQuestions:
        from inspector.gui.panes.value_questions import ValueQuestions

        return ValueQuestions(self._open_run, self._layout, self)

    def ask_where_from(self) -> None:
        """Ask where the value in front came from."""
        self._ask(self._path_in_front(), backward=True)

    def ask_who_used(self) -> None:
        """Ask what the value in front went into."""
        self._ask(self._path_in_front(), backward=False)

    def _ask(self, path: str, backward: bool) -> None:
        if self._detail is not None:
            self._questions.ask(self._detail.span_id, path, backward=backward)

    def _offer_changes(self, menu: QMenu, path: str) -> None:
        if self._detail is not None:
            offer_changes(menu, self._open_run, self._detail.span_id, path)

    def _show_value(self, path: str) -> None:
        """Show a value in the tab of its own, not where it is told of."""
        tab = self._detail.tab_of(path) if self._detail is not None else None
        if tab is not None:
            self.show_tab(tab)
            self._open_run.selection.select_field(path)

    def _path_in_front(self) -> str:
        fronts: Mapping[Tab, Callable[[], str]] = {
            Tab.INPUT: lambda: self._inputs.current_path,
            Tab.OUTPUT: lambda: self._outputs.current_path,
            Tab.STATE: lambda: self._state.current_path,
            Tab.MESSAGES: lambda: self._chat.current_path,
            Tab.DOCUMENTS: lambda: self._documents.current_path,
        }
        front = fronts.get(self.current_tab, lambda: self._open_run.selection.field or "")
        return front() or "inputs"

    @property
    def current_tab(self) -> Tab:
        return tuple(Tab)[self._tabs.currentIndex()]

    def show_tab(self, tab: Tab) -> None:
        """Show a tab, as if a person had chosen it."""
        self._memory.choose(tab)
        if self._detail is not None and self._detail.applies(tab):
            self._tabs.setCurrentIndex(tuple(Tab).index(tab))

    def toggle_difference(self) -> None:
        """Show what changed since the visit before, or what there is to see otherwise."""
        self._visits.toggle()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._bar.fit_into(self.width())

    def _prepare_walk(self) -> None:
        """Have the order of the spans at hand; for a very long run, when a worker has it."""
        walk = Walk(self._open_run.run.table)
        if len(self._open_run.run.spans) <= _WALKED_AT_ONCE:
            self._walk = walk
            return
        self._walk = None

        def look_at_all(_cancelled: Cancelled) -> None:
            walk.visit_of(0)

        def show(_nothing: None) -> None:
            self._walk = walk
            self._show_selected()

        self._open_run.tasks.start(
            look_at_all, done=show, failed=self._on_failed, key=(self, "walk")
        )

    def _on_run_changed(self) -> None:
        run = self._open_run.run
        self._prepare_walk()
        # A run that is followed grows several times a second; what is read stays put.
        if self._detail is None or not is_unchanged(self._shown, run, self._detail.span_id):
            self._show_selected()
        self._shown = run

    def _show_selected(self) -> None:
        span_id = self._open_run.selection.span_id
        run, walk = self._open_run.run, self._walk
        row = run.table.row_of(span_id) if span_id is not None else None
        self._visits.show_span(row, walk)
        if row is None:
            self._slow.stop()
            self._detail = None
            self._say("Choose a span in the timeline or in the tree to read what it did.")
            return
        span = run.spans[row]

        def read(_cancelled: Cancelled) -> SpanDetail:
            return span_detail(run, span, walk)

        self._slow.start()
        self._open_run.tasks.start(
            read, done=self._show_detail, failed=self._on_failed, key=(self, "span")
        )

    def _show_detail(self, detail: SpanDetail) -> None:
        self._slow.stop()
        self._detail = detail
        self._filled.clear()
        bar = self._bar
        chosen = self._memory.wanted(detail.span_id)
        wanted = chosen if detail.applies(chosen) else Tab.SUMMARY
        # Qt leaves a tab that is switched off for one of its own choice: go first.
        bar.setTabEnabled(tuple(Tab).index(wanted), True)
        self._tabs.setCurrentIndex(tuple(Tab).index(wanted))
        for place, tab in enumerate(Tab):
            why = detail.tabs[tab]
            bar.setTabEnabled(place, not why)
            bar.setTabToolTip(place, tip(why))
            bar.setAccessibleTabName(
                place, f"{_TITLES[tab]}: empty. {why}" if why else _TITLES[tab]
            )
        self._visits.show_page(1)
        self._fill_current()
        self._show_field(self._open_run.selection.field)

    def _on_failed(self, error: Exception) -> None:
        self._slow.stop()
        if isinstance(error, InspectorError):
            self._say(" ".join(part for part in (str(error), error.hint) if part))
            return
        self._say("This span could not be shown. The window goes on; other spans can be read.")
        raise error

    def _say(self, words: str) -> None:
        self._empty.say(words)
        self._visits.show_page(0)

    def _on_tab_chosen(self, place: int) -> None:
        self._memory.choose(tuple(Tab)[place])

    def _fill_current(self) -> None:
        tab = self.current_tab
        if self._detail is None or tab in self._filled or not self._detail.applies(tab):
            return
        self._filled.add(tab)
        self._fill[tab](self._detail)

    def _show_field(self, field: str | None) -> None:
        # A span that is still being read shows its field when it is there.
        if not field or self._detail is None or not self._is_selected(self._detail):
            return
        if self.current_tab is Tab.MESSAGES and self._chat.show_turn_at(field):
            return
        if self.current_tab is Tab.DOCUMENTS and self._documents.show_field(field):
            return
        tab = self._detail.tab_of(field)
        if tab is None:
            return
        self.show_tab(tab)
        if tab is Tab.INPUT:
            self._inputs.show_field(field)
        elif tab is Tab.OUTPUT:
            self._outputs.show_field(field)
        elif tab is Tab.STATE:
            self._state.show_field(field)

    def _is_selected(self, detail: SpanDetail) -> bool:
        return detail.span_id == self._open_run.selection.span_id

    def _show_turns(self, detail: SpanDetail) -> None:
        run = self._open_run.run
        row = run.table.row_of(detail.span_id)
        agent = agent_row(run.table, row) if row is not None else None
        if row is not None and agent is not None:
            self._turns.show_span(run, agent, row)

    def _show_message(self, span_id: str, field: str) -> None:
        """Show a message of a prompt, or without a field all of it, in its conversation."""
        here = self._detail.span_id if self._detail is not None else ""
        if here == span_id:
            self.show_tab(Tab.MESSAGES)
        else:
            self._memory.leave(here, Tab.MESSAGES)
        self._open_run.selection.select(span_id, field or None)

    def _show_raw(self, detail: SpanDetail) -> None:
        run = self._open_run.run
        row = run.table.row_of(detail.span_id)
        if row is not None:
            raw = run.spans[row].raw
            title = "as it stands in the file"
            self._raw.show_written(lambda limit: json_text(raw, limit), title=title)

    def _show_error(self, detail: SpanDetail) -> None:
        if detail.error is not None:
            self._error.show_error(detail.error)
