"""One turn of a conversation: who spoke, what was said, what was called."""

from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QEvent, QPoint, QSize, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QEnterEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QMenu, QSizePolicy, QVBoxLayout, QWidget

from inspector.gui import theme
from inspector.gui.widgets.labels import ElidedWords, Icon, Words
from inspector.gui.widgets.plain import QUESTIONS, FileWords, IconButton, LinkButton
from inspector.gui.widgets.text_block import TextBlock
from inspector.gui.widgets.tool_card import ToolCard
from inspector.presentation.previews import text_preview
from inspector.presentation.transcript import (
    CallPart,
    FactPart,
    Part,
    ResultPart,
    TextPart,
    Turn,
)
from inspector.presentation.words import duration_words, number_words, sentence

SHORT = 3_000
SHORT_LINES = 40
UNFOLDED = 30_000
"""Characters that unfold in their place; longer texts open in a viewer."""

_RULE_PX = 3
_NEW_PX = 3
_INDENT_PX = _NEW_PX + _RULE_PX + theme.GAP_PX + theme.GRID_PX

_ROLE_COLOURS = {"user": "component", "assistant": "llm", "tool": "tool"}
_ROLE_WORDS = {
    "system": "System",
    "user": "User",
    "assistant": "Assistant",
    "tool": "Tool result",
}


@dataclass(frozen=True, slots=True)
class TurnLook:
    """How turns are shown at the moment."""

    markdown: bool = False
    unfolded: frozenset[int] = frozenset()  # parts that are shown in full


