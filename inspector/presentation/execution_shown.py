"""The head of an execution in words: how it stands, what is known of it, how we stand to it."""

from typing import NamedTuple

from inspector.hayhooks.client.model import Execution, ExecutionStatus
from inspector.presentation.execution_words import status_look, took_words, when_words
from inspector.presentation.live_execution import Connection
from inspector.presentation.visible import one_line
from inspector.presentation.words import sentence


def state_words(execution: Execution, *, is_stale: bool = False) -> str:
    """Return how it stands: `Waiting for approval`; of one that cannot be asked, how it stood."""
    row = execution.row
    word = status_look(row.status).word
    if row.status.is_over:
        return word.capitalize()
    if row.cancellation_pending:
        word = f"{word}, cancel asked for"
    elif row.status is ExecutionStatus.WAITING and execution.waiting is not None:
        kind = one_line(execution.waiting.kind)[:60]
        word = f"waiting for {kind}" if kind else "waiting for an answer"
    return f"Was {word}" if is_stale else word.capitalize()


def fact_words(execution: Execution, server: str, now_ns: int) -> str:
    """Return what is known of it, on one line."""
    row = execution.row
    took = took_words(row, now_ns)
    kind = one_line(row.kind)
    return sentence(
        [
            kind,
            f"attempt {row.attempt}" if row.attempt else "not begun",
            f"took {took}" if row.status.is_over else f"for {took}",
            f"created {when_words(row.created_at_ns, now_ns)}",
            f"updated {when_words(row.updated_at_ns, now_ns)}",
            f"revision {one_line(row.revision)[:24]}" if row.revision else "",
            f"on {server}",
        ]
    )


class ConnectionSaid(NamedTuple):
    """How we stand to the server: a badge, and a card where something is to be known."""

    badge: tuple[str, str, str, str]  # icon, words, colour, more
    title: str = ""
    words: str = ""
    action: str = ""


def connection_words(connection: Connection, problem: str, hint: str) -> ConnectionSaid:
    """Say how we stand to the server of an execution."""
    more = f"{problem} {hint}".strip()
    match connection:
        case Connection.ATTACHED:
            return ConnectionSaid(("live", "LIVE", "live", "What happens is shown as it happens"))
        case Connection.CONNECTING:
            return ConnectionSaid(("clock", "connecting…", "secondary", ""))
        case Connection.OVER:
            return ConnectionSaid(("", "", "", ""))
        case Connection.RECONNECTING:
            badge = ("stale", "STALE", "changed", more)
            title = "The server is away: this is how it stood."
            return ConnectionSaid(badge, title, f"{more} It is asked again.".strip(), "Try now")
        case Connection.REFUSED:
            badge = ("stale", "STALE", "changed", more)
            return ConnectionSaid(badge, "Nothing more comes of it.", more, "Try again")
