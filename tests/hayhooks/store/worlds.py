"""The three stores behind one door, so that a test says once what holds for all of them."""

import asyncio
import hashlib
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hayhooks.durable.engine import (
    Checkpoint,
    Claim,
    Complete,
    ExecutionControl,
    Heartbeat,
    TransitionPlan,
    initial_control,
)
from hayhooks.durable.store import (
    ExecutionStore,
    MemoryExecutionStore,
    StoreConfig,
    SubmissionResult,
)

from inspector.hayhooks.store.clock import ToldClock
from inspector.hayhooks.store.database import ExecutionDatabase
from inspector.hayhooks.store.sqlite_store import SQLiteExecutionStore

LEASE_MS = 60
EXHAUSTED = b'{"type":"exhausted"}'
_LONG_AGO = 1_800_000_000_000


class FakeTime:
    """Milliseconds that pass when somebody says so."""

    def __init__(self) -> None:
        self.ms = _LONG_AGO

    def __call__(self) -> int:
        return self.ms


@dataclass
class World:
    """A store, and the commands of a worker that has short leases."""

    store: ExecutionStore
    pass_ms: Callable[[int], Any]

    async def submit(self, name: str = "one", **changes: Any) -> SubmissionResult:
        return await self.store.submit(
            control_of(name, **changes), b'{"name":"%s"}' % name.encode()
        )

    async def claim(
        self,
        worker: str = "w1",
        *,
        revision: str = "r1",
        lease_ms: int = LEASE_MS,
        attempts: int = 3,
    ) -> TransitionPlan | None:
        return await self.store.claim(Claim(worker, 0, lease_ms, attempts, revision, EXHAUSTED))

    async def claimed(self, worker: str = "w1", **options: Any) -> ExecutionControl:
        plan = await self.claim(worker, **options)
        assert plan is not None
        return plan.next_control

    async def maintain(self, attempts: int = 3) -> int:
        return await self.store.maintain(max_run_attempts=attempts, attempts_error=EXHAUSTED)

    async def complete(self, held: ExecutionControl, result: bytes = b'"done"') -> TransitionPlan:
        return await self.store.transition(
            held.run_id, Complete(held.fence, str(held.lease_owner), 0, result)
        )

    async def checkpoint(
        self, held: ExecutionControl, data: bytes = b'{"at":1}', *events: bytes, **more: Any
    ) -> TransitionPlan:
        return await self.store.transition(
            held.run_id,
            Checkpoint(held.fence, str(held.lease_owner), 0, 60_000, data, tuple(events), **more),
        )

    async def heartbeat(self, held: ExecutionControl, lease_ms: int = LEASE_MS) -> TransitionPlan:
        return await self.store.transition(
            held.run_id, Heartbeat(held.fence, str(held.lease_owner), 0, lease_ms)
        )

    async def append(self, held: ExecutionControl, *chunks: bytes) -> None:
        await self.store.append_chunks(
            held.run_id, held.run_attempt, held.fence, str(held.lease_owner), chunks
        )

    async def finished(self, name: str = "one", **changes: Any) -> ExecutionControl:
        await self.submit(name, **changes)
        held = await self.claimed(lease_ms=60_000)
        return (await self.complete(held)).next_control


def control_of(
    name: str, *, key: str | None = None, work: str | None = None, owner: str | None = None,
    revision: str = "r1", deployment: str = "work",
) -> ExecutionControl:  # fmt: skip
    digest = hashlib.sha256((key or name).encode()).hexdigest()
    return initial_control(
        run_id=name, idempotency_digest=digest, idempotency_binding_digest=work or name,
        deployment=deployment, definition_revision=revision, owner_id=owner, kind="pipeline",
        now_ms=0,
    )  # fmt: skip


@asynccontextmanager
async def open_world(
    kind: str, folder: Path, redis_url: str | None, **limits: Any
) -> AsyncIterator[World]:
    config = StoreConfig(**{"lease_commit_safety_ms": 5, "monitoring_enabled": True, **limits})
    time = FakeTime()

    async def pass_fake(ms: int) -> None:
        time.ms += ms

    if kind == "memory":
        yield World(MemoryExecutionStore("work", config=config, clock=time), pass_fake)
    elif kind == "sqlite":
        database = ExecutionDatabase(folder / "executions.db", clock=ToldClock(time))
        store = SQLiteExecutionStore(database, "work", config=config)
        await store.initialize()
        try:
            yield World(store, pass_fake)
        finally:
            await database.close()
    else:
        assert redis_url is not None
        async with redis_world(redis_url, config, folder.name) as world:
            yield world


@asynccontextmanager
async def redis_world(url: str, config: StoreConfig, prefix: str) -> AsyncIterator[World]:
    from hayhooks.durable.redis import RedisExecutionStore
    from redis.asyncio import Redis

    client = Redis.from_url(url)

    async def now_ms() -> int:
        seconds, micros = await client.time()
        return int(seconds) * 1_000 + int(micros) // 1_000

    async def pass_real(ms: int) -> None:
        until = await now_ms() + ms
        while (left := until - await now_ms()) > 0:
            await client.blpop(["nobody-writes-here"], timeout=max(left, 10) / 1_000)

    try:
        store = RedisExecutionStore(client, "work", config=config, key_prefix=prefix)
        await store.initialize()
        yield World(store, pass_real)
    finally:
        await client.aclose()


async def soon(awaitable: Any) -> Any:
    """Await, with a bound that only a hang can reach."""
    return await asyncio.wait_for(awaitable, 30)
