"""Two ranked lists of documents as a picture: lines lead from each rank to what it became."""

from PySide6.QtCore import QPointF, QRect, QSize, Qt, Signal
from PySide6.QtGui import (
    QFontMetrics,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QScrollArea, QVBoxLayout, QWidget

from inspector.gui import theme
from inspector.gui.widgets.plain import PanelGround
from inspector.presentation.rank_flow import Flow, FlowEnd, RankFlow

_LEFT = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
_MIDDLE = int(Qt.AlignmentFlag.AlignCenter)
_EMPTY = RankFlow((), (), ())


class RankFlowPicture(QWidget):
    """Draws a `RankFlow`; a click or the arrow keys choose a document."""

    flow_changed = Signal(int)  # which of the documents became current

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._flow = _EMPTY
        self._current = -1
        self._hovered = -1
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setAccessibleName("What became of the documents")
        theme.changes.changed.connect(self._on_theme_changed)

    @property
    def current(self) -> int:
        return self._current

    def show_flow(self, flow: RankFlow) -> None:
        """Show other lists, with the first document that changed chosen."""
        self._flow = flow
        self._hovered = -1
        self._current = -1
        self.setMinimumHeight(self.sizeHint().height())
        self.updateGeometry()
        if flow.flows:
            self.make_current(flow.first_change)
        self.update()

    def make_current(self, number: int) -> None:
        """Choose a document."""
        if number == self._current or not 0 <= number < len(self._flow.flows):
            return
        self._current = number
        self.setAccessibleDescription(self._flow.flows[number].spoken)
        self.update()
        self.flow_changed.emit(number)

    def sizeHint(self) -> QSize:
        rows = max(len(self._flow.left), len(self._flow.right), 1)
        return QSize(420, (rows + 1) * theme.row_height() + theme.GAP_PX)

    def end_place(self, side: int, place: int) -> QRect:
        """Return where a document of a list stands."""
        left, middle = self._widths()
        x = 0 if side == 0 else left + middle
        row = theme.row_height()
        return QRect(x, (place + 1) * row, left, row)

    def place_of(self, number: int) -> QRect | None:
        """Return where one of the documents stands, on the left where it does there."""
        flow = self._flow.flows[number]
        side, place = (0, flow.left) if flow.left is not None else (1, flow.right)
        return None if place is None else self.end_place(side, place)

    def _widths(self) -> tuple[int, int]:
        middle = max(110, self.width() * 3 // 10)
        return (self.width() - middle) // 2, middle

    # Drawing

    def paintEvent(self, _event: QPaintEvent) -> None:
        tokens = theme.current()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        side_px, middle = self._widths()
        row = theme.row_height()
        painter.setFont(theme.font(-1))
        painter.setPen(tokens.secondary)
        pad = theme.GROUP_GAP_PX
        for x, word in ((0, "Left"), (side_px + middle, "Right")):
            painter.drawText(QRect(x + pad, 0, side_px - pad, row), _LEFT, word)
        for number in self._in_order():
            self._paint_line(painter, number)
        for side, ends in enumerate((self._flow.left, self._flow.right)):
            for place, end in enumerate(ends):
                self._paint_end(painter, self.end_place(side, place), side, end)
        # Last, so that no line runs through words.
        for number in self._in_order():
            self._paint_words(painter, number)
        if self.hasFocus() and 0 <= self._current < len(self._flow.flows):
            painter.setPen(QPen(tokens.accent, 1.5))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(self.rect().adjusted(1, 1, -2, -2), 3, 3)
        painter.end()

    def _in_order(self) -> list[int]:
        """Return the documents, the quiet ones first, so that nothing lies over the loud ones."""
        loud = (self._current, self._hovered)
        flows = self._flow.flows
        return sorted(range(len(flows)), key=lambda at: (at in loud, flows[at].mark != "="))

    def _paint_end(self, painter: QPainter, box: QRect, side: int, end: FlowEnd) -> None:
        tokens = theme.current()
        flow = self._flow.flows[end.move]
        if end.move == self._current:
            painter.fillRect(box, tokens.selection)
        elif end.move == self._hovered:
            painter.fillRect(box, tokens.hover)
        elif flow.mark in "−+" or (flow.mark == "≠"):
            painter.fillRect(box, tokens.removed_ground if side == 0 else tokens.added_ground)
        painter.setFont(theme.font())
        metrics = QFontMetrics(theme.font())
        rank_px = metrics.horizontalAdvance("999") + theme.GAP_PX
        score_px = QFontMetrics(theme.font(-1)).horizontalAdvance("00.0000") + theme.GAP_PX
        inner = box.adjusted(theme.GRID_PX, 0, -theme.GAP_PX, 0)
        painter.setPen(tokens.secondary)
        painter.drawText(
            QRect(inner.left(), inner.top(), rank_px - theme.GAP_PX, inner.height()),
            _RIGHT, str(end.rank),
        )  # fmt: skip
        if side == 1 and flow.delta:
            score_px *= 2
        name = inner.adjusted(rank_px + theme.GRID_PX, 0, -score_px, 0)
        painter.setPen(tokens.text if flow.mark != "=" else tokens.secondary)
        if name.width() > 0:
            painter.drawText(
                name, _LEFT,
                metrics.elidedText(end.name, Qt.TextElideMode.ElideMiddle, name.width()),
            )  # fmt: skip
        small = QFontMetrics(theme.font(-1))
        painter.setFont(theme.font(-1))
        painter.setPen(tokens.text if flow.mark != "=" else tokens.secondary)
        painter.drawText(inner, _RIGHT, end.score)
        if side == 1 and flow.delta:
            painter.setPen(tokens.secondary)
            beside = small.horizontalAdvance("00.0000") + theme.GAP_PX
            painter.drawText(inner.adjusted(0, 0, -beside, 0), _RIGHT, flow.delta)

    def _paint_line(self, painter: QPainter, number: int) -> None:
        flow = self._flow.flows[number]
        ends = self._line_ends(flow)
        if ends is None:
            return
        tokens = theme.current()
        start, stop = ends
        loud = number in (self._current, self._hovered)
        ink = tokens.accent if loud else getattr(tokens, flow.ink)
        if flow.mark == "=" and not loud:
            ink = tokens.outline
        painter.setPen(QPen(ink, 2 if loud or flow.mark != "=" else 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        path = QPainterPath(start)
        bend = (stop.x() - start.x()) * 0.45
        path.cubicTo(start + QPointF(bend, 0), stop - QPointF(bend, 0), stop)
        painter.drawPath(path)
        painter.setBrush(ink)
        for point in (start, stop):
            painter.drawEllipse(point, 2.5, 2.5)

    def _line_ends(self, flow: Flow) -> tuple[QPointF, QPointF] | None:
        if flow.left is None or flow.right is None:
            return None
        left, right = self.end_place(0, flow.left), self.end_place(1, flow.right)
        return (
            QPointF(left.right() + theme.GAP_PX, left.center().y() + 0.5),
            QPointF(right.left() - theme.GAP_PX, right.center().y() + 0.5),
        )

    def _paint_words(self, painter: QPainter, number: int) -> None:
        """Say what happened beside the rank it led to, or from which it led nowhere."""
        flow = self._flow.flows[number]
        loud = number in (self._current, self._hovered)
        if not flow.short or (flow.mark == "=" and not loud):
            return
        tokens = theme.current()
        font = theme.font(-1)
        metrics = QFontMetrics(font)
        _, middle = self._widths()
        side, place = (1, flow.right) if flow.right is not None else (0, flow.left)
        assert place is not None
        # Where both lists have something to say in one row, each gets its half.
        shared = self._says(1 - side, place)
        room = (middle // 2 if shared else middle) - 3 * theme.GAP_PX
        mark = "" if flow.mark == "=" else f"{flow.mark} "
        words = metrics.elidedText(f"{mark}{flow.short}", Qt.TextElideMode.ElideRight, room)
        width = metrics.horizontalAdvance(words) + theme.GAP_PX
        end = self.end_place(side, place)
        point = 2 * theme.GAP_PX if flow.left is not None and flow.right is not None else 0
        x = end.right() + theme.GAP_PX if side == 0 else end.left() - theme.GAP_PX - width - point
        box = QRect(x, end.top(), width, end.height())
        painter.fillRect(box.adjusted(0, 4, 0, -4), tokens.panel)
        painter.setFont(font)
        painter.setPen(tokens.text if flow.mark == "=" else getattr(tokens, flow.ink))
        painter.drawText(box, _MIDDLE, words)

    def _says(self, side: int, place: int) -> bool:
        ends = self._flow.left if side == 0 else self._flow.right
        if place >= len(ends):
            return False
        flow = self._flow.flows[ends[place].move]
        return flow.mark != "=" and (side == 1 or flow.right is None)

    # What a person does

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._hover(self._flow_at(event.position().toPoint().x(), event.position().toPoint().y()))

    def leaveEvent(self, _event: object) -> None:
        self._hover(-1)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        point = event.position().toPoint()
        if event.button() is Qt.MouseButton.LeftButton:
            self.make_current(self._flow_at(point.x(), point.y()))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}.get(Qt.Key(event.key()))
        if step is None:
            super().keyPressEvent(event)
            return
        self.make_current(self._current + step)

    def _flow_at(self, x: int, y: int) -> int:
        side_px, middle = self._widths()
        side = 0 if x < side_px + middle // 2 else 1
        ends = self._flow.left if side == 0 else self._flow.right
        place = y // theme.row_height() - 1
        return ends[place].move if 0 <= place < len(ends) else -1

    def _hover(self, number: int) -> None:
        if number != self._hovered:
            self._hovered = number
            self.update()

    def _on_theme_changed(self) -> None:
        self.setMinimumHeight(self.sizeHint().height())
        self.update()


class RankFlowView(QWidget):
    """The picture, which scrolls where it is long."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.picture = RankFlowPicture()
        self._ground = PanelGround(self.picture)
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setFrameShape(QScrollArea.Shape.NoFrame)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setAccessibleName("Documents")
        area.setWidget(self.picture)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(area)
        self.setFocusProxy(self.picture)
        self._area = area
        self.picture.flow_changed.connect(self._show_current)

    def _show_current(self, number: int) -> None:
        box = self.picture.place_of(number)
        if box is not None:
            self._area.ensureVisible(box.center().x(), box.center().y(), 0, box.height())
