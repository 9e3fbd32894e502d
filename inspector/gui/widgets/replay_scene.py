"""What the timeline of a replay draws: the recording as a ghost, and what the replay made of it.

Spans stand where the recording has them, whatever time the replay took. What is new opens a gap
in the recording's time at the moment at which it came.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from inspector.gui.widgets.timeline_scene import (
    QUIET,
    SHADES,
    Hatch,
    TimelineScene,
    build_scene,
    lane_sums,
)
from inspector.presentation.live_replay import Match
from inspector.presentation.replay_table import GHOST, STATE_OF, Newcomer
from inspector.runfile.table import NO_END

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from inspector.runfile.table import SpanTable

_RUNNING = STATE_OF[Match.RUNNING]
_SHADE_OF = np.zeros(len(STATE_OF) + 1, np.uint8)
for _match, _code in STATE_OF.items():
    if _match not in (Match.RUNNING, Match.AROUND):
        _SHADE_OF[_code] = SHADES.index((str(_match), ""))
# What is around a difference is pale, as it was recorded itself.
_SHADE_OF[STATE_OF[Match.AROUND]] = QUIET + SHADES.index(("drifted", ""))
_HATCHES = {
    Hatch.FALLING: STATE_OF[Match.DRIFTED],
    Hatch.CROSSED: STATE_OF[Match.EDITED],
    Hatch.DOTTED: STATE_OF[Match.LIVE],
    Hatch.RUNNING: _RUNNING,
    Hatch.AROUND: STATE_OF[Match.AROUND],
}


class Ghost(NamedTuple):
    """A recording and what is new in its replay, arranged; the states are put on later."""

    scene: TimelineScene
    recorded: int  # rows of the recording's table

    @property
    def rows(self) -> int:
        return len(self.scene.place_of_row)


def build_ghost(
    table: SpanTable,
    recorded: int,
    newcomers: Sequence[Newcomer],
    roles: Mapping[int, str],
    end_ns: int | None,
) -> Ghost:
    """Arrange the rows of a replay. Knows no Qt; made to run on a worker thread.

    Args:
        table: Recorded rows, then new ones; it is changed, unless there are no new ones.
        recorded: How many rows are recorded.
        newcomers: Where the new ones belong, row by row.
        roles: What components do, by the code of their name.
        end_ns: When the recording ended, if it says so.

    """
    if newcomers:
        end_ns = _make_room(table, recorded, newcomers, end_ns)
    return Ghost(build_scene(table, roles=roles, end_ns=end_ns), recorded)


def _make_room(
    table: SpanTable, recorded: int, newcomers: Sequence[Newcomer], end_ns: int | None
) -> int | None:
    """Open gaps in the recording's time for what is new, and put it there."""
    lengths, offsets = _laid_out(recorded, newcomers)
    first = [place for place, one in enumerate(newcomers) if one.parent < recorded]
    at = np.array([newcomers[place].at_ns for place in first], np.int64)
    order = np.argsort(at, kind="stable")
    moments = at[order]
    gaps = np.concatenate(([0], np.cumsum(np.array([lengths[place] for place in first])[order])))
    start = np.array(table.start_ns[:recorded], np.int64)
    end = np.array(table.end_ns[:recorded], np.int64)
    start += gaps[np.searchsorted(moments, start, "right")]
    moved = end + gaps[np.searchsorted(moments, end, "left")]
    end = np.where(end == NO_END, NO_END, np.maximum(moved, start))
    table.start_ns[:recorded] = type(table.start_ns)("q", start.tolist())
    table.end_ns[:recorded] = type(table.end_ns)("q", end.tolist())
    # Those at one moment follow each other, in the order in which they came.
    begins: dict[int, int] = {}
    for rank, place in enumerate(np.asarray(first)[order].tolist()):
        begins[place] = int(moments[rank] + gaps[rank])
    for place, one in enumerate(newcomers):
        if one.parent >= recorded:
            begins[place] = begins[one.parent - recorded] + offsets[place]
        table.start_ns[recorded + place] = begins[place]
        table.end_ns[recorded + place] = begins[place] + lengths[place]
    return None if end_ns is None else end_ns + int(gaps[-1])


def _laid_out(recorded: int, newcomers: Sequence[Newcomer]) -> tuple[list[int], list[int]]:
    """Return how long each newcomer is with what is in it, and where it begins in its parent."""
    inner: dict[int, list[int]] = {}
    for place, one in enumerate(newcomers):
        if one.parent >= recorded:
            inner.setdefault(one.parent - recorded, []).append(place)
    lengths = [one.length_ns for one in newcomers]
    offsets = [0] * len(newcomers)
    for place in range(len(newcomers) - 1, -1, -1):  # a parent comes before its children
        at = 0
        for child in inner.get(place, ()):
            offsets[child] = at
            at += lengths[child]
        lengths[place] = max(lengths[place], at)
    return lengths, offsets


def painted(ghost: Ghost, states: bytes | bytearray, failed: Sequence[int]) -> TimelineScene:
    """Return a scene in the colours of the present states; quick enough for every frame.

    Args:
        ghost: What is drawn where.
        states: How each row stands; rows that are not arranged yet are left out.
        failed: The rows at which something failed in the replay.

    """
    scene = ghost.scene
    state = np.frombuffer(bytes(states[: ghost.rows]), np.uint8)[scene.row]
    quiet = scene.shade + np.uint8(QUIET)
    pale = (state == GHOST) | (state == _RUNNING)
    shade = np.where(pale, quiet, _SHADE_OF[state]).astype(np.uint8)
    rows = np.array([row for row in failed if row < ghost.rows], np.int64)
    return replace(
        scene,
        shade=shade,
        status=np.zeros_like(scene.status),
        failed=np.sort(scene.place_of_row[rows].astype(np.int64)),
        unfinished=np.empty(0, np.int64),
        sums=lane_sums(scene.start, scene.end, shade, scene.first) if scene.sums else {},
        hatched={how: np.flatnonzero(state == code) for how, code in _HATCHES.items()},
    )
