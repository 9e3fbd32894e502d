"""The tab of Hayhooks servers: what they run, and their executions in one table."""

import time
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QPushButton, QWidget

from inspector.gui import theme
from inspector.gui.models.hayhooks_executions_model import ExecutionsModel
from inspector.gui.models.hayhooks_servers_model import ServerNode
from inspector.gui.panes.served_window import ServedWindow
from inspector.gui.widgets.hayhooks_servers import HayhooksServers
from inspector.gui.widgets.hayhooks_table import ExecutionsTable
from inspector.gui.widgets.served_place import ChoiceField, SearchField, ServedPlace
from inspector.gui.workspace.open_hayhooks import ListFilter, OpenHayhooks
from inspector.hayhooks.client.model import ExecutionStatus
from inspector.presentation.execution_list import ListColumn, count_words
from inspector.presentation.execution_words import status_look
from inspector.presentation.hayhooks_words import (
    MISSING,
    Said,
    empty_words,
    head_words,
    trouble_words,
)
from inspector.presentation.visible import one_line

if TYPE_CHECKING:
    from inspector.presentation.execution_list import Listed

_SERVERS_LETTERS = 40
_TICK_MS = 1_000
_KEYS = "Newest first. Enter opens an execution; Ctrl+F searches."


class HayhooksWindow(ServedWindow):
    """Emits what a person asks for; `OpenHayhooks` says what is known."""

    open_requested = Signal(object)  # Listed
    submit_requested = Signal(object)  # ServerNode

    def __init__(
        self, opened: OpenHayhooks, parent: QWidget | None = None, *, has_hayhooks: bool = True
    ) -> None:
        self._servers = HayhooksServers()
        self._table = ExecutionsTable()
        submit = QPushButton("Submit…")
        submit.setObjectName("submit")
        statuses = [(status_look(each).word.capitalize(), each) for each in ExecutionStatus]
        super().__init__(
            icon="routing",
            act=submit,
            refresh_tip="Ask all servers now (F5)",
            side=(self._servers, _SERVERS_LETTERS),
            place=ServedPlace(
                self._table,
                SearchField("Id, deployment or what it waits for", "Search executions"),
                ChoiceField(
                    "status",
                    "Status of the executions that are shown",
                    [("Any status", None), *statuses],
                ),
            ),
            parent=parent,
        )
        self.open_hayhooks = opened
        self._missing = "" if has_hayhooks else MISSING
        self._servers.say_missing(self._missing)
        self._model = ExecutionsModel(self)
        self._table.setModel(self._model)
        self.say(_KEYS)
        self._clock = QTimer(self)
        self._clock.setInterval(_TICK_MS)
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
    def picked(self) -> "Listed | None":
        """The execution whose row is chosen."""
        return self._model.listed(self._table.currentIndex())

    def _connect(self, opened: OpenHayhooks) -> None:
        opened.changed.connect(self._show_servers)
        opened.rows_changed.connect(self._show_rows)
        self._servers.chosen.connect(self._on_chosen)
        self._servers.add_requested.connect(self.add_requested)
        self._servers.edit_requested.connect(self.edit_requested)
        self._servers.remove_requested.connect(self.remove_requested)
        self._servers.submit_requested.connect(self.submit_requested)
        self._servers.refresh_requested.connect(self.refresh_requested)
        self._trouble.pressed.connect(self._on_trouble)
        self._table.opened.connect(self.open_requested)
        self._place.narrowed.connect(self._narrow)
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
        self._place.search.rest()
        node = self._servers.current
        self.open_hayhooks.narrow(
            ListFilter(
                node.server, node.deployment, self._place.chosen,
                self._place.search.text().strip(),
            )
        )  # fmt: skip

    def _widen(self) -> None:
        self._place.widen()
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

    def _on_act(self) -> None:
        self.submit_requested.emit(self._servers.current)

    def _show_servers(self) -> None:
        opened = self.open_hayhooks
        now = time.time_ns()
        self._servers.show_views(opened.views)
        self._head.setText(head_words(opened.views, opened.waiting))
        trouble = trouble_words(opened.views, now) or self._unlisted()
        self._show_trouble(opened.problem, trouble)
        self._act.setEnabled(any(view.deployments for view in opened.views))
        self._show_freshness(opened.views, now)
        self._show_empty()

    def _unlisted(self) -> Said | None:
        """Return why there is nothing of the deployment that is looked at, if so."""
        node = self._servers.current
        view = self.open_hayhooks.view_of(node.server)
        words = dict(view.unlisted).get(node.deployment, "") if view is not None else ""
        if not words:
            return None
        title = f"{one_line(node.deployment)} does not list its executions to us."
        return Said(title, one_line(words), "Token…")

    def _show_rows(self) -> None:
        opened = self.open_hayhooks
        current = self.picked
        self._place.keep_row(
            lambda: self._model.show(opened.rows),
            lambda: self._model.index_of(current.key if current is not None else ("", "", "")),
        )
        narrowed = opened.filter != ListFilter()
        more = (
            f", the newest {len(opened.rows)} shown" if len(opened.rows) < opened.matching else ""
        )
        self._place.say_count(
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
        more = f"\n\n{self._missing}" if self._missing and not opened.views else ""
        comes = bool(opened.views) and self._servers.isHidden()
        self._say_empty(
            said._replace(words=said.words + more),
            has_servers=bool(opened.views), has_rows=bool(opened.rows),
        )  # fmt: skip
        if comes and self.isVisible():
            self.take_focus()  # what had it may just have gone
