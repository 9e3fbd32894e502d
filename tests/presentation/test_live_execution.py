"""What comes of a stream, put together."""

from typing import Any

from inspector.hayhooks.client.model import (
    Execution,
    ExecutionRow,
    ExecutionStatus,
    Failure,
    StreamEvent,
)
from inspector.presentation.chunk_text import AttemptText, piece_of
from inspector.presentation.execution_list import ListColumn, Listed, cell_words, row_look
from inspector.presentation.execution_words import cancel_words, trap_words
from inspector.presentation.live_execution import Connection, LiveExecution
from inspector.presentation.words import THIN

S = 1_000_000_000
RUNNING = ExecutionStatus.RUNNING


def execution(
    status: ExecutionStatus = RUNNING, *, sequence: int = 2, attempt: int = 1, **more: Any
) -> Execution:
    row = ExecutionRow("e1", "rag", "", "", status, attempt, S, 2 * S)
    return Execution(row, sequence=sequence, **more)


def attached(at: float = 3, *, late: bool = True, **more: Any) -> StreamEvent:
    return StreamEvent(
        None, "attached", 1, {"late": late}, round(at * S), execution(**more), "http://one"
    )


def chunk(number: int, text: str, *, attempt: int = 1, at: float = 3.0) -> StreamEvent:
    return StreamEvent(f"0-{number}", "chunk", attempt, {"content": text}, round(at * S))


def test_chunks_of_an_abandoned_attempt_stay_beside_those_of_the_next() -> None:
    live = LiveExecution()
    live.take(attached())
    for number, word in enumerate(["one ", "two "]):
        live.take(chunk(number, word))
    live.take(StreamEvent(None, "attempt", 2, None, 9 * S))
    live.take(chunk(7, "anew", attempt=2, at=9))
    assert [(each.attempt, each.text) for each in live.attempts] == [(1, "one two "), (2, "anew")]
    assert live.attempt == 2


def test_a_chunk_that_comes_twice_counts_once() -> None:
    live = LiveExecution()
    live.take_past([chunk(1, "a"), chunk(2, "b")])
    live.take(attached())
    live.take(chunk(2, "b"))
    live.take(chunk(3, "c"))
    assert live.attempts[0].text == "abc"
    assert live.chunks == 3


def test_a_hundred_chunks_at_once_after_attaching_late_may_have_lost_their_beginning() -> None:
    live = LiveExecution()
    live.take(attached(late=True))
    for number in range(100):
        live.take(chunk(number, "x", at=3.001))
    said = trap_words(execution(), live.witness)
    assert any(words.startswith("Attached late") for words in said)


def test_chunks_that_come_one_after_the_other_have_lost_nothing() -> None:
    live = LiveExecution()
    live.take(attached(late=True))
    for number in range(150):
        live.take(chunk(number, "x", at=4 + number))
    assert not any("late" in words for words in trap_words(execution(), live.witness))


def test_the_words_of_an_exception_are_said_to_be_on_the_server() -> None:
    failed = execution(ExecutionStatus.FAILED, error=Failure("ValueError", "Durable failed"))
    assert any(
        "log of the server" in words for words in trap_words(failed, LiveExecution().witness)
    )


def test_what_only_the_list_says_is_not_lost_with_the_next_answer() -> None:
    live = LiveExecution()
    live.know("agent", "r7")
    live.take(attached())
    assert live.execution is not None
    assert (live.execution.row.kind, live.execution.row.revision) == ("agent", "r7")


def test_an_older_answer_that_comes_late_changes_nothing() -> None:
    live = LiveExecution()
    live.take(StreamEvent(None, "status", 1, None, 5 * S, execution(sequence=5)))
    live.see(execution(ExecutionStatus.QUEUED, sequence=4), 6 * S)
    assert live.execution is not None
    assert live.execution.row.status is RUNNING


