"""Shows a stretch of a run's time as lanes of bars, below an axis."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QPen, QResizeEvent

from inspector.gui import theme
from inspector.gui.widgets.focus_ring import RingedWidget
from inspector.gui.widgets.timeline_glow import draw_difference, draw_glow
from inspector.gui.widgets.timeline_layer import Frame, Layer
from inspector.gui.widgets.timeline_look import TOP_PX, current_look, see_through
from inspector.gui.widgets.timeline_notes import draw_ribbons, spot_at, spots
from inspector.gui.widgets.timeline_view import TimelineView
from inspector.presentation.time_folds import UNFOLDED, TimeFolds

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from PySide6.QtWidgets import QWidget

    from inspector.gui.widgets.timeline_labels import LabelOf
    from inspector.gui.widgets.timeline_scene import TimelineScene
    from inspector.presentation.idle_gaps import IdleGap

_REACH_PX = 4
_TICK_REACH_PX = 2
_WIDEST_GUTTER_PX = 148
_CAPTION_ROOM_PX = 18
_FRAMED_SHARE = 0.7
_NARROWEST_RING_PX = 4
_FEWEST_LANES_ASKED, _MOST_LANES_ASKED = 3, 12


@dataclass(frozen=True, slots=True)
class Words:
    """What a timeline says about rows of the run's table."""

    label_of: LabelOf
    tip_of: Callable[[int], str]  # as rich text; the caller escapes
    captions: Mapping[int, str]  # by lane


