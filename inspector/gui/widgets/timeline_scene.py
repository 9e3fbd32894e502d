"""What a timeline draws, arranged so that any part of it is found at once."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np

from inspector.presentation.lanes import Branch, assign_lanes
from inspector.presentation.walk import Walk
from inspector.runfile.kinds import KIND_CODE, KINDS, STATUS_CODE, SpanKind, SpanStatus
from inspector.runfile.table import NO_END

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from inspector.runfile.table import SpanTable

# What a bar's colour means: a kind, a component's role, or that things went wrong here.
SHADES: tuple[tuple[str, str], ...] = (
    *((str(kind), "") for kind in KINDS),
    ("component", "retrieval"),
    ("component", "llm"),
    ("component", "agent"),
    ("component", "pipeline"),
    ("component", "tool"),
    ("failed", ""),
    ("canceled", ""),
    *((state, "") for state in ("matched", "drifted", "edited", "live")),
)
_SHADE_OF_ROLE = {role: code for code, (_, role) in enumerate(SHADES) if role}
QUIET = len(SHADES)
"""Added to a shade, it is that of a span that is not what one looks for."""

FAILED_SHADE = SHADES.index(("failed", ""))
_CANCELED_SHADE = SHADES.index(("canceled", ""))
_COMPONENT = KIND_CODE[SpanKind.COMPONENT]
_CANCELED = STATUS_CODE[SpanStatus.CANCELED]
_UNFINISHED = STATUS_CODE[SpanStatus.UNFINISHED]

# Lanes with fewer spans are always drawn span by span and need no sums.
_FEWEST_SUMMED = 1_024
_SHORTEST_NS = 1_000
_ROOM_FOR_UNFINISHED = 0.03
# Seventy years. A file may claim any time; beyond this sums would leave 64 bits.
_LATEST_NS = 1 << 61
OVERVIEW_COLUMNS = 2_048
OVERVIEW_ROWS = 9


class Hatch(StrEnum):
    """What a bar is crossed with, so that its colour need not speak alone."""

    FALLING = "falling"
    CROSSED = "crossed"
    DOTTED = "dotted"
    RUNNING = "running"
    AROUND = "around"


@dataclass(frozen=True, slots=True)
class LaneSums:
    """For the spans of one lane, how long all before each of them ran, shade by shade.

    Two look-ups tell how busy any stretch of time was, however many spans
    are in it: that is what makes a million spans as quick to draw as a hundred.
    """

    shades: NDArray[np.uint8]
    busy_ns: NDArray[np.int64]  # shade by span; one column more than there are spans


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TimelineScene:
    """The spans of a run by lane and time. Frozen; made off the GUI thread.

    `start`, `end`, `shade`, `status`, `row` and `lane` hold a span each, lane after lane and in
    each lane by time; `first` says where each lane begins.
    """

    start: NDArray[np.int64]
    end: NDArray[np.int64]
    shade: NDArray[np.uint8]
    status: NDArray[np.uint8]
    row: NDArray[np.int32]
    lane: NDArray[np.int32]
    first: NDArray[np.int64]
    place_of_row: NDArray[np.int32]
    failed: NDArray[np.int64]  # places at which something went wrong
    unfinished: NDArray[np.int64]  # places of spans without an end
    sums: Mapping[int, LaneSums]
    lane_count: int
    branches: tuple[Branch, ...]
    end_ns: int
    overview: NDArray[np.uint8]  # the whole run in little: shade + 1 by row and column
    overview_failed: NDArray[np.bool_]  # the columns in which something began that failed
    marked: NDArray[np.int64] | None = None  # when each of the spans began that a search found
    lanes_of_whole: int = 0  # how many there were before some were left out
    hatched: Mapping[Hatch, NDArray[np.int64]] | None = None  # places, by how

    def __len__(self) -> int:
        return len(self.start)

    def holds(self, row: int) -> bool:
        """Say whether the span of a row of the run's table is in the scene."""
        return row < len(self.place_of_row) and int(self.place_of_row[row]) >= 0

    def within(self, lane: int, start_ns: float, end_ns: float) -> tuple[int, int]:
        """Return the places of a lane's spans that touch a stretch of time."""
        begin, stop = int(self.first[lane]), int(self.first[lane + 1])
        # Whole numbers: for a float numpy would first turn all of the column into floats.
        low = begin + int(self.end[begin:stop].searchsorted(np.int64(start_ns), "left"))
        high = begin + int(self.start[begin:stop].searchsorted(np.int64(end_ns), "right"))
        return low, max(low, high)

    def nearest(
        self, lane: int, at_ns: float, reach_ns: float, *, short_ns: float = -1
    ) -> int | None:
        """Return the row of the span of a lane at a moment, or nearby.

        Args:
            lane: Where to look.
            at_ns: When to look.
            reach_ns: How far from the moment a span may be.
            short_ns: A span up to this length is preferred to a longer one that is
                nearer: it could not be pointed at otherwise.

        """
        low, high = self.within(lane, at_ns - reach_ns, at_ns + reach_ns)
        if low == high:
            return None
        starts, ends = self.start[low:high], self.end[low:high]
        away = np.maximum(0, np.maximum(starts - at_ns, at_ns - ends))
        longer = ends - starts > short_ns
        return int(self.row[low + int(np.lexsort((away, longer))[0])])


