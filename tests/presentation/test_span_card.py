"""The words on a picture of a span."""

import pytest

from inspector.presentation.examples import bundled_examples
from inspector.presentation.span_card import SpanCard, span_card
from inspector.presentation.words import THIN
from inspector.runfile.load import load_run
from inspector.runfile.model import PipelineRun
from tests.helpers.span_runs import document, message, run_with


@pytest.fixture(scope="module")
def agent() -> PipelineRun:
    return load_run(next(one.path for one in bundled_examples() if "agent" in one.path.name))


def card(run: PipelineRun, span_id: str) -> SpanCard:
    return span_card(run, run.span(span_id))


def lines(shown: SpanCard) -> list[tuple[str, str]]:
    return [(row.label, row.text.replace(THIN, " ")) for row in shown.rows]


def test_a_failed_tool_says_what_it_was_asked_and_why_it_failed(agent: PipelineRun) -> None:
    shown = card(agent, "s8")
    assert (shown.title, shown.failed) == ("read_sensor", True)
    assert shown.facts[:2] == ("Tool call", "✕ failed")
    assert lines(shown)[0] == ("bed", "peppers")
    assert shown.rows[-1].label == "Failed"
    assert "the probe of bed 'peppers' does not answer" in shown.rows[-1].text
    assert shown.place == "greenhouse_assistant · assistant#1/step0/tool:read_sensor[1]"


def test_an_llm_call_says_what_it_was_told_last_and_what_it_answered(agent: PipelineRun) -> None:
    said = lines(card(agent, "s11"))
    assert said[0] == ("Prompt", "5 messages before this one")
    assert said[1][0] == "Tool"
    assert ("Answer", "The probe of the peppers sleeps. I wake it.") in said
    assert ("Calls", "read_sensor(bed: peppers, wake: true)") in said


def test_a_tool_says_what_it_gave_back() -> None:
    run = run_with({"name": "add", "kind": "tool", "arguments": {"a": 1}, "outputs": {"result": 3}})
    assert lines(card(run, "s1")) == [("a", "1"), ("Result", "3")]


def test_a_retriever_lists_its_first_documents() -> None:
    found = [document(n, f"text {n}", 1 / n) for n in range(1, 8)]
    run = run_with({"name": "get", "kind": "component", "inputs": {"query": "q", "top_k": None},
                    "outputs": {"documents": found}})  # fmt: skip
    said = lines(card(run, "s1"))
    assert said[0] == ("query", "q")
    assert said[1][0] == "Rank 1"
    assert "text 1" in said[1][1]
    assert said[-1] == ("", "and 2 more documents")
    assert len(said) == 7


def test_what_is_long_is_cut_and_what_is_much_is_counted() -> None:
    given = {f"k{n}": "x" * 5_000 for n in range(20)}
    shown = card(run_with({"name": "t", "kind": "tool", "arguments": given}), "s1")
    assert len(shown.rows) == 12
    assert shown.more.replace(THIN, " ") == "and 8 more lines"
    assert all(len(row.text) < 800 and row.text.endswith("…") for row in shown.rows)


def test_text_from_a_file_shows_what_it_hides() -> None:
    replies = [message("assistant", "\x1b[2J")]
    run = run_with({"name": "a\u202eb", "kind": "llm", "outputs": {"replies": replies}})
    shown = card(run, "s1")
    assert "\u202e" not in shown.title
    assert lines(shown)[-1] == ("Answer", "␛[2J")
