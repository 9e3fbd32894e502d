import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.presentation.visible import columns, one_line, visible_text

any_text = st.text(st.characters())


@given(any_text)
def test_no_character_that_acts_is_ever_left(text: str) -> None:
    joiners = {"\u200c", "\u200d"}
    for sign in visible_text(text):
        assert sign in "\n\t" or sign in joiners or unicodedata.category(sign) not in {"Cc", "Cs"}
        assert unicodedata.bidirectional(sign) not in {
            "LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI",
        }  # fmt: skip


@given(any_text)
def test_one_line_is_always_one_line(text: str) -> None:
    assert len(one_line(text).splitlines()) <= 1


@given(st.text(st.characters(codec="ascii", categories=["L", "N", "P", "S", "Zs"])))
def test_ordinary_text_is_left_alone(text: str) -> None:
    assert visible_text(text) == text


@pytest.mark.parametrize(
    ("hostile", "shown"),
    [
        ("\x1b[31mred", "␛[31mred"),
        ("\x1b]8;;http://x\x07link", "␛]8;;http://x␇link"),
        ("safe\u202etxt.exe", "safe⟨U+202E⟩txt.exe"),
        ("a\u200bb", "a⟨U+200B⟩b"),
        ("\U000e0041", "⟨U+E0041⟩"),
        ("\x9b1m", "⟨U+009B⟩1m"),
        ("\x7f", "␡"),
        ("one\rtwo", "one␍two"),
        ("\ud800", "⟨U+D800⟩"),
    ],
)
def test_what_hides_is_shown(hostile: str, shown: str) -> None:
    assert visible_text(hostile) == shown


def test_line_ends_and_tabs_are_ordinary() -> None:
    assert visible_text("one\r\ntwo\tthree\n") == "one\ntwo\tthree\n"


def test_emoji_made_of_several_characters_survive() -> None:
    family = "👩\u200d👧"
    assert visible_text(f"{family} ❤\ufe0f") == f"{family} ❤\ufe0f"


def test_one_line_folds_blanks() -> None:
    assert one_line("  a\n\n b\tc\r\nd   e ") == "a b c d e"


def test_columns_count_what_a_terminal_shows() -> None:
    assert columns("retriever") == 9
    assert columns("検索") == 4
    assert columns("e\u0301") == 1
