"""Taking compressed files and streams apart without trusting their size."""

from __future__ import annotations

import os
import tempfile
import zlib
from typing import TYPE_CHECKING, Any

from inspector.errors import RunFileError
from inspector.runfile.bounds import BLOCK, MIB, Limits
from inspector.runfile.naming import in_a_sentence
from inspector.runfile.source import ByteSource, FileSource, MemorySource

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

GZIP = b"\x1f\x8b"
ZSTD = b"\x28\xb5\x2f\xfd"


class CutOffError(Exception):
    """Compressed data ended in the middle, or turned into something else."""


def is_compressed(head: bytes) -> bool:
    """Whether the bytes begin like a gzip or zstd file, whatever it is called."""
    return head.startswith((GZIP, ZSTD))


def unpacked(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """Yield what compressed blocks hold, in blocks of bounded size.

    Raises:
        CutOffError: After everything that could be read was yielded.

    """
    make: Callable[[], Any] | None = None
    machine: Any = None
    rest = b""
    for block in blocks:
        rest += block
        while rest:
            if machine is None:
                if make is None:
                    make = _maker(rest)
                elif not is_compressed(rest):
                    return  # padding behind the last member
                machine = make()
            try:
                piece, rest = machine.feed(rest)
            except _DAMAGED as error:
                raise CutOffError("its compressed data is damaged") from error
            if piece:
                yield piece
            while machine.more():
                yield from machine.drain()
            if machine.done():
                rest = machine.left() or rest
                machine = None
            else:
                rest = b""
    if machine is not None:
        raise CutOffError("its compressed data ends in the middle")


class _Gzip:
    def __init__(self) -> None:
        self._inner = zlib.decompressobj(wbits=31)

    def feed(self, data: bytes) -> tuple[bytes, bytes]:
        return self._inner.decompress(data, BLOCK), b""

    def more(self) -> bool:
        return not self._inner.eof and bool(self._inner.unconsumed_tail)

    def drain(self) -> Iterator[bytes]:
        try:
            yield self._inner.decompress(self._inner.unconsumed_tail, BLOCK)
        except _DAMAGED as error:
            raise CutOffError("its compressed data is damaged") from error

    def done(self) -> bool:
        return self._inner.eof

    def left(self) -> bytes:
        return self._inner.unused_data


class _Zstd:
    def __init__(self) -> None:
        self._inner = _zstd().ZstdDecompressor()

    def feed(self, data: bytes) -> tuple[bytes, bytes]:
        return self._inner.decompress(data, BLOCK), b""

    def more(self) -> bool:
        return not self._inner.eof and not self._inner.needs_input

    def drain(self) -> Iterator[bytes]:
        try:
            yield self._inner.decompress(b"", BLOCK)
        except _DAMAGED as error:
            raise CutOffError("its compressed data is damaged") from error

    def done(self) -> bool:
        return bool(self._inner.eof)

    def left(self) -> bytes:
        return bytes(self._inner.unused_data)


def _maker(head: bytes) -> Callable[[], Any]:
    return _Gzip if head.startswith(GZIP) else _Zstd


def _zstd() -> Any:
    try:
        from compression import zstd
    except ImportError:
        from backports import zstd
    return zstd


_DAMAGED = (zlib.error, _zstd().ZstdError, EOFError)


class Spool:
    """Gathers a stream: in memory while it is small, else in a file that has no name."""

    def __init__(self, name: str, limits: Limits, packed_size: int | None = None) -> None:
        self._name = name
        self._limit = limits.unpacked_bytes
        self._why = "more than opens here"
        if packed_size is not None:
            by_ratio = max(limits.held_bytes, limits.unpacked_ratio * packed_size)
            if by_ratio < self._limit:
                self._limit = by_ratio
                self._why = f"more than {limits.unpacked_ratio} times its size"
        self._packed_size = packed_size
        self._held = limits.held_bytes
        self._blocks: list[bytes] = []
        self._descriptor: int | None = None
        self.size = 0

    def add(self, block: bytes) -> None:
        """Take a block.

        Raises:
            RunFileError: There is more than we hold, or no room on disk.

        """
        self.size += len(block)
        if self.size > self._limit:
            packed = self._packed_size
            what = "goes on for" if packed is None else f"has {packed:,} bytes that unpack to"
            raise RunFileError(
                f"{self._name} {what} more than {self._limit // MIB:,} MiB, {self._why}.",
                hint="If you trust it, unpack it with another program and open the result.",
            )
        try:
            if self._descriptor is None and self.size > self._held:
                with tempfile.TemporaryFile(prefix="run-inspector-") as file:
                    self._descriptor = os.dup(file.fileno())
                for held in self._blocks:
                    self._write(held)
                self._blocks = []
            if self._descriptor is None:
                self._blocks.append(block)
            else:
                self._write(block)
        except OSError as error:
            raise RunFileError(
                f"Cannot unpack {in_a_sentence(self._name)}: {error.strerror}.",
                hint=f"Make room in {tempfile.gettempdir()}, or set TMPDIR.",
            ) from error

    def finish(self) -> ByteSource:
        """Return what was gathered."""
        if self._descriptor is None:
            return MemorySource(b"".join(self._blocks))
        descriptor, self._descriptor = self._descriptor, None
        return FileSource(descriptor, self._name)

    def _write(self, block: bytes) -> None:
        assert self._descriptor is not None
        view = memoryview(block)
        while view:
            view = view[os.write(self._descriptor, view) :]

    def __del__(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
