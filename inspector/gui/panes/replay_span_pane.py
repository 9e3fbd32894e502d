"""The selected span of a replay: how it stands to the recording, and what differs."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from inspector.gui import theme
from inspector.gui.widgets.empty_words import EmptyWords
from inspector.gui.widgets.facts_view import FactsView
from inspector.gui.widgets.plain import LinkButton, PanelGround
from inspector.gui.workspace.open_replay import OpenReplay, ReplayFocus
from inspector.presentation.replay_span import span_summary

_NOTHING = (
    "Choose a span in the tree or on the timeline: how it stands to the recording is said here."
)


class ReplaySpanPane(QWidget):
    """Shows the facts of one span, and leads to its values."""

    recorded_requested = Signal(object)  # ReplayFocus: show it in the recording
    result_requested = Signal(object)  # ReplayFocus: show it in what the replay has left

    def __init__(self, replay: OpenReplay, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._replay = replay
        self._shown = ReplayFocus()
        self._facts = FactsView(name="About the span")
        self._empty = EmptyWords(words=_NOTHING)
        self._recorded = LinkButton("Show it in the recording", self._ask_for_recorded)
        self._result = LinkButton("Show it in the result", self._ask_for_result)
        links = QHBoxLayout()
        links.setContentsMargins(theme.GAP_PX, 0, theme.GAP_PX, theme.GRID_PX)
        links.addWidget(self._recorded)
        links.addWidget(self._result)
        links.addStretch(1)
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._facts, 1)
        column.addLayout(links)
        PanelGround(page)
        self._pages = QStackedWidget()
        self._pages.addWidget(self._empty)
        self._pages.addWidget(page)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._pages)
        replay.selection.changed.connect(self._show)
        replay.rows_changed.connect(self._on_rows_changed)
        replay.ended.connect(lambda: self._show(replay.selection.focus))
        self._show(replay.selection.focus)

    @property
    def facts(self) -> FactsView:
        return self._facts

    def _show(self, focus: ReplayFocus) -> None:
        row, table = self._replay.row_of(focus), self._replay.table
        if row is None or table is None:
            self._pages.setCurrentIndex(0)
            return
        self._facts.show_summary(span_summary(table, row))
        # What was chosen before it came has become more meanwhile.
        self._shown = self._replay.focus_of(row)
        self._recorded.setVisible(self._shown.recorded_id is not None)
        self._result.setVisible(self._replay.run is not None and self._shown.span_id is not None)
        self._pages.setCurrentIndex(1)

    def _on_rows_changed(self, rows: list[int], _grew: bool) -> None:
        focus = self._replay.selection.focus
        if self._replay.row_of(focus) in rows:
            self._show(focus)

    def _ask_for_recorded(self) -> None:
        self.recorded_requested.emit(self._shown)

    def _ask_for_result(self) -> None:
        self.result_requested.emit(self._shown)
