"""Findings as rows: harmless words, places, and the stops of a walk."""

from inspector.findings import Finding, Severity
from inspector.presentation.finding_list import finding_rows, stops, summary_words, words_at
from inspector.presentation.verdict import verdict, with_findings
from tests.helpers.drawn_runs import run_from_outline

RUN = run_from_outline("""
    pipeline 0-100
      agent 1-99
        step 2-50
          search:tool 10-20
        step 50-98
          search:tool 60-70
""")
FOUND = (
    Finding("a", Severity.ERROR, "Bad\u202e\nnews <b>now</b>.", ("s6", "s4"), "Do \x1b[31mthis."),
    Finding("b", Severity.NOTE, "Fine.", ("s4",)),
    Finding("c", Severity.NOTE, "All of it."),
)


def test_words_from_a_file_are_made_harmless() -> None:
    row = finding_rows(RUN, FOUND)[0]
    assert "\u202e" not in row.sentence
    assert "\n" not in row.sentence
    assert "\x1b" not in row.hint
    assert "<b>" in row.sentence, "it is text, not markup"


def test_places_say_in_which_step_they_are() -> None:
    row = finding_rows(RUN, FOUND)[0]
    assert [place.label for place in row.places] == ["step 1 › search", "step 0 › search"]
    assert (row.word, row.icon, row.colour) == ("Error", "failed", "failed")


def test_a_walk_stops_at_the_first_span_of_each_in_the_order_of_the_run() -> None:
    rows = stops(RUN, FOUND)
    assert [RUN.table.id(row) for row in rows] == ["s4", "s6"]
    assert words_at(RUN, FOUND, "s4") == "Finding 1 of 2: Fine."
    assert words_at(RUN, FOUND, "s1") == ""


def test_the_verdict_counts_them_in_the_colour_of_the_worst() -> None:
    plain = verdict(RUN)
    shown = with_findings(plain, FOUND)
    (fact,) = (fact for fact in shown.facts if fact.key == "findings")
    assert (fact.text, fact.colour) == ("3\u202ffindings", "failed")
    assert fact.tip.startswith("1\u202ferror, 2\u202fnotes\nBad")
    assert with_findings(shown, ()) == plain
    assert summary_words(FOUND[1:]) == "2\u202fnotes"
