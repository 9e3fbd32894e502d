"""What is around something that matches stays with it, whichever way is quicker to find it."""

import random

import pytest

from inspector.presentation.narrowing import with_parents
from inspector.runfile.table import NO_PARENT, SpanTable
from tests.helpers.synthetic_tables import synthetic_table


def _around_by_hand(table: SpanTable, matched: bytes) -> bytes:
    kept = bytearray(matched)
    for row, one in enumerate(matched):
        above = row
        while one and above != NO_PARENT:
            kept[above] = 1
            above = table.parent_row[above]
    return bytes(kept)


@pytest.mark.parametrize("share", [0.0, 0.01, 0.3, 0.7, 0.8, 0.99, 1.0])
def test_what_matches_is_kept_with_all_that_it_happened_in(share: float) -> None:
    table = synthetic_table(2_000)
    draw = random.Random(7)
    matched = bytes(int(draw.random() < share) for _ in range(len(table)))
    assert with_parents(table, matched) == _around_by_hand(table, matched)


def test_one_match_at_the_bottom_keeps_every_level_above_it() -> None:
    table = synthetic_table(2_000)
    deepest = max(range(len(table)), key=lambda row: table.depth[row])
    inside = bytearray(b"\1" * len(table))
    row = table.parent_row[deepest]
    while row != NO_PARENT:
        inside[row] = 0  # all but those above match
        row = table.parent_row[row]
    assert with_parents(table, bytes(inside)) == b"\1" * len(table)
