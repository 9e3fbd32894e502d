"""What is known of executions on this machine: all rows, newest first, and what was witnessed.

A server lists the oldest first, without totals, and forgets the chunks of an abandoned attempt.
This is a cache in a file of its own, for its owner's eyes; losing it loses what only we saw.
"""

from __future__ import annotations

import json
import os
import sqlite3
import threading
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from inspector.errors import InspectorError
from inspector.hayhooks.client import index_rows as rows_of
from inspector.hayhooks.client.index_refresh import refresh_deployment
from inspector.hayhooks.client.model import (
    ExecutionRow,
    ExecutionStatus,
    HayhooksError,
    StreamEvent,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from inspector.hayhooks.client.client import HayhooksClient
    from inspector.hayhooks.client.model import Deployment, Server

_VERSION = 1
_REFUSALS = frozenset({"unauthorized", "forbidden", "not_found"})
_MOST_EVENTS = 100_000  # of one execution
_MOST_BYTES = 64 * 2**20  # of one execution
_MOST_ALL = 1_000_000
_KEPT_NS = 60 * 86_400 * 10**9  # Hayhooks itself keeps an execution for a week


def index_file() -> Path:
    """Return where the index is."""
    from platformdirs import user_cache_path

    return user_cache_path("run-inspector", appauthor=False) / "hayhooks" / "executions.sqlite"


class ExecutionIndex:
    """The index of one file. Any thread may use it, and several processes at once.

    Args:
        path: The file; made where there is none. One that is damaged is put aside.

    Raises:
        InspectorError: It cannot be opened.

    """

    def __init__(self, path: Path | None = None) -> None:
        self._path = path or index_file()
        self._lock = threading.RLock()
        self._kept: dict[tuple[str, str], tuple[int, int]] = {}  # events and bytes of executions
        try:
            try:
                self._database = self._opened()
            except sqlite3.OperationalError:
                raise  # such as a disk that is full: no reason to give up what there is
            except sqlite3.DatabaseError:
                self._put_aside()
                self._database = self._opened()
        except (sqlite3.Error, OSError) as error:
            raise InspectorError(
                f"Cannot keep what is known of executions in {self._path}: {error}."
            ) from error

    def refresh(
        self,
        client: HayhooksClient,
        deployments: Iterable[str | Deployment] | None = None,
        progress: Callable[[int], None] | None = None,
        cancelled: Callable[[], bool] | None = None,
        refused: Callable[[str, HayhooksError], None] | None = None,
    ) -> int:
        """Ask a server for what is new and for what became of the rest; return how many rows came.

        It goes on where the last time ended, also when that was stopped half-way. What is over
        is not asked for again.

        Args:
            client: That asks.
            deployments: Which; all that the server lists by default.
            progress: Told how many rows came so far.
            cancelled: Asked now and then whether to stop.
            refused: Told which deployment lists nothing to us, and why.

        Raises:
            HayhooksError: The server cannot be asked; what came before is kept. Without
                `refused` also when a deployment lists nothing to us, after the others were asked.

        """
        if deployments is None:
            known = client.deployments(schemas=False)
            deployments = [one for one in known if one.is_durable and one.is_listed]
        stop = cancelled or (lambda: False)
        came, problem = 0, None
        for deployment in deployments:
            name = deployment if isinstance(deployment, str) else deployment.name
            if stop():
                break
            try:
                for count in refresh_deployment(self, client, name, stop):
                    came += count
                    if progress is not None:
                        progress(came)
            except HayhooksError as error:
                if error.kind not in _REFUSALS:
                    raise
                if refused is not None:
                    refused(name, error)
                else:
                    problem = problem or error
        if problem is not None:
            raise problem
        return came

    def rows(
        self,
        *,
        server: Server | str | None = None,
        newest_first: bool = True,
        deployment: str | None = None,
        status: ExecutionStatus | None = None,
        search: str = "",
        limit: int = 500,
        offset: int = 0,
    ) -> tuple[ExecutionRow, ...]:
        """Return executions, by when they were submitted.

        Args:
            server: Of this one only; by its main address.
            newest_first: Or oldest first.
            deployment: Of this one only.
            status: In this one only.
            search: A part of an id, a deployment or a waiting reason, however it is written.
            limit: How many at most.
            offset: How many to pass over.

        """
        where, values = rows_of.where(_url(server), deployment, status, search)
        turn = "DESC" if newest_first else "ASC"
        asked = f"{rows_of.SELECT} {where} ORDER BY created {turn}, id {turn} LIMIT ? OFFSET ?"
        with self._asking() as database:
            found = database.execute(asked, (*values, limit, offset)).fetchall()
        return tuple(map(rows_of.row, found))

    def count(
        self,
        *,
        server: Server | str | None = None,
        deployment: str | None = None,
        status: ExecutionStatus | None = None,
        search: str = "",
    ) -> int:
        """Return how many executions there are."""
        where, values = rows_of.where(_url(server), deployment, status, search)
        with self._asking() as database:
            found = database.execute(f"SELECT COUNT(*) FROM executions {where}", values)  # noqa: S608
            return int(found.fetchone()[0])

    def row(self, server: Server | str, execution: str) -> ExecutionRow | None:
        """Return one execution, None when it is not known here."""
        asked = f"{rows_of.SELECT} WHERE server = ? AND id = ?"
        with self._asking() as database:
            found = database.execute(asked, (_url(server), execution)).fetchone()
        return rows_of.row(found) if found else None

    def find(self, server: Server | str, beginning: str) -> tuple[ExecutionRow, ...]:
        """Return the executions whose id begins so, a few at most."""
        asked = f"{rows_of.SELECT} WHERE server = ? AND substr(id, 1, ?) = ? LIMIT 5"
        with self._asking() as database:
            values = (_url(server), len(beginning), beginning)
            return tuple(map(rows_of.row, database.execute(asked, values).fetchall()))

    def note_rows(
        self, server: Server | str, rows: Iterable[ExecutionRow], scope: str = ""
    ) -> None:
        """Keep rows; what a row does not say stays as it was known."""
        with self._asking() as database:
            database.executemany(
                rows_of.UPSERT, [rows_of.values(_url(server), scope, row) for row in rows]
            )

    def note_gone(self, server: Server | str, execution: str) -> None:
        """Keep in mind that the server has let go of an execution."""
        with self._asking() as database:
            database.execute(
                "UPDATE executions SET gone = 1 WHERE server = ? AND id = ?",
                (_url(server), execution),
            )

    def unfinished(self, server: Server | str, scope: str, deployment: str) -> tuple[str, ...]:
        """Return the ids of what was not over when it was last asked for."""
        asked = (
            "SELECT id FROM executions WHERE server = ? AND scope = ? AND deployment = ?"
            " AND gone = 0 AND status IN ('queued', 'running', 'waiting')"
        )
        with self._asking() as database:
            found = database.execute(asked, (_url(server), scope, deployment))
            return tuple(entry[0] for entry in found)

    def unexplained(self, server: Server | str, scope: str, deployment: str) -> frozenset[str]:
        """Return the ids of what waits, nobody here knows for what: lists do not say."""
        asked = (
            "SELECT id FROM executions WHERE server = ? AND scope = ? AND deployment = ?"
            " AND gone = 0 AND status = 'waiting' AND waiting IS NULL"
        )
        with self._asking() as database:
            found = database.execute(asked, (_url(server), scope, deployment))
            return frozenset(entry[0] for entry in found)

    def walked_to(self, server: Server | str, scope: str, deployment: str) -> str | None:
        """Return where the next walk over a list begins; None at its head."""
        asked = "SELECT cursor FROM walks WHERE server = ? AND scope = ? AND deployment = ?"
        with self._asking() as database:
            found = database.execute(asked, (_url(server), scope, deployment)).fetchone()
        return found[0] if found else None

    def note_walk(
        self, server: Server | str, scope: str, deployment: str, cursor: str | None
    ) -> None:
        """Keep where the next walk begins."""
        with self._asking() as database:
            values = (_url(server), scope, deployment, cursor)
            database.execute("INSERT OR REPLACE INTO walks VALUES (?, ?, ?, ?)", values)

    def note_event(self, server: Server | str, execution: str, event: StreamEvent) -> None:
        """Keep what was witnessed: a chunk once, and when it was first seen in which state.

        Attached and status events are kept as `status`, with a mapping of status, attempt,
        waiting and cancellation_pending as payload.
        """
        url = _url(server)
        kept = rows_of.event_values(event)
        with self._asking() as database:
            if event.execution is not None:
                values = rows_of.values(url, None, event.execution.row)
                database.execute(rows_of.UPSERT, values)
            if kept is None:
                return
            size = len(kept[3])
            count, sizes = self._room(database, url, execution)
            if count >= _MOST_EVENTS or sizes + size > _MOST_BYTES:
                return
            database.execute(
                "INSERT OR IGNORE INTO events (server, id, event, kind, attempt, payload, at, once)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (url, execution, *kept),
            )
            self._kept[url, execution] = (count + 1, sizes + size)

    def witnessed(self, server: Server | str, execution: str) -> tuple[StreamEvent, ...]:
        """Return what was seen of an execution here, chunks of abandoned attempts among it."""
        asked = (
            "SELECT event, kind, attempt, payload, at FROM events WHERE server = ? AND id = ?"
            " ORDER BY number"
        )
        with self._asking() as database:
            found = database.execute(asked, (_url(server), execution)).fetchall()
        return tuple(
            StreamEvent(entry[0], entry[1], entry[2], json.loads(entry[3]), entry[4])
            for entry in found
        )

    def last_seen(self, server: Server | str, execution: str) -> tuple[str | None, int | None]:
        """Return after which event a stream goes on without a gap, and of which attempt it is."""
        # After a gap there is none: the server does not know any more what came before it.
        asked = (
            "SELECT event, attempt FROM events WHERE server = ? AND id = ?"
            " AND (event IS NOT NULL OR kind = 'gap') ORDER BY number DESC LIMIT 1"
        )
        with self._asking() as database:
            found = database.execute(asked, (_url(server), execution)).fetchone()
        return (found[0], found[1]) if found else (None, None)

    def watch(
        self,
        client: HayhooksClient,
        deployment: str,
        execution: str,
        *,
        cancelled: Callable[[], bool] | None = None,
        reconnect: bool = True,
    ) -> Iterator[StreamEvent]:
        """Yield what comes of an execution from where we saw it last, and keep it.

        Raises:
            HayhooksError: It cannot be attached to.

        """
        last, attempt = self.last_seen(client.server, execution)
        for event in client.stream(
            deployment, execution, last_event_id=last, last_attempt=attempt,
            cancelled=cancelled, reconnect=reconnect,
        ):  # fmt: skip
            self.note_event(client.server, execution, event)
            yield event

    def forget(self, server: Server | str) -> None:
        """Forget all of a server."""
        with self._asking() as database:
            self._kept.clear()
            for table in ("executions", "walks", "events"):
                database.execute(f"DELETE FROM {table} WHERE server = ?", (_url(server),))  # noqa: S608

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._database.close()

    def _room(self, database: sqlite3.Connection, url: str, execution: str) -> tuple[int, int]:
        if (url, execution) not in self._kept:
            asked = (
                "SELECT COUNT(*), COALESCE(SUM(length(payload)), 0) FROM events"
                " WHERE server = ? AND id = ?"
            )
            self._kept[url, execution] = database.execute(asked, (url, execution)).fetchone()
        return self._kept[url, execution]

    @contextmanager
    def _asking(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            try:
                with self._database:
                    yield self._database
            except sqlite3.Error as error:
                raise InspectorError(
                    f"The list of executions in {self._path} cannot be used: {error}."
                ) from error

    def _opened(self) -> sqlite3.Connection:
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with suppress(FileExistsError):
            # SQLite would make it as readable as the user's mask says. One that is there is not
            # opened: closing it would take the locks of all other connections of this process.
            os.close(os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
        database = sqlite3.connect(self._path, timeout=10, check_same_thread=False)
        try:
            database.execute("PRAGMA journal_mode = WAL")
            database.execute("PRAGMA synchronous = NORMAL")
            with database:
                database.execute("BEGIN IMMEDIATE")
                version = database.execute("PRAGMA user_version").fetchone()[0]
                if version == 0:
                    for statement in filter(None, map(str.strip, rows_of.SCHEMA.split(";"))):
                        database.execute(statement)
                    database.execute(f"PRAGMA user_version = {_VERSION}")
                elif version != _VERSION:
                    raise sqlite3.DatabaseError("of another version")
                self._prune(database)
        except BaseException:
            database.close()
            raise
        return database

    @staticmethod
    def _prune(database: sqlite3.Connection) -> None:
        oldest = time.time_ns() - _KEPT_NS
        database.execute("DELETE FROM events WHERE at < ?", (oldest,))
        database.execute(
            "DELETE FROM events WHERE number <= (SELECT MAX(number) FROM events) - ?", (_MOST_ALL,)
        )

    def _put_aside(self) -> None:
        for end in ("", "-wal", "-shm"):
            file = Path(f"{self._path}{end}")
            with suppress(FileNotFoundError):
                file.replace(f"{file}.damaged")


def _url(server: Server | str | None) -> Any:
    return server if isinstance(server, str) or server is None else server.url