def build_scene(
    table: SpanTable,
    *,
    roles: Mapping[int, str] | None = None,
    end_ns: int | None = None,
) -> TimelineScene:
    """Arrange the spans of a run. Knows no Qt; made to run on a worker thread.

    Args:
        table: The run's spans.
        roles: What components do, such as `retrieval`, by the code of their name.
        end_ns: When the run ended, if its header knows.

    """
    walk = Walk(table)
    lanes = assign_lanes(table, walk)
    until = min(max(table.end_of_run(), end_ns or 0, _SHORTEST_NS), _LATEST_NS)
    if NO_END in table.end_ns:
        # What has just begun and not ended needs some room to be seen in.
        until += round(until * _ROOM_FOR_UNFINISHED)
    starts = np.minimum(_column(table.start_ns, np.int64), _LATEST_NS)
    ends = np.minimum(_column(table.end_ns, np.int64), _LATEST_NS)
    ends = np.where(ends == NO_END, until, np.maximum(starts, ends))
    lane_of_row = _column(lanes.of_row, np.int32)
    order = np.lexsort((ends, starts, lane_of_row)).astype(np.int32)
    lane = lane_of_row[order]
    shade = _shades(table, walk, roles or {})[order]
    status = _column(table.status, np.uint8)[order]
    place_of_row = np.empty_like(order)
    place_of_row[order] = np.arange(len(order), dtype=np.int32)
    first = np.searchsorted(lane, np.arange(lanes.count + 1))
    start, end = starts[order], ends[order]
    overview, overview_failed = drawn_small(start, end, shade, lane, lanes.count, until)
    return TimelineScene(
        start=start,
        end=end,
        shade=shade,
        status=status,
        row=order,
        lane=lane,
        first=first,
        place_of_row=place_of_row,
        failed=np.flatnonzero(shade == FAILED_SHADE),
        unfinished=np.flatnonzero(status == _UNFINISHED),
        sums=lane_sums(start, end, shade, first),
        lane_count=lanes.count,
        branches=lanes.branches,
        end_ns=until,
        overview=overview,
        overview_failed=overview_failed,
    )


def running_sums(
    starts: Sequence[int], ends: Sequence[int], amounts: Sequence[float], until: int
) -> NDArray[np.float64]:
    """Add up, for each column of the overview, the amounts of what ran then."""
    scale = OVERVIEW_COLUMNS / max(until, 1)
    left = np.clip(np.array(starts, np.float64) * scale, 0, OVERVIEW_COLUMNS - 1).astype(np.int64)
    right = (np.array(ends, np.float64) * scale).astype(np.int64)
    right = np.clip(right, left + 1, OVERVIEW_COLUMNS)
    weights = np.array(amounts, np.float64)
    size = OVERVIEW_COLUMNS + 1
    rises = np.bincount(left, weights, size) - np.bincount(right, weights, size)
    return np.maximum(np.cumsum(rises)[:OVERVIEW_COLUMNS], 0)


