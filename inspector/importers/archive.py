"""ZIP archives of strangers, read where they lie: a list of members, and one of them at a time.

Nothing is unpacked to a place, so no name leads anywhere. Sizes are counted, not believed.
"""

from __future__ import annotations

import struct
import zlib
from io import RawIOBase
from typing import TYPE_CHECKING, Any, NamedTuple
from zipfile import BadZipFile, LargeZipFile, ZipFile

from inspector.errors import RunFileError
from inspector.runfile.bounds import BLOCK, MIB
from inspector.runfile.unpack import CutOffError, unpacked

if TYPE_CHECKING:
    from collections.abc import Iterator

    from inspector.runfile.source import ByteSource

ZIP = b"PK\x03\x04"
STORED, DEFLATED, ZSTD = 0, 8, frozenset({20, 93})
LARGEST = 512 * MIB
_RATIO = 500
_ANYWAY = 64 * MIB  # below this, how well something packs says nothing
_LARGEST_LIST = 64 * MIB
_MOST = 200_000
_END, _END_64, _FINDER_64 = b"PK\x05\x06", b"PK\x06\x06", b"PK\x06\x07"
_TAIL = 65_557
_LOCAL = struct.Struct("<4s5H3I2H")
_BROKEN = (BadZipFile, LargeZipFile, NotImplementedError, OSError, ValueError, struct.error)


class MemberError(ValueError):
    """A member that cannot be read; the sentence says why."""


class Member(NamedTuple):
    """A file in an archive: where it begins, how it is packed, and how large it is packed."""

    name: str
    offset: int
    method: int
    packed: int
    encrypted: bool


class Archive:
    """The members of an archive by name; of several with one name the last one counts.

    Args:
        source: Its bytes.
        name: What people call it.

    Raises:
        RunFileError: It has no list of members that anybody would believe.

    """

    def __init__(self, source: ByteSource, name: str) -> None:
        self._source = source
        self.cut = False
        found = _listed(source, name)
        if found is None:
            self.cut = True
            found = list(_walked(source))
        self.members = {member.name: member for member in found}

    def read(self, name: str) -> bytes:
        """Return what a member holds.

        Raises:
            MemberError: It is damaged, encrypted, or unpacks to more than anybody would log.

        """
        member = self.members[name]
        if member.encrypted:
            raise MemberError("it is encrypted")
        most = min(LARGEST, max(_ANYWAY, _RATIO * member.packed))
        pieces: list[bytes] = []
        size = 0
        try:
            for piece in self._unpacked(member):
                size += len(piece)
                if size > most:
                    raise MemberError(
                        f"it unpacks to more than {most // MIB:,} MiB, which no log does"
                    )
                pieces.append(piece)
        except (zlib.error, CutOffError, struct.error, RunFileError) as error:
            raise MemberError("it is damaged in the archive") from error
        return b"".join(pieces)

    def _unpacked(self, member: Member) -> Iterator[bytes]:
        head = self._source.read_at(member.offset, _LOCAL.size)
        if len(head) < _LOCAL.size or not head.startswith(ZIP):
            raise MemberError("it is not where the archive says")
        fields = _LOCAL.unpack(head)
        start = member.offset + _LOCAL.size + fields[-2] + fields[-1]
        blocks = self._blocks(start, member.packed)
        if member.method == STORED:
            yield from blocks
        elif member.method == DEFLATED:
            yield from _inflated(blocks)
        elif member.method in ZSTD:
            yield from unpacked(blocks)
        else:
            raise MemberError(f"it is packed in a way that is not read here ({member.method})")

    def _blocks(self, start: int, length: int) -> Iterator[bytes]:
        end = min(start + length, self._source.size)
        for at in range(start, end, BLOCK):
            yield self._source.read_at(at, min(BLOCK, end - at))


