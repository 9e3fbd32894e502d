"""The tab of one task of an A2A agent: how it stands, what was said, what it asks and made."""

import time

from PySide6.QtWidgets import QWidget

from inspector.gui.models.hayhooks_events_model import EventColumn
from inspector.gui.panes.a2a_answer_pane import A2AAnswerPane
from inspector.gui.panes.served_work_window import ServedWorkWindow
from inspector.gui.widgets.a2a_artifacts import A2AArtifacts
from inspector.gui.widgets.a2a_talk import A2ATalk
from inspector.gui.workspace.open_task import OpenTask
from inspector.presentation.a2a_talk import sayings
from inspector.presentation.a2a_words import fact_words, state_words, task_look
from inspector.presentation.execution_shown import connection_words
from inspector.presentation.execution_words import SERVER_LOOKS
from inspector.presentation.visible import one_line

_LETTERS = {EventColumn.AT: 13, EventColumn.AFTER: 10}
_NOTE = "A2A tells what is said and made, and nothing of what happens inside the agent."


class A2ATaskWindow(ServedWorkWindow):
    """Everything that is shown of one task."""

    def __init__(self, opened: OpenTask, parent: QWidget | None = None) -> None:
        self._talk = A2ATalk()
        self._answer = A2AAnswerPane()
        self._made = A2AArtifacts(opened.tasks)
        super().__init__(
            opened,
            (opened.server.name, opened.task_id),
            said=self._talk,
            answer=(self._answer, "Answer"),
            result=(self._made, "Artifacts"),
            events=("States", "Where the task stood, in order", _LETTERS),
            about="About the task",
            taken={
                "cancel": "The agent took the cancel.",
                "answer": "The agent took the answer.",
            },
            parent=parent,
        )
        self.open_task = opened
        self._state_before = ""
        self.say(_NOTE)
        self._answer.answer_requested.connect(opened.answer)
        self._show()

    @property
    def talk(self) -> A2ATalk:
        return self._talk

    @property
    def answer_pane(self) -> A2AAnswerPane:
        return self._answer

    @property
    def artifacts(self) -> A2AArtifacts:
        return self._made

    def _show(self) -> None:
        opened, now = self.open_task, time.time_ns()
        task = opened.task
        agent = one_line(opened.server.name)
        if task is None:
            self._show_nothing_known(SERVER_LOOKS["asking"], f"of {agent}")
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
        self._mark_asking()
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
