"""One file of executions, opened by one process, for any number of deployments."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from inspector.hayhooks.store.bells import Bells
from inspector.hayhooks.store.clock import Clock, SharedClock
from inspector.hayhooks.store.faults import StoreUnavailableError
from inspector.hayhooks.store.file import connect, default_path, prepare
from inspector.hayhooks.store.lanes import Reader, Syncing, Writer

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable
    from pathlib import Path

    from inspector.hayhooks.store.lanes import Turn

T = TypeVar("T")


class ExecutionDatabase:
    """A file of executions. Usable from any event loop of the process; close it in the end.

    Nothing is opened before the first use. The file has to be on a disk of this machine:
    several processes of it may use it at once, several machines may not.

    Args:
        path: Where it is, or is to be made. None: where this program keeps its own.
        clock: Tells the time; None for the one that all processes of the machine share.

    """

    def __init__(self, path: Path | None = None, *, clock: Clock | None = None) -> None:
        self.path = (path or default_path()).absolute()
        self.bells = Bells()
        clock = clock or SharedClock()
        open_: Callable[[], sqlite3.Connection] = partial(_open, self.path)
        self._made: tuple[int, int] | None = None
        self._syncing = Syncing(self.path)
        self._writer = Writer(self.path, open_, clock, self._on_written)
        self._reader = Reader(
            self.path, open_, clock, self.bells.looked_for_every_s, self.bells.look
        )

    async def initialize(self) -> None:
        """Make the file or bring it up to date, and see that it can be written.

        Raises:
            StoreUnavailableError: It cannot be used.
            StoreDamagedError: It is damaged, or another program's.

        """
        await self.write(_nothing)
        await self.read(_nothing)
        self._made = self._identity()

    async def write(self, work: Callable[[Turn], T]) -> T:
        """Do `work` in a transaction that changes the file.

        Raises:
            StoreUnavailableError: The file cannot be used now.
            StoreDamagedError: It is damaged.

        """
        return await asyncio.wrap_future(self._writer.ask(work))

    async def read(self, work: Callable[[Turn], T], *, is_one: bool = False) -> T:
        """Do `work`, which changes nothing, on a snapshot of the file. Raises as `write` does.

        Args:
            work: What to do.
            is_one: It asks one question only.

        """
        return await asyncio.wrap_future(self._reader.ask(work, is_one=is_one))

    def check_in_place(self) -> None:
        """See that the file is where it was.

        Raises:
            StoreUnavailableError: It was removed or replaced: nobody else would see what is
                written.

        """
        if self._made is not None and self._identity() != self._made:
            raise StoreUnavailableError(
                f"{self.path.name} was removed, or replaced by another file, while it was in use.",
                hint="Put it back, or start the program anew.",
            )

    async def close(self) -> None:
        """End the threads, after what they were given. Nothing can be asked any more."""
        # One after the other: of two that close at once, neither is the last, which tidies up.
        for lane in (self._reader, self._writer):
            lane.close()
            await asyncio.wrap_future(lane.closed)
        self._syncing.close()

    def _on_written(self, streams: set[int]) -> None:
        self._syncing.note()
        if streams:
            self.bells.ring(streams)

    def _identity(self) -> tuple[int, int] | None:
        try:
            found = self.path.stat()
        except OSError:
            return None
        return (found.st_dev, found.st_ino)


def _open(path: Path) -> sqlite3.Connection:
    prepare(path)
    return connect(path)


def _nothing(turn: Turn) -> None:
    turn.connection.execute("SELECT count(*) FROM clock").fetchone()
