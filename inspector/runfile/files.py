"""Files that appear whole or not at all, and that only their owner can read."""

# ruff: noqa: PTH103, PTH105, PTH108, PTH114, PTH116, PTH118, PTH120, PTH122
# Plain strings: with Path, half of the time of a short run would go into its file name.

from __future__ import annotations

import errno
import gzip
import os
import stat
from contextlib import suppress
from io import FileIO
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator

PRIVATE_FILE = 0o600
PRIVATE_DIRECTORY = 0o700

COMPRESSED = (".gz", ".zst")

_BLOCK = 256 * 1024
_GZIP_LEVEL = 6
_ZSTD_LEVEL = 6
_BINARY = getattr(os, "O_BINARY", 0)
_CREATE = os.O_CREAT | os.O_EXCL | _BINARY


def make_private_directory(directory: str) -> None:
    """Create a directory with its parents; what exists keeps its permissions."""
    os.makedirs(directory or ".", mode=PRIVATE_DIRECTORY, exist_ok=True)


def open_new(path: str, flags: int) -> int:
    """Create a file, and the directory it stands in.

    Raises:
        FileExistsError: There is one already.
        OSError: It cannot be created.

    """
    try:
        return os.open(path, flags | _CREATE, PRIVATE_FILE)
    except FileNotFoundError:
        make_private_directory(os.path.dirname(path))
        return os.open(path, flags | _CREATE, PRIVATE_FILE)


def write_all(descriptor: int, data: bytes) -> None:
    """Write every byte, or raise."""
    written = os.write(descriptor, data)
    if written < len(data):
        view = memoryview(data)[written:]
        while view:
            view = view[os.write(descriptor, view) :]


def read_at(descriptor: int, offset: int, length: int) -> bytes:
    """Read from a place in a file; fewer bytes only where the file ends."""
    if hasattr(os, "pread"):
        data = os.pread(descriptor, length, offset)
    else:
        os.lseek(descriptor, offset, os.SEEK_SET)
        data = os.read(descriptor, length)
    if 0 < len(data) < length:
        return data + read_at(descriptor, offset + len(data), length - len(data))
    return data


def replace(
    path: str, parts: Iterable[bytes], *, durable: bool = False
) -> Generator[None, None, None]:
    """Write a file beside `path` that takes its place when all went well.

    The suffix decides about compression. A file that is replaced keeps its permissions,
    a new one can be read by its owner only. What is no ordinary file, such as a device, is
    never replaced. Yields after each block, so that others get a turn.

    Args:
        path: Where the file will be; a link stays a link.
        parts: What it will hold.
        durable: Whether to wait until the disk has it, so that it survives a power cut.

    """
    if os.path.islink(path):
        path = os.path.realpath(path)
    folder, name = os.path.split(path)
    temporary = os.path.join(folder, f".{name}.{os.urandom(6).hex()}.tmp")
    mode = PRIVATE_FILE
    with suppress(FileNotFoundError):
        found = os.stat(path).st_mode
        if stat.S_ISDIR(found):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
        if not stat.S_ISREG(found):
            raise OSError(errno.EINVAL, "It is not an ordinary file", path)
        mode = stat.S_IMODE(found) & 0o777
    descriptor = open_new(temporary, os.O_WRONLY)
    try:
        try:
            yield from _write(descriptor, parts, os.path.splitext(name)[1])
            if durable:
                os.fsync(descriptor)
            if mode != PRIVATE_FILE and hasattr(os, "fchmod"):
                os.fchmod(descriptor, mode)
        finally:
            os.close(descriptor)
        os.replace(temporary, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise
    if durable:
        _sync_directory(folder)


def _write(descriptor: int, parts: Iterable[bytes], suffix: str) -> Iterator[None]:
    if suffix not in COMPRESSED:
        for block in blocks(parts):
            write_all(descriptor, block)
            yield
        return
    with FileIO(descriptor, "wb", closefd=False) as raw, _compressing(raw, suffix) as out:
        for block in blocks(parts):
            out.write(block)
            yield


def blocks(parts: Iterable[bytes]) -> Iterator[bytes]:
    """Join small pieces to large ones."""
    block: list[bytes] = []
    size = 0
    for part in parts:
        block.append(part)
        size += len(part)
        if size >= _BLOCK:
            yield b"".join(block)
            block.clear()
            size = 0
    if block:
        yield b"".join(block)


def compress(data: bytes, suffix: str) -> bytes:
    """Return what a file with this suffix would hold."""
    if suffix == ".gz":
        return gzip.compress(data, _GZIP_LEVEL, mtime=0)
    if suffix == ".zst":
        return cast("bytes", _zstd().compress(data, _ZSTD_LEVEL))
    return data


def _compressing(raw: FileIO, suffix: str) -> Any:
    if suffix == ".gz":
        # No name and no time inside: the same run gives the same file.
        return gzip.GzipFile("", "wb", _GZIP_LEVEL, raw, mtime=0)
    return _zstd().ZstdFile(raw, mode="wb", level=_ZSTD_LEVEL)


def _zstd() -> Any:
    try:
        from compression import zstd
    except ImportError:
        from backports import zstd
    return zstd


def _sync_directory(folder: str) -> None:
    """Make sure that a new name is on the disk, too, where the system can do that."""
    with suppress(OSError, AttributeError):
        descriptor = os.open(folder or ".", os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
