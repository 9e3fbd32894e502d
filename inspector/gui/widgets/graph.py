"""A graph: a drawing or a list, and below it what is chosen and what can be done."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QHeaderView,
    QMenu,
    QStackedLayout,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from inspector.gui import theme
from inspector.gui.models.graph_table_model import Column, GraphTableModel
from inspector.gui.widgets.empty_words import EmptyWords
from inspector.gui.widgets.graph_canvas import GraphCanvas
from inspector.gui.widgets.labels import ElidedWords
from inspector.gui.widgets.plain import Hairline, IconButton

if TYPE_CHECKING:
    from inspector.gui.widgets.graph_scene import GraphScene
    from inspector.presentation.graph_traces import Bounds, Traces


class Offers(Protocol):
    """What can be done to a graph besides moving it."""

    def fold_all(self) -> None: ...
    def unfold_all(self) -> None: ...
    def turn(self) -> None: ...
    def toggle_list(self) -> None: ...
    def copy_picture(self) -> None: ...
    def save_picture(self) -> None: ...


class GraphFrame(QWidget):
    """Shows a scene as a drawing or as a list, or a sentence in place of both."""

    def __init__(self, offers: Offers, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._offers = offers
        self.canvas = GraphCanvas()
        self.model = GraphTableModel(self)
        self.table = _table(self.model)
        self._words = ElidedWords(sentence=True, step=-1)
        self._more = ElidedWords(sentence=True, step=-1, colour="secondary")
        self._empty = EmptyWords()
        self._list_button = IconButton("list", "Show as a list", offers.toggle_list, checkable=True)

        shown = QWidget()
        self._shown = QStackedLayout()
        self._shown.addWidget(self.canvas)
        self._shown.addWidget(self.table)
        column = QVBoxLayout(shown)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(self._shown, 1)
        column.addWidget(Hairline())
        column.addLayout(self._bar())
        self._pages = QStackedLayout(self)
        self._pages.setContentsMargins(0, 0, 0, 0)
        self._pages.addWidget(self._empty)
        self._pages.addWidget(shown)
        self.setFocusProxy(self.canvas)
        self.canvas.menu_wanted.connect(self._show_menu)

    @property
    def is_list(self) -> bool:
        return self._shown.currentIndex() == 1

    @property
    def words(self) -> str:
        """What is said below the graph, or in place of it."""
        return self._words.text()

    @property
    def more(self) -> str:
        """What is said in the second line below the graph."""
        return self._more.text()

    def say(self, words: str) -> None:
        """Show a sentence instead of a graph."""
        self._empty.say(words)
        self._pages.setCurrentIndex(0)

    def tell(self, words: str, more: str = "") -> None:
        """Say something below the graph, in one line or two."""
        self._words.setText(words)
        self._more.setText(more)

    def show_rows(self, traces: Traces, bounds: Bounds | None) -> None:
        """Show a graph that is too large to draw: as a list alone."""
        self._pages.setCurrentIndex(1)
        self.model.show(traces, bounds)
        self.show_list(on=True)

    def show_scene(self, scene: GraphScene) -> None:
        """Show a graph."""
        self._pages.setCurrentIndex(1)
        self.canvas.show_scene(scene)
        self.model.show(scene.traces, scene.bounds)

    def show_list(self, *, on: bool) -> None:
        """Show rows, or the drawing."""
        had_focus = self.canvas.hasFocus() or self.table.hasFocus()
        self._shown.setCurrentIndex(int(on))
        self._list_button.setChecked(on)
        front = self.table if on else self.canvas
        self.setFocusProxy(front)
        if had_focus:
            front.setFocus(Qt.FocusReason.OtherFocusReason)

    def _bar(self) -> QVBoxLayout:
        # What became of a component has a line to itself: it matters more than the buttons.
        lines = QVBoxLayout()
        lines.setContentsMargins(theme.GROUP_GAP_PX, theme.GRID_PX, theme.GRID_PX, 2)
        lines.setSpacing(0)
        lines.addWidget(self._words)
        bar = QHBoxLayout()
        bar.setSpacing(0)
        bar.addWidget(self._more, 1)
        bar.addSpacing(theme.GAP_PX)
        for icon, words, pressed in (
            ("fold-all", "Fold the graph", self._offers.fold_all),
            ("unfold-all", "Unfold the graph", self._offers.unfold_all),
            ("turn", "Turn the graph", self._offers.turn),
            ("frame", "Show all of the graph", self.canvas.fit),
        ):
            bar.addWidget(IconButton(icon, words, pressed))
        bar.addWidget(self._list_button)
        bar.addWidget(IconButton("copy", "Copy picture", self._offers.copy_picture))
        lines.addLayout(bar)
        return lines

    def _show_menu(self, at: QPoint) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction("Show all of the graph", self.canvas.fit)
        menu.addAction("Show the chosen component large", self.canvas.frame_chosen)
        menu.addSeparator()
        menu.addAction("Fold the graph", self._offers.fold_all)
        menu.addAction("Unfold the graph", self._offers.unfold_all)
        menu.addAction("Turn the graph", self._offers.turn)
        menu.addAction("Show as a list", self._offers.toggle_list)
        menu.addSeparator()
        menu.addAction("Copy picture", self._offers.copy_picture)
        menu.addAction("Save picture…", self._offers.save_picture)
        menu.popup(at)


def _table(model: GraphTableModel) -> QTableView:
    table = QTableView()
    table.setModel(model)
    table.setAccessibleName("Components of the graph")
    table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
    table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
    table.setShowGrid(False)
    table.setFrameShape(QTableView.Shape.NoFrame)
    table.setWordWrap(False)
    table.verticalHeader().hide()
    table.verticalHeader().setDefaultSectionSize(theme.row_height())
    header = table.horizontalHeader()
    header.setHighlightSections(False)
    metrics = QFontMetrics(theme.font())
    for column, sample in (
        (Column.NAME, "technician › agent › prompt_builder"),
        (Column.TYPE, "InMemoryBM25Retriever"),
        (Column.VISITS, "Visits 0"),
        (Column.TOOK, "999.9 ms 0"),
    ):
        header.resizeSection(column, metrics.horizontalAdvance(sample) + 2 * theme.GAP_PX)
    header.setSectionResizeMode(Column.STATE, QHeaderView.ResizeMode.ResizeToContents)
    header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
    header.setSectionResizeMode(Column.SENT_TO, QHeaderView.ResizeMode.Stretch)
    theme.dress_rows(table)
    return table
