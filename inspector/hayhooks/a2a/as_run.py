"""Tasks of an agent as runs: what was said, asked, answered and made; not how it came about."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from inspector.errors import InspectorError
from inspector.hayhooks.client.model import HayhooksError
from inspector.importers.a2a_told import read_task
from inspector.importers.opening import load_runs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from inspector.hayhooks.a2a.client import A2AClient
    from inspector.importers.a2a_told import A2ATask
    from inspector.runfile.model import PipelineRun

MOST = 1_000


def fetched(
    client: A2AClient,
    task_ids: Iterable[str] = (),
    *,
    limit: int = MOST,
    cancelled: Callable[[], bool] | None = None,
) -> bytes:
    """Return an agent's card and tasks as JSON that `load_runs` opens: what A2A tells, as told.

    Args:
        client: Whose.
        task_ids: Which tasks; none for those that it lists, what changed last first.
        limit: How many of those.
        cancelled: Asked between two tasks whether to stop.

    Raises:
        HayhooksError: It cannot be had.
        InspectorError: It was stopped, or there are no tasks.

    """
    card = client.card()
    wanted = list(task_ids) or [task.id for task in client.tasks(limit=limit)]
    found: list[Any] = []
    for each in wanted:
        if cancelled is not None and cancelled():
            raise InspectorError("Fetching was stopped.")
        try:
            found.append(client.task_tree(each))
        except HayhooksError as error:
            if error.kind != "not_found" or task_ids:
                raise
            continue  # its time ran out since it was listed
    if not found:
        raise InspectorError(f"The agent {card.name} has no tasks.")
    return json.dumps({"agentCard": dict(card.tree), "tasks": found}).encode()


def tasks_as_runs(data: bytes) -> list[tuple[A2ATask, PipelineRun]]:
    """Return tasks that were fetched, each with its run.

    Raises:
        RunFileError: There is none in it.

    """
    tree = json.loads(data)
    return [
        (read_task(task), run) for task, run in zip(tree["tasks"], load_runs(data), strict=True)
    ]
