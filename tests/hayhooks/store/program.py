"""A program that submits and runs durable executions on our store, until it is ended or killed.

    python -m tests.hayhooks.store.program FILE LOG JOBS

Each job notes in LOG that it began and that it is done. Job 7 never ends in its first attempt.
"""

import asyncio
import os
import sys
import threading
from pathlib import Path

from hayhooks.durable import (
    DurableContext,
    DurableDeployment,
    DurableRuntime,
    RuntimeConfig,
    StoreConfig,
)
from loguru import logger
from pydantic import BaseModel

from inspector.hayhooks.store import SQLiteExecutionStore

STUCK = 7


class Job(BaseModel):
    n: int


class Done(BaseModel):
    n: int
    attempt: int


def note(log: Path, *words: object) -> None:
    descriptor = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    os.write(descriptor, (" ".join(map(str, words)) + "\n").encode())
    os.close(descriptor)


async def main(path: Path, log: Path, jobs: int) -> None:
    def run(context: DurableContext, job: BaseModel) -> Done:
        assert isinstance(job, Job)
        note(log, "began", job.n, context.attempt)
        context.state["n"] = job.n
        context.report_progress_sync(f"job {job.n}")
        context.checkpoint_sync()
        if job.n == STUCK and context.attempt == 1:
            note(log, "stuck", job.n)
            threading.Event().wait()
        note(log, "done", job.n)
        return Done(n=job.n, attempt=context.attempt)

    store = SQLiteExecutionStore(
        path, "work", config=StoreConfig(lease_commit_safety_ms=200, max_nonterminal_executions=0)
    )
    deployment = DurableDeployment(
        "work", "r1", store, Job, run, result_model=Done,
        config=RuntimeConfig(
            worker_concurrency=3, poll_interval_seconds=0.05, maintenance_interval_seconds=0.1,
            lease_duration_ms=1_000,
        ),
    )  # fmt: skip
    runtime = DurableRuntime([deployment])
    await runtime.start()
    created = 0
    for n in range(jobs):
        created += (await deployment.submit({"n": n}, idempotency_key=f"job {n}")).created
        note(log, "told", n)
    note(log, "created", created)
    await asyncio.Event().wait()


if __name__ == "__main__":
    logger.remove()
    asyncio.run(main(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])))
