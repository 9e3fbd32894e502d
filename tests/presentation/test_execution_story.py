"""The story of an execution says what was seen, and that the rest is unknown."""

from inspector.hayhooks.client.model import Execution, ExecutionRow, ExecutionStatus, Progress
from inspector.presentation.execution_story import Sighting, Stretch, story

S = 1_000_000_000
QUEUED, RUNNING, WAITING, COMPLETED = (
    ExecutionStatus.QUEUED, ExecutionStatus.RUNNING, ExecutionStatus.WAITING,
    ExecutionStatus.COMPLETED,
)  # fmt: skip


def execution(
    status: ExecutionStatus, *, at: float, sequence: int, attempt: int, **more: object
) -> Execution:
    row = ExecutionRow("e1", "rag", "pipeline", "1", status, attempt, S, round(at * S))
    return Execution(row, sequence=sequence, **more)  # type: ignore[arg-type]


def look(
    at: float, status: ExecutionStatus, sequence: int, attempt: int, until: float | None = None
) -> Sighting:
    return Sighting(round(at * S), round((until or at) * S), sequence, status, attempt)


def told(stretches: tuple[Stretch, ...]) -> list[tuple[str, int, float, float]]:
    return [
        (one.state, one.attempt, one.start_ns / S, one.end_ns / S)
        for one in stretches
    ]  # fmt: skip


def test_what_was_watched_from_the_start_has_no_unknown_part() -> None:
    done = execution(COMPLETED, at=9, sequence=3, attempt=1)
    seen = [look(1, QUEUED, 1, 0), look(3, RUNNING, 2, 1)]
    shown = story(done, seen, {}, now_ns=20 * S)
    assert told(shown.stretches) == [("queued", 0, 1, 3), ("running", 1, 3, 9)]
    assert [moment.kind for moment in shown.moments] == ["submitted", "began", "completed"]
    assert shown.end_ns == 9 * S


def test_one_that_was_opened_when_it_was_over_is_unknown() -> None:
    done = execution(COMPLETED, at=9, sequence=7, attempt=1)
    shown = story(done, [], {}, now_ns=20 * S)
    assert told(shown.stretches) == [("unknown", 1, 1, 9)]
    assert "nobody saw" in shown.stretches[0].words


def test_an_attempt_ends_with_its_last_sign_of_life_and_not_with_what_the_server_believes() -> None:
    # The server calls it running until another worker takes it, long after the first one died.
    again = execution(RUNNING, at=10, sequence=3, attempt=2)
    seen = [look(2, RUNNING, 2, 1, until=9.9)]
    shown = story(again, seen, {1: (3 * S, 4 * S)}, now_ns=12 * S)
    assert told(shown.stretches)[1:] == [
        ("running", 1, 2, 4), ("unknown", 1, 4, 10), ("running", 2, 10, 12),
    ]  # fmt: skip
    assert "interrupted" in [moment.kind for moment in shown.moments]


def test_attempts_that_nobody_saw_have_lanes_of_their_own() -> None:
    late = execution(RUNNING, at=30, sequence=9, attempt=3)
    shown = story(late, [], {}, now_ns=31 * S)
    unknown = [one.attempt for one in shown.stretches if one.state == "unknown"]
    assert {1, 2} <= set(unknown)
    assert shown.attempts == 3


def test_a_wait_lasts_until_it_is_answered() -> None:
    done = execution(COMPLETED, at=50, sequence=6, attempt=2)
    seen = [
        look(1, QUEUED, 1, 0), look(2, RUNNING, 2, 1), look(4, WAITING, 3, 1, until=40),
        look(40, QUEUED, 4, 1), look(41, RUNNING, 5, 2),
    ]  # fmt: skip
    shown = story(done, seen, {}, now_ns=60 * S)
    assert ("waiting", 1, 4, 40) in told(shown.stretches)
    assert "unknown" not in {one.state for one in shown.stretches}
    kinds = [moment.kind for moment in shown.moments]
    assert kinds == ["submitted", "began", "waits", "resumed", "began", "completed"]


def test_while_the_server_is_away_nothing_is_known() -> None:
    running = execution(RUNNING, at=2, sequence=2, attempt=1)
    shown = story(running, [look(2, RUNNING, 2, 1, until=5)], {}, now_ns=9 * S, is_stale=True)
    assert told(shown.stretches)[-2:] == [("running", 1, 2, 5), ("unknown", 1, 5, 9)]


def test_progress_belongs_to_the_attempt_that_ran_then() -> None:
    reports = (Progress(1, "step", "read 3 documents", 3 * S, {}),)
    again = execution(RUNNING, at=10, sequence=4, attempt=2, progress=reports)
    seen = [look(1, QUEUED, 1, 0), look(2, RUNNING, 2, 1), look(2, RUNNING, 3, 1, until=4)]
    shown = story(again, seen, {1: (3 * S, 4 * S)}, now_ns=12 * S)
    report = next(moment for moment in shown.moments if moment.kind == "progress")
    assert (report.attempt, report.words) == (1, "read 3 documents")


def test_the_same_look_twice_changes_nothing() -> None:
    done = execution(COMPLETED, at=9, sequence=3, attempt=1)
    seen = [look(1, QUEUED, 1, 0), look(3, RUNNING, 2, 1)]
    once = story(done, seen, {}, now_ns=20 * S)
    assert story(done, [*seen, *seen[::-1]], {}, now_ns=20 * S) == once


def test_looks_that_were_kept_without_their_number_tell_their_part() -> None:
    done = execution(COMPLETED, at=50, sequence=6, attempt=2)
    kept = [look(2, RUNNING, 0, 1), look(4, WAITING, 0, 1), look(41, RUNNING, 0, 2)]
    shown = story(done, kept, {}, now_ns=60 * S)
    assert told(shown.stretches) == [
        ("unknown", 1, 1, 2), ("running", 1, 2, 4), ("unknown", 2, 4, 41), ("running", 2, 41, 50),
    ]  # fmt: skip
