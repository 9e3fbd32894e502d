"""The tab of A2A agents: each one's card, and its tasks in a table."""

import time
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QStackedLayout,
    QVBoxLayout,
    QWidget,
)

from inspector.gui import theme
from inspector.gui.models.a2a_tasks_model import TasksModel
from inspector.gui.widgets.a2a_agents import A2AAgents
from inspector.gui.widgets.a2a_card import A2ACardView
from inspector.gui.widgets.a2a_table import TasksTable
from inspector.gui.widgets.hayhooks_cards import EmptyState, NoteCard
from inspector.gui.widgets.labels import ElidedWords, Icon, Words
from inspector.gui.widgets.plain import Hairline, IconButton, PanelGround
from inspector.gui.widgets.quiet_splitter import QuietSplitter
from inspector.gui.widgets.status_line import StatusLine
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
from inspector.presentation.execution_words import when_words

if TYPE_CHECKING:
    from inspector.importers.a2a_told import A2ATask

_AGENTS_LETTERS = 34
_SEARCH_MS = 200
_KEYS = "What changed last stands first. Enter opens a task; Ctrl+F searches."


class A2AWindow(QWidget):
    """Emits what a person asks for; `OpenAgents` says what is known."""

    open_requested = Signal(str, object)  # name of an agent, A2ATask
    send_requested = Signal(str)  # name of an agent
    add_requested = Signal()
    edit_requested = Signal(str)
    remove_requested = Signal(str)
    refresh_requested = Signal(str)  # name of an agent; empty for all

    def __init__(self, opened: OpenAgents, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.open_agents = opened
        self._head = ElidedWords("", step=1, strong=True, sentence=True)
        self._head.setObjectName("head")
        self._send = QPushButton("Send a message…")
        self._send.setObjectName("send-message")
        self._refresh = IconButton("reload", "Ask all agents now (F5)", colour="text")
        self._refresh.setObjectName("refresh")
        self._trouble = NoteCard("changed", "stale")
        self._trouble.setObjectName("trouble")
        self._agents = A2AAgents()
        self._card = A2ACardView()
        self._search = QLineEdit()
        self._search.setObjectName("search")
        self._search.setPlaceholderText("What was asked or said, context, id")
        self._search.setAccessibleName("Search tasks")
        self._search.setClearButtonEnabled(True)
        self._search.setMaxLength(200)
        self._states = QComboBox()
        self._states.setObjectName("state")
        self._states.setAccessibleName("State of the tasks that are shown")
        self._states.addItem("Any state", "")
        for state in STATES:
            self._states.addItem(task_look(state).word.capitalize(), state)
        self._count = Words("", step=-1, colour="secondary")
        self._count.setObjectName("count")
        self._model = TasksModel(self)
        self._table = TasksTable()
        self._table.setModel(self._model)
        self._empty = EmptyState()
        self._empty_action = ""
        self._status = StatusLine()
        self._status.words.setText(_KEYS)
        self._waiting = QTimer(self)  # until somebody has stopped typing
        self._waiting.setSingleShot(True)
        self._waiting.setInterval(_SEARCH_MS)
        self._lay_out()
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

    @property
    def trouble(self) -> NoteCard:
        return self._trouble

    @property
    def empty(self) -> EmptyState | None:
        """What is said in place of the table; None while that is shown."""
        return self._empty if self._pages.currentIndex() == 1 else None

    @property
    def freshness(self) -> str:
        """What is said about how old this is."""
        return self._status.freshness.text

    @property
    def said(self) -> str:
        """What the line below says."""
        return self._status.words.text()

    def take_focus(self) -> None:
        """Put the focus where keys do most."""
        if not self.open_agents.views:
            self._empty.setFocus()
        else:
            (self._table if self._model.rows else self._agents).setFocus()

    def say(self, words: str) -> None:
        """Say something at the left of the status line."""
        self._status.words.setText(words)

    def begin_search(self) -> None:
        """Put the caret into the search."""
        self._search.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self._search.selectAll()

    def _lay_out(self) -> None:
        gap = theme.GAP_PX
        head = QHBoxLayout()
        head.setContentsMargins(theme.GROUP_GAP_PX, gap, gap, gap)
        head.setSpacing(gap)
        head.addWidget(Icon("agent", colour="accent", size_px=18))
        head.addWidget(self._head, 1)
        head.addWidget(self._send)
        head.addWidget(self._refresh)
        self._narrow_row = QWidget()
        narrow = QHBoxLayout(self._narrow_row)
        narrow.setContentsMargins(gap, theme.GRID_PX, gap, theme.GRID_PX)
        narrow.setSpacing(gap)
        narrow.addWidget(self._search, 1)
        narrow.addWidget(self._states)
        narrow.addSpacing(gap)
        narrow.addWidget(self._count)
        place = QWidget()
        self._pages = QStackedLayout(place)
        self._pages.setContentsMargins(0, 0, 0, 0)
        self._pages.addWidget(self._table)
        self._pages.addWidget(self._empty)
        right = QWidget()
        PanelGround(right)
        column = QVBoxLayout(right)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._card)
        self._line = Hairline()
        column.addWidget(self._line)
        column.addWidget(self._narrow_row)
        column.addWidget(Hairline())
        column.addWidget(place, 1)
        body = QuietSplitter(Qt.Orientation.Horizontal)
        body.addWidget(self._agents)
        body.addWidget(right)
        body.setStretchFactor(0, 0)
        body.setStretchFactor(1, 1)
        wide = self.fontMetrics().averageCharWidth() * _AGENTS_LETTERS
        body.setSizes([wide, 4 * wide])
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(head)
        layout.addWidget(self._trouble)
        layout.addWidget(Hairline())
        layout.addWidget(body, 1)
        layout.addWidget(Hairline())
        layout.addWidget(self._status)

    def _connect(self, opened: OpenAgents) -> None:
        opened.changed.connect(self._show)
        opened.chosen_changed.connect(self._show)
        self._agents.chosen.connect(opened.choose)
        self._agents.add_requested.connect(self.add_requested)
        self._agents.edit_requested.connect(self.edit_requested)
        self._agents.remove_requested.connect(self.remove_requested)
        self._agents.send_requested.connect(self.send_requested)
        self._agents.refresh_requested.connect(self.refresh_requested)
        self._send.clicked.connect(self._ask_to_send)
        self._refresh.clicked.connect(lambda: self.refresh_requested.emit(""))
        self._trouble.pressed.connect(self._on_trouble)
        self._empty.pressed.connect(self._on_empty)
        self._table.opened.connect(self._on_open)
        self._search.textEdited.connect(lambda _text: self._waiting.start())
        self._search.returnPressed.connect(self._show)
        self._states.activated.connect(lambda _place: self._show())
        self._waiting.timeout.connect(self._show)
        theme.changes.changed.connect(self._show)

    # What happens

    def _on_open(self, listed: ListedTask) -> None:
        if (view := self.open_agents.chosen) is not None:
            self.open_requested.emit(view.name, listed.task)

    def _ask_to_send(self) -> None:
        view = self.open_agents.chosen
        self.send_requested.emit(view.name if view is not None else "")

    def _on_trouble(self) -> None:
        view = self.open_agents.chosen
        if view is not None and self._trouble.button.text() == "Token…":
            self.edit_requested.emit(view.name)
        else:
            self.refresh_requested.emit("")

    def _on_empty(self) -> None:
        match self._empty_action:
            case "Add an agent…":
                self.add_requested.emit()
            case "Show all":
                self._search.clear()
                self._states.setCurrentIndex(0)
                self._show()
            case "Try again":
                self.refresh_requested.emit("")
            case "Send a message…":
                self._ask_to_send()

    def _show(self) -> None:
        self._waiting.stop()
        opened, now = self.open_agents, time.time_ns()
        view = opened.chosen
        self._agents.show_views(opened.views, view.name if view is not None else "")
        self._head.setText(head_words(opened.views))
        trouble = trouble_words(view, now)
        if opened.problem:
            self._trouble.say("The list cannot be kept.", opened.problem, action="Try again")
        elif trouble is None:
            self._trouble.say("")
        else:
            self._trouble.say(trouble.title, trouble.words, action=trouble.action)
        card = view.card if view is not None else None
        self._card.show_card(card)
        self._line.setVisible(card is not None)
        self._send.setEnabled(any(each.card is not None for each in opened.views))
        self._show_rows(view)
        self._show_freshness(view, now)

    def _show_rows(self, view: AgentView | None) -> None:
        tasks: tuple[A2ATask, ...] = view.tasks if view is not None else ()
        is_stale = view is not None and view.is_stale
        state, search = self._states.currentData(), self._search.text()
        shown = narrowed(tasks, state, search)
        current = self._model.listed(self._table.currentIndex())
        scrolled = self._table.verticalScrollBar().value()
        self._model.show([ListedTask(task, is_stale) for task in shown])
        if current is not None and not self._table.currentIndex().isValid():
            index = self._model.index_of(current.task.id)
            if index.isValid():
                self._table.setCurrentIndex(index)
                self._table.verticalScrollBar().setValue(scrolled)
        self._count.setText(count_words(len(shown), len(tasks)) if tasks else "")
        self._show_empty(view, narrowed_=bool(state or search.strip()), has_rows=bool(shown))

    def _show_empty(self, view: AgentView | None, *, narrowed_: bool, has_rows: bool) -> None:
        total = len(view.tasks) if view is not None else 0
        said = empty_words(view, total=total, is_narrowed=narrowed_)
        self._empty_action = said.action
        self._empty.say(said.title, said.words, said.action)
        focus = self.window().focusWidget()
        is_idle = focus is None or focus is self._empty or self._empty.isAncestorOf(focus)
        # Without an agent there is nothing to choose from, and nothing to search.
        for widget in (self._agents, self._narrow_row, self._send, self._refresh):
            widget.setVisible(view is not None)
        self._pages.setCurrentIndex(0 if has_rows else 1)
        if is_idle and self.isVisible():
            self.take_focus()

    def _show_freshness(self, view: AgentView | None, now_ns: int) -> None:
        badge = self._status.freshness
        at = view.answered_at_ns if view is not None else 0
        if view is not None and view.is_stale:
            since = f" since {when_words(at, now_ns)}" if at else ""
            badge.say("stale", f"STALE{since}", colour="changed", tip="Kept here, not asked anew")
        elif at:
            badge.say("live", f"LIVE {when_words(at, now_ns)}", colour="live")
        else:
            badge.hide()
