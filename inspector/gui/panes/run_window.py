"""Everything that is shown of one open run: the verdict, its panes, the status line."""

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, Qt, QTimer, Signal
from PySide6.QtGui import QFontMetrics, QHideEvent
from PySide6.QtWidgets import QStyle, QVBoxLayout, QWidget

from inspector.gui import theme
from inspector.gui.panes.innermost import ClosesInnermost
from inspector.gui.panes.pane_table import PANES
from inspector.gui.panes.tree_pane import TreePane
from inspector.gui.tasks.runner import Cancelled
from inspector.gui.widgets.cards import Banner
from inspector.gui.widgets.dock import DockHost
from inspector.gui.widgets.late_place import LatePlace, first_focusable
from inspector.gui.widgets.status_line import StatusLine, integrity_look
from inspector.gui.widgets.verdict_line import VerdictLine
from inspector.gui.workspace.open_run import Freshness, OpenRun
from inspector.presentation.run_tree import RunTree
from inspector.presentation.shown import redaction_words, shown_words
from inspector.presentation.verdict import (
    Verdict,
    is_quick,
    verdict,
    with_estimate,
    with_findings,
)
from inspector.presentation.words import plural, sentence

if TYPE_CHECKING:
    from PySide6.QtGui import QPixmap

    from inspector.gui.panes.graph_pane import GraphPane
    from inspector.gui.panes.search_place import SearchPlace
    from inspector.gui.panes.span_pane import SpanPane
    from inspector.gui.widgets.timeline_canvas import TimelineCanvas
    from inspector.runfile.model import PipelineRun

_LAYOUT_VERSION = 4  # with what if and breakpoints
_SIZES_ARE_OURS, _SIZES_ARE_CHOSEN = b"ours ", b"moved"
_FIGURES_AFTER_MS = 150
_NEXT_PANE_AFTER_MS = 12  # Qt paints up to 5 ms after it was asked to
_PANE_OF_FACT = {"problems": "info", "findings": "findings", "cost": "cost"}
_TREE_LETTERS = 90  # and no wider: the rest is for what is read
_FIRST_TIMELINE_PX = 190  # until it is known how many lanes there are
_FRESHNESS_LOOKS = {
    Freshness.LIVE: ("live", "Live", "live", "The run is still being recorded and is followed."),
    Freshness.STALE: (
        "stale", "Stale", "changed", "The file changed or went away after it was read.",
    ),
    Freshness.READ_ONLY: (
        "read-only", "Read-only", "secondary", "Nothing is ever written into an opened file.",
    ),
}  # fmt: skip


