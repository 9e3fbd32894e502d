"""Executions of all servers as the rows of one table."""

from enum import IntEnum
from typing import NamedTuple

from inspector.hayhooks.client.model import ExecutionRow, ExecutionStatus
from inspector.presentation.execution_words import (
    Look,
    shown_id,
    status_look,
    took_words,
    waiting_words,
    when_words,
)
from inspector.presentation.visible import one_line
from inspector.presentation.words import elided, number_words, plural

_LONGEST = 160


class ListColumn(IntEnum):
    """What stands in which column."""

    STATUS = 0
    DEPLOYMENT = 1
    WAITING = 2
    ATTEMPT = 3
    CREATED = 4
    UPDATED = 5
    TOOK = 6
    ID = 7
    REVISION = 8
    SERVER = 9


TITLES = {
    ListColumn.STATUS: "Status",
    ListColumn.DEPLOYMENT: "Deployment",
    ListColumn.WAITING: "Waits for",
    ListColumn.ATTEMPT: "Attempt",
    ListColumn.CREATED: "Created",
    ListColumn.UPDATED: "Updated",
    ListColumn.TOOK: "Took",
    ListColumn.ID: "Id",
    ListColumn.REVISION: "Revision",
    ListColumn.SERVER: "Server",
}
FIGURES = (ListColumn.ATTEMPT, ListColumn.TOOK)


class Listed(NamedTuple):
    """One row: an execution, on which server, and whether that could not be asked lately."""

    server: str
    row: ExecutionRow
    is_stale: bool = False

    @property
    def key(self) -> tuple[str, str, str]:
        """What no other row has."""
        return self.server, self.row.deployment, self.row.id


def cell_words(listed: Listed, column: ListColumn, now_ns: int) -> str:
    """Return what stands in a cell, on one line, with nothing in it that could act."""
    row = listed.row
    match column:
        case ListColumn.STATUS:
            word = status_look(row.status).word
            return f"was {word}" if listed.is_stale and not row.status.is_over else word
        case ListColumn.DEPLOYMENT:
            return elided(one_line(row.deployment), _LONGEST)
        case ListColumn.WAITING:
            return elided(waiting_words(row), _LONGEST)
        case ListColumn.ATTEMPT:
            return number_words(row.attempt) if row.attempt else ""
        case ListColumn.CREATED:
            return when_words(row.created_at_ns, now_ns)
        case ListColumn.UPDATED:
            return when_words(row.updated_at_ns, now_ns)
        case ListColumn.TOOK:
            if listed.is_stale and not row.status.is_over:
                return ""
            return took_words(row, now_ns)
        case ListColumn.ID:
            return shown_id(row.id)
        case ListColumn.REVISION:
            return elided(one_line(row.revision), 24)
        case ListColumn.SERVER:
            return elided(one_line(listed.server), _LONGEST)


def row_look(listed: Listed) -> Look:
    """Return how the status of a row is shown: one that nobody could ask lately is pale."""
    look = status_look(listed.row.status)
    if listed.is_stale and not listed.row.status.is_over:
        return look._replace(icon="stale", colour="secondary")
    return look


def spoken(listed: Listed, now_ns: int) -> str:
    """Return a row as a sentence, for those who listen."""
    row = listed.row
    said = cell_words(listed, ListColumn.STATUS, now_ns)
    waits = waiting_words(row)
    parts = [
        f"{cell_words(listed, ListColumn.DEPLOYMENT, now_ns)} {said}",
        f"waits for {waits}" if waits and row.status is ExecutionStatus.WAITING else waits,
        f"attempt {row.attempt}" if row.attempt > 1 else "",
        f"created {when_words(row.created_at_ns, now_ns)}",
        f"on {cell_words(listed, ListColumn.SERVER, now_ns)}",
    ]
    return ", ".join(part for part in parts if part)


def count_words(shown: int, total: int, *, is_filtered: bool) -> str:
    """Return how many executions are shown, of how many."""
    if is_filtered or shown < total:
        return f"{number_words(shown)} of {plural(total, 'execution')}"
    return f"{number_words(total)} {'execution' if total == 1 else 'executions'}"
