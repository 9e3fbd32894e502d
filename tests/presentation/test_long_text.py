import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.presentation.long_text import (
    LONGEST_LINE,
    MOST_MATCHES,
    DisplayText,
    find_all,
    match_words,
)
from inspector.presentation.visible import visible_text

lines = st.lists(
    st.text(st.sampled_from("ab \n\t\r👩é\u0301\x1b\u200d"), max_size=30)
    | st.integers(900, 4_000).map(lambda n: ("word " * n)[:n])
    | st.integers(900, 4_000).map("x".__mul__),
    max_size=8,
)


@given(lines)
def test_display_lines_are_short_and_say_all_of_the_text(parts):
    text = "".join(parts)
    display = DisplayText(text)
    assert display.source == visible_text(text)
    put_together = ""
    for at in range(len(display)):
        assert len(display.line(at)) <= LONGEST_LINE
        put_together += display.line(at)
        ends = at + 1 < len(display) and not display.continues(at + 1)
        put_together += "\n" if ends else ""
    assert put_together == display.source
    assert display.lines(0, len(display)).split("\n") == [
        display.line(at) for at in range(len(display))
    ]


@given(lines, st.data())
def test_every_character_has_its_place(parts, data):
    display = DisplayText("".join(parts))
    offset = data.draw(st.integers(0, len(display.source)))
    line, column = display.place(offset)
    assert display.start(line) + column == offset
    assert column <= len(display.line(line))


def test_lines_break_at_blanks_where_there_are_any():
    display = DisplayText("word " * 500)
    assert display.line(0).endswith(" ")
    assert display.line(1).startswith("word")


def test_lines_keep_the_numbers_they_had():
    display = DisplayText(f"one\n{'x' * 2_500}\nthree")
    assert [display.number(at) for at in range(len(display))] == [1, 2, 2, 2, 3]
    assert display.head_of(3) == 1


def test_an_accent_stays_on_its_letter():
    display = DisplayText("e\u0301" * 2_000)
    assert all(display.line(at).startswith("e") for at in range(len(display)))


@pytest.mark.timeout(20)
def test_a_line_of_ten_million_characters_is_no_trouble():
    assert len(DisplayText("x" * 10_000_000)) == 10_000


def test_a_carriage_return_before_a_line_end_is_not_pointed_at():
    text = "a" * 99_999 + "\r\n" + "b"
    assert DisplayText(text).source == "a" * 99_999 + "\nb"


@given(st.text(st.sampled_from("abA\n"), max_size=200), st.text(st.sampled_from("abA"), max_size=3))
def test_finding_finds_what_is_there_whatever_its_case(text, needle):
    expected = [m.start() for m in re.finditer(needle, text, re.IGNORECASE)] if needle else []
    assert list(find_all(text, needle).starts) == expected


def test_finding_goes_on_over_the_end_of_a_part():
    text = "x" * 99_998 + "needle" + "y" * 200_000 + "NEEDLE"
    assert list(find_all(text, "needle").starts) == [99_998, 300_004]


def test_finding_stops_at_a_bound_and_says_so():
    found = find_all("a" * 300_000, "a")
    assert len(found) == MOST_MATCHES
    assert not found.all_found
    assert match_words(found, 0) == "1 of 100\u202f000+"


def test_matches_are_gone_through_in_a_circle():
    found = find_all("a b a b a", "a")
    assert [found.near(offset) for offset in (0, 1, 5, 9)] == [0, 1, 2, 0]
    assert match_words(found, 2) == "3 of 3"
    assert match_words(find_all("a", "b"), -1) == "no match"
