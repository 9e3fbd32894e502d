"""The tab of one piece of work of a server: how it stands, what it says, asks and leaves."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from PySide6.QtCore import Qt, Signal, SignalInstance
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QTabWidget, QTreeView, QVBoxLayout, QWidget

from inspector.errors import InspectorError
from inspector.gui import theme
from inspector.gui.models.hayhooks_events_model import EventColumn, EventsModel
from inspector.gui.panes.served_answer_pane import ServedAnswerPane
from inspector.gui.widgets.hayhooks_cards import NoteCard
from inspector.gui.widgets.hayhooks_head import HayhooksHead
from inspector.gui.widgets.plain import Hairline
from inspector.gui.widgets.quiet_splitter import QuietSplitter
from inspector.gui.widgets.served_events import ServedEvents
from inspector.gui.widgets.served_text import ServedText
from inspector.gui.widgets.status_line import StatusLine
from inspector.presentation.execution_words import Look
from inspector.presentation.visible import one_line


class Work(Protocol):
    """What is open, such as an `OpenExecution`."""

    @property
    def changed(self) -> SignalInstance: ...
    @property
    def asked(self) -> SignalInstance: ...
    @property
    def answered(self) -> SignalInstance: ...
    @property
    def refused(self) -> SignalInstance: ...

    def hurry(self) -> None:
        """Ask the server now."""


class ServedWorkWindow(QWidget):
    """Lays the tab out, and says how what a person asks for is taken.

    Args:
        opened: What is open.
        names: What runs, and which.
        said: What it says, at the left.
        answer: Answers what it asks for: the first tab at the right, and its title.
        result: What it leaves: the second tab, and its title.
        events: The third tab: its title, its name, and the columns with their widths in letters.
        about: Names the tabs.
        taken: What is said when the server took something, by what was asked.
        over: What stands over all this.

    """

    cancel_requested = Signal(object)  # what is open
    run_requested = Signal(object)

    def __init__(
        self,
        opened: Work,
        names: tuple[str, str],
        *,
        said: ServedText,
        answer: tuple[ServedAnswerPane, str],
        result: tuple[QWidget, str],
        events: tuple[str, str, Mapping[EventColumn, int]],
        about: str,
        taken: Mapping[str, str],
        over: Sequence[QWidget] = (),
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        name, self._id = names
        self._head = HayhooksHead(one_line(name), one_line(self._id))
        self._trouble = NoteCard("changed", "stale")
        self._trouble.setObjectName("trouble")
        self._left = said
        self._asks, answer_title = answer
        left, result_title = result
        self._taken = dict(taken)
        self._events_model = EventsModel(self)
        self._events = ServedEvents(self._events_model, events[1], events[2])
        self._tabs = QTabWidget()
        self._tabs.setDocumentMode(True)
        self._tabs.setAccessibleName(about)
        self._tabs.tabBar().setAccessibleName(about)
        self._tabs.addTab(self._asks, answer_title)
        self._tabs.addTab(left, result_title)
        self._tabs.addTab(self._events, events[0])
        self._titles = (answer_title, result_title, events[0])
        self._status = StatusLine()
        body = QuietSplitter(Qt.Orientation.Horizontal)
        body.addWidget(said)
        body.addWidget(self._tabs)
        body.setStretchFactor(0, 1)
        body.setStretchFactor(1, 1)
        body.setSizes([600, 600])
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self._head)
        layout.addWidget(self._trouble)
        layout.addWidget(Hairline())
        for widget in over:
            layout.addWidget(widget)
            layout.addWidget(Hairline())
        layout.addWidget(body, 1)
        layout.addWidget(Hairline())
        layout.addWidget(self._status)
        self._tabs.setCurrentWidget(left)
        self._head.cancel_requested.connect(lambda: self.cancel_requested.emit(opened))
        self._head.run_requested.connect(lambda: self.run_requested.emit(opened))
        self._head.copy_requested.connect(self._copy_id)
        self._trouble.pressed.connect(opened.hurry)
        opened.changed.connect(self._show)
        opened.asked.connect(self._on_asked)
        opened.answered.connect(self._on_answered)
        opened.refused.connect(self._on_refused)
        theme.changes.changed.connect(self._show)

    @property
    def head(self) -> HayhooksHead:
        return self._head

    @property
    def trouble(self) -> NoteCard:
        return self._trouble

    @property
    def events(self) -> QTreeView:
        return self._events

    @property
    def tabs(self) -> QTabWidget:
        return self._tabs

    @property
    def is_asking(self) -> bool:
        """Whether it asks a person for something."""
        return self._asks.is_asking

    @property
    def said(self) -> str:
        """What the line below says."""
        return self._status.words.text()

    def take_focus(self) -> None:
        """Put the focus where keys do most."""
        if self._asks.is_asking:
            self._asks.take_focus()
        else:
            # An empty place takes no focus, and keys would go to the toolbar.
            (self._left if self._left.text else self._tabs).setFocus()

    def say(self, words: str) -> None:
        """Say something at the left of the status line."""
        self._status.words.setText(words)

    def ask_for_answer(self) -> None:
        """Bring the form to the front that answers what it asks for."""
        self._tabs.setCurrentWidget(self._asks)
        self._asks.take_focus()

    # What a tab has of its own

    def _show(self) -> None:
        """Show how it stands now."""

    # What happens

    def _copy_id(self) -> None:
        QGuiApplication.clipboard().setText(self._id)
        self.say("The id is copied.")

    def _on_asked(self, what: str) -> None:
        if what != "cancel":
            self._asks.show_asking(busy=True)
        self._show()

    def _on_answered(self, what: str) -> None:
        self.say(self._taken.get(what, ""))
        if what != "cancel":
            self._asks.show_asking(busy=False)

    def _on_refused(self, what: str, error: InspectorError) -> None:
        if what != "cancel":
            self._asks.show_refusal(error)
            self._tabs.setCurrentWidget(self._asks)
        self.say(one_line(f"{error} {error.hint}"))

    # What is shown

    def _mark_asking(self) -> None:
        title = self._titles[0]
        self._tabs.setTabText(0, f"{title} ●" if self._asks.is_asking else title)

    def _show_nothing_known(self, look: Look, words: str) -> None:
        self._head.say(look, "Asking…", words)
        self._head.offer(cancel=False, run=False, fork=False, pending=False)
