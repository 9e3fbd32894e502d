"""The file of our store: whose it is, what happens to it, and what is said of that."""

import asyncio
import inspect
import sqlite3
import stat
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path

import pytest

pytest.importorskip("hayhooks", reason="a store of executions is nothing without hayhooks")

from hayhooks.durable.store import (
    CHUNK_CURSOR_START,
    ControlQuery,
    ExecutionStore,
    ExecutionStoreCorruptionError,
    ExecutionStoreError,
    StoreConfig,
)

from inspector.errors import InspectorError
from inspector.hayhooks.store import (
    ExecutionDatabase,
    SQLiteExecutionStore,
    StoreDamagedError,
    StoreUnavailableError,
)
from inspector.hayhooks.store import file as store_file
from inspector.hayhooks.store.faults import in_words
from inspector.hayhooks.store.lanes import Turn
from tests.hayhooks.store.conftest import Open
from tests.hayhooks.store.worlds import World, control_of, soon

LONG = 60_000


def database_of(world: World) -> ExecutionDatabase:
    assert isinstance(world.store, SQLiteExecutionStore)
    return world.store._database


async def test_nobody_else_may_read_the_file_or_what_stands_beside_it(sqlite_world: Open) -> None:
    async with sqlite_world() as it:
        await it.submit()
        path = database_of(it).path
        files = sorted(path.parent.glob("executions.db*"))
        assert [file.name for file in files] == [
            "executions.db", "executions.db-shm", "executions.db-wal",
        ]  # fmt: skip
        assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}


async def test_a_file_that_others_may_read_is_closed_to_them(tmp_path: Path) -> None:
    path = tmp_path / "open.db"
    path.touch()
    path.chmod(0o644)
    store = SQLiteExecutionStore(path, "work")
    await store.initialize()
    await store.close()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


async def test_what_was_kept_is_there_after_the_program_ended(tmp_path: Path) -> None:
    for expected in (True, False):
        store = SQLiteExecutionStore(tmp_path / "new" / "executions.db", "work")
        await store.initialize()
        assert (await store.submit(control_of("one"), b"{}")).created is expected
        await store.close()
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["executions.db"]


async def test_deployments_in_one_file_know_nothing_of_each_other(tmp_path: Path) -> None:
    database = ExecutionDatabase(tmp_path / "executions.db")
    stores = [SQLiteExecutionStore(database, name) for name in ("work", "other")]
    for store in stores:
        await store.initialize()
        assert (await store.submit(control_of("one", deployment=store.deployment), b"{}")).created
    assert (await stores[0].operational_counts(revision="r1"))["nonterminal"] == 1
    await database.close()


async def test_another_programs_database_is_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "theirs.db"
    with closing(sqlite3.connect(path)) as theirs:
        theirs.execute("CREATE TABLE letters (text)")
    before = path.read_bytes()
    store = SQLiteExecutionStore(path, "work")
    with pytest.raises(StoreDamagedError, match=r"theirs\.db is the database of another program"):
        await store.initialize()
    await store.close()
    assert path.read_bytes() == before


async def test_a_file_of_a_later_version_is_refused_in_words(tmp_path: Path) -> None:
    path = tmp_path / "executions.db"
    store_file.prepare(path, [*store_file.STEPS, "CREATE TABLE later (x);"])
    store = SQLiteExecutionStore(path, "work")
    with pytest.raises(StoreUnavailableError, match="made by a later version") as refused:
        await store.initialize()
    assert "Update" in refused.value.hint
    await store.close()


def test_an_older_file_is_brought_up_to_date_step_by_step(tmp_path: Path) -> None:
    path = tmp_path / "executions.db"
    steps = ["CREATE TABLE a (x);\nINSERT INTO a VALUES (1);", "ALTER TABLE a ADD COLUMN y;"]
    store_file.prepare(path, steps[:1])
    store_file.prepare(path, steps)
    store_file.prepare(path, steps)
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT x, y FROM a").fetchall() == [(1, None)]
        assert connection.execute("PRAGMA user_version").fetchone() == (2,)


def test_a_step_that_fails_leaves_the_file_at_its_version(tmp_path: Path) -> None:
    path = tmp_path / "executions.db"
    first = "CREATE TABLE a (x);"
    store_file.prepare(path, [first])
    with pytest.raises(InspectorError):
        store_file.prepare(path, [first, "CREATE TABLE b (x);\nCREATE TABLE a (x);"])
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT name FROM sqlite_master").fetchall() == [("a",)]
        assert connection.execute("PRAGMA user_version").fetchone() == (1,)


