"""The tab of one task of an A2A agent: how it stands, what was said, what it asks and made."""

import time

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QHeaderView, QTabWidget, QTreeView, QVBoxLayout, QWidget

from inspector.errors import InspectorError
from inspector.gui import theme
from inspector.gui.models.hayhooks_events_model import EventColumn, EventsModel
from inspector.gui.panes.a2a_answer_pane import A2AAnswerPane
from inspector.gui.widgets.a2a_artifacts import A2AArtifacts
from inspector.gui.widgets.a2a_talk import A2ATalk
from inspector.gui.widgets.hayhooks_cards import NoteCard
from inspector.gui.widgets.hayhooks_head import HayhooksHead
from inspector.gui.widgets.plain import Hairline
from inspector.gui.widgets.quiet_splitter import QuietSplitter
from inspector.gui.widgets.row_tree import dress_tree
from inspector.gui.widgets.status_line import StatusLine
from inspector.gui.workspace.open_task import OpenTask
from inspector.presentation.a2a_talk import sayings
from inspector.presentation.a2a_words import fact_words, state_words, task_look
from inspector.presentation.execution_shown import connection_words
from inspector.presentation.execution_words import SERVER_LOOKS
from inspector.presentation.visible import one_line

_LETTERS = {EventColumn.AT: 13, EventColumn.AFTER: 10}
_NOTE = "A2A tells what is said and made, and nothing of what happens inside the agent."


