"""The answer to where a value came from or who used it: a line a place, solid or dashed."""

from PySide6.QtCore import (
    QLineF,
    QModelIndex,
    QPersistentModelIndex,
    QPointF,
    QRect,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QFontMetrics, QKeyEvent, QPainter, QPen, QPolygonF
from PySide6.QtWidgets import (
    QHBoxLayout,
    QListView,
    QSizePolicy,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from inspector.gui import theme
from inspector.gui.models.origins_model import CANDIDATE_ROLE, OriginsModel
from inspector.gui.widgets.labels import ElidedWords, Words
from inspector.gui.widgets.plain import Hairline, IconButton, LinkButton, PanelGround
from inspector.gui.widgets.row_paint import paint_ground
from inspector.presentation.provenance_answer import Answer, Candidate, Link, link_words
from inspector.presentation.visible import one_line

AnyIndex = QModelIndex | QPersistentModelIndex

_MOST_ROWS = 5  # in sight at once
_LINE_PX = 28
_ARROW_PX = 4
_LEFT = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)


class OriginsView(QWidget):
    """Stands below the values and says where the one that was asked about leads."""

    chosen = Signal(object)  # Candidate
    back_requested = Signal()
    closed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        PanelGround(self)
        self.setAccessibleName("Where a value came from, or who used it")
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self._question = ElidedWords(strong=True)
        self._back = LinkButton("Back to it", self.back_requested.emit)
        self._back.hide()
        self._model = OriginsModel(self)
        self._list = _List(self)
        self._list.setModel(self._model)
        self._list.activated.connect(self._on_chosen)
        self._list.clicked.connect(self._on_chosen)
        self._list.escape_pressed.connect(self.closed)
        self._note = Words(colour="secondary", wrap=True)
        self._note.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._note.setContentsMargins(theme.GAP_PX, 0, theme.GAP_PX, theme.GRID_PX)

        head = QHBoxLayout()
        head.setContentsMargins(theme.GAP_PX, theme.GRID_PX, theme.GRID_PX, 0)
        head.setSpacing(theme.GAP_PX)
        head.addWidget(self._question, 1)
        head.addWidget(self._back)
        head.addWidget(IconButton("close", "Close this answer (Esc)", self.closed.emit))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(theme.GRID_PX)
        layout.addWidget(Hairline(self))
        layout.addLayout(head)
        layout.addWidget(self._list)
        layout.addWidget(self._note)
        theme.changes.changed.connect(self._fit)

    def show_looking(self) -> None:
        """Say that an answer is being looked for."""
        self._say(Answer("Looking through the run…"))

    def show_answer(self, answer: Answer) -> None:
        """Show what was found."""
        self._say(answer)
        if answer.candidates:
            self._list.setCurrentIndex(self._model.index(0))

    def show_failure(self, words: str) -> None:
        """Say that no answer could be found."""
        self._say(Answer("This could not be answered", note=words))

    def offer_back(self, offered: bool) -> None:
        """Offer the way back to the value that was asked about."""
        self._back.setVisible(offered)

    @property
    def current(self) -> Candidate | None:
        return self._model.candidate(self._list.currentIndex())

    def take_focus(self) -> None:
        """Put the focus where Enter leads on, and Esc away."""
        self._list.setFocus(Qt.FocusReason.OtherFocusReason)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.closed.emit()
        else:
            super().keyPressEvent(event)

    def _say(self, answer: Answer) -> None:
        self._question.setText(one_line(answer.question.replace("`", "")))
        self._model.show_answer(answer)
        note = answer.note.replace("`", "")
        if not note and not answer.candidates and answer.question.endswith("came from"):
            note = "Nothing that was recorded before holds it."
        self._note.setText(one_line(note))
        self._note.setVisible(bool(note))
        self._list.setVisible(bool(answer.candidates))
        self._list.setAccessibleName(one_line(answer.question))
        self.offer_back(False)
        self._fit()

    def _fit(self) -> None:
        rows = self._model.rowCount()
        above = self.parentWidget()
        room = above.height() // 3 if above is not None else 0
        most = min(max(2, room // _row_px()), _MOST_ROWS)
        # Half a row more says that there are more.
        more = _row_px() // 2 if rows > most else 0
        self._list.setFixedHeight(min(rows, most) * _row_px() + more)

    def _on_chosen(self, index: QModelIndex) -> None:
        each = self._model.candidate(index)
        if each is not None:
            self.chosen.emit(each)


class _List(QListView):
    escape_pressed = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        theme.dress_rows(self)
        self.setItemDelegate(_OriginDelegate(self))
        self.setUniformItemSizes(True)
        self.setFrameShape(QListView.Shape.NoFrame)
        self.setEditTriggers(QListView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setMouseTracking(True)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        match event.key():
            case Qt.Key.Key_Escape:
                self.escape_pressed.emit()
            case Qt.Key.Key_Return | Qt.Key.Key_Enter if self.currentIndex().isValid():
                # Not everywhere does Qt take Enter for activating a row.
                self.activated.emit(self.currentIndex())
            case _:
                super().keyPressEvent(event)


class _OriginDelegate(QStyledItemDelegate):
    """Two lines: the place and what stands there; below, how it is known."""

    def sizeHint(self, _option: QStyleOptionViewItem, _index: AnyIndex) -> QSize:
        return QSize(80, _row_px())

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        each = index.data(CANDIDATE_ROLE)
        if not isinstance(each, Candidate):
            return
        tokens = theme.current()
        painter.save()
        paint_ground(painter, option)
        place: QRect = option.rect.adjusted(theme.GAP_PX, 3, -theme.GAP_PX, -3)
        _paint_way(painter, place, each.link)
        left = place.left() + _LINE_PX + theme.GAP_PX
        upper = QRect(left, place.top(), place.right() - left, place.height() // 2)
        lower = QRect(left, upper.bottom() + 1, upper.width(), place.height() - upper.height())
        _paint_place(painter, upper, each)
        small = theme.font(-1)
        painter.setFont(small)
        painter.setPen(tokens.secondary)
        words = QFontMetrics(small).elidedText(
            one_line(link_words(each).replace("`", "")), Qt.TextElideMode.ElideRight, lower.width()
        )
        painter.drawText(lower, _LEFT, words)
        painter.restore()


def _paint_place(painter: QPainter, place: QRect, each: Candidate) -> None:
    """Draw the names from the file in the fixed font: the span, the field, what stands there."""
    tokens = theme.current()
    font = theme.monospace()
    strong = theme.monospace()
    strong.setWeight(strong.Weight.DemiBold)
    left = place.left()
    right, middle = Qt.TextElideMode.ElideRight, Qt.TextElideMode.ElideMiddle
    for text, look, ink, elide in (
        (each.title, strong, tokens.text, right),
        # The end of a path says most.
        (each.path, font, tokens.accent, middle),
        (each.preview, font, tokens.secondary, right),
    ):
        room = place.right() - left
        metrics = QFontMetrics(look)
        if not text or room < 4 * metrics.averageCharWidth():
            break
        shown = metrics.elidedText(one_line(text), elide, room)
        painter.setFont(look)
        painter.setPen(ink)
        painter.drawText(QRect(left, place.top(), room, place.height()), _LEFT, shown)
        left += metrics.horizontalAdvance(shown) + theme.GROUP_GAP_PX


def _paint_way(painter: QPainter, place: QRect, link: Link) -> None:
    """Draw the way: a solid arrow where the run says so, a dashed one where we infer it."""
    tokens = theme.current()
    recorded = link is Link.RECORDED
    ink = tokens.accent if recorded else tokens.secondary
    pen = QPen(ink, 1.5)
    if not recorded:
        pen.setDashPattern([2.5, 2.5])
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(pen)
    middle, right = place.center().y() + 0.5, float(place.left() + _LINE_PX)
    painter.drawLine(QLineF(place.left(), middle, right - _ARROW_PX, middle))
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(ink)
    tip = QPointF(right, middle)
    painter.drawPolygon(
        QPolygonF([tip, tip + QPointF(-6, -_ARROW_PX), tip + QPointF(-6, _ARROW_PX)])
    )
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)


def _row_px() -> int:
    lines = QFontMetrics(theme.monospace()).height() + QFontMetrics(theme.font(-1)).height()
    return int(lines) + 3 * theme.GRID_PX
