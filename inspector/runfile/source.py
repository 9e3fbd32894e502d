"""Where the bytes of an open run are, whatever happens to its file meanwhile."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Protocol

from inspector.errors import RunFileError

if TYPE_CHECKING:
    from pathlib import Path


class ByteSource(Protocol):
    """Bytes that can be read at any place, from any thread."""

    size: int

    def read_at(self, offset: int, length: int) -> bytes:
        """Return exactly `length` bytes.

        Raises:
            RunFileError: They are not there any more.

        """
        ...


class MemorySource:
    """Bytes that we hold ourselves."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.size = len(data)

    def read_at(self, offset: int, length: int) -> bytes:
        """Return a copy of a part, so that keeping it does not keep the whole."""
        return self._data[offset : offset + length]


class FileSource:
    """A file that stays open, read by position.

    Not mapped into memory: when somebody cuts a mapped file short, the system
    kills whoever looks at the missing part. A file that is replaced or deleted
    stays readable here for as long as it is open.
    """

    def __init__(self, descriptor: int, size: int, path: Path | None) -> None:
        self._descriptor = descriptor
        self._path = path
        self.size = size

    def read_at(self, offset: int, length: int) -> bytes:
        """Return a part of the file as it is on disk now."""
        try:
            data = os.pread(self._descriptor, length, offset)
            while len(data) < length:
                more = os.pread(self._descriptor, length - len(data), offset + len(data))
                if not more:
                    raise RunFileError(
                        f"{self._name()} became shorter while it was open.",
                        hint="Another program rewrote it. Open it again.",
                    )
                data += more
        except OSError as error:
            raise RunFileError(f"Cannot read {self._name()}: {error.strerror}.") from error
        return data

    def _name(self) -> str:
        return self._path.name if self._path else "The file"

    def __del__(self) -> None:
        os.close(self._descriptor)