@pytest.mark.parametrize(
    "content", [b"no database at all" * 100, b"SQLite format 3\x00" + b"\xff" * 4000]
)
async def test_a_damaged_file_is_said_to_be_one(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "executions.db"
    path.write_bytes(content)
    store = SQLiteExecutionStore(path, "work")
    with pytest.raises(StoreDamagedError, match=r"executions\.db is (damaged|no SQLite)") as said:
        await store.initialize()
    assert isinstance(said.value, ExecutionStoreCorruptionError)
    await store.close()
    assert path.read_bytes() == content


async def test_a_folder_that_cannot_be_made_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for path in (tmp_path / "file" / "executions.db", tmp_path):
        store = SQLiteExecutionStore(path, "work")
        with pytest.raises(StoreUnavailableError, match=path.name) as said:
            await store.initialize()
        assert said.value.hint
        await store.close()


def test_a_file_that_may_not_be_written_is_said(tmp_path: Path) -> None:
    path = tmp_path / "executions.db"
    store_file.prepare(path)
    with (
        closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection,
        pytest.raises(sqlite3.OperationalError) as raised,
    ):
        connection.execute("DELETE FROM clock")
    said = in_words(raised.value, path)
    assert isinstance(said, ExecutionStoreError)
    assert str(said) == "executions.db cannot be written: it, or its folder, is read-only."


async def test_a_full_disk_is_said_and_what_was_acknowledged_is_kept(sqlite_world: Open) -> None:
    async with sqlite_world() as it:
        database = database_of(it)
        await it.submit("one")
        await database.write(
            lambda turn: turn.connection.execute("PRAGMA max_page_count = 1").fetchall()
        )
        with pytest.raises(StoreUnavailableError, match="the disk is full"):
            await it.store.submit(control_of("two"), b"x" * 100_000)
        assert await it.store.read("two") is None
        await database.write(
            lambda turn: turn.connection.execute("PRAGMA max_page_count = 99999").fetchall()
        )
        assert (await it.submit("two")).created
        assert not (await it.submit("one")).created


async def test_a_file_that_another_program_holds_is_waited_for_and_then_said(
    sqlite_world: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_file, "_BUSY_S", 0.05)
    async with sqlite_world() as it:
        await it.submit("one")
        with closing(sqlite3.connect(database_of(it).path)) as holder:
            holder.execute("BEGIN IMMEDIATE")
            with pytest.raises(StoreUnavailableError, match="locked by another program"):
                await it.submit("two")
            many = [it.submit(f"more-{number}") for number in range(30)]
            refused = await asyncio.gather(*many, return_exceptions=True)
            assert {str(each) for each in refused} == {
                "executions.db is locked by another program."
            }
            assert await it.store.read("one") is not None  # reading goes on
        assert (await it.submit("two")).created


async def test_a_file_that_was_taken_away_is_noticed(sqlite_world: Open) -> None:
    async with sqlite_world() as it:
        await it.submit()
        database_of(it).path.unlink()
        with pytest.raises(StoreUnavailableError, match="was removed"):
            await it.maintain()


async def test_one_piece_of_work_that_cannot_be_done_spoils_none_that_came_with_it(
    sqlite_world: Open,
) -> None:
    async with sqlite_world() as it:
        database = database_of(it)
        await it.submit("known")

        def half(turn: object) -> None:
            turn.connection.execute("DELETE FROM execution")  # type: ignore[attr-defined]
            raise LookupError("in the middle")

        def wrong(turn: object) -> None:
            turn.connection.execute("DELETE FROM execution")  # type: ignore[attr-defined]
            turn.connection.execute("SELECT nothing FROM nowhere")  # type: ignore[attr-defined]

        outcomes = await asyncio.gather(
            it.submit("one"), database.write(half), it.submit("two"), database.write(wrong),
            it.submit("known", work="other"), it.submit("three"), return_exceptions=True,
        )  # fmt: skip
        assert [type(outcome).__name__ for outcome in outcomes] == [
            "SubmissionResult", "LookupError", "SubmissionResult", "StoreUnavailableError",
            "ExecutionIdempotencyConflictError", "SubmissionResult",
        ]  # fmt: skip
        for name in ("known", "one", "two", "three"):
            assert await it.store.read(name) is not None


async def test_an_execution_that_cannot_be_read_stands_in_nobodys_way(sqlite_world: Open) -> None:
    async with sqlite_world() as it:
        await it.submit("bad")
        await it.pass_ms(1)
        await it.submit("good")
        await database_of(it).write(
            lambda turn: turn.connection.execute(
                "UPDATE execution SET control = '{\"version\": \"many\"}' WHERE run_id = 'bad'"
            ).fetchall()
        )
        with pytest.raises(StoreDamagedError, match="execution bad cannot be read"):
            await it.store.read("bad")
        page = await it.store.list_controls(ControlQuery())
        assert ([c.run_id for c in page.controls], page.skipped_controls) == (["good"], 1)
        held = await it.claimed(lease_ms=LONG)
        assert held.run_id == "good"
        assert await it.claim() is None


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("DELETE FROM payload WHERE kind = 'result'", "missing required payload"),
        ("DELETE FROM progress WHERE sequence = 1", "progress"),
        (
            "UPDATE execution SET control = json_set(control, '$.run_id', 'two')",
            "another execution",
        ),
        ("UPDATE execution SET control = json_set(control, '$.news', 1)", "knows no news"),
        ("UPDATE execution SET control = json_remove(control, '$.run_id')", "run_id"),
        ("UPDATE execution SET control = json_set(control, '$.status', 'odd')", "odd"),
        ("UPDATE execution SET control = '[]'", "no object"),
        ("UPDATE execution SET control = 'not JSON'", "no JSON"),
    ],
)
async def test_what_contradicts_itself_is_refused(
    sqlite_world: Open, statement: str, said: str
) -> None:
    async with sqlite_world() as it:
        await it.submit()
        held = await it.claimed(lease_ms=LONG)
        await it.checkpoint(held, b"{}", b"1")
        await it.complete(held)
        await database_of(it).write(lambda turn: turn.connection.execute(statement).fetchall())
        with pytest.raises(ExecutionStoreCorruptionError, match=said):
            await it.store.read("one")


