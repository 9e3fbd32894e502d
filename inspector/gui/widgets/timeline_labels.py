"""Which bars get words, and where: inside when they fit, beside when they do not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import Qt

if TYPE_CHECKING:
    from PySide6.QtGui import QFontMetricsF

    from inspector.gui.widgets.timeline_raster import Bars
    from inspector.gui.widgets.timeline_scene import TimelineScene

# The name of a span, and how long it took, for a row of the run's table.
LabelOf = Callable[[int], tuple[str, str]]

NARROWEST_PX = 40
_PAD_PX = 6
_GAP_PX = 8
_MOST_LABELS = 400
# Text is measured once; the names of even the largest run are few, its durations are not.
_MOST_MEASURED = 20_000


@dataclass(frozen=True, slots=True)
class Label:
    """Words at a place in a lane. `inside` tells on which ground they stand."""

    lane: int
    x: float
    text: str
    inside: bool
    quiet: bool = False  # said more softly: the duration


class LabelPlacer:
    """Finds room for words between bars."""

    def __init__(self, metrics: QFontMetricsF) -> None:
        self._metrics = metrics
        self._widths: dict[str, float] = {}

    def width(self, text: str) -> float:
        """Return how wide `text` is; asked often, measured once."""
        known = self._widths.get(text)
        if known is None:
            if len(self._widths) > _MOST_MEASURED:
                self._widths.clear()
            known = self._widths[text] = self._metrics.horizontalAdvance(text)
        return known

    def place(
        self, scene: TimelineScene, bars: Bars, width_px: int, ratio: float, label_of: LabelOf
    ) -> list[Label]:
        """Return the labels of the bars that were drawn one by one.

        Args:
            scene: Where the rows of the bars stand.
            bars: What was drawn, in device pixels.
            width_px: The width of the picture, in device pixels.
            ratio: Device pixels by logical pixel.
            label_of: What to write.
        """
        left, right = bars.left / ratio, bars.right / ratio
        count = len(left)
        if not count:
            return []
        # How far it is to the neighbours in the same lane.
        following = np.full(count, width_px / ratio)
        same_lane = bars.lane[1:] == bars.lane[:-1]
        following[:-1][same_lane] = left[1:][same_lane]
        before = np.zeros(count)
        before[1:][same_lane] = right[:-1][same_lane]
        size = right - left
        room = np.maximum(size, np.maximum(following - right, left - before))
        worth = np.flatnonzero(room >= NARROWEST_PX)
        if len(worth) > _MOST_LABELS:
            # Too many to read: the widest bars keep theirs.
            worth = np.sort(worth[np.argpartition(-size[worth], _MOST_LABELS)[:_MOST_LABELS]])
        labels: list[Label] = []
        written = (-1, 0.0)  # the lane that was written beside a bar last, and up to where
        rows = scene.row[bars.place[worth]]
        for at, row in zip(worth.tolist(), rows.tolist(), strict=True):
            lane = int(bars.lane[at])
            taken = written[1] if written[0] == lane else 0.0
            end = self._write(
                labels,
                lane,
                (max(taken, before[at]), left[at], right[at], following[at]),
                *label_of(row),
            )
            if end is not None:
                written = (lane, end)
        return labels

    def _write(
        self,
        labels: list[Label],
        lane: int,
        edges: tuple[float, float, float, float],
        name: str,
        duration: str,
    ) -> float | None:
        """Write one label; return how far it reaches when it stands right of its bar."""
        free_from, left, right, free_to = edges
        name_width = self.width(name)
        long_width = name_width + _GAP_PX + self.width(duration)
        inner = right - left - 2 * _PAD_PX
        beside = free_to - right - 2 * _PAD_PX
        ahead = left - free_from - 2 * _PAD_PX
        if inner >= name_width:
            self._put(labels, lane, left + _PAD_PX, (name, duration), inner, inside=True)
        elif beside >= name_width:
            self._put(labels, lane, right + _PAD_PX, (name, duration), beside, inside=False)
            return right + _PAD_PX + min(beside, long_width)
        elif ahead >= name_width:
            text_width = long_width if ahead >= long_width else name_width
            x = left - _PAD_PX - text_width
            self._put(labels, lane, x, (name, duration), ahead, inside=False)
        elif inner >= NARROWEST_PX - 2 * _PAD_PX:
            short = self._metrics.elidedText(name, Qt.TextElideMode.ElideMiddle, inner)
            labels.append(Label(lane, left + _PAD_PX, short, inside=True))
        return None

    def _put(
        self,
        labels: list[Label],
        lane: int,
        x: float,
        words: tuple[str, str],
        room: float,
        *,
        inside: bool,
    ) -> None:
        name, duration = words
        name_width = self.width(name)
        labels.append(Label(lane, x, name, inside))
        if duration and room >= name_width + _GAP_PX + self.width(duration):
            labels.append(Label(lane, x + name_width + _GAP_PX, duration, inside, quiet=True))
