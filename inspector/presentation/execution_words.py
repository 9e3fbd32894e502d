"""Durable executions in words: where they stand, what a cancel does, which traps there are."""

from datetime import datetime
from functools import lru_cache
from typing import NamedTuple

from inspector.hayhooks.client.model import Execution, ExecutionRow, ExecutionStatus
from inspector.presentation.visible import one_line
from inspector.presentation.words import THIN, UNKNOWN, duration_words, elided

_S = 1_000_000_000
_MINUTE_S = 60
_QUARTER_S = 900
_QUARTER_NS = _QUARTER_S * _S
KEPT_CHUNKS = 100
"""How many chunks of a stream Hayhooks keeps, when its settings were left alone."""


class Look(NamedTuple):
    """How a state is shown: never by its colour alone."""

    word: str
    mark: str
    icon: str
    colour: str


_LOOKS = {
    ExecutionStatus.QUEUED: Look("queued", "◌", "clock", "secondary"),
    ExecutionStatus.RUNNING: Look("running", "●", "running", "live"),
    ExecutionStatus.WAITING: Look("waiting", "❙❙", "paused", "changed"),
    ExecutionStatus.COMPLETED: Look("completed", "✓", "completed", "same"),
    ExecutionStatus.FAILED: Look("failed", "✕", "failed", "failed"),
    ExecutionStatus.CANCELED: Look("canceled", "⊘", "canceled", "secondary"),
}
SERVER_LOOKS = {
    "up": Look("up", "●", "completed", "same"),
    "degraded": Look("degraded", "▲", "warning", "changed"),
    "down": Look("down", "✕", "failed", "failed"),
    "refused": Look("refused", "⊘", "canceled", "changed"),
    "asking": Look("asking…", "◌", "clock", "secondary"),
}
"""How the states of a server are shown; `asking` is one that has not answered yet."""


def status_look(status: ExecutionStatus) -> Look:
    """Return how a status is shown."""
    return _LOOKS[status]


def shown_id(execution_id: str) -> str:
    """Return an id as a table has room for it: its ends tell executions apart."""
    return elided(one_line(execution_id), 14)


def when_words(at_ns: int, now_ns: int) -> str:
    """Return a time on this machine's clock: the time alone today, the date with it before."""
    if at_ns <= 0:
        return UNKNOWN
    return _moment_words(at_ns // _S, now_ns // _QUARTER_NS * _QUARTER_S)


@lru_cache(maxsize=8_192)
def _moment_words(at_s: int, now_s: int) -> str:
    # A table writes the same times again and again; days begin at a quarter of an hour.
    try:
        at = datetime.fromtimestamp(at_s).astimezone()
        now = datetime.fromtimestamp(now_s).astimezone()
    except (OverflowError, OSError, ValueError):
        return UNKNOWN
    if at.date() == now.date():
        return f"{at:%H:%M:%S}"
    if at.year == now.year:
        return f"{at:%d} {at:%b} {at:%H:%M}"
    return f"{at:%Y-%m-%d %H:%M}"


def took_ns(row: ExecutionRow, now_ns: int) -> int | None:
    """Return how long an execution took from its submission, or has taken so far."""
    if not row.created_at_ns:
        return None
    end = row.updated_at_ns if row.status.is_over else now_ns
    return max(0, end - row.created_at_ns)


def took_words(row: ExecutionRow, now_ns: int) -> str:
    """Return that in words; of one that is not over, whole seconds, for they are counted."""
    took = took_ns(row, now_ns)
    if took is not None and not row.status.is_over:
        whole = took // _S
        return f"{whole}{THIN}s" if whole < _MINUTE_S else duration_words(whole * _S)
    return duration_words(took)


def waiting_words(row: ExecutionRow) -> str:
    """Return what an execution waits for, or why it does not go on, on one line."""
    if row.cancellation_pending and not row.status.is_over:
        return "cancel asked for"
    if row.status is ExecutionStatus.WAITING:
        return one_line(row.waiting_reason or "") or "an answer"
    return ""


class CancelWords(NamedTuple):
    """What a cancel will and will not do."""

    will: str
    will_not: str


def cancel_words(row: ExecutionRow) -> CancelWords:
    """Say what canceling an execution interrupts, as Hayhooks 2.1 does it."""
    if row.status in (ExecutionStatus.QUEUED, ExecutionStatus.WAITING):
        return CancelWords(
            "It ends at once: nothing of it is running.",
            "What its earlier steps did outside stays done.",
        )
    if row.kind == "agent":
        return CancelWords(
            "The agent ends before its next step.",
            "The model or tool call under way is not interrupted, and what it does outside stays.",
        )
    if row.kind == "pipeline":
        return CancelWords(
            "It becomes canceled once it has run to its end, and its result is thrown away.",
            "A running pipeline is not interrupted: its components run on, and may call and write.",
        )
    return CancelWords(
        "An agent ends before its next step; a pipeline runs to its end and loses its result.",
        "The call under way is not interrupted, and what it does outside stays.",
    )


class Witness(NamedTuple):
    """What was seen of an execution's stream, as far as the traps depend on it."""

    replayed: int = 0  # chunks that came at once when we attached
    was_late: bool = False  # it had begun before anybody here looked
    first_attempt: int = 0  # the first one of which chunks were seen; 0 for none
    gaps: int = 0
    ended: str = ""  # why nothing more comes, though it is not over


def trap_words(execution: Execution, seen: Witness) -> tuple[str, ...]:
    """Say what is not to be seen of an execution, and why; the gravest first."""
    row, said = execution.row, []
    if seen.ended:
        said.append(f"Nothing more comes of its stream: {one_line(seen.ended)}")
    if seen.gaps:
        said.append("The server had forgotten a part of the stream: some chunks are missing here.")
    if seen.was_late and seen.replayed >= KEPT_CHUNKS:
        said.append(
            f"Attached late: the server keeps the last {KEPT_CHUNKS} chunks or so, and does not "
            "say when it leaves out the beginning. The result below is whole."
        )
    if row.attempt > 1 and seen.was_late and seen.first_attempt in (0, row.attempt):
        said.append(
            f"This is attempt {row.attempt}. The server forgets what earlier attempts said, and "
            "nobody here was attached to them."
        )
    if execution.error is not None:
        said.append(
            "Hayhooks keeps the type of the exception only: its words are in the log of the server."
        )
    if row.status.is_over:
        said.append(
            "Hayhooks forgets the stream an hour after the end, and the execution after seven days."
        )
    if not row.kind:
        said.append("Kind and revision stand in the list only, which this server does not show us.")
    return tuple(said)
