"""How many durable executions a second our store takes in and does, beside Hayhooks' stores."""

from __future__ import annotations

import asyncio
import importlib.util
import statistics
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from tests.benchmarks.report import Row, row, skipped
from tests.helpers.redis_server import RedisServer

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from hayhooks.durable import DurableContext, ExecutionStore
    from pydantic import BaseModel

SLOTS = 4


class Speed(NamedTuple):
    """Executions a second: submitted one after the other; done, with `SLOTS` workers."""

    submitted: float
    done: float


def measure(quick: bool) -> list[Row]:
    if importlib.util.find_spec("hayhooks") is None:
        return [skipped("executions", "hayhooks is not installed")]
    from loguru import logger

    logger.disable("hayhooks")
    count, rounds = (200, 3) if quick else (400, 5)
    with ExitStack() as stack:
        kinds = {"memory": "", "sqlite": ""}
        if RedisServer.is_installed():
            kinds["redis"] = stack.enter_context(RedisServer()).url
        found: dict[str, list[Speed]] = {kind: [] for kind in kinds}
        for number in range(rounds):
            for kind, url in kinds.items():  # in turns: others may have the machine meanwhile
                found[kind].append(asyncio.run(_speed(kind, url, count, number)))
    rows = [_plain(kind, speeds) for kind, speeds in found.items()]
    for other in (kind for kind in kinds if kind != "sqlite"):
        goal = 1.0 if other == "redis" else 12.0
        for what in Speed._fields:
            ratio = statistics.median(
                getattr(theirs, what) / getattr(ours, what)
                for theirs, ours in zip(found[other], found["sqlite"], strict=True)
            )
            rows.append(row(f"  time in our file, {what}", "", ratio, goal, of=other))
    return rows


def _plain(kind: str, speeds: list[Speed]) -> Row:
    submitted, done = (statistics.median(times) for times in zip(*speeds, strict=True))
    return Row(f"executions, {kind}", f"{submitted:.0f} submitted/s, {done:.0f} done/s")


async def _speed(kind: str, url: str, count: int, number: int) -> Speed:
    from contextlib import asynccontextmanager

    from hayhooks.durable import (
        DurableDeployment,
        DurableRuntime,
        MemoryExecutionStore,
        RuntimeConfig,
        StoreConfig,
    )
    from pydantic import create_model

    config = StoreConfig(max_nonterminal_executions=0, monitoring_enabled=True)
    job: type[BaseModel] = create_model("Job", n=(int, ...))

    @asynccontextmanager
    async def opened() -> AsyncIterator[ExecutionStore]:
        if kind == "memory":
            yield MemoryExecutionStore("work", config=config)
        elif kind == "sqlite":
            from inspector.hayhooks.store import SQLiteExecutionStore

            with tempfile.TemporaryDirectory(prefix="executions-") as folder:
                store = SQLiteExecutionStore(Path(folder) / "x.db", "work", config=config)
                yield store
                await store.close()
        else:
            from hayhooks.durable.redis import RedisExecutionStore
            from redis.asyncio import Redis

            client = Redis.from_url(url)
            yield RedisExecutionStore(client, "work", config=config, key_prefix=f"b{number}")
            await client.aclose()

    all_done = asyncio.Event()
    left = count

    async def run(context: DurableContext, request: Any) -> dict[str, int]:
        nonlocal left
        left -= 1
        if not left:
            all_done.set()
        return {"n": request.n}

    async with opened() as store:
        pace = RuntimeConfig(worker_concurrency=SLOTS, poll_interval_seconds=0.2)
        deployment = DurableDeployment("work", "1", store, job, run, config=pace)
        # Submitted while nobody works, and done while nobody submits.
        await store.initialize()
        began = time.perf_counter()
        for n in range(count):
            await _submit(deployment, n)
        submitted = time.perf_counter()
        runtime = DurableRuntime([deployment])
        await runtime.start()
        await all_done.wait()
        done = time.perf_counter()
        await runtime.close()
        await runtime.wait_drained()
        return Speed(count / (submitted - began), count / (done - submitted))


async def _submit(deployment: Any, n: int) -> None:
    # What `deployment.submit` does, which would have its workers begin at once.
    from hayhooks.durable.engine import initial_control
    from hayhooks.durable.models import encode_json

    control = initial_control(
        run_id=f"run-{n}", idempotency_digest=f"key-{n}", idempotency_binding_digest="work",
        deployment="work", definition_revision="1", owner_id=None, kind="pipeline", now_ms=0,
    )  # fmt: skip
    await deployment.store.submit(control, encode_json({"n": n}, max_bytes=1_000))
