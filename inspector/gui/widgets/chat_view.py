"""A conversation as a column of turns."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QHBoxLayout,
    QStackedLayout,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from inspector.gui import theme
from inspector.gui.tasks.runner import TaskRunner
from inspector.gui.widgets.labels import ElidedWords
from inspector.gui.widgets.plain import Hairline, IconButton, LinkButton
from inspector.gui.widgets.text_viewer import TextViewer
from inspector.gui.widgets.turn_column import TurnColumn
from inspector.presentation.transcript import EMPTY, Transcript, transcript_text
from inspector.presentation.words import number_words, plural, sentence


class ChatView(QWidget):
    """Turns with a line above that says how many, and what is new; long texts in a viewer."""

    span_requested = Signal(str)
    field_requested = Signal(str)  # the path of a picture or a file
    asked = Signal(str, bool)  # the path of a turn: where it came from, or who used it
    menu_opened = Signal(object, str)  # QMenu and path of a turn: others add what they offer

    def __init__(self, tasks: TaskRunner, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._transcript: Transcript = EMPTY
        self._column = TurnColumn(self)
        self._column.span_requested.connect(self.span_requested)
        self._column.text_requested.connect(self._show_whole)
        self._column.asked.connect(self.asked)
        self._column.menu_opened.connect(self.menu_opened)
        self._column.field_requested.connect(self.field_requested)
        self._viewer = TextViewer(tasks, self, name="A whole message")
        self._viewer.escape_pressed.connect(self._back)

        self._stack = QStackedLayout()
        self._stack.addWidget(self._make_chat())
        self._stack.addWidget(self._make_whole())
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addLayout(self._stack)
        self.setFocusProxy(self._column)

    def show_transcript(self, shown: Transcript) -> None:
        """Show a conversation."""
        if shown == self._transcript:
            return
        self._transcript = shown
        self._stack.setCurrentIndex(0)
        self._words.setText(_summary(shown))
        fresh = shown.first_new if shown.compared_with else None
        self._to_new.setVisible(fresh is not None)
        self._column.show_transcript(shown)

    def show_turn_at(self, path: str) -> bool:
        """Bring the turn that stands at a path into sight; `False` when there is none."""
        for number, turn in enumerate(self._transcript.turns):
            if path.startswith(turn.path):
                self._column.show_turn(number)
                return True
        return False

    @property
    def current_path(self) -> str:
        """The path of the turn that is read: the first one that stands in sight from its top."""
        return self._column.path_in_sight

    def _make_chat(self) -> QWidget:
        page = QWidget(self)
        self._words = ElidedWords(step=-1, colour="secondary")
        self._to_new = LinkButton("First new", self._show_first_new)
        self._markdown = QToolButton(page)
        self._markdown.setText("Markdown")
        self._markdown.setAutoRaise(True)
        self._markdown.setCheckable(True)
        self._markdown.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._markdown.setToolTip("Lay messages out as Markdown, without HTML and pictures")
        self._markdown.setAccessibleName("Lay messages out as Markdown")
        self._markdown.toggled.connect(self._column.set_markdown)
        copy = IconButton("copy", "Copy the whole conversation", self._copy)

        row = QHBoxLayout()
        row.setContentsMargins(theme.GAP_PX, 0, theme.GRID_PX, 0)
        row.setSpacing(theme.GRID_PX)
        row.addWidget(self._words, 1)
        row.addWidget(self._to_new)
        row.addWidget(self._markdown)
        row.addWidget(copy)
        layout = QVBoxLayout(page)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(row)
        layout.addWidget(Hairline(page))
        layout.addWidget(self._column, 1)
        return page

    def _make_whole(self) -> QWidget:
        page = QWidget(self)
        layout = QVBoxLayout(page)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        back = LinkButton("← Back to the conversation", self._back)
        layout.addWidget(back, 0, Qt.AlignmentFlag.AlignLeft)
        layout.addWidget(Hairline(page))
        layout.addWidget(self._viewer, 1)
        return page

    def _show_whole(self, title: str, text: str) -> None:
        self._viewer.show_text(text, title=title)
        self._stack.setCurrentIndex(1)
        self._viewer.set_focus_on_text()

    def _back(self) -> None:
        self._stack.setCurrentIndex(0)
        self._column.setFocus(Qt.FocusReason.OtherFocusReason)

    def _show_first_new(self) -> None:
        first = self._transcript.first_new
        if first is not None:
            self._column.show_turn(first)

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(transcript_text(self._transcript))


def _summary(shown: Transcript) -> str:
    new = sum(turn.is_new for turn in shown.turns)
    since = f"{number_words(new)} new since {shown.compared_with}" if shown.compared_with else ""
    dropped = f"{plural(shown.dropped, 'turn')} of it no longer sent" if shown.dropped else ""
    return sentence([plural(len(shown.turns), "turn"), since, dropped])