def seen_changing(*delays_s: float) -> LiveExecution:
    """Return an execution whose changes came here so long after the server says they were."""
    live = LiveExecution()
    live.take(StreamEvent(None, "attached", 1, {"late": False}, 3 * S, execution(sequence=1)))
    for number, delay in enumerate(delays_s, 2):
        now = round((2 + delay) * S)
        live.take(StreamEvent(None, "status", 1, None, now, execution(sequence=number)))
    return live


def test_a_clock_that_goes_differently_is_noticed_by_changes_that_are_seen() -> None:
    assert seen_changing(0.4, 1.2).clock_ahead_ns == 0  # nothing but the way
    assert seen_changing(601, 600.5).clock_ahead_ns == round(600.5 * S)
    assert seen_changing(600.5).clock_ahead_ns == 0  # the machine may have slept
    assert seen_changing(-30).clock_ahead_ns == -30 * S


def test_a_break_makes_it_stale_and_an_end_does_not() -> None:
    live = LiveExecution()
    live.take(attached())
    live.take(StreamEvent(None, "reconnecting", 1, "The connection ended.", 5 * S))
    assert live.is_stale
    live.take(attached(at=6))
    assert live.connection is Connection.ATTACHED
    done = execution(ExecutionStatus.COMPLETED, sequence=4)
    live.take(StreamEvent(None, "completed", 1, None, 8 * S, done))
    assert live.connection is Connection.OVER
    assert not live.is_stale


def test_streamed_text_cannot_act() -> None:
    text = AttemptText(1)
    text.add({"content": "\x1b[2J\u202e<b>"})
    assert text.text == "␛[2J⟨U+202E⟩<b>"


def test_tool_calls_and_reasoning_are_told_apart_from_text() -> None:
    text = AttemptText(1)
    for payload in (
        {"reasoning": {"reasoning_text": "Think. "}, "content": ""},
        {"tool_calls": [{"tool_name": "look_up", "arguments": None}]},
        {"tool_calls": [{"arguments": '{"what":'}]},
        {"tool_calls": [{"arguments": ' "x"}'}]},
        {"tool_call_result": {"origin": {"tool_name": "look_up"}, "result": "so"}},
        {"content": "Done."},
        {"odd": 1},
    ):
        text.add(payload)
    assert [(piece.kind, piece.text) for piece in text.pieces] == [
        ("reasoning", "Think. "), ("tool", '{"what": "x"}'), ("result", "so"), ("text", "Done."),
        ("other", '{"odd": 1}'),
    ]  # fmt: skip


def test_spans_of_our_recorder_are_not_text() -> None:
    assert piece_of({"type": "recorder.span", "name": "llm"}) is None


def test_a_cancel_says_what_it_interrupts() -> None:
    def words(kind: str, status: ExecutionStatus) -> str:
        row = ExecutionRow("e", "d", kind, "", status, 1, S, S)
        return " ".join(cancel_words(row))

    assert "not interrupted" in words("pipeline", RUNNING)
    assert "thrown away" in words("pipeline", RUNNING)
    assert "next step" in words("agent", RUNNING)
    assert "at once" in words("agent", ExecutionStatus.WAITING)


def test_a_row_of_a_server_that_is_away_says_how_it_stood() -> None:
    row = ExecutionRow("e" * 32, "rag", "pipeline", "1", RUNNING, 1, S, 2 * S)
    stale = Listed("one", row, is_stale=True)
    assert cell_words(stale, ListColumn.STATUS, 9 * S) == "was running"
    assert cell_words(stale, ListColumn.TOOK, 9 * S) == ""
    assert row_look(stale).icon == "stale"


def test_cells_are_one_line_that_cannot_act() -> None:
    row = ExecutionRow("e", "ra\ng\u202e", "", "\x1b", ExecutionStatus.WAITING, 1, S, S,
                       waiting_reason="May I\n\x07?")  # fmt: skip
    listed = Listed("one", row)
    for column in ListColumn:
        assert cell_words(listed, column, 2 * S).replace(THIN, "").isprintable()
