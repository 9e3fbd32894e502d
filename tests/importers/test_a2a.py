"""Tasks of A2A as runs, in either of its versions, however they were saved."""

import json

import pytest

from inspector import load_run, load_runs
from inspector.errors import RunFileError

OLD = {
    "kind": "task",
    "id": "t-1",
    "contextId": "c-1",
    "status": {"state": "completed", "timestamp": "2026-01-02T03:04:05Z"},
    "history": [
        {"kind": "message", "role": "user", "messageId": "m1",
         "parts": [{"kind": "text", "text": "Book a table"}]},
        {"kind": "message", "role": "agent", "messageId": "m2",
         "parts": [{"kind": "text", "text": "For how many?"}]},
        {"kind": "message", "role": "user", "messageId": "m3",
         "parts": [{"kind": "text", "text": "Four"}]},
    ],
    "artifacts": [{"artifactId": "a", "name": "booking",
                   "parts": [{"kind": "data", "data": {"table": 7}}]}],
}  # fmt: skip
NEW = {
    "id": "t-2",
    "contextId": "c-2",
    "status": {
        "state": "TASK_STATE_INPUT_REQUIRED",
        "timestamp": "2026-01-02T03:04:05Z",
        "message": {"messageId": "m2", "role": "ROLE_AGENT", "parts": [{"text": "Which day?"}]},
    },
    "history": [{"messageId": "m1", "role": "ROLE_USER", "parts": [{"text": "Book a table"}]}],
    "metadata": {"created_at": "2026-01-02T03:04:00+00:00", "attempt": 1},
}


def opened(tree):
    return load_runs(json.dumps(tree).encode())


def test_a_task_tells_what_was_asked_answered_and_made():
    (run,) = opened(OLD)
    assert (run.kind, run.status, run.name) == ("agent", "completed", "agent")
    assert run.inputs["messages"][0]["content"] == [{"text": "Book a table"}]
    assert run.outputs["artifacts"] == {"booking": {"table": 7}}
    (asking,) = run.children(run.roots[0])
    assert asking.inputs["messages"][0]["content"] == [{"text": "For how many?"}]
    assert asking.outputs["messages"][0]["content"] == [{"text": "Four"}]


def test_what_a2a_does_not_tell_is_named():
    (run,) = opened(OLD)
    assert {each["what"] for each in run.not_recorded} == {
        "what happened inside the agent",
        "tokens and models",
    }
    assert "start_ns" in run.roots[0].not_recorded


def test_a_question_that_nobody_answered_leaves_the_run_open():
    (run,) = opened(NEW)
    assert run.status == "incomplete"
    (asking,) = run.children(run.roots[0])
    assert (asking.name, asking.status) == ("input required", "unfinished")
    assert run.started_at == "2026-01-02T03:04:00.000000Z"


@pytest.mark.parametrize(
    ("state", "status"),
    [
        ("TASK_STATE_FAILED", "failed"),
        ("rejected", "failed"),
        ("canceled", "canceled"),
        ("TASK_STATE_WORKING", "incomplete"),
        ("something new", "incomplete"),
    ],
)
def test_states_are_those_of_runs(state, status):
    message = {"role": "agent", "parts": [{"text": "KeyError: no such table"}]}
    tree = {**NEW, "status": {"state": state, "message": message}}
    (run,) = opened(tree)
    assert run.status == status
    if status == "failed":
        assert (run.roots[0].error.type, run.roots[0].error.message) == (
            "KeyError",
            "no such table",
        )


@pytest.mark.parametrize(
    "around",
    [
        lambda task: {"jsonrpc": "2.0", "id": 1, "result": task},
        lambda task: {"jsonrpc": "2.0", "id": 1, "result": {"task": task}},
        lambda task: {"task": task},
        lambda task: {"tasks": [task]},
        lambda task: {"jsonrpc": "2.0", "id": 1, "result": {"tasks": [task], "totalSize": 1}},
        lambda task: [task],
        lambda task: {"agentCard": {"name": "waiter"}, "tasks": [task]},
    ],
)
@pytest.mark.parametrize("task", [OLD, NEW])
def test_a_task_is_found_in_whatever_it_was_saved_in(around, task):
    (run,) = opened(around(task))
    assert run.extensions["import"]["task_id"] == task["id"]
    assert run.extensions["import"]["format"] == "a2a"


def test_the_card_names_the_agent_and_each_task_is_a_run():
    runs = opened({"agentCard": {"name": "waiter"}, "tasks": [OLD, NEW]})
    assert [run.name for run in runs] == ["waiter", "waiter"]


@pytest.mark.parametrize(
    "odd",
    [
        {"history": "none"},
        {"history": [3, None, {"role": 5, "parts": {"text": 1}}]},
        {"artifacts": [{"parts": [{"raw": 5}, {"text": None}, {"url": "x", "filename": "f"}]}]},
        {"metadata": [1], "artifacts": None},
        {"status": {"state": ["x"], "timestamp": {"seconds": 1}, "message": "words"}},
    ],
)
def test_what_makes_no_sense_in_a_task_is_left_out(odd):
    (run,) = opened({**OLD, **odd})
    assert run.name == "agent"
    assert run.roots[0].name == "agent"


def test_a_card_alone_is_no_run():
    with pytest.raises(RunFileError, match="There is no task in"):
        load_run(json.dumps({"agentCard": {"name": "waiter"}, "tasks": []}).encode())
