from collections.abc import Sequence
from dataclasses import replace

from inspector.diff.compare import diff_runs
from inspector.diff.model import Pair, Pairing
from inspector.presentation.aligned_tree import AlignedLines, aligned_lines
from inspector.presentation.compare_tree import CompareTree
from tests.helpers.drawn_runs import run_from_outline

RUN = run_from_outline(
    """
    pipeline 0-100
      agent 10-90
        llm 10-40
        search 40-60
        llm 60-90
      writer 90-95
      checker 95-99
    """
)


def tree(changed: Sequence[int] = (), *, alone: int | None = None) -> CompareTree:
    pairs = tuple(
        Pair(row, None if row == alone else row, Pairing.EXACT, row not in changed, not changed)
        for row in range(7)
    )
    return CompareTree(replace(diff_runs(RUN, RUN), pairs=pairs), RUN, RUN)


def drawn(found: AlignedLines) -> list[str]:
    return [
        "  " * line.depth + (f"({line.folded})" if line.node is None else RUN.table.name(line.node))
        for line in found.lines
    ]


def test_what_changed_keeps_what_is_around_it_and_the_rest_is_folded() -> None:
    assert drawn(aligned_lines(tree([3]))) == [
        "pipeline", "  agent", "    (1)", "    search", "    (1)", "  (2)",
    ]  # fmt: skip


def test_a_span_that_one_side_has_is_a_change() -> None:
    assert drawn(aligned_lines(tree([6], alone=6))) == ["pipeline", "  (5)", "  checker"]


def test_runs_that_are_the_same_are_one_stretch() -> None:
    assert drawn(aligned_lines(tree())) == ["(7)"]


def test_of_many_changes_as_many_are_shown_as_there_is_room_for() -> None:
    found = aligned_lines(tree([2, 3, 4, 5]), most=4)
    assert drawn(found) == ["pipeline", "  agent", "    llm", "    search", "  (1)"]
    assert found.left_out == 2
