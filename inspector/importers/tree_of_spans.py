"""Putting the spans of a trace into one tree, whatever is wrong with their ids and times."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

    from inspector.importers.foreign import ForeignSpan
    from inspector.importers.losses import Losses

NO_PARENT = -1


class Placed(NamedTuple):
    """Spans in start order, and the place of each one's parent among them."""

    spans: list[ForeignSpan]
    parents: list[int]
    rooted: bool
    """Whether the trace has a root of its own, not only spans whose parents are missing."""


def placed(spans: Iterable[ForeignSpan], losses: Losses) -> Placed:
    """Return the spans of one trace in start order, each under its parent.

    A span that stands there twice counts once. What is under itself, in a circle or under a span
    that is not there hangs under the root, where there is one.
    """
    kept = _without_copies(spans, losses)
    _sort(kept)
    rows: dict[str, int] = {}
    for row, span in enumerate(kept):
        rows.setdefault(span.id, row)
    parents: list[int] = []
    orphans, astray = set[int](), set[int]()
    for row, span in enumerate(kept):
        parent = rows.get(span.parent, NO_PARENT) if span.parent else NO_PARENT
        if span.parent and parent == NO_PARENT:
            orphans.add(row)
        elif parent == row:
            astray.add(row)
            losses.problem("It is its own parent; it is shown under the root.", _called(span))
            parent = NO_PARENT
        parents.append(parent)
    astray |= _cut_circles(parents, kept, losses)
    lost = orphans | astray
    roots = [row for row, above in enumerate(parents) if above == NO_PARENT and row not in lost]
    if len(roots) == 1:
        for row in lost:
            parents[row] = roots[0]
    if orphans:
        losses.problem(_orphaned(len(orphans), shown_under_root=len(roots) == 1))
    return Placed(kept, parents, bool(roots))


def _sort(spans: list[ForeignSpan]) -> None:
    """Put spans in start order; of those that start at once the outer ones first."""
    # One that does not say when it began is shown from the beginning, so it stands there, too.
    zero = min((span.start for span in spans if span.start is not None), default=0)
    spans.sort(key=lambda span: zero if span.start is None else span.start)
    if all(one.start != other.start for one, other in pairwise(spans)) and all(
        span.start is not None for span in spans
    ):
        return
    above = {span.id: span.parent for span in spans}
    depths: dict[str | None, int] = {None: 0}
    for span in spans:
        trail: dict[str, None] = {}
        at: str | None = span.id
        while at is not None and at not in depths and at in above and at not in trail:
            trail[at] = None
            at = above[at]
        depth = depths.get(at, 0)
        for each in reversed(trail):
            depth += 1
            depths[each] = depth
    spans.sort(
        key=lambda span: (zero if span.start is None else span.start, depths.get(span.id, 0))
    )


def _orphaned(count: int, *, shown_under_root: bool) -> str:
    who = "A span belongs" if count == 1 else f"{count:,} spans belong"
    shown = "under the root" if shown_under_root else "side by side"
    return f"{who} under a span that is not in the file; shown {shown}."


def _called(span: ForeignSpan) -> str:
    return span.name or span.id


def _without_copies(spans: Iterable[ForeignSpan], losses: Losses) -> list[ForeignSpan]:
    first: dict[str, ForeignSpan] = {}
    kept: list[ForeignSpan] = []
    for span in spans:
        known = first.setdefault(span.id, span) if span.id else span
        if known is span:
            kept.append(span)
        elif known.end is None and span.end is not None and known.name == span.name:
            # Told once at its start and once at its end: the second has it all.
            kept[kept.index(known)] = span
            first[span.id] = span
        elif (known.name, known.start, known.end) == (span.name, span.start, span.end):
            losses.skip("span that stands there a second time", _called(span))
        elif span.end is None and known.name == span.name:
            continue
        else:
            losses.problem("Two spans have the same id.", _called(span))
            kept.append(span)
    return kept


def _cut_circles(parents: list[int], spans: list[ForeignSpan], losses: Losses) -> set[int]:
    """Cut each circle of parents at the span that comes first in it; return those spans."""
    done = bytearray(len(parents))
    cut = set[int]()
    for start in range(len(parents)):
        trail: list[int] = []
        at = start
        while at != NO_PARENT and not done[at]:
            done[at] = 2
            trail.append(at)
            at = parents[at]
        if at != NO_PARENT and done[at] == 2:
            first = min(trail[trail.index(at) :])
            losses.problem("Its parents form a circle.", _called(spans[first]))
            parents[first] = NO_PARENT
            cut.add(first)
        for row in trail:
            done[row] = 1
    return cut
