"""The tasks of an agent as A2A lists them: what changed last first, with their number.

Hayhooks lists the oldest first and counts nothing, so that each list walks over all of them; it
reads what is stored with them for the page that is asked for only.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Any

from a2a.types import ListTasksRequest, ListTasksResponse, Task
from a2a.utils.constants import DEFAULT_LIST_TASKS_PAGE_SIZE
from a2a.utils.errors import InvalidParamsError
from a2a.utils.task import (
    ListTasksCursor,
    apply_history_length,
    decode_list_tasks_cursor,
    encode_list_tasks_cursor,
    validate_history_length,
    validate_page_size,
)
from hayhooks.durable.engine import ExecutionNotFoundError
from hayhooks.durable.store import MAX_EXECUTION_PAGE_SIZE, ControlQuery

from inspector.hayhooks.a2a.following import Pieces
from inspector.hayhooks.a2a.tasks import state_of

if TYPE_CHECKING:
    from hayhooks.durable.engine import ExecutionControl

    from inspector.hayhooks.a2a.deployment import TaskDeployment
    from inspector.hayhooks.a2a.tasks import View

MOST = 20_000
"""How many executions are walked over; older ones beyond are in no list."""
_REMEMBERED = 50_000
_PAGES = 1_000


class TaskList:
    """Lists the tasks of a deployment, each owner's for themselves."""

    def __init__(self, deployment: TaskDeployment) -> None:
        self._deployment = deployment
        # The context of a task never changes, and only what is stored with it tells it.
        self._contexts: OrderedDict[str, str] = OrderedDict()

    async def page(
        self, asked: ListTasksRequest, owner_id: str | None, *, enforce_owner: bool
    ) -> ListTasksResponse:
        """Return one page.

        Raises:
            InvalidParamsError: What is asked for makes no sense.

        """
        validate_history_length(asked)
        if asked.HasField("page_size"):
            validate_page_size(asked.page_size)
        scope: dict[str, Any] = {"owner_id": owner_id, "enforce_owner": enforce_owner}
        controls = [each for each in await self._all(owner_id) if _matches(each, asked)]
        if asked.context_id:
            controls = [
                each for each in controls if await self._context(each, scope) == asked.context_id
            ]
        controls.sort(key=_place, reverse=True)
        size = asked.page_size or DEFAULT_LIST_TASKS_PAGE_SIZE
        after = _after(asked.page_token)
        rest = controls if after is None else [each for each in controls if _place(each) < after]
        shown = rest[:size]
        tasks = [
            task for each in shown if (task := await self._task(each, asked, scope)) is not None
        ]
        more = encode_list_tasks_cursor(_cursor(shown[-1])) if len(rest) > size else None
        return ListTasksResponse(
            tasks=tasks, next_page_token=more, page_size=size, total_size=len(controls)
        )

    async def _all(self, owner_id: str | None) -> list[ExecutionControl]:
        found: list[ExecutionControl] = []
        cursor: str | None = None
        for _ in range(_PAGES):
            query = ControlQuery(owner_id=owner_id, limit=MAX_EXECUTION_PAGE_SIZE, cursor=cursor)
            page = await self._deployment.store.list_controls(query)
            found += page.controls
            cursor = page.next_cursor
            if cursor is None or not page.has_more or len(found) >= MOST:
                break
        return found

    async def _context(self, control: ExecutionControl, scope: dict[str, Any]) -> str:
        known = self._contexts.get(control.run_id)
        if known is not None:
            self._contexts.move_to_end(control.run_id)
            return known
        view = await self._view(control, scope)
        return view.context_id if view is not None else ""

    async def _view(self, control: ExecutionControl, scope: dict[str, Any]) -> View | None:
        try:
            view = await self._deployment.view(control.run_id, **scope)
        except ExecutionNotFoundError:
            return None  # its time ran out between the two readings
        self._contexts[control.run_id] = view.context_id
        while len(self._contexts) > _REMEMBERED:
            self._contexts.popitem(last=False)
        return view

    async def _task(
        self, control: ExecutionControl, asked: ListTasksRequest, scope: dict[str, Any]
    ) -> Task | None:
        view = await self._view(control, scope)
        if view is None:
            return None
        if not asked.include_artifacts:
            task = view.task([])
            task.ClearField("artifacts")
        else:
            task = view.task(await Pieces(self._deployment, view.task_id).kept())
        return apply_history_length(task, asked)


def _matches(control: ExecutionControl, asked: ListTasksRequest) -> bool:
    if asked.status and state_of(control) != asked.status:
        return False
    if not asked.HasField("status_timestamp_after"):
        return True
    earliest: int = asked.status_timestamp_after.ToMilliseconds()
    return bool(control.updated_at_ms >= earliest)


def _cursor(control: ExecutionControl) -> ListTasksCursor:
    return ListTasksCursor(control.updated_at_ms * 1_000_000, control.run_id)


def _place(control: ExecutionControl) -> tuple[bool, int, str]:
    return _cursor(control).sort_key()


def _after(token: str) -> tuple[bool, int, str] | None:
    if not token:
        return None
    cursor = decode_list_tasks_cursor(token)
    if cursor is None:
        raise InvalidParamsError(message="The page token is none of ours.")
    return cursor.sort_key()
