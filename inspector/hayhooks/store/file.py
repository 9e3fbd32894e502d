"""The file that executions are kept in: made, opened, and brought up to date."""

from __future__ import annotations

import os
import sqlite3
import stat
from contextlib import closing, suppress
from typing import TYPE_CHECKING

from inspector.hayhooks.store.faults import StoreDamagedError, StoreUnavailableError, in_words

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

APPLICATION_ID = 0x52494558
_BUSY_S = 2.0
_HEADER_PAGES_TRIES = 50
_KEPT_WAL_BYTES = 16 * 1024 * 1024

_TABLES = """
CREATE TABLE clock (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    boot TEXT NOT NULL, wall_ms INTEGER NOT NULL, elapsed_ms INTEGER NOT NULL,
    slept_ms INTEGER NOT NULL, seen_ms INTEGER NOT NULL);

-- `control` says everything, as JSON; the columns beside it are what is searched for.
-- due_ms: it may be claimed then. lease_ms: somebody has it until then.
-- expires_ms: it is over, and forgotten then; its stream at chunks_expire_ms.
CREATE TABLE execution (
    id INTEGER PRIMARY KEY,
    deployment TEXT NOT NULL, run_id TEXT NOT NULL, owner TEXT, revision TEXT NOT NULL,
    created_ms INTEGER NOT NULL, idempotency TEXT NOT NULL, binding TEXT NOT NULL,
    control TEXT NOT NULL,
    due_ms INTEGER, lease_ms INTEGER, expires_ms INTEGER, chunks_expire_ms INTEGER,
    UNIQUE (deployment, run_id), UNIQUE (deployment, idempotency));
CREATE INDEX runnable ON execution (deployment, revision, due_ms, run_id)
    WHERE due_ms IS NOT NULL;
CREATE INDEX leased ON execution (deployment, lease_ms) WHERE lease_ms IS NOT NULL;
CREATE INDEX unfinished ON execution (deployment, revision) WHERE expires_ms IS NULL;
CREATE INDEX listed ON execution (deployment, owner, created_ms, run_id);
CREATE INDEX expiring ON execution (expires_ms) WHERE expires_ms IS NOT NULL;
CREATE INDEX fading ON execution (chunks_expire_ms) WHERE chunks_expire_ms IS NOT NULL;

CREATE TABLE payload (
    execution INTEGER NOT NULL, kind TEXT NOT NULL, data BLOB NOT NULL,
    PRIMARY KEY (execution, kind));
CREATE TABLE progress (
    execution INTEGER NOT NULL, sequence INTEGER NOT NULL, data BLOB NOT NULL,
    PRIMARY KEY (execution, sequence)) WITHOUT ROWID;

-- A number is never given twice: viewers go on from the last one that they saw.
CREATE TABLE chunk (
    number INTEGER PRIMARY KEY AUTOINCREMENT, execution INTEGER NOT NULL,
    attempt INTEGER NOT NULL, terminal INTEGER NOT NULL, data BLOB NOT NULL);
CREATE INDEX stream ON chunk (execution, number);
"""

# Each step brings a file from the version of its place to the next. Never change a step that was
# released: add one.
STEPS: tuple[str, ...] = (_TABLES,)


def default_path() -> Path:
    """Return where executions are kept unless somebody says otherwise."""
    from platformdirs import user_state_path

    return user_state_path("run-inspector", appauthor=False) / "executions.db"


def prepare(path: Path, steps: Sequence[str] = STEPS) -> None:
    """Make the file where there is none, for its owner alone, and bring it up to date.

    Raises:
        StoreUnavailableError: It cannot be made, opened or changed, or a later version made it.
        StoreDamagedError: It is damaged, or another program's.

    """
    _make(path)
    try:
        # Asked before anything is set: setting it would change another program's file.
        with closing(sqlite3.connect(path, timeout=_BUSY_S, isolation_level=None)) as connection:
            _version_at_once(connection, path, steps)
        with closing(connect(path)) as connection:
            _upgrade(connection, path, steps)
    except sqlite3.Error as error:
        raise in_words(error, path) from error


