"""Whatever is done in whatever order, our store says and holds what Hayhooks' reference does."""

from pathlib import Path
from random import Random
from typing import Any

import pytest

pytest.importorskip("hayhooks", reason="a store of executions is nothing without hayhooks")

from collections import Counter

from hayhooks.durable.engine import (
    Checkpoint,
    Complete,
    ExecutionControl,
    Fail,
    Heartbeat,
    ReleaseClaim,
    RequestCancellation,
    Resume,
    ScheduleRetry,
    Suspend,
)
from hayhooks.durable.store import CHUNK_CURSOR_START, ControlQuery

from tests.hayhooks.store.worlds import World, control_of, open_world

STEPS = 150
LIMITS = {
    "max_nonterminal_executions": 3, "max_payload_bytes": 30, "max_progress_events": 2,
    "max_progress_event_bytes": 10, "max_stream_chunks": 3, "max_stream_chunk_bytes": 10,
    "terminal_ttl_seconds": 4, "stream_ttl_seconds": 1,
}  # fmt: skip


class Walk:
    """Chooses what to do next, knowing what there is, so that most of it can be done."""

    def __init__(self, seed: int) -> None:
        self.rng = Random(seed)
        self.names = [f"run-{number}" for number in range(4)]
        self.known: dict[str, ExecutionControl] = {}

    def step(self) -> tuple[Any, ...]:
        rng = self.rng
        kind = rng.choices(
            ("submit", "claim", "do", "append", "maintain", "pass"), (3, 4, 9, 2, 2, 2)
        )[0]
        if kind == "submit":
            name = rng.choice(self.names)
            key = name if rng.random() < 0.8 else "k"
            return kind, control_of(name, key=key, work=rng.choice("uuuv")), self.data()
        if kind == "claim":
            return kind, {
                "worker": rng.choice(("w1", "w2")),
                "lease_ms": rng.choice((5, 60, 9_000, 9_000, 9_000)),
                "revision": rng.choice(("r1", "r1", "r1", "r2")), "attempts": rng.choice((1, 3)),
            }  # fmt: skip
        if kind == "maintain":
            return kind, rng.choice((1, 3))
        if kind == "pass":
            return kind, rng.choice((1, 30, 500, 3_000))
        name = rng.choice(list(self.known) or self.names) if rng.random() < 0.9 else "nobody"
        control = self.known.get(name)
        fence, worker, attempt = 1, "w1", 1
        if control is not None and rng.random() < 0.9:
            fence, attempt = control.fence, control.run_attempt
            worker = control.lease_owner or "w1"
        if kind == "append":
            return kind, name, attempt, fence, worker, self.events()
        return kind, name, self.command(fence, worker, control)

    def command(self, fence: int, worker: str, control: ExecutionControl | None) -> Any:
        rng, data, events = self.rng, self.data(), self.events()
        sequence = control.progress_sequence if control else 0
        first = rng.choice((None, sequence + 1, max(1, sequence), sequence + 2))
        return rng.choice(
            (
                Heartbeat(fence, worker, 0, rng.choice((5, 60, 9_000))),
                Checkpoint(fence, worker, 0, 9_000, data, events, first_progress_sequence=first),
                Checkpoint(fence, worker, 0, 9_000, b"{}", events),
                Suspend(fence, worker, 0, data, data, events),
                Suspend(fence, worker, 0, b"{}", b'{"kind":"approval"}', ()),
                Resume(0, rng.choice(("r1", "r1", "r2")), data),
                Resume(0, "r1", None, control.version if control else 1),
                ScheduleRetry(fence, worker, 0, rng.choice((0, 60)), 1, data, events),
                Complete(fence, worker, 0, data, events),
                Fail(fence, worker, 0, data, discard_progress=rng.random() < 0.3),
                RequestCancellation(0, rng.choice((None, "enough"))),
                ReleaseClaim(fence, worker),
            )
        )

    def data(self) -> bytes:
        return self.rng.choice((b"{}", b'"x"', b'"y"', b"", b"x" * 31))

    def events(self) -> tuple[bytes, ...]:
        return self.rng.choice(((), (b"1",), (b"1", b"2", b"3"), (b"x" * 11,)))


async def take(world: World, step: tuple[Any, ...]) -> object:
    """Do one step; return what came of it, an error by its name and words."""
    kind, *rest = step
    try:
        match kind:
            case "submit":
                return await world.store.submit(*rest)
            case "claim":
                return await world.claim(**rest[0])
            case "do":
                return await world.store.transition(*rest)
            case "append":
                return await world.store.append_chunks(*rest)
            case "maintain":
                return await world.maintain(*rest)
        return await world.pass_ms(*rest)
    except Exception as error:
        return type(error).__name__, str(error)


async def held(world: World, names: list[str]) -> object:
    """Return all that the store can be asked."""
    streams = {}
    for name in names:
        chunks = await world.store.read_chunks(name, CHUNK_CURSOR_START)
        streams[name] = [(chunk.attempt, chunk.data, chunk.terminal) for chunk in chunks]
    return (
        {name: await world.store.read(name) for name in names},
        {name: await world.store.read_public(name) for name in names},
        await world.store.operational_counts(revision="r1"),
        await world.store.list_controls(ControlQuery(limit=2)),
        streams,
    )


@pytest.mark.parametrize("seed", range(8))
async def test_any_sequence_of_steps_ends_in_the_same(tmp_path: Path, seed: int) -> None:
    walk = Walk(seed)
    done: Counter[str] = Counter()
    async with (
        open_world("memory", tmp_path, None, **LIMITS) as theirs,
        open_world("sqlite", tmp_path, None, **LIMITS) as ours,
    ):
        for number in range(STEPS):
            step = walk.step()
            outcome = await take(theirs, step)
            assert await take(ours, step) == outcome, (number, step)
            for name in walk.names:
                control = await theirs.store.read_control(name)
                assert await ours.store.read_control(name) == control, (number, step)
                walk.known.pop(name, None)
                if control is not None:
                    walk.known[name] = control
                    done[control.status.value] += 1
            if number % 10 == 0:
                assert await held(ours, walk.names) == await held(theirs, walk.names), number
        assert await held(ours, walk.names) == await held(theirs, walk.names)
    # It went far enough to say something.
    assert {"queued", "running", "canceled"} <= set(done)
    assert len(done) >= 4
