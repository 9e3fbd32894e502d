"""The strip beside a tree of spans in which breakpoints are set, and seen."""

from collections.abc import Callable

from PySide6.QtCore import QEvent, QModelIndex, QObject, QPoint, QPointF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QHelpEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPolygonF,
)
from PySide6.QtWidgets import QToolTip, QTreeView, QWidget

from inspector.gui import theme
from inspector.gui.tips import tip
from inspector.presentation.breakpoints import GutterMark

MarkOf = Callable[[QModelIndex], GutterMark | None]
_DOT_PX = 9
_SMALL_PX = 5
_WIDTH_PX = 16
_LINE_PX = 1.5


class BreakpointGutter(QWidget):
    """Stands to the left of a tree and draws a mark before each row that has one.

    The shape says what it is, not the colour alone: a disc is a breakpoint, a diamond one
    with a condition, a ring one that is switched off, a small dot one of a kind that covers
    this call as well; an arrow points at the call that is held now.

    The mouse is a short cut here: F9 and the tree's own words say and do the same.
    """

    toggled = Signal(QModelIndex)
    menu_requested = Signal(QModelIndex, QPoint)  # where on the screen

    def __init__(self, view: QTreeView, mark_of: MarkOf, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._view = view
        self._mark_of = mark_of
        self._under_mouse = QModelIndex()
        self.setFixedWidth(_WIDTH_PX)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setAccessibleName("Breakpoints")
        self.setAccessibleDescription("Click beside a call to pause before it. F9 does the same.")
        view.viewport().installEventFilter(self)
        view.verticalScrollBar().valueChanged.connect(self._again)
        view.expanded.connect(self._again)
        view.collapsed.connect(self._again)
        theme.changes.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        return QSize(_WIDTH_PX, 0)

    def place_of(self, index: QModelIndex) -> QPoint:
        """Return where the mark of a row is drawn, as the mouse would meet it."""
        box = self._view.visualRect(index)
        return QPoint(self.width() // 2, box.center().y() + self._top())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        # The tree paints anew whenever its rows are others, or stand elsewhere.
        if event.type() in (QEvent.Type.Paint, QEvent.Type.Resize):
            self.update()
        return super().eventFilter(watched, event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), theme.current().panel)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        top = self._top()
        painter.setClipRect(0, top, self.width(), self._view.viewport().height())
        index = self._view.indexAt(QPoint(0, 0))
        bottom = self._view.viewport().height()
        while index.isValid():
            box = self._view.visualRect(index)
            if box.top() > bottom:
                break
            mark = self._mark_of(index)
            if mark is not None:
                middle = QPointF(self.width() / 2, box.center().y() + top + 0.5)
                self._paint_mark(painter, middle, mark, hovered=index == self._under_mouse)
            index = self._view.indexBelow(index)
        painter.end()

    def _paint_mark(
        self, painter: QPainter, middle: QPointF, mark: GutterMark, *, hovered: bool
    ) -> None:
        tokens = theme.current()
        if mark.paused:
            _paint_arrow(painter, middle, tokens.changed, hollow=mark.sort == "")
            return
        match mark.sort:
            case "set":
                _paint_disc(painter, middle, tokens.failed)
            case "conditional":
                _paint_diamond(painter, middle, tokens.failed)
            case "off":
                _paint_ring(painter, middle, tokens.secondary)
            case "covered":
                _paint_disc(painter, middle, tokens.failed, _SMALL_PX)
            case _ if hovered:
                _paint_ring(painter, middle, tokens.outline)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        index = self._at(event.position().toPoint())
        if event.button() is Qt.MouseButton.LeftButton and index.isValid():
            self.toggled.emit(index)
        else:
            super().mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._hover(self._at(event.position().toPoint()))

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._hover(QModelIndex())

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        index = self._at(event.pos())
        if index.isValid():
            self.menu_requested.emit(index, event.globalPos())

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            index = self._at(event.pos())
            mark = self._mark_of(index) if index.isValid() else None
            QToolTip.showText(event.globalPos(), tip(_tip(mark)) if mark else "", self)
            return True
        return super().event(event)

    def _again(self) -> None:
        self._under_mouse = QModelIndex()
        self.update()

    def _hover(self, index: QModelIndex) -> None:
        if index != self._under_mouse:
            self._under_mouse = index
            can = index.isValid() and self._mark_of(index) is not None
            self.setCursor(Qt.CursorShape.PointingHandCursor if can else Qt.CursorShape.ArrowCursor)
            self.update()

    def _at(self, place: QPoint) -> QModelIndex:
        return self._view.indexAt(QPoint(0, place.y() - self._top()))

    def _top(self) -> int:
        """Return where the first row begins, below the header."""
        corner = self._view.viewport().mapToGlobal(QPoint(0, 0))
        return self.mapFromGlobal(corner).y()


def _tip(mark: GutterMark) -> str:
    if not mark.sort:
        return "Pause a replay before this call (F9)"
    words = f"{mark.spoken[:1].upper()}{mark.spoken[1:]}"
    return f"{words}. Click sets one for this call only." if mark.sort == "covered" else words


def _paint_disc(painter: QPainter, middle: QPointF, ink: QColor, size: int = _DOT_PX) -> None:
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(ink)
    painter.drawEllipse(middle, size / 2, size / 2)


def _paint_ring(painter: QPainter, middle: QPointF, ink: QColor) -> None:
    painter.setPen(QPen(ink, _LINE_PX))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawEllipse(middle, _DOT_PX / 2 - 0.5, _DOT_PX / 2 - 0.5)


def _paint_diamond(painter: QPainter, middle: QPointF, ink: QColor) -> None:
    half = _DOT_PX / 2 + 1
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(ink)
    corners = ((0, -half), (half, 0), (0, half), (-half, 0))
    painter.drawPolygon(QPolygonF([middle + QPointF(x, y) for x, y in corners]))


def _paint_arrow(painter: QPainter, middle: QPointF, ink: QColor, *, hollow: bool) -> None:
    half = _DOT_PX / 2
    shape = QPolygonF(
        [middle + QPointF(x, y) for x, y in ((-half, -half), (half, 0), (-half, half))]
    )
    painter.setPen(QPen(ink, _LINE_PX))
    painter.setBrush(Qt.BrushStyle.NoBrush if hollow else ink)
    painter.drawPolygon(shape)