def first_name(head: bytes) -> str:
    """Return the name of the member that stands first in an archive; empty where there is none."""
    if not head.startswith(ZIP) or len(head) < _LOCAL.size:
        return ""
    length = _LOCAL.unpack(head[: _LOCAL.size])[-2]
    return head[_LOCAL.size : _LOCAL.size + length].decode("utf-8", "replace")


def _inflated(blocks: Iterator[bytes]) -> Iterator[bytes]:
    machine = zlib.decompressobj(-zlib.MAX_WBITS)
    for block in blocks:
        yield machine.decompress(block, BLOCK)
        while machine.unconsumed_tail:
            yield machine.decompress(machine.unconsumed_tail, BLOCK)
    while piece := machine.decompress(machine.unconsumed_tail, BLOCK):
        yield piece
    if not machine.eof:
        raise CutOffError("its compressed data ends in the middle")


def _listed(source: ByteSource, name: str) -> list[Member] | None:
    """Return the members as the list at the end has them; None where there is no such list."""
    size = _size_of_list(source)
    if size is None:
        return None
    if size > _LARGEST_LIST:
        raise RunFileError(
            f"{name} has a list of members of {size / MIB:,.0f} MiB, which no log has.",
            hint="The archive is damaged, or made to fill a machine.",
        )
    try:
        with ZipFile(_Readable(source)) as opened:
            entries = opened.infolist()
    except _BROKEN:
        return None
    if len(entries) > _MOST:
        raise RunFileError(
            f"{name} holds more than {_MOST:,} files, which no log does.",
            hint="The archive is damaged, or made to fill a machine.",
        )
    return [
        Member(
            entry.filename,
            entry.header_offset,
            entry.compress_type,
            entry.compress_size,
            bool(entry.flag_bits & 1),
        )
        for entry in entries
        if not entry.is_dir()
    ]


def _size_of_list(source: ByteSource) -> int | None:
    """Return how many bytes the list of members says that it has."""
    start = max(0, source.size - _TAIL - 100)
    tail = source.read_at(start, source.size - start)
    at = tail.rfind(_END)
    if at < 0 or len(tail) < at + 16:
        return None
    size = int.from_bytes(tail[at + 12 : at + 16], "little")
    far = tail.rfind(_END_64, 0, at)
    if far >= 0 and tail.find(_FINDER_64, far) >= 0:
        size = max(
            size if size != 0xFFFFFFFF else 0, int.from_bytes(tail[far + 40 : far + 48], "little")
        )
    return size


def _walked(source: ByteSource) -> Iterator[Member]:
    """Yield the members of an archive that is cut off, as far as they stand there whole."""
    at = 0
    for _ in range(_MOST):
        if at + _LOCAL.size > source.size:
            return
        head = source.read_at(at, _LOCAL.size)
        if not head.startswith(ZIP):
            return
        _, _, flags, method, _, _, _, packed, _, named, extra = _LOCAL.unpack(head)
        start = at + _LOCAL.size + named + extra
        # Where the size stands behind the data nobody knows where the next one begins.
        if flags & 8 or packed == 0xFFFFFFFF or start + packed > source.size:
            return
        name = source.read_at(at + _LOCAL.size, named).decode("utf-8", "replace")
        yield Member(name, at, method, packed, bool(flags & 1))
        at = start + packed


class _Readable(RawIOBase):
    """A source as `zipfile` wants it: a file that can be read at any place."""

    def __init__(self, source: ByteSource) -> None:
        self._source = source
        self._at = 0

    def seekable(self) -> bool:
        return True

    def readable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = 0) -> int:
        base = (0, self._at, self._source.size)[whence]
        if base + offset < 0:
            raise OSError("Before the beginning of the archive.")
        self._at = base + offset
        return self._at

    def read(self, size: int | None = -1) -> bytes:
        left = max(0, self._source.size - self._at)
        length = left if size is None or size < 0 else min(size, left)
        data = self._source.read_at(self._at, length) if length else b""
        self._at += length
        return data

    def readinto(self, buffer: Any) -> int:
        data = self.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)
