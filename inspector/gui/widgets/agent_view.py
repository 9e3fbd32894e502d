"""An agent turn by turn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QScrollArea, QStackedLayout, QVBoxLayout, QWidget

from inspector.gui import theme
from inspector.gui.widgets.agent_turn import AgentTurnWidget
from inspector.gui.widgets.empty_words import EmptyWords
from inspector.gui.widgets.labels import ElidedWords
from inspector.gui.widgets.plain import Hairline, LinkButton, PanelGround
from inspector.gui.widgets.text_viewer import TextViewer
from inspector.presentation.agent_turns import (
    AgentTurn,
    AgentTurns,
    agent_turns,
    step_at,
    step_rows,
)
from inspector.presentation.words import plural, sentence

if TYPE_CHECKING:
    from inspector.gui.tasks.runner import Cancelled, TaskRunner
    from inspector.runfile.model import PipelineRun


# More turns than these are made one by one: each takes as long as a step may.
_AT_ONCE = 6


class AgentView(QWidget):
    """Shows the turns of an agent around the one that a person is at.

    Going from call to call within these turns only moves a mark, and scrolls when the
    turn is out of sight.
    """

    span_requested = Signal(str)
    field_requested = Signal(str, str)  # a span, and a field of it

    def __init__(self, tasks: TaskRunner, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._tasks = tasks
        self._run: PipelineRun | None = None
        self._shown: AgentTurns | None = None
        self._wanted: tuple[int, int] | None = None
        self._turns: list[AgentTurnWidget] = []
        self._missing: list[AgentTurn] = []
        self._column = QVBoxLayout()
        self._span_id = ""
        self._words = ElidedWords(step=-1, colour="secondary")
        self._words.setContentsMargins(theme.GROUP_GAP_PX, 0, theme.GAP_PX, 0)
        self._words.setFixedHeight(theme.row_height())
        self._scroll = QScrollArea(self)
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setWidgetResizable(True)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        # Always there: one that comes and goes changes the width of every line.
        self._scroll.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        self._scroll.setAccessibleName("Turns of the agent")
        self._scroll.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._viewer = TextViewer(tasks, self, name="A whole answer")
        self._viewer.escape_pressed.connect(self._back)
        self._stack = QStackedLayout(self)
        self._stack.addWidget(self._page_of(self._words, self._scroll))
        back = LinkButton("← Back to the turns", self._back)
        self._stack.addWidget(self._page_of(back, self._viewer))
        self.setFocusProxy(self._scroll)

    def _page_of(self, above: QWidget, below: QWidget) -> QWidget:
        page = QWidget(self)
        layout = QVBoxLayout(page)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(above)
        layout.addWidget(Hairline(page))
        layout.addWidget(below, 1)
        return page

    def _show_whole(self, title: str, text: str) -> None:
        self._viewer.show_text(text, title=title)
        self._stack.setCurrentIndex(1)
        self._viewer.set_focus_on_text()

    def _back(self) -> None:
        self._stack.setCurrentIndex(0)
        self._scroll.setFocus(Qt.FocusReason.OtherFocusReason)

    @property
    def is_whole(self) -> bool:
        """Whether every turn there is to show has been made."""
        return not self._missing

    @property
    def turns(self) -> tuple[AgentTurnWidget, ...]:
        """The turns that are shown, the first first."""
        return tuple(self._turns)

    def show_span(self, run: PipelineRun, agent: int, row: int) -> None:
        """Show the turn that a span belongs to, among its neighbours."""
        self._span_id = run.table.id(row)
        shown = self._shown
        if run is self._run and shown is not None and run.table.id(agent) == shown.agent_id:
            around = step_at(run.table, step_rows(run.table, agent), row)
            if shown.first <= around < shown.first + len(shown.turns):
                self._mark()
                return
        self._read(run, agent, step_at(run.table, step_rows(run.table, agent), row))

    def _read(self, run: PipelineRun, agent: int, around: int) -> None:
        self._run = run

        def read(_cancelled: Cancelled) -> AgentTurns:
            return agent_turns(run, agent, around)

        self._tasks.start(read, done=self.show_turns, failed=self._on_failed, key=(self, "turns"))

    def show_turns(self, shown: AgentTurns) -> None:
        """Show turns that were read."""
        self._shown = shown
        self._words.setText(sentence([plural(shown.total, "turn"), shown.ended]))
        self._words.set_colour("failed" if shown.failed else "secondary")
        page = QWidget()
        PanelGround(page)
        column = QVBoxLayout(page)
        column.setContentsMargins(0, theme.GRID_PX, 0, theme.GROUP_GAP_PX)
        column.setSpacing(theme.GAP_PX)
        if shown.first:
            self._add_more(column, f"{plural(shown.first, 'earlier turn')}", shown.first - 1)
        self._column = QVBoxLayout()
        self._column.setSpacing(theme.GAP_PX)
        column.addLayout(self._column)
        self._begin_turns(shown)
        after = shown.total - shown.first - len(shown.turns)
        if after:
            self._add_more(column, plural(after, "later turn"), shown.total - after)
        if not shown.turns:
            column.addWidget(EmptyWords(page, words="This agent has taken no step yet."))
        column.addStretch(1)
        self._scroll.setWidget(page)
        page.show()
        self._mark()
        if self._missing:
            QTimer.singleShot(0, self, self._make_rest)

    def _begin_turns(self, shown: AgentTurns) -> None:
        """Make the turn that one is at, and the others beside it as the window has time."""
        known = {widget.turn: widget for widget in self._turns}
        made = {turn.number: known[turn] for turn in shown.turns if turn in known}
        missing = [turn for turn in shown.turns if turn.number not in made]
        here = next(
            (turn.number for turn in shown.turns if self._span_id in turn.span_ids), shown.first
        )
        # What comes after it is made first: nothing that is in sight has to move for that.
        missing.sort(key=lambda turn: (turn.number < here, abs(turn.number - here)))
        at_once = len(missing) if len(shown.turns) <= _AT_ONCE else 1
        self._turns = [made[number] for number in sorted(made)]
        for widget in self._turns:
            self._column.addWidget(widget)
        self._missing = missing
        for _ in range(at_once):
            self._make_next()

    def _make_next(self) -> None:
        if not self._missing:
            return
        turn = self._missing.pop(0)
        widget = AgentTurnWidget(turn)
        widget.span_requested.connect(self.span_requested)
        widget.field_requested.connect(self.field_requested)
        widget.text_requested.connect(self._show_whole)
        place = sum(other.turn.number < turn.number for other in self._turns)
        self._turns.insert(place, widget)
        self._column.insertWidget(place, widget)
        widget.show()  # at once: what is hidden is not laid out

    def _make_rest(self) -> None:
        """Make one more turn, and hold what is read where it is."""
        if not self._missing:
            return
        page, bar = self._scroll.widget(), self._scroll.verticalScrollBar()
        anchor = next((turn for turn in self._turns if turn.is_marked), self._turns[0])
        before = anchor.y()
        self._make_next()
        layout = page.layout() if page is not None else None
        if page is not None and layout is not None:
            layout.activate()
            # As the area will do itself a turn of the loop later, when it is seen to move.
            needed = page.heightForWidth(page.width())
            page.resize(page.width(), max(needed, self._scroll.viewport().height()))
            layout.activate()
            bar.setValue(bar.value() + anchor.y() - before)
        QTimer.singleShot(0, self, self._make_rest)

    def _add_more(self, column: QVBoxLayout, words: str, around: int) -> None:
        row = QHBoxLayout()
        row.setContentsMargins(theme.GROUP_GAP_PX, 0, theme.GAP_PX, 0)
        row.addWidget(LinkButton(f"Show {words}", lambda: self._read_around(around)))
        row.addStretch(1)
        column.addLayout(row)

    def _read_around(self, around: int) -> None:
        run, shown = self._run, self._shown
        row = run.table.row_of(shown.agent_id) if run is not None and shown is not None else None
        if run is not None and row is not None:
            self._read(run, row, around)

    def _mark(self) -> None:
        """Mark the turn and the call of the selected span, and bring them into sight."""
        page = self._scroll.widget()
        layout = page.layout() if page is not None else None
        if layout is not None:
            layout.activate()  # where everything is has to be known at once
        for turn in self._turns:
            place = turn.mark(self._span_id)
            if place is not None and page is not None:
                self._reveal(turn, place, page)

    def _reveal(self, turn: QWidget, place: QWidget, whole: QWidget) -> None:
        """Bring a place of a turn into sight, with as much of the turn as there is room for.

        A call is read in its place: best is all of the turn, else from its head to the call.
        """
        bar, page = self._scroll.verticalScrollBar(), self._scroll.viewport().height()
        top = turn.y()
        end = place.mapTo(whole, place.rect().bottomLeft()).y() + 1
        needed = turn.height() if turn.height() <= page else end - top
        if needed > page:
            top = place.mapTo(whole, place.rect().topLeft()).y()
            needed = min(place.height(), page)
        if top < bar.value() or top + needed > bar.value() + page:
            bar.setValue(top - theme.GAP_PX)

    def _on_failed(self, error: Exception) -> None:
        self._words.setText("The turns of this agent could not be read.")
        raise error