class RunWindow(QWidget):
    """Docks the panes of one open run.

    The tree is there at once. The others follow, each in a turn of the loop of its
    own and when it is seen: of what is in sight, the quickest is painted first.
    """

    reload_requested = Signal(object)  # OpenRun
    failure_requested = Signal()

    def __init__(self, open_run: OpenRun, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.open_run = open_run
        self._verdict = VerdictLine()
        self._banner = Banner()
        self._host = DockHost()
        self._shares_space = True
        self._status = StatusLine()
        self._places: dict[str, LatePlace] = {}
        self._waiting: list[str] = []
        self._timeline_given_px = 0
        self._timeline_kept_px: int | None = None  # once a line above the panes came
        self._said = False
        self._search_place: SearchPlace | None = None
        for spec in PANES:
            place = LatePlace(partial(spec.make, open_run))
            place.wanted.connect(partial(self._fill_later, spec.key))
            place.filled.connect(partial(self._take_extras, spec.key))
            self._places[spec.key] = place
            self._host.add(spec.key, spec.title, place, spec.area)
        self._places["tree"].fill()
        # Lanes come in as a run that is followed goes on.
        self._places["timeline"].hint_changed.connect(self._on_timeline_hint)
        self.arrange()

        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self._verdict)
        layout.addWidget(self._banner)
        layout.addWidget(self._host, 1)
        layout.addWidget(self._status)

        self._status.integrity.chosen.connect(partial(self.show_pane, "info"))
        self._host.edge_taken.connect(self._keep_space)
        self._host.resized.connect(self._on_host_resized)
        self._verdict.fact_chosen.connect(self._on_fact_chosen)
        self._banner.action_requested.connect(lambda: self.reload_requested.emit(open_run))
        open_run.run_changed.connect(self._on_run_changed)
        open_run.findings.changed.connect(self._complete_verdict)
        open_run.pricing.changed.connect(self._complete_verdict)
        open_run.selection.span_changed.connect(self._unsay)
        open_run.range.changed.connect(self._show_what_is_shown)
        open_run.search.opened_changed.connect(self._show_search)
        open_run.search.found_changed.connect(self._show_what_is_shown)
        open_run.search.filter_changed.connect(self._on_filter_changed)
        open_run.freshness_changed.connect(self._show_freshness)
        open_run.integrity_changed.connect(self._show_integrity)
        self._on_run_changed(open_run.run)
        self._show_freshness(open_run.freshness)
        self._show_problems()
        ClosesInnermost(self, open_run)

    @property
    def host(self) -> DockHost:
        return self._host

    @property
    def tree_pane(self) -> TreePane:
        pane = self._places["tree"].fill()
        assert isinstance(pane, TreePane)
        return pane

    @property
    def span_pane(self) -> "SpanPane":
        from inspector.gui.panes.span_pane import SpanPane

        pane = self._places["span"].fill()
        assert isinstance(pane, SpanPane)
        return pane

    @property
    def timeline_canvas(self) -> "TimelineCanvas":
        """The lanes, for those who zoom and pan from a menu."""
        from inspector.gui.panes.timeline_pane import TimelinePane

        pane = self._places["timeline"].fill()
        assert isinstance(pane, TimelinePane)
        return pane.timeline.canvas

    def timeline_picture(self) -> "QPixmap":
        """Return the timeline as it is seen."""
        return self._places["timeline"].fill().grab()

    @property
    def graph_pane(self) -> "GraphPane":
        """The graph, for those who fold, turn and copy it from a menu; it comes to the front."""
        from inspector.gui.panes.graph_pane import GraphPane

        dock = self._host.dock("graph")
        dock.show()
        dock.raise_()
        pane = self._places["graph"].fill()
        assert isinstance(pane, GraphPane)
        return pane

    @property
    def is_whole(self) -> bool:
        """Whether every pane in sight has been made."""
        return all(
            place.is_filled or place.visibleRegion().isEmpty() for place in self._places.values()
        )

    def arrange(self) -> None:
        """Put every pane where it stands at first."""
        host = self._host
        for spec in PANES:
            dock = host.dock(spec.key)
            dock.setFloating(False)
            host.addDockWidget(spec.area, dock)
            dock.show()
        for key in ("findings", "cost", "notes", "breakpoints", "what-if", "info"):
            host.tabifyDockWidget(host.dock("span"), host.dock(key))
        for key in ("graph", "search", "spans"):
            host.tabifyDockWidget(host.dock("tree"), host.dock(key))
        host.dock("span").raise_()
        host.dock("tree").raise_()
        self._shares_space = True
        self._share_space()

    def _fill_later(self, key: str) -> None:
        self._waiting.append(key)
        if len(self._waiting) == 1:
            # Two turns of the loop: in the first, what else was asked for while painting.
            QTimer.singleShot(0, self, lambda: QTimer.singleShot(0, self, self._fill_next))

    def _fill_next(self) -> None:
        """Make one pane, and let it be painted before the next is made."""
        self._places[self._waiting[0]].fill()
        del self._waiting[0]
        if self._waiting:
            QTimer.singleShot(_NEXT_PANE_AFTER_MS, self, self._fill_next)
        self._share_unless_moved()

    def _take_extras(self, key: str, pane: QWidget) -> None:
        """Put beside the title of a pane what it wants to have there."""
        extras = getattr(pane, "title_extras", None)
        if isinstance(extras, QWidget):
            self._host.take_extras(key, extras)

    def _on_timeline_hint(self) -> None:
        # Sharing the space lays out anew, which tells us again: only news count.
        wanted = self._timeline_px()
        if wanted != self._timeline_given_px:
            self._share_unless_moved()

    def _share_unless_moved(self) -> None:
        if self._shares_space:
            self._share_space()

    def _share_space(self) -> None:
        """Give the timeline and the tree what they need, and the rest to what is read."""
        host, whole = self._host, self._host.size()
        letters = _TREE_LETTERS * QFontMetrics(theme.font()).averageCharWidth()
        tree = min(letters, round(whole.width() * 0.4))
        self._timeline_given_px = self._timeline_px()
        host.resizeDocks(
            [host.dock("tree"), host.dock("span")],
            [tree, whole.width() - tree],
            Qt.Orientation.Horizontal,
        )
        self._give_timeline(min(self._timeline_given_px, round(whole.height() * 0.37)))

    def _give_timeline(self, height: int) -> None:
        """Make the timeline so high, and give the rest to what is below it."""
        host = self._host
        # What is asked for must add up, and of all that stands side by side, or Qt goes
        # only a part of the way.
        edge = host.style().pixelMetric(QStyle.PixelMetric.PM_DockWidgetSeparatorExtent)
        below = host.height() - edge - height
        stacked = [host.dock(key) for key in ("timeline", "tree", "span")]
        host.resizeDocks(stacked, [height, below, below], Qt.Orientation.Vertical)

    def _timeline_px(self) -> int:
        """Return how high the timeline has to be to show its lanes."""
        if not self._places["timeline"].is_filled:
            return _FIRST_TIMELINE_PX
        return self._host.dock("timeline").sizeHint().height()

    def _keep_space(self) -> None:
        self._shares_space = False
        self._timeline_kept_px = None

    def _on_host_resized(self) -> None:
        # Qt would stretch all panes alike; until a person moved them, we know better.
        if self._shares_space:
            QTimer.singleShot(0, self, self._share_space)
        elif self._timeline_kept_px is not None:
            QTimer.singleShot(0, self, self._keep_timeline)

    def _keep_timeline(self) -> None:
        if self._timeline_kept_px is not None:
            self._give_timeline(min(self._timeline_kept_px, self._host.height() * 3 // 4))

    def layout_state(self) -> QByteArray:
        """Return where the panes stand, and whether a person chose how large they are."""
        sizes = _SIZES_ARE_OURS if self._shares_space else _SIZES_ARE_CHOSEN
        return QByteArray(sizes).append(self._host.saveState(_LAYOUT_VERSION))

    def restore_layout(self, state: QByteArray) -> None:
        """Put the panes where they stood; a state of another version changes nothing."""
        if self._host.restoreState(state.mid(len(_SIZES_ARE_OURS)), _LAYOUT_VERSION):
            self._shares_space = not state.startsWith(_SIZES_ARE_CHOSEN)

    def take_focus(self) -> None:
        """Put the focus where keys do most."""
        self.show_pane("tree")

    def show_pane(self, key: str) -> None:
        """Bring a pane to the front and put the focus into it."""
        dock = self._host.dock(key)
        dock.show()
        dock.raise_()
        pane = self._places[key].fill()
        (pane.focusProxy() or first_focusable(pane) or pane).setFocus(
            Qt.FocusReason.ShortcutFocusReason
        )

    def say(self, words: str) -> None:
        """Say something at the left of the status line until the selection moves on."""
        self._said = True
        self._status.words.setText(words)

    def _unsay(self) -> None:
        if self._said:
            self._show_what_is_shown()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._unsay()  # who comes back has forgotten what it answered

    def _on_run_changed(self, run: "PipelineRun") -> None:
        self._show_verdict(run)
        words, by = redaction_words(run)
        if words:
            self._status.redaction.say("integrity", words, tip=by)
        self._show_what_is_shown()

    def _show_verdict(self, run: "PipelineRun") -> None:
        quick = is_quick(run)
        self._judge(verdict(run, deep=quick))

        def judge(_cancelled: Cancelled) -> Verdict:
            return verdict(run)

        def start() -> None:
            if not quick:
                self.open_run.tasks.start(judge, done=self._judge, failed=_not_said, key="verdict")
            self.open_run.findings.ask()
            own = self.open_run.pricing.choice.path is not None
            if own or run.header.get("cost_estimate") is None:
                self.open_run.pricing.ask()

        # After the panes have started what they need to be seen at all.
        QTimer.singleShot(_FIGURES_AFTER_MS, self, start)

    def _judge(self, judged: Verdict) -> None:
        self._judged = judged
        self._complete_verdict()

    def _complete_verdict(self) -> None:
        """Add to the verdict what was found and priced meanwhile."""
        shown = self._judged
        if (priced := self.open_run.pricing.priced) is not None:
            shown = with_estimate(shown, priced.estimate)
        shown = with_findings(shown, self.open_run.findings.found or ())
        if shown != self._verdict.shown:
            self._verdict.show_verdict(shown)

    def _show_what_is_shown(self) -> None:
        self._said = False
        run, bounds, search = self.open_run.run, self.open_run.range.bounds, self.open_run.search
        only = search.only_found
        shown = RunTree(run.table, bounds, matched=only).shown
        asked = search.text.strip() if only is not None else ""
        self._status.words.setText(shown_words(run, shown, bounds, asked))

    def _show_search(self, is_open: bool) -> None:
        if self._search_place is None:
            from inspector.gui.panes.search_place import SearchPlace

            self._search_place = SearchPlace(self.open_run)
            layout = self.layout()
            assert isinstance(layout, QVBoxLayout)
            layout.insertWidget(layout.indexOf(self._host), self._search_place)
        # What the line takes and gives back is the room of what is read.
        if is_open or self._timeline_kept_px is None:
            self._timeline_kept_px = self._host.dock("timeline").height()
        self._search_place.show_open(is_open)
        self._raise_beside_tree(
            "search" if is_open and not self.open_run.search.is_filter else "tree"
        )

    def _on_filter_changed(self, only: bool) -> None:
        self._show_what_is_shown()
        self._raise_beside_tree("tree" if only or not self.open_run.search.is_open else "search")

    def _raise_beside_tree(self, key: str) -> None:
        """Bring the results or the tree to the front where a person left them in one place."""
        tree, search = self._host.dock("tree"), self._host.dock("search")
        if search in self._host.tabifiedDockWidgets(tree):
            self._host.dock(key).raise_()

    def _show_freshness(self, freshness: Freshness) -> None:
        icon, words, colour, tip = _FRESHNESS_LOOKS[freshness]
        self._status.freshness.say(icon, words, colour=colour, tip=tip)
        if freshness is Freshness.STALE:
            self._banner.say("The file changed after it was read.", action="Read it again")

    def _show_integrity(self) -> None:
        integrity = self.open_run.integrity
        if integrity is not None:
            icon, colour, words, tip = integrity_look(integrity, self.open_run.signature)
            self._status.integrity.say(icon, words, colour=colour, tip=tip)

    def _show_problems(self) -> None:
        if problems := self.open_run.run.problems:
            more = len(problems) - 1
            others = f"Run lists {plural(more, 'more problem')}." if more else ""
            self._banner.say(str(problems[0]), sentence([problems[0].hint, others], " "))

    def _on_fact_chosen(self, key: str) -> None:
        if pane := _PANE_OF_FACT.get(key):
            self.show_pane(pane)
        else:
            self.failure_requested.emit()


def _not_said(_error: Exception) -> None:
    """Leave the figures out: the line says how the run ended all the same."""
