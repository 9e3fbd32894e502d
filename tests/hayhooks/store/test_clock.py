"""The time of our store, which several processes share, whatever the clock on the wall does."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest

pytest.importorskip("hayhooks", reason="a store of executions is nothing without hayhooks")

from inspector.hayhooks.store import ExecutionDatabase, SQLiteExecutionStore
from inspector.hayhooks.store import file as store_file
from inspector.hayhooks.store.clock import SharedClock, boot_id
from tests.hayhooks.store.worlds import World

HOUR = 3_600_000
WALL = 1_800_000_000_000


@dataclass
class Machine:
    """What a machine's clocks say."""

    wall: int = WALL
    elapsed: int = 50_000
    slept: int = 0
    boot: str = "first"

    def passes(self, ms: int) -> None:
        self.wall += ms
        self.elapsed += ms

    def sleeps(self, ms: int) -> None:
        self.passes(ms)
        self.slept += ms

    def starts_anew(self, wall: int) -> None:
        self.wall, self.elapsed, self.slept, self.boot = wall, 5_000, 0, "second"

    def clock(self) -> SharedClock:
        return SharedClock(
            wall=lambda: self.wall, elapsed=lambda: self.elapsed,
            awake=lambda: self.elapsed - self.slept, boot=self.boot,
        )  # fmt: skip


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    store_file.prepare(tmp_path / "executions.db")
    with closing(store_file.connect(tmp_path / "executions.db")) as opened:
        yield opened


def test_processes_agree_on_the_time_although_the_wall_was_set(
    connection: sqlite3.Connection,
) -> None:
    machine = Machine()
    assert machine.clock().now(connection, may_write=True) == WALL
    machine.passes(100)
    for jump in (+HOUR, -3 * HOUR):
        machine.wall += jump
        for clock in (machine.clock(), machine.clock()):
            assert clock.now(connection, may_write=True) == WALL + 100
            assert clock.now(connection, may_write=False) == WALL + 100


@pytest.mark.parametrize(("wall", "expected"), [(WALL + HOUR, WALL + HOUR), (5_000, WALL + 30_000)])
def test_time_does_not_run_backwards_when_the_machine_starts_anew(
    connection: sqlite3.Connection, wall: int, expected: int
) -> None:
    machine = Machine()
    machine.clock().now(connection, may_write=True)
    machine.passes(30_000)
    machine.clock().now(connection, may_write=True)
    machine.starts_anew(wall)
    assert machine.clock().now(connection, may_write=False) == expected
    assert machine.clock().now(connection, may_write=True) == expected
    machine.passes(7)
    assert machine.clock().now(connection, may_write=False) == expected + 7


async def test_a_lease_is_kept_while_the_wall_is_set_and_while_the_machine_sleeps(
    tmp_path: Path,
) -> None:
    machine = Machine()
    database = ExecutionDatabase(tmp_path / "executions.db", clock=machine.clock())
    store = SQLiteExecutionStore(database, "work")
    await store.initialize()
    it = World(store, machine.passes)
    await it.submit()
    held = await it.claimed(lease_ms=30_000)
    machine.wall += 24 * HOUR
    assert await it.maintain() == 0
    machine.sleeps(8 * HOUR)
    assert await it.maintain() == 0
    after = await store.read_control("one")
    assert after is not None
    assert after.lease_expires_at_ms == held.lease_expires_at_ms + 8 * HOUR
    assert (await it.heartbeat(held, 30_000)).next_control.updated_at_ms == held.updated_at_ms
    machine.passes(30_001)
    assert await it.maintain() == 1
    await database.close()


def test_the_time_of_this_machine_goes_on(connection: sqlite3.Connection) -> None:
    assert boot_id() == boot_id() != ""
    first = SharedClock().now(connection, may_write=True)
    second = SharedClock().now(connection, may_write=False)
    assert WALL / 2 < first <= second < first + HOUR
