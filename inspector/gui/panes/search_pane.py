"""The results of a search, one below the other."""

from PySide6.QtCore import QEvent, QModelIndex, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStackedLayout,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from inspector.gui import theme
from inspector.gui.models.hits_model import HitsModel
from inspector.gui.widgets.empty_words import EmptyWords
from inspector.gui.widgets.hit_delegate import HitDelegate
from inspector.gui.workspace.open_run import OpenRun
from inspector.gui.workspace.run_searching import RunSearching

_NOTHING_ASKED = (
    "Ctrl+F searches this run: names, inputs, outputs, errors, your notes. Results are listed here."
)


class SearchPane(QWidget):
    """Lists what was found; a row leads to its span and field. Knows one `OpenRun`."""

    def __init__(self, open_run: OpenRun, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._open_run = open_run
        self._search = open_run.search
        self._model = HitsModel(self)
        self._follows = False
        self._view = _HitsView(self._search, self)
        self._view.setModel(self._model)
        self._delegate = HitDelegate(self._view)
        self._view.setItemDelegate(self._delegate)
        self._lay_out()
        self._empty = EmptyWords(self)
        self._empty.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        pages = QWidget(self)
        self._stack = QStackedLayout(pages)
        self._stack.addWidget(self._empty)
        self._stack.addWidget(self._view)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(pages)

        self._view.clicked.connect(self._on_clicked)
        self._view.selectionModel().currentChanged.connect(self._on_moved)
        self._search.found_changed.connect(self._show_found)
        self._search.busy_changed.connect(lambda _busy: self._say_when_empty())
        self._search.current_changed.connect(self._show_current)
        theme.changes.changed.connect(self._lay_out)
        self._show_found()

    @property
    def view(self) -> QTableView:
        return self._view

    def _lay_out(self) -> None:
        self._view.verticalHeader().setDefaultSectionSize(self._delegate.height_px())

    def _show_found(self) -> None:
        scroll = self._view.verticalScrollBar().value()
        self._follows = True
        self._model.show(self._open_run.run, self._search.hits)
        self._follows = False
        self._say_when_empty()
        self._show_current(self._search.current)
        self._view.verticalScrollBar().setValue(scroll)

    def _say_when_empty(self) -> None:
        self._stack.setCurrentIndex(1 if self._search.hits else 0)
        self.setFocusProxy(self._view if self._search.hits else self._empty)
        if self._search.query is None:
            self._empty.say(_NOTHING_ASKED)
        elif self._search.is_busy:
            self._empty.say("Searching…")
        elif self._open_run.range.bounds is not None:
            self._empty.say("Nothing found in this stretch of time. Backspace shows the whole run.")
        else:
            self._empty.say("Nothing found.")

    def _show_current(self, place: int) -> None:
        index = self._model.index(place) if place >= 0 else QModelIndex()
        if index == self._view.currentIndex():
            return
        self._follows = True
        self._view.setCurrentIndex(index)
        self._follows = False

    def _on_moved(self, current: QModelIndex, _previous: QModelIndex) -> None:
        if current.isValid() and not self._follows:
            self._search.go(current.row())

    def _on_clicked(self, index: QModelIndex) -> None:
        # The row may be current already, and the selection elsewhere meanwhile.
        self._search.go(index.row())


class _HitsView(QTableView):
    """A list that leaves Esc to those above and Enter to the search.

    A table with one column, because Qt's list asks twice for each row whenever rows change,
    which takes half a second of a hundred thousand results. A table asks for those in sight.
    """

    def __init__(self, search: RunSearching, parent: QWidget) -> None:
        super().__init__(parent)
        self._search = search
        self.setAccessibleName("Results of the search")
        self.setMouseTracking(True)
        self.setFrameShape(QTableView.Shape.NoFrame)
        self.setShowGrid(False)
        self.setTabKeyNavigation(False)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.horizontalHeader().hide()
        self.verticalHeader().hide()
        theme.dress_rows(self)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)

    def moveCursor(
        self, action: QAbstractItemView.CursorAction, modifiers: Qt.KeyboardModifier
    ) -> QModelIndex:
        # In a table, Home and End go along the row.
        last = self.model().rowCount() - 1
        match action:
            case QAbstractItemView.CursorAction.MoveHome:
                return self.model().index(0, 0)
            case QAbstractItemView.CursorAction.MoveEnd:
                return self.model().index(last, 0)
        return super().moveCursor(action, modifiers)

    def event(self, event: QEvent) -> bool:
        # Esc closes the search before anything else that listens to it.
        if (
            isinstance(event, QKeyEvent)
            and event.type() == QEvent.Type.ShortcutOverride
            and event.key() == Qt.Key.Key_Escape
            and self._search.is_open
        ):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        search = self._search
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            shift = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
            search.step(-1 if shift else 1)
        elif event.key() == Qt.Key.Key_Escape and search.is_open:
            search.close()
        else:
            super().keyPressEvent(event)
