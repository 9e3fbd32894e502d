"""A table that can be searched and narrowed, and what is said where it has no rows."""

from collections.abc import Callable, Iterable
from typing import Any

from PySide6.QtCore import QModelIndex, Qt, QTimer, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QLineEdit,
    QStackedLayout,
    QTreeView,
    QVBoxLayout,
    QWidget,
)

from inspector.gui import theme
from inspector.gui.widgets.hayhooks_cards import EmptyState
from inspector.gui.widgets.labels import Words
from inspector.gui.widgets.plain import Hairline

_SEARCH_MS = 200


class SearchField(QLineEdit):
    """Where one types what is looked for; `settled` comes when somebody has stopped typing."""

    settled = Signal()

    def __init__(self, hint: str, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("search")
        self.setPlaceholderText(hint)
        self.setAccessibleName(name)
        self.setClearButtonEnabled(True)
        self.setMaxLength(200)
        self._waiting = QTimer(self)
        self._waiting.setSingleShot(True)
        self._waiting.setInterval(_SEARCH_MS)
        self._waiting.timeout.connect(self.settled)
        self.textEdited.connect(lambda _text: self._waiting.start())
        self.returnPressed.connect(self.settled)

    def begin(self) -> None:
        """Put the caret into it."""
        self.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.selectAll()

    def rest(self) -> None:
        """Wait no longer: what is typed was taken."""
        self._waiting.stop()


class ChoiceField(QComboBox):
    """Where one chooses which states are shown; the first choice is all of them."""

    def __init__(
        self,
        object_name: str,
        name: str,
        choices: Iterable[tuple[str, Any]],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setObjectName(object_name)
        self.setAccessibleName(name)
        for words, choice in choices:
            self.addItem(words, choice)


class ServedPlace(QWidget):
    """Shows the table where it has rows, and one sentence with one thing to do where not."""

    narrowed = Signal()  # something else is searched for or chosen

    def __init__(
        self,
        table: QTreeView,
        search: SearchField,
        choice: ChoiceField,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._table = table
        self._search = search
        self._choice = choice
        self._count = Words("", step=-1, colour="secondary")
        self._count.setObjectName("count")
        self._empty = EmptyState()
        gap = theme.GAP_PX
        self._row = QWidget()
        row = QHBoxLayout(self._row)
        row.setContentsMargins(gap, theme.GRID_PX, gap, theme.GRID_PX)
        row.setSpacing(gap)
        row.addWidget(search, 1)
        row.addWidget(choice)
        row.addSpacing(gap)
        row.addWidget(self._count)
        place = QWidget()
        self._pages = QStackedLayout(place)
        self._pages.setContentsMargins(0, 0, 0, 0)
        self._pages.addWidget(table)
        self._pages.addWidget(self._empty)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._row)
        column.addWidget(Hairline())
        column.addWidget(place, 1)
        search.settled.connect(self.narrowed)
        choice.activated.connect(lambda _place: self.narrowed.emit())

    @property
    def table(self) -> QTreeView:
        return self._table

    @property
    def search(self) -> SearchField:
        return self._search

    @property
    def chosen(self) -> Any:
        """What is chosen to be shown."""
        return self._choice.currentData()

    @property
    def empty(self) -> EmptyState:
        return self._empty

    @property
    def is_empty(self) -> bool:
        """Whether something is said in place of the table."""
        return self._pages.currentIndex() == 1

    def widen(self) -> None:
        """Look for nothing, and choose everything; whoever asks for that looks anew."""
        self._search.clear()
        self._choice.setCurrentIndex(0)

    def say_count(self, words: str) -> None:
        """Say how many rows there are."""
        self._count.setText(words)

    def offer(self, *, narrowing: bool, has_rows: bool) -> None:
        """Say whether there is something to search, and to show."""
        self._row.setVisible(narrowing)
        self._pages.setCurrentIndex(0 if has_rows else 1)

    def keep_row(self, show: Callable[[], None], index_now: Callable[[], QModelIndex]) -> None:
        """Show other rows, and choose again what was chosen before.

        Args:
            show: Shows them.
            index_now: Returns where that stands then; asked only where the table forgot it.

        """
        was_valid = self._table.currentIndex().isValid()
        scrolled = self._table.verticalScrollBar().value()
        show()
        if was_valid and not self._table.currentIndex().isValid():
            index = index_now()
            if index.isValid():
                self._table.setCurrentIndex(index)
                self._table.verticalScrollBar().setValue(scrolled)
