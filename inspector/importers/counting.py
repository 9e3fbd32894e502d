"""Which of the figures in a trace count: those of the calls, each once.

Whoever contains a call repeats its usage, sums it up, or describes the same call once more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.importers.tree_of_spans import NO_PARENT

if TYPE_CHECKING:
    from inspector.importers.reading import Reading

_AROUND = ("agent", "pipeline", "step", "hook", "tool")


def count_once(readings: list[Reading], parents: list[int]) -> None:
    """Leave each call of a model on one span, and usage on no other.

    An instrumentation's span inside of a component's describes the same call: the component
    keeps it, with whatever either of them knows. Where several calls stand in one, they count
    and it does not; what agents and pipelines report is the sum of what they contain.
    """
    calls: dict[int, list[int]] = {}
    for row in _innermost_first(parents):
        reading = readings[row]
        below = calls.pop(row, [])
        is_call = reading.role == "llm" or reading.kind == "llm"
        if reading.kind in _AROUND or reading.role == "agent":
            if below:
                reading.usage = None
            up = below or ([row] if reading.usage is not None else [])
        elif is_call or reading.usage is not None:
            up = _one_call(row, below, readings)
        else:
            up = below
        if up and parents[row] != NO_PARENT:
            calls.setdefault(parents[row], []).extend(up)


def _one_call(row: int, below: list[int], readings: list[Reading]) -> list[int]:
    """Settle who of a call and those inside of it counts; return them."""
    outer, inner = readings[row], [readings[each] for each in below]
    if not inner:
        return [row]
    if len(inner) > 1 and any(each.usage is not None for each in inner):
        outer.usage = None
        _demote(outer)
        return below
    if len(inner) == 1:
        outer.usage = outer.usage or inner[0].usage
        known = {**(inner[0].llm or {}), **(outer.llm or {})}
        outer.llm = known or None
        if outer.role == "other":
            outer.role = "llm"
    for each in inner:
        each.usage = None
        _demote(each)
    return [row]


def _demote(reading: Reading) -> None:
    reading.role = "other"
    if reading.kind == "llm":
        reading.kind = "other"


def _innermost_first(parents: list[int]) -> list[int]:
    """Return the rows so that each stands before its parent."""
    children: dict[int, list[int]] = {}
    for row, parent in enumerate(parents):
        children.setdefault(parent, []).append(row)
    order: list[int] = []
    waiting = list(children.get(NO_PARENT, ()))
    while waiting:
        row = waiting.pop()
        order.append(row)
        waiting.extend(children.get(row, ()))
    order.reverse()
    return order
