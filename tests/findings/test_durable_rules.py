"""What rules say of durable executions, as the recorder or an importer tell of them."""

from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from inspector.findings import Finding, check
from inspector.findings.durable import abandoned_output
from inspector.findings.reading import Reading
from inspector.runfile.model import PipelineRun, Span
from tests.helpers.span_runs import run_with

_DAY_NS = 24 * 3_600 * 10**9


def own(attempt: int, **more: Any) -> dict[str, Any]:
    return {"hayhooks": {"attempt": attempt, **more}}


def durable(*spans: dict[str, Any], **facts: Any) -> PipelineRun:
    """Return a run of an execution with two attempts, the first of which was killed."""
    attempts = [{"attempt": 1, "ended": "killed"}, {"attempt": 2, "ended": "completed"}]
    told = {"schema": 1, "execution": "3f2a", "attempts": attempts, **facts}
    return run_with({"kind": "pipeline"}, *spans, extensions={"hayhooks": told})


def found(run: PipelineRun, rule: str) -> list[Finding]:
    return [each for each in check(run) if each.rule == rule]


def twice(kind: str, before: dict[str, Any], again: dict[str, Any], **repeat: Any) -> PipelineRun:
    told = {"span": "s3", "of": "s2", "kind": kind, "name": "charge", "attempt": 2,
            "of_attempt": 1, "same_inputs": True, "earlier": "ok", **repeat}  # fmt: skip
    spans = [
        {"kind": kind, "name": "charge", "extensions": own(1), **before},
        {"kind": kind, "name": "charge", "extensions": own(2), **again},
    ]
    return durable(*spans, repeats=[told])


def test_a_tool_that_ran_twice_is_an_error_where_it_had_come_to_its_end() -> None:
    (finding,) = found(twice("tool", {}, {}), "effect-repeated")
    assert (finding.severity, finding.possible) == ("error", False)
    assert finding.spans == ("s3", "s2")
    assert "attempt 2: in attempt 1 it had come to its end" in finding.sentence
    cut = twice("tool", {"status": "unfinished"}, {}, earlier="unfinished")
    (finding,) = found(cut, "effect-repeated")
    assert (finding.severity, finding.possible) == ("warning", True)


def test_a_component_that_ran_again_and_a_tool_that_ran_once_are_well() -> None:
    assert not found(twice("component", {}, {}), "effect-repeated")
    # What asks for an approval first begins, waits, and begins again.
    assert not found(twice("tool", {}, {}, earlier="waiting"), "effect-repeated")
    once = durable({"kind": "tool", "name": "charge", "extensions": own(1)}, repeats=[])
    assert not found(once, "effect-repeated")


STREAMED = {"kind": "llm", "name": "llm", "chunks": [[1, "a"], [2, "b"]]}


def test_a_stream_of_an_attempt_that_was_given_up_is_found() -> None:
    run = durable({**STREAMED, "extensions": own(1), "status": "unfinished"})
    (finding,) = found(run, "abandoned-output")
    assert finding.possible
    assert finding.sentence.startswith("2 pieces of the stream of attempt 1 may have reached")
    seen = [{"attempt": 1, "ended": "unknown", "witnessed": True}, {"attempt": 2, "ended": "ok"}]
    run = durable({**STREAMED, "extensions": own(1)}, attempts=seen)
    (finding,) = found(run, "abandoned-output")
    assert not finding.possible


def test_a_stream_of_the_last_attempt_or_before_a_wait_is_well() -> None:
    assert not found(durable({**STREAMED, "extensions": own(2)}), "abandoned-output")
    waited = [{"attempt": 1, "ended": "waiting"}, {"attempt": 2, "ended": "completed"}]
    run = durable({**STREAMED, "extensions": own(1)}, attempts=waited)
    assert not found(run, "abandoned-output")


def test_attempts_that_answer_otherwise_to_the_same_are_found() -> None:
    run = twice("llm", {"outputs": {"replies": ["yes"]}}, {"outputs": {"replies": ["no"]}})
    (finding,) = found(run, "attempts-differ")
    assert "answered otherwise to the same in attempt 2 than in attempt 1" in finding.sentence
    run = twice("tool", {}, {}, same_inputs=False)
    (finding,) = found(run, "attempts-differ")
    assert finding.fields == ("arguments",)


