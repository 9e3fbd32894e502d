"""A scene in which a search found something: what it found stands out, or stands alone."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from inspector.gui.widgets.timeline_scene import (
    FAILED_SHADE,
    QUIET,
    TimelineScene,
    drawn_small,
    lane_sums,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray


def found_scene(scene: TimelineScene, matched: bytes, kept: bytes | None) -> TimelineScene:
    """Return a scene with all quiet but what matches.

    Args:
        scene: The spans of a run.
        matched: A byte for each row of the run's table, 1 where it matches.
        kept: Likewise, 1 for what is shown at all; None shows everything. Lanes of which
            nothing is shown are left out.

    """
    match = np.frombuffer(matched, np.bool_)[scene.row]
    shade = np.where(match, scene.shade, scene.shade + QUIET).astype(np.uint8)
    if kept is not None:
        shown = np.flatnonzero(np.frombuffer(kept, np.bool_)[scene.row])
        return _alone(scene, shade, match, shown)
    return _redrawn(replace(scene, shade=shade, marked=scene.start[match]))


def _alone(
    scene: TimelineScene,
    shade: NDArray[np.uint8],
    match: NDArray[np.bool_],
    shown: NDArray[np.int64],
) -> TimelineScene:
    used = np.zeros(scene.lane_count, bool)
    used[scene.lane[shown]] = True
    number = (np.cumsum(used) - 1).astype(np.int32)
    lane = number[scene.lane[shown]]
    count = int(used.sum())
    row = scene.row[shown]
    place_of_row = np.full(len(scene.place_of_row), -1, np.int32)
    place_of_row[row] = np.arange(len(row), dtype=np.int32)
    place_now = np.full(len(scene), -1, np.int64)
    place_now[shown] = np.arange(len(shown))
    unfinished = place_now[scene.unfinished]
    return _redrawn(
        replace(
            scene,
            start=scene.start[shown],
            end=scene.end[shown],
            shade=shade[shown],
            status=scene.status[shown],
            row=row,
            lane=lane,
            first=np.searchsorted(lane, np.arange(count + 1)),
            place_of_row=place_of_row,
            unfinished=unfinished[unfinished >= 0],
            lane_count=count,
            lanes_of_whole=scene.lane_count,
            branches=tuple(
                replace(branch, first_lane=_lane_now(branch.first_lane, used, number))
                for branch in scene.branches
            ),
            marked=scene.start[match],
        )
    )


def _lane_now(lane: int, used: NDArray[np.bool_], number: NDArray[np.int32]) -> int:
    """Return where a lane is now. One that is left out keeps its caption, off the screen.

    Without it the room for captions would shrink, and every moment would jump to the left.
    """
    return int(number[lane]) if used[lane] else -1 - lane


def _redrawn(scene: TimelineScene) -> TimelineScene:
    """Return a scene with all that follows from its spans and their shades."""
    overview, failed = drawn_small(
        scene.start, scene.end, scene.shade, scene.lane, scene.lane_count, scene.end_ns
    )
    return replace(
        scene,
        failed=np.flatnonzero(scene.shade == FAILED_SHADE),
        sums=lane_sums(scene.start, scene.end, scene.shade, scene.first),
        overview=overview,
        overview_failed=failed,
    )
