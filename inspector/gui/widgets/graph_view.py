"""Which part of a drawing is on the screen, and how large."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF

if TYPE_CHECKING:
    from inspector.presentation.graph_arrangement import Card

LARGEST, SMALLEST = 3.0, 0.02
_MARGIN_PX = 16
LEGIBLE = 0.5  # names can be read from here on
_KEPT_PX = 48  # so much of the drawing always stays in sight


@dataclass(frozen=True, slots=True)
class GraphView:
    """Places in the drawing times `zoom`, plus (`x`, `y`), are places on the screen."""

    zoom: float = 1.0
    x: float = 0.0
    y: float = 0.0

    def to_screen(self, x: float, y: float) -> QPointF:
        return QPointF(x * self.zoom + self.x, y * self.zoom + self.y)

    def from_screen(self, point: QPointF) -> QPointF:
        return QPointF((point.x() - self.x) / self.zoom, (point.y() - self.y) / self.zoom)

    def rect_of(self, card: Card) -> QRectF:
        """Return where a card is on the screen, in whole pixels so that its edges are sharp."""
        left, top = round(card.x * self.zoom + self.x), round(card.y * self.zoom + self.y)
        right = round((card.x + card.width) * self.zoom + self.x)
        bottom = round((card.y + card.height) * self.zoom + self.y)
        return QRectF(left, top, max(1, right - left), max(1, bottom - top))

    def panned(self, across: float, downward: float) -> GraphView:
        return replace(self, x=self.x + across, y=self.y + downward)

    def zoomed(self, factor: float, around: QPointF) -> GraphView:
        """Return a view in which the place at `around` stays where it is."""
        zoom = min(max(self.zoom * factor, SMALLEST), LARGEST)
        share = zoom / self.zoom
        return GraphView(
            zoom,
            around.x() - (around.x() - self.x) * share,
            around.y() - (around.y() - self.y) * share,
        )

    def bounded(self, width: float, height: float, across_px: int, down_px: int) -> GraphView:
        """Return the view moved so that some of the drawing is in sight."""
        least_x, most_x = _KEPT_PX - width * self.zoom, across_px - _KEPT_PX
        least_y, most_y = _KEPT_PX - height * self.zoom, down_px - _KEPT_PX
        return replace(
            self,
            x=min(max(self.x, least_x), max(most_x, least_x)),
            y=min(max(self.y, least_y), max(most_y, least_y)),
        )


def fitting(
    width: float, height: float, across_px: int, down_px: int, *, most: float = 1.0
) -> GraphView:
    """Return the view that shows all of a drawing, in the middle, not larger than `most`."""
    if width <= 0 or height <= 0:
        return GraphView()
    zoom = fitting_zoom(width, height, across_px, down_px, most=most)
    return GraphView(
        zoom, round((across_px - width * zoom) / 2), round((down_px - height * zoom) / 2)
    )


def fitting_zoom(
    width: float, height: float, across_px: int, down_px: int, *, most: float = 1.0
) -> float:
    """Return how large a drawing can be shown whole."""
    room_x, room_y = max(1, across_px - 2 * _MARGIN_PX), max(1, down_px - 2 * _MARGIN_PX)
    return min(max(min(room_x / width, room_y / height), SMALLEST), most)


def beginning(
    width: float, height: float, across_px: int, down_px: int, *, down: bool
) -> GraphView:
    """Return the view to begin with: all of a drawing, or its beginning where that is too small."""
    whole = fitting(width, height, across_px, down_px)
    if whole.zoom >= LEGIBLE:
        return whole
    left, top = (across_px - width * LEGIBLE) / 2, (down_px - height * LEGIBLE) / 2
    if down:
        return GraphView(LEGIBLE, round(left), round(max(top, _MARGIN_PX)))
    return GraphView(LEGIBLE, round(max(left, _MARGIN_PX)), round(top))


def framing(card: Card, across_px: int, down_px: int) -> GraphView:
    """Return the view that shows one card well, with what is around it."""
    share = 0.8 if card.is_open else 0.35
    zoom = min(
        max(min(across_px * share / card.width, down_px * share / card.height), SMALLEST), 1.5
    )
    middle = card.middle
    return GraphView(
        zoom, round(across_px / 2 - middle.x * zoom), round(down_px / 2 - middle.y * zoom)
    )
