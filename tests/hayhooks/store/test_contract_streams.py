"""What a store of Hayhooks has to hold, of all three stores: streams and lists."""

import asyncio

import pytest

pytest.importorskip("hayhooks", reason="a store of executions is nothing without hayhooks")

from hayhooks.durable.engine import ExecutionLeaseLostError, ExecutionPayloadSizeError
from hayhooks.durable.store import (
    CHUNK_CURSOR_START,
    ChunkCursorExpiredError,
    ControlQuery,
    ExecutionStoreError,
)

from tests.hayhooks.store.conftest import Open
from tests.hayhooks.store.worlds import World, soon

LONG = 60_000


async def everything(world: World, run_id: str = "one") -> list[bytes]:
    found: list[bytes] = []
    cursor = CHUNK_CURSOR_START
    while chunks := await world.store.read_chunks(run_id, cursor):
        found += [chunk.data for chunk in chunks]
        cursor = chunks[-1].cursor
    return found


async def test_a_stream_is_read_on_from_where_one_was(world: Open) -> None:
    async with world() as it:
        await it.submit()
        held = await it.claimed(lease_ms=LONG)
        await it.append(held, b"1", b"2")
        first = await it.store.read_chunks("one", CHUNK_CURSOR_START)
        assert [(chunk.data, chunk.attempt, chunk.terminal) for chunk in first] == [
            (b"1", 1, False), (b"2", 1, False),
        ]  # fmt: skip
        await it.append(held, b"3")
        (third,) = await it.store.read_chunks("one", first[-1].cursor)
        assert third.data == b"3"
        assert await it.store.read_chunks("one", third.cursor) == ()
        assert [chunk.data for chunk in await it.store.read_chunks("one", first[0].cursor)] == [
            b"2", b"3",
        ]  # fmt: skip


async def test_the_end_of_an_execution_is_the_end_of_its_stream(world: Open) -> None:
    async with world() as it:
        await it.finished()
        (end,) = await it.store.read_chunks("one", CHUNK_CURSOR_START)
        assert (end.terminal, end.attempt, end.data) == (True, 1, b"")


async def test_only_the_last_chunks_are_kept_and_a_lost_place_is_said(world: Open) -> None:
    async with world(max_stream_chunks=3) as it:
        await it.submit()
        held = await it.claimed(lease_ms=LONG)
        await it.append(held, b"1")
        (first,) = await it.store.read_chunks("one", CHUNK_CURSOR_START)
        await it.append(held, b"2", b"3", b"4")
        assert await everything(it) == [b"2", b"3", b"4"]
        with pytest.raises(ChunkCursorExpiredError):
            await it.store.read_chunks("one", first.cursor)
        await it.complete(held)
        assert await everything(it) == [b"3", b"4", b""]


async def test_where_no_chunks_are_kept_the_end_still_is(world: Open) -> None:
    async with world(max_stream_chunks=0) as it:
        await it.submit()
        held = await it.claimed(lease_ms=LONG)
        await it.append(held, b"1")
        assert await it.store.read_chunks("one", CHUNK_CURSOR_START) == ()
        await it.complete(held)
        (end,) = await it.store.read_chunks("one", CHUNK_CURSOR_START)
        assert end.terminal


async def test_chunks_of_another_attempt_and_chunks_too_large_are_refused(world: Open) -> None:
    async with world(max_stream_chunk_bytes=4) as it:
        await it.submit()
        held = await it.claimed(lease_ms=LONG)
        with pytest.raises(ExecutionPayloadSizeError):
            await it.append(held, b"1", b"12345")
        with pytest.raises(ExecutionLeaseLostError):
            await it.store.append_chunks("one", 2, held.fence, "w1", (b"1",))
        with pytest.raises(ExecutionLeaseLostError):
            await it.store.append_chunks("nobody", 1, 1, "w1", (b"1",))
        assert await it.store.read_chunks("one", CHUNK_CURSOR_START) == ()


@pytest.mark.parametrize("cursor", ["", "1", "a-b", "0-0-0", f"0-{2**64}", "-1-0"])
async def test_what_is_no_cursor_is_refused(world: Open, cursor: str) -> None:
    async with world() as it:
        await it.submit()
        with pytest.raises(ValueError, match="cursor"):
            await it.store.read_chunks("one", cursor)


