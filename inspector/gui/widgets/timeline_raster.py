"""Bars as pixels: a picture of some lanes, one row of pixels a lane, drawn by numpy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from inspector.gui.widgets.timeline_scene import FAILED_SHADE

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from inspector.gui.widgets.timeline_scene import TimelineScene
    from inspector.gui.widgets.timeline_view import TimelineView

# Above this many spans for every pixel of a lane, bars turn into density.
_SPANS_A_PIXEL = 0.5
_MOST_COLUMNS = 16_000
_FAINTEST = 0.35
_STRENGTHS = np.linspace(_FAINTEST, 1, 64, dtype=np.float32)
# From this width on, touching bars are set apart by a pixel.
_WIDE_ENOUGH_TO_PART = 4
_MARK_PX = 3
_SHORT_PX = 1.5
_LEAST_PX = 2
_CROWDED = 0.1  # short spans by pixel of a lane


@dataclass(frozen=True, slots=True)
class Bars:
    """The spans that were drawn one by one: where each is in the scene and on the screen."""

    place: NDArray[np.int64]
    lane: NDArray[np.int64]
    left: NDArray[np.int64]  # pixels, clipped to the picture
    right: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Raster:
    """A picture of lanes: `pixels` has a row a lane, 0 where nothing ran.

    Where there is room, failures are in the picture. Among more spans than pixels they
    would cover everything else: there `ticks` says where one belongs on top.
    """

    pixels: NDArray[np.uint32]
    ticks: NDArray[np.bool_]
    bars: Bars


def draw_lanes(
    scene: TimelineScene,
    view: TimelineView,
    lanes: range,
    colours: NDArray[np.uint32],
    ground: int,
    *,
    ratio: float = 1,
) -> Raster:
    """Draw some lanes of a scene.

    Lanes with room for their spans are drawn exactly; where spans are smaller than
    pixels, each pixel shows what ran in it, fainter the less it was busy. The work
    depends on the size of the picture only, not on how many spans there are.
    Where things went wrong is marked last and never less than a few pixels wide.

    Args:
        scene: The spans.
        view: The stretch of time, and the width in pixels.
        lanes: Which lanes.
        colours: 0xffRRGGBB by shade.
        ground: The colour that faint pixels mix with.
        ratio: Device pixels by logical pixel.

    """
    width = view.width_px
    pixels = np.zeros((len(lanes), width), np.uint32)
    most = max(1, int(width * _SPANS_A_PIXEL))
    exact: list[tuple[int, int, int]] = []
    dense: list[tuple[int, int]] = []
    for line, lane in enumerate(lanes):
        low, high = scene.within(lane, view.start_ns, view.end_ns)
        if high - low <= most or lane not in scene.sums:
            exact.append((line, low, high))
        else:
            dense.append((line, lane))
    # Many dense lanes on a large screen share out what one paint may cost.
    step = 1 + len(dense) * width // _MOST_COLUMNS
    edges = view.edges_ns(step)
    for line, lane in dense:
        columns = _density(scene, lane, edges, colours, ground)
        pixels[line] = columns if step == 1 else np.repeat(columns, step)[:width]
    bars = _bars(scene, view, lanes, exact)
    _fill(pixels, scene, bars, colours, {line for line, _, _ in exact})
    _mark_short(pixels, scene, view, bars, colours, ratio)
    ticks = _failures(scene, view, lanes, round(_MARK_PX * ratio))
    alone = np.zeros(len(lanes), bool)
    alone[[line for line, _, _ in exact]] = True
    pixels[ticks & alone[:, None]] = colours[FAILED_SHADE]
    ticks[alone] = False
    return Raster(pixels, ticks, bars)


def _bars(
    scene: TimelineScene, view: TimelineView, lanes: range, exact: list[tuple[int, int, int]]
) -> Bars:
    parts = [np.arange(low, high) for _, low, high in exact]
    place = np.concatenate(parts) if parts else np.empty(0, np.int64)
    left = np.floor(view.x_of(scene.start[place])).astype(np.int64)
    right = np.ceil(view.x_of(scene.end[place])).astype(np.int64)
    np.clip(left, 0, view.width_px - 1, out=left)
    np.clip(right, left + 1, view.width_px, out=right)
    return Bars(place, scene.lane[place].astype(np.int64) - lanes.start, left, right)


def _fill(
    pixels: NDArray[np.uint32],
    scene: TimelineScene,
    bars: Bars,
    colours: NDArray[np.uint32],
    lines: set[int],
) -> None:
    """Paint all bars in one go: gap, bar, gap, bar, from the first pixel to the last."""
    if not len(bars.place):
        return
    width = pixels.shape[1]
    begin = bars.lane * width + bars.left
    stop = bars.lane * width + bars.right
    reached = np.maximum.accumulate(stop)
    begin[1:] = np.maximum(begin[1:], reached[:-1])
    seen = stop > begin
    begin, stop = begin[seen], stop[seen]
    ink = colours[scene.shade[bars.place[seen]]]
    touching = np.zeros(len(begin), bool)
    touching[:-1] = (begin[1:] == stop[:-1]) & (begin[1:] % width > 0)
    touching &= stop - begin >= _WIDE_ENOUGH_TO_PART
    stop = stop - touching
    lengths = np.empty(2 * len(begin) + 1, np.int64)
    lengths[0] = begin[0]
    lengths[1::2] = stop - begin
    lengths[2:-1:2] = begin[1:] - stop[:-1]
    lengths[-1] = pixels.size - stop[-1]
    inks = np.zeros(len(lengths), np.uint32)
    inks[1::2] = ink
    drawn = np.repeat(inks, lengths).reshape(pixels.shape)
    if len(lines) == len(pixels):
        pixels[:] = drawn
    else:
        chosen = sorted(lines)
        pixels[chosen] = drawn[chosen]


def _mark_short(
    pixels: NDArray[np.uint32],
    scene: TimelineScene,
    view: TimelineView,
    bars: Bars,
    colours: NDArray[np.uint32],
    ratio: float,
) -> None:
    """Paint spans that are shorter than a pixel over their long neighbours.

    A tool that answers at once, between two calls of an LLM that take seconds,
    has to be seen. Where there are many of them they stay a pixel wide.
    """
    lengths = view.x_of(scene.end[bars.place]) - view.x_of(scene.start[bars.place])
    short = np.flatnonzero(lengths < _SHORT_PX * ratio)
    if not len(short):
        return
    lines, columns = bars.lane[short], bars.left[short]
    inks = colours[scene.shade[bars.place[short]]]
    crowd = np.bincount(lines, minlength=len(pixels)) > view.width_px * _CROWDED
    pixels[lines, columns] = inks
    roomy = ~crowd[lines]
    for offset in range(1, round(_LEAST_PX * ratio)):
        at = np.minimum(columns[roomy] + offset, view.width_px - 1)
        pixels[lines[roomy], at] = inks[roomy]


def _density(
    scene: TimelineScene,
    lane: int,
    edges: NDArray[np.int64],
    colours: NDArray[np.uint32],
    ground: int,
) -> NDArray[np.uint32]:
    """Say of each pixel what ran in it, and how much of it was busy."""
    part = slice(int(scene.first[lane]), int(scene.first[lane + 1]))
    start, end, shade = scene.start[part], scene.end[part], scene.shade[part]
    sums = scene.sums[lane]
    begun = np.searchsorted(start, edges, "right")
    latest = np.maximum(begun - 1, 0)
    # What the last span to begin still has to run at each edge.
    ahead = np.maximum(end[latest] - edges, 0)
    ahead[begun == 0] = 0
    busy = sums.busy_ns.take(begun, axis=1)
    if len(sums.shades) == 1:
        busy[0] -= ahead
    else:
        busy -= ahead * (shade[latest] == sums.shades[:, None])
    shares = np.diff(busy, axis=1).astype(np.float32)
    total = shares[0] if len(shares) == 1 else shares.sum(axis=0)
    share = np.minimum(total / np.diff(edges), 1)
    base = _channels(np.array([ground], np.uint32))[0]
    inks = _channels(colours[sums.shades])
    if len(shares) == 1:
        # One colour in a few strengths: a look-up instead of arithmetic on every pixel.
        ladder = _packed(base + (inks - base) * _STRENGTHS[:, None])
        line = ladder[(share * (len(ladder) - 1)).astype(np.intp)]
    else:
        strength = _FAINTEST + (1 - _FAINTEST) * share
        # Not by `@`: for that BLAS wakes a thread for each processor, and those then turn in
        # circles for a while, which stops the window where it has no processor to spare.
        summed = np.einsum("sx,sc->xc", shares, inks)
        mixed = summed / np.maximum(total, 1)[:, None]
        line = _packed(base + (mixed - base) * strength[:, None])
    # Spans of no length add nothing to the sums, but they happened.
    return np.where((total > 0) | (begun[1:] > begun[:-1]), line, 0).astype(np.uint32)


def _failures(
    scene: TimelineScene, view: TimelineView, lanes: range, mark_px: int
) -> NDArray[np.bool_]:
    """Say of each lane and pixel whether something began there that went wrong."""
    marked = np.zeros((len(lanes), view.width_px), bool)
    if len(scene.failed) and len(lanes):
        low = np.searchsorted(scene.failed, scene.first[lanes.start])
        high = np.searchsorted(scene.failed, scene.first[lanes.stop])
        place = scene.failed[low:high]
        place = place[(scene.end[place] >= view.start_ns) & (scene.start[place] <= view.end_ns)]
        left = np.clip(view.x_of(scene.start[place]).astype(np.int64), 0, view.width_px - 1)
        for offset in range(mark_px):
            column = np.minimum(left + offset, view.width_px - 1)
            marked[scene.lane[place] - lanes.start, column] = True
    return marked


def _channels(colours: NDArray[np.uint32]) -> NDArray[np.float32]:
    parts = [colours >> 16 & 255, colours >> 8 & 255, colours & 255]
    return np.stack(parts, axis=-1).astype(np.float32)


def _packed(channels: NDArray[np.float32]) -> NDArray[np.uint32]:
    whole = channels.astype(np.uint32)
    packed = whole[:, 0] << 16 | whole[:, 1] << 8 | whole[:, 2] | 0xFF000000
    return packed.astype(np.uint32)