class A2ATaskWindow(QWidget):
    """Everything that is shown of one task."""

    cancel_requested = Signal(object)  # OpenTask
    run_requested = Signal(object)

    def __init__(self, opened: OpenTask, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.open_task = opened
        self._state_before = ""
        self._head = HayhooksHead(one_line(opened.server.name), one_line(opened.task_id))
        self._trouble = NoteCard("changed", "stale")
        self._trouble.setObjectName("trouble")
        self._talk = A2ATalk()
        self._answer = A2AAnswerPane()
        self._made = A2AArtifacts(opened.tasks)
        self._events_model = EventsModel(self)
        self._events = _EventsView(self._events_model)
        self._tabs = QTabWidget()
        self._tabs.setDocumentMode(True)
        self._tabs.setAccessibleName("About the task")
        self._tabs.tabBar().setAccessibleName("About the task")
        self._tabs.addTab(self._answer, "Answer")
        self._tabs.addTab(self._made, "Artifacts")
        self._tabs.addTab(self._events, "States")
        self._status = StatusLine()
        self._status.words.setText(_NOTE)
        self._lay_out()
        self._connect(opened)
        self._tabs.setCurrentWidget(self._made)
        self._show()

    @property
    def head(self) -> HayhooksHead:
        return self._head

    @property
    def trouble(self) -> NoteCard:
        return self._trouble

    @property
    def talk(self) -> A2ATalk:
        return self._talk

    @property
    def answer_pane(self) -> A2AAnswerPane:
        return self._answer

    @property
    def artifacts(self) -> A2AArtifacts:
        return self._made

    @property
    def events(self) -> QTreeView:
        return self._events

    @property
    def tabs(self) -> QTabWidget:
        return self._tabs

    @property
    def said(self) -> str:
        """What the line below says."""
        return self._status.words.text()

    def take_focus(self) -> None:
        """Put the focus where keys do most."""
        if self._answer.is_asking:
            self._answer.take_focus()
        else:
            # An empty place takes no focus, and keys would go to the toolbar.
            (self._talk if self._talk.text else self._tabs).setFocus()

    def say(self, words: str) -> None:
        """Say something at the left of the status line."""
        self._status.words.setText(words)

    def ask_for_answer(self) -> None:
        """Bring the form to the front that answers what it asks for."""
        self._tabs.setCurrentWidget(self._answer)
        self._answer.take_focus()

    def _lay_out(self) -> None:
        body = QuietSplitter(Qt.Orientation.Horizontal)
        body.addWidget(self._talk)
        body.addWidget(self._tabs)
        body.setStretchFactor(0, 1)
        body.setStretchFactor(1, 1)
        body.setSizes([600, 600])
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self._head)
        layout.addWidget(self._trouble)
        layout.addWidget(Hairline())
        layout.addWidget(body, 1)
        layout.addWidget(Hairline())
        layout.addWidget(self._status)

    def _connect(self, opened: OpenTask) -> None:
        self._head.cancel_requested.connect(lambda: self.cancel_requested.emit(opened))
        self._head.run_requested.connect(lambda: self.run_requested.emit(opened))
        self._head.copy_requested.connect(self._copy_id)
        self._trouble.pressed.connect(opened.hurry)
        self._answer.answer_requested.connect(opened.answer)
        opened.changed.connect(self._show)
        opened.asked.connect(self._on_asked)
        opened.answered.connect(self._on_answered)
        opened.refused.connect(self._on_refused)
        theme.changes.changed.connect(self._show)

    # What happens

    def _copy_id(self) -> None:
        QGuiApplication.clipboard().setText(self.open_task.task_id)
        self.say("The id is copied.")

    def _on_asked(self, what: str) -> None:
        if what == "answer":
            self._answer.show_asking(busy=True)
        self._show()

    def _on_answered(self, what: str) -> None:
        words = {"cancel": "The agent took the cancel.", "answer": "The agent took the answer."}
        self.say(words.get(what, ""))
        if what == "answer":
            self._answer.show_asking(busy=False)

    def _on_refused(self, what: str, error: InspectorError) -> None:
        if what == "answer":
            self._answer.show_refusal(error)
            self._tabs.setCurrentWidget(self._answer)
        self.say(one_line(f"{error} {error.hint}"))

    def _show(self) -> None:
        opened, now = self.open_task, time.time_ns()
        task = opened.task
        agent = one_line(opened.server.name)
        if task is None:
            self._head.say(SERVER_LOOKS["asking"], "Asking…", f"of {agent}")
            self._head.offer(cancel=False, run=False, fork=False, pending=False)
        else:
            look = task_look(task.state)
            if opened.is_stale and not task.is_over:
                look = look._replace(icon="stale", colour="secondary")
            words = state_words(task, is_stale=opened.is_stale)
            self._head.say(look, words, fact_words(task, now))
            pending = opened.asking == "cancel"
            self._head.offer(cancel=not task.is_over, run=True, fork=False, pending=pending)
            self._talk.show_sayings(sayings(task))
        said = connection_words(opened.connection, opened.problem, opened.hint)
        self._head.say_connection(*said.badge)
        title = said.title.replace("server", "agent")
        self._trouble.say(title, one_line(said.words), action=said.action)
        if self._answer.show_task(task, opened.card) and self._answer.is_asking:
            self.ask_for_answer()
        self._tabs.setTabText(0, "Answer ●" if self._answer.is_asking else "Answer")
        self._made.show_task(task)
        made = len(task.artifacts) if task is not None else 0
        self._tabs.setTabText(1, f"Artifacts {made}" if made else "Artifacts")
        moments = opened.moments
        self._events_model.show(moments, moments[0].at_ns if moments else 0, now)
        self._tabs.setTabText(2, f"States {len(moments)}")
        self._follow(task.state if task is not None else "")

    def _follow(self, state: str) -> None:
        """Bring to the front what just became worth looking at."""
        before, self._state_before = self._state_before, state
        if before and state != before and not self._answer.is_asking:
            self._tabs.setCurrentWidget(self._made)


class _EventsView(QTreeView):
    """Where it stood, in rows."""

    def __init__(self, model: EventsModel) -> None:
        super().__init__()
        dress_tree(self, "Where the task stood, in order")
        self.setRootIsDecorated(False)
        self.setModel(model)
        self.setColumnHidden(EventColumn.ATTEMPT, True)
        self.header().setStretchLastSection(True)
        self.header().setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        theme.changes.changed.connect(self._lay_out_columns)
        self._lay_out_columns()

    def _lay_out_columns(self) -> None:
        letter = self.fontMetrics().averageCharWidth()
        for column, letters in _LETTERS.items():
            self.header().resizeSection(column, letters * letter + theme.GAP_PX)
