"""An execution over time: a lane for each attempt, and what nobody saw drawn as unknown."""

from collections.abc import Callable
from typing import NamedTuple

from PySide6.QtCore import QEvent, QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import (
    QBrush,
    QColor,
    QFontMetrics,
    QHelpEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPolygonF,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from inspector.gui import theme
from inspector.gui.tips import tip
from inspector.presentation.execution_story import Moment, Story, Stretch
from inspector.presentation.ticks import axis_ticks
from inspector.presentation.words import duration_words, plural

_LANE_PX = 20
_BAR_PX = 18
_MOST_LANES = 6
_NEAR_PX = 5
_MARK_PX = 4
_LEAST_PX = 2
_COLOURS = {"queued": "secondary", "waiting": "changed", "unknown": "outline"}
_ENDS = {"completed": "same", "failed": "failed", "canceled": "secondary"}
_MOMENT_COLOURS = {
    **_ENDS, "interrupted": "changed", "resumed": "accent", "cancel": "secondary",
    "waits": "changed", "progress": "text",
}  # fmt: skip
_LABELLED = ("submitted", "interrupted", "resumed", "cancel", "completed", "failed", "canceled")


class _Bar(NamedTuple):
    place: QRect
    stretch: Stretch
    colour: str


class HayhooksTimeline(QWidget):
    """Draws a `Story`. What it shows stands in words in the list of events, too."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._story: Story | None = None
        self._status = ""
        self._bars: list[_Bar] = []
        self._marks: list[tuple[float, float, Moment]] = []
        self.setAccessibleName("Attempts over time")
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.changes.changed.connect(self._on_dressed)

    def show_story(self, story: Story, status: str) -> None:
        """Show another story; `status` is how the last attempt stands."""
        lanes = self._lanes()
        self._story, self._status = story, status
        self.setAccessibleDescription(_spoken(story))
        if self._lanes() != lanes:
            self.updateGeometry()
        self.update()

    @property
    def story(self) -> Story | None:
        return self._story

    def sizeHint(self) -> QSize:
        line = QFontMetrics(theme.font(-1)).height()
        return QSize(400, self._lanes() * _LANE_PX + 2 * line + 3 * theme.GRID_PX + 2)

    def minimumSizeHint(self) -> QSize:
        return QSize(200, self.sizeHint().height())

    def event(self, event: QEvent) -> bool:
        if event.type() is QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), tip(self.words_at(QPointF(event.pos()))), self)
            return True
        return super().event(event)

    def words_at(self, place: QPointF) -> str:
        """Return what is drawn at a place, in words."""
        for x, y, moment in self._marks:
            if abs(place.x() - x) <= _NEAR_PX and abs(place.y() - y) <= _BAR_PX / 2:
                return f"{moment.words}, after {self._after(moment.at_ns)}"
        for bar in reversed(self._bars):
            if QRectF(bar.place).adjusted(-1, 0, 1, 0).contains(place):
                stretch = bar.stretch
                took = duration_words(stretch.end_ns - stretch.start_ns)
                return f"{_titled(stretch)}: {stretch.words}, {took}"
        return ""

    def _after(self, at_ns: int) -> str:
        assert self._story is not None
        return duration_words(max(0, at_ns - self._story.begin_ns))

    def _lanes(self) -> int:
        attempts = self._story.attempts if self._story is not None else 1
        return min(max(1, attempts), _MOST_LANES)

    def _on_dressed(self) -> None:
        self.updateGeometry()
        self.update()

    # Drawing

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        tokens = theme.current()
        painter.fillRect(self.rect(), tokens.panel)
        story = self._story
        if story is not None:
            self._paint(painter, story, tokens)
        painter.end()

    def _paint(self, painter: QPainter, story: Story, tokens: theme.Tokens) -> None:
        small = theme.font(-1)
        metrics = QFontMetrics(small)
        line, pad = metrics.height(), theme.GRID_PX
        # Of many attempts the last ones are drawn: what went before is in the list of events.
        first = max(1, story.attempts - _MOST_LANES + 1)
        left = theme.GROUP_GAP_PX + metrics.horizontalAdvance("attempt 00") + theme.GAP_PX
        right = self.width() - theme.GROUP_GAP_PX
        room = max(1, right - left)
        length = max(1, story.end_ns - story.begin_ns)
        top = line + 2 * pad

        def x_at(at_ns: int) -> float:
            share = (at_ns - story.begin_ns) / length
            return left + min(1.0, max(0.0, share)) * room

        painter.setFont(small)
        self._paint_axis(painter, story, metrics, QRect(left, top, room, self._lanes() * _LANE_PX))
        self._bars, self._marks = [], []
        for lane in range(self._lanes()):
            label = QRect(theme.GROUP_GAP_PX, top + lane * _LANE_PX, left, _BAR_PX)
            painter.setPen(tokens.secondary)
            painter.drawText(label, int(Qt.AlignmentFlag.AlignVCenter), f"attempt {first + lane}")
        for stretch in story.stretches:
            lane = max(stretch.attempt, 1) - first
            if lane < 0:
                continue
            start, end = x_at(stretch.start_ns), x_at(stretch.end_ns)
            width = max(_LEAST_PX, round(end) - round(start))
            place = QRect(round(start), top + lane * _LANE_PX, width, _BAR_PX)
            bar = _Bar(place, stretch, self._colour_of(story, stretch))
            self._bars.append(bar)
            _paint_bar(painter, bar, tokens, metrics)
        self._paint_moments(painter, story, metrics, top, first, x_at)

    def _colour_of(self, story: Story, stretch: Stretch) -> str:
        if stretch.state != "running":
            return _COLOURS[stretch.state]
        if any(
            moment.kind == "interrupted" and moment.attempt == stretch.attempt
            for moment in story.moments
        ):
            return "changed"
        if stretch.attempt == story.attempts:
            return _ENDS.get(self._status, "live")
        return "same"  # it handed on what it had done

    def _paint_axis(
        self, painter: QPainter, story: Story, metrics: QFontMetrics, place: QRect
    ) -> None:
        tokens = theme.current()
        length = story.end_ns - story.begin_ns
        most = max(1, place.width() // (metrics.horizontalAdvance("00.000 ms") * 2))
        for tick in axis_ticks(0, length, most):
            x = place.left() + round(tick.at_ns / length * place.width())
            if not tick.words:
                continue
            painter.setPen(tokens.border)
            painter.drawLine(x, place.top(), x, place.bottom() + theme.GRID_PX)
            painter.setPen(tokens.secondary)
            width = metrics.horizontalAdvance(tick.words)
            at = min(max(x - width // 2, place.left()), place.right() - width)
            painter.drawText(at, place.bottom() + theme.GRID_PX + metrics.ascent(), tick.words)

    def _paint_moments(
        self, painter: QPainter, story: Story, metrics: QFontMetrics, top: int, first: int,
        x_at: Callable[[int], float],
    ) -> None:  # fmt: skip
        tokens = theme.current()
        free = 0.0  # where there is room for the next label
        for moment in story.moments:
            lane = min(max(moment.attempt, 1) - first, self._lanes() - 1)
            if lane < 0:
                continue
            x, y = x_at(moment.at_ns), top + lane * _LANE_PX + _BAR_PX / 2
            ink: QColor = getattr(tokens, _MOMENT_COLOURS.get(moment.kind, "secondary"))
            self._marks.append((x, y, moment))
            if moment.kind == "progress":
                _paint_diamond(painter, QPointF(x, y), tokens.text, tokens.panel)
                continue
            if moment.kind not in _LABELLED:
                continue
            painter.setPen(QPen(ink, 1))
            painter.drawLine(QPointF(x, top - theme.GRID_PX), QPointF(x, y + _BAR_PX / 2))
            words = moment.words
            width = metrics.horizontalAdvance(words)
            at = min(max(x - width / 2, 2.0), self.width() - width - theme.GRID_PX)
            if at >= free:
                painter.drawText(QPointF(at, theme.GRID_PX + metrics.ascent()), words)
                free = at + width + theme.GAP_PX


def _paint_bar(painter: QPainter, bar: _Bar, tokens: theme.Tokens, metrics: QFontMetrics) -> None:
    ink: QColor = getattr(tokens, bar.colour)
    place, state = bar.place, bar.stretch.state
    if state == "running":
        painter.fillRect(place, ink)
        pen = tokens.on_kind
    else:
        ground = QColor(ink)
        ground.setAlphaF(0.16 if state == "waiting" else 0.0)
        painter.fillRect(place, ground)
        if state == "unknown":
            painter.fillRect(place, QBrush(ink, Qt.BrushStyle.BDiagPattern))
        edge = QPen(ink, 1, Qt.PenStyle.DotLine if state != "waiting" else Qt.PenStyle.SolidLine)
        painter.setPen(edge)
        painter.drawRect(place.adjusted(0, 0, -1, -1))
        pen = tokens.text
    words = "unknown" if state == "unknown" else state
    width = metrics.horizontalAdvance(words)
    if place.width() < width + 2 * theme.GRID_PX:
        return
    inside = place.adjusted(theme.GRID_PX, 0, -theme.GRID_PX, 0)
    if state == "unknown":
        # Words on hatching cannot be read.
        ground_place = QRect(inside.left() - 2, place.top() + 2, width + 4, place.height() - 4)
        painter.fillRect(ground_place, tokens.panel)
    painter.setPen(pen)
    painter.drawText(inside, int(Qt.AlignmentFlag.AlignVCenter), words)


def _paint_diamond(painter: QPainter, at: QPointF, ink: QColor, edge: QColor) -> None:
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(edge, 1))
    painter.setBrush(ink)
    sides = ((0, -_MARK_PX), (_MARK_PX, 0), (0, _MARK_PX), (-_MARK_PX, 0))
    painter.drawPolygon(QPolygonF([at + QPointF(x, y) for x, y in sides]))
    painter.restore()


def _titled(stretch: Stretch) -> str:
    return f"attempt {stretch.attempt}" if stretch.attempt else "before the first attempt"


def _spoken(story: Story) -> str:
    parts = [
        f"{_titled(stretch)} {stretch.words} {duration_words(stretch.end_ns - stretch.start_ns)}"
        for stretch in story.stretches[-20:]
    ]
    return f"{plural(story.attempts, 'attempt')}: {'; '.join(parts)}" if parts else ""