class TimelineSurface(RingedWidget):
    """Draws lanes, and knows what is where. What people do with it is the canvas's matter."""

    view_changed = Signal()
    lanes_changed = Signal()  # how far down one can scroll, or is

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._scene: TimelineScene | None = None
        self._words = Words(lambda _row: ("", ""), lambda _row: "", {})
        self._look = current_look()
        self._view = TimelineView.of_all(0, 1, 1)
        self._scroll_px = 0
        self._gutter_px = 0
        self._selected: int | None = None
        self._hovered: int | None = None
        self._layer: tuple[object, Layer] | None = None
        self._folds = UNFOLDED
        self._glowing: tuple[int, ...] = ()
        self._flashing: frozenset[int] = frozenset()
        self._playhead_ns: float | None = None
        self._notes: Mapping[int, str] = {}
        self.setAccessibleName("Timeline")
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        theme.changes.changed.connect(self._on_theme_changed)

    @property
    def view(self) -> TimelineView:
        return self._view

    @property
    def gutter_px(self) -> int:
        """The room for captions at the left."""
        return self._gutter_px

    @property
    def scroll_px(self) -> int:
        """How far down the lanes are scrolled."""
        return self._scroll_px

    @property
    def furthest_px(self) -> int:
        """How far down the lanes can be scrolled."""
        count = self._scene.lane_count if self._scene else 0
        return max(0, self._height_for(count) - self.height())

    @property
    def lane_px(self) -> int:
        return self._look.pitch_px

    def show_scene(self, scene: TimelineScene, words: Words, folds: TimeFolds = UNFOLDED) -> None:
        """Show other spans. What of the time and the lanes is on the screen stays there.

        Where time is folded, the times of `scene` are those at which it is drawn.
        """
        anchor, room_before = self._anchor(), self.sizeHint()
        self._scene = scene
        self._folds = folds
        self._glowing = ()
        self._words = words
        self._measure_gutter()
        self._hovered = None
        if self._selected is not None and not scene.holds(self._selected):
            self._selected = None
        if anchor is not None and scene.holds(anchor[0]):
            lane = int(scene.lane[scene.place_of_row[anchor[0]]])
            self._scroll_px += (lane - anchor[1]) * self._look.pitch_px
        self.scroll_to(self._scroll_px)
        self.lanes_changed.emit()
        if self.sizeHint() != room_before:
            self.updateGeometry()  # lays out the whole window, and paints it
        self.update()

    def show_view(self, view: TimelineView) -> None:
        """Show another stretch of time."""
        view = view.resized(self.width() - self._gutter_px)
        if view == self._view:
            return
        self._view = view
        self._hovered = None
        self.update()
        self.view_changed.emit()

    def show_notes(self, notes: Mapping[int, str]) -> None:
        """Mark on the axis where spans begin to which a person left something.

        Args:
            notes: What is said of it, by the row of the span.

        """
        self._notes = notes
        self.update()

    def forget(self) -> None:
        """Draw everything anew at the next paint."""
        self._layer = None

    def select(self, row: int | None) -> None:
        """Draw a ring around a span, and bring it on the screen if it is not there."""
        self._selected = row
        if row is not None and self._scene is not None:
            self._reveal(row)
            self.setAccessibleDescription(" ".join(self._words.label_of(row)))
        self.update()

    def shows(self, row: int) -> bool:
        """Say whether the span of a row is in one of the lanes, in sight or not."""
        return self._scene is not None and self._scene.holds(row)

    def show_playing(
        self,
        rows: tuple[int, ...],
        at_ns: float | None,
        differing: frozenset[int] = frozenset(),
    ) -> None:
        """Let spans glow, and draw a line where playing has got to; `None` draws none.

        What is in `differing` glows in the colour of what changed, with its mark.
        """
        scene = self._scene
        self._flashing = differing
        self._glowing = tuple(row for row in rows if scene is not None and scene.holds(row))
        self._playhead_ns = at_ns
        self.update()

    def scroll_to(self, px: int) -> None:
        """Scroll down to a place, as far as there are lanes."""
        px = min(max(px, 0), self.furthest_px)
        if px != self._scroll_px:
            self._scroll_px = px
            self._hovered = None
            self.update()
            self.lanes_changed.emit()

    def fit(self) -> None:
        """Show all of the time there is to show."""
        view = self._view
        self.show_view(view.showing(view.low_ns, view.high_ns))

    def frame_selection(self) -> None:
        """Zoom so that the selected span fills most of the width."""
        if self._scene is None or self._selected is None:
            return
        place = self._scene.place_of_row[self._selected]
        start, end = int(self._scene.start[place]), int(self._scene.end[place])
        middle, length = (start + end) / 2, (end - start) / _FRAMED_SHARE
        self.show_view(self._view.showing(middle - length / 2, middle + length / 2))
        self._reveal(self._selected)

    def row_at(self, point: QPointF) -> int | None:
        """Return the row of the span under a point, or very near it."""
        scene = self._scene
        y = point.y() - self._look.axis_px - TOP_PX + self._scroll_px
        if scene is None or point.y() < self._look.axis_px or point.x() < self._gutter_px or y < 0:
            return None
        lane, below = divmod(int(y), self._look.pitch_px)
        if lane >= scene.lane_count or below > self._look.bar_px:
            return None
        at_ns = self._view.ns_of(point.x() - self._gutter_px)
        pixel = self._view.ns_per_px
        # What is drawn as a mere tick has to be met exactly, but then before its neighbours.
        near = scene.nearest(lane, at_ns, _TICK_REACH_PX * pixel, short_ns=2 * pixel)
        return scene.nearest(lane, at_ns, _REACH_PX * pixel) if near is None else near

    def note_at(self, point: QPointF) -> int | None:
        """Return the row of the span whose ribbon on the axis is there."""
        if self._scene is None or not self._notes or point.y() >= self._look.axis_px:
            return None
        return spot_at(self._ribbons(self._scene), point.x())

    def _ribbons(self, scene: TimelineScene) -> dict[int, int]:
        gutter, view = self._gutter_px, self._view
        found = spots(scene, self._notes, lambda at_ns: gutter + view.x_of(at_ns))
        return {x: row for x, row in found.items() if gutter <= x <= self.width()}

    def gap_at(self, x: float) -> IdleGap | None:
        """Return the folded gap whose band is there."""
        if not self._folds or x < self._gutter_px:
            return None
        return self._folds.gap_at(self._view.ns_of(x - self._gutter_px))

    def rect_of(self, row: int) -> QRectF:
        """Return where a span is drawn; its sides may lie off the screen."""
        assert self._scene is not None
        place = self._scene.place_of_row[row]
        left = self._view.x_of(float(self._scene.start[place]))
        right = self._view.x_of(float(self._scene.end[place]))
        top = self._frame().top_of(self._look, int(self._scene.lane[place]))
        return QRectF(self._gutter_px + left, top, max(1.0, right - left), self._look.bar_px)

    def sizeHint(self) -> QSize:
        # Of a part of the lanes, those of the whole: the panes below must not jump.
        scene = self._scene
        lanes = max(scene.lane_count, scene.lanes_of_whole) if scene else 0
        wanted = min(max(lanes, _FEWEST_LANES_ASKED), _MOST_LANES_ASKED)
        return QSize(640, self._height_for(wanted))

    def minimumSizeHint(self) -> QSize:
        return QSize(160, self._height_for(1))

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        if self._scene is None:
            painter.fillRect(self.rect(), self._look.tokens.panel)
            return
        painter.drawImage(QPointF(0, 0), self._current_layer(self._scene).image)
        axis_px = self._look.axis_px
        if self._notes:
            ribbons = self._ribbons(self._scene)
            draw_ribbons(painter, ribbons, axis_px - 1, self._look.tokens.accent)
        painter.setClipRect(QRectF(self._gutter_px, axis_px, self.width(), self.height() - axis_px))
        tokens = self._look.tokens
        self._draw_playing(painter)
        if self._hovered is not None:
            rect = self._clipped(self.rect_of(self._hovered))
            painter.fillRect(rect, see_through(tokens.text, 0.12))
            painter.setPen(QPen(see_through(tokens.text, 0.55), 1))
            painter.drawRect(rect.adjusted(0.5, 0.5, -0.5, -0.5))
        if self._selected is not None:
            self._draw_ring(painter, self._clipped(self.rect_of(self._selected)))
        self._draw_focus(painter)

    def resizeEvent(self, _event: QResizeEvent) -> None:
        self._view = self._view.resized(self.width() - self._gutter_px)
        self.scroll_to(self._scroll_px)
        self.lanes_changed.emit()
        self.view_changed.emit()

    def _frame(self) -> Frame:
        return Frame(
            view=self._view,
            scroll_px=self._scroll_px,
            width_px=max(1, self.width()),
            height_px=max(1, self.height()),
            gutter_px=self._gutter_px,
            ratio=self.devicePixelRatioF(),
        )

    def _current_layer(self, scene: TimelineScene) -> Layer:
        frame = self._frame()
        key = (frame, scene, self._look)
        if self._layer is None or self._layer[0] != key:
            words = self._words
            layer = Layer(scene, frame, self._look, words.label_of, words.captions, self._folds)
            self._layer = (key, layer)
        return self._layer[1]

    def _height_for(self, lanes: int) -> int:
        return self._look.axis_px + 2 * TOP_PX + lanes * self._look.pitch_px

    def _draw_playing(self, painter: QPainter) -> None:
        tokens = self._look.tokens
        for row in self._glowing:
            rect = self._clipped(self.rect_of(row))
            if rect.right() < self._gutter_px or rect.left() > self.width():
                continue
            differs = row in self._flashing
            draw_glow(painter, rect, tokens.changed if differs else tokens.accent)
            if differs:
                draw_difference(painter, rect, self._words.label_of(row)[0], self._look)
        if self._playhead_ns is not None:
            x = round(self._gutter_px + self._view.x_of(self._playhead_ns))
            painter.fillRect(QRectF(x, 0, 2, self.height()), tokens.accent)

    def _draw_ring(self, painter: QPainter, rect: QRectF) -> None:
        tokens = self._look.tokens
        if rect.width() < _NARROWEST_RING_PX:
            rect.setWidth(_NARROWEST_RING_PX)
        else:
            # The accent may be close to a bar's own colour: a line of ground sets them apart.
            painter.setPen(QPen(tokens.panel, 1))
            painter.drawRect(rect.adjusted(0.5, 0.5, -0.5, -0.5))
        painter.setPen(QPen(tokens.accent, 2, j=Qt.PenJoinStyle.MiterJoin))
        painter.drawRect(rect.adjusted(-1, -1, 1, 1))

    def _anchor(self) -> tuple[int, int] | None:
        """Return a span on the screen and its lane: what must not move when others come."""
        scene = self._scene
        if scene is None or not scene.lane_count:
            return None
        on_screen = self._frame().lanes(self._look, scene.lane_count)
        if self._selected is not None:
            lane = int(scene.lane[scene.place_of_row[self._selected]])
            if lane in on_screen:
                return self._selected, lane
        return int(scene.row[scene.first[on_screen.start]]), on_screen.start

    def _reveal(self, row: int) -> None:
        assert self._scene is not None
        place = self._scene.place_of_row[row]
        self.show_view(
            self._view.holding(float(self._scene.start[place]), float(self._scene.end[place]))
        )
        rect = self.rect_of(row)
        if rect.top() < self._look.axis_px or rect.bottom() > self.height():
            middle = self._look.axis_px + (self.height() - self._look.axis_px) / 2
            self.scroll_to(self._scroll_px + round(rect.center().y() - middle))

    def _clipped(self, rect: QRectF) -> QRectF:
        """Return a bar's rectangle as far as it is worth drawing."""
        left = max(rect.left(), self._gutter_px - 4.0)
        right = min(rect.right(), self.width() + 4.0)
        return QRectF(round(left), rect.top(), max(1.0, round(right - left)), rect.height())

    def _measure_gutter(self) -> None:
        captions = self._words.captions.values()
        widest = max((self._look.placer.width(words) for words in captions), default=0)
        gutter = min(_WIDEST_GUTTER_PX, ceil(widest) + _CAPTION_ROOM_PX) if widest else 0
        if gutter != self._gutter_px:
            self._gutter_px = gutter
            self._view = self._view.resized(self.width() - gutter)
            self.view_changed.emit()

    def _hover(self, row: int | None) -> None:
        if row != self._hovered:
            self._hovered = row
            self.update()

    def _on_theme_changed(self) -> None:
        self._look = current_look()
        self._measure_gutter()
        self.scroll_to(self._scroll_px)
        self.updateGeometry()
        self.update()
