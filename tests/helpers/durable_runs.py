"""Durable executions in this process, on Hayhooks' own store in memory."""

import asyncio
import shutil
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from hayhooks.durable import (
    DurableDeployment,
    DurableRuntime,
    MemoryExecutionStore,
    RuntimeConfig,
    StoreConfig,
)
from hayhooks.durable.engine import PayloadKind
from hayhooks.durable.haystack import HaystackDurableAdapter
from hayhooks.durable.models import decode_json
from loguru import logger
from pydantic import BaseModel

OVER = ("completed", "failed", "canceled")
_PATIENCE_S = 30.0
_LARGEST = 10**6

logger.disable("hayhooks")


class Job(BaseModel):
    """What the executions of these tests are asked for."""

    text: str = "cats"


class Durable:
    """A deployment whose executions can be started and waited for."""

    def __init__(self, deployment: DurableDeployment) -> None:
        self.deployment = deployment

    async def submit(self, text: str = "cats") -> str:
        submitted = await self.deployment.submit({"text": text})
        return submitted.control.run_id

    async def until(self, execution: str, *statuses: str) -> Any:
        """Return what is stored of an execution once it has one of these statuses."""
        async with asyncio.timeout(_PATIENCE_S):
            while True:
                stored = await self.deployment.get(execution)
                if stored.control.status.value in statuses:
                    return stored
                await asyncio.sleep(0.005)

    async def run(self, text: str = "cats") -> tuple[str, Any]:
        """Return the id of an execution that is over, and what is stored of it."""
        execution = await self.submit(text)
        return execution, await self.until(execution, *OVER)

    async def chunks(self, execution: str) -> list[Any]:
        """Return what an execution has streamed, apart from which attempt it was."""
        stored = await self.deployment.store.wait_chunks(execution, "0-0", 0.1)
        return [decode_json(each.data, max_bytes=_LARGEST) for each in stored if each.data]


def result_of(stored: Any) -> Any:
    return decode_json(stored.payloads[PayloadKind.RESULT], max_bytes=_LARGEST)


def progress_of(stored: Any) -> list[dict[str, Any]]:
    return [decode_json(each.data, max_bytes=_LARGEST) for each in stored.progress]


@asynccontextmanager
async def durable(
    runner: Callable[..., Any],
    target: Any = None,
    *,
    concurrency: int = 1,
    chunks: int = 1_000,
    grace_s: float = 5.0,
) -> AsyncIterator[Durable]:
    """Run the executions of one runner for as long as the block lasts."""
    adapter = None if target is None else HaystackDurableAdapter(target)
    more = {} if adapter is None else {"kind": adapter.kind}
    deployment = DurableDeployment(
        "job", "r1", MemoryExecutionStore("job", config=StoreConfig(max_stream_chunks=chunks)), Job,
        runner, adapter=adapter,
        config=RuntimeConfig(worker_concurrency=concurrency, retry_base_delay_seconds=0.01,
                             shutdown_grace_seconds=grace_s),
        **more,
    )  # fmt: skip
    runtime = DurableRuntime([deployment])
    await runtime.start()
    try:
        yield Durable(deployment)
    finally:
        await runtime.close()
        await runtime.wait_drained()


def as_a_kill_leaves_it(folder: Path, copy: Path) -> None:
    """Copy what is on the disk now: all that would be left, were this process killed."""
    shutil.copytree(folder, copy, dirs_exist_ok=True)
