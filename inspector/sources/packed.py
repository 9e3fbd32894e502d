"""ZIP archives of strangers: what is in them, and one file of them, without trust.

Nothing is ever unpacked to where an archive says. Sizes are counted, not believed.
"""

from __future__ import annotations

import re
import stat
import zlib
from io import BytesIO
from typing import TYPE_CHECKING, NamedTuple
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, LargeZipFile, ZipFile, ZipInfo

from inspector.errors import FetchError

if TYPE_CHECKING:
    from collections.abc import Callable

ZIP = b"PK\x03\x04"
MIB = 2**20
_END = b"PK\x05\x06"
_END_64 = b"PK\x06\x07"
_TAIL = 65_557
_LARGEST_LIST = MIB
_MOST = 1_000
_LARGEST = 512 * MIB
_RATIO = 500
_ANYWAY = 64 * MIB  # below this, how well something packs says nothing
_BLOCK = 256 * 1024
_TRICKS = re.compile(r"(?:^|[/\\])\.\.(?:[/\\]|$)|^[/\\]|^[A-Za-z]:|\\|[\x00-\x1f\x7f]")
_BROKEN = (BadZipFile, LargeZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError,
           OSError, ValueError, UnicodeError)  # fmt: skip


class Member(NamedTuple):
    """A file in an archive: its name, how large it says it is, and where it stands."""

    name: str
    size: int
    place: int


def members_of(archive: bytes) -> tuple[list[Member], list[str]]:
    """Return the files in an archive, and in words what is left out and why.

    Raises:
        FetchError: It is damaged, or holds more than anybody would attach.

    """
    _check_list(archive)
    try:
        with ZipFile(BytesIO(archive)) as opened:
            entries = opened.infolist()
    except _BROKEN as error:
        raise FetchError("The archive is damaged.") from error
    if len(entries) > _MOST:
        raise FetchError(f"The archive holds more than {_MOST:,} files.")
    found: list[Member] = []
    left_out: list[str] = []
    for place, entry in enumerate(entries):
        if entry.is_dir():
            continue
        why = _why_not(entry)
        if why:
            left_out.append(f"{entry.orig_filename[:120]!r} is left out: {why}.")
        else:
            found.append(Member(entry.filename, entry.file_size, place))
    return found, left_out


def member_head(archive: bytes, member: Member, length: int) -> bytes:
    """Return how a file in an archive begins.

    Raises:
        FetchError: It is damaged.

    """
    return _read(archive, member, length, whole=False, cancelled=None)


def member_bytes(
    archive: bytes, member: Member, cancelled: Callable[[], bool] | None = None
) -> bytes:
    """Return a file in an archive.

    Raises:
        FetchError: It is damaged, or unpacks to more than opens here.

    """
    return _read(archive, member, _LARGEST, whole=True, cancelled=cancelled)


def _read(
    archive: bytes,
    member: Member,
    limit: int,
    *,
    whole: bool,
    cancelled: Callable[[], bool] | None,
) -> bytes:
    pieces: list[bytes] = []
    size = 0
    try:
        with ZipFile(BytesIO(archive)) as opened:
            entry = opened.infolist()[member.place]
            most = min(limit, max(_ANYWAY, _RATIO * max(1, entry.compress_size)))
            with opened.open(entry) as stream:
                while piece := stream.read(min(_BLOCK, limit)):
                    if cancelled is not None and cancelled():
                        raise FetchError("Unpacking was stopped.")
                    size += len(piece)
                    if size > most and whole:
                        raise FetchError(
                            f"{member.name} unpacks to more than {most // MIB:,} MiB, which"
                            " no run does: the archive is made to fill a machine."
                        )
                    pieces.append(piece)
                    if not whole and size >= limit:
                        break
    except _BROKEN as error:
        raise FetchError(f"{member.name} is damaged in the archive.") from error
    return b"".join(pieces)[:limit]


def _why_not(entry: ZipInfo) -> str:
    if _TRICKS.search(entry.orig_filename):
        return "its name leads out of the archive or hides something"
    kind = stat.S_IFMT(entry.external_attr >> 16)
    if kind not in (0, stat.S_IFREG):
        return "it is a link or a device, not a file"
    if entry.flag_bits & 1:
        return "it is encrypted"
    if entry.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
        return "it is packed in a way that is not read here"
    return ""


def _check_list(archive: bytes) -> None:
    """Refuse a list of files that would take more memory than the archive has bytes."""
    start = max(0, len(archive) - _TAIL)
    at = archive.find(_END, start)
    if at < 0:
        raise FetchError("The archive is cut off.", hint="Download or attach it again.")
    while at >= 0:
        size = int.from_bytes(archive[at + 12 : at + 16], "little")
        if size > _LARGEST_LIST or archive[max(0, at - 20) : at].startswith(_END_64):
            raise FetchError(f"The archive holds more than {_MOST:,} files.")
        at = archive.find(_END, at + 1)
