"""The records of a run in the order they came: in memory at first, then in its journal."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from inspector.runfile.files import make_private_directory, open_new, write_all


class Spool:
    """Bytes that can be appended to, and read back at any place.

    A run that is over before the first flush never touches the disk here. When the disk
    fails, what was written stays readable and the rest stays in memory; nothing is
    appended to a file that may end in half a record.
    """

    def __init__(self) -> None:
        self.path: Path | None = None
        self.failure: OSError | None = None
        self._descriptor: int | None = None
        self._on_disk = 0  # everything before this offset is in the file
        self._shift = 0  # the file begins with a line that has no offset
        self._memory: list[bytes] = []
        self._starts: list[int] = []
        self._end = 0

    @property
    def in_memory(self) -> int:
        """How many bytes are not on disk."""
        return self._end - self._on_disk

    @property
    def size(self) -> int:
        """How many bytes were ever appended."""
        return self._end

    def append(self, data: bytes) -> int:
        """Add bytes; return the offset they have from now on."""
        offset = self._end
        self._memory.append(data)
        self._starts.append(offset)
        self._end = offset + len(data)
        return offset

    def create(self, path: Path, first: bytes) -> bool:
        """Open the journal and write its first line. False when that cannot be."""
        try:
            make_private_directory(path.parent)
            self._descriptor = open_new(path)
        except OSError as error:
            self.failure = error
            return False
        self.path = path
        try:
            write_all(self._descriptor, first)
        except OSError as error:
            self.failure = error
            return False
        self._shift = len(first)
        return True

    def flush(self) -> bool:
        """Move what is in memory to the journal. False when it stays where it is."""
        if self._descriptor is None or self.failure is not None:
            return False
        if not self._memory:
            return True
        try:
            write_all(self._descriptor, b"".join(self._memory))
        except OSError as error:
            self.failure = error
            # Half a line at the end would spoil nothing, but a whole one reads better.
            with suppress(OSError):
                os.ftruncate(self._descriptor, self._shift + self._on_disk)
            return False
        self._on_disk = self._end
        self._memory.clear()
        self._starts.clear()
        return True

    def read(self, offset: int, length: int) -> bytes:
        """Return what was appended at `offset`.

        Raises:
            OSError: It is on a disk that does not give it back.

        """
        if offset >= self._on_disk:
            return self._from_memory(offset, length)
        assert self._descriptor is not None
        data = b""
        while len(data) < length:
            place = self._shift + offset + len(data)
            more = os.pread(self._descriptor, length - len(data), place)
            if not more:
                raise OSError(5, "The journal became shorter while it was written")
            data += more
        return data

    def _from_memory(self, offset: int, length: int) -> bytes:
        from bisect import bisect_right

        at = bisect_right(self._starts, offset) - 1
        skip = offset - self._starts[at]
        return self._memory[at][skip : skip + length]

    def close(self, *, remove: bool) -> None:
        """Let go of the journal, and of the file where it is not needed any more."""
        if self._descriptor is not None:
            with suppress(OSError):
                os.close(self._descriptor)
            self._descriptor = None
        if remove and self.path is not None:
            with suppress(OSError):
                self.path.unlink()
            self.path = None
