"""Everything that is shown of one replay: where it is, what came of it, and what moves it."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QTabWidget, QVBoxLayout, QWidget

from inspector.gui import theme
from inspector.gui.panes.breakpoints_pane import BreakpointsPane
from inspector.gui.panes.drift_pane import DriftPane
from inspector.gui.panes.pause_pane import PausePane
from inspector.gui.panes.replay_arranger import ReplayArranger
from inspector.gui.panes.replay_flash import ReplayFlash
from inspector.gui.panes.replay_span_pane import ReplaySpanPane
from inspector.gui.panes.replay_timeline_pane import ReplayTimelinePane
from inspector.gui.panes.replay_tree_pane import ReplayTreePane
from inspector.gui.panes.replay_turns import ReplayTurns
from inspector.gui.widgets.plain import Hairline
from inspector.gui.widgets.printed_view import PrintedView
from inspector.gui.widgets.quiet_splitter import QuietSplitter
from inspector.gui.widgets.replay_bar import ReplayBar
from inspector.gui.widgets.replay_card import ReplayEndCard
from inspector.gui.widgets.replay_legend import ReplayLegend
from inspector.gui.widgets.status_line import StatusLine
from inspector.gui.workspace.open_replay import OpenReplay, ReplayState
from inspector.presentation.breakpoints import names_in
from inspector.presentation.live_replay import HeldCall
from inspector.presentation.replay_words import (
    count_words,
    ending,
    mode_words,
    pause_words,
)

_TIMELINE_SHARE = 0.4
_TREE_SHARE = 0.5
_STARTING = "Starting: the pipeline is loaded in a process of its own."
_RUNNING = "Replaying against the recorded answers."
_LIVE = "Replaying; what was not recorded runs live."
_SHOWING_HELD = "Held: what the worker has done meanwhile is not shown yet."
_STOPPING = "Stopping. Pressed once more, Stop ends the worker at once."
_NOT_KEPT = "The result is not saved: it goes when this window is closed."
_UNTOUCHED = "It has left no result. The recording is as it was."
_KEYS = "F5 continues, F6 pauses, F10 steps over, F11 into, Shift+F11 out, Shift+F5 stops."


class ReplayWindow(QWidget):
    """The tab of one replay."""

    compare_requested = Signal(object)  # OpenReplay
    open_requested = Signal(object)  # OpenReplay
    save_requested = Signal(object)  # OpenReplay
    again_requested = Signal(object)  # OpenReplay
    span_requested = Signal(object, object)  # OpenReplay, ReplayFocus: show it with its values

    def __init__(self, replay: OpenReplay, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.open_replay = replay
        self._stopping = False
        self._sized = False
        self._flash = ReplayFlash(replay, self)
        self._bar = ReplayBar()
        self._card = ReplayEndCard()
        self._card.hide()
        self._legend = ReplayLegend()
        self._arranger = ReplayArranger(replay, self)
        self._turns = ReplayTurns(lambda: self._arranger.is_busy, self)
        self._timeline = ReplayTimelinePane(replay, self._arranger, self._flash, self._turns)
        self._tree = ReplayTreePane(replay, self._arranger, self._flash, self._turns)
        self._printed = PrintedView()
        self._span = ReplaySpanPane(replay)
        self._tabs = QTabWidget()
        self._tabs.setDocumentMode(True)
        self._tabs.setAccessibleName("About the replay")
        self._tabs.tabBar().setAccessibleName("About the replay")
        self._pause = PausePane(replay)
        names = names_in(replay.request.recording.run)
        self._breakpoints = BreakpointsPane(replay.breakpoints, names)
        self._tabs.addTab(self._pause, "Pause")
        self._drift = DriftPane(replay)
        self._tabs.addTab(self._span, "Span")
        self._tabs.addTab(self._drift, "Drift")
        self._tabs.addTab(self._breakpoints, "Breakpoints")
        self._tabs.addTab(self._printed, "Printed")
        self._status = StatusLine()
        self._lay_out()
        self._connect(replay)
        job = replay.request.job
        words, sentence = mode_words(job)
        live = job.allow_live or str(job.mode) == "record_new"
        self._bar.say_mode(words, sentence, live=live)
        self._bar.show_pace(replay.pace)
        changes = replay.request.changes
        self._status.words.setText("; ".join(changes) if changes else _KEYS)
        self._show()

    # Parts, for whoever puts more beside them

    @property
    def bar(self) -> ReplayBar:
        return self._bar

    @property
    def card(self) -> ReplayEndCard:
        return self._card

    @property
    def arranger(self) -> ReplayArranger:
        return self._arranger

    @property
    def timeline(self) -> ReplayTimelinePane:
        return self._timeline

    @property
    def tree(self) -> ReplayTreePane:
        return self._tree

    @property
    def span_pane(self) -> ReplaySpanPane:
        return self._span

    @property
    def pause_pane(self) -> PausePane:
        return self._pause

    @property
    def drift_pane(self) -> DriftPane:
        return self._drift

    @property
    def breakpoints_pane(self) -> BreakpointsPane:
        return self._breakpoints

    @property
    def printed(self) -> PrintedView:
        return self._printed

    @property
    def tabs(self) -> QTabWidget:
        return self._tabs

    @property
    def flash(self) -> ReplayFlash:
        return self._flash

    @property
    def said(self) -> str:
        """What the line below says."""
        return self._status.words.text()

    def add_tab(self, place: int, widget: QWidget, title: str) -> None:
        """Put another view beside those of span and print."""
        self._tabs.insertTab(place, widget, title)
        self._tabs.setCurrentIndex(0)

    def name_tab(self, widget: QWidget, title: str) -> None:
        """Give a view another title, such as one with a number."""
        self._tabs.setTabText(self._tabs.indexOf(widget), title)

    def show_tab(self, widget: QWidget) -> None:
        """Bring a view to the front."""
        self._tabs.setCurrentWidget(widget)

    def show_pane(self, key: str) -> None:
        """Bring the pane of a key to the front, and put the focus into it."""
        panes = {"pause": self._pause, "breakpoints": self._breakpoints, "drift": self._drift}
        pane = panes.get(key, self._tree)
        if pane is not self._tree:
            self.show_tab(pane)
        pane.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def take_focus(self) -> None:
        """Put the focus where keys do most."""
        self._tree.view.setFocus()

    def say(self, words: str) -> None:
        """Say something at the left of the status line."""
        self._status.words.setText(words)

    def _lay_out(self) -> None:
        top = QWidget()
        legend = QHBoxLayout()
        legend.setContentsMargins(
            theme.GROUP_GAP_PX, theme.GRID_PX, theme.GROUP_GAP_PX, theme.GRID_PX
        )
        legend.addWidget(self._legend, 1)
        column = QVBoxLayout(top)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(legend)
        column.addWidget(self._timeline, 1)
        self._below = QuietSplitter(Qt.Orientation.Horizontal)
        self._below.addWidget(self._tree)
        self._below.addWidget(self._tabs)
        self._body = QuietSplitter(Qt.Orientation.Vertical)
        self._body.addWidget(top)
        self._body.addWidget(self._below)
        self._body.setStretchFactor(0, 0)
        self._body.setStretchFactor(1, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self._bar)
        layout.addWidget(self._card)
        layout.addWidget(Hairline(self))
        layout.addWidget(self._body, 1)
        layout.addWidget(Hairline(self))
        layout.addWidget(self._status)

    def _connect(self, replay: OpenReplay) -> None:
        bar = self._bar
        bar.command_chosen.connect(lambda name: getattr(replay, name)())
        bar.pace_chosen.connect(replay.set_pace)
        bar.compare_requested.connect(lambda: self.compare_requested.emit(replay))
        bar.open_requested.connect(lambda: self.open_requested.emit(replay))
        bar.save_requested.connect(lambda: self.save_requested.emit(replay))
        bar.again_requested.connect(lambda: self.again_requested.emit(replay))
        self._timeline.arranged.connect(self._share_room)
        self._drift.counted.connect(
            lambda count: self.name_tab(self._drift, f"Drift {count}" if count else "Drift")
        )
        self._card.printed_requested.connect(lambda: self.show_tab(self._printed))
        self._tree.open_requested.connect(
            lambda focus: self.span_requested.emit(replay, focus)
        )  # fmt: skip
        replay.state_changed.connect(lambda _state: self._show())
        replay.advanced.connect(lambda _advance: self._turns.want(self._count))
        replay.held_changed.connect(self._show)
        replay.paused.connect(self._on_paused)
        replay.stopping.connect(self._on_stopping)
        replay.printed.connect(self._on_printed)
        replay.refused.connect(self._on_refused)
        replay.pace_changed.connect(bar.show_pace)
        replay.kept_changed.connect(self._show)
        replay.ended.connect(self._on_ended)
        theme.changes.changed.connect(self._show)

    # What happens

    def _show(self) -> None:
        replay = self.open_replay
        state = replay.state
        running = state in (ReplayState.RUNNING, ReplayState.PAUSED)
        ended = state is ReplayState.ENDED
        paused = state is ReplayState.PAUSED
        starting = state is ReplayState.STARTING
        self._bar.allow(
            paused=paused, running=running or starting, stopping=self._stopping and not ended
        )
        self._bar.offer(
            ended=ended, result=replay.run is not None, saved=replay.kept_at is not None
        )
        self._count()
        if ended:
            self._show_ending()
        elif self._stopping:
            self._bar.say("stop", "secondary", _STOPPING)
        elif replay.held:
            self._bar.say("paused", "accent", f"{pause_words(replay.held)}.")
        elif paused:
            self._bar.say("paused", "accent", _SHOWING_HELD)
        elif starting:
            self._bar.say("clock", "secondary", _STARTING)
        else:
            words = _LIVE if replay.request.job.allow_live else _RUNNING
            self._bar.say("running", "live", words)

    def _count(self) -> None:
        table = self.open_replay.table
        if table is not None:
            self._bar.say_counts(count_words(table.counts, table.recorded))

    def _show_ending(self) -> None:
        replay = self.open_replay
        failure = replay.failure
        told = None
        if failure is not None:
            told = {"message": failure.message, "hint": failure.hint}
        verdict = ending(replay.live, told, str(replay.request.job.mode))
        self._bar.say(verdict.icon, verdict.colour, verdict.title)
        if verdict.detail:
            self._card.say(verdict, has_printed=bool(replay.last_words))
            self._card.show()
        if replay.run is not None and replay.kept_at is None:
            self._status.words.setText(_NOT_KEPT)
        elif replay.run is None:
            self._status.words.setText(_UNTOUCHED)
        elif replay.kept_at is not None:
            self._status.words.setText(f"The result is saved as {replay.kept_at}.")

    def _on_paused(self, call: HeldCall) -> None:
        self.show_tab(self._pause)
        replay = self.open_replay
        if replay.arrive(call):
            return
        looked_at = replay.selection.focus.span_id
        # Of several that are held together, the first is looked at, and none is jumped to later.
        if not any(other.span_id == looked_at for other in replay.held):
            replay.selection.select(replay.focus_at(call.span_id))

    def _on_stopping(self) -> None:
        self._stopping = True
        self._show()

    def _on_printed(self, words: str) -> None:
        self._printed.show_text(words)
        self.name_tab(self._printed, "Printed ●" if words else "Printed")

    def _on_refused(self, message: str, hint: str) -> None:
        self._status.words.setText(f"{message} {hint}".strip())

    def _on_ended(self) -> None:
        self._show()
        failure = self.open_replay.failure
        if failure is not None and failure.last_words:
            self._printed.show_text(failure.last_words)
            self.show_tab(self._printed)
        elif self._tabs.currentWidget() is self._pause:
            # Nothing is held any more, so nothing is to be seen there.
            live = self.open_replay.live
            differs = live is not None and any(drift.counts for drift in live.drifts)
            self.show_tab(self._drift if differs else self._span)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if not self._sized:
            self._share_room()

    def _share_room(self) -> None:
        """Give the timeline what its lanes need, as far as that leaves enough for the rest."""
        height = self._body.height()
        needed = self._timeline.canvas.sizeHint().height()
        top = min(needed + self._legend.sizeHint().height() + 2 * theme.GRID_PX,
                  round(height * _TIMELINE_SHARE))  # fmt: skip
        self._body.setSizes([top, height - top])
        left = round(self.width() * _TREE_SHARE)
        self._below.setSizes([left, self.width() - left])
        self._sized = self._timeline.scene is not None and self.isVisible()
