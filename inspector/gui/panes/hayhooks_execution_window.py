"""The tab of one execution: how it stands, its attempts over time, what it says and leaves."""

import time

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QHeaderView, QTabWidget, QTreeView, QVBoxLayout, QWidget

from inspector.errors import InspectorError
from inspector.gui import theme
from inspector.gui.models.hayhooks_events_model import EventColumn, EventsModel
from inspector.gui.panes.hayhooks_resume_pane import HayhooksResumePane
from inspector.gui.widgets.hayhooks_cards import NoteCard, Traps
from inspector.gui.widgets.hayhooks_head import HayhooksHead
from inspector.gui.widgets.hayhooks_result import HayhooksResult
from inspector.gui.widgets.hayhooks_stream import HayhooksStream
from inspector.gui.widgets.hayhooks_timeline import HayhooksTimeline
from inspector.gui.widgets.plain import Hairline, PanelGround
from inspector.gui.widgets.quiet_splitter import QuietSplitter
from inspector.gui.widgets.row_tree import dress_tree
from inspector.gui.widgets.status_line import StatusLine
from inspector.gui.workspace.open_execution import OpenExecution
from inspector.hayhooks.client.model import ExecutionStatus
from inspector.presentation.execution_shown import connection_words, fact_words, state_words
from inspector.presentation.execution_words import SERVER_LOOKS, status_look, trap_words
from inspector.presentation.visible import one_line
from inspector.presentation.words import plural

_TICK_MS = 500
_LETTERS = {EventColumn.AT: 13, EventColumn.AFTER: 10, EventColumn.ATTEMPT: 9}


