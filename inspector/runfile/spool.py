"""The records of a run in the order they came: in memory at first, then in its journal."""

# ruff: noqa: PTH108
# Plain strings: with Path, half of the time of a short run would go into its file name.

from __future__ import annotations

import errno
import os
from bisect import bisect_right
from contextlib import suppress
from typing import TYPE_CHECKING

from inspector.runfile.files import open_new, read_at, write_all

if TYPE_CHECKING:
    from collections.abc import Callable

_WINDOW = 512 * 1024


class Spool:
    """Bytes that can be appended to, and read back at any place.

    A run that is over before the first flush never touches the disk here. When the disk
    fails, what was written stays readable and the rest stays in memory; nothing is
    appended to a file that may end in half a record.
    """

    __slots__ = (
        "_descriptor", "_end", "_first_line", "_memory", "_on_disk", "_places", "_taken",
        "failure", "path",
    )  # fmt: skip

    def __init__(self) -> None:
        self.path: str | None = None
        self.failure: OSError | None = None
        self._descriptor: int | None = None
        self._first_line = 0  # the file begins with a line that has no offset here
        self._on_disk = 0  # everything before this offset is in the file, or was let go
        self._memory: list[bytes] = []
        self._places: list[int] = []
        self._taken = 0
        self._end = 0

    @property
    def in_memory(self) -> int:
        """How many bytes are in memory only."""
        return self._end - self._on_disk

    def append(self, data: bytes) -> int:
        """Add bytes; return the offset they have from now on."""
        offset = self._end
        self._memory.append(data)
        self._places.append(offset)
        self._end = offset + len(data)
        return offset

    def create(self, path: str, first_line: bytes) -> bool:
        """Open the journal with its first line; False when that cannot be."""
        try:
            try:
                self._descriptor = open_new(path, os.O_RDWR | os.O_APPEND)
            except FileExistsError:
                # Left behind by a process that was killed, or another one writes it now.
                stem, dot, suffix = path.rpartition(".run.")
                path = f"{stem}-{os.urandom(4).hex()}{dot}{suffix}"
                self._descriptor = open_new(path, os.O_RDWR | os.O_APPEND)
            self.path = path
            _lock(self._descriptor)
            write_all(self._descriptor, first_line)
        except OSError as error:
            self.failure = error
            self.close(remove=True)
            return False
        self._first_line = len(first_line)
        return True

    def flush(self) -> bool:
        """Move what is in memory to the journal; False when it has to stay where it is."""
        if self._descriptor is None or self.failure is not None:
            return False
        if self._memory:
            try:
                write_all(self._descriptor, b"".join(self._memory))
            except OSError as error:
                self.failure = error
                with suppress(OSError):  # back to the end of the last whole record
                    os.ftruncate(self._descriptor, self._first_line + self._on_disk)
                return False
            self.let_go()
        return True

    def take_new(self) -> bytes:
        """Return what was appended since the last time."""
        at = bisect_right(self._places, self._taken - 1) if self._taken else 0
        self._taken = self._end
        return b"".join(self._memory[at:])

    def let_go(self) -> None:
        """Forget what is in memory: it is on disk, or nobody will ask for it."""
        self._on_disk = self._end
        self._memory.clear()
        self._places.clear()

    def read(self, offset: int, length: int) -> bytes:
        """Return what was appended at `offset`.

        Raises:
            OSError: The disk does not give it back.

        """
        if offset >= self._on_disk:
            at = bisect_right(self._places, offset) - 1
            skip = offset - self._places[at]
            return self._memory[at][skip : skip + length]
        data = b""
        if self._descriptor is not None:
            data = read_at(self._descriptor, self._first_line + offset, length)
        if len(data) < length:
            raise OSError(errno.EIO, "The journal lost records that were written to it")
        return data

    def reader(self) -> Callable[[int, int], bytes]:
        """Return a `read` for places that mostly follow each other, which reads ahead."""
        window, begin = b"", 0

        def read(offset: int, length: int) -> bytes:
            nonlocal window, begin
            at = offset - begin
            if at >= 0 and at + length <= len(window):
                return window[at : at + length]
            if offset + length > self._on_disk or self._descriptor is None:
                return self.read(offset, length)
            ahead = min(max(length, _WINDOW), self._on_disk - offset)
            window, begin = self.read(offset, ahead), offset
            return window[:length]

        return read

    def abandon(self) -> None:
        """Leave the journal to the process that it belongs to."""
        self.path = None
        self.close(remove=False)
        self.let_go()

    def close(self, *, remove: bool) -> None:
        """Let go of the journal, and remove it where nobody needs it any more."""
        if self._descriptor is not None:
            with suppress(OSError):
                os.close(self._descriptor)
            self._descriptor = None
        if remove and self.path is not None:
            with suppress(OSError):
                os.unlink(self.path)
            self.path = None


def _lock(descriptor: int) -> None:
    """Show others that this journal is being written, as long as we live."""
    with suppress(ImportError, OSError):
        import fcntl

        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
