"""Lets a test look at an alignment as lines."""

from textwrap import dedent

from inspector.diff.align import Alignment, align
from inspector.runfile.model import PipelineRun


def side_by_side(
    left: PipelineRun, right: PipelineRun, alignment: Alignment | None = None, *, same: bool = False
) -> str:
    """Return a line a pair: the paths, how they came together, and whether they are the same."""
    lines = []
    for pair in (alignment or align(left, right)).pairs:
        one = "-" if pair.left is None else left.spans[pair.left].path or "root"
        two = "-" if pair.right is None else right.spans[pair.right].path or "root"
        line = f"{one} | {two} | {pair.how}"
        if same:
            line += " same" if pair.same else ""
            line += " inside" if pair.same_inside else ""
        lines.append(line)
    return "\n".join(lines)


def undented(text: str) -> str:
    """Return a drawing without the margin that it has in a test."""
    return dedent(text).strip()


def check(left: PipelineRun, right: PipelineRun, alignment: Alignment) -> None:
    """Hold an alignment to what every one has to keep."""
    for side, run in (("left", left), ("right", right)):
        rows = [getattr(pair, side) for pair in alignment.pairs]
        held = [row for row in rows if row is not None]
        assert sorted(held) == list(range(len(run.spans))), f"every span of the {side} run, once"
    assert [pair.left for pair in alignment.pairs if pair.left is not None] == sorted(
        pair.left for pair in alignment.pairs if pair.left is not None
    ), "the left run's own order"
    for pair in alignment.pairs:
        if pair.left is not None:
            assert alignment.of_left(pair.left) is pair
        if pair.right is not None:
            assert alignment.of_right(pair.right) is pair
        assert (pair.left is None or pair.right is None) == (pair.how == "alone")
        assert not pair.same_inside or pair.same
