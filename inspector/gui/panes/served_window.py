"""The tab of servers of any kind: who they are at the left, a table of theirs at the right."""

from collections.abc import Sequence
from typing import Protocol

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from inspector.gui import theme
from inspector.gui.widgets.hayhooks_cards import EmptyState, NoteCard
from inspector.gui.widgets.labels import ElidedWords, Icon
from inspector.gui.widgets.plain import Hairline, IconButton, PanelGround
from inspector.gui.widgets.quiet_splitter import QuietSplitter
from inspector.gui.widgets.served_place import ServedPlace
from inspector.gui.widgets.status_line import StatusLine
from inspector.presentation.execution_words import when_words
from inspector.presentation.hayhooks_words import Said


class Aged(Protocol):
    """What is known of a server, as far as its age is concerned."""

    @property
    def is_stale(self) -> bool: ...
    @property
    def answered_at_ns(self) -> int: ...


class ServedWindow(QWidget):
    """Lays the tab out, and says what is wrong, how old it is and why there is nothing.

    Args:
        icon: Of the tab.
        act: The button for what one does here most.
        refresh_tip: What the button beside it does.
        side: Who the servers are, and how many letters wide that is.
        place: The table.
        above: What stands over the table.

    """

    add_requested = Signal()
    edit_requested = Signal(str)  # name of a server
    remove_requested = Signal(str)
    refresh_requested = Signal(str)  # name of a server; empty for all

    def __init__(
        self,
        *,
        icon: str,
        act: QPushButton,
        refresh_tip: str,
        side: tuple[QWidget, int],
        place: ServedPlace,
        above: Sequence[QWidget] = (),
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._head = ElidedWords("", step=1, strong=True, sentence=True)
        self._head.setObjectName("head")
        self._act = act
        self._refresh = IconButton("reload", refresh_tip, colour="text")
        self._refresh.setObjectName("refresh")
        self._trouble = NoteCard("changed", "stale")
        self._trouble.setObjectName("trouble")
        self._side, letters = side
        self._place = place
        self._empty_action = ""
        self._status = StatusLine()
        gap = theme.GAP_PX
        head = QHBoxLayout()
        head.setContentsMargins(theme.GROUP_GAP_PX, gap, gap, gap)
        head.setSpacing(gap)
        head.addWidget(Icon(icon, colour="accent", size_px=18))
        head.addWidget(self._head, 1)
        head.addWidget(act)
        head.addWidget(self._refresh)
        right = QWidget()
        PanelGround(right)
        column = QVBoxLayout(right)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        for widget in above:
            column.addWidget(widget)
        column.addWidget(place, 1)
        body = QuietSplitter(Qt.Orientation.Horizontal)
        body.addWidget(self._side)
        body.addWidget(right)
        body.setStretchFactor(0, 0)
        body.setStretchFactor(1, 1)
        wide = self.fontMetrics().averageCharWidth() * letters
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
        act.clicked.connect(self._on_act)
        self._refresh.clicked.connect(lambda: self.refresh_requested.emit(""))
        self._place.empty.pressed.connect(self._on_empty)

    @property
    def trouble(self) -> NoteCard:
        return self._trouble

    @property
    def empty(self) -> EmptyState | None:
        """What is said in place of the table; None while that is shown."""
        return self._place.empty if self._place.is_empty else None

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
        if self._side.isHidden():
            self._place.empty.setFocus()
        else:
            (self._side if self._place.is_empty else self._place.table).setFocus()

    def say(self, words: str) -> None:
        """Say something at the left of the status line."""
        self._status.words.setText(words)

    def begin_search(self) -> None:
        """Put the caret into the search."""
        self._place.search.begin()

    # What a tab has of its own

    def _on_act(self) -> None:
        """Ask for what one does here most."""

    def _widen(self) -> None:
        """Show all rows."""

    # What is shown

    def _on_empty(self) -> None:
        match self._empty_action:
            case "Show all":
                self._widen()
            case "Try again":
                self.refresh_requested.emit("")
            case action if action == self._act.text():
                self._on_act()
            case action if action:
                self.add_requested.emit()

    def _show_trouble(self, problem: str, trouble: Said | None) -> None:
        if problem:
            self._trouble.say("The list cannot be kept.", problem, action="Try again")
        elif trouble is None:
            self._trouble.say("")
        else:
            self._trouble.say(trouble.title, trouble.words, action=trouble.action)

    def _say_empty(self, said: Said, *, has_servers: bool, has_rows: bool) -> None:
        self._empty_action = said.action
        self._place.empty.say(said.title, said.words, said.action)
        # Without a server there is nothing to choose from, and nothing to search.
        for widget in (self._side, self._act, self._refresh):
            widget.setVisible(has_servers)
        self._place.offer(narrowing=has_servers, has_rows=has_rows)

    def _show_freshness(self, views: Sequence[Aged], now_ns: int) -> None:
        badge = self._status.freshness
        stale = [view for view in views if view.is_stale]
        answered = max((view.answered_at_ns for view in views), default=0)
        if stale:
            oldest = min(view.answered_at_ns for view in stale)
            since = f" since {when_words(oldest, now_ns)}" if oldest else ""
            part = f" {len(stale)} of {len(views)}" if len(views) > 1 else ""
            badge.say(
                "stale", f"STALE{part}{since}", colour="changed", tip="Kept here, not asked anew"
            )
        elif answered:
            badge.say("live", f"LIVE {when_words(answered, now_ns)}", colour="live")
        else:
            badge.hide()
