"""Tasks of an agent as the rows of a table, what changed last first."""

from collections.abc import Iterable
from enum import IntEnum
from typing import NamedTuple

from inspector.importers.a2a_told import A2ATask
from inspector.presentation.a2a_words import task_look, task_words, wish_words
from inspector.presentation.execution_words import Look, shown_id, when_words
from inspector.presentation.visible import one_line
from inspector.presentation.words import elided

_LONGEST = 240


class TaskColumn(IntEnum):
    """What stands in which column."""

    STATE = 0
    WISH = 1
    SAYS = 2
    CHANGED = 3
    CONTEXT = 4
    ID = 5


TITLES = {
    TaskColumn.STATE: "State",
    TaskColumn.WISH: "Asked of it",
    TaskColumn.SAYS: "It says",
    TaskColumn.CHANGED: "Changed",
    TaskColumn.CONTEXT: "Context",
    TaskColumn.ID: "Id",
}


class ListedTask(NamedTuple):
    """One row: a task, and whether its agent could not be asked lately."""

    task: A2ATask
    is_stale: bool = False

    @property
    def key(self) -> str:
        """What no other row has."""
        return self.task.id


def narrowed(tasks: Iterable[A2ATask], state: str, search: str) -> list[A2ATask]:
    """Return the tasks of a state, and with words in what was asked, said, or in their ids."""
    wanted = search.strip().casefold()
    return [
        task
        for task in tasks
        if (not state or task.state == state)
        and (not wanted or any(wanted in words.casefold() for words in _searched(task)))
    ]


def _searched(task: A2ATask) -> tuple[str, ...]:
    return task.id, task.context_id, wish_words(task), task_words(task)


def cell_words(listed: ListedTask, column: TaskColumn, now_ns: int) -> str:
    """Return what stands in a cell, on one line, with nothing in it that could act."""
    task = listed.task
    match column:
        case TaskColumn.STATE:
            word = task_look(task.state).word
            if not listed.is_stale or task.is_over:
                return word
            return f"was {word.replace('asks', 'asking')}"
        case TaskColumn.WISH:
            return elided(wish_words(task), _LONGEST)
        case TaskColumn.SAYS:
            return elided(task_words(task), _LONGEST)
        case TaskColumn.CHANGED:
            return when_words(task.changed_ns, now_ns)
        case TaskColumn.CONTEXT:
            return elided(one_line(task.context_id), 24)
        case TaskColumn.ID:
            return shown_id(task.id)


def row_look(listed: ListedTask) -> Look:
    """Return how the state of a row is shown: one that nobody could ask lately is pale."""
    look = task_look(listed.task.state)
    if listed.is_stale and not listed.task.is_over:
        return look._replace(icon="stale", colour="secondary")
    return look


def spoken(listed: ListedTask, now_ns: int) -> str:
    """Return a row as a sentence, for those who listen."""
    parts = [
        f"Task {cell_words(listed, TaskColumn.STATE, now_ns)}",
        cell_words(listed, TaskColumn.WISH, now_ns),
        cell_words(listed, TaskColumn.SAYS, now_ns),
        f"changed {when_words(listed.task.changed_ns, now_ns)}",
    ]
    return ", ".join(part for part in parts if part)
