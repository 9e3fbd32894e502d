"""What a Hayhooks server says of its durable executions, as values.

Everything textual in here is a stranger's: show it only after it was made harmless. Times
count nanoseconds since 1970; 0 stands for a time that the server did not say.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Literal

from inspector.errors import InspectorError

if TYPE_CHECKING:
    from collections.abc import Mapping

ServerState = Literal["up", "degraded", "down", "refused"]
StreamKind = Literal[
    "attached", "chunk", "attempt", "gap", "reconnecting", "error", "status",
    "completed", "failed", "canceled",
]  # fmt: skip
ErrorKind = Literal[
    "unauthorized", "forbidden", "not_found", "conflict", "invalid", "too_large",
    "busy", "degraded", "down", "odd", "stopped",
]  # fmt: skip


class ExecutionStatus(StrEnum):
    """Where an execution stands."""

    QUEUED = "queued"
    RUNNING = "running"
    WAITING = "waiting"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELED = "canceled"

    @property
    def is_over(self) -> bool:
        """Whether nothing will happen to it any more."""
        return self in {self.COMPLETED, self.FAILED, self.CANCELED}


@dataclass(frozen=True, slots=True)
class Server:
    """A server, or several that share one store. Holds no secret.

    Args:
        name: What the user calls it; unique.
        url: Its address, without a slash at the end.
        replicas: Addresses of further servers on the same store, asked when it is down.
        owner_headers: Names of the headers that say who owns an execution.
        redis_url: Where its store is, without a password; only for those who may read it.

    """

    name: str
    url: str
    replicas: tuple[str, ...] = ()
    owner_headers: tuple[str, ...] = ()
    redis_url: str | None = None

    @property
    def addresses(self) -> tuple[str, ...]:
        """All of its addresses, the main one first, each once."""
        return tuple(dict.fromkeys((self.url, *self.replicas)))


@dataclass(frozen=True, slots=True)
class Deployment:
    """A pipeline or an agent that a server runs.

    Args:
        name: What its addresses are made of.
        kind: pipeline, agent or unknown.
        is_durable: Whether it has executions; otherwise it answers requests only.
        revision: Of the code that serves it now.
        input_schema: JSON Schema of what is submitted, with its `$defs`; None when not said.
        resume_schema: JSON Schema of what resumes it; None when anything may.
        description: In the words of its author.
        is_listed: Whether the server lists its executions.
        owner_headers: Headers that it asks for, such as one that says who owns an execution.

    """

    name: str
    kind: str
    is_durable: bool
    revision: str | None = None
    input_schema: Mapping[str, Any] | None = None
    resume_schema: Mapping[str, Any] | None = None
    description: str = ""
    is_listed: bool = True
    owner_headers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ServerStatus:
    """How one address answered.

    Args:
        url: Which.
        state: up; degraded (it answers, its store does not); down; refused (it lets us in not).
        message: A sentence, empty when all is well.
        deployments: What it runs; empty when it did not say.
        asked_at_ns: When.

    """

    url: str
    state: ServerState
    message: str = ""
    deployments: tuple[Deployment, ...] = ()
    asked_at_ns: int = 0


@dataclass(frozen=True, slots=True)
class ExecutionRow:
    """An execution as a list shows it.

    Args:
        kind: pipeline or agent; empty when only the execution itself was asked.
        revision: Of the code it was submitted to; empty when only the execution was asked.
        attempt: Counts from 1 once it runs; 0 while nobody has begun.
        available_at_ns: When a queued one may run, such as after a delay before a retry.
        waiting_reason: What it waits for; None when it does not, or only the list was asked.

    """

    id: str
    deployment: str
    kind: str
    revision: str
    status: ExecutionStatus
    attempt: int
    created_at_ns: int
    updated_at_ns: int
    cancellation_pending: bool = False
    available_at_ns: int | None = None
    waiting_reason: str | None = None


@dataclass(frozen=True, slots=True)
class Progress:
    """Something an execution reported on its way."""

    sequence: int
    kind: str
    message: str
    at_ns: int
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Waiting:
    """What an execution waits for, and the JSON Schema of what would resume it."""

    kind: str
    message: str
    expected_input_schema: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Failure:
    """Why an execution failed. Hayhooks 2.1 keeps the exception's type, not its words."""

    type: str
    message: str
    retryable: bool = False
    code: str | None = None


@dataclass(frozen=True, slots=True)
class Execution:
    """All that a server tells about one execution.

    Args:
        sequence: Rises with each change.
        result: JSON; None while there is none.

    """

    row: ExecutionRow
    progress: tuple[Progress, ...] = ()
    result: Any = None
    error: Failure | None = None
    waiting: Waiting | None = None
    cancellation_requested_at_ns: int | None = None
    links: Mapping[str, str] = field(default_factory=dict)
    sequence: int = 0


@dataclass(frozen=True, slots=True)
class Page:
    """Some executions of a deployment, oldest first.

    Args:
        cursor: Where the next page begins; None when this was the last for now.
        skipped: How many executions the server could not read.

    """

    rows: tuple[ExecutionRow, ...]
    cursor: str | None = None
    skipped: int = 0


@dataclass(frozen=True, slots=True)
class Submitted:
    """An execution that was submitted; `was_known` when an earlier one has the same key."""

    execution: Execution
    was_known: bool


@dataclass(frozen=True, slots=True)
class StreamEvent:
    """Something that came while an execution was watched.

    Args:
        id: To go on from; None where the server gave none.
        kind: attached (again, after reconnecting), chunk, attempt (another one began: what came
            of earlier ones was abandoned), gap (the server forgot a part), reconnecting,
            error (nothing more comes), status (it changed without saying so in the stream:
            such as waiting), completed, failed, canceled (nothing more comes).
        attempt: That it belongs to.
        payload: JSON of a chunk; words of gap, reconnecting and error.
        at_ns: When it came here.
        execution: With attached, status and the last one.
        url: Of the address it came from.

    """

    id: str | None
    kind: StreamKind
    attempt: int | None = None
    payload: Any = None
    at_ns: int = 0
    execution: Execution | None = None
    url: str = ""

    @property
    def is_last(self) -> bool:
        """Whether the execution is over with it."""
        return self.kind in {"completed", "failed", "canceled"}


class HayhooksError(InspectorError):
    """A server refused, could not be reached, or answered with something odd.

    Args:
        message: One sentence.
        kind: What it comes down to. down: no answer; degraded: it answers, its store does not;
            busy: later; odd: an answer of no sense; stopped: we were told to stop.
        status: Of HTTP; None when nothing came.
        hint: What to try.
        retry_after_s: When the server says when to ask again.
        fields: What of an input it refused, and why: a path such as `items.0.name`, and words.
        was_not_sent: Whether nothing can have been done, as nobody was reached.

    """

    def __init__(
        self,
        message: str,
        *,
        kind: ErrorKind,
        status: int | None = None,
        hint: str = "",
        retry_after_s: float | None = None,
        fields: tuple[tuple[str, str], ...] = (),
        was_not_sent: bool = False,
    ) -> None:
        super().__init__(message, hint=hint)
        self.kind = kind
        self.status = status
        self.retry_after_s = retry_after_s
        self.fields = fields
        self.was_not_sent = was_not_sent