class HayhooksExecutionWindow(QWidget):
    """Everything that is shown of one durable execution."""

    cancel_requested = Signal(object)  # OpenExecution
    run_requested = Signal(object)
    fork_requested = Signal(object)

    def __init__(self, opened: OpenExecution, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.open_execution = opened
        self._hooks = (False, False)
        self._status_before: ExecutionStatus | None = None
        self._head = HayhooksHead(one_line(opened.deployment), one_line(opened.execution_id))
        self._trouble = NoteCard("changed", "stale")
        self._trouble.setObjectName("trouble")
        self._traps = Traps()
        self._timeline = HayhooksTimeline()
        self._stream = HayhooksStream()
        self._resume = HayhooksResumePane()
        self._result = HayhooksResult(opened.tasks)
        self._events_model = EventsModel(self)
        self._events = _EventsView(self._events_model)
        self._tabs = QTabWidget()
        self._tabs.setDocumentMode(True)
        self._tabs.setAccessibleName("About the execution")
        self._tabs.tabBar().setAccessibleName("About the execution")
        self._tabs.addTab(self._resume, "Resume")
        self._tabs.addTab(self._result, "Result")
        self._tabs.addTab(self._events, "Events")
        self._status = StatusLine()
        self._clock = QTimer(self)
        self._clock.setInterval(_TICK_MS)
        self._clock.timeout.connect(self._tick)
        self._lay_out()
        self._connect(opened)
        self._tabs.setCurrentWidget(self._result)
        self._show()

    @property
    def head(self) -> HayhooksHead:
        return self._head

    @property
    def trouble(self) -> NoteCard:
        return self._trouble

    @property
    def traps(self) -> Traps:
        return self._traps

    @property
    def timeline(self) -> HayhooksTimeline:
        return self._timeline

    @property
    def stream(self) -> HayhooksStream:
        return self._stream

    @property
    def resume_pane(self) -> HayhooksResumePane:
        return self._resume

    @property
    def result(self) -> HayhooksResult:
        return self._result

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
        if self._resume.is_asking:
            self._resume.take_focus()
        else:
            # An empty place takes no focus, and keys would go to the toolbar.
            (self._stream if self._stream.text else self._tabs).setFocus()

    def say(self, words: str) -> None:
        """Say something at the left of the status line."""
        self._status.words.setText(words)

    def offer(self, *, run: bool, fork: bool) -> None:
        """Say whether it can be opened as a run, and forked from its checkpoint."""
        self._hooks = (run, fork)
        self._show()

    def ask_for_answer(self) -> None:
        """Bring the form to the front that answers what it waits for."""
        self._tabs.setCurrentWidget(self._resume)
        self._resume.take_focus()

    def _lay_out(self) -> None:
        top = QWidget()
        PanelGround(top)
        column = QVBoxLayout(top)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._timeline)
        column.addWidget(self._traps)
        self._body = QuietSplitter(Qt.Orientation.Horizontal)
        self._body.addWidget(self._stream)
        self._body.addWidget(self._tabs)
        self._body.setStretchFactor(0, 1)
        self._body.setStretchFactor(1, 1)
        self._body.setSizes([600, 600])
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self._head)
        layout.addWidget(self._trouble)
        layout.addWidget(Hairline())
        layout.addWidget(top)
        layout.addWidget(Hairline())
        layout.addWidget(self._body, 1)
        layout.addWidget(Hairline())
        layout.addWidget(self._status)

    def _connect(self, opened: OpenExecution) -> None:
        self._head.cancel_requested.connect(lambda: self.cancel_requested.emit(opened))
        self._head.run_requested.connect(lambda: self.run_requested.emit(opened))
        self._head.fork_requested.connect(lambda: self.fork_requested.emit(opened))
        self._head.copy_requested.connect(self._copy_id)
        self._trouble.pressed.connect(opened.hurry)
        self._resume.resume_requested.connect(opened.resume)
        opened.changed.connect(self._show)
        opened.streamed.connect(self._show_stream)
        opened.asked.connect(self._on_asked)
        opened.answered.connect(self._on_answered)
        opened.refused.connect(self._on_refused)
        theme.changes.changed.connect(self._show)

    # What happens

    def _copy_id(self) -> None:
        QGuiApplication.clipboard().setText(self.open_execution.execution_id)
        self.say("The id is copied.")

    def _on_asked(self, what: str) -> None:
        if what == "resume":
            self._resume.show_asking(busy=True)
        self._show()

    def _on_answered(self, what: str) -> None:
        words = {"cancel": "The cancel was taken by the server.", "resume": "Answered: it goes on."}
        self.say(words.get(what, ""))
        if what == "resume":
            self._resume.show_asking(busy=False)

    def _on_refused(self, what: str, error: InspectorError) -> None:
        if what == "resume":
            self._resume.show_refusal(error)
            self.ask_for_answer()
        self.say(one_line(f"{error} {error.hint}"))

    def _show_stream(self) -> None:
        live = self.open_execution.live
        self._stream.show_attempts(live.attempts, live.attempt)

    def _show(self) -> None:
        opened = self.open_execution
        live, execution = opened.live, opened.execution
        now = time.time_ns()
        if execution is None:
            look = SERVER_LOOKS["asking"]
            self._head.say(look, "Asking…", f"on {one_line(opened.server.name)}")
            self._head.offer(cancel=False, run=False, fork=False, pending=False)
        else:
            row = execution.row
            look = status_look(row.status)
            if live.is_stale and not row.status.is_over:
                look = look._replace(icon="stale", colour="secondary")
            self._head.say(
                look, state_words(execution, is_stale=live.is_stale),
                fact_words(execution, one_line(opened.server.name), now),
            )  # fmt: skip
            run, fork = self._hooks
            pending = row.cancellation_pending or opened.asking == "cancel"
            self._head.offer(cancel=not row.status.is_over, run=run, fork=fork, pending=pending)
            self._traps.show_words(trap_words(execution, live.witness))
            self._follow(row.status)
        self._show_connection()
        if self._resume.show_execution(execution, opened.about) and self._resume.is_asking:
            self.ask_for_answer()
        self._result.show_execution(execution)
        self._tabs.setTabText(0, "Resume ●" if self._resume.is_asking else "Resume")
        came = f"{plural(live.chunks, 'chunk')} came." if live.chunks else ""
        if self._where() or came:
            self._status.words.setText(f"{came} {self._where()}".strip())
        self._stream.say_nothing(
            "Nothing was streamed, or the server has forgotten it."
            if execution is not None and execution.row.status.is_over
            else "Nothing was streamed yet. What it streams stands here as it comes."
        )
        self._draw(now)

    def _where(self) -> str:
        url = one_line(self.open_execution.live.url)
        return f"From {url}." if url else ""

    def _follow(self, status: ExecutionStatus) -> None:
        """Bring to the front what just became worth looking at."""
        before, self._status_before = self._status_before, status
        if status is before:
            return
        if status.is_over:
            self._tabs.setCurrentWidget(self._result)
            self._clock.stop()
        else:
            self._clock.start()

    def _show_connection(self) -> None:
        live = self.open_execution.live
        said = connection_words(live.connection, live.problem, live.hint)
        self._head.say_connection(*said.badge)
        self._trouble.say(said.title, said.words, action=said.action)

    def _tick(self) -> None:
        if self.isVisible():
            self._draw(time.time_ns())

    def _draw(self, now_ns: int) -> None:
        told = self.open_execution.live.story(now_ns)
        execution = self.open_execution.execution
        if told is None or execution is None:
            return
        self._timeline.show_story(told, str(execution.row.status))
        self._events_model.show(told.moments, told.begin_ns, now_ns)
        self._tabs.setTabText(2, f"Events {len(told.moments)}")


class _EventsView(QTreeView):
    """What happened, in rows."""

    def __init__(self, model: EventsModel) -> None:
        super().__init__()
        dress_tree(self, "What happened, in order")
        self.setRootIsDecorated(False)
        self.setModel(model)
        self.header().setStretchLastSection(True)
        self.header().setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        theme.changes.changed.connect(self._lay_out_columns)
        self._lay_out_columns()

    def _lay_out_columns(self) -> None:
        letter = self.fontMetrics().averageCharWidth()
        for column, letters in _LETTERS.items():
            self.header().resizeSection(column, letters * letter + theme.GAP_PX)
