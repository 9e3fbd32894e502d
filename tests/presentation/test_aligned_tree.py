from collections.abc import Sequence

from inspector.diff.model import Pair, Pairing
from inspector.presentation.aligned_tree import AlignedTree, aligned_tree
from inspector.runfile.model import PipelineRun
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


def both(rows: int, changed: Sequence[int] = (), *, alone: int | None = None) -> list[Pair]:
    return [
        Pair(row, None if row == alone else row, Pairing.EXACT, row not in changed, not changed)
        for row in range(rows)
    ]


def drawn(tree: AlignedTree, run: PipelineRun = RUN) -> list[str]:
    lines = []
    for line in tree.lines:
        if line.pair is None:
            lines.append(f"{'  ' * line.depth}({line.folded})")
        else:
            row = line.pair.left
            assert row is not None
            mark = " !" if line.changed else ""
            lines.append(f"{'  ' * line.depth}{run.table.name(row)}{mark}")
    return lines


def test_what_changed_keeps_what_is_around_it_and_the_rest_is_folded() -> None:
    tree = aligned_tree(both(7, changed=[3]), RUN.table, RUN.table)
    assert drawn(tree) == [
        "pipeline", "  agent", "    (1)", "    search !", "    (1)", "  (2)",
    ]  # fmt: skip
    assert (tree.changed, tree.left_out) == (1, 0)


def test_a_span_that_one_side_has_is_a_change() -> None:
    tree = aligned_tree(both(7, alone=6), RUN.table, RUN.table)
    assert drawn(tree) == ["pipeline", "  (5)", "  checker !"]


def test_runs_that_are_the_same_are_one_stretch() -> None:
    assert drawn(aligned_tree(both(7), RUN.table, RUN.table)) == ["(7)"]


def test_of_many_changes_as_many_are_shown_as_there_is_room_for() -> None:
    tree = aligned_tree(both(7, changed=[2, 3, 4, 5]), RUN.table, RUN.table, most=4)
    assert drawn(tree) == ["pipeline", "  agent", "    llm !", "    search !", "    (1)", "  (2)"]
    assert (tree.changed, tree.left_out) == (4, 2)
