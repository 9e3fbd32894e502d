"""The line one types a search into, with what could come next below it."""

from PySide6.QtCore import QEvent, QModelIndex, QObject, QPoint, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QListWidget,
    QListWidgetItem,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from inspector.gui import theme
from inspector.gui.widgets.marked_line import MarkedLine
from inspector.gui.widgets.row_paint import paint_ground
from inspector.presentation.completing import Completions

_MOST_ROWS = 12
_WIDTH_PX = 420
_ABOUT_ROLE = Qt.ItemDataRole.UserRole
_TEXT_ROLE = Qt.ItemDataRole.UserRole + 1


class SearchLine(MarkedLine):
    """Takes keys: arrows and Tab for what is offered, Enter for results, Esc to leave.

    It asks its owner for completions, and underlines what the owner says is wrong.
    """

    completions_wanted = Signal(str, int)  # the line, and where the caret is
    stepped = Signal(int)  # 1 to the next result, -1 to the one before
    left = Signal()
    earlier_wanted = Signal(int)  # 1 to an older line, -1 to a newer one

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._offer = Completions(0, 0)
        self._popup: _Popup | None = None
        self.setPlaceholderText('Search: words, kind:tool, status:failed, "exact words" …')
        self.setAccessibleName("Search this run")
        self.setClearButtonEnabled(False)
        self.textEdited.connect(lambda _text: self._ask())

    @property
    def is_offering(self) -> bool:
        return self._popup is not None and self._popup.isVisible()

    def offer(self, completions: Completions) -> None:
        """Show what could stand at the caret."""
        self._offer = completions
        if not completions.choices or not self.hasFocus():
            self.stop_offering()
            return
        if self._popup is None:
            self._popup = _Popup(self.window())
            self._popup.chosen.connect(self._take)
        self._popup.fill(completions)
        corner = self.mapTo(self.window(), QPoint(self.x_of(completions.start), self.height()))
        self._popup.place(corner)

    def stop_offering(self) -> None:
        if self._popup is not None:
            self._popup.hide()

    def event(self, event: QEvent) -> bool:
        # Tab takes what is offered, and Esc closes it before anything else that listens.
        if isinstance(event, QKeyEvent):
            if event.type() == QEvent.Type.ShortcutOverride and event.key() == Qt.Key.Key_Escape:
                event.accept()
                return True
            if event.type() == QEvent.Type.KeyPress and self._key(event):
                return True
        return super().event(event)

    def focusOutEvent(self, event: object) -> None:
        self.stop_offering()
        super().focusOutEvent(event)  # type: ignore[arg-type]  # a QFocusEvent

    def _key(self, event: QKeyEvent) -> bool:
        key = Qt.Key(event.key())
        plain = not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        popup = self._popup if self.is_offering else None
        if popup is not None and plain:
            if key in (Qt.Key.Key_Up, Qt.Key.Key_Down):
                popup.move_by(1 if key == Qt.Key.Key_Down else -1)
                return True
            if key == Qt.Key.Key_Tab or (
                key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and popup.currentRow() >= 0
            ):
                self._take(max(0, popup.currentRow()))
                return True
            if key == Qt.Key.Key_Escape:
                self.stop_offering()
                return True
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.stop_offering()
            self.stepped.emit(-1 if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1)
            return True
        if key == Qt.Key.Key_Escape:
            self.left.emit()
            return True
        if plain and key in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            self.earlier_wanted.emit(1 if key == Qt.Key.Key_Up else -1)
            return True
        if key == Qt.Key.Key_Space and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self._ask()
            return True
        return False

    def _ask(self) -> None:
        self.completions_wanted.emit(self.text(), self.cursorPosition())

    def _take(self, row: int) -> None:
        """Put a choice in the place of what is being typed."""
        offer = self._offer
        if not 0 <= row < len(offer.choices):
            return
        text, chosen = self.text(), offer.choices[row].text
        goes_on = chosen.endswith(":")
        rest = text[offer.end :]
        space = "" if goes_on or rest.startswith((" ", ")")) else " "
        self.stop_offering()
        self.setText(f"{text[: offer.start]}{chosen}{space}{rest}")
        self.setCursorPosition(offer.start + len(chosen) + len(space))
        self.textEdited.emit(self.text())


class _Popup(QListWidget):
    """A list over the window that leaves the focus where it is."""

    chosen = Signal(int)

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setAccessibleName("What could come next")
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setMouseTracking(True)
        self.setAutoFillBackground(True)
        self.setItemDelegate(_ChoiceDelegate(self))
        self.itemClicked.connect(lambda item: self.chosen.emit(self.row(item)))
        self.hide()

    def fill(self, completions: Completions) -> None:
        self.clear()
        for choice in completions.choices:
            item = QListWidgetItem(choice.shown, self)
            item.setData(_ABOUT_ROLE, choice.about)
            item.setData(_TEXT_ROLE, choice.text)
            item.setData(
                Qt.ItemDataRole.AccessibleTextRole, f"{choice.shown} {choice.about}".strip()
            )
        self.setCurrentRow(-1)

    def place(self, corner: QPoint) -> None:
        window = self.parentWidget()
        assert window is not None
        width = min(_WIDTH_PX * theme.row_height() // 24, window.width() - 16)
        height = min(self.count(), _MOST_ROWS) * theme.row_height() + 2 * self.frameWidth()
        left = max(8, min(corner.x(), window.width() - width - 8))
        self.setGeometry(left, corner.y() + 2, width, min(height, window.height() - corner.y() - 8))
        self.show()
        self.raise_()

    def move_by(self, by: int) -> None:
        count = self.count()
        at = self.currentRow()
        self.setCurrentRow((at + by) % count if at >= 0 else (0 if by > 0 else count - 1))


class _ChoiceDelegate(QStyledItemDelegate):
    """Draws what could come next, and beside it what that means."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex) -> QSize:  # type: ignore[override]  # Qt says so
        return QSize(super().sizeHint(option, index).width(), theme.row_height())

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex,  # type: ignore[override]  # Qt says so
    ) -> None:
        tokens = theme.current()
        painter.save()
        paint_ground(painter, option)
        place = option.rect.adjusted(theme.GAP_PX, 0, -theme.GAP_PX, 0)
        middle = Qt.AlignmentFlag.AlignVCenter
        painter.setFont(theme.monospace())
        painter.setPen(tokens.text)
        metrics = painter.fontMetrics()
        words = metrics.elidedText(index.data(), Qt.TextElideMode.ElideMiddle, place.width())
        painter.drawText(place, int(Qt.AlignmentFlag.AlignLeft | middle), words)
        left = metrics.horizontalAdvance(words) + theme.GROUP_GAP_PX
        painter.setFont(theme.font(-1))
        painter.setPen(tokens.secondary)
        about = painter.fontMetrics().elidedText(
            index.data(_ABOUT_ROLE) or "", Qt.TextElideMode.ElideRight, place.width() - left
        )
        painter.drawText(place, int(Qt.AlignmentFlag.AlignRight | middle), about)
        painter.restore()
