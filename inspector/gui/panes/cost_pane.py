"""What a run is estimated to have cost, and how that was worked out."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtGui import (
    QFontMetrics,
    QResizeEvent,
    QShowEvent,
    QStandardItemModel,
)
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QHeaderView,
    QStackedLayout,
    QTreeView,
    QVBoxLayout,
    QWidget,
)

from inspector.gui import theme
from inspector.gui.dialogs.choose_prices import choose_prices
from inspector.gui.models.cost_model import Column, CostModel
from inspector.gui.widgets.cards import Banner
from inspector.gui.widgets.cost_bars import CostBars
from inspector.gui.widgets.cost_delegate import SHARE_PX, CostDelegate
from inspector.gui.widgets.cost_shares import CostShares
from inspector.gui.widgets.empty_words import EmptyWords
from inspector.gui.widgets.labels import Icon, Words
from inspector.gui.widgets.plain import Hairline, PanelGround
from inspector.gui.workspace.open_run import OpenRun
from inspector.gui.workspace.run_pricing import PriceChoice, Priced
from inspector.presentation.cost_pictures import shares
from inspector.presentation.cost_table import GROUPINGS, stored_words
from inspector.presentation.words import one_line, token_words

if TYPE_CHECKING:
    from inspector.runfile.estimate import CostEstimate

_GROUPING_WORDS = {"component": "component", "llm": "LLM", "step": "step", "tool": "tool"}
_DAYS = (("run", "on the day of the run"), ("today", "today"))
_BUNDLED, _OWN, _ONLY = _LISTS = ("bundled", "own", "only")
_LIST_WORDS = {
    _BUNDLED: ("from the bundled list", "from the bundled list"),
    _OWN: ("of your own first…", "from {} first"),
    _ONLY: ("from another list only…", "from {} only"),
}
_WITHOUT_SHARE_PX = 560
_WITHOUT_TOKENS_PX = 460
_ROOMY_ROWS = 15
_NOTHING = (
    "No call of a model was recorded in this run: there is nothing to price. "
    "What LLMs and embedders cost would be shown here."
)
_NOTHING_IN_TIME = (
    "No call of a model reaches into this stretch of time. Backspace shows the whole run."
)
_FEW_GROUPS = 1  # one group alone says nothing: its calls are shown at once


class CostPane(QWidget):
    """Shows the estimate of one `OpenRun`, by whatever prices were chosen."""

    def __init__(self, open_run: OpenRun, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._open_run = open_run
        self._pricing = open_run.pricing
        self._shown: Priced | None = None
        self._model = CostModel(self)
        self._is_following = False
        self._was_shown = False
        self._has_course = self._has_shares = False

        self._total = Words(step=3, strong=True)
        self._total.setAccessibleName("Estimated cost")
        self._counts = Words(colour="secondary")
        self._busy = Words("Working it out…", colour="secondary")
        self._provenance = Words(colour="secondary", wrap=True)
        self._gap_icon = Icon("warning", colour="changed")
        self._gaps = Words(wrap=True)
        self._stored = Words(colour="secondary", wrap=True)
        for words in (self._provenance, self._gaps, self._stored):
            words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._banner = Banner()
        self._by = _choice("Add up by", [(key, _GROUPING_WORDS[key]) for key in GROUPINGS])
        self._day = _choice("Whose day's prices", _DAYS)
        self._list = _choice("Price list", [(key, "") for key in _LISTS])
        self._list.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self._shares = CostShares()
        self._bars = CostBars()
        self._view = _view()
        self._view.setModel(self._model)
        self._view.setItemDelegate(CostDelegate(self._view))
        self._empty = EmptyWords(words="Working out what the run cost…")
        self._lay_out()
        self.setFocusProxy(self._view)

        self._by.currentIndexChanged.connect(self._show_table)
        self._day.currentIndexChanged.connect(self._on_day_chosen)
        self._list.activated.connect(self._on_list_chosen)
        self._bars.span_chosen.connect(open_run.selection.select)
        self._shares.slice_chosen.connect(self._on_slice_chosen)
        self._view.selectionModel().currentChanged.connect(self._on_row_changed)
        self._view.clicked.connect(self._on_row_chosen)
        self._view.activated.connect(self._on_row_chosen)
        self._pricing.changed.connect(self._on_pricing_changed)
        open_run.selection.span_changed.connect(self._show_selected)
        theme.changes.changed.connect(self._lay_out_columns)
        self._on_pricing_changed()

    def price_with(self, path: Path | None, *, only: bool = False) -> None:
        """Price the run with a list of the user's, or with the bundled prices again."""
        self._pricing.choose(self._pricing.choice._replace(path=path, only=only))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._pricing.ask()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._share_height()

    def _share_height(self) -> None:
        """Show the pictures that say something; the figures come first where it is tight."""
        is_roomy = self.height() >= _ROOMY_ROWS * theme.row_height()
        self._bars.setVisible(self._has_course and is_roomy)
        self._shares.setVisible(self._has_shares)
        self._pictures.setVisible(self._has_shares or (self._has_course and is_roomy))

    # Building

    def _lay_out(self) -> None:
        gap, wide = theme.GAP_PX, theme.GROUP_GAP_PX
        first = QHBoxLayout()
        first.setSpacing(gap)
        first.addWidget(self._total)
        first.addWidget(self._counts, 0, Qt.AlignmentFlag.AlignBottom)
        first.addStretch(1)
        first.addWidget(self._busy, 0, Qt.AlignmentFlag.AlignBottom)
        gaps = QHBoxLayout()
        gaps.setSpacing(theme.GRID_PX)
        gaps.addWidget(self._gap_icon, 0, Qt.AlignmentFlag.AlignTop)
        gaps.addWidget(self._gaps, 1)
        choices = QHBoxLayout()
        choices.setSpacing(gap)
        for label, widget in (("By", self._by), ("Prices", self._day)):
            words = Words(label, colour="secondary")
            words.setBuddy(widget)
            choices.addWidget(words)
            choices.addWidget(widget)
        choices.addWidget(self._list)
        choices.addStretch(1)
        head = QVBoxLayout()
        head.setContentsMargins(wide, gap, wide, gap)
        head.setSpacing(theme.GRID_PX)
        head.addLayout(first)
        head.addWidget(self._provenance)
        head.addLayout(gaps)
        head.addWidget(self._stored)
        head.addSpacing(theme.GRID_PX)
        head.addLayout(choices)
        self._pictures = QWidget()
        pictures = QVBoxLayout()
        pictures.setContentsMargins(wide, gap, wide, gap)
        pictures.setSpacing(wide)
        pictures.addWidget(self._shares)
        pictures.addWidget(self._bars)
        pictured = QVBoxLayout(self._pictures)
        pictured.setContentsMargins(0, 0, 0, 0)
        pictured.setSpacing(0)
        pictured.addLayout(pictures)
        pictured.addWidget(Hairline())

        body = QWidget()
        layout = QVBoxLayout(body)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self._banner)
        layout.addLayout(head)
        layout.addWidget(Hairline())
        layout.addWidget(self._pictures)
        layout.addWidget(self._view, 1)
        PanelGround(self)
        self._stack = QStackedLayout(self)
        self._stack.setContentsMargins(0, 0, 0, 0)
        self._stack.addWidget(self._empty)
        self._stack.addWidget(body)
        self._lay_out_columns()

    def _lay_out_columns(self) -> None:
        header = self._view.header()
        metrics = QFontMetrics(theme.font(strong=True))
        header.setSectionResizeMode(Column.WHAT, QHeaderView.ResizeMode.Stretch)
        for column, widest in (
            (Column.CALLS, "9 999 calls"),
            (Column.TOKENS, "≥ 999 999 tok"),
            (Column.COST, "Cost (estimate)"),
        ):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Fixed)
            header.resizeSection(column, metrics.horizontalAdvance(widest) + 2 * theme.GAP_PX)
        header.setSectionResizeMode(Column.SHARE, QHeaderView.ResizeMode.Fixed)
        header.resizeSection(Column.SHARE, SHARE_PX)

    # What happens

    def _on_pricing_changed(self) -> None:
        self._busy.setVisible(self._pricing.is_busy)
        message, hint = self._pricing.failure
        if message:
            self._banner.say(one_line(message), hint)
        else:
            self._banner.hide()
        self._show_choice(self._pricing.choice)
        priced = self._pricing.shown
        if priced is None:
            if message:
                self._empty.say(f"What the run cost could not be worked out. {message}")
            return
        if priced is not self._shown:
            self._shown = priced
            self._show(priced)

    def _show_choice(self, choice: PriceChoice) -> None:
        self._day.blockSignals(True)
        self._day.setCurrentIndex(max(0, self._day.findData(choice.as_of)))
        self._day.blockSignals(False)
        name = "" if choice.path is None else one_line(choice.path.name)
        chosen = _BUNDLED if not name else _ONLY if choice.only else _OWN
        for place, key in enumerate(_LISTS):
            asking, using = _LIST_WORDS[key]
            self._list.setItemText(place, using.format(name) if key == chosen else asking)
        self._list.setCurrentIndex(_LISTS.index(chosen))

    def _show(self, priced: Priced) -> None:
        estimate = priced.estimate
        if not estimate.calls:
            self._empty.say(_NOTHING if self._open_run.range.bounds is None else _NOTHING_IN_TIME)
            self._stack.setCurrentIndex(0)
            return
        self._stack.setCurrentIndex(1)
        steps = any(call.step for call in estimate.calls)
        tools = any(call.tool for call in estimate.calls)
        self._allow(GROUPINGS.index("step"), steps)
        self._allow(GROUPINGS.index("tool"), tools)
        # What stands in the file is the estimate of the whole run.
        is_whole = self._open_run.range.bounds is None
        stored = self._open_run.run.cost_estimate if is_whole else None
        self._stored.setText(stored_words(stored, estimate))
        self._stored.setVisible(bool(self._stored.text()))
        if not self._was_shown:
            self._was_shown = True
            self._choose_grouping(estimate)
        self._bars.show_course(priced.course)
        self._has_course = bool(priced.course.top)
        self._show_table()

    def _choose_grouping(self, estimate: "CostEstimate") -> None:
        """Begin with the components; with the steps where an agent is the only one."""
        components = {call.component for call in estimate.calls}
        steps = {call.step for call in estimate.calls}
        if len(components) == 1 and len(steps) > 1:
            self._by.setCurrentIndex(GROUPINGS.index("step"))

    def _allow(self, place: int, allowed: bool) -> None:
        """Offer a way to add up only where there is something to add up by."""
        model = self._by.model()
        assert isinstance(model, QStandardItemModel)
        model.item(place).setEnabled(allowed)
        if not allowed and self._by.currentIndex() == place:
            self._by.setCurrentIndex(0)

    def _show_table(self) -> None:
        if self._shown is None:
            return
        table = self._shown.tables[self._by.currentData()]
        self._total.setText(table.total)
        tokens = self._shown.tokens
        known = "" if tokens is None else token_words(tokens)
        part = "" if self._open_run.range.bounds is None else "in this stretch of time"
        self._counts.setText(" · ".join(filter(None, ("estimate", table.calls, known, part))))
        self._provenance.setText(table.provenance)
        self._gaps.setText(table.gaps)
        self._gaps.setVisible(bool(table.gaps))
        self._gap_icon.setVisible(bool(table.gaps))
        parts = shares(table)
        self._shares.show_shares(parts)
        self._has_shares = len(parts.slices) > 1
        self._share_height()
        self._model.show_rows(table.rows)
        if len(table.rows) <= _FEW_GROUPS:
            self._view.expandToDepth(0)
        self._show_selected(self._open_run.selection.span_id)

    def _on_list_chosen(self, place: int) -> None:
        key = _LISTS[place]
        if key == _BUNDLED:
            self.price_with(None)
            return
        self._show_choice(self._pricing.choice)  # until there is another list
        choose_prices(self, lambda path: self.price_with(path, only=key == _ONLY))

    def _on_day_chosen(self) -> None:
        self._pricing.choose(self._pricing.choice._replace(as_of=self._day.currentData()))

    def _on_slice_chosen(self, key: str) -> None:
        index = self._model.group_of(key) if key else QModelIndex()
        if index.isValid():
            self._view.setCurrentIndex(index)
            self._view.expand(index)
            self._view.scrollTo(index)

    def _on_row_changed(self, current: QModelIndex, _previous: QModelIndex) -> None:
        if not self._is_following:
            self._on_row_chosen(current)

    def _on_row_chosen(self, index: QModelIndex) -> None:
        if span_id := self._model.span_of(index):
            self._open_run.selection.select(span_id)

    def _show_selected(self, span_id: str | None) -> None:
        """Mark the call that is selected, where it can be seen: nothing unfolds by itself."""
        self._bars.show_selected(span_id or "")
        if span_id == self._model.span_of(self._view.currentIndex()):
            return
        index = self._model.call_of(span_id or "")
        self._is_following = True
        if index.isValid() and self._view.isExpanded(index.parent()):
            self._view.setCurrentIndex(index)
        elif self._model.span_of(self._view.currentIndex()):
            self._view.selectionModel().clear()
        self._is_following = False


def _choice(name: str, choices: Sequence[tuple[str, str]]) -> QComboBox:
    made = QComboBox()
    made.setAccessibleName(name)
    for key, words in choices:
        made.addItem(words, key)
    return made


class _CostTree(QTreeView):
    """Leaves out what there is no room for."""

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.setColumnHidden(Column.SHARE, self.width() < _WITHOUT_SHARE_PX)
        self.setColumnHidden(Column.TOKENS, self.width() < _WITHOUT_TOKENS_PX)


def _view() -> QTreeView:
    view = _CostTree()
    view.setAccessibleName("Cost, added up")
    view.setUniformRowHeights(True)
    view.setAllColumnsShowFocus(True)
    view.setMouseTracking(True)
    view.setFrameShape(QTreeView.Shape.NoFrame)
    view.setEditTriggers(QTreeView.EditTrigger.NoEditTriggers)
    view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    view.setIndentation(theme.ICON_PX)
    view.header().setStretchLastSection(False)
    view.header().setSectionsMovable(False)
    theme.dress_rows(view)
    return view
