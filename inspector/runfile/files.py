"""Files that appear whole or not at all, and that only their owner can read."""

from __future__ import annotations

import gzip
import os
import secrets
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, cast

if TYPE_CHECKING:
    from collections.abc import Iterator

PRIVATE_FILE = 0o600
PRIVATE_DIRECTORY = 0o700

_GZIP_LEVEL = 6
_ZSTD_LEVEL = 6


class Output(Protocol):
    """Something bytes can be written to."""

    def write(self, data: bytes, /) -> Any:
        """Take all of `data`."""
        ...


def make_private_directory(directory: Path) -> None:
    """Create a directory with its parents; what exists keeps its permissions."""
    directory.mkdir(mode=PRIVATE_DIRECTORY, parents=True, exist_ok=True)


def open_new(path: Path) -> int:
    """Create a file for appending and reading.

    Raises:
        FileExistsError: There is one already.

    """
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_APPEND | getattr(os, "O_BINARY", 0)
    return os.open(path, flags, PRIVATE_FILE)


def write_all(descriptor: int, data: bytes | bytearray | memoryview) -> None:
    """Write every byte, or raise."""
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


@contextmanager
def replacing(path: Path) -> Iterator[Output]:
    """Write a file beside `path` that takes its place when all went well.

    The suffix of `path` decides about compression. A file that is replaced keeps its
    permissions; a new one is readable by its owner only.
    """
    path = Path(os.path.realpath(path))  # a link stays a link
    temporary = path.with_name(f".{path.name}.{os.getpid()}-{secrets.token_hex(4)}.tmp")
    mode = PRIVATE_FILE
    with suppress(OSError):
        mode = path.stat().st_mode & 0o777
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    descriptor = os.open(temporary, flags, PRIVATE_FILE)
    try:
        with open(descriptor, "wb") as raw:
            out = _compressing(raw, path.suffix)
            yield out
            if out is not raw:
                out.close()
            raw.flush()
            os.fsync(descriptor)
            if mode != PRIVATE_FILE and hasattr(os, "fchmod"):
                os.fchmod(descriptor, mode)
        os.replace(temporary, path)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise


def compress(data: bytes, suffix: str) -> bytes:
    """Return what a file with this suffix would hold."""
    if suffix == ".gz":
        return gzip.compress(data, _GZIP_LEVEL, mtime=0)
    if suffix == ".zst":
        return cast("bytes", _zstd().compress(data, _ZSTD_LEVEL))
    return data


def _compressing(raw: Any, suffix: str) -> Any:
    if suffix == ".gz":
        # No name and no time inside: the same run gives the same file.
        return gzip.GzipFile(
            filename="", mode="wb", fileobj=raw, compresslevel=_GZIP_LEVEL, mtime=0
        )
    if suffix == ".zst":
        return _zstd().ZstdFile(raw, mode="wb", level=_ZSTD_LEVEL)
    return raw


def _zstd() -> Any:
    try:
        from compression import zstd
    except ImportError:
        from backports import zstd
    return zstd