def test_attempts_that_say_the_same_with_other_ids_are_well() -> None:
    run = twice(
        "llm",
        {"outputs": {"replies": ["yes"], "meta": [{"id": 1}]}},
        {"outputs": {"replies": ["yes"], "meta": [{"id": 2}]}},
    )
    assert not found(run, "attempts-differ")
    cut = twice("llm", {"status": "unfinished"}, {"outputs": {"replies": ["no"]}},
                earlier="unfinished")  # fmt: skip
    assert not found(cut, "attempts-differ")


def test_a_wait_of_a_day_or_until_it_was_canceled_is_found() -> None:
    waiting = {"kind": "approval", "message": "May I charge?"}
    (finding,) = found(durable(waiting=waiting, waited_ns=2 * _DAY_NS), "wait-expired")
    assert "for 2 days or more (May I charge?)" in finding.sentence
    (finding,) = found(durable(status="canceled", waited=True), "wait-expired")
    assert "was canceled while it waited" in finding.sentence


def test_a_short_wait_and_an_answered_one_are_well() -> None:
    assert not found(durable(waiting={}, waited_ns=_DAY_NS - 1), "wait-expired")
    assert not found(durable(status="completed", waited=True), "wait-expired")
    assert not found(durable(status="canceled"), "wait-expired")


def test_facts_that_make_no_sense_find_nothing() -> None:
    odd = [{"span": 3, "kind": "tool"}]
    for facts in ({"attempts": 7}, {"repeats": {}}, {"repeats": odd}, {"waited_ns": "long"}):
        run = durable(**facts)
        assert not [each for each in check(run) if each.rule in _RULES]


def test_a_run_that_claims_many_attempts_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    claimed = [{"attempt": number, "ended": "killed"} for number in (1, 1, 1, "x", [], 7)]
    run = durable({**STREAMED, "extensions": own(1)}, attempts=[*claimed, {"ended": {}}])
    read: list[int] = []
    spans = Reading.spans

    def counted(reading: Reading, rows: Sequence[int]) -> Iterator[Span]:
        read.extend(rows)
        return spans(reading, rows)

    monkeypatch.setattr(Reading, "spans", counted)
    assert len(list(abandoned_output(Reading(run, None)))) == 3
    assert read == [0, 1]


_RULES = {"effect-repeated", "abandoned-output", "attempts-differ", "wait-expired"}


def taken_up(how: str, *, told: bool = True) -> PipelineRun:
    """Return a run whose second attempt makes a component anew, half a minute after the first."""
    second = 10**9
    sent = {"senders": {"text": ["first"]}}
    attempts = [{"attempt": 1, "ended": how}, {"attempt": 2, "span": "s4", "ended": "completed"}]
    repeat = {"span": "s5", "of": "s3", "kind": "component", "name": "slow", "attempt": 2,
              "of_attempt": 1, "same_inputs": True, "earlier": "unfinished"}  # fmt: skip
    return durable(
        {"kind": "component", "name": "first", "start_ns": 0, "end_ns": second // 2},
        {"kind": "component", "name": "slow", "start_ns": second, "end_ns": 2 * second, **sent},
        {"kind": "inner", "name": "attempt 2", "start_ns": 32 * second, "end_ns": 34 * second},
        {"kind": "component", "name": "slow", "start_ns": 33 * second, "end_ns": 34 * second,
         **sent},
        attempts=attempts, repeats=[repeat] if told else [],
    )  # fmt: skip


def test_what_an_attempt_did_anew_is_no_visit_too_many() -> None:
    assert found(taken_up("killed", told=False), "extra-visit")
    assert not found(taken_up("killed"), "extra-visit")


def test_the_time_until_an_attempt_is_that_of_its_worker_or_of_a_person() -> None:
    (finding,) = found(taken_up("killed"), "idle-wait")
    assert "No worker had it" in finding.hint
    assert not found(taken_up("waiting"), "idle-wait")
