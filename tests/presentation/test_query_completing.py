import pytest

from inspector.presentation.completing import Vocabulary, completions, vocabulary_of
from inspector.presentation.query_parser import parse_query
from inspector.presentation.search import RunSearch
from tests.helpers.span_runs import run_with

WORDS = Vocabulary(
    {"kind": ("llm", "tool"), "status": ("ok", "failed"), "name": ("ask", "web search")}
)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("ki", ["kind:"]),
        ("kind:", ["llm", "tool"]),
        ("kind:T", ["tool"]),
        ("kind:tool", []),
        ("a -status:f", ["failed"]),
        ("name:s", ['"web search"', "ask"]),
        ('name:"we', ['"web search"']),
        ("out", ["output:"]),
        ("visit:", [">1", ">2", "1"]),
        ("nothing:x", []),
        ('"kind', []),
        ("zzz", []),
    ],
)  # fmt: skip
def test_what_could_come_next(line, expected):
    found = completions(line, len(line), WORDS)
    assert sorted(choice.text for choice in found.choices) == sorted(expected)


def test_an_empty_line_offers_every_key():
    assert len(completions("", 0, WORDS).choices) == 16


def test_taking_a_choice_replaces_the_piece_at_the_caret():
    line = "a name:web b"
    found = completions(line, len("a name:web"), WORDS)
    taken = line[: found.start] + found.choices[0].text + line[found.end :]
    assert taken == 'a name:"web search" b'
    assert str(parse_query(taken)) == taken


def test_the_words_of_a_run_are_its_own():
    run = run_with({"name": "root"}, {"name": "ask", "kind": "tool", "type": "a.B"})
    search = RunSearch(run)
    words = vocabulary_of(search).words
    assert words["kind"] == ("pipeline", "tool")
    assert words["status"] == ("ok",)
    assert words["name"] == ("ask", "root")
    assert words["type"] == ()
    search.find(parse_query("type:b"))
    assert vocabulary_of(search).words["type"] == ("a.B",)
