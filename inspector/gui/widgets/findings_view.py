"""A list of findings: how bad, in a sentence, and the spans that prove it."""

from PySide6.QtCore import (
    QAbstractItemModel,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QPointF,
    QRect,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QAbstractTextDocumentLayout,
    QFontMetrics,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QResizeEvent,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
)
from PySide6.QtWidgets import QListView, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from inspector.findings import Severity
from inspector.gui import theme
from inspector.gui.models.roles import ROW_ROLE
from inspector.gui.widgets.row_paint import paint_ground
from inspector.presentation.finding_list import FindingRow, severity_word

AnyIndex = QModelIndex | QPersistentModelIndex

_SCHEME = "span:"
_PAD_PX = theme.GAP_PX
_MOST_KEPT = 500
_MOST_AT_ONCE = 200
_BATCH = 40
_TICK = "`"


class FindingsView(QListView):
    """Draws findings. Up and Down go from one to the next, Left and Right from span to span."""

    place_chosen = Signal(str)  # the id of a span

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._delegate = _FindingDelegate(self)
        self.setItemDelegate(self._delegate)
        self.setAccessibleName("Findings")
        self.setFrameShape(QListView.Shape.NoFrame)
        self.setResizeMode(QListView.ResizeMode.Adjust)
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setEditTriggers(QListView.EditTrigger.NoEditTriggers)
        self.setMouseTracking(True)
        theme.dress_rows(self)
        theme.changes.changed.connect(self._forget)

    def setModel(self, model: QAbstractItemModel | None) -> None:
        super().setModel(model)
        if model is not None:
            model.modelReset.connect(self._lay_out_in_turns)

    def _lay_out_in_turns(self) -> None:
        """Measure a long list a part at a time: each row is a text of its own."""
        is_long = self.model().rowCount() > _MOST_AT_ONCE
        mode = QListView.LayoutMode.Batched if is_long else QListView.LayoutMode.SinglePass
        self.setLayoutMode(mode)
        self.setBatchSize(_BATCH)

    def mark_span(self, span_id: str) -> None:
        """Show which of the spans is selected now."""
        if span_id != self._delegate.marked:
            self._delegate.marked = span_id
            self._delegate.forget()
            self.viewport().update()

    def place_rect(self, index: QModelIndex, number: int) -> QRect:
        """Return where the link to a span stands, for those who point at it."""
        return self._delegate.place_rect(self.visualRect(index), index, number)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._forget()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        over = bool(self._place_at(event.position().toPoint()))
        shape = Qt.CursorShape.PointingHandCursor if over else Qt.CursorShape.ArrowCursor
        self.viewport().setCursor(shape)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        # Before the view makes the row current, which leads to its first span.
        place = self._place_at(event.position().toPoint())
        super().mousePressEvent(event)
        if place and event.button() is Qt.MouseButton.LeftButton:
            self.place_chosen.emit(place)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        match event.key():
            case Qt.Key.Key_Left:
                self._step(-1)
            case Qt.Key.Key_Right:
                self._step(1)
            case Qt.Key.Key_Return | Qt.Key.Key_Enter:
                self._step(0)
            case _:
                super().keyPressEvent(event)

    def _step(self, by: int) -> None:
        """Go to another of the spans of the current finding."""
        row = self.currentIndex().data(ROW_ROLE)
        if not isinstance(row, FindingRow) or not row.places:
            return
        ids = [place.span_id for place in row.places]
        at = ids.index(self._delegate.marked) + by if self._delegate.marked in ids else 0
        self.place_chosen.emit(ids[at % len(ids)])

    def _place_at(self, at: QPoint) -> str:
        index = self.indexAt(at)
        return self._delegate.place_at(self.visualRect(index), index, at) if index.isValid() else ""

    def _forget(self) -> None:
        self._delegate.forget()
        self.scheduleDelayedItemsLayout()


