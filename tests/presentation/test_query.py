from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.presentation.query import (
    KEYS,
    Everything,
    Holds,
    Is,
    Not,
    Query,
    QueryError,
    Sort,
    Within,
    Words,
    all_of,
    any_of,
)
from inspector.presentation.query_parser import LONGEST, parse_query

TEXTS = st.text(min_size=1, max_size=12)
WORD_KEYS = [key for key in KEYS.values() if key.sort == Sort.WORD]
TEXT_KEYS = [key.name for key in KEYS.values() if key.sort == Sort.TEXT]
NUMBER_KEYS = [
    key.name for key in KEYS.values() if key.sort in (Sort.NUMBER, Sort.TOKENS, Sort.MONEY)
]
# What people type, more often than chance would.
PIECES = st.sampled_from(
    ["kind:", "tool", "OR", "AND", "NOT", "-", "(", ")", '"', "\\", " ", ":", ">", "..", "1", "ms",
     "duration:", "tokens:", "has:", "name:=", "ß", "İ", "\u0301", "|", "=", "cost:$", "."]
)  # fmt: skip


def whole_numbers(key: str) -> st.SearchStrategy[Query]:
    number = st.integers(0, 10**9).map(Decimal)
    return st.one_of(
        st.builds(Within, st.just(key), low=number, low_in=st.booleans()),
        st.builds(Within, st.just(key), high=number, high_in=st.booleans()),
        st.tuples(number, number).map(lambda pair: Within(key, min(pair), max(pair))),
    )


def leaves() -> st.SearchStrategy[Query]:
    return st.one_of(
        st.builds(Words, TEXTS),
        st.builds(Holds, st.sampled_from(TEXT_KEYS), TEXTS, st.booleans()),
        st.sampled_from([Is(key.name, word) for key in WORD_KEYS for word in key.words]),
        st.sampled_from([*NUMBER_KEYS, "duration"]).flatmap(whole_numbers),
    )


def queries() -> st.SearchStrategy[Query]:
    return st.recursive(
        leaves(),
        lambda inner: st.one_of(
            st.builds(Not, inner),
            st.lists(inner, min_size=2, max_size=3).map(all_of),
            st.lists(inner, min_size=2, max_size=3).map(any_of),
        ),
        max_leaves=8,
    )


@given(queries())
def test_what_a_query_prints_reads_back_as_the_same_query(query):
    assert parse_query(str(query)) == query


@given(st.one_of(st.text(max_size=60), st.lists(PIECES, max_size=14).map("".join)))
def test_any_line_is_either_understood_or_refused_with_a_place_inside_it(line):
    understood = understood_or_refused(line)
    if isinstance(understood, QueryError):
        assert 0 <= understood.start < understood.end <= max(len(line), 1) + 1
        assert str(understood).endswith((".", ":"))
    else:
        assert parse_query(str(understood)) == understood


def understood_or_refused(line: str) -> Query | QueryError:
    try:
        return parse_query(line)
    except QueryError as error:
        return error


def test_an_empty_line_asks_for_everything():
    assert parse_query("  \u3000 ") == Everything()


def test_words_beside_each_other_all_have_to_be_so():
    assert parse_query('kind:tool name:search -status:ok "free text"') == all_of(
        [Is("kind", "tool"), Holds("name", "search"), Not(Is("status", "ok")), Words("free text")]
    )


def test_or_binds_less_than_standing_beside_each_other():
    assert parse_query("a b OR c") == any_of([all_of([Words("a"), Words("b")]), Words("c")])
    assert parse_query("a (b OR c)") == all_of([Words("a"), any_of([Words("b"), Words("c")])])
    assert parse_query("a | b") == parse_query("a OR b")
    assert parse_query("a or b") == all_of([Words("a"), Words("or"), Words("b")])


def test_a_minus_takes_the_next_part_away_and_alone_is_text():
    assert parse_query("-(a OR b)") == Not(any_of([Words("a"), Words("b")]))
    assert parse_query("NOT a") == parse_query("-a")
    assert parse_query("a - b") == all_of([Words("a"), Words("-"), Words("b")])


@pytest.mark.parametrize(
    ("line", "low", "high", "low_in"),
    [
        ("duration:>1s", 10**9, None, False),
        ("duration:>=1.5ms", 1_500_000, None, True),
        ("duration:1s..2min", 10**9, 120 * 10**9, True),
        ("tokens:>2k", 2_000, None, False),
        ("tokens:1_000", 1_000, 1_000, True),
        ("cost:>$0.01", Decimal("0.01"), None, False),
        ("cost:≥.5", Decimal("0.5"), None, True),
        ("visit:<=3", None, 3, True),
        ("step:3..", 3, None, True),
        ("duration:>0", 0, None, False),
    ],
)
def test_numbers_have_units_and_bounds(line, low, high, low_in):
    query = parse_query(line)
    assert isinstance(query, Within)
    assert (query.low, query.high, query.low_in) == (low, high, low_in)


def test_other_words_for_keys_and_values_are_understood():
    assert parse_query("STATUS:Completed") == Is("status", "ok")
    assert parse_query("out:x") == Holds("output", "x")
    assert parse_query("took:>1s") == parse_query("duration:>1s")
    assert parse_query('name:="a b"') == Holds("name", "a b", whole=True)
    assert parse_query(r'"say \"hi\" \\ now"') == Words(r'say "hi" \ now')


@pytest.mark.parametrize(
    ("line", "wrong", "words"),
    [
        ("a knd:tool", "knd", "kind:"),
        ("kind:tol", "tol", "kind:tool"),
        ("has:dokuments", "dokuments", "has:documents"),
        ("status:", "status:", "failed"),
        ("duration:>1", "1", "ms"),
        ("duration:>1parsec", "parsec", "ms"),
        ("tokens:>1q", "q", "2k"),
        ("tokens:lots", "lots", "tokens:>1000"),
        ("tokens:9..2", "9..2", "smaller"),
        ('a "b', '"b', "Add"),
        ("(a b", "(", ")"),
        ("a)", ")", "Take it out"),
        ("a OR", "OR", "quotation marks"),
        ("x AND OR y", "AND", "quotation marks"),
        ("see http://x.org", "http", '"http://x.org"'),
        ('tokens:"5"', '"5"', "tokens:>1000"),
    ],
)
def test_what_is_wrong_is_said_with_its_place_and_a_way_on(line, wrong, words):
    with pytest.raises(QueryError) as caught:
        parse_query(line)
    error = caught.value
    assert line[error.start : error.end] == wrong
    assert words in error.hint


def test_a_line_without_end_or_bottom_is_refused():
    with pytest.raises(QueryError, match="too long"):
        parse_query("a" * (LONGEST + 1))
    with pytest.raises(QueryError, match="nested too deeply"):
        parse_query("(" * 1_000 + "a" + ")" * 1_000)
    with pytest.raises(QueryError, match="nested too deeply"):
        parse_query("-" * 1_000 + "a")
