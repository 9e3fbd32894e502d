"""Answers of servers become values, or are refused in a sentence."""

import json

import pytest

from inspector.hayhooks.client.model import ExecutionStatus, HayhooksError
from inspector.hayhooks.client.reading import parsed, read_execution, read_page, time_ns
from tests.helpers.raw_server import execution


def test_an_execution_is_read_with_all_it_tells():
    said = execution(
        status="waiting",
        attempt=2,
        sequence=9,
        progress=[
            {"sequence": 1, "kind": "step", "message": "half", "timestamp": "2026-01-02T03:04:05Z",
             "metadata": {"n": 1}},
        ],
        waiting={
            "kind": "approval", "message": "May I?", "expected_input_schema": {"type": "object"},
        },
        cancellation_requested_at="2026-01-02T03:04:07Z",
        links={"self": "/rag/executions/e1"},
    )  # fmt: skip
    found = read_execution(said, "rag")
    assert found.row.status is ExecutionStatus.WAITING
    assert found.row.waiting_reason == "May I?"
    assert found.row.cancellation_pending
    assert found.row.created_at_ns == 1_767_323_045_678_000_000
    assert found.progress[0].metadata == {"n": 1}
    assert found.waiting is not None
    assert found.waiting.expected_input_schema == {"type": "object"}
    assert found.sequence == 9


def test_what_is_missing_or_of_another_type_has_a_default():
    found = read_execution(
        {
            "execution_id": "a", "status": "failed", "attempt": "two", "sequence": -1,
            "progress": {"no": "list"}, "error": {"type": 5}, "waiting": [], "links": "x",
            "created_at": "yesterday", "updated_at": 7,
        },
        "rag",
    )  # fmt: skip
    assert (found.row.attempt, found.row.created_at_ns, found.progress) == (0, 0, ())
    assert found.error is not None
    assert found.error.type == ""


@pytest.mark.parametrize(
    "said",
    [
        [], None, {"status": "running"}, execution(status="exploded"), execution(status=None),
        execution("../../etc"), execution("a" * 129), execution(""), execution("\ud800"),
    ],
)  # fmt: skip
def test_what_is_no_execution_is_refused(said):
    with pytest.raises(HayhooksError) as caught:
        read_execution(said, "rag")
    assert caught.value.kind == "odd"


def test_halves_of_surrogates_do_not_get_any_further():
    row = {**execution(), "kind": "\ud800gent", "revision": "\udfff1"}
    page = read_page({"executions": [row], "next_cursor": "\ud800", "has_more": True}, "rag")
    assert page.rows[0].kind == "?gent"
    assert page.cursor is None
    page.rows[0].revision.encode()


@pytest.mark.parametrize(
    "data", [b"", b"{", b"\xff", b"NaN", b'{"a": Infinity}', b"[" * 100_000, b"1" * 10_000]
)
def test_damaged_data_is_a_sentence(data):
    with pytest.raises(HayhooksError, match="damaged data"):
        parsed(data)


def test_data_is_no_deeper_than_can_be_shown():
    fine, deep = json.dumps(_nested(190)), json.dumps(_nested(300))
    parsed(fine)
    with pytest.raises(HayhooksError, match="nested"):
        parsed(deep)


def test_large_numbers_stay_exact():
    assert parsed(b'{"n": 123456789012345678901234567890}')["n"] == 123456789012345678901234567890


@pytest.mark.parametrize("said", ["9999-12-31T23:59:59+00:00", "0001-01-01T00:00:00Z", "x" * 99])
def test_a_time_far_away_is_none(said):
    assert 0 <= time_ns(said) < 2**63


def _nested(depth):
    tree = []
    for _level in range(depth):
        tree = [tree]
    return tree
