"""What the store of a server holds of an execution and the server tells nobody.

Only reads: neither leases nor times of an execution change. Needs `hayhooks`, and for Redis its
client. What is found is a stranger's data: nothing of it is made into objects here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from inspector.errors import InspectorError
from inspector.hayhooks.client.model import HayhooksError
from inspector.hayhooks.client.reading import parsed
from inspector.hayhooks.recorder.layout import SALT_KEY, STATE_KEY

if TYPE_CHECKING:
    from collections.abc import Mapping

    from inspector.hayhooks.client.model import Execution

_WHAT_IT_NEEDS = "Install it: pip install 'haystack-run-inspector[hayhooks]'."
_PATIENCE_S = 20.0
# Limits hold for what is written. Nobody knows here how large the server lets payloads be.
_LARGEST = 256 * 2**20
_MOST_CHUNKS = 100_000


@dataclass(frozen=True, slots=True)
class Stored:
    """An execution as its store has it.

    Args:
        input: What was submitted, JSON.
        checkpoint: Hayhooks' `CheckpointEnvelope`: `adapter_kind`, `adapter_checkpoint` (a
            `PipelineSnapshot`, or the `state` of an agent), `application_state`, `resume_input`;
            None where there is none yet.
        execution: The rest, as a server says it, with kind and revision.
        lease_recoveries: How often a worker was lost with it.
        retries: How often it asked for another attempt itself.
        chunks: What is kept of its stream, as events; of abandoned attempts, too, which the server
            tells nobody.

    """

    input: Any
    checkpoint: Mapping[str, Any] | None
    execution: Execution
    lease_recoveries: int = 0
    retries: int = 0
    chunks: tuple[Mapping[str, Any], ...] = ()

    @property
    def said(self) -> dict[str, Any]:
        """What a document of an execution says of it."""
        said: dict[str, Any] = {
            "input": self.input, "lease_recoveries": self.lease_recoveries, "retries": self.retries,
        }  # fmt: skip
        if self.checkpoint is not None:
            said["checkpoint"] = _without_salt(self.checkpoint)
        return said


def _without_salt(checkpoint: Mapping[str, Any]) -> dict[str, Any]:
    """Leave out what our recorder's placeholders were made with: a run is for showing around."""
    state = checkpoint.get("application_state")
    if not isinstance(state, dict) or not isinstance(own := state.get(STATE_KEY), dict):
        return dict(checkpoint)
    rest = {key: value for key, value in own.items() if key != SALT_KEY}
    return {**checkpoint, "application_state": {**state, STATE_KEY: rest}}


def read_stored(place: str, deployment: str, execution: str) -> Stored:
    """Return what a store holds of an execution.

    Args:
        place: `redis://HOST:PORT/0` as the server was given it, or `sqlite:PATH`.
        deployment: Of which.
        execution: Its whole id.

    Raises:
        HayhooksError: There is no such execution, or the store does not answer.
        InspectorError: `hayhooks` is not installed, or the place is none.

    """
    try:
        from hayhooks.durable.store import StoreConfig

        from inspector.hayhooks.a2a.stores import PREFIX_VARIABLE, Stores
        from inspector.hayhooks.embedded_answers import execution_of, told_as_ours
        from inspector.hayhooks.embedded_loop import LoopThread
    except ImportError as error:
        raise InspectorError(
            "The store of executions cannot be read without Hayhooks.", hint=_WHAT_IT_NEEDS
        ) from error
    stores = Stores(place)
    if stores.file is not None and not stores.file.is_file():
        # Opening it would make it.
        raise InspectorError(f"There is no store of executions at {stores.file}.")
    loop = LoopThread("inspector-store")

    async def read() -> Any:
        config = StoreConfig(max_payload_bytes=_LARGEST)
        if (known := await stores.read(deployment, execution, config)) is None:
            return None, ()
        return known[0], await _chunks(known[1], execution)

    try:
        with told_as_ours(f"execution {execution[:40]} in {stores.shown}"):
            found, chunks = loop.ask(read(), _PATIENCE_S)
    finally:
        try:
            loop.ask(stores.close(), _PATIENCE_S)
        finally:
            loop.close()
    if found is None:
        raise HayhooksError(
            f"There is no execution {execution[:40]} of {deployment} in {stores.shown}.",
            kind="not_found",
            hint="Is it the store of this server? Executions are kept for a week once they ended. "
            f"Where keys of its Redis begin otherwise, set {PREFIX_VARIABLE} as it has it.",
        )
    payloads = {str(kind.value): data for kind, data in found.payloads.items()}
    checkpoint = parsed(payloads["checkpoint"]) if "checkpoint" in payloads else None
    return Stored(
        input=parsed(payloads["input"]) if "input" in payloads else None,
        checkpoint=checkpoint if isinstance(checkpoint, dict) else None,
        execution=execution_of(found),
        lease_recoveries=found.control.lease_recoveries,
        retries=found.control.application_retry_count,
        chunks=chunks,
    )


async def _chunks(store: Any, execution: str) -> tuple[Mapping[str, Any], ...]:
    from hayhooks.durable.store import CHUNK_CURSOR_START, ChunkCursorExpiredError

    found: list[Mapping[str, Any]] = []
    cursor = CHUNK_CURSOR_START
    while len(found) < _MOST_CHUNKS:
        try:
            page = await store.read_chunks(execution, cursor)
        except ChunkCursorExpiredError:
            break  # it was trimmed meanwhile
        if not page:
            break
        cursor = page[-1].cursor
        found += [_event(each) for each in page if not (each.terminal or each.skipped)]
    return tuple(found)


def _event(chunk: Any) -> dict[str, Any]:
    # Where its cursor begins with a time, as in a Redis, that is when it came there.
    at_ms = chunk.cursor.partition("-")[0]
    try:
        payload = parsed(chunk.data)
    except HayhooksError:
        payload = None
    return {
        "id": chunk.cursor, "kind": "chunk", "attempt": chunk.attempt, "payload": payload,
        "at_ns": int(at_ms) * 10**6 if at_ms.isdecimal() else 0, "kept": True,
    }  # fmt: skip
