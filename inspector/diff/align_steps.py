"""Pairing the steps of agents: by what was called, by what the LLM was asked, by place."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from inspector.diff.align_contents import LLM

if TYPE_CHECKING:
    from collections.abc import Hashable

    from inspector.diff.align_contents import Contents

Rows = list[tuple[int, int]]

MOST_COMPARED = 40_000
"""How many pairs of steps may be weighed against each other."""

# The same call in both is worth more than the same question to the LLM: where an LLM took one
# more turn, the steps after it do what the others do, and the one that is alone is that turn.
_SAME_CALLS = 3.0
_SAME_QUESTION = 2.0
_SAME_TOOLS = 1.0
_BOTH_STEPS = 0.5


class Step(NamedTuple):
    """What a step is recognised by."""

    question: Hashable  # what its LLM was asked
    calls: Hashable  # the tools with what they were asked
    tools: Hashable  # their names alone


def step_of(side: Contents, row: int) -> Step:
    """Return what the step in a row is recognised by."""
    llms = [child for child in side.children(row) if side.table.kind[child] == LLM]
    question = side.asked(llms[0]) if llms and side.was_asked(llms[0]) else None
    return Step(question, side.calls(row), side.tools(row))


def weighed(ones: list[Step], twos: list[Step]) -> Rows:
    """Return the pairs of places, both rising, for which most speaks together."""
    width = len(twos)
    best = [[0.0] * (width + 1) for _ in range(len(ones) + 1)]
    # From the end, so that on the way back the first of equal choices is taken.
    for one in range(len(ones) - 1, -1, -1):
        row, below = best[one], best[one + 1]
        step = ones[one]
        for two in range(width - 1, -1, -1):
            row[two] = max(below[two + 1] + _likeness(step, twos[two]), below[two], row[two + 1])
    found = []
    one = two = 0
    while one < len(ones) and two < width:
        if best[one][two] == best[one + 1][two + 1] + _likeness(ones[one], twos[two]):
            found.append((one, two))
            one += 1
            two += 1
        elif best[one][two] == best[one + 1][two]:
            one += 1
        else:
            two += 1
    return found


def _likeness(one: Step, two: Step) -> float:
    total = _BOTH_STEPS
    if one.calls is not None and one.calls == two.calls:
        total += _SAME_CALLS
    if one.question is not None and one.question == two.question:
        total += _SAME_QUESTION
    if one.tools == two.tools:
        total += _SAME_TOOLS
    return total
