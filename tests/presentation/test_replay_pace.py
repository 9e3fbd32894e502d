"""What comes from a worker is shown when the recording would have come to it."""

from typing import Any

from inspector.presentation.replay_pace import Pacer
from tests.helpers.drawn_runs import run_from_outline

OUTLINE = """
pipeline 0-10000
  first 0-1000
  second 1000-9000
  third 9000-10000
"""


def made() -> Pacer:
    run = run_from_outline(OUTLINE)
    return Pacer(run.table, {"": 0, "first#1": 1, "second#1": 2, "third#1": 3})


def began(name: str) -> dict[str, Any]:
    return {"event": "began", "id": f"s-{name}", "path": f"{name}#1" if name else ""}


def ended(name: str) -> dict[str, Any]:
    return {"event": "ended", "id": f"s-{name}"}


EVENTS = [
    began(""), began("first"), ended("first"), began("second"), ended("second"), began("third"),
    ended("third"), ended(""),
]  # fmt: skip


def names(events: list[Any]) -> list[str]:
    return [f"{event['event']} {event.get('id')}" for event in events]


def test_at_once_everything_comes_in_its_order() -> None:
    pacer = made()
    pacer.put(EVENTS)
    assert pacer.take(0.0, 100) == EVENTS


def test_at_the_recorded_speed_a_span_ends_when_it_did() -> None:
    pacer = made()
    pacer.set_speed(1.0)
    pacer.put(EVENTS)
    assert names(pacer.take(0.0, 100)) == ["began s-", "began s-first"]
    assert pacer.take(0.5, 100) == []
    assert names(pacer.take(1.0, 100)) == ["ended s-first", "began s-second"]


def test_half_the_speed_takes_twice_as_long() -> None:
    pacer = made()
    pacer.set_speed(0.5)
    pacer.put(EVENTS)
    pacer.take(0.0, 100)
    assert pacer.take(1.9, 100) == []
    assert names(pacer.take(2.0, 100)) == ["ended s-first", "began s-second"]


def test_a_long_wait_is_cut_to_two_seconds() -> None:
    pacer = made()
    pacer.set_speed(1.0)
    pacer.put(EVENTS)
    pacer.take(0.0, 100)
    pacer.take(1.0, 100)
    assert names(pacer.take(1.0, 100)) == []
    assert names(pacer.take(3.0, 100))[:1] == ["ended s-second"]


def test_time_stands_still_while_nothing_has_come() -> None:
    pacer = made()
    pacer.set_speed(1.0)
    pacer.put(EVENTS[:2])
    pacer.take(0.0, 100)
    assert pacer.take(500.0, 100) == []
    pacer.put(EVENTS[2:])
    assert pacer.take(501.0, 100) == []
    assert names(pacer.take(502.0, 100)) == ["ended s-first", "began s-second"]


def test_what_is_held_comes_when_it_is_let_go() -> None:
    pacer = made()
    pacer.put(EVENTS)
    pacer.hold(True)
    assert pacer.take(0.0, 100) == []
    pacer.hold(False)
    assert pacer.take(0.0, 100) == EVENTS


def test_what_the_recording_does_not_know_comes_with_what_was_before_it() -> None:
    pacer = made()
    pacer.set_speed(1.0)
    strange = {"event": "began", "id": "s-9", "path": "other#1"}
    pacer.put([*EVENTS[:3], strange, {"event": "drift"}, *EVENTS[3:]])
    pacer.take(0.0, 100)
    assert names(pacer.take(1.0, 100)) == [
        "ended s-first", "began s-9", "drift None", "began s-second",
    ]  # fmt: skip


def test_no_more_are_taken_than_asked_for() -> None:
    pacer = made()
    pacer.put(EVENTS)
    assert len(pacer.take(0.0, 3)) == 3
    assert pacer.waiting == len(EVENTS) - 3