def _column(values: object, dtype: type) -> NDArray:  # type: ignore[type-arg]  # dtype is a value here
    """Copy a column, so that nothing keeps the run's own buffer from being let go."""
    return np.array(values, dtype=dtype)


def _shades(table: SpanTable, walk: Walk, roles: Mapping[int, str]) -> NDArray[np.uint8]:
    kind = _column(table.kind, np.uint8)
    shade = kind.copy()
    if roles and table.names:
        by_name = np.full(max(len(table.names), max(roles) + 1), _COMPONENT, np.uint8)
        for code, role in roles.items():
            by_name[code] = _SHADE_OF_ROLE.get(role, _COMPONENT)
        components = kind == _COMPONENT
        shade[components] = by_name[_column(table.name_code, np.int64)[components]]
    shade[_column(table.status, np.uint8) == _CANCELED] = _CANCELED_SHADE
    # Only where it went wrong: a whole column of red from the root down would hide the place.
    failures = walk.failures
    if failures:
        shade[np.array(failures)] = FAILED_SHADE
    return shade


def lane_sums(
    start: NDArray[np.int64],
    end: NDArray[np.int64],
    shade: NDArray[np.uint8],
    first: NDArray[np.int64],
) -> dict[int, LaneSums]:
    """Return the sums of every lane that has many spans, by lane."""
    sums = {}
    for lane in np.flatnonzero(np.diff(first) >= _FEWEST_SUMMED):
        part = slice(int(first[lane]), int(first[lane + 1]))
        shades = _different(shade[part])
        lengths = end[part] - start[part]
        busy = np.zeros((len(shades), len(lengths) + 1), np.int64)
        for place, one in enumerate(shades):
            np.cumsum(np.where(shade[part] == one, lengths, 0), out=busy[place, 1:])
        sums[int(lane)] = LaneSums(shades, busy)
    return sums


def _different(shade: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return which shades there are, in order."""
    # `np.unique` does it too, but loads all of `numpy.ma` when it is first called.
    return np.flatnonzero(np.bincount(shade)).astype(np.uint8)


def drawn_small(
    start: NDArray[np.int64],
    end: NDArray[np.int64],
    shade: NDArray[np.uint8],
    lane: NDArray[np.int32],
    lane_count: int,
    until: int,
) -> tuple[NDArray[np.uint8], NDArray[np.bool_]]:
    """Draw a whole run small: the shade that most spans have in each row and column."""
    rows = max(1, min(lane_count, OVERVIEW_ROWS))
    columns = OVERVIEW_COLUMNS
    picture = np.zeros((rows, columns), np.uint8)
    failed_columns = np.zeros(columns, bool)
    if not len(start):
        return picture, failed_columns
    scale = columns / until
    left = np.minimum((start * scale).astype(np.int64), columns - 1)
    right = np.minimum(np.maximum((end * scale).astype(np.int64), left + 1), columns)
    row = lane.astype(np.int64) * rows // max(lane_count, 1)
    most = np.zeros((rows, columns), np.int64)
    for one in _different(shade):
        mine = shade == one
        # Every span adds one where it begins and takes one where it ends.
        size = rows * (columns + 1)
        rises = np.bincount(row[mine] * (columns + 1) + left[mine], minlength=size)
        falls = np.bincount(row[mine] * (columns + 1) + right[mine], minlength=size)
        running = np.cumsum((rises - falls).reshape(rows, columns + 1), axis=1)[:, :columns]
        more = running > most
        picture[more] = one + 1
        most[more] = running[more]
        if one == FAILED_SHADE:
            failed_columns[left[mine]] = True
    return picture, failed_columns
