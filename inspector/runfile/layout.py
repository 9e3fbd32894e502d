"""The layout of a saved run file: one record a line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.runfile.digest import RecordDigests

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from inspector.runfile.files import Output

FORMAT_NAME = "haystack-run"
FORMAT_VERSION = 1

_BATCH = 256 * 1024


def pieces(
    header: bytes,
    spans: Iterable[bytes],
    values: Iterable[tuple[bytes, bytes]],
    *,
    digest_of: Callable[[RecordDigests, bytes, bytes], None],
    extra: Iterable[tuple[bytes, bytes]] = (),
) -> Iterator[bytes]:
    """Yield the file, piece by piece.

    Args:
        header: The run header, as compact JSON.
        spans: The spans in start order, as compact JSON.
        values: Each value's key (as JSON, with its quotes) and compact JSON.
        digest_of: Counts a value's key and JSON in the digests.
        extra: Further members of the file that we do not know, key and JSON.

    """
    digests = RecordDigests()
    digests.add(header)
    yield b'{"format":"%s","version":%d,"run":' % (FORMAT_NAME.encode(), FORMAT_VERSION)
    yield header
    yield b',\n"spans":['
    separator = b"\n"
    for span in spans:
        digests.add(span)
        yield separator
        yield span
        separator = b",\n"
    yield b'\n],\n"values":{'
    separator = b"\n"
    for key, value in values:
        digest_of(digests, key, value)
        yield separator
        yield key
        yield b":"
        yield value
        separator = b",\n"
    yield b"\n},\n"
    for key, value in extra:
        yield b"%s:%s,\n" % (key, value)
    yield b'"record_digests":"%s",\n"digest":"%s"}\n' % (
        digests.record_digests.encode(),
        digests.digest.encode(),
    )


def write_pieces(out: Output, parts: Iterable[bytes]) -> Iterator[None]:
    """Write pieces in large blocks; yields after each block, so that others get a turn."""
    block: list[bytes] = []
    size = 0
    for part in parts:
        block.append(part)
        size += len(part)
        if size >= _BATCH:
            out.write(b"".join(block))
            block.clear()
            size = 0
            yield
    out.write(b"".join(block))