class TurnWidget(QWidget):
    """Draws a turn with a rule at its left in the colour of the role."""

    span_requested = Signal(str)
    turn_requested = Signal(int)
    text_requested = Signal(str, str)
    unfold_requested = Signal(int)
    copy_requested = Signal()
    field_requested = Signal(str)
    asked = Signal(bool)  # where this came from, or with False who used it
    menu_opened = Signal(object)  # QMenu: others add what they offer for this turn

    def __init__(self, turn: Turn, number: int, total: int, look: TurnLook) -> None:
        super().__init__()
        self._turn = turn
        self.setAccessibleName(
            sentence(
                [
                    f"{role_words(turn.role)}, turn {number + 1} of {total}",
                    "new" if turn.is_new else "",
                    "failed" if turn.failed else "",
                ],
                ", ",
            )
        )
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(_INDENT_PX, theme.GRID_PX, theme.GAP_PX, theme.GRID_PX)
        layout.setSpacing(theme.GRID_PX)
        layout.addLayout(self._head(turn))
        for place, part in enumerate(turn.parts):
            layout.addWidget(self._part(part, place, look))
        if not turn.parts:
            layout.addWidget(Words("(nothing)", colour="secondary"))
        theme.changes.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        return QSize(320, self.heightForWidth(320))

    def enterEvent(self, event: QEnterEvent) -> None:
        for button in self._shy:
            button.come_out(True)
        super().enterEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        for button in self._shy:
            button.come_out(False)
        super().leaveEvent(event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        tokens = theme.current()
        painter = QPainter(self)
        top, height = theme.GRID_PX, self.height() - 2 * theme.GRID_PX
        if self._turn.is_new:
            painter.fillRect(0, top, _NEW_PX, height, tokens.accent)
        colour = getattr(tokens, role_colour(self._turn))
        painter.fillRect(_NEW_PX + 1, top, _RULE_PX, height, colour)
        painter.end()

    def _head(self, turn: Turn) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(theme.GAP_PX)
        if turn.failed:
            row.addWidget(Icon("failed", colour="failed"))
        row.addWidget(Words(role_words(turn.role), step=-1, strong=True, colour=role_colour(turn)))
        tools = dict.fromkeys(part.tool for part in turn.parts if isinstance(part, ResultPart))
        said_by = turn.name or ", ".join(tools)
        if said_by:
            name = FileWords(text_preview(said_by, 80), step=-1)
            name.setSizePolicy(name.sizePolicy().Policy.Maximum, name.sizePolicy().Policy.Fixed)
            row.addWidget(name)
        if turn.is_new:
            row.addWidget(Words("new", step=-1, strong=True, colour="accent"))
        at = f"at {duration_words(turn.at_ns)}" if turn.at_ns is not None else ""
        facts = sentence([at, *turn.facts])
        row.addStretch(1)
        # What only shows near the mouse stands where its gap is not seen.
        self._shy = [
            _ShyButton(icon, words, partial(self.asked.emit, backward))
            for icon, words, backward in QUESTIONS
        ]
        self._shy.append(_ShyButton("copy", "Copy this turn", self.copy_requested.emit))
        self._shy.append(_ShyButton("what-if", "What if this was different?", self._open_menu))
        for button in self._shy:
            row.addWidget(button)
        aside = ElidedWords(facts, step=-1, colour="secondary")
        aside.setFont(theme.monospace(-1))
        row.addWidget(aside)
        return row

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        self._open_menu(event.globalPos())

    def _open_menu(self, at: QPoint | None = None) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for icon, words, backward in QUESTIONS:
            menu.addAction(theme.icon(icon), words, partial(self.asked.emit, backward))
        menu.addAction(theme.icon("copy"), "Copy this turn", self.copy_requested.emit)
        self.menu_opened.emit(menu)
        below = self._shy[-1]
        menu.popup(at if at is not None else below.mapToGlobal(below.rect().bottomLeft()))

    def _part(self, part: Part, place: int, look: TurnLook) -> QWidget:
        match part:
            case TextPart(text, reasoning):
                return self._text(text, place, look, title="Reasoning" if reasoning else "")
            case ResultPart(text=text):
                return self._text(text, place, look)
            case FactPart(kind, words):
                return self._fact(kind, words, place)
            case CallPart():
                card = ToolCard(part)
                card.span_requested.connect(self.span_requested)
                card.turn_requested.connect(self.turn_requested)
                card.text_requested.connect(self.text_requested)
                return card

    def _fact(self, kind: str, words: str, place: int) -> QWidget:
        named = FileWords(f"[{kind} · {words}]", colour="secondary", wrap=True)
        if kind not in ("image", "file"):
            return named
        both = QWidget(self)
        row = QHBoxLayout(both)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(named, 1)
        path = f"{self._turn.path}.content[{place}]"
        said = "Show the picture" if kind == "image" else "Show the file"
        row.addWidget(LinkButton(said, partial(self.field_requested.emit, path)))
        return both

    def _text(self, text: str, place: int, look: TurnLook, *, title: str = "") -> QWidget:
        whole = place in look.unfolded
        shown = text if whole else folded(text)
        block = TextBlock(shown, title or f"{role_words(self._turn.role)} said")
        block.set_markdown(look.markdown)
        if title:
            block.set_colour("secondary")
        if not title and len(shown) == len(text):
            return block
        both = QWidget(self)
        column = QVBoxLayout(both)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        if title:
            column.addWidget(Words(title, step=-1, colour="secondary"))
        column.addWidget(block)
        if len(shown) < len(text):
            words = f"Show all {number_words(len(text))} characters"
            link = LinkButton(words, lambda: self._unfold(place, text))
            column.addWidget(link, 0, Qt.AlignmentFlag.AlignLeft)
        return both

    def _unfold(self, place: int, text: str) -> None:
        if len(text) <= UNFOLDED:
            self.unfold_requested.emit(place)
        else:
            self.text_requested.emit(role_words(self._turn.role), text)


class _ShyButton(IconButton):
    """A button that shows only near the mouse or with the focus; it is there all the same."""

    _out = False

    def come_out(self, out: bool) -> None:
        self._out = out
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._out or self.hasFocus():
            super().paintEvent(event)


def folded(text: str) -> str:
    """Return the beginning of a text, as much as stands in a turn that was not unfolded."""
    head = text[:SHORT]
    lines = head.split("\n")
    if len(lines) > SHORT_LINES:
        head = "\n".join(lines[:SHORT_LINES])
    # Leaving out a line or two saves nobody anything.
    return text if len(text) - len(head) < SHORT // 10 else head


def role_words(role: str) -> str:
    """Return what a role is called on screen."""
    return _ROLE_WORDS.get(role) or text_preview(role, 40).capitalize()


def role_colour(turn: Turn) -> str:
    """Return the token of a turn's rule."""
    return "failed" if turn.failed else _ROLE_COLOURS.get(turn.role, "other")