async def test_what_is_forgotten_leaves_the_file_and_gives_its_room_back(
    sqlite_world: Open,
) -> None:
    async with sqlite_world(terminal_ttl_seconds=1, stream_ttl_seconds=1) as it:
        for number in range(3):
            await it.submit(f"big-{number}")
            held = await it.claimed(lease_ms=LONG)
            await it.append(held, b"chunk")
            await it.complete(held, b'"' + b"x" * 300_000 + b'"')
        await it.pass_ms(1_001)

        def left(turn: object) -> list[int]:
            ask = turn.connection.execute  # type: ignore[attr-defined]
            tables = ("execution", "payload", "progress", "chunk")
            return [ask(f"SELECT count(*) FROM {table}").fetchone()[0] for table in tables] + [
                ask("PRAGMA page_count").fetchone()[0]
            ]

        before = await database_of(it).read(left)
        assert await it.maintain() == 0
        after = await database_of(it).read(left)
        assert after[:4] == [0, 0, 0, 0]
        assert after[4] < before[4] / 3


async def test_a_cancelled_question_is_not_asked_and_a_closed_store_says_so(tmp_path: Path) -> None:
    database = ExecutionDatabase(tmp_path / "executions.db")
    store = SQLiteExecutionStore(database, "work")
    await store.initialize()
    started, release = asyncio.Event(), threading.Event()
    loop = asyncio.get_running_loop()

    def hold(turn: object) -> None:
        loop.call_soon_threadsafe(started.set)
        release.wait(30)

    holding = asyncio.create_task(database.write(hold))
    await started.wait()
    asking = asyncio.create_task(store.submit(control_of("one"), b"{}"))
    await asyncio.sleep(0)  # it has asked now
    asking.cancel()
    await asyncio.wait({asking})
    release.set()
    await soon(holding)
    assert await store.read("one") is None
    await database.close()
    with pytest.raises(StoreUnavailableError, match="was closed"):
        await store.read("one")


async def test_a_process_that_was_forked_is_told_to_open_its_own(sqlite_world: Open) -> None:
    async with sqlite_world() as it:
        await it.submit()
        database = database_of(it)
        # As in a child: its threads are not there, and it has another number.
        database._reader._process = -1
        with pytest.raises(StoreUnavailableError, match="forked"):
            await it.store.read("one")


