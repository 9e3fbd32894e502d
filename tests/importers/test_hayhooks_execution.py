"""Executions of Hayhooks as their server, stream, traces and store tell of them."""

import json
from pathlib import Path
from typing import Any

import pytest

from inspector.errors import RunFileError
from inspector.findings import check
from inspector.importers.opening import load_runs
from inspector.runfile.model import PipelineRun

FILES = Path(__file__).parents[1] / "data" / "foreign" / "hayhooks_execution"
ANSWER = {
    "execution_id": "3f2a" * 8, "status": "failed", "attempt": 3, "sequence": 9,
    "created_at": "2026-11-20T10:00:00Z", "updated_at": "2026-11-20T10:00:30Z", "links": {},
    "progress": [{"sequence": 1, "kind": "note", "message": "begun",
                  "timestamp": "2026-11-20T10:00:01Z", "metadata": {"bed": "basil"}}],
    "result": None, "waiting": None,
    "error": {"type": "ValueError", "message": "Durable execution failed", "retryable": False,
              "code": None},
}  # fmt: skip


def told(name: str) -> dict[str, Any]:
    tree: dict[str, Any] = json.loads((FILES / f"{name}.json").read_text())
    return tree


def run_of(tree: Any) -> PipelineRun:
    (run,) = load_runs(json.dumps(tree).encode())
    return run


def names(run: PipelineRun) -> list[str]:
    return [span.name for span in run.spans]


def test_all_that_is_known_of_a_pipeline_is_one_run() -> None:
    run = run_of(told("rag"))
    assert (run.kind, run.name, run.status) == ("pipeline", "rag", "completed")
    assert run.inputs["question"] == "what?"
    assert run.outputs["answer"].startswith("word0 ")
    kinds = {span.name: span.kind for span in run.spans}
    assert kinds["retriever"] == kinds["llm"] == "component"
    (attempt,) = [span for span in run.spans if span.operation == "inspector.attempt"]
    assert len(attempt.chunks) == 8
    assert attempt.outputs["streamed"] == run.outputs["answer"]
    assert not attempt.has("not_recorded")  # its trace knows its times
    assert {"retriever", "prompt"} <= {s.name for s in run.spans if s.status == "ok"}


def test_all_that_is_known_of_an_agent_is_one_run() -> None:
    run = run_of(told("approver"))
    assert run.kind == "agent"
    assert run.inputs["task"] == "Settle the bill"
    assert "llm" in [span.kind for span in run.spans]
    (checkpoint,) = [span for span in run.spans if "adapter_kind" in (span.outputs or {})]
    assert checkpoint.outputs["adapter_kind"] == "agent"


def test_without_traces_an_attempt_is_when_somebody_saw_it() -> None:
    run = run_of({**told("rag"), "traces": []})
    (attempt,) = [span for span in run.spans if span.operation == "inspector.attempt"]
    assert attempt.not_recorded["start_ns"] == "when it was first seen"
    assert "retriever" not in names(run)


def test_the_answer_of_a_server_alone_is_a_run_that_says_what_it_lacks() -> None:
    run = run_of(ANSWER)
    assert (run.status, run.error.type) == ("failed", "ValueError")
    assert run.duration_ns == 30 * 10**9
    assert names(run) == ["execution", "note"]
    lacks = {each["what"] for each in run.not_recorded}
    assert {"attempt 1", "attempt 2", "attempt 3", "the input", "what the error says"} <= lacks
    witnessed = [each["witnessed"] for each in run.extensions["hayhooks"]["attempts"]]
    assert witnessed == [False, False, False]


def test_spans_that_the_recorder_told_of_over_the_stream_are_spans() -> None:
    def event(at: int, **payload: Any) -> dict[str, Any]:
        said = {"type": "recorder.span", "schema": 1, **payload}
        return {"kind": "chunk", "attempt": 1, "at_ns": at * 10**9, "payload": said}

    start = 1_795_168_800  # 2026-11-20T10:00:00Z
    events = [
        event(start, event="start", id="a", parent=None, kind="other", name="attempt 1"),
        event(start + 1, event="start", id="b", parent="a", kind="component", name="llm"),
        event(start + 3, event="end", id="b", status="ok"),
        event(start + 4, event="start", id="c", parent="b", kind="tool", name="charge"),
    ]
    run = run_of({"hayhooks_execution": 1, "execution": ANSWER, "events": events})
    (llm,) = [span for span in run.spans if span.name == "llm"]
    assert (llm.kind, llm.status, llm.duration_ns) == ("component", "ok", 2 * 10**9)
    (charge,) = [span for span in run.spans if span.name == "charge"]
    assert charge.status == "unfinished"


def test_what_was_seen_of_an_attempt_that_was_given_up_is_found_by_the_rules() -> None:
    seen = [
        {
            "kind": "chunk",
            "attempt": attempt,
            "at_ns": (1_795_168_800 + at) * 10**9,
            "payload": word,
        }
        for at, (attempt, word) in enumerate([(1, "The "), (1, "ans"), (2, "The "), (2, "answer")])
    ]
    answer = {**ANSWER, "status": "completed", "attempt": 2, "result": "The answer", "error": None}
    run = run_of({"hayhooks_execution": 1, "execution": answer, "events": seen})
    (found,) = [each for each in check(run) if each.rule == "abandoned-output"]
    assert not found.possible
    assert found.sentence.startswith("2 pieces of the stream of attempt 1 reached whoever watched")
    first, second = [span for span in run.spans if span.operation == "inspector.attempt"]
    assert (first.status, second.status) == ("unfinished", "ok")
    assert found.spans == (first.id,)


@pytest.mark.parametrize("field", ["events", "traces", "stored", "execution", "told_at", "server"])
@pytest.mark.parametrize("wrong", [7, "x", [], {}, [7, None, [1]], [{"attempt": "a"}], None])
def test_what_makes_no_sense_is_left_out(field: str, wrong: Any) -> None:
    tree = {**told("rag"), field: wrong}
    if field == "execution":
        with pytest.raises(RunFileError):
            load_runs(json.dumps(tree).encode())
        return
    run = run_of(tree)
    assert run.status == "completed"
    for span in run.spans:
        assert span.name


@pytest.mark.parametrize("field", sorted(ANSWER))
@pytest.mark.parametrize("wrong", [7, -1, 2**70, "x", [], {}, [7, None], {"type": 3}, None])
def test_any_field_of_an_answer_may_be_wrong(field: str, wrong: Any) -> None:
    if field == "execution_id":
        return
    run = run_of({**ANSWER, field: wrong})
    assert run.extensions["hayhooks"]["execution"] == ANSWER["execution_id"]
    assert run.spans[0].parent_id is None
    assert {span.parent_id for span in run.spans} <= {None, run.spans[0].id}
