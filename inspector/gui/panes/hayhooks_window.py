"""The tab of Hayhooks servers: what they run, and their executions in one table."""

import time
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QStackedLayout,
    QVBoxLayout,
    QWidget,
)

from inspector.gui import theme
from inspector.gui.models.hayhooks_executions_model import ExecutionsModel
from inspector.gui.models.hayhooks_servers_model import ServerNode
from inspector.gui.widgets.hayhooks_cards import EmptyState, NoteCard
from inspector.gui.widgets.hayhooks_servers import HayhooksServers
from inspector.gui.widgets.hayhooks_table import ExecutionsTable
from inspector.gui.widgets.labels import ElidedWords, Icon, Words
from inspector.gui.widgets.plain import Hairline, IconButton, PanelGround
from inspector.gui.widgets.quiet_splitter import QuietSplitter
from inspector.gui.widgets.status_line import StatusLine
from inspector.gui.workspace.open_hayhooks import ListFilter, OpenHayhooks
from inspector.hayhooks.client.model import ExecutionStatus
from inspector.presentation.execution_list import ListColumn, count_words
from inspector.presentation.execution_words import status_look, when_words
from inspector.presentation.hayhooks_words import MISSING, empty_words, head_words, trouble_words
from inspector.presentation.visible import one_line

if TYPE_CHECKING:
    from inspector.presentation.execution_list import Listed

_SERVERS_LETTERS = 40
_SEARCH_MS = 200
_TICK_MS = 1_000
_KEYS = "Newest first. Enter opens an execution; Ctrl+F searches."


