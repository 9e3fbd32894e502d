"""How a replay is said."""

from typing import Any

import pytest

from inspector.presentation.live_replay import LiveReplay, Match
from inspector.presentation.replay_words import count_words, ending, mode_words, pause_words
from inspector.replay.protocol import Job
from tests.helpers.drawn_runs import run_from_outline


def ended(**said: Any) -> LiveReplay:
    live = LiveReplay(run_from_outline("pipeline 0-1"), {})
    live.take([{"event": "finished", **said}])
    return live


def test_a_replay_says_that_there_is_no_network() -> None:
    short, sentence = mode_words(Job(target="", run="a"))
    assert short == "Strict · no network"
    assert "Nothing runs live" in sentence


def test_a_live_replay_says_how_much_it_may_spend() -> None:
    job = Job(
        target="", run="a", mode="drift_ok", allow_live=True, live_budget=3, live_budget_usd="0.10"
    )
    short, sentence = mode_words(job)
    assert "live, at most 3" in short
    assert "$0.10" in short
    assert "runs live" in sentence


def test_counts_leave_out_what_there_is_none_of() -> None:
    words = count_words({Match.MATCHED: 30, Match.DRIFTED: 2, Match.LIVE: 0, Match.RUNNING: 2}, 40)
    assert words.replace("\u202f", " ") == "34 of 40 spans · = 30 as recorded · ≠ 2 differs"


@pytest.mark.parametrize(
    ("said", "title", "detail"),
    [
        ({"outcome": "same"}, "The replay came out as recorded.", ""),
        ({"outcome": "drift"}, "The replay ended.", ""),
        (
            {"outcome": "drift", "error": {"type": "X", "message": "llm asks otherwise"}},
            "Stopped at the first difference.", "llm asks otherwise",
        ),
        ({"outcome": "stopped", "error": {"message": "no"}}, "The replay was stopped.", ""),
        (
            {"outcome": "could_not", "error": {"message": "There is no x."}},
            "The replay could not begin.", "There is no x.",
        ),
        (
            {"outcome": "failed", "error": {"type": "builtins.ValueError", "message": "stuck"}},
            "The replay did not come to its end.", "The pipeline raised ValueError: stuck",
        ),
        ({}, "The replay did not come to its end.", "The replay failed."),
    ],
)  # fmt: skip
def test_each_ending_has_a_sentence(said: dict[str, Any], title: str, detail: str) -> None:
    verdict = ending(ended(**said), None)
    assert (verdict.title, verdict.detail) == (title, detail)


@pytest.mark.parametrize("mode", ["drift_ok", "record_new"])
def test_what_goes_on_over_differences_does_not_say_that_the_first_has_stopped_it(
    mode: str,
) -> None:
    error = {"type": "X", "message": "llm#1 has no recorded answer"}
    verdict = ending(ended(outcome="drift", error=error), None, mode)
    assert verdict.title == "Stopped where nothing answers."
    assert verdict.detail == "llm#1 has no recorded answer"


def test_what_came_first_is_named_before_what_is_around_it() -> None:
    error = {
        "type": "haystack.PipelineRuntimeError", "message": "component a failed",
        "cause": {"type": "builtins.MemoryError", "message": ""},
    }  # fmt: skip
    verdict = ending(ended(outcome="failed", error=error), None)
    assert verdict.detail == "The pipeline raised MemoryError. component a failed"
    assert verdict.hint == "It asked for more memory than it may have."


def test_the_death_of_a_worker_is_told_as_it_was() -> None:
    verdict = ending(None, {"message": "It died.", "hint": "Buy more."})
    assert (verdict.detail, verdict.hint) == ("It died.", "Buy more.")


def test_nothing_held_says_nothing() -> None:
    assert pause_words(()) == ""
