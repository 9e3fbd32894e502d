"""The tab of one execution: how it stands, its attempts over time, what it says and leaves."""

import time

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from inspector.errors import InspectorError
from inspector.gui.models.hayhooks_events_model import EventColumn
from inspector.gui.panes.hayhooks_resume_pane import HayhooksResumePane
from inspector.gui.panes.served_work_window import ServedWorkWindow
from inspector.gui.widgets.hayhooks_cards import Traps
from inspector.gui.widgets.hayhooks_result import HayhooksResult
from inspector.gui.widgets.hayhooks_stream import HayhooksStream
from inspector.gui.widgets.hayhooks_timeline import HayhooksTimeline
from inspector.gui.widgets.plain import PanelGround
from inspector.gui.workspace.open_execution import OpenExecution
from inspector.hayhooks.client.model import ExecutionStatus
from inspector.presentation.execution_shown import connection_words, fact_words, state_words
from inspector.presentation.execution_words import SERVER_LOOKS, status_look, trap_words
from inspector.presentation.visible import one_line
from inspector.presentation.words import plural

_TICK_MS = 500
_LETTERS = {EventColumn.AT: 13, EventColumn.AFTER: 10, EventColumn.ATTEMPT: 9}


class HayhooksExecutionWindow(ServedWorkWindow):
    """Everything that is shown of one durable execution."""

    fork_requested = Signal(object)  # OpenExecution

    def __init__(self, opened: OpenExecution, parent: QWidget | None = None) -> None:
        self._timeline = HayhooksTimeline()
        self._traps = Traps()
        self._stream = HayhooksStream()
        self._resume = HayhooksResumePane()
        self._result = HayhooksResult(opened.tasks)
        super().__init__(
            opened,
            (opened.deployment, opened.execution_id),
            said=self._stream,
            answer=(self._resume, "Resume"),
            result=(self._result, "Result"),
            events=("Events", "What happened, in order", _LETTERS),
            about="About the execution",
            taken={
                "cancel": "The cancel was taken by the server.",
                "resume": "Answered: it goes on.",
            },
            over=(_stacked(self._timeline, self._traps),),
            parent=parent,
        )
        self.open_execution = opened
        self._hooks = (False, False)
        self._status_before: ExecutionStatus | None = None
        self._clock = QTimer(self)
        self._clock.setInterval(_TICK_MS)
        self._clock.timeout.connect(self._tick)
        self._head.fork_requested.connect(lambda: self.fork_requested.emit(opened))
        self._resume.answer_requested.connect(opened.resume)
        opened.streamed.connect(self._show_stream)
        self._show()

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

    def offer(self, *, run: bool, fork: bool) -> None:
        """Say whether it can be opened as a run, and forked from its checkpoint."""
        self._hooks = (run, fork)
        self._show()

    # What happens

    def _on_refused(self, what: str, error: InspectorError) -> None:
        super()._on_refused(what, error)
        if what == "resume":
            self.ask_for_answer()

    def _show_stream(self) -> None:
        live = self.open_execution.live
        self._stream.show_attempts(live.attempts, live.attempt)

    def _show(self) -> None:
        opened = self.open_execution
        live, execution = opened.live, opened.execution
        now = time.time_ns()
        if execution is None:
            words = f"on {one_line(opened.server.name)}"
            self._show_nothing_known(SERVER_LOOKS["asking"], words)
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
        self._mark_asking()
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


def _stacked(*widgets: QWidget) -> QWidget:
    top = QWidget()
    PanelGround(top)
    column = QVBoxLayout(top)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(0)
    for widget in widgets:
        column.addWidget(widget)
    return top
