"""The requests of A2A, answered by a durable deployment."""

from __future__ import annotations

import asyncio
import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from a2a.server.request_handlers.request_handler import validate_request_params
from a2a.types import Task, TaskState
from a2a.utils.errors import (
    A2AError,
    InternalError,
    InvalidParamsError,
    PushNotificationNotSupportedError,
    TaskNotCancelableError,
    TaskNotFoundError,
    UnsupportedOperationError,
)
from a2a.utils.task import apply_history_length, validate_history_length
from hayhooks.durable.engine import (
    RUN_ID_PATTERN,
    ExecutionNotFoundError,
    ExecutionPayloadSizeError,
    InvalidExecutionTransitionError,
)
from hayhooks.durable.store import (
    ExecutionAdmissionError,
    ExecutionIdempotencyConflictError,
    ExecutionStoreError,
)
from loguru import logger

from inspector.hayhooks.a2a.following import LOOK_S, Follower
from inspector.hayhooks.a2a.listing import TaskList
from inspector.hayhooks.a2a.messages import RefusedMessageError, answer_of
from inspector.hayhooks.a2a.refused import RefusesTheRest
from inspector.hayhooks.a2a.tasks import OVER

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Iterator

    from a2a.server.context import ServerCallContext
    from a2a.server.events import Event
    from a2a.types import (
        CancelTaskRequest,
        GetTaskRequest,
        ListTasksRequest,
        ListTasksResponse,
        Message,
        SendMessageRequest,
        SubscribeToTaskRequest,
    )

    from inspector.hayhooks.a2a.deployment import TaskDeployment
    from inspector.hayhooks.a2a.tasks import View

OWNER = "run_inspector_owner"
"""Where in the state of a call its owner stands."""
GONE = "run_inspector_gone"
"""Where what tells that the caller has gone stands."""
PATIENCE_S = 3.0
"""How long a cancellation waits for the agent to stop, before it answers that it was asked."""
_ID = re.compile(rf"{RUN_ID_PATTERN}\Z")
_LONGEST_ID = 512


class ExecutionHandler(RefusesTheRest):
    """Answers for one agent.

    Args:
        deployment: What runs its tasks.
        enforce_owner: Whether calls carry an owner, and see that owner's tasks only.

    """

    def __init__(self, deployment: TaskDeployment, *, enforce_owner: bool) -> None:
        self._deployment = deployment
        self._list = TaskList(deployment)
        self._enforce_owner = enforce_owner

    def _scope(self, context: ServerCallContext) -> dict[str, Any]:
        owner = context.state.get(OWNER) if self._enforce_owner else None
        return {"owner_id": owner, "enforce_owner": self._enforce_owner}

    async def _view(self, task_id: str, context: ServerCallContext) -> View:
        return await self._deployment.view(_checked_id(task_id), **self._scope(context))

    def _follower(self, task_id: str, context: ServerCallContext) -> Follower:
        scope = self._scope(context)
        return Follower(self._deployment, _checked_id(task_id), **scope)

    @validate_request_params
    async def on_message_send(
        self, params: SendMessageRequest, context: ServerCallContext
    ) -> Task | Message:
        """Begin or answer a task, and wait until it is over or asks for input."""
        with _in_words():
            validate_history_length(params.configuration)
            follower = self._follower(await self._take(params, context), context)
            task = await follower.start()
            if not params.configuration.return_immediately:
                # A stream is canceled when its client goes; who waits for one answer is not.
                gone = context.state.get(GONE)
                async for _ in follower.events(past_question=False, gone=gone):
                    pass
                task = await self._task(follower.view.task_id, context)
            return apply_history_length(task, params.configuration)

    @validate_request_params
    async def on_message_send_stream(
        self, params: SendMessageRequest, context: ServerCallContext
    ) -> AsyncGenerator[Event, None]:
        """Begin or answer a task, and tell what happens to it."""
        with _in_words():
            validate_history_length(params.configuration)
            follower = self._follower(await self._take(params, context), context)
            yield apply_history_length(await follower.start(), params.configuration)
            async for event in follower.events(past_question=False):
                yield event

    async def _take(self, params: SendMessageRequest, context: ServerCallContext) -> str:
        """Do what a message asks for; return the id of its task."""
        message = params.message
        if len(message.message_id.encode()) > _LONGEST_ID:
            raise InvalidParamsError(message="The messageId is longer than 512 bytes.")
        if params.configuration.HasField("task_push_notification_config"):
            raise PushNotificationNotSupportedError
        if message.task_id:
            return await self._answer(message, context)
        owner = self._scope(context)["owner_id"]
        submission = await self._deployment.begin(message, owner)
        return str(submission.control.run_id)

    async def _answer(self, message: Message, context: ServerCallContext) -> str:
        view = await self._view(message.task_id, context)
        if message.context_id and message.context_id != view.context_id:
            raise InvalidParamsError(
                message=f"The task is in the context {view.context_id}, not {message.context_id}."
            )
        if view.envelope.has_answer(message.message_id):
            return view.task_id
        if view.state != TaskState.TASK_STATE_INPUT_REQUIRED:
            raise UnsupportedOperationError(message=_takes_nothing(view))
        waiting = view.public.waiting or {}
        schema = waiting.get("expected_input_schema")
        value = answer_of(
            message,
            schema if isinstance(schema, dict) else None,
            self._deployment.resume_model,
        )
        await self._deployment.answer(view, value, message)
        return view.task_id

    @validate_request_params
    async def on_get_task(self, params: GetTaskRequest, context: ServerCallContext) -> Task | None:
        """Return a task as it is now."""
        with _in_words():
            validate_history_length(params)
            return apply_history_length(await self._task(params.id, context), params)

    async def _task(self, task_id: str, context: ServerCallContext) -> Task:
        return await self._follower(task_id, context).start()

    @validate_request_params
    async def on_list_tasks(
        self, params: ListTasksRequest, context: ServerCallContext
    ) -> ListTasksResponse:
        """Return a page of the tasks that this caller may see."""
        with _in_words():
            if not self._deployment.store.config.monitoring_enabled:
                raise UnsupportedOperationError(
                    message="This agent's store keeps no list: monitoring is switched off."
                )
            return await self._list.page(params, **self._scope(context))

    @validate_request_params
    async def on_cancel_task(
        self, params: CancelTaskRequest, context: ServerCallContext
    ) -> Task | None:
        """Ask a task to stop. One that runs stops at its next opportunity: it may still work."""
        with _in_words():
            view = await self._view(params.id, context)
            if view.state in OVER:
                raise TaskNotCancelableError(
                    message=f"The task is over: {_word(view)}. Nothing is left to cancel."
                )
            await self._deployment.cancel(view.task_id, **self._scope(context))
            loop = asyncio.get_running_loop()
            end = loop.time() + PATIENCE_S
            while loop.time() < end:
                control = await self._deployment.get_control(view.task_id, **self._scope(context))
                if control.terminal:
                    break
                await asyncio.sleep(LOOK_S / 5)
            return await self._task(view.task_id, context)

    @validate_request_params
    async def on_subscribe_to_task(
        self, params: SubscribeToTaskRequest, context: ServerCallContext
    ) -> AsyncGenerator[Event, None]:
        """Tell a task as it is, and what happens to it from now on."""
        with _in_words():
            follower = self._follower(params.id, context)
            task = await follower.start()
            if follower.view.state in OVER:
                raise UnsupportedOperationError(
                    message=f"The task is over: {_word(follower.view)}. Get it instead."
                )
            yield task
            async for event in follower.events(past_question=True):
                yield event


