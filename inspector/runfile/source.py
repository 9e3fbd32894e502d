"""Where the bytes of an open run are, whatever happens to its file meanwhile."""

from __future__ import annotations

import os
import weakref
from contextlib import contextmanager, nullcontext, suppress
from hashlib import blake2b
from threading import Lock
from typing import TYPE_CHECKING, Protocol

from inspector.errors import RunFileError
from inspector.runfile.bounds import BLOCK

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager
    from pathlib import Path

_END = 64 * 1024
_MOST_HELD = 64 * 2**20
_seek_lock = Lock()
_hold_lock = Lock()


class ByteSource(Protocol):
    """Bytes that can be read at any place, from any thread."""

    size: int
    trouble: str

    def read_at(self, offset: int, length: int) -> bytes:
        """Return exactly `length` bytes.

        Raises:
            RunFileError: They are not there, or not the same any more.

        """
        ...


class MemorySource:
    """Bytes that we hold ourselves."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.size = len(data)
        self.trouble = ""

    def read_at(self, offset: int, length: int) -> bytes:
        """Return a copy of a part, so that keeping it does not keep the whole."""
        return self._data[offset : offset + length]


class FileSource:
    """A file that stays open, read by position.

    Not mapped into memory: when somebody cuts a mapped file short, the system
    kills whoever looks at the missing part. A file that is replaced or deleted
    stays readable here for as long as it is open; one that is written over is
    noticed, and nothing of what it holds now is passed off as the old run.

    Args:
        descriptor: An open file, closed with this object.
        name: What people call the file.

    """

    def __init__(self, descriptor: int, name: str) -> None:
        self._descriptor = descriptor
        # Also at the end of the program, when modules are gone before their objects.
        weakref.finalize(self, os.close, self._descriptor)
        self._name = name
        status = os.fstat(descriptor)
        self.size = status.st_size
        self.trouble = ""
        self._stamp = (status.st_mtime_ns, status.st_size)
        self._grows = False
        self._holders = 0
        self._held = b""
        self._ends = self.ends()

    def read_at(self, offset: int, length: int) -> bytes:
        """Return a part of the file, as long as it is still the file we opened."""
        if self.trouble:
            raise RunFileError(self.trouble, hint="Open it again.")
        # Somebody else may let go of it at any time.
        data = self._held
        if data and offset + length <= len(data):
            return data[offset : offset + length]
        try:
            data = _pread(self._descriptor, length, offset)
            while len(data) < length:
                more = _pread(self._descriptor, length - len(data), offset + len(data))
                if not more:
                    self._fail(f"{self._name} became shorter while it was open.")
                data += more
            self._check_same()
        except OSError as error:
            raise RunFileError(f"Cannot read {self._name}: {error.strerror}.") from error
        return data

    @contextmanager
    def held(self) -> Iterator[None]:
        """Read a file of up to 64 MiB at once, and keep it for those who read many parts.

        What they get meanwhile is what the file held when this began; a file that cannot be
        read says so to them.
        """
        with _hold_lock:
            self._holders += 1
            if self._holders == 1 and self.size <= _MOST_HELD and not self._grows:
                with suppress(RunFileError):
                    self._held = self.read_at(0, self.size)
        try:
            yield
        finally:
            with _hold_lock:
                self._holders -= 1
                if self._holders == 0:
                    self._held = b""

    def expect_growth(self) -> None:
        """Take it as normal from now on that somebody writes at the end of the file."""
        self._grows = True

    def status(self) -> os.stat_result:
        """Return what the system says about the open file now."""
        return os.fstat(self._descriptor)

    def descriptor(self) -> int:
        """Return the open file's number; it lives as long as this object."""
        return self._descriptor

    def ends(self) -> bytes:
        """Return a digest of the first and last bytes.

        A run file ends with a digest over all its records, so this tells two
        saved runs apart at the price of two small reads.
        """
        size = self.size
        seen = blake2b(size.to_bytes(8, "little"), digest_size=16)
        seen.update(_pread(self._descriptor, min(_END, size), 0))
        seen.update(_pread(self._descriptor, min(_END, size), max(0, size - _END)))
        return seen.digest()

    def is_at(self, path: Path) -> bool:
        """Say whether a path leads to this very file, and it holds what it held."""
        try:
            if not os.path.samestat(os.fstat(self._descriptor), path.stat()):
                return False
            self._check_same()
        except (OSError, RunFileError):
            return False
        return True

    def _check_same(self) -> None:
        if self._grows:
            return
        status = os.fstat(self._descriptor)
        stamp = (status.st_mtime_ns, status.st_size)
        if stamp == self._stamp:
            return
        if status.st_size != self.size or self.ends() != self._ends:
            self._fail(f"{self._name} was changed by another program while it was open.")
        self._stamp = stamp  # touched, but the same

    def _fail(self, sentence: str) -> None:
        self.trouble = sentence
        raise RunFileError(sentence, hint="Open it again.")


def held(source: ByteSource) -> AbstractContextManager[None]:
    """Keep what a source reads at hand, where that is a file."""
    return source.held() if isinstance(source, FileSource) else nullcontext()


class Window:
    """Gives bytes that are asked for in the order of the file, reading them in large blocks."""

    def __init__(self, source: ByteSource) -> None:
        self._source = source
        self._block = b""
        self._start = 0
        self.size = source.size
        self.trouble = ""

    def read_at(self, offset: int, length: int) -> bytes:
        """Return exactly `length` bytes.

        Raises:
            RunFileError: They are not there any more.

        """
        at = offset - self._start
        if at < 0 or at + length > len(self._block):
            wanted = max(length, min(BLOCK, self.size - offset))
            self._block = self._source.read_at(offset, wanted)
            self._start, at = offset, 0
        return self._block[at : at + length]


if hasattr(os, "pread"):
    _pread = os.pread
else:  # Windows has no reading by position

    def _pread(descriptor: int, length: int, offset: int, /) -> bytes:
        with _seek_lock:
            os.lseek(descriptor, offset, os.SEEK_SET)
            return os.read(descriptor, length)
