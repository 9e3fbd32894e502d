import json
from pathlib import Path

import pytest

from inspector import load_run
from inspector.presentation.notes import (
    Mark,
    bookmarked_rows,
    mark_rows,
    notes_name,
    read_notes,
    written_notes,
)
from inspector.runfile.model import PipelineRun
from tests.helpers.drawn_runs import run_from_outline

EXAMPLES = Path(__file__).parents[2] / "resources" / "examples"
MARKS = {"s3": Mark(bookmarked=True), "s2": Mark(note="Why\nso slow?"), "s99": Mark(True, "gone")}


@pytest.fixture
def run() -> PipelineRun:
    return run_from_outline("pipeline 0-10\n  builder 1-5\n  llm:component 6-9\n")


def test_what_was_written_is_read_again(run: PipelineRun) -> None:
    assert read_notes(written_notes(run, MARKS)) == MARKS


@pytest.mark.parametrize(
    "text", ["", "[]", "{", '{"spans": 3}', '{"spans": {"s1": 4}}', '{"spans": {"s1": {}}}']
)
def test_a_damaged_file_holds_no_notes(text: str) -> None:
    assert read_notes(text) == {}


def test_one_damaged_note_does_not_lose_the_others() -> None:
    told = {"spans": {"s1": {"bookmarked": "yes", "note": 3}, "s2": {"note": "kept"}}}
    assert read_notes(json.dumps(told)) == {"s2": Mark(note="kept")}


def test_notes_are_listed_in_the_order_of_the_run_without_those_of_no_span(
    run: PipelineRun,
) -> None:
    rows = mark_rows(run, MARKS)
    assert [(row.span_id, row.line) for row in rows] == [("s2", "Why so slow?"), ("s3", "")]
    assert rows[0].spoken == "builder, has a note, Why so slow?"
    assert bookmarked_rows(run, MARKS) == [1, 2]


def test_every_word_must_be_in_the_name_or_in_the_note(run: PipelineRun) -> None:
    assert [row.span_id for row in mark_rows(run, MARKS, "SLOW build")] == ["s2"]
    assert mark_rows(run, MARKS, "slow llm") == []


def test_the_name_of_the_file_follows_from_the_run_and_not_from_its_path(tmp_path: Path) -> None:
    example = EXAMPLES / "agent-tools.run.json"
    copy = tmp_path / "elsewhere.run.json"
    copy.write_bytes(example.read_bytes())
    name = notes_name(load_run(example))
    assert notes_name(load_run(copy)) == name
    assert notes_name(load_run(EXAMPLES / "rag-answer.run.json")) != name


def test_an_id_that_is_a_path_leads_nowhere() -> None:
    text = '{"format":"haystack-run","version":1,"run":{"id":"../../x"},"spans":[]}'
    name = notes_name(load_run(text.encode()))
    assert len(name) == 37
    assert "/" not in name
