"""Programs that are killed in the middle of their work, and what is left for the next."""

import asyncio
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

pytest.importorskip("hayhooks", reason="a store of executions is nothing without hayhooks")

import orjson
from hayhooks.durable.engine import PayloadKind
from hayhooks.durable.store import CHUNK_CURSOR_START, ControlQuery, StoreConfig, StoredExecution

from inspector.hayhooks.store import SQLiteExecutionStore
from tests.hayhooks.store.program import STUCK

JOBS = 20
_PATIENCE_S = 60


@contextmanager
def program(path: Path, log: Path, jobs: int) -> Iterator[subprocess.Popen[bytes]]:
    command = [sys.executable, "-m", "tests.hayhooks.store.program", str(path), str(log), str(jobs)]
    process = subprocess.Popen(command, cwd=Path(__file__).parents[3])
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def lines(log: Path) -> list[list[str]]:
    return [line.split() for line in log.read_text().splitlines()] if log.exists() else []


def wait_for(log: Path, *wanted: str) -> list[list[str]]:
    until = time.monotonic() + _PATIENCE_S
    while time.monotonic() < until:
        if all(line.split() in lines(log) for line in wanted):
            return lines(log)
        time.sleep(0.01)
    raise AssertionError(f"never logged: {wanted}; but {lines(log)}")


async def all_over(path: Path) -> list[StoredExecution]:
    """Wait until everything is over, and return it."""
    config = StoreConfig(monitoring_enabled=True)
    store = SQLiteExecutionStore(path, "work", config=config)
    await store.initialize()
    try:
        until = time.monotonic() + _PATIENCE_S
        while (await store.operational_counts(revision="r1"))["nonterminal"]:
            assert time.monotonic() < until, "not all of it was done"
            await asyncio.sleep(0.02)
        page = await store.list_controls(ControlQuery(limit=100))
        found = [await store.read(control.run_id) for control in page.controls]
        for control in page.controls:
            ends = await store.read_chunks(control.run_id, CHUNK_CURSOR_START)
            assert [chunk.terminal for chunk in ends] == [True]  # it ended, and once
        return [stored for stored in found if stored is not None]
    finally:
        await store.close()


def assert_each_done_once(found: list[StoredExecution], log: Path, in_flight: int) -> None:
    results = [orjson.loads(stored.payloads[PayloadKind.RESULT]) for stored in found]
    assert sorted(result["n"] for result in results) == list(range(JOBS))
    attempts = {result["n"]: result["attempt"] for result in results}
    assert attempts[STUCK] == 2
    again = [n for n, attempt in attempts.items() if attempt > 1]
    assert len(again) <= in_flight  # what was done before is not begun again
    began = Counter(int(words[1]) for words in lines(log) if words[0] == "began")
    assert {n for n, times in began.items() if times > 1} <= set(again)
    for stored in found:
        assert next(orjson.loads(event.data)["message"] for event in stored.progress).startswith(
            "job"
        )


async def test_work_of_a_killed_worker_is_done_by_another_once(tmp_path: Path) -> None:
    path, log = tmp_path / "executions.db", tmp_path / "log"
    with program(path, log, JOBS) as first:
        await asyncio.to_thread(wait_for, log, f"stuck {STUCK}", f"created {JOBS}")
        with program(path, log, 0):  # it submits nothing: what it gets was left by the other
            await asyncio.to_thread(wait_for, log, "created 0")
            first.send_signal(signal.SIGKILL)
            first.wait()
            found = await all_over(path)
    assert_each_done_once(found, log, in_flight=3)


async def test_a_program_that_was_killed_goes_on_where_it_was_and_creates_nothing_twice(
    tmp_path: Path,
) -> None:
    path, log = tmp_path / "executions.db", tmp_path / "log"
    with program(path, log, JOBS) as first:
        await asyncio.to_thread(wait_for, log, f"stuck {STUCK}", f"created {JOBS}")
        first.send_signal(signal.SIGKILL)
        first.wait()
    with program(path, log, JOBS):
        await asyncio.to_thread(wait_for, log, "created 0")
        found = await all_over(path)
    assert_each_done_once(found, log, in_flight=3)


async def test_a_program_that_is_killed_while_it_submits_has_submitted_what_it_was_told(
    tmp_path: Path,
) -> None:
    path, log = tmp_path / "executions.db", tmp_path / "log"
    with program(path, log, 100_000) as first:
        await asyncio.to_thread(wait_for, log, f"stuck {STUCK}")
        first.send_signal(signal.SIGKILL)
        first.wait()
    told = {int(words[1]) for words in lines(log) if words[0] == "told"}
    store = SQLiteExecutionStore(path, "work", config=StoreConfig(monitoring_enabled=True))
    await store.initialize()
    kept = set()
    cursor = None
    while True:
        page = await store.list_controls(ControlQuery(limit=100, cursor=cursor))
        for control in page.controls:
            stored = await store.read(control.run_id)
            assert stored is not None
            kept.add(orjson.loads(stored.payloads[PayloadKind.INPUT])["n"])
        if (cursor := page.next_cursor) is None:
            break
    await store.close()
    assert len(told) > STUCK
    assert told <= kept
    assert len(kept - told) <= 1  # the one that was on its way
