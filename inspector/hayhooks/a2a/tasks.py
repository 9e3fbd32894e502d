"""What an execution is as a task of A2A. The only module that knows both sides.

A task is its execution, under the execution's id: nothing is kept besides what Hayhooks stores.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from a2a.types import Artifact, Message, Part, Role, Task, TaskState, TaskStatus
from google.protobuf.timestamp_pb2 import Timestamp
from hayhooks.durable.engine import ExecutionStatus, PayloadKind
from hayhooks.durable.models import decode_json, project_execution

from inspector.hayhooks.a2a.messages import data_part, kept, text_part, told

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from hayhooks.durable.engine import ExecutionControl
    from hayhooks.durable.models import ExecutionProgress, ExecutionResult
    from hayhooks.durable.store import StoredExecution

FIELD = "a2a_message"
"""The field of an execution's input that holds the message it began with."""
ANSWERS = "a2a_answers"
"""The key of an execution's state that holds the messages it was answered with."""
MOST_ANSWERS = 50
RESULT = "result"
"""The id of the artifact that holds what the agent gave back in the end."""
OVER = frozenset(
    {TaskState.TASK_STATE_COMPLETED, TaskState.TASK_STATE_FAILED, TaskState.TASK_STATE_CANCELED}
)
_TEXTS = ("answer", "reply", "text", "response", "output", "result", "content", "message")
_CANCELLING = "Cancellation was asked for; the agent stops at its next opportunity."
_STATES = {
    ExecutionStatus.RUNNING: TaskState.TASK_STATE_WORKING,
    ExecutionStatus.WAITING: TaskState.TASK_STATE_INPUT_REQUIRED,
    ExecutionStatus.COMPLETED: TaskState.TASK_STATE_COMPLETED,
    ExecutionStatus.FAILED: TaskState.TASK_STATE_FAILED,
    ExecutionStatus.CANCELED: TaskState.TASK_STATE_CANCELED,
}


@dataclass(frozen=True, slots=True)
class Envelope:
    """What is kept with an execution of the messages that began and answered it."""

    context_id: str = ""
    began: Mapping[str, Any] | None = None
    answers: tuple[Mapping[str, Any], ...] = ()

    def has_answer(self, message_id: str) -> bool:
        """Whether a message answered it before: a client may send it again."""
        return any(each.get("messageId") == message_id for each in self.answers)


def envelope_for(message: Message) -> dict[str, Any]:
    """Return what is kept in the input of an execution that a message begins."""
    return {"context": message.context_id, "message": kept(message)}


def envelope_of(stored: StoredExecution) -> Envelope:
    """Return what is kept with an execution; of one that another way began, what there is."""
    given = _json(stored, PayloadKind.INPUT)
    note = given.get(FIELD) if isinstance(given, dict) else None
    checkpoint = _json(stored, PayloadKind.CHECKPOINT)
    state = checkpoint.get("application_state") if isinstance(checkpoint, dict) else None
    answers = state.get(ANSWERS) if isinstance(state, dict) else None
    began = note.get("message") if isinstance(note, dict) else None
    context = note.get("context") if isinstance(note, dict) else None
    if began is None and isinstance(given, dict):
        own = {key: value for key, value in given.items() if key != FIELD}
        began = {"messageId": "", "role": "ROLE_USER", "parts": [{"data": own}]}
    return Envelope(
        context if isinstance(context, str) else "",
        began if isinstance(began, dict) else None,
        tuple(each for each in answers if isinstance(each, dict))
        if isinstance(answers, list)
        else (),
    )


def _json(stored: StoredExecution, kind: PayloadKind) -> Any:
    try:
        return decode_json(stored.payloads[kind], max_bytes=sys.maxsize)
    except (KeyError, ValueError):
        return None


def state_of(control: ExecutionControl) -> TaskState:
    """Return the state of a task: queued again is working, since somebody began it."""
    if control.status is ExecutionStatus.QUEUED:
        begun = control.run_attempt > 0
        return TaskState.TASK_STATE_WORKING if begun else TaskState.TASK_STATE_SUBMITTED
    return _STATES[control.status]


def context_of(control: ExecutionControl, envelope: Envelope) -> str:
    """Return the context of a task: the client's, or one of its own."""
    return envelope.context_id or control.run_id