def _checked_id(task_id: str) -> str:
    if not _ID.match(task_id):
        raise TaskNotFoundError
    return task_id


def _word(view: View) -> str:
    name: str = TaskState.Name(view.state)
    return name.removeprefix("TASK_STATE_").lower().replace("_", "-")


def _takes_nothing(view: View) -> str:
    if view.state in OVER:
        return f"The task is over: {_word(view)}. Send the message without a taskId."
    return f"The task is {_word(view)} and takes a message only when it asks for input."


@contextmanager
def _in_words() -> Iterator[None]:
    """Say what Hayhooks refuses in the words and numbers of A2A."""
    try:
        yield
    except A2AError:
        raise
    except ExecutionNotFoundError as error:
        raise TaskNotFoundError from error
    except RefusedMessageError as error:
        raise InvalidParamsError(
            message=str(error),
            data={"problems": error.problems, "expected_input_schema": dict(error.schema)},
        ) from error
    except ExecutionIdempotencyConflictError as error:
        raise InvalidParamsError(
            message="This messageId began a task with other content. Give each message its own."
        ) from error
    except InvalidExecutionTransitionError as error:
        raise UnsupportedOperationError(message=_why_not(error)) from error
    except ExecutionAdmissionError as error:
        raise InternalError(
            message="The agent has as many tasks as it takes at a time. Try again later."
        ) from error
    except (ExecutionPayloadSizeError, ValueError) as error:
        raise InvalidParamsError(message=f"The agent cannot take it: {error}") from error
    except ExecutionStoreError as error:
        logger.opt(exception=error).error("The store of durable executions failed")
        raise InternalError(message="What keeps the tasks cannot be reached.") from error
    except Exception as error:  # what it says is for the log, not for whoever called
        logger.opt(exception=error).error("A call of A2A failed")
        raise InternalError(
            message="Something went wrong here; the server's log says what."
        ) from error


def _why_not(error: InvalidExecutionTransitionError) -> str:
    words = str(error)
    if "revision" in words:
        return "The agent's code was changed since the task began: it can be canceled, not resumed."
    if "changed before" in words or "only waiting" in words:
        return "Somebody else was quicker: the task does not wait for this answer any more."
    return f"The task cannot do that now: {words}."
