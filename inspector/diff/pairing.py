"""The pairs of a comparison put so that neither side is favoured."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.diff.model import Pair, Pairing
from inspector.runfile.kinds import KIND_CODE, SpanKind
from inspector.runfile.model import Span

if TYPE_CHECKING:
    from collections.abc import Sequence

    from inspector.diff.context import Context

_TOOL = KIND_CODE[SpanKind.TOOL]


def calls_side_by_side(context: Context, pairs: Sequence[Pair]) -> list[Pair]:
    """Put a tool call that only the left run made beside one that only the right one made.

    In one turn an LLM that chose another tool chose it instead of the first one.
    """
    left, right = context.left.run.table, context.right.run.table
    turn_of = {
        pair.left: pair.right for pair in pairs if pair.left is not None and pair.right is not None
    }
    waiting: dict[int, list[int]] = {}
    for pair in pairs:
        if pair.left is None and pair.right is not None and right.kind[pair.right] == _TOOL:
            waiting.setdefault(right.parent_row[pair.right], []).append(pair.right)
    if not waiting:
        return list(pairs)
    taken: set[int] = set()
    found = []
    for pair in pairs:
        if pair.right is None and pair.left is not None and left.kind[pair.left] == _TOOL:
            others = waiting.get(turn_of.get(left.parent_row[pair.left], -1))
            if others:
                taken.add(others[0])
                found.append(Pair(pair.left, others.pop(0), Pairing.ALONE, False, False))
                continue
        found.append(pair)
    return [pair for pair in found if pair.left is not None or pair.right not in taken]


def in_fair_order(context: Context, pairs: Sequence[Pair], places: list[int]) -> None:
    """Put what only one side has into an order that is the same whichever side is the left one.

    Each side keeps its own order; between two pairs that both have, what is called less comes
    first.
    """
    start = 0
    while start < len(places):
        end = start
        while end < len(places) and _is_alone(pairs[places[end]]):
            end += 1
        run = places[start:end]
        ones = [at for at in run if pairs[at].right is None]
        twos = [at for at in run if pairs[at].left is None]
        if ones and twos:
            merged = []
            while ones and twos:
                first = _name(context, pairs[ones[0]]) <= _name(context, pairs[twos[0]])
                merged.append((ones if first else twos).pop(0))
            places[start:end] = [*merged, *ones, *twos]
        start = end + 1


def _is_alone(pair: Pair) -> bool:
    return pair.left is None or pair.right is None


def _name(context: Context, pair: Pair) -> tuple[str, bytes]:
    run, row = (
        (context.left.run, pair.left) if pair.left is not None else (context.right.run, pair.right)
    )
    assert row is not None
    return Span(run, row).path, run.record_text(row)
