"""Lists what a redaction would replace, with ticks, by kind and by place."""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt, Signal
from PySide6.QtGui import QFont, QFontMetrics, QKeyEvent, QPainter, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeView,
    QWidget,
)

from inspector.gui import theme
from inspector.gui.models.redaction_model import Column, RedactionModel
from inspector.gui.models.roles import ROW_ROLE
from inspector.gui.widgets.row_paint import write_line
from inspector.presentation.redaction_places import PreviewKind, PreviewPlace
from inspector.presentation.redaction_words import becomes_words, where_words
from inspector.presentation.visible import one_line

AnyIndex = QModelIndex | QPersistentModelIndex
_WIDE_PLACEHOLDER = "<authorization:10>"
_RIGHT, _LEFT = Qt.TextElideMode.ElideRight, Qt.TextElideMode.ElideLeft


class RedactionDelegate(QStyledItemDelegate):
    """Draws a place: what stands around it, what is taken out, and what stands there then."""

    def sizeHint(self, option: QStyleOptionViewItem, index: AnyIndex) -> QSize:
        return QSize(super().sizeHint(option, index).width(), theme.row_height())

    def initStyleOption(self, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        super().initStyleOption(option, index)
        if isinstance(index.data(ROW_ROLE), PreviewKind):
            option.font = theme.font(strong=index.column() == Column.NOW)
            if index.column() != Column.NOW:
                option.palette.setColor(option.palette.ColorRole.Text, theme.current().secondary)
        elif index.data(ROW_ROLE) is not None:
            option.text = ""  # drawn by us

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        super().paint(painter, option, index)
        row = index.data(ROW_ROLE)
        if not isinstance(row, tuple):
            if row is not None:
                self._mark_part(painter, option, index)
            return
        secret, place = row
        painter.save()
        room = self._room(option, index)
        match index.column():
            case Column.NOW:
                _paint_line(painter, room, place, ticked=secret.ticked)
            case Column.THEN:
                ground = "added_ground" if secret.ticked else ""
                font = theme.monospace(-1) if secret.ticked else theme.font(-1)
                ink = "text" if secret.ticked else "changed"
                _on_ground(painter, room, becomes_words(secret), font, ink, ground)
            case _:
                write_line(painter, room, where_words(place), theme.font(-1), "secondary")
        painter.restore()

    def _mark_part(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        """Draw the box of a kind of which only a part is replaced: some styles leave it empty."""
        if index.data(Qt.ItemDataRole.CheckStateRole) is not Qt.CheckState.PartiallyChecked:
            return
        shown = QStyleOptionViewItem(option)
        self.initStyleOption(shown, index)
        style = option.widget.style() if option.widget is not None else QApplication.style()
        part = QStyle.SubElement.SE_ItemViewItemCheckIndicator
        box: QRect = style.subElementRect(part, shown, option.widget)
        dash = QRect(box.left() + box.width() // 4, box.center().y() - 1, box.width() // 2 + 1, 3)
        painter.fillRect(dash, theme.current().accent)

    def _room(self, option: QStyleOptionViewItem, index: AnyIndex) -> QRect:
        shown = QStyleOptionViewItem(option)
        self.initStyleOption(shown, index)
        shown.text = "x"  # without words it has no place for them
        style = option.widget.style() if option.widget is not None else QApplication.style()
        part = QStyle.SubElement.SE_ItemViewItemText
        found: QRect = style.subElementRect(part, shown, option.widget)
        found.setRight(option.rect.right() - theme.GRID_PX)
        return found.adjusted(theme.GRID_PX, 0, 0, 0)


def _paint_line(painter: QPainter, room: QRect, place: PreviewPlace, *, ticked: bool) -> None:
    """Write a place so that what is taken out is always seen, and what is around where it can."""
    font = theme.monospace(-1)
    metrics = QFontMetrics(font)
    words = one_line(place.secret)
    secret = min(metrics.horizontalAdvance(words) + 2, room.width() * 4 // 5)
    before, after = _joined(place)
    left = min(metrics.horizontalAdvance(before), (room.width() - secret) * 2 // 5)
    at = QRect(room.left(), room.top(), left, room.height())
    write_line(painter, at, before, font, "secondary", _LEFT)
    at = QRect(room.left() + left, room.top(), secret, room.height())
    ground = "removed_ground" if ticked else "changed_ground"
    _on_ground(painter, at, words, font, "text", ground)
    at = QRect(at.right() + 1, room.top(), room.right() - at.right(), room.height())
    write_line(painter, at, after, font, "secondary", _RIGHT)


def _joined(place: PreviewPlace) -> tuple[str, str]:
    """Return what stands around a place, with one blank where there is room between."""
    before, after = place.before, place.after
    gap = " " if before[-1:].isspace() else ""
    return one_line(before) + gap, (" " if after[:1].isspace() else "") + one_line(after)


def _on_ground(
    painter: QPainter, room: QRect, words: str, font: QFont, ink: str, ground: str
) -> None:
    metrics = QFontMetrics(font)
    if ground:
        width = min(metrics.horizontalAdvance(words) + 2, room.width())
        high = min(metrics.height() + 2, room.height())
        top = room.top() + (room.height() - high) // 2
        painter.fillRect(QRect(room.left(), top, width, high), getattr(theme.current(), ground))
    write_line(painter, room.adjusted(1, 0, 0, 0), words, font, ink)


class RedactionTree(QTreeView):
    """Shows a `RedactionModel`; a click on a tick, or Space, asks for its other state."""

    place_chosen = Signal(object)  # PreviewSecret and PreviewPlace
    place_opened = Signal(object)  # the same, by a click or Enter

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.rows = RedactionModel(self)
        self._folded: set[str] = set()
        self._showing = False
        self.setModel(self.rows)
        self.setItemDelegate(RedactionDelegate(self))
        self.setAccessibleName("What is replaced, by kind")
        self.setUniformRowHeights(True)
        self.setAllColumnsShowFocus(True)
        self.setIndentation(theme.ICON_PX)
        self.setExpandsOnDoubleClick(False)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        theme.dress_rows(self)
        theme.changes.changed.connect(self.doItemsLayout)
        header = self.header()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        header.setStretchLastSection(True)
        self.collapsed.connect(lambda index: self._fold(index, on=True))
        self.expanded.connect(lambda index: self._fold(index, on=False))
        self.activated.connect(self._open)
        self.clicked.connect(self._open)

    def show_kinds(self, kinds: tuple[PreviewKind, ...]) -> None:
        """Show what a preview finds; what is looked at stays in sight."""
        at = self.currentIndex()
        place = self.rows.place_at(at)
        kind = self.rows.kind_at(at.parent() if place else at)
        self._showing = True
        before = self.rows.kinds
        self.rows.show(kinds)
        if not self.currentIndex().isValid():
            for number, each in enumerate(kinds):
                self.setExpanded(self.rows.index(number, 0), each.rule not in self._folded)
            news = next((k.rule for k in kinds if k.rule not in {b.rule for b in before}), None)
            wanted = news if before and news else kind.rule if kind else None
            self._look_at(wanted, at.row() if place and wanted != news else 0)
        self._showing = False
        self._tell()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._share_width()

    def _share_width(self) -> None:
        """Give the columns what they need."""
        width = self.viewport().width()
        metrics = QFontMetrics(theme.monospace(-1))
        widest = metrics.horizontalAdvance(_WIDE_PLACEHOLDER) + 3 * theme.GRID_PX
        then = min(widest, width // 4)
        self.header().resizeSection(Column.THEN, then)
        self.header().resizeSection(Column.NOW, (width - then) * 3 // 5)

    def currentChanged(self, current: AnyIndex, previous: AnyIndex) -> None:
        super().currentChanged(current, previous)
        if not self._showing:
            self._tell()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Space and self.currentIndex().isValid():
            self.rows.toggle(self.currentIndex())
            return
        super().keyPressEvent(event)

    def _tell(self) -> None:
        self.place_chosen.emit(self.rows.place_at(self.currentIndex()))

    def _open(self, index: AnyIndex) -> None:
        if self.rows.is_more(index):
            self.rows.list_more(index)
        elif (row := self.rows.place_at(index)) is not None:
            self.place_opened.emit(row)

    def _fold(self, index: AnyIndex, *, on: bool) -> None:
        kind = self.rows.kind_at(index)
        if kind is not None and not self._showing:
            (self._folded.add if on else self._folded.discard)(kind.rule)

    def _look_at(self, rule: str | None, row: int) -> None:
        numbers = [n for n, kind in enumerate(self.rows.kinds) if kind.rule == rule]
        number = numbers[0] if numbers else 0
        top = self.rows.index(number, 0)
        last = self.rows.rowCount(top) - 1
        self.setCurrentIndex(self.rows.index(min(row, last), 0, top) if last >= 0 else top)
