from typing import Any

from inspector.presentation.visit_difference import VisitDifference, visit_difference
from inspector.runfile.model import PipelineRun
from tests.helpers.drawn_runs import run_from_table
from tests.helpers.tables import Drawn, table_of


def two_visits(first: dict[str, Any], second: dict[str, Any]) -> PipelineRun:
    """A pipeline in which `one`, then `other` ran; they stand for two visits."""
    spans = [
        Drawn("pipeline", "pipeline", 0, 100, None),
        Drawn("one", "component", 0, 50, 0, first.pop("status", "ok")),
        Drawn("other", "component", 50, 100, 0, second.pop("status", "ok")),
    ]
    return run_from_table(table_of(spans), fields={"one": first, "other": second})


def compared(first: dict[str, Any], second: dict[str, Any]) -> VisitDifference:
    run = two_visits(first, second)
    return visit_difference(run, run.spans[1], run.spans[2])


def test_equal_visits_differ_in_nothing() -> None:
    same = {"inputs": {"text": "a"}, "outputs": {"n": 1}}
    found = compared(dict(same), dict(same))
    assert found.is_nothing
    assert found.sections == ()


def test_a_changed_text_is_told_word_by_word() -> None:
    found = compared(
        {"inputs": {"prompt": "write in JSON"}}, {"inputs": {"prompt": "write in XML"}}
    )
    leaf = found.sections[0].leaves[0]
    assert (found.sections[0].title, leaf.leaf) == ("Input", "prompt")
    assert [(part.kind, part.text) for part in leaf.parts] == [
        ("same", "write in "), ("left", "JSON"), ("right", "XML"),
    ]  # fmt: skip
    assert not found.is_nothing


def test_of_values_the_leaves_are_told_that_came_and_went() -> None:
    found = compared({"outputs": {"gone": 1, "kept": [1]}}, {"outputs": {"new": True, "kept": [1]}})
    told = {leaf.leaf: (leaf.kind, leaf.parts[0].text) for leaf in found.sections[0].leaves}
    assert told == {"gone": ("removed", "1"), "new": ("added", "true")}


def test_ids_and_times_are_greyed_and_do_not_count() -> None:
    found = compared(
        {"outputs": {"meta": {"completion_start_time": "2026-11-29T17:27:56"}}},
        {"outputs": {"meta": {"completion_start_time": "2026-11-29T17:27:58"}}},
    )
    assert [leaf.noise for leaf in found.sections[0].leaves] == ["time"]
    assert found.is_nothing


def test_another_ending_is_no_nothing_even_with_equal_values() -> None:
    error = {"type": "builtins.TimeoutError", "message": "no answer"}
    found = compared({"status": "failed", "error": error}, {})
    assert [(fact.label, fact.before, fact.now) for fact in found.facts] == [
        ("Status", "failed", "completed"), ("Error", "no answer", ""),
    ]  # fmt: skip
    assert not found.is_nothing


def test_a_tool_that_ran_with_what_was_asked_for_tells_of_it_once() -> None:
    first, second = ({"inputs": {"bed": bed}, "arguments": {"bed": bed}} for bed in ("a", "b"))
    assert [section.title for section in compared(first, second).sections] == ["Input"]
