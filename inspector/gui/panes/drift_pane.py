"""What a replay found to differ: each finding with its span and both of its values."""

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QHBoxLayout, QStackedLayout, QVBoxLayout, QWidget

from inspector.gui import theme
from inspector.gui.tasks.runner import Cancelled
from inspector.gui.widgets.cells_view import CellsView
from inspector.gui.widgets.compared_texts import ComparedTexts
from inspector.gui.widgets.empty_words import EmptyWords
from inspector.gui.widgets.labels import ElidedWords, Words
from inspector.gui.widgets.plain import Hairline, LinkButton, PanelGround
from inspector.gui.widgets.quiet_splitter import QuietSplitter
from inspector.gui.workspace.open_replay import OpenReplay, ReplayFocus, ReplayState
from inspector.presentation.drift_list import (
    DRIFT_TITLES,
    DriftList,
    about_words,
    drift_rows,
    headline_words,
    listed,
    values_of,
)

if TYPE_CHECKING:
    from inspector.presentation.compare_detail import DetailText
    from inspector.runfile.drift import Drift

_LIST_MS = 100
_NOTHING = "Where the replay is not the recording any more, it is listed here with both values."


class DriftPane(QWidget):
    """Lists the drifts of one replay while they are found. Knows one `OpenReplay`."""

    counted = Signal(int)  # how many differences count

    def __init__(self, replay: OpenReplay, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._replay = replay
        self._list = DriftList()
        self._listing_now = False
        self._shown: Drift | None = None
        self._headline = ElidedWords(strong=True)
        self._table = CellsView(DRIFT_TITLES, "What differs", (20, 0.5, 0.49))
        self._table.row_changed.connect(self._on_row)
        self._table.row_chosen.connect(self._on_row)
        self._about = Words(step=-1, colour="secondary", wrap=True)
        self._about.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._nearest = LinkButton("Show the nearest recorded call", self._show_nearest)
        self._texts = ComparedTexts(name="The recorded value, and that of now")
        self._empty = EmptyWords(words=_NOTHING)
        self._listing = QTimer(self)
        self._listing.setSingleShot(True)
        self._listing.setInterval(_LIST_MS)
        self._listing.timeout.connect(self._begin_list)
        self._lay_out()
        self.setFocusProxy(self._table)
        replay.drift_found.connect(lambda _drift: self._list_soon())
        replay.ended.connect(self._begin_list)
        self._headline.setText(headline_words((), ended=False))
        if replay.live is not None:
            self._begin_list()

    @property
    def table(self) -> CellsView:
        return self._table

    @property
    def texts(self) -> ComparedTexts:
        return self._texts

    @property
    def headline(self) -> str:
        return self._headline.text()

    @property
    def about(self) -> str:
        """What is said of the selected drift."""
        return self._about.text()

    @property
    def count(self) -> int:
        """How many differences count."""
        return self._list.counted

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setContentsMargins(theme.GROUP_GAP_PX, theme.GAP_PX, theme.GAP_PX, theme.GAP_PX)
        head.addWidget(self._headline, 1)
        tools = QHBoxLayout()
        tools.setContentsMargins(theme.GROUP_GAP_PX, theme.GRID_PX, theme.GAP_PX, theme.GRID_PX)
        tools.addWidget(self._about, 1)
        tools.addWidget(self._nearest, 0, Qt.AlignmentFlag.AlignTop)
        below = QWidget()
        PanelGround(below)
        inside = QVBoxLayout(below)
        inside.setContentsMargins(0, 0, 0, 0)
        inside.setSpacing(0)
        inside.addLayout(tools)
        inside.addWidget(Hairline())
        inside.addWidget(self._texts, 1)
        parts = QuietSplitter(Qt.Orientation.Vertical)
        parts.addWidget(self._table)
        parts.addWidget(below)
        parts.setSizes([160, 220])
        parts.setStretchFactor(0, 0)
        parts.setStretchFactor(1, 1)
        pages = QWidget()
        self._pages = QStackedLayout(pages)
        self._pages.addWidget(self._empty)
        self._pages.addWidget(parts)
        ground = QWidget()
        PanelGround(ground)
        column = QVBoxLayout(ground)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addWidget(Hairline())
        column.addWidget(pages, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(ground)

    def _list_soon(self) -> None:
        # Not while they are listed: those that come meanwhile are next.
        if not self._listing.isActive() and not self._listing_now:
            self._listing.start()

    def _begin_list(self) -> None:
        """Have what there is by now listed beside the window: there may be thousands."""
        self._listing.stop()
        live = self._replay.live
        ended = self._replay.state is ReplayState.ENDED
        finished = live.finished if live is not None else None
        found = tuple(live.drifts) if live is not None else ()

        def work(_cancelled: Cancelled) -> DriftList:
            return listed(finished, found, ended=ended)

        def done(made: DriftList) -> None:
            self._listing_now = False
            self._show_list(made)
            now = self._replay.live
            if not ended and now is not None and len(now.drifts) > len(found):
                self._list_soon()

        def failed(error: Exception) -> None:
            self._listing_now = False
            raise error

        self._listing_now = True
        self._replay.tasks.start(work, done=done, failed=failed, key=(self, "list"))

    def _show_list(self, made: DriftList) -> None:
        self._list = made
        self._headline.setText(made.headline)
        self.counted.emit(made.counted)
        before = self._shown
        self._table.show_rows(drift_rows(made.drifts))
        self._pages.setCurrentIndex(1 if made.drifts else 0)
        if made.drifts:
            # Graver ones may have come in above the one that is read.
            at = made.drifts.index(before) if before in made.drifts else 0
            self._table.make_current(at)
            self._show(made.drifts[at])

    def _on_row(self, key: int) -> None:
        drift = self._list.drifts[key]
        self._show(drift)
        if not self._go(drift.path):
            self._go(drift.candidate or "")

    def _go(self, path: str) -> bool:
        """Select the span at a path, in the replay or where only the recording has it."""
        live = self._replay.live
        if live is None or not path:
            return False
        span = live.at(path)
        if span is not None:
            self._replay.selection.select(self._replay.focus_of_span(span))
            return True
        row = live.row_at(path)
        if row is None:
            return False
        self._replay.selection.select(ReplayFocus(None, live.recording.table.id(row)))
        return True

    def _show_nearest(self) -> None:
        live, drift = self._replay.live, self._shown
        row = live.row_at(drift.candidate or "") if live is not None and drift else None
        if live is not None and row is not None:
            self._replay.selection.select(ReplayFocus(None, live.recording.table.id(row)))

    def _show(self, drift: "Drift") -> None:
        if drift == self._shown:
            return
        self._shown = drift
        self._about.setText(about_words(drift))
        self._nearest.setVisible(bool(drift.candidate) and drift.candidate != drift.path)
        values = values_of(drift)

        def compare(cancelled: Cancelled) -> "list[DetailText]":
            from inspector.presentation.compare_detail import text_of

            return [text_of(each.title, each.recorded, each.live, cancelled) for each in values]

        self._replay.tasks.start(
            compare, done=self._show_texts, failed=_raise, key=(self, "values")
        )

    def _show_texts(self, texts: "list[DetailText]") -> None:
        self._texts.show_texts(texts, "Recorded  ↔  now" if texts else "")


def _raise(error: Exception) -> None:
    raise error
