"""The measures and colours of the timeline, from the theme."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtGui import QColor, QFont, QFontMetricsF

from inspector.gui import theme
from inspector.gui.widgets.timeline_labels import LabelPlacer
from inspector.gui.widgets.timeline_scene import SHADES

if TYPE_CHECKING:
    from numpy.typing import NDArray

BAR_PX = 18
LANE_GAP_PX = 2
_AXIS_PX = 24
TOP_PX = 4
OVERVIEW_PX = 28
_TEXT_PAD_PX = 4
_AXIS_PAD_PX = 8
_QUIET = 0.8  # of the ground in a bar that is not what one looks for
# How spans of a replay stand to those of its recording.
_STATES = {
    "matched": "same", "drifted": "changed", "edited": "agent",
    "live": "live",
}  # fmt: skip
_WIDE_TICK = "00.000 ms"


@dataclass(frozen=True, slots=True, eq=False)
class Look:
    """Everything the timeline draws with; made again when the theme or the text size changes."""

    tokens: theme.Tokens
    font: QFont
    metrics: QFontMetricsF
    placer: LabelPlacer
    bar_px: int
    axis_px: int
    tick_room_px: int  # what a tick with its words needs
    shades: NDArray[np.uint32]  # 0xffRRGGBB by shade, first the plain ones, then the quiet ones

    @property
    def pitch_px(self) -> int:
        """From the top of a lane to the top of the next."""
        return self.bar_px + LANE_GAP_PX

    def baseline(self, top: float, height: float) -> float:
        """Where text stands so that it is in the middle of `height`."""
        return round(top + (height + self.metrics.ascent() - self.metrics.descent()) / 2 - 0.5)


def current_look() -> Look:
    """Return the look of the theme that is current now."""
    tokens = theme.current()
    font = theme.font(-1)
    metrics = QFontMetricsF(font)
    loud = [_shade(tokens, *shade) for shade in SHADES]
    quiet = [mixed(colour, tokens.panel, _QUIET) for colour in loud]
    return Look(
        tokens=tokens,
        font=font,
        metrics=metrics,
        placer=LabelPlacer(metrics),
        bar_px=max(BAR_PX, round(metrics.height()) + _TEXT_PAD_PX),
        axis_px=max(_AXIS_PX, round(metrics.height()) + _AXIS_PAD_PX),
        tick_room_px=round(metrics.horizontalAdvance(_WIDE_TICK)) + 3 * _AXIS_PAD_PX,
        shades=np.array([colour.rgb() for colour in (*loud, *quiet)], np.uint32),
    )


def _shade(tokens: theme.Tokens, kind: str, role: str) -> QColor:
    if kind == "failed":
        return tokens.failed
    if kind == "canceled":
        return tokens.other
    if kind in _STATES:
        state: QColor = getattr(tokens, _STATES[kind])
        return state
    return tokens.for_kind(kind, role)


def mixed(colour: QColor, other: QColor, share: float) -> QColor:
    """Return `colour` with a share of another in it."""
    keep = 1 - share
    return QColor(
        round(colour.red() * keep + other.red() * share),
        round(colour.green() * keep + other.green() * share),
        round(colour.blue() * keep + other.blue() * share),
    )


def see_through(colour: QColor, alpha: float) -> QColor:
    """Return `colour` with the ground shining through it."""
    made = QColor(colour)
    made.setAlphaF(alpha)
    return made
