"""The tab of A2A agents: each one's card, and its tasks in a table."""

import time
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPushButton, QWidget

from inspector.gui import theme
from inspector.gui.models.a2a_tasks_model import TasksModel
from inspector.gui.panes.served_window import ServedWindow
from inspector.gui.widgets.a2a_agents import A2AAgents
from inspector.gui.widgets.a2a_card import A2ACardView
from inspector.gui.widgets.a2a_table import TasksTable
from inspector.gui.widgets.plain import Hairline
from inspector.gui.widgets.served_place import ChoiceField, SearchField, ServedPlace
from inspector.gui.workspace.open_agents import AgentView, OpenAgents
from inspector.presentation.a2a_list import ListedTask, narrowed
from inspector.presentation.a2a_words import (
    STATES,
    count_words,
    empty_words,
    head_words,
    task_look,
    trouble_words,
)

if TYPE_CHECKING:
    from inspector.importers.a2a_told import A2ATask

_AGENTS_LETTERS = 34
_KEYS = "What changed last stands first. Enter opens a task; Ctrl+F searches."


class A2AWindow(ServedWindow):
    """Emits what a person asks for; `OpenAgents` says what is known."""

    open_requested = Signal(str, object)  # name of an agent, A2ATask
    send_requested = Signal(str)  # name of an agent

    def __init__(self, opened: OpenAgents, parent: QWidget | None = None) -> None:
        self._agents = A2AAgents()
        self._card = A2ACardView()
        self._line = Hairline()
        self._table = TasksTable()
        send = QPushButton("Send a message…")
        send.setObjectName("send-message")
        states = [(task_look(state).word.capitalize(), state) for state in STATES]
        super().__init__(
            icon="agent",
            act=send,
            refresh_tip="Ask all agents now (F5)",
            side=(self._agents, _AGENTS_LETTERS),
            place=ServedPlace(
                self._table,
                SearchField("What was asked or said, context, id", "Search tasks"),
                ChoiceField(
                    "state", "State of the tasks that are shown", [("Any state", ""), *states]
                ),
            ),
            above=(self._card, self._line),
            parent=parent,
        )
        self.open_agents = opened
        self._model = TasksModel(self)
        self._table.setModel(self._model)
        self.say(_KEYS)
        self._connect(opened)
        self._show()

    @property
    def table(self) -> TasksTable:
        return self._table

    @property
    def model(self) -> TasksModel:
        return self._model

    @property
    def agents(self) -> A2AAgents:
        return self._agents

    @property
    def card(self) -> A2ACardView:
        return self._card

    def _connect(self, opened: OpenAgents) -> None:
        opened.changed.connect(self._show)
        opened.chosen_changed.connect(self._show)
        self._agents.chosen.connect(opened.choose)
        self._agents.add_requested.connect(self.add_requested)
        self._agents.edit_requested.connect(self.edit_requested)
        self._agents.remove_requested.connect(self.remove_requested)
        self._agents.send_requested.connect(self.send_requested)
        self._agents.refresh_requested.connect(self.refresh_requested)
        self._trouble.pressed.connect(self._on_trouble)
        self._table.opened.connect(self._on_open)
        self._place.narrowed.connect(self._show)
        theme.changes.changed.connect(self._show)

    # What happens

    def _on_open(self, listed: ListedTask) -> None:
        if (view := self.open_agents.chosen) is not None:
            self.open_requested.emit(view.name, listed.task)

    def _on_act(self) -> None:
        view = self.open_agents.chosen
        self.send_requested.emit(view.name if view is not None else "")

    def _on_trouble(self) -> None:
        view = self.open_agents.chosen
        if view is not None and self._trouble.button.text() == "Token…":
            self.edit_requested.emit(view.name)
        else:
            self.refresh_requested.emit("")

    def _widen(self) -> None:
        self._place.widen()
        self._show()

    def _show(self) -> None:
        self._place.search.rest()
        opened, now = self.open_agents, time.time_ns()
        view = opened.chosen
        self._agents.show_views(opened.views, view.name if view is not None else "")
        self._head.setText(head_words(opened.views))
        self._show_trouble(opened.problem, trouble_words(view, now))
        card = view.card if view is not None else None
        self._card.show_card(card)
        self._line.setVisible(card is not None)
        self._act.setEnabled(any(each.card is not None for each in opened.views))
        self._show_rows(view)
        self._show_freshness((view,) if view is not None else (), now)

    def _show_rows(self, view: AgentView | None) -> None:
        tasks: tuple[A2ATask, ...] = view.tasks if view is not None else ()
        is_stale = view is not None and view.is_stale
        state, search = self._place.chosen, self._place.search.text()
        shown = narrowed(tasks, state, search)
        current = self._model.listed(self._table.currentIndex())
        self._place.keep_row(
            lambda: self._model.show([ListedTask(task, is_stale) for task in shown]),
            lambda: self._model.index_of(current.key if current is not None else ""),
        )
        self._place.say_count(count_words(len(shown), len(tasks)) if tasks else "")
        self._show_empty(view, narrowed_=bool(state or search.strip()), has_rows=bool(shown))

    def _show_empty(self, view: AgentView | None, *, narrowed_: bool, has_rows: bool) -> None:
        total = len(view.tasks) if view is not None else 0
        said = empty_words(view, total=total, is_narrowed=narrowed_)
        focus, empty = self.window().focusWidget(), self._place.empty
        is_idle = focus is None or focus is empty or empty.isAncestorOf(focus)
        self._say_empty(said, has_servers=view is not None, has_rows=has_rows)
        if is_idle and self.isVisible():
            self.take_focus()
