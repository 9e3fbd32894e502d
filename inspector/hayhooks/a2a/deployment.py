"""A durable deployment whose executions are tasks: it keeps the messages they came from."""

from __future__ import annotations

import inspect
from functools import partial
from typing import TYPE_CHECKING, Any

from hayhooks.durable import DurableDeployment
from hayhooks.durable.engine import (
    ExecutionStatus,
    InvalidExecutionTransitionError,
    PayloadKind,
    Resume,
)
from hayhooks.durable.models import CheckpointEnvelope, encode_json
from pydantic import BaseModel, RootModel, create_model

from inspector.errors import InspectorError
from inspector.hayhooks.a2a.messages import input_of
from inspector.hayhooks.a2a.tasks import (
    ANSWERS,
    FIELD,
    answers_with,
    envelope_for,
    view_of,
)

if TYPE_CHECKING:
    from a2a.types import Message
    from hayhooks.durable.engine import ExecutionControl
    from hayhooks.durable.store import StoredExecution, SubmissionResult

    from inspector.hayhooks.a2a.tasks import View


class TaskDeployment(DurableDeployment):  # type: ignore[misc]  # Hayhooks ships no types
    """Another deployment, run by us, which keeps with each execution what its client said.

    The message that began an execution stands in its input, in a field that other workers of
    the same deployment pass over, unless their model forbids what it does not know; those that
    answered it stand in its state.

    Args:
        of: A deployment that nobody started.

    """

    def __init__(self, of: DurableDeployment) -> None:
        if of.accepting:
            raise InspectorError(
                f"The deployment {of.name} was started already.",
                hint="Hand it over before: serving it starts it.",
            )
        own: type[BaseModel] = of.request_model
        self.own_request_model = own
        # A model that is one value has no room for a message beside it.
        self.keeps_messages = not issubclass(own, RootModel)
        model, runner = own, of.runner
        if self.keeps_messages:
            field: dict[str, Any] = {FIELD: (dict[str, Any] | None, None)}
            model = create_model(f"{own.__name__}OfTask", __base__=own, **field)
            runner = _without_message(of.runner, own)
        super().__init__(
            of.name,
            of.revision,
            of.store,
            model,
            runner,
            kind=of.kind,
            result_model=of.result_model,
            resume_model=of.resume_model,
            adapter=of.adapter,
            config=of.config,
        )

    async def begin(self, message: Message, owner_id: str | None) -> SubmissionResult:
        """Submit what a message says. The same message again is the same execution.

        Raises:
            RefusedMessageError: It is no input of this agent.

        """
        given = input_of(message, self.own_request_model)
        if self.keeps_messages:
            given = {**given, FIELD: envelope_for(message)}
        return await self.submit(given, owner_id=owner_id, idempotency_key=message.message_id)

    async def view(self, run_id: str, *, owner_id: str | None, enforce_owner: bool) -> View:
        """Return an execution with all that is stored of it.

        Raises:
            ExecutionNotFoundError: There is none, or it is another's.

        """
        stored = await self.store.read(run_id)
        return view_of(self._checked(run_id, stored, owner_id, enforce_owner=enforce_owner))

    def _checked(
        self,
        run_id: str,
        stored: StoredExecution | None,
        owner_id: str | None,
        *,
        enforce_owner: bool,
    ) -> StoredExecution:
        return self._authorize_stored(
            run_id,
            stored,
            owner_id=owner_id,
            enforce_owner=enforce_owner,
            allow_revision_mismatch=True,
        )

    async def answer(self, view: View, value: Any, message: Message) -> ExecutionControl:
        """Resume a waiting execution, and keep the message that did.

        As `resume`, with the message in the same transition: whoever sends it again is known.

        Raises:
            InvalidExecutionTransitionError: It waits no more, or its code is another by now.

        """
        control = view.control
        if control.status is not ExecutionStatus.WAITING:
            raise InvalidExecutionTransitionError("only waiting executions can resume")
        if self.resume_model is not None:
            value = self.resume_model.model_validate(value).model_dump(mode="json")
        checkpoint = self._decode_checkpoint(view.stored.payloads[PayloadKind.CHECKPOINT])
        tree = checkpoint.model_dump(mode="json")
        tree["resume_input"] = value
        tree["application_state"] = {
            **tree["application_state"],
            ANSWERS: answers_with(view, message),
        }
        kept = CheckpointEnvelope.model_validate(tree).model_dump(mode="json")
        plan = await self.store.transition(
            control.run_id,
            Resume(
                now_ms=0,
                worker_revision=self.revision,
                checkpoint=encode_json(kept, max_bytes=self.store.config.max_payload_bytes),
                expected_version=control.version,
            ),
        )
        self._wake_workers()
        return plan.next_control


def _without_message(runner: Any, model: type[BaseModel]) -> Any:
    """Return a runner that is handed the input as its author knows it."""

    def own(request: BaseModel) -> BaseModel:
        return model.model_validate(request.model_dump(mode="json", exclude={FIELD}))

    called = runner.func if isinstance(runner, partial) else runner
    called = called if inspect.isroutine(called) else type(called).__call__
    if inspect.iscoroutinefunction(called):

        async def run_async(context: Any, request: BaseModel) -> Any:
            return await runner(context, own(request))

        return run_async

    def run(context: Any, request: BaseModel) -> Any:
        return runner(context, own(request))

    return run
