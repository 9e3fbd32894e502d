"""What a redaction would replace, as a tree for Qt: kinds, and below each its places."""

from enum import IntEnum
from typing import Any

from PySide6.QtCore import (
    QAbstractItemModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Signal,
)

from inspector.gui.models.roles import ROW_ROLE
from inspector.gui.tips import tip
from inspector.presentation.redaction_places import PreviewKind, PreviewPlace, PreviewSecret
from inspector.presentation.redaction_words import (
    becomes_words,
    kind_count_words,
    kind_words,
    spoken_place,
    where_words,
)
from inspector.presentation.words import plural

AnyIndex = QModelIndex | QPersistentModelIndex
_NOWHERE = QModelIndex()
_LONGEST_TIP = 600
_MOST = 500  # places of a kind that are listed at once: a view asks about every row
_SPOKEN = (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole)
PlaceRow = tuple[PreviewSecret, PreviewPlace]


class Column(IntEnum):
    """What stands in which column."""

    NOW = 0
    THEN = 1
    WHERE = 2


_TITLES = {
    Column.NOW: "What stands there",
    Column.THEN: "In the copy",
    Column.WHERE: "Span and field",
}


class RedactionModel(QAbstractItemModel):
    """Adapts the kinds of a preview. It keeps no ticks: it says which one was asked for."""

    kind_ticked = Signal(object, bool)  # PreviewKind, and what it is to be
    secret_ticked = Signal(object, bool)  # PreviewSecret

    _kinds: tuple[PreviewKind, ...] = ()
    _rows: tuple[tuple[PlaceRow, ...], ...] = ()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._most: dict[str, int] = {}  # by the rule, where more were asked for

    def show(self, kinds: tuple[PreviewKind, ...]) -> None:
        """Show other kinds; where only ticks changed, every row stays where it is."""
        rows = tuple(
            tuple((secret, place) for secret in kind.secrets for place in secret.places)
            for kind in kinds
        )
        same = [kind.rule for kind in kinds] == [kind.rule for kind in self._kinds]
        if same and list(map(len, rows)) == list(map(len, self._rows)):
            self._kinds, self._rows = kinds, rows
            last = len(Column) - 1
            for place, below in enumerate(rows):
                top = self.index(place, 0)
                self.dataChanged.emit(top, self.index(place, last))
                if below:
                    bottom = self.index(self.rowCount(top) - 1, last, top)
                    self.dataChanged.emit(self.index(0, 0, top), bottom)
            return
        self.beginResetModel()
        self._kinds, self._rows = kinds, rows
        self.endResetModel()

    @property
    def kinds(self) -> tuple[PreviewKind, ...]:
        return self._kinds

    def is_more(self, index: AnyIndex) -> bool:
        """Whether a row stands for the places of its kind that are not listed yet."""
        if not index.isValid() or index.internalId() == 0:
            return False
        return index.row() == self._limit(index.internalId() - 1)

    def list_more(self, index: AnyIndex) -> None:
        """List further places in front of a row that stands for them."""
        number = index.internalId() - 1
        above = self.index(number, 0)
        listed, before = self._limit(number), self.rowCount(above)
        wanted = self._enough(2 * listed, len(self._rows[number]))
        after = min(len(self._rows[number]), wanted + 1)
        # The row for the others comes last again; where there are none, a place takes its row.
        self.beginInsertRows(above, listed, listed + after - before - 1)
        self._most[self._kinds[number].rule] = wanted
        self.endInsertRows()
        bottom = self.index(after - 1, len(Column) - 1, above)
        self.dataChanged.emit(self.index(listed, 0, above), bottom)

    def _limit(self, number: int) -> int:
        most = self._most.get(self._kinds[number].rule, _MOST)
        return self._enough(most, len(self._rows[number]))

    @staticmethod
    def _enough(wanted: int, whole: int) -> int:
        # A row that stands for one place is better that place.
        return whole if whole <= wanted + 1 else wanted

    def place_at(self, index: AnyIndex) -> PlaceRow | None:
        """Return the place of a row; None for a kind, and for what is not listed yet."""
        if not index.isValid() or index.internalId() == 0 or self.is_more(index):
            return None
        return self._rows[index.internalId() - 1][index.row()]

    def kind_at(self, index: AnyIndex) -> PreviewKind | None:
        """Return the kind of a row; None for a place."""
        if not index.isValid() or index.internalId():
            return None
        return self._kinds[index.row()]

    def toggle(self, index: AnyIndex) -> None:
        """Ask for the other state of a row; a kind of which a part is replaced becomes whole."""
        if (row := self.place_at(index)) is not None:
            self.secret_ticked.emit(row[0], not row[0].ticked)
        elif (kind := self.kind_at(index)) is not None:
            self.kind_ticked.emit(kind, kind.count < kind.total)

    # -- Qt's -----------------------------------------------------------------------------

    def index(self, row: int, column: int, parent: AnyIndex = _NOWHERE) -> QModelIndex:
        if not self.hasIndex(row, column, parent):
            return QModelIndex()
        return self.createIndex(row, column, parent.row() + 1 if parent.isValid() else 0)

    def parent(self, index: AnyIndex) -> QModelIndex:  # type: ignore[override]  # Qt has two
        above = index.internalId() if index.isValid() else 0
        return self.createIndex(above - 1, 0, 0) if above else QModelIndex()

    def rowCount(self, parent: AnyIndex = _NOWHERE) -> int:
        if not parent.isValid():
            return len(self._kinds)
        if parent.internalId() or parent.column():
            return 0
        return min(len(self._rows[parent.row()]), self._limit(parent.row()) + 1)

    def columnCount(self, _parent: AnyIndex = _NOWHERE) -> int:
        return len(Column)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return _TITLES[Column(section)]
        return None

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if (row := self.place_at(index)) is not None:
            return _of_place(row, Column(index.column()), role)
        if (kind := self.kind_at(index)) is not None:
            return _of_kind(kind, Column(index.column()), role)
        if self.is_more(index) and index.column() == Column.NOW and role in _SPOKEN:
            number = index.internalId() - 1
            left = len(self._rows[number]) - self._limit(number)
            return f"{plural(left, 'more place', 'more places')}: list them"
        return None

    def setData(self, index: AnyIndex, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        if role != Qt.ItemDataRole.CheckStateRole or not index.isValid():
            return False
        wanted = Qt.CheckState(value) == Qt.CheckState.Checked
        if (row := self.place_at(index)) is not None and row[0].ticked != wanted:
            self.secret_ticked.emit(row[0], wanted)
        elif (kind := self.kind_at(index)) is not None:
            self.kind_ticked.emit(kind, wanted)
        return True

    def flags(self, index: AnyIndex) -> Qt.ItemFlag:
        flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        if index.isValid() and index.column() == Column.NOW and not self.is_more(index):
            flags |= Qt.ItemFlag.ItemIsUserCheckable
        return flags


def _of_place(row: PlaceRow, column: Column, role: int) -> Any:
    secret, place = row
    match role:
        case Qt.ItemDataRole.DisplayRole:
            words = {Column.NOW: place.line, Column.THEN: becomes_words(secret)}
            return words.get(column) or where_words(place)
        case Qt.ItemDataRole.AccessibleTextRole:
            return spoken_place(secret, place) if column is Column.NOW else None
        case Qt.ItemDataRole.ToolTipRole:
            words = {Column.NOW: place.line, Column.WHERE: where_words(place)}
            return tip(words[column][:_LONGEST_TIP]) if column in words else None
        case Qt.ItemDataRole.CheckStateRole if column is Column.NOW:
            return Qt.CheckState.Checked if secret.ticked else Qt.CheckState.Unchecked
        case _ if role == ROW_ROLE:
            return row
    return None


def _of_kind(kind: PreviewKind, column: Column, role: int) -> Any:
    name, says = kind_words(kind)
    match role:
        case Qt.ItemDataRole.DisplayRole:
            return {Column.NOW: name, Column.THEN: kind_count_words(kind), Column.WHERE: says}[
                column
            ]
        case Qt.ItemDataRole.AccessibleTextRole:
            return f"{name}, {says}: {kind_count_words(kind)}" if column is Column.NOW else None
        case Qt.ItemDataRole.CheckStateRole if column is Column.NOW:
            if kind.count == kind.total:
                return Qt.CheckState.Checked
            return Qt.CheckState.PartiallyChecked if kind.count else Qt.CheckState.Unchecked
        case _ if role == ROW_ROLE:
            return kind
    return None
