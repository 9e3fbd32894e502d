"""What the events of a worker say of a replay, a few at a time."""

from typing import Any

import pytest

from inspector.presentation.live_replay import LiveReplay, Match
from inspector.presentation.replay_table import ReplayTable
from inspector.presentation.run_tree import RunTree
from tests.helpers.drawn_runs import run_from_outline

OUTLINE = """
pipeline 0-100
  agent 0-80
    step 0-40
      llm 0-20
      search:tool 20-40
  answer 80-100
"""
ROWS = {
    "": 0, "agent": 1, "agent/step0": 2, "agent/step0/llm": 3,
    "agent/step0/tool:search[0]": 4, "answer#1": 5,
}  # fmt: skip


@pytest.fixture
def live() -> LiveReplay:
    return LiveReplay(run_from_outline(OUTLINE), ROWS)


def began(number: int, parent: int | None, path: str, kind: str, **more: Any) -> dict[str, Any]:
    above = None if parent is None else f"s{parent}"
    return {
        "event": "began", "id": f"s{number}", "parent": above, "path": path, "kind": kind,
        "name": path.rpartition("/")[2] or "pipeline", "start_ns": 1_000 * number, **more,
    }  # fmt: skip


def ended(number: int, source: str = "recorded", status: str = "ok", **more: Any) -> dict[str, Any]:
    return {
        "event": "ended", "id": f"s{number}", "end_ns": 1_000_000 * number, "status": status,
        "source": source, **more,
    }  # fmt: skip


def drift(path: str, grade: str = "major") -> dict[str, Any]:
    found = {"kind": "input", "path": path, "visit": 1, "grade": grade, "message": "other words"}
    return {"event": "drift", "drift": found}


START = [
    began(1, None, "", "pipeline"), began(2, 1, "agent", "agent"),
    began(3, 2, "agent/step0", "step"), began(4, 3, "agent/step0/llm", "llm"),
]  # fmt: skip


def test_a_span_finds_its_twin_in_the_recording(live: LiveReplay) -> None:
    advance = live.take(START)
    assert advance.grew
    assert [span.row for span in live.spans] == [0, 1, 2, 3]
    assert live.of_row(3) is live.spans[3]
    assert [span.path for span in live.children(live.spans[0])] == ["agent"]


@pytest.mark.parametrize(
    ("source", "match"),
    [
        ("recorded", Match.MATCHED), ("executed", Match.MATCHED), ("verified", Match.MATCHED),
        ("live", Match.LIVE), ("edited", Match.EDITED),
    ],
)  # fmt: skip
def test_where_its_result_came_from_says_how_it_stands(
    live: LiveReplay, source: str, match: Match
) -> None:
    live.take(START)
    assert live.spans[3].match is Match.RUNNING
    live.take([ended(4, source)])
    assert live.spans[3].match is match


def test_a_drift_counts_against_its_span_whichever_comes_first(live: LiveReplay) -> None:
    live.take([drift("agent/step0/llm"), *START])
    assert live.spans[3].match is Match.DRIFTED
    advance = live.take([drift("agent")])
    assert live.spans[1].match is Match.DRIFTED
    assert advance.spans == (1,)
    assert [found.path for found in advance.drifts] == ["agent"]


def test_a_note_is_no_difference(live: LiveReplay) -> None:
    live.take([*START, drift("agent", "note")])
    assert live.spans[1].match is Match.RUNNING
    assert len(live.drifts) == 1


def test_calls_are_held_until_they_are_let_go(live: LiveReplay) -> None:
    pause = {
        "event": "paused", "pause": 7, "phase": "before", "path": "agent/step0/llm", "visit": 1,
        "kind": "llm", "name": "llm", "id": "s4", "values": {"messages": []}, "can_edit": True,
    }  # fmt: skip
    assert live.take([*START, pause]).held
    assert [call.pause for call in live.held] == [7]
    live.take([{"event": "edited", "pause": 7}])
    assert live.held[0].edited
    live.take([{"event": "reset", "pause": 7}])
    assert not live.held[0].edited
    assert live.take([{"event": "resumed", "pauses": [7]}]).held
    assert live.held == ()


def test_the_last_event_lets_go_of_everything(live: LiveReplay) -> None:
    live.take([{"event": "paused", "pause": 1}, {"event": "finished", "outcome": "same"}])
    assert live.held == ()
    assert live.finished is not None


def test_what_makes_no_sense_is_left_out(live: LiveReplay) -> None:
    odd = [
        {}, {"event": 5}, {"event": "ended", "id": "nobody"}, {"event": "began"},
        {"event": "drift"}, {"event": "edited", "pause": "x"}, {"event": "chunk", "id": None},
        {"event": "resumed", "pauses": None},
    ]  # fmt: skip
    live.take(odd)
    assert len(live.spans) == 1


def test_a_recorded_call_that_was_not_made_stays_a_ghost(live: LiveReplay) -> None:
    table = ReplayTable(live)
    table.take(live.take(START).spans)
    assert table.match(3) is Match.RUNNING
    assert table.match(4) is None
    assert table.counts[Match.RUNNING] == 4


def test_a_new_call_stands_below_what_it_happened_in_and_after_what_was_before_it(
    live: LiveReplay,
) -> None:
    table = ReplayTable(live)
    new = began(5, 3, "agent/step0/tool:other[0]", "tool")
    table.take(live.take([*START, ended(4), new, ended(5, "live")]).spans)
    assert table.new_count == 1
    assert len(table) == 7
    row = 6
    assert table.match(row) is Match.DRIFTED
    assert table.recorded_id(row) is None
    rows = table.table()
    assert rows.parent_row[row] == 2
    assert list(rows.children(2)) == [3, 4, 6]
    assert rows.depth[row] == 3
    # After the LLM, which the recording had until 20 ms.
    assert table.newcomers()[0].at_ns == 20_000_000
    tree = RunTree(rows)
    node = tree.node_of(row)
    assert node is not None
    assert tree.row(node) == row


def test_the_recording_s_own_table_is_never_written_into(live: LiveReplay) -> None:
    table = ReplayTable(live)
    before = bytes(live.recording.table.start_ns)
    table.take(live.take([*START, began(5, 3, "new", "tool")]).spans)
    made = table.table()
    made.start_ns[0] = 99
    assert bytes(live.recording.table.start_ns) == before
    assert len(live.recording.table) == 6


def test_only_where_it_began_is_a_failure_marked(live: LiveReplay) -> None:
    table = ReplayTable(live)
    events = [
        *START, ended(4, status="failed", error={"type": "TimeoutError", "message": "no"}),
        ended(3, status="failed"), ended(2, status="failed"), ended(1, status="failed"),
    ]  # fmt: skip
    table.take(live.take(events).spans)
    assert table.failed == {3}
    assert live.spans[3].error == ("TimeoutError", "no")


def test_what_is_around_a_difference_is_not_said_to_be_as_recorded(live: LiveReplay) -> None:
    events = [*START, drift("agent/step0/llm"), ended(4), ended(3), ended(2), ended(1)]
    advance = live.take(events)
    assert [span.match for span in live.spans] == [*[Match.AROUND] * 3, Match.DRIFTED]
    assert set(advance.spans) == {0, 1, 2, 3}


def test_nothing_is_held_once_it_is_over(live: LiveReplay) -> None:
    live.take([{"event": "paused", "pause": 1}])
    assert live.close()
    assert live.is_over
    assert live.held == ()
