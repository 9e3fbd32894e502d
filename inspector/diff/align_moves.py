"""Finding again, anywhere in the other run, what has no partner where it should be.

A component that was wrapped, a subtree under another parent, a tool call in another step.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.diff.align_contents import AGENT, PIPELINE
from inspector.runfile.kinds import KIND_CODE, SpanKind

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from inspector.diff.align_contents import Contents

    KeyOf = Callable[[Contents, int], Hashable]

Rows = list[tuple[int, int]]

_KNOWN_BY_NAME = frozenset({KIND_CODE[SpanKind.COMPONENT], PIPELINE, AGENT})


def moved(left: Contents, right: Contents, found: Rows) -> Rows:
    """Return pairs of spans that have none yet and can be told for sure.

    Only what each side has once counts, and of a subtree that moved as a whole its top: what
    is below is paired there.
    """
    taken = {one for one, _ in found}, {two for _, two in found}
    ones = [row for row in range(len(left.table)) if row not in taken[0]]
    twos = [row for row in range(len(right.table)) if row not in taken[1]]
    if not ones or not twos:
        return []
    for key_of in (_name_and_asked, _type_and_asked, _name_and_type):
        more = _alone_together(left, right, ones, twos, key_of)
        if more:
            tops = {one for one, _ in more}
            return [(one, two) for one, two in more if left.table.parent_row[one] not in tops]
    return []


def _alone_together(
    left: Contents, right: Contents, ones: list[int], twos: list[int], key_of: KeyOf
) -> Rows:
    first, second = _single(left, ones, key_of), _single(right, twos, key_of)
    return sorted((row, second[key]) for key, row in first.items() if key in second)


def _single(side: Contents, rows: list[int], key_of: KeyOf) -> dict[Hashable, int]:
    found: dict[Hashable, int] = {}
    twice = set()
    for row in rows:
        key = key_of(side, row)
        if key is None:
            continue
        if key in found:
            twice.add(key)
        found[key] = row
    return {key: row for key, row in found.items() if key not in twice}


def _name_and_asked(side: Contents, row: int) -> Hashable:
    if not side.was_asked(row):
        return None
    return side.group(row), side.asked(row)


def _type_and_asked(side: Contents, row: int) -> Hashable:
    kind = side.facts[row].type
    if not kind or not side.was_asked(row) or side.table.kind[row] not in _KNOWN_BY_NAME:
        return None
    return side.table.kind[row], kind, side.asked(row)


def _name_and_type(side: Contents, row: int) -> Hashable:
    if side.table.kind[row] not in _KNOWN_BY_NAME or not side.facts[row].type:
        return None
    return side.table.kind[row], side.table.name(row), side.facts[row].type