_OTHER_PROCESS = """
import asyncio, sys
from pathlib import Path
from inspector.hayhooks.store import SQLiteExecutionStore
from tests.hayhooks.store.worlds import World, control_of
async def main():
    store = SQLiteExecutionStore(Path(sys.argv[1]), "work")
    await store.initialize()
    it = World(store, None)
    held = await it.claimed("there", lease_ms=60_000)
    await it.append(held, b"from there")
    await it.submit("back")
    await store.close()
asyncio.run(main())
"""


async def test_what_another_process_does_is_seen_here_soon(tmp_path: Path) -> None:
    path = tmp_path / "executions.db"
    store = SQLiteExecutionStore(path, "work", config=StoreConfig(lease_commit_safety_ms=5))
    await store.initialize()
    it = World(store, lambda ms: None)
    await it.submit()
    waiting = asyncio.create_task(store.wait_chunks("one", CHUNK_CURSOR_START, 60))
    await asyncio.to_thread(
        subprocess.run, [sys.executable, "-c", _OTHER_PROCESS, str(path)], check=True
    )
    (chunk,) = await soon(waiting)
    assert chunk.data == b"from there"
    assert (await it.claimed()).run_id == "back"
    await store.close()


async def test_many_open_a_new_file_at_once(tmp_path: Path) -> None:
    databases = [ExecutionDatabase(tmp_path / "executions.db") for _ in range(8)]
    stores = [SQLiteExecutionStore(database, "work") for database in databases]
    await asyncio.gather(*(store.initialize() for store in stores))
    submitted = await asyncio.gather(*(store.submit(control_of("one"), b"{}") for store in stores))
    assert sum(result.created for result in submitted) == 1
    await asyncio.gather(*(database.close() for database in databases))


def test_our_store_has_all_that_the_installed_hayhooks_asks_of_one() -> None:
    asked = {
        name: inspect.signature(method)
        for name, method in vars(ExecutionStore).items()
        if inspect.iscoroutinefunction(method)
    }
    assert {"list_controls", "claim", "wait_chunks"} <= set(asked)
    for name, signature in asked.items():
        ours = inspect.signature(getattr(SQLiteExecutionStore, name))
        assert [(p.name, p.kind, p.default) for p in ours.parameters.values()] == [
            (p.name, p.kind, p.default) for p in signature.parameters.values()
        ]


async def test_no_question_looks_at_more_executions_than_it_is_about(sqlite_world: Open) -> None:
    asked: set[str] = set()
    async with sqlite_world(terminal_ttl_seconds=1, max_progress_events=1) as it:
        database = database_of(it)
        for lane in (database.write, database.read):
            await lane(lambda turn: turn.connection.set_trace_callback(asked.add))
        await it.submit("one")
        held = await it.claimed()
        await it.append(held, b"1")
        await it.store.wait_chunks("one", CHUNK_CURSOR_START, 0.01)
        (chunk,) = await it.store.read_chunks("one", CHUNK_CURSOR_START)
        assert await it.store.wait_chunks("one", chunk.cursor, 0.2) == ()
        await it.checkpoint(held, b"{}", b"1", b"2")
        await it.complete(held)
        await it.submit("two")
        await it.claimed()
        await it.pass_ms(1_001)
        await it.maintain()
        await it.store.list_controls(ControlQuery(owner_id="ann"))
        await it.store.operational_counts(revision="r1")

        def plans(turn: Turn) -> list[tuple[str, str]]:
            return [
                (statement, step[3])
                for statement in asked
                if statement.lstrip().startswith(("SELECT", "UPDATE", "DELETE"))
                for step in turn.connection.execute(f"EXPLAIN QUERY PLAN {statement}")
            ]

        found = await database.read(plans)
        # Looking through all, or all of a deployment, or sorting them.
        slow = [
            (statement, step)
            for statement, step in found
            if (step.startswith("SCAN") and not step.startswith(("SCAN clock", "SCAN CONSTANT")))
            or (
                step.endswith("(deployment=?)")
                and " unfinished " not in step
                and " leased " not in step
            )
            or ("TEMP B-TREE" in step and "FROM chunk" not in statement)
        ]
        assert len(found) > 20
        assert slow == []
