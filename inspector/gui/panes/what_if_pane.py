"""What is to be different in the next replay of a run, and where to change more."""

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QHBoxLayout, QMenu, QPushButton, QStackedLayout, QVBoxLayout, QWidget

from inspector.gui import theme
from inspector.gui.tasks.runner import Cancelled
from inspector.gui.widgets.cells_view import CellsView
from inspector.gui.widgets.compared_texts import ComparedTexts
from inspector.gui.widgets.empty_words import EmptyWords
from inspector.gui.widgets.labels import ElidedWords
from inspector.gui.widgets.plain import Hairline, IconButton, PanelGround
from inspector.gui.widgets.quiet_splitter import QuietSplitter
from inspector.gui.workspace.open_run import OpenRun
from inspector.presentation.change_list import CHANGE_TITLES, change_rows, count_words

if TYPE_CHECKING:
    from inspector.presentation.compare_detail import DetailText
    from inspector.presentation.what_if_places import Place

_NOTHING = (
    "Nothing is changed. Change a prompt above, or right-click a span, a value, a document or a"
    " message; then replay, and see what follows from it."
)
_MOST_OFFERED = 30


class WhatIfPane(QWidget):
    """Lists the changes to a run, each to be edited or taken back. Knows one `OpenRun`."""

    def __init__(self, open_run: OpenRun, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._open_run = open_run
        self._count = ElidedWords(step=-1, colour="secondary")
        self._change = QPushButton("Change")
        self._menu = QMenu(self._change)
        self._menu.aboutToShow.connect(self._fill_menu)
        self._change.setMenu(self._menu)
        self._edit = IconButton("write", "Edit this change (Return)", self._edit_current)
        self._remove = IconButton("remove", "Take this change back (Delete)", self._remove_current)
        self._clear = IconButton("close", "Take all changes back", open_run.changes.clear)
        self._replay = QPushButton("Replay with these changes…")
        self._replay.clicked.connect(open_run.changes.ask_for_replay)
        self._table = CellsView(CHANGE_TITLES, "What is changed", (0.42, 0.57))
        self._table.row_changed.connect(self._on_row)
        self._table.row_chosen.connect(lambda _key: self._edit_current())
        delete = QShortcut(QKeySequence(QKeySequence.StandardKey.Delete), self._table)
        delete.setContext(Qt.ShortcutContext.WidgetShortcut)
        delete.activated.connect(self._remove_current)
        self._texts = ComparedTexts(name="As it was recorded, and as it is to be")
        self._empty = EmptyWords(self)
        self._lay_out()
        self.setFocusProxy(self._change)
        open_run.changes.changed.connect(self._show)
        self._show()

    @property
    def table(self) -> CellsView:
        return self._table

    @property
    def replay_button(self) -> QPushButton:
        return self._replay

    @property
    def change_menu(self) -> QMenu:
        return self._menu

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setContentsMargins(theme.GROUP_GAP_PX, theme.GAP_PX, theme.GAP_PX, theme.GAP_PX)
        head.setSpacing(theme.GRID_PX)
        head.addWidget(self._change)
        head.addSpacing(theme.GRID_PX)
        head.addWidget(self._count, 1)
        for button in (self._edit, self._remove, self._clear):
            head.addWidget(button)
        pages = QWidget()
        self._stack = QStackedLayout(pages)
        self._stack.addWidget(self._empty)
        parts = QuietSplitter(Qt.Orientation.Vertical)
        parts.addWidget(self._table)
        parts.addWidget(self._texts)
        parts.setSizes([140, 240])
        parts.setStretchFactor(0, 0)
        parts.setStretchFactor(1, 1)
        self._stack.addWidget(parts)
        foot = QHBoxLayout()
        foot.setContentsMargins(theme.GROUP_GAP_PX, theme.GAP_PX, theme.GAP_PX, theme.GAP_PX)
        foot.addWidget(self._replay)
        foot.addStretch(1)
        ground = QWidget()
        PanelGround(ground)
        inside = QVBoxLayout(ground)
        inside.setContentsMargins(0, 0, 0, 0)
        inside.setSpacing(0)
        inside.addLayout(head)
        inside.addWidget(Hairline())
        inside.addWidget(pages, 1)
        inside.addWidget(Hairline())
        inside.addLayout(foot)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(ground)

    def _show(self) -> None:
        changes = self._open_run.changes.changes
        self._count.setText(count_words(changes) if changes else "")
        self._table.show_rows(change_rows(changes))
        if changes and not self._table.currentIndex().isValid():
            self._table.make_current(len(changes) - 1)
        self._compare()
        self._empty.say(_NOTHING)
        self._stack.setCurrentIndex(1 if changes else 0)
        self._replay.setEnabled(bool(changes))
        for button in (self._edit, self._remove, self._clear):
            button.setVisible(bool(changes))

    def _compare(self) -> None:
        """Show the selected change beside what was recorded."""
        if (key := self._current()) is None:
            return
        change = self._open_run.changes.changes[key]

        def compare(cancelled: Cancelled) -> "list[DetailText]":
            from inspector.presentation.change_list import change_texts

            return list(change_texts(change, cancelled))

        self._open_run.tasks.start(
            compare,
            done=lambda texts: self._texts.show_texts(texts, "As recorded  ↔  what if"),
            failed=_raise,
            key=(self, "texts"),
        )

    def _current(self) -> int | None:
        key = self._table.cells.key(self._table.currentIndex())
        return key if key is not None and key < len(self._open_run.changes.changes) else None

    def _on_row(self, key: int) -> None:
        self._compare()
        change = self._open_run.changes.changes[key]
        if change.span_id is not None:
            self._open_run.selection.select(change.span_id)

    def _edit_current(self) -> None:
        from inspector.presentation.what_if_places import place_of

        if (key := self._current()) is not None:
            self._open_run.changes.ask(place_of(self._open_run.changes.changes[key]))

    def _remove_current(self) -> None:
        if (key := self._current()) is not None:
            self._open_run.changes.remove(self._open_run.changes.changes[key].key)

    def _fill_menu(self) -> None:
        """Offer what stands in the recording to be changed: prompts, inputs, the selected span."""
        from inspector.presentation.what_if_places import (
            input_places,
            parameter_places,
            places_at,
            template_places,
        )

        self._menu.clear()
        run = self._open_run.run
        span_id = self._open_run.selection.span_id
        row = run.table.row_of(span_id) if span_id else None
        here = places_at(run, run.spans[row]) if row is not None else []
        templates, inputs = template_places(run), input_places(run)
        known = {place.key for place in (*templates, *inputs)}
        self._add("Prompts", templates)
        self._add("What the run is given", inputs)
        self._add("The selected span", [each for each in here if each.key not in known])
        parameters = parameter_places(run, run.spans[row]) if row is not None else []
        if parameters:
            inside = self._menu.addMenu(f"Parameters of {parameters[0].at}".replace("&", "&&"))
            for place in parameters[:_MOST_OFFERED]:
                inside.addAction(place.name.replace("&", "&&"), partial(self._ask, place))
        if not self._menu.actions():
            nothing = self._menu.addAction("This recording holds nothing that can be changed")
            nothing.setEnabled(False)

    def _add(self, title: str, places: "list[Place]") -> None:
        if not places:
            return
        self._menu.addSection(title)
        for place in places[:_MOST_OFFERED]:
            self._menu.addAction(f"{place.title}…".replace("&", "&&"), partial(self._ask, place))

    def _ask(self, place: "Place") -> None:
        self._open_run.changes.ask(place)


def _raise(error: Exception) -> None:
    raise error
