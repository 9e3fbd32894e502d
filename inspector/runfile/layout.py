"""The layout of a saved run file: one record a line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.runfile.digest import RecordDigests

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

FORMAT_NAME = "haystack-run"
FORMAT_VERSION = 1

_OPENING = f'{{"format":"{FORMAT_NAME}","version":{FORMAT_VERSION},"run":'.encode()


def run_file(
    header: bytes,
    spans: Iterable[bytes],
    values: Iterable[tuple[str, bytes]],
    *,
    named_by_digest: bool,
    extra: Iterable[tuple[bytes, bytes]] = (),
) -> Iterator[bytes]:
    """Yield a run file, piece by piece.

    Args:
        header: The run header, as compact JSON.
        spans: The spans in start order, as compact JSON.
        values: The name of each value, and its compact JSON.
        named_by_digest: Whether the names are known to be the digests of the values, which
            need not be worked out again then.
        extra: Further members of the file, key and value as JSON.

    """
    digests = RecordDigests()
    digests.add(header)
    yield _OPENING
    yield header
    yield b',\n"spans":['
    line = b"\n%s"
    for span in spans:
        digests.add(span)
        yield line % span
        line = b",\n%s"
    yield b'\n],\n"values":{'
    line = b'\n"%s":%s'
    for name, value in values:
        if named_by_digest:
            digests.add_value(name)
        else:
            digests.add(value)
        yield line % (name.encode(), value)
        line = b',\n"%s":%s'
    yield b"\n},\n"
    for key, value in extra:
        yield b"%s:%s,\n" % (key, value)
    yield b'"record_digests":"%s",\n' % digests.record_digests.encode()
    yield b'"digest":"%s"}\n' % digests.digest.encode()