class HayhooksWindow(QWidget):
    """Emits what a person asks for; `OpenHayhooks` says what is known."""

    open_requested = Signal(object)  # Listed
    submit_requested = Signal(object)  # ServerNode
    add_requested = Signal()
    edit_requested = Signal(str)  # name of a server
    remove_requested = Signal(str)
    refresh_requested = Signal(str)  # name of a server; empty for all

    def __init__(
        self, opened: OpenHayhooks, parent: QWidget | None = None, *, has_hayhooks: bool = True
    ) -> None:
        super().__init__(parent)
        self.open_hayhooks = opened
        self._icon = Icon("routing", colour="accent", size_px=18)
        self._head = ElidedWords("", step=1, strong=True, sentence=True)
        self._head.setObjectName("head")
        self._submit = QPushButton("Submit…")
        self._submit.setObjectName("submit")
        self._refresh = IconButton("reload", "Ask all servers now (F5)", colour="text")
        self._refresh.setObjectName("refresh")
        self._trouble = NoteCard("changed", "stale")
        self._trouble.setObjectName("trouble")
        self._servers = HayhooksServers()
        self._missing = "" if has_hayhooks else MISSING
        self._servers.say_missing(self._missing)
        self._search = QLineEdit()
        self._search.setObjectName("search")
        self._search.setPlaceholderText("Id, deployment or what it waits for")
        self._search.setAccessibleName("Search executions")
        self._search.setClearButtonEnabled(True)
        self._search.setMaxLength(200)
        self._statuses = QComboBox()
        self._statuses.setObjectName("status")
        self._statuses.setAccessibleName("Status of the executions that are shown")
        self._statuses.addItem("Any status", None)
        for status in ExecutionStatus:
            self._statuses.addItem(status_look(status).word.capitalize(), status)
        self._count = Words("", step=-1, colour="secondary")
        self._count.setObjectName("count")
        self._model = ExecutionsModel(self)
        self._table = ExecutionsTable()
        self._table.setModel(self._model)
        self._empty = EmptyState()
        self._status = StatusLine()
        self._status.words.setText(_KEYS)
        self._waiting = QTimer(self)  # until somebody has stopped typing
        self._waiting.setSingleShot(True)
        self._waiting.setInterval(_SEARCH_MS)
        self._clock = QTimer(self)
        self._clock.setInterval(_TICK_MS)
        self._lay_out()
        self._connect(opened)
        self._show_servers()
        self._show_rows()

    @property
    def table(self) -> ExecutionsTable:
        return self._table

    @property
    def model(self) -> ExecutionsModel:
        return self._model

    @property
    def servers(self) -> HayhooksServers:
        return self._servers

    @property
    def trouble(self) -> NoteCard:
        return self._trouble

    @property
    def empty(self) -> EmptyState | None:
        """What is said in place of the table; None while that is shown."""
        return self._empty if self._pages.currentIndex() == 1 else None

    @property
    def freshness(self) -> str:
        """What is said about how old this is."""
        return self._status.freshness.text

    @property
    def picked(self) -> "Listed | None":
        """The execution whose row is chosen."""
        return self._model.listed(self._table.currentIndex())

    def take_focus(self) -> None:
        """Put the focus where keys do most."""
        if not self.open_hayhooks.views:
            self._empty.setFocus()
        else:
            (self._table if self._model.rows else self._servers).setFocus()

    def say(self, words: str) -> None:
        """Say something at the left of the status line."""
        self._status.words.setText(words)

    def begin_search(self) -> None:
        """Put the caret into the search."""
        self._search.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self._search.selectAll()

    def _lay_out(self) -> None:
        gap = theme.GAP_PX
        head = QHBoxLayout()
        head.setContentsMargins(theme.GROUP_GAP_PX, gap, gap, gap)
        head.setSpacing(gap)
        head.addWidget(self._icon)
        head.addWidget(self._head, 1)
        head.addWidget(self._submit)
        head.addWidget(self._refresh)
        self._narrow_row = QWidget()
        narrow = QHBoxLayout(self._narrow_row)
        narrow.setContentsMargins(gap, theme.GRID_PX, gap, theme.GRID_PX)
        narrow.setSpacing(gap)
        narrow.addWidget(self._search, 1)
        narrow.addWidget(self._statuses)
        narrow.addSpacing(gap)
        narrow.addWidget(self._count)
        place = QWidget()
        self._pages = QStackedLayout(place)
        self._pages.setContentsMargins(0, 0, 0, 0)
        self._pages.addWidget(self._table)
        self._pages.addWidget(self._empty)
        right = QWidget()
        PanelGround(right)
        column = QVBoxLayout(right)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._narrow_row)
        column.addWidget(Hairline())
        column.addWidget(place, 1)
        self._body = QuietSplitter(Qt.Orientation.Horizontal)
        self._body.addWidget(self._servers)
        self._body.addWidget(right)
        self._body.setStretchFactor(0, 0)
        self._body.setStretchFactor(1, 1)
        wide = self.fontMetrics().averageCharWidth() * _SERVERS_LETTERS
        self._body.setSizes([wide, 4 * wide])
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(head)
        layout.addWidget(self._trouble)
        layout.addWidget(Hairline())
        layout.addWidget(self._body, 1)
        layout.addWidget(Hairline())
        layout.addWidget(self._status)

    def _connect(self, opened: OpenHayhooks) -> None:
        opened.servers_changed.connect(self._show_servers)
        opened.rows_changed.connect(self._show_rows)
        opened.problem_changed.connect(self._show_servers)
        self._servers.chosen.connect(self._on_chosen)
        self._servers.add_requested.connect(self.add_requested)
        self._servers.edit_requested.connect(self.edit_requested)
        self._servers.remove_requested.connect(self.remove_requested)
        self._servers.submit_requested.connect(self.submit_requested)
        self._servers.refresh_requested.connect(self.refresh_requested)
        self._submit.clicked.connect(lambda: self.submit_requested.emit(self._servers.current))
        self._refresh.clicked.connect(lambda: self.refresh_requested.emit(""))
        self._trouble.pressed.connect(self._on_trouble)
        self._empty.pressed.connect(self._on_empty)
        self._table.opened.connect(self.open_requested)
        self._search.textEdited.connect(lambda _text: self._waiting.start())
        self._search.returnPressed.connect(self._narrow)
        self._statuses.activated.connect(lambda _place: self._narrow())
        self._waiting.timeout.connect(self._narrow)
        self._clock.timeout.connect(self._model.tick)
        theme.changes.changed.connect(self._show_servers)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._clock.start()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._clock.stop()

    # What happens

    def _on_chosen(self, node: ServerNode) -> None:
        self._narrow()
        self._show_servers()
        hidden = {ListColumn.SERVER} if node.server else set()
        if node.deployment:
            hidden.add(ListColumn.DEPLOYMENT)
        self._table.hide_columns(*hidden)

    def _narrow(self) -> None:
        self._waiting.stop()
        node = self._servers.current
        self.open_hayhooks.narrow(
            ListFilter(
                node.server, node.deployment, self._statuses.currentData(),
                self._search.text().strip(),
            )
        )  # fmt: skip

    def _widen(self) -> None:
        self._search.clear()
        self._statuses.setCurrentIndex(0)
        self._servers.choose(ServerNode())
        self._narrow()

    def _on_trouble(self) -> None:
        opened = self.open_hayhooks
        ill = [view for view in opened.views if view.is_stale]
        if not ill:
            self.edit_requested.emit(self._servers.current.server)
            return
        view = next((each for each in ill if each.state == "down"), ill[0])
        if self._trouble.button.text() == "Token…":
            self.edit_requested.emit(view.server.name)
        else:
            self.refresh_requested.emit("")

    def _on_empty(self) -> None:
        match self._empty_action:
            case "Add a server…":
                self.add_requested.emit()
            case "Show all":
                self._widen()
            case "Try again":
                self.refresh_requested.emit("")
            case "Submit…":
                self.submit_requested.emit(self._servers.current)

    def _show_servers(self) -> None:
        opened = self.open_hayhooks
        now = time.time_ns()
        self._servers.show_views(opened.views)
        self._head.setText(head_words(opened.views, opened.waiting))
        trouble = trouble_words(opened.views, now)
        if opened.problem:
            self._trouble.say("The list cannot be kept.", opened.problem, action="Try again")
        elif trouble is None:
            self._say_unlisted()
        else:
            self._trouble.say(trouble.title, trouble.words, action=trouble.action)
        self._submit.setEnabled(any(view.deployments for view in opened.views))
        self._show_freshness(now)
        self._show_empty()

    def _say_unlisted(self) -> None:
        """Say why there is nothing of the deployment that is looked at, if so."""
        node = self._servers.current
        view = self.open_hayhooks.view_of(node.server)
        words = dict(view.unlisted).get(node.deployment, "") if view is not None else ""
        if not words:
            self._trouble.say("")
            return
        title = f"{one_line(node.deployment)} does not list its executions to us."
        self._trouble.say(title, one_line(words), action="Token…")

    def _show_freshness(self, now_ns: int) -> None:
        views, badge = self.open_hayhooks.views, self._status.freshness
        if not views:
            badge.hide()
            return
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

    def _show_rows(self) -> None:
        opened = self.open_hayhooks
        current = self._model.listed(self._table.currentIndex())
        scrolled = self._table.verticalScrollBar().value()
        self._model.show(opened.rows)
        if current is not None and not self._table.currentIndex().isValid():
            index = self._model.index_of(current.key)
            if index.isValid():
                self._table.setCurrentIndex(index)
                self._table.verticalScrollBar().setValue(scrolled)
        narrowed = opened.filter != ListFilter()
        more = (
            f", the newest {len(opened.rows)} shown" if len(opened.rows) < opened.matching else ""
        )
        self._count.setText(
            count_words(opened.matching, opened.total, is_filtered=narrowed) + more
            if opened.views and opened.is_loaded and (opened.total or not self._is_asking)
            else ""
        )
        self._head.setText(head_words(opened.views, opened.waiting))
        self._show_empty()

    @property
    def _is_asking(self) -> bool:
        return any(view.state == "asking" for view in self.open_hayhooks.views)

    def _show_empty(self) -> None:
        opened = self.open_hayhooks
        said = empty_words(
            opened.views, total=opened.total, is_filtered=opened.filter != ListFilter(),
            is_loaded=opened.is_loaded,
        )  # fmt: skip
        self._empty_action = said.action
        more = f"\n\n{self._missing}" if self._missing and not opened.views else ""
        self._empty.say(said.title, said.words + more, said.action)
        comes = bool(opened.views) and self._servers.isHidden()
        # Without a server there is nothing to choose from, and nothing to search.
        for widget in (self._servers, self._narrow_row, self._submit, self._refresh):
            widget.setVisible(bool(opened.views))
        self._pages.setCurrentIndex(0 if opened.rows else 1)
        if comes and self.isVisible():
            self.take_focus()  # what had it may just have gone