class _FindingDelegate(QStyledItemDelegate):
    """Lays a finding out as a text of its own, whose links are its spans."""

    def __init__(self, view: QListView) -> None:
        super().__init__(view)
        self._view = view
        self.marked = ""
        self._laid_out: dict[tuple[FindingRow, int], QTextDocument] = {}

    def forget(self) -> None:
        """Lay everything out anew when it is next seen."""
        self._laid_out.clear()

    def sizeHint(self, _option: QStyleOptionViewItem, index: AnyIndex) -> QSize:
        row = index.data(ROW_ROLE)
        width = self._view.viewport().width()
        if not isinstance(row, FindingRow):
            return QSize(width, theme.row_height())
        document = self._document(row, width - self._left() - _PAD_PX)
        return QSize(width, round(document.size().height()) + 2 * _PAD_PX + 1)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        row = index.data(ROW_ROLE)
        if not isinstance(row, FindingRow):
            return
        tokens = theme.current()
        place: QRect = option.rect
        painter.save()
        paint_ground(painter, option)
        painter.fillRect(place.left(), place.bottom(), place.width(), 1, tokens.border)
        font = theme.font(strong=True)
        line = QFontMetrics(font).height()
        top = place.top() + _PAD_PX
        size = theme.ICON_PX
        left = place.left() + theme.GROUP_GAP_PX
        painter.drawPixmap(left, top + (line - size) // 2, theme.pixmap(row.icon, row.colour, size))
        painter.setFont(font)
        painter.setPen(getattr(tokens, row.colour))
        left += size + theme.GRID_PX + 2
        document = self._document(row, place.width() - self._left() - _PAD_PX)
        first = document.firstBlock().layout().lineAt(0)
        painter.drawText(left, top + round(first.ascent()), row.word)
        painter.translate(place.left() + self._left(), top)
        document.documentLayout().draw(painter, QAbstractTextDocumentLayout.PaintContext())
        painter.restore()

    def place_at(self, rect: QRect, index: QModelIndex, at: QPoint) -> str:
        """Return the span whose link is below the pointer."""
        row = index.data(ROW_ROLE)
        if not isinstance(row, FindingRow):
            return ""
        document = self._document(row, rect.width() - self._left() - _PAD_PX)
        inside = QPointF(at - rect.topLeft() - QPoint(self._left(), _PAD_PX))
        anchor = document.documentLayout().anchorAt(inside)
        return anchor.removeprefix(_SCHEME) if anchor.startswith(_SCHEME) else ""

    def place_rect(self, rect: QRect, index: QModelIndex, number: int) -> QRect:
        """Return where the link to a span stands: the answer that `place_at` gives there."""
        row = index.data(ROW_ROLE)
        wanted = row.places[number].span_id
        step = max(2, theme.row_height() // 4)
        for top in range(rect.top(), rect.bottom(), step):
            for left in range(rect.left() + self._left(), rect.right(), step):
                if self.place_at(rect, index, QPoint(left, top)) == wanted:
                    return QRect(left, top, step, step)
        return QRect()

    def _left(self) -> int:
        """Return where sentences begin: after the widest word for a severity."""
        metrics = QFontMetrics(theme.font(strong=True))
        words = max(metrics.horizontalAdvance(severity_word(each)) for each in Severity)
        return theme.GROUP_GAP_PX + theme.ICON_PX + words + theme.GROUP_GAP_PX + 2

    def _document(self, row: FindingRow, width: int) -> QTextDocument:
        key = (row, width)
        if key not in self._laid_out:
            if len(self._laid_out) >= _MOST_KEPT:
                self._laid_out.clear()
            self._laid_out[key] = _document_of(row, width, self.marked)
        return self._laid_out[key]


def _document_of(row: FindingRow, width: int, marked: str) -> QTextDocument:
    document = QTextDocument()
    document.setUndoRedoEnabled(False)
    document.setDocumentMargin(0)
    document.setDefaultFont(theme.font())
    cursor = QTextCursor(document)
    _write(cursor, row.sentence, "text", 0)
    block = QTextBlockFormat()
    block.setTopMargin(theme.GRID_PX / 2)
    if row.hint:
        cursor.insertBlock(block)
        _write(cursor, row.hint, "secondary", 0)
    if row.places:
        block.setTopMargin(theme.GRID_PX)
        cursor.insertBlock(block)
        for number, place in enumerate(row.places):
            if number:
                cursor.insertText("   ", _look("secondary", 0))
            link = _look("accent", -1, mono=True)
            link.setAnchor(True)
            link.setAnchorHref(f"{_SCHEME}{place.span_id}")
            link.setFontUnderline(place.span_id == marked)
            # Where a label breaks is where a link would be cut in two.
            cursor.insertText(f"→ {place.label}".replace(" ", "\u00a0"), link)
    document.setTextWidth(max(80, width))
    return document


def _write(cursor: QTextCursor, text: str, colour: str, step: int) -> None:
    """Write a sentence; the names in it, which come from the file, in the fixed font."""
    for number, part in enumerate(text.split(_TICK)):
        if part:
            cursor.insertText(part, _look(colour, step, mono=number % 2 == 1))


def _look(colour: str, step: int, *, mono: bool = False) -> QTextCharFormat:
    look = QTextCharFormat()
    look.setFont(theme.monospace(step) if mono else theme.font(step))
    look.setForeground(getattr(theme.current(), colour))
    return look
