"""What of a template is Jinja, line by line."""

from hypothesis import given
from hypothesis import strategies as st

from inspector.presentation.jinja_text import Part, State, read_line


def told(line: str, state: int = State.NOTHING) -> list[tuple[str, Part]]:
    return [(line[start:end], part) for start, end, part in read_line(line, state)[0]]


def test_values_blocks_and_comments_are_told_apart() -> None:
    line = "a {{ d.meta.page + 1 }} {% for d in docs %} {# why #} b"
    assert told(line) == [
        ("{{", Part.FENCE), ("d", Part.NAME), ("meta", Part.NAME), ("page", Part.NAME),
        ("1", Part.NUMBER), ("}}", Part.FENCE), ("{%", Part.FENCE), ("for", Part.KEYWORD),
        ("d", Part.NAME), ("in", Part.KEYWORD), ("docs", Part.NAME), ("%}", Part.FENCE),
        ("{# why #}", Part.COMMENT),
    ]  # fmt: skip


def test_text_outside_is_no_jinja() -> None:
    assert told("for d in docs } }} %}") == []


def test_a_text_inside_keeps_what_looks_like_an_end() -> None:
    assert ("'}'", Part.TEXT) in told("{{ x == '}' }}")


def test_what_a_line_leaves_open_goes_on_in_the_next() -> None:
    stretches, state = read_line("{# one")
    assert state is State.COMMENT
    assert [part for _, _, part in stretches] == [Part.COMMENT]
    line = "two #} {{ x"
    assert told(line, state) == [
        ("two #}", Part.COMMENT), ("{{", Part.FENCE), ("x", Part.NAME),
    ]  # fmt: skip
    assert read_line(line, state)[1] is State.VALUE
    assert told("y }}", State.VALUE) == [("y", Part.NAME), ("}}", Part.FENCE)]


@given(st.text(alphabet="{}%# ax1'\"", max_size=40), st.integers(-1, 9))
def test_stretches_never_overlap_and_never_leave_the_line(line: str, state: int) -> None:
    stretches, _ = read_line(line, state)
    at = 0
    for start, end, _part in stretches:
        assert at <= start < end <= len(line)
        at = end
