"""Durable executions run by this program itself, without a server.

    with EmbeddedExecutions([Work(name="replay", revision="1", request=Job, run=replay)]) as ours:
        submitted = ours.submit("replay", {"run_file": "a.run.json"}, key="a")
        for event in ours.stream("replay", submitted.execution.row.id):
            ...

They are kept in a SQLite file; with `redis_url`, several machines share the work. What it says is
what `client.HayhooksClient` says of a server. Needs `hayhooks`, and nothing of its server: that
would read `.env` files and take the logging of this program away.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING, Any, Self

from hayhooks.durable.engine import ExecutionNotFoundError
from hayhooks.durable.models import ExecutionKind
from hayhooks.durable.runtime import DurableDeployment, DurableRuntime, RuntimeConfig
from hayhooks.durable.store import ControlQuery, StoreConfig, StoredExecution

from inspector.hayhooks.a2a.stores import Stores
from inspector.hayhooks.client.model import Deployment, HayhooksError, Page, Submitted
from inspector.hayhooks.embedded_answers import execution_of, row_of, told_as_ours
from inspector.hayhooks.embedded_loop import LoopClosedError, LoopThread
from inspector.hayhooks.embedded_stream import Watching

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path
    from types import TracebackType

    from pydantic import BaseModel

    from inspector.hayhooks.client.model import Execution, ExecutionStatus, StreamEvent

# Many short chunks are usual, and the head of a stream is what a late viewer misses.
LIMITS = StoreConfig(max_stream_chunks=5_000, monitoring_enabled=True)
PACE = RuntimeConfig(
    worker_concurrency=4,
    # Asking a store whether there is work costs 0.1 ms; so soon is taken what another process adds.
    poll_interval_seconds=0.25,
    maintenance_interval_seconds=1.0,
    lease_duration_ms=10_000,
    # A thread cannot be ended; when this program closes, another may go on with what it did.
    release_running_on_close=True,
)
_PATIENCE_S = 30.0
_REDIS_PREFIX = "run-inspector"


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """Something that can be done durably.

    Args:
        name: What it is called; its executions are kept under it.
        revision: Of its code. Executions of another revision are left to those who have that.
        request: A Pydantic model of the input, which has to be JSON.
        run: Called with a `DurableContext` and the request; returns JSON or a Pydantic model. A
            plain function gets a thread of its own. A coroutine function must never block: whoever
            keeps the event loop busy for longer than a lease loses all that runs.
        result: A Pydantic model of what it returns.
        resume: A Pydantic model of what answers when it waits.
        target: The Haystack pipeline or agent that `context.run_pipeline` and `run_agent` run.
        is_agent: For work that has no `target`.

    """

    name: str
    revision: str
    request: type[BaseModel]
    run: Callable[..., Any]
    result: type[BaseModel] | None = None
    resume: type[BaseModel] | None = None
    target: Any = None
    is_agent: bool = False


class EmbeddedExecutions:
    """Runs durable executions on a thread of this program. Every method may be called anywhere.

    Several programs of a machine may have the same file open, and share the work then.

    Args:
        work: What can be run.
        path: The file that executions are kept in; None for that of this program.
        redis_url: Where a Redis is that keeps them instead.
        limits: Of what is kept.
        pace: How many at once, how long a lease is, how often something is looked for.
        is_quiet: Whether Hayhooks keeps to itself what it does. Nobody's log handlers are touched.

    Raises:
        HayhooksError: The store cannot be used. By `start`.

    """

    def __init__(
        self,
        work: Iterable[Work],
        *,
        path: Path | None = None,
        redis_url: str | None = None,
        limits: StoreConfig = LIMITS,
        pace: RuntimeConfig = PACE,
        is_quiet: bool = True,
    ) -> None:
        self._work = {each.name: each for each in work}
        self._place = redis_url or f"sqlite:{'' if path is None else path.absolute()}"
        self._limits = limits
        self._pace = pace
        self._is_quiet = is_quiet
        self._loop: LoopThread | None = None
        self._stores: Stores | None = None
        self._runtime: DurableRuntime | None = None
        self._deployed: dict[str, DurableDeployment] = {}
        self._is_closed = False

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def start(self) -> Self:
        """Open the store and begin to work.

        Raises:
            HayhooksError: The store cannot be used, or this was closed.

        """
        if self._is_closed:
            raise _closed()
        if self._loop is not None:
            return self
        if self._is_quiet:
            _quieten()
        self._loop = LoopThread("embedded-executions")
        try:
            with told_as_ours("start"):
                self._loop.ask(self._start(), _PATIENCE_S)
        except BaseException:
            self.close()
            raise
        return self

    def deployments(self) -> tuple[Deployment, ...]:
        """Return what can be run, with the schemas of what it takes."""
        return tuple(
            Deployment(
                name=work.name,
                kind=_kind(work).value,
                is_durable=True,
                revision=work.revision,
                input_schema=work.request.model_json_schema(),
                resume_schema=work.resume.model_json_schema() if work.resume else None,
                description=(work.run.__doc__ or "").strip().partition("\n")[0],
                is_listed=self._limits.monitoring_enabled,
            )
            for work in self._work.values()
        )

    def submit(
        self, deployment: str, given: Any, *, key: str | None = None, owner: str | None = None
    ) -> Submitted:
        """Start an execution, or find the one that was started with the same key.

        Raises:
            HayhooksError: `invalid` (see its `fields`), `conflict`, `too_large`, `busy`.

        """
        target = self._target(deployment)
        with told_as_ours(f"submission to {deployment}"):
            result = self._ask(target.submit(given, idempotency_key=key, owner_id=owner))
            if result.created:
                stored = StoredExecution(result.control, {}, ())
            else:
                stored = self._ask(self._get(target, result.control.run_id))
        return Submitted(execution_of(stored), not result.created)

    def inspect(self, deployment: str, execution: str) -> Execution:
        """Return one execution.

        Raises:
            HayhooksError: There is none, or it cannot be read.

        """
        target = self._target(deployment)
        with told_as_ours(f"execution {execution[:40]}"):
            return execution_of(self._ask(self._get(target, execution)))

    def page(
        self,
        deployment: str,
        *,
        cursor: str | None = None,
        limit: int = 100,
        status: ExecutionStatus | None = None,
        revision: str | None = None,
        search: str | None = None,
        owner: str | None = None,
    ) -> Page:
        """Return some executions, oldest first. A page may be empty and yet have a next one.

        Raises:
            HayhooksError: `invalid` when the cursor is of another question.

        """
        target = self._target(deployment)
        with told_as_ours("list"):
            query = ControlQuery(
                owner_id=owner, limit=limit, cursor=cursor, revision=revision, search=search or "",
                status=None if status is None else _status(status),
            )  # fmt: skip
            found = self._ask(target.store.list_controls(query))
        rows = tuple(row_of(control) for control in found.controls)
        return Page(rows, found.next_cursor, found.skipped_controls)

    def resume(self, deployment: str, execution: str, given: Any = None) -> Execution:
        """Answer what an execution waits for.

        Raises:
            HayhooksError: `invalid` (see its `fields`), or `conflict` (it does not wait).

        """
        target = self._target(deployment)
        with told_as_ours(f"execution {execution[:40]}"):
            self._ask(target.resume(execution, given, enforce_owner=False))
        return self.inspect(deployment, execution)

    def cancel(self, deployment: str, execution: str, *, reason: str | None = None) -> Execution:
        """Ask that an execution ends. An agent does at its next step, a pipeline after its work.

        Raises:
            HayhooksError: There is none.

        """
        target = self._target(deployment)
        with told_as_ours(f"execution {execution[:40]}"):
            self._ask(target.cancel(execution, enforce_owner=False, reason=reason))
        return self.inspect(deployment, execution)

    def stream(
        self,
        deployment: str,
        execution: str,
        *,
        last_event_id: str | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> Iterator[StreamEvent]:
        """Yield what comes of an execution, from the first chunk that is kept, until it is over.

        Args:
            deployment: What runs.
            execution: Which.
            last_event_id: Go on after this event.
            cancelled: Asked several times a second whether to stop.

        Raises:
            HayhooksError: There is none, or this was closed.

        """
        stop = cancelled or (lambda: False)
        watching = Watching(
            self._target(deployment), execution, last_event_id,
            ask=self._ask, stopped=lambda: self._is_closed or stop(),
        )  # fmt: skip
        return watching.events()

    def wait(self, deployment: str, execution: str, timeout_s: float | None = None) -> Execution:
        """Return an execution once it is over, or waits for somebody, or the time is up."""
        until = None if timeout_s is None else monotonic() + timeout_s
        stop = (lambda: False) if until is None else (lambda: monotonic() >= until)
        for event in self.stream(deployment, execution, cancelled=stop):
            found = event.execution
            if found is not None and (found.row.status.is_over or found.waiting is not None):
                return found
        return self.inspect(deployment, execution)

    def health(self) -> Mapping[str, Any]:
        """Return how the workers are, and how much there is to do, by deployment."""
        if self._runtime is None:
            raise _closed()
        with told_as_ours("health"):
            found: Mapping[str, Any] = self._ask(self._runtime.health())["deployments"]
        return found

    def close(self) -> None:
        """Take nothing more, give what runs a moment to end, and close the store.

        What does not end in time is taken up again when its lease has run out, by whoever has
        the store open then.
        """
        if self._is_closed:
            return
        self._is_closed = True
        loop, self._loop = self._loop, None
        if loop is None:
            return
        patience = 2 * self._pace.shutdown_grace_seconds + 5.0
        try:
            if self._runtime is not None:
                with suppress(TimeoutError):
                    loop.ask(self._stop(self._runtime), patience)
        finally:
            try:
                if self._stores is not None:
                    with suppress(TimeoutError):
                        loop.ask(self._stores.close(), patience)
            finally:
                loop.close()

    async def _start(self) -> None:
        # Made there, since their locks belong to the loop.
        self._stores = Stores(self._place, redis_prefix=_REDIS_PREFIX)
        self._deployed = {name: self._deploy(work) for name, work in self._work.items()}
        self._runtime = DurableRuntime(self._deployed.values())
        await self._runtime.start()

    def _deploy(self, work: Work) -> DurableDeployment:
        assert self._stores is not None
        adapter = None
        if work.target is not None:
            from hayhooks.durable.haystack import HaystackDurableAdapter

            adapter = HaystackDurableAdapter(work.target)
        return DurableDeployment(
            work.name, work.revision, self._stores.of(work.name, self._limits), work.request,
            work.run,
            kind=adapter.kind if adapter else _kind(work), result_model=work.result,
            resume_model=work.resume, adapter=adapter, config=self._pace,
        )  # fmt: skip

    @staticmethod
    async def _stop(runtime: DurableRuntime) -> None:
        await runtime.close()
        await runtime.wait_drained()

    @staticmethod
    async def _get(target: DurableDeployment, execution: str) -> StoredExecution:
        return await target.get(execution, enforce_owner=False, allow_revision_mismatch=True)

    def _ask(self, coroutine: Any) -> Any:
        loop = self._loop
        if loop is None:
            coroutine.close()
            raise _closed()
        try:
            return loop.ask(coroutine, _PATIENCE_S)
        except LoopClosedError as error:
            raise _closed() from error

    def _target(self, deployment: str) -> DurableDeployment:
        if self._loop is None:
            raise _closed()
        with told_as_ours(f"work called {deployment[:40]}"):
            if deployment not in self._deployed:
                raise ExecutionNotFoundError(deployment)
        return self._deployed[deployment]


def _kind(work: Work) -> ExecutionKind:
    is_agent = work.is_agent or type(work.target).__name__ == "Agent"
    return ExecutionKind.AGENT if is_agent else ExecutionKind.PIPELINE


def _status(status: ExecutionStatus) -> Any:
    from hayhooks.durable.engine import ExecutionStatus as Theirs

    return Theirs(status.value)


def _closed() -> HayhooksError:
    return HayhooksError("Durable executions are not running here.", kind="stopped")


def _quieten() -> None:
    # A server in this very program has a log of its own, which somebody reads.
    if "hayhooks.server" not in sys.modules:
        from loguru import logger

        logger.disable("hayhooks")
