from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.presentation.words import (
    byte_words,
    clock_words,
    count_words,
    duration_words,
    elided,
    kind_words,
    money_words,
    number_words,
    percent_words,
    plural,
    sentence,
    started_words,
    status_mark,
    status_words,
    token_words,
    visit_words,
)


def plain(words: str) -> str:
    """The words with ordinary spaces, so that a test can be read."""
    return words.replace("\u202f", " ")


@pytest.mark.parametrize(
    ("duration_ns", "words"),
    [
        (0, "0 ns"),
        (820, "820 ns"),
        (3_800, "3.8 µs"),
        (38_000, "38 µs"),
        (4_120_000, "4.1 ms"),
        (412_000_000, "412 ms"),
        (1_240_000_000, "1.24 s"),
        (36_400_000_000, "36.4 s"),
        (134_000_000_000, "2 min 14 s"),
        (8_040_000_000_000, "2 h 14 min"),
        (270_000_000_000_000, "3 d 3 h"),
        (-412_000_000, "−412 ms"),
        (None, "–"),
    ],
)
def test_a_duration_is_said_at_the_precision_a_person_compares_with(
    duration_ns: int | None, words: str
) -> None:
    assert plain(duration_words(duration_ns)) == words


@pytest.mark.parametrize(
    ("duration_ns", "words"),
    [
        (999_499, "999 µs"),
        (999_500, "1.0 ms"),
        (999_499_999, "999 ms"),
        (999_500_000, "1.00 s"),
        (59_949_999_999, "59.9 s"),
        (59_950_000_000, "1 min 0 s"),
        (3_599_600_000_000, "1 h 0 min"),
    ],
)
def test_rounding_never_writes_a_thousand_of_a_unit(duration_ns: int | None, words: str) -> None:
    assert plain(duration_words(duration_ns)) == words


@given(st.integers(0, 10**15), st.integers(0, 10**15))
def test_a_longer_duration_never_reads_shorter(one: int, other: int) -> None:
    scale = {"ns": 1, "µs": 1e3, "ms": 1e6, "s": 1e9, "min": 6e10, "h": 3.6e12, "d": 8.64e13}

    def read(duration_ns: int) -> float:
        words = plain(duration_words(duration_ns)).split(" ")
        return sum(float(n) * scale[u] for n, u in zip(words[::2], words[1::2], strict=True))

    shorter, longer = sorted((one, other))
    assert read(shorter) <= read(longer)


def test_the_unit_never_wraps_away_from_its_number() -> None:
    assert " " not in duration_words(1_240_000_000)
    assert " " not in token_words(2_422)


def test_thousands_are_set_apart() -> None:
    assert plain(number_words(1_234_567)) == "1 234 567"
    assert plain(token_words(2_422)) == "2 422 tok"
    assert plain(number_words(-1_200)) == "−1 200"


def test_unknown_is_never_zero() -> None:
    assert token_words(None) == count_words(None, "calls") == byte_words(None) == "–"
    assert plain(token_words(0)) == "0 tok"
    assert money_words(None) == "no price"


def test_plural_counts() -> None:
    assert plain(plural(1, "span")) == "1 span"
    assert plain(plural(0, "span")) == "0 spans"
    assert plain(plural(1_204, "span")) == "1 204 spans"
    assert plain(plural(2, "retry", "retries")) == "2 retries"


@pytest.mark.parametrize(
    ("amount", "words"),
    [
        (Decimal("0.00128"), "≈ $0.0013"),
        (Decimal("0.05"), "≈ $0.050"),
        (Decimal("1.5"), "≈ $1.50"),
        (Decimal("12345.678"), "≈ $12 345.68"),
        (Decimal(0), "≈ $0.00"),
        (Decimal("-0.004"), "≈ −$0.0040"),
        (0.1, "≈ $0.10"),
    ],
)
def test_money_keeps_two_digits_that_count(amount: Decimal | float, words: str) -> None:
    assert plain(money_words(amount)) == words


def test_money_says_what_kind_of_figure_it_is() -> None:
    assert plain(money_words(Decimal("2.5"), "CHF", at_least=True)) == "≥ 2.50 CHF"
    assert money_words(Decimal("2.5"), estimate=False) == "$2.50"


@pytest.mark.parametrize(
    ("size", "words"),
    [(412, "412 B"), (1_234, "1.2 kB"), (999_600, "1.0 MB"), (38_000_000, "38 MB")],
)
def test_a_size_is_in_decimal_units(size: int, words: str) -> None:
    assert plain(byte_words(size)) == words


def test_a_share_that_is_not_all_is_never_said_to_be_all() -> None:
    assert plain(percent_words(999, 1000)) == ">99 %"
    assert plain(percent_words(1, 1000)) == "<1 %"
    assert plain(percent_words(0, 1000)) == "0 %"
    assert plain(percent_words(1000, 1000)) == "100 %"
    assert percent_words(1, 0) == "–"


def test_a_start_is_told_on_the_recording_machines_clock() -> None:
    assert started_words("2026-11-20T12:00:05Z", 3600) == "2026-11-20 13:00:05"
    assert started_words("2026-11-20T12:00:05Z") == "2026-11-20 12:00:05"
    assert clock_words("2026-11-20T12:00:05Z", 3600, 90_000_000_000) == "13:01:35"


@pytest.mark.parametrize("started_at", [None, "", "yesterday", "9999-12-31T23:59:59Z"])
@pytest.mark.parametrize("offset_s", [None, 10**9, 3600])
def test_a_strange_start_is_unknown_not_an_error(
    started_at: str | None, offset_s: int | None
) -> None:
    assert isinstance(started_words(started_at, offset_s), str)
    assert isinstance(clock_words(started_at, offset_s, 10**25), str)


def test_states_have_a_word_and_a_mark() -> None:
    assert status_words("ok") == "completed"
    assert (status_words("failed"), status_mark("failed")) == ("failed", "✕")
    assert (status_words("unfinished"), status_mark("unfinished")) == ("unfinished", "◌")
    assert status_mark("ok") == ""
    assert status_words("a state of a later version") == "a state of a later version"


def test_kinds_are_said_in_sentence_case() -> None:
    assert kind_words("llm") == "LLM call"
    assert kind_words("step") == "Agent step"


def test_the_only_visit_is_not_worth_saying() -> None:
    assert visit_words(3, 5) == "visit 3 of 5"
    assert visit_words(1, 1) == ""


@given(st.text(max_size=60), st.integers(0, 70))
def test_elided_text_always_fits(text: str, length: int) -> None:
    shortened = elided(text, length)
    assert len(shortened) <= length
    assert shortened == text or "…" in shortened or length == 0


def test_eliding_keeps_both_ends() -> None:
    assert elided("embedding_retriever", 9) == "embe…ever"


def test_what_is_unknown_leaves_no_separator() -> None:
    assert sentence(["completed in 4.2 s", "", "3 LLM calls"]) == "completed in 4.2 s · 3 LLM calls"