def connect(path: Path) -> sqlite3.Connection:
    """Open a connection for one thread. Transactions are begun and ended by hand.

    Raises:
        sqlite3.Error: It cannot be opened.

    """
    connection = sqlite3.connect(
        path, timeout=_BUSY_S, isolation_level=None, check_same_thread=False,
        cached_statements=256,
    )  # fmt: skip
    try:
        # Rules of another file must not run: this one may be a stranger's.
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("PRAGMA auto_vacuum = INCREMENTAL")  # counts while it is empty only
        _write_ahead(connection)
        # What is acknowledged survives the end of every process; `Syncing` sees to the power.
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute(f"PRAGMA journal_size_limit = {_KEPT_WAL_BYTES}")
    except BaseException:
        connection.close()
        raise
    return connection


def _write_ahead(connection: sqlite3.Connection) -> None:
    # While another process makes the same file, SQLite answers "busy" at once here.
    for tries_left in reversed(range(_HEADER_PAGES_TRIES)):
        try:
            mode = connection.execute("PRAGMA journal_mode = WAL").fetchone()[0]
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or not tries_left:
                raise
            with suppress(sqlite3.OperationalError):
                connection.execute("BEGIN IMMEDIATE")  # waits for the one who has it
                connection.execute("ROLLBACK")
        else:
            if mode != "wal":
                raise sqlite3.OperationalError("its file system cannot be shared by processes")
            return


def _make(path: Path) -> None:
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with suppress(FileExistsError):
            # Before SQLite does, which would make it readable to others. Its companions
            # (-wal, -shm) get the same rights from SQLite.
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        found = path.stat()
    except OSError as error:
        raise StoreUnavailableError(
            f"Cannot make {path.name}: {error.strerror}.", hint="Choose another file."
        ) from error
    if not stat.S_ISREG(found.st_mode):
        raise StoreUnavailableError(
            f"{path.name} is not a file that executions can be kept in.", hint="Choose another."
        )
    if found.st_mode & 0o077:
        with suppress(OSError):  # somebody else's, who knows whom they let read it
            path.chmod(0o600)


def _upgrade(connection: sqlite3.Connection, path: Path, steps: Sequence[str]) -> None:
    if _version_at_once(connection, path, steps) == len(steps):
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        # Another process may have done it while this one waited.
        for step in steps[_version(connection, path, steps) :]:
            for statement in _statements(step):
                connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {len(steps)}")
        connection.execute("COMMIT")
    except BaseException:
        with suppress(sqlite3.Error):
            connection.execute("ROLLBACK")
        raise


def _version_at_once(connection: sqlite3.Connection, path: Path, steps: Sequence[str]) -> int:
    # In one transaction: another process may be making the file between two questions.
    connection.execute("BEGIN")
    try:
        return _version(connection, path, steps)
    finally:
        connection.execute("ROLLBACK")


def _version(connection: sqlite3.Connection, path: Path, steps: Sequence[str]) -> int:
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    if application != APPLICATION_ID and (tables or application or version):
        raise StoreDamagedError(
            f"{path.name} is the database of another program.", hint="Choose another file."
        )
    if version > len(steps):
        raise StoreUnavailableError(
            f"{path.name} was made by a later version ({version}; this one knows {len(steps)}).",
            hint="Update Run Inspector, or choose another file.",
        )
    return int(version)


def _statements(step: str) -> list[str]:
    # `executescript` would commit what is open, and half a step must never stay.
    statements: list[str] = []
    open_lines: list[str] = []
    for line in step.splitlines():
        open_lines.append(line)
        if sqlite3.complete_statement("\n".join(open_lines)):
            statements.append("\n".join(open_lines))
            open_lines.clear()
    return [statement for statement in statements if statement.strip()]
