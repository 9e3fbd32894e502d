"""Where two runs first decide differently, what may have caused it, and what followed."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

from inspector.diff.causes import causes_of
from inspector.diff.lineage import ends_of, sources_of
from inspector.diff.model import Decision, DecisionKind, Divergence, Link
from inspector.runfile.kinds import SpanKind
from inspector.runfile.model import Span

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from inspector.diff.align import Alignment
    from inspector.diff.context import Context, SideView
    from inspector.diff.lineage import Source
    from inspector.diff.model import ConfigurationChange, Pair

_LONGEST_CHAIN = 200


def first_divergence(
    context: Context,
    alignment: Alignment,
    decisions: Sequence[Decision],
    configuration: Sequence[ConfigurationChange],
) -> Divergence | None:
    """Return the earliest decision that differs, with its causes and its chain to the answer.

    Later differences are usually echoes of this one, which is why nothing after it is called
    a divergence.
    """
    first = next((each for each in decisions if each.differs), None)
    if first is None:
        return None
    return Divergence(
        decision=first.number,
        sentence=first.title,
        causes=causes_of(context, alignment, first, configuration),
        chain=_chain(context, alignment, first, decisions),
    )


def _chain(
    context: Context, alignment: Alignment, first: Decision, decisions: Sequence[Decision]
) -> tuple[Link, ...]:
    """Return the way from a decision to the run's end, along what differs.

    It is followed in the right run where that has the span, since that is the run that a
    person wants to have explained.
    """
    on_right = first.right_span is not None
    view = context.right if on_right else context.left
    start = view.run.table.row_of((first.right_span if on_right else first.left_span) or "")
    if start is None or first.kind is DecisionKind.ANSWER or not view.run.roots:
        return ()
    if view.run.table.parent_row[start] < 0:
        return ()

    def pair_of(row: int) -> Pair:
        return alignment.of_right(row) if on_right else alignment.of_left(row)

    rows = [row for row in range(len(view.run.table)) if row == start or not pair_of(row).same]
    names = (each.right_span if on_right else each.left_span for each in decisions if each.differs)
    telling = {row for name in names if name and (row := view.run.table.row_of(name)) is not None}
    links = _way(view, start, rows, telling)
    return tuple(_link(context, view, pair_of(row), source) for row, source in links)


def _link(context: Context, view: SideView, pair: Pair, source: Source) -> Link:
    span = Span(view.run, pair.left if view is context.left else pair.right)  # type: ignore[arg-type]  # this side has it
    giver = Span(view.run, source.row)
    name, other = _name(span), _name(giver)
    if source.row > span.row or view.run.table.parent_row[source.row] == span.row:
        sentence = f"{name} ended with {source.what} from {other}"
    elif source.what in ("the result", "the reply", "the call"):
        sentence = f"{name} was given {source.what} of {other}"
    else:
        sentence = f"{name} was given {source.what} by {other}"
    return Link(
        left_span=None if pair.left is None else context.left.run.table.id(pair.left),
        right_span=None if pair.right is None else context.right.run.table.id(pair.right),
        path=span.path, sentence=sentence, recorded=source.recorded,
    )  # fmt: skip


def _name(span: Span) -> str:
    if span.kind is SpanKind.PIPELINE:
        return f"the pipeline {span.name}" if span.name else "the pipeline"
    if span.kind is SpanKind.LLM and span.path:
        return span.path
    return span.path or span.name


def _way(
    view: SideView, start: int, rows: Iterable[int], telling: set[int]
) -> list[tuple[int, Source]]:
    """Return the hops from a row to the root: each with what it got from the one before.

    Of all ways it is the one with the most spans that decided differently: a document reaches
    the answer as a reference too, but what explains the answer is what the LLM was sent.
    """
    table = view.run.table
    root = view.run.roots[0].row

    def over(row: int) -> tuple[float, int]:
        # What is inside ends before what is around it, whatever the clock says.
        end = table.end_ns[row]
        return (inf if end < 0 else end, -table.depth[row])

    order = sorted((row for row in rows if over(row) >= over(start)), key=over)
    best: dict[int, tuple[int, int]] = {start: (0, 0)}
    came: dict[int, Source] = {}
    for row in order:
        if row == start:
            continue
        span = Span(view.run, row)
        for source in (*sources_of(view, span), *ends_of(view, span)):
            reached = best.get(source.row)
            # Out of a span and into it again would be no way that anything went.
            if reached is None or (source.row != start and table.parent_row[row] == source.row):
                continue
            candidate = (reached[0] + (row in telling), reached[1] - 1)
            if row not in best or candidate > best[row]:
                best[row], came[row] = candidate, source
    hops: list[tuple[int, Source]] = []
    at = root
    while at in came and len(hops) < _LONGEST_CHAIN:
        hops.append((at, came[at]))
        at = came[at].row
    return hops[::-1]
