"""One turn of an agent: its prompt's news, its answer, its calls and what they changed."""

from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from inspector.gui import theme
from inspector.gui.widgets.labels import ElidedWords, Icon, Words
from inspector.gui.widgets.plain import FileWords, LinkButton
from inspector.gui.widgets.text_block import TextBlock
from inspector.gui.widgets.tool_card import ToolCard
from inspector.gui.widgets.turn_widget import role_colour, role_words
from inspector.presentation.agent_retries import ArgumentChange, Retry
from inspector.presentation.agent_turns import Again, AgentCall, AgentTurn, StateChange
from inspector.presentation.previews import text_preview
from inspector.presentation.transcript import (
    CallPart,
    FactPart,
    ResultPart,
    TextPart,
    Turn,
    turn_text,
)
from inspector.presentation.words import number_words, plural, sentence

_RULE_PX = 3
_INDENT_PX = theme.GROUP_GAP_PX
_LONGEST_SHOWN = 1_200
_MOST_NEW = 20
_WORKED = {True: "and it worked", False: "and it failed again", None: ""}


class AgentTurnWidget(QWidget):
    """Draws a turn, and a rule along the one that a person is at."""

    span_requested = Signal(str)
    field_requested = Signal(str, str)
    text_requested = Signal(str, str)

    def __init__(self, turn: AgentTurn, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._turn = turn
        self._marked = False
        self._cards: dict[str, _CallWidget] = {}
        self.setAccessibleName(
            sentence([f"Turn {turn.number}", "failed" if turn.failed else ""], ", ")
        )
        column = QVBoxLayout(self)
        column.setContentsMargins(_INDENT_PX + _RULE_PX, 0, theme.GROUP_GAP_PX, 0)
        column.setSpacing(theme.GRID_PX)
        column.addLayout(self._head(turn))
        if turn.new or turn.earlier:
            self._add_new(column, turn)
        for reply in turn.replies:
            self._add_reply(column, reply)
        for call in turn.calls:
            column.addWidget(self._call(call))
        if turn.state:
            self._add_state(column, turn.state)
        theme.changes.changed.connect(self.update)

    @property
    def turn(self) -> AgentTurn:
        return self._turn

    @property
    def cards(self) -> dict[str, "_CallWidget"]:
        """The tool calls, by the id of their span."""
        return dict(self._cards)

    def mark(self, span_id: str) -> QWidget | None:
        """Mark what stands for a span; return it where it is in this turn."""
        self._marked = span_id in self._turn.span_ids
        self.update()
        for own, card in self._cards.items():
            card.mark(own == span_id)
        return self._cards.get(span_id, self) if self._marked else None

    @property
    def is_marked(self) -> bool:
        return self._marked

    def paintEvent(self, _event: QPaintEvent) -> None:
        tokens = theme.current()
        painter = QPainter(self)
        painter.fillRect(
            0, 0, _RULE_PX, self.height(), tokens.accent if self._marked else tokens.step
        )
        painter.end()

    def _head(self, turn: AgentTurn) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(theme.GAP_PX)
        if turn.failed:
            row.addWidget(Icon("failed", colour="failed"))
        row.addWidget(Words(f"Step {turn.number}", strong=True, colour="agent"))
        row.addWidget(ElidedWords(sentence(list(turn.facts)), step=-1, colour="secondary"), 1)
        if turn.llm_id is not None:
            llm_id = turn.llm_id
            prompt = LinkButton("Whole prompt", lambda: self.field_requested.emit(llm_id, ""))
            row.addWidget(prompt)
        step = LinkButton("Open step", lambda: self.span_requested.emit(turn.span_id))
        row.addWidget(step)
        return row

    def _add_new(self, column: QVBoxLayout, turn: AgentTurn) -> None:
        before = f"{number_words(turn.earlier)} from before" if turn.earlier else ""
        dropped = f"{plural(turn.dropped, 'message')} no longer sent" if turn.dropped else ""
        news = f"{plural(len(turn.new), 'new message')} in the prompt"
        words = sentence([news, before, dropped])
        column.addWidget(Words(words, step=-1, colour="secondary"))
        grid = QGridLayout()
        grid.setHorizontalSpacing(theme.GAP_PX)
        grid.setVerticalSpacing(2)
        grid.setColumnStretch(1, 1)
        for row, message in enumerate(turn.new[:_MOST_NEW]):
            role = Words(
                role_words(message.role), step=-1, strong=True, colour=role_colour(message)
            )
            grid.addWidget(role, row, 0)
            said = ElidedWords(text_preview(_said(message), 400))
            said.setFont(theme.monospace(-1))
            grid.addWidget(said, row, 1)
            if turn.llm_id is not None:
                ask = partial(self.field_requested.emit, turn.llm_id, message.path)
                show = LinkButton("Show", ask)
                show.setAccessibleName(f"Show the {role_words(message.role)} message")
                grid.addWidget(show, row, 2)
        column.addLayout(grid)
        if len(turn.new) > _MOST_NEW:
            column.addWidget(Words(f"and {len(turn.new) - _MOST_NEW} more", colour="secondary"))

    def _add_reply(self, column: QVBoxLayout, reply: Turn) -> None:
        for part in reply.parts:
            match part:
                case TextPart(text, reasoning) if text:
                    title = "Reasoning" if reasoning else "Answer"
                    self._add_text(column, title, text, "secondary" if reasoning else "text")
                case FactPart(kind, words):
                    column.addWidget(FileWords(f"[{kind} · {words}]", colour="secondary"))
                case _:
                    pass  # calls follow with what became of them

    def _add_text(self, column: QVBoxLayout, title: str, text: str, colour: str) -> None:
        column.addWidget(Words(title, step=-1, strong=True, colour="llm"))
        block = TextBlock(text[:_LONGEST_SHOWN], title)
        block.set_colour(colour)
        column.addWidget(block)
        if len(text) > _LONGEST_SHOWN:
            words = f"Show all {number_words(len(text))} characters"
            link = LinkButton(words, lambda: self.text_requested.emit(title, text))
            column.addWidget(link, 0, Qt.AlignmentFlag.AlignLeft)

    def _call(self, call: AgentCall) -> QWidget:
        widget = _CallWidget(call)
        widget.card.span_requested.connect(self.span_requested)
        widget.card.text_requested.connect(self.text_requested)
        widget.span_requested.connect(self.span_requested)
        if call.span_id is not None:
            self._cards[call.span_id] = widget
        return widget

    def _add_state(self, column: QVBoxLayout, changes: tuple[StateChange, ...]) -> None:
        column.addWidget(Words("State", step=-1, strong=True, colour="agent"))
        grid = QGridLayout()
        grid.setHorizontalSpacing(theme.GROUP_GAP_PX)
        grid.setColumnStretch(1, 1)
        for row, change in enumerate(changes):
            grid.addWidget(_fixed(FileWords(change.key, colour="secondary")), row, 0)
            said = ElidedWords(change.words)
            said.setFont(theme.monospace())
            grid.addWidget(said, row, 1)
            ask = partial(self.span_requested.emit, change.span_id)
            grid.addWidget(LinkButton("Open", ask), row, 2)
        column.addLayout(grid)


class _CallWidget(QWidget):
    """A tool call; below it, what was changed where an earlier one had failed."""

    span_requested = Signal(str)

    def __init__(self, call: AgentCall, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._marked = False
        self.card = ToolCard(call.call)
        column = QVBoxLayout(self)
        column.setContentsMargins(_RULE_PX + theme.GRID_PX, 0, 0, 0)
        column.setSpacing(theme.GRID_PX)
        if call.retry is not None:
            self._add_retry(column, call.retry)
        column.addWidget(self.card)
        if call.again is not None:
            self._add_again(column, call.again)
        if call.did_not_run:
            self._add_note(column, "It did not run; this is what the LLM was told instead")
        if call.ran_with:
            # What a state or a pipeline fills in is as it should be; what somebody changed is news.
            is_added = not any(change.before for change in call.ran_with)
            if is_added:
                self._add_note(column, "Put in by the agent", "secondary")
            else:
                self._add_note(column, "Changed before it ran")
            column.addLayout(_changes_grid(call.ran_with))
        theme.changes.changed.connect(self.update)

    @property
    def is_marked(self) -> bool:
        return self._marked

    def mark(self, marked: bool) -> None:
        """Mark the call as the selected one."""
        self._marked = marked
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        if self._marked:
            painter = QPainter(self)
            painter.fillRect(0, 0, _RULE_PX, self.height(), theme.current().accent)
            painter.end()

    def _add_retry(self, column: QVBoxLayout, retry: Retry) -> None:
        row = QHBoxLayout()
        row.setSpacing(theme.GRID_PX)
        row.addWidget(Icon("reload", colour="changed", size_px=14))
        outcome = _WORKED[retry.worked]
        row.addWidget(
            Words(
                sentence(
                    [f"Tried again after it failed in step {retry.failed_step}", outcome], ", "
                ),
                step=-1,
                strong=True,
                colour="changed",
            )
        )
        failed = LinkButton("Failed call", lambda: self.span_requested.emit(retry.failed_id))
        row.addWidget(failed)
        row.addStretch(1)
        column.addLayout(row)
        if retry.changes:
            column.addLayout(_changes_grid(retry.changes))
        else:
            column.addWidget(Words("with the same arguments", colour="secondary"))

    def _add_again(self, column: QVBoxLayout, again: Again) -> None:
        row = QHBoxLayout()
        row.setSpacing(theme.GRID_PX)
        row.addWidget(Icon("reload", colour="changed", size_px=14))
        words = sentence([f"Tried again in step {again.step}", _WORKED[again.worked]], ", ")
        row.addWidget(Words(words, step=-1, strong=True, colour="changed"))
        row.addWidget(LinkButton("Second try", lambda: self.span_requested.emit(again.span_id)))
        row.addStretch(1)
        column.addLayout(row)

    def _add_note(self, column: QVBoxLayout, words: str, colour: str = "changed") -> None:
        column.addWidget(Words(words, step=-1, strong=True, colour=colour, wrap=True))


def _changes_grid(changes: tuple[ArgumentChange, ...]) -> QGridLayout:
    grid = QGridLayout()
    grid.setHorizontalSpacing(theme.GROUP_GAP_PX)
    grid.setVerticalSpacing(2)
    grid.setColumnStretch(1, 1)
    for at, change in enumerate(changes):
        grid.addWidget(_fixed(FileWords(change.name, colour="secondary")), at, 0)
        arrow = f"{change.before or '(not given)'} → {change.now or '(not given)'}"
        shown = ElidedWords(arrow)
        shown.setFont(theme.monospace())
        grid.addWidget(shown, at, 1)
    return grid


def _fixed(words: FileWords) -> FileWords:
    words.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
    return words


def _said(message: Turn) -> str:
    """Return a message in a line: who speaks stands beside it already."""
    parts = []
    for part in message.parts:
        match part:
            case ResultPart(tool=tool, text=text, failed=failed):
                parts.append(f"{'✕ ' if failed else ''}{tool}: {text}")
            case CallPart(tool=tool):
                parts.append(f"→ {tool}")
            case TextPart(text=text):
                parts.append(text)
            case FactPart(kind, words):
                parts.append(f"[{kind} · {words}]")
    return " ".join(parts) or turn_text(message)
