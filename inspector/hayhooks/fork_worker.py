"""The process of a fork: `python -m inspector.hayhooks.fork_worker EVENTS COMMANDS`.

It loads the target, whose code runs, puts the checkpoint into a store that lives only here, and
has Hayhooks' runtime go on with it.
"""

from __future__ import annotations

import asyncio
import json
import os
import platform
import sys
import threading
import time
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from inspector.errors import InspectorError
from inspector.hayhooks.recorder.layout import folder_name, segments_in
from inspector.replay.protocol import LONGEST_LINE, VERSION, Job, decode
from inspector.replay.telling import Mouth
from inspector.replay.worker import could_not, need_haystack, opened_pipe, told

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hayhooks.durable import DurableDeployment

_LEASE_MS = 3_600_000  # nobody else is there to take it over
_GRACE_S = 5.0
_TICK_S = 0.05
_LONGEST_WRITE_S = 60.0
_JOURNAL = ".run.jsonl"
_OURS = "run-inspector-fork"
_OVER = frozenset({"completed", "failed", "canceled", "waiting"})


def main(argv: Sequence[str]) -> int:
    """Go on from the checkpoint that the host names."""
    events, commands = opened_pipe(argv[0], "wb"), opened_pipe(argv[1], "rb")
    mouth = Mouth(events)
    mouth.say("hello", version=VERSION, pid=os.getpid(), python=platform.python_version())
    try:
        need_haystack()
        job = Job.from_dict(decode(commands.readline(LONGEST_LINE)))
        threading.Thread(target=_leave_with_host, args=(commands,), daemon=True).start()
        ended = asyncio.run(_forked(job, mouth))
    except InspectorError as error:
        ended = could_not(error)
    except BaseException as error:  # noqa: BLE001 - code of the target, which may raise anything
        ended = {"outcome": "failed", "error": told(error)}
    mouth.say("finished", left_out=mouth.left_out, **ended)
    mouth.close()
    return 0


def _leave_with_host(commands: IO[bytes]) -> None:
    while commands.readline(LONGEST_LINE):
        pass
    timer = threading.Timer(_GRACE_S, os._exit, (3,))
    timer.daemon = True
    timer.start()


async def _forked(job: Job, mouth: Mouth) -> dict[str, Any]:
    from hayhooks.durable import DurableRuntime

    from inspector.hayhooks.fork_target import with_answer

    said = json.loads(Path(job.run).read_text())
    deployment = _deployment(job.target, said, Path(job.output))
    if said["answered"]:
        said["checkpoint"] = with_answer(deployment, said["checkpoint"])
    execution = await _placed(deployment, said)
    mouth.say("started", target=job.target, kind=said["kind"], run=execution)
    runtime = DurableRuntime([deployment])
    await runtime.start()
    try:
        return await _watched(deployment, execution, mouth)
    finally:
        await runtime.close()
        await _written(Path(job.output), execution)


async def _written(segments: Path, execution: str) -> None:
    """Wait until the recording is written: it ends on a thread of its own."""
    folder = segments / folder_name(execution)
    until = time.monotonic() + _LONGEST_WRITE_S
    while time.monotonic() < until:
        found = segments_in(folder) if folder.is_dir() else []
        if not any(_JOURNAL in each.path.name for each in found):
            return
        await asyncio.sleep(_TICK_S)


def _deployment(target: str, said: dict[str, Any], segments: Path) -> DurableDeployment:
    """Return what goes on with the execution: the target's own runner, recorded."""
    from hayhooks.durable import RuntimeConfig

    from inspector.hayhooks.fork_target import deployment_for
    from inspector.hayhooks.recorder.wrapping import recorded

    config = RuntimeConfig(
        worker_concurrency=1, poll_interval_seconds=_TICK_S, lease_duration_ms=_LEASE_MS
    )
    return deployment_for(target, said, config, recorded(folder=segments))


async def _placed(deployment: DurableDeployment, said: dict[str, Any]) -> str:
    """Put a copy of the execution into the store, as if its worker had let go of it."""
    from hayhooks.durable.engine import Checkpoint, Claim, ReleaseClaim, initial_control

    store = deployment.store
    await store.initialize()
    # The id of the original: what its code wrote under it is what it looks for.
    control = initial_control(
        run_id=said["execution"], idempotency_digest="0" * 64,
        idempotency_binding_digest="0" * 64, deployment=deployment.name,
        definition_revision=deployment.revision, owner_id=None, kind=deployment.kind.value,
        now_ms=0,
    )  # fmt: skip
    submitted = await store.submit(control, json.dumps(said["input"]).encode())
    claimed = await store.claim(Claim(_OURS, 0, _LEASE_MS, 2, deployment.revision, b"{}"))
    if claimed is None:
        raise InspectorError("The checkpoint cannot be put where it would be gone on from.")
    fence = claimed.next_control.fence
    run_id: str = submitted.control.run_id
    checkpoint = json.dumps(said["checkpoint"]).encode()
    await store.transition(run_id, Checkpoint(fence, _OURS, 0, _LEASE_MS, checkpoint))
    await store.transition(run_id, ReleaseClaim(fence, _OURS))
    return run_id


async def _watched(deployment: DurableDeployment, execution: str, mouth: Mouth) -> dict[str, Any]:
    from hayhooks.durable.models import project_execution

    reported = 0
    while True:
        stored = await deployment.store.read_public(execution)
        if stored is None:
            raise InspectorError("The execution is gone.")
        known = project_execution(stored, max_payload_bytes=sys.maxsize)
        for event in known.progress[reported:]:
            mouth.say("reported", message=event.message, kind=event.kind)
        reported = len(known.progress)
        if known.status.value in _OVER:
            break
        await asyncio.sleep(_TICK_S)
    error = known.error
    return {
        "outcome": "same" if known.status.value == "completed" else "failed",
        "status": known.status.value, "result": known.result, "waiting": known.waiting,
        "error": None if error is None else error.model_dump(mode="json"),
    }  # fmt: skip


if __name__ == "__main__":
    code = main(sys.argv[1:])
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    # Threads that the target has left behind shall not keep the process.
    os._exit(code)