async def test_a_cursor_of_nobody_has_expired(world: Open) -> None:
    async with world() as it:
        await it.finished()
        for run_id in ("one", "nobody"):
            with pytest.raises(ChunkCursorExpiredError):
                await it.store.read_chunks(run_id, f"0-{2**64 - 1}")


async def test_who_waits_for_a_stream_is_woken_by_what_comes(world: Open) -> None:
    async with world() as it:
        await it.submit("one")
        await it.submit("two")
        held = {h.run_id: h for h in [await it.claimed(lease_ms=LONG) for _ in range(2)]}
        waiting = [
            asyncio.create_task(it.store.wait_chunks(name, CHUNK_CURSOR_START, 60))
            for name in ("one", "two")
        ]
        await it.append(held["one"], b"1")
        (chunk,) = await soon(waiting[0])
        assert chunk.data == b"1"
        assert not waiting[1].done()
        await it.complete(held["two"])
        (end,) = await soon(waiting[1])
        assert end.terminal
        assert await it.store.wait_chunks("one", CHUNK_CURSOR_START, 60) == (chunk,)


async def test_who_waits_in_vain_gets_nothing_after_its_time(world: Open) -> None:
    async with world() as it:
        await it.submit()
        assert await soon(it.store.wait_chunks("one", CHUNK_CURSOR_START, 0.01)) == ()
        assert await soon(it.store.wait_chunks("nobody", CHUNK_CURSOR_START, 0.01)) == ()


async def test_a_stream_is_forgotten_before_its_execution(world: Open) -> None:
    async with world(stream_ttl_seconds=1) as it:
        await it.finished()
        await it.pass_ms(1_050)
        assert await it.store.read_chunks("one", CHUNK_CURSOR_START) == ()
        await it.maintain()
        assert await it.store.read("one") is not None


async def test_executions_are_listed_oldest_first_in_pages_without_gap_or_overlap(
    world: Open,
) -> None:
    async with world() as it:
        names = [f"run-{number}" for number in range(7)]
        for name in names:
            await it.submit(name)
            await it.pass_ms(1)
        listed: list[str] = []
        cursor = None
        while True:
            page = await it.store.list_controls(ControlQuery(limit=3, cursor=cursor))
            listed += [control.run_id for control in page.controls]
            cursor = page.next_cursor
            assert page.has_more == (cursor is not None)
            if cursor is None:
                break
        assert listed == names


async def test_a_list_shows_an_owner_its_own_and_what_it_asked_for(world: Open) -> None:
    async with world() as it:
        await it.finished("run-ONE", owner="ann")
        await it.submit("run-two", owner="ann", revision="r2")
        await it.submit("run-three", owner="bob")
        await it.submit("nobodys")

        async def listed(**filters: object) -> list[str]:
            page = await it.store.list_controls(ControlQuery(**filters))
            return sorted(control.run_id for control in page.controls)

        assert await listed(owner_id="ann") == ["run-ONE", "run-two"]
        assert await listed() == ["nobodys"]
        assert await listed(owner_id="") == []
        assert await listed(owner_id="ann", status="completed") == ["run-ONE"]
        assert await listed(owner_id="ann", revision="r2") == ["run-two"]
        assert await listed(owner_id="ann", search="one") == ["run-ONE"]


async def test_a_page_looks_at_two_hundred_and_says_that_there_is_more(world: Open) -> None:
    async with world(max_nonterminal_executions=0) as it:
        for number in range(201):
            await it.submit(f"run-{number:03}")
        await it.pass_ms(2)
        await it.submit("wanted")
        page = await it.store.list_controls(ControlQuery(search="wanted"))
        assert (page.controls, page.has_more) == ((), True)
        rest = await it.store.list_controls(ControlQuery(search="wanted", cursor=page.next_cursor))
        assert [control.run_id for control in rest.controls] == ["wanted"]
        with pytest.raises(ValueError, match="cursor"):
            ControlQuery(search="other", cursor=page.next_cursor)


async def test_nothing_is_listed_unless_it_is_allowed(world: Open) -> None:
    async with world(monitoring_enabled=False) as it:
        await it.submit()
        with pytest.raises(ExecutionStoreError):
            await it.store.list_controls(ControlQuery())