@dataclass(frozen=True, slots=True)
class View:
    """An execution at one moment, as the events and the task are made of it."""

    stored: StoredExecution
    public: ExecutionResult
    envelope: Envelope

    @property
    def control(self) -> ExecutionControl:
        return self.stored.control

    @property
    def task_id(self) -> str:
        return str(self.control.run_id)

    @property
    def context_id(self) -> str:
        return context_of(self.control, self.envelope)

    @property
    def state(self) -> TaskState:
        return state_of(self.control)

    @property
    def progress(self) -> list[ExecutionProgress]:
        """What it reported, without what our recorder notes there for us: places on a disk."""
        return [each for each in self.public.progress if each.kind != "recorder"]

    def said(self, name: str, parts: Iterable[Part], **metadata: Any) -> Message:
        """Return something the agent says; `name` tells it from whatever else it says."""
        return Message(
            message_id=f"{self.task_id}-{name}",
            task_id=self.task_id,
            context_id=self.context_id,
            role=Role.ROLE_AGENT,
            parts=list(parts),
            metadata=metadata or None,
        )

    def progress_message(self, event: ExecutionProgress) -> Message:
        """Return something that the execution reported on its way."""
        facts = {"kind": event.kind, "sequence": event.sequence, "at": event.timestamp.isoformat()}
        parts = [text_part(event.message)]
        if event.metadata:
            parts.append(data_part(dict(event.metadata)))
        return self.said(f"progress-{event.sequence}", parts, **facts)

    def status(self, message: Message | None = None) -> TaskStatus:
        """Return where it stands, with what there is to say about it."""
        return TaskStatus(
            state=self.state,
            message=message or self._status_message(),
            timestamp=timestamp(self.control.updated_at_ms),
        )

    def _status_message(self) -> Message | None:
        waiting, error = self.public.waiting, self.public.error
        if self.state == TaskState.TASK_STATE_INPUT_REQUIRED and waiting is not None:
            return self._question(waiting, self.control.version)
        if self.state == TaskState.TASK_STATE_FAILED and error is not None:
            words = f"{error.type}: {error.message}" + (f" ({error.code})" if error.code else "")
            return self.said("failed", [text_part(words)])
        if self.state == TaskState.TASK_STATE_CANCELED and self.control.cancel_reason:
            return self.said("canceled", [text_part(self.control.cancel_reason)])
        if self.state in OVER:
            return None
        if self.control.cancel_requested_at_ms is not None:
            return self.said("cancelling", [text_part(_CANCELLING)])
        if self.progress and self.state == TaskState.TASK_STATE_WORKING:
            return self.progress_message(self.progress[-1])
        return None

    def history(self) -> list[Message]:
        """Return what was said: what began it, what it reported, and what answered it."""
        began = self.envelope.began
        first = [told(began, self.task_id, self.context_id)] if began else []
        reported = [
            (each.timestamp.isoformat(), self.progress_message(each)) for each in self.progress
        ]
        between = sorted([*reported, *self._answers()], key=lambda pair: pair[0])
        return first + [message for _, message in between]

    def _answers(self) -> Iterator[tuple[str, Message]]:
        """Yield what was asked and answered, with when."""
        for each in self.envelope.answers:
            at, waiting, message = str(each.get("at", "")), each.get("waiting"), each.get("message")
            if isinstance(waiting, dict):
                version = each.get("version", 0)
                yield at, self._question(waiting, version if isinstance(version, int) else 0)
            if isinstance(message, dict):
                yield at, told(message, self.task_id, self.context_id)

    def _question(self, waiting: Mapping[str, Any], version: int) -> Message:
        asked = waiting.get("message") or waiting.get("kind") or "It waits for input."
        parts = [text_part(str(asked)), data_part(dict(waiting))]
        return self.said(f"waiting-{version}", parts)

    def result_artifact(self) -> Artifact | None:
        """Return what the agent gave back; None until it did."""
        if self.state != TaskState.TASK_STATE_COMPLETED:
            return None
        result = self.public.result
        text = text_of_result(result)
        parts = [text_part(text)] if text is not None else []
        if not isinstance(result, str):
            parts.append(data_part(result))
        return Artifact(artifact_id=RESULT, name=RESULT, parts=parts)

    def task(self, artifacts: Iterable[Artifact]) -> Task:
        """Return it as a task."""
        made = [*artifacts]
        if (result := self.result_artifact()) is not None:
            made.append(result)
        facts = {
            "deployment": self.control.deployment,
            "revision": self.control.definition_revision,
            "attempt": self.control.run_attempt,
            "created_at": datetime.fromtimestamp(
                self.control.created_at_ms / 1000, UTC
            ).isoformat(),
        }
        return Task(
            id=self.task_id,
            context_id=self.context_id,
            status=self.status(),
            artifacts=made,
            history=self.history(),
            metadata=facts,
        )


def view_of(stored: StoredExecution) -> View:
    """Return an execution as it is now.

    Raises:
        ValueError: What is stored of it cannot be read.

    """
    public = project_execution(stored, max_payload_bytes=sys.maxsize)
    return View(stored, public, envelope_of(stored))


def answers_with(view: View, message: Message) -> list[dict[str, Any]]:
    """Return the answers of an execution with one more, and what it answers."""
    added = {
        "messageId": message.message_id,
        "at": datetime.now(UTC).isoformat(),
        "message": kept(message),
    }
    if view.public.waiting is not None:
        added["waiting"] = view.public.waiting
        added["version"] = view.control.version
    return [dict(each) for each in view.envelope.answers[-MOST_ANSWERS + 1 :]] + [added]


def chunk_parts(payload: Any) -> list[Part]:
    """Return what one piece of a stream says; nothing for what is meant for machines only.

    A chunk of Haystack is its text, and the tool calls in it as data.
    """
    if isinstance(payload, str):
        return [text_part(payload)] if payload else []
    if not isinstance(payload, dict):
        return [data_part(payload)]
    if str(payload.get("type", "")).startswith("recorder."):
        return []
    content = payload.get("content")
    if not isinstance(content, str):
        return [data_part(payload)]
    parts = [text_part(content)] if content else []
    calls = {key: payload[key] for key in ("tool_calls", "tool_call_result") if payload.get(key)}
    return [*parts, data_part(calls)] if calls else parts


def text_of_result(result: Any) -> str | None:
    """Return the text that a result stands for, if it is one or holds one under a usual name."""
    if isinstance(result, str):
        return result
    if not isinstance(result, dict):
        return None
    return next((result[key] for key in _TEXTS if isinstance(result.get(key), str)), None)


def timestamp(milliseconds: int) -> Timestamp:
    """Return a time of a store as protobuf has it."""
    made = Timestamp()
    made.FromMilliseconds(milliseconds)
    return made
