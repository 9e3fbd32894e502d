"""Which bars get words, and where: inside when they fit, beside when they do not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import Qt

from inspector.gui.widgets.timeline_scene import FAILED_SHADE, QUIET

if TYPE_CHECKING:
    from PySide6.QtGui import QFontMetricsF

    from inspector.gui.widgets.timeline_raster import Bars
    from inspector.gui.widgets.timeline_scene import TimelineScene

# The name of a span, and how long it took, for a row of the run's table.
LabelOf = Callable[[int], tuple[str, str]]

NARROWEST_PX = 40
_PAD_PX = 6
_GAP_PX = 8
_ROOMY_PX = 80
_FEWEST_LETTERS = 4
_MOST_LABELS = 400
# A bar thinner than this is named softly: the words would outweigh it.
_THIN_PX = 6
_SAME_WITHIN_PX = 160
# Text is measured once; the names of even the largest run are few, its durations are not.
_MOST_MEASURED = 20_000


class Tone(Enum):
    """How words are said; on which ground they stand decides on their colour."""

    INSIDE = "inside"
    BESIDE = "beside"
    SOFT = "soft"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Label:
    """Words at a place in a lane."""

    lane: int
    x: float
    text: str
    tone: Tone


@dataclass(slots=True)
class _Bar:
    """A bar and the room around it."""

    lane: int
    left: float
    right: float
    free_from: float
    free_to: float
    failed: bool
    quiet: bool


@dataclass(slots=True)
class _Written:
    """What was last written beside a bar of a lane."""

    lane: int = -1
    name: str = ""
    until: float = 0.0


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
        written = _Written()
        rows = scene.row[bars.place[worth]].tolist()
        shades = scene.shade[bars.place[worth]].tolist()
        for at, row, shade in zip(worth.tolist(), rows, shades, strict=True):
            lane = int(bars.lane[at])
            if written.lane != lane:
                written = _Written(lane)
            bar = _Bar(
                lane=lane,
                left=float(left[at]),
                right=float(right[at]),
                free_from=max(written.until, float(before[at])),
                free_to=float(following[at]),
                failed=shade == FAILED_SHADE,
                quiet=shade >= QUIET,
            )
            self._write(labels, bar, written, *label_of(row))
        return labels

    def _write(
        self, labels: list[Label], bar: _Bar, written: _Written, name: str, duration: str
    ) -> None:
        width = self.width(name)
        inner = bar.right - bar.left - 2 * _PAD_PX
        after = bar.free_to - bar.right - 2 * _PAD_PX
        ahead = bar.left - bar.free_from - 2 * _PAD_PX
        inside = Tone.SOFT if bar.quiet else Tone.INSIDE
        if inner >= width:
            labels.append(Label(bar.lane, bar.left + _PAD_PX, name, inside))
            self._add_duration(
                labels, bar.lane, bar.left + _PAD_PX + width, duration, inner - width, inside
            )
            return
        thin = bar.right - bar.left < _THIN_PX and not bar.failed
        if max(after, ahead) >= width:
            near = bar.left - written.until < _SAME_WITHIN_PX
            if thin and near and name == written.name:
                return  # the same word again and again hides more than it tells
            soft = thin or bar.quiet
            tone = Tone.FAILED if bar.failed else Tone.SOFT if soft else Tone.BESIDE
            if after >= width:
                self._write_after(labels, bar, written, (name, "" if thin else duration), tone)
            else:
                labels.append(Label(bar.lane, bar.left - _PAD_PX - width, name, tone))
                written.name, written.until = name, bar.right
        elif inner >= NARROWEST_PX - 2 * _PAD_PX:
            # Names differ in their heads; only where there is room do their ends help.
            roomy = inner > _ROOMY_PX
            mode = Qt.TextElideMode.ElideMiddle if roomy else Qt.TextElideMode.ElideRight
            short = self._metrics.elidedText(name, mode, inner)
            if len(short) >= _FEWEST_LETTERS:
                labels.append(Label(bar.lane, bar.left + _PAD_PX, short, inside))

    def _write_after(
        self,
        labels: list[Label],
        bar: _Bar,
        written: _Written,
        words: tuple[str, str],
        tone: Tone,
    ) -> None:
        name, duration = words
        x = bar.right + _PAD_PX
        end = x + self.width(name)
        labels.append(Label(bar.lane, x, name, tone))
        written.name = name
        written.until = self._add_duration(
            labels, bar.lane, end, duration, bar.free_to - _PAD_PX - end, Tone.SOFT
        )

    def _add_duration(
        self, labels: list[Label], lane: int, x: float, duration: str, room: float, tone: Tone
    ) -> float:
        """Write a duration behind a name if there is room; return where the words end."""
        width = self.width(duration) + _GAP_PX
        if not duration or room < width:
            return x
        labels.append(Label(lane, x + _GAP_PX, duration, tone))
        return x + width
