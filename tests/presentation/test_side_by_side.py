import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.diff.model import TextDiff, TextPart
from inspector.diff.text import text_diff
from inspector.presentation.side_by_side import (
    LONGEST_LINE,
    SideBySide,
    TextRow,
    alone,
    folded,
    side_by_side,
)


def said(shown: SideBySide, side: str) -> str:
    lines = [getattr(row, side) for row in shown.rows]
    return "".join(line.text + ("\n" if line.ends else "") for line in lines if line is not None)


def drawn(shown: SideBySide) -> list[tuple[str, str]]:
    def cell(line: object) -> str:
        if line is None:
            return "."
        return "".join(f"[{piece.text}]" if piece.marked else piece.text for piece in line.pieces)  # type: ignore[attr-defined]  # a SideLine

    return [(cell(row.left), cell(row.right)) for row in shown.rows]


words = st.lists(st.sampled_from(["a", "bb ", "c\n", "\n", "long " * 300, "x" * 2500, "\r\n"]))


@given(words, words)
def test_the_rows_of_a_side_are_its_text(left: list[str], right: list[str]) -> None:
    one, other = "".join(left), "".join(right)
    shown = side_by_side(text_diff(one, other))
    assert said(shown, "left") == one
    assert said(shown, "right") == other
    assert (not shown.changes) == (one == other)


@given(words)
def test_no_line_of_a_row_is_too_long_to_be_laid_out(parts: list[str]) -> None:
    text = "".join(parts)
    for shown in (side_by_side(text_diff(text, text[::-1])), alone(text, is_left=True)):
        for row in shown.rows:
            assert all(len(line.text) <= LONGEST_LINE for line in row[:2] if line is not None)
    assert said(alone(text, is_left=False), "right") == text


def test_a_changed_word_is_marked_in_a_line_that_both_have() -> None:
    shown = side_by_side(text_diff("one\nrinse the screen\nend", "one\nrinse the sieve\nend"))
    assert drawn(shown) == [
        ("one", "one"), ("rinse the [screen]", "rinse the [sieve]"), ("end", "end"),
    ]  # fmt: skip
    assert shown.changes == ((1, 2),)
    assert shown.rows[1].by_words


def test_a_line_that_one_side_has_leaves_a_gap_on_the_other() -> None:
    shown = side_by_side(text_diff("a\nb\nc", "a\nc"))
    assert drawn(shown) == [("a", "a"), ("[b]", "."), ("c", "c")]
    assert [row.changed for row in shown.rows] == [False, True, False]
    assert [row.left.number for row in shown.rows if row.left] == [1, 2, 3]
    assert [row.right.number for row in shown.rows if row.right] == [1, 2]


def test_lines_put_into_the_middle_of_one_keep_its_end_in_the_last_row() -> None:
    parts = (TextPart("same", "start "), TextPart("right", "x\ny\nz"), TextPart("same", " end"))
    assert drawn(side_by_side(TextDiff(parts))) == [
        ("start  end", "start [x]"), (".", "[y]"), (".", "[z] end"),
    ]  # fmt: skip


@pytest.mark.parametrize("is_left", [True, False])
def test_a_text_of_one_side_has_no_marks(is_left: bool) -> None:
    shown = alone("a\nb", is_left=is_left)
    assert drawn(shown) == ([("a", "."), ("b", ".")] if is_left else [(".", "a"), (".", "b")])
    assert shown.changes == ((0, 2),)


@given(words, words)
def test_folding_leaves_out_only_what_is_the_same(left: list[str], right: list[str]) -> None:
    shown = side_by_side(text_diff("".join(left), "".join(right)))
    short = folded(shown)
    assert len(short.lengths) == len(short.rows)
    assert [row for row in short.rows if row.changed] == [row for row in shown.rows if row.changed]
    unfolded: list[TextRow] = []
    for row in short.rows:
        unfolded += shown.rows[len(unfolded) : len(unfolded) + row.hidden] if row.hidden else [row]
    assert tuple(unfolded) == shown.rows


def test_rows_around_a_difference_stay() -> None:
    lines = [str(number) for number in range(30)]
    changed = [*lines[:14], "x", *lines[15:]]
    short = folded(side_by_side(text_diff("\n".join(lines), "\n".join(changed))))
    assert [row.hidden or (row.left and row.left.text) for row in short.rows] == [
        11, "11", "12", "13", "14", "15", "16", "17", 12,
    ]  # fmt: skip
    same = side_by_side(text_diff("a\nb\nc\nd\ne", "a\nb\nc\nd\ne"))
    assert folded(same) is same
