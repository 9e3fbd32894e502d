"""A tool call at a glance: its name, its arguments, and what came back."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from inspector.gui import theme
from inspector.gui.widgets.labels import ElidedWords, Icon, Words
from inspector.gui.widgets.plain import FileWords, LinkButton
from inspector.gui.widgets.text_block import TextBlock
from inspector.presentation.previews import text_preview
from inspector.presentation.transcript import CallPart, ToolOutcome
from inspector.presentation.words import duration_words, number_words

_LONGEST_ARGUMENT = 600
_MOST_LINES = 8
_MOST_ARGUMENTS = 12
_LONGEST_RESULT = 240


class ToolCard(QFrame):
    """One tool call. Failed ones have a red edge, a cross and the word."""

    span_requested = Signal(str)
    turn_requested = Signal(int)
    text_requested = Signal(str, str)  # a title, and a text too long for a card

    def __init__(self, call: CallPart, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._failed = call.outcome is not None and call.outcome.failed
        self.setAccessibleName(f"Tool call {text_preview(call.tool, 80)}")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(
            theme.GAP_PX + theme.GRID_PX, theme.GRID_PX, theme.GAP_PX, theme.GRID_PX + 2
        )
        layout.setSpacing(theme.GRID_PX)
        layout.addLayout(self._head(call))
        if call.arguments or call.arguments_text is not None:
            layout.addLayout(self._arguments(call))
        layout.addLayout(self._result(call.outcome))
        theme.changes.changed.connect(self.update)

    def paintEvent(self, _event: QPaintEvent) -> None:
        tokens = theme.current()
        painter = QPainter(self)
        painter.fillRect(self.rect(), tokens.hover)
        if self._failed:
            painter.fillRect(0, 0, 2, self.height(), tokens.failed)
        painter.end()

    def _head(self, call: CallPart) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(theme.GRID_PX + 2)
        row.addWidget(Icon("tool", colour="tool"))
        name = FileWords(text_preview(call.tool, 80), strong=True)
        row.addWidget(name, 1)
        outcome = call.outcome
        if outcome is not None and outcome.duration_ns is not None:
            row.addWidget(Words(duration_words(outcome.duration_ns), step=-1, colour="secondary"))
        if outcome is not None and outcome.span_id is not None:
            span_id = outcome.span_id
            row.addWidget(LinkButton("Open", lambda: self.span_requested.emit(span_id)))
        return row

    def _arguments(self, call: CallPart) -> QGridLayout:
        grid = QGridLayout()
        grid.setHorizontalSpacing(theme.GROUP_GAP_PX)
        grid.setVerticalSpacing(2)
        grid.setColumnStretch(1, 1)
        if call.arguments_text is not None:
            grid.addWidget(self._value("arguments", call.arguments_text), 0, 0, 1, 2)
            return grid
        for row, (key, text) in enumerate(call.arguments[:_MOST_ARGUMENTS]):
            label = FileWords(text_preview(key, 30), colour="secondary")
            label.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
            grid.addWidget(label, row, 0, Qt.AlignmentFlag.AlignTop)
            grid.addWidget(self._value(key, text), row, 1)
        rest = len(call.arguments) - _MOST_ARGUMENTS
        if rest > 0:
            everything = "\n".join(f"{key}: {text}" for key, text in call.arguments)
            more = LinkButton(
                f"{number_words(rest)} more", lambda: self._ask(call.tool, everything)
            )
            grid.addWidget(more, _MOST_ARGUMENTS, 1, Qt.AlignmentFlag.AlignLeft)
        return grid

    def _value(self, name: str, text: str) -> QWidget:
        """Return an argument's text, cut short where it is long, with a way to see it all."""
        head = "\n".join(text[:_LONGEST_ARGUMENT].split("\n")[:_MOST_LINES])
        block = TextBlock(head, f"Argument {text_preview(name, 60)}")
        if len(head) == len(text):
            return block
        both = QWidget(self)
        column = QVBoxLayout(both)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(block)
        words = f"Show all {number_words(len(text))} characters"
        column.addWidget(
            LinkButton(words, lambda: self._ask(name, text)), 0, Qt.AlignmentFlag.AlignLeft
        )
        return both

    def _result(self, outcome: ToolOutcome | None) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(theme.GRID_PX + 2)
        one_line = outcome is None or outcome.turn is not None or outcome.text is None
        top = Qt.AlignmentFlag.AlignVCenter if one_line else Qt.AlignmentFlag.AlignTop
        arrow = Words("→", colour="failed" if self._failed else "tool", strong=True)
        row.addWidget(arrow, 0, top)
        if outcome is None:
            row.addWidget(Words("no result in this conversation", colour="secondary"), 1)
            return row
        if outcome.failed:
            row.addWidget(Words("✕ failed", colour="failed", strong=True), 0, top)
        if outcome.text is None:
            words = "" if outcome.failed else "ran; its result was not recorded"
            row.addWidget(Words(words, colour="secondary"), 1)
        elif outcome.turn is not None:
            # The whole of it stands below, in a turn of its own.
            turn = outcome.turn
            said = ElidedWords(text_preview(outcome.text, _LONGEST_RESULT))
            said.setFont(theme.monospace())
            row.addWidget(said, 1)
            row.addWidget(LinkButton("Result", lambda: self.turn_requested.emit(turn)), 0, top)
        else:
            row.addWidget(TextBlock(text_preview(outcome.text, _LONGEST_RESULT), "Result"), 1)
        return row

    def _ask(self, title: str, text: str) -> None:
        self.text_requested.emit(text_preview(title, 80), text)
