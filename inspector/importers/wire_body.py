"""Bodies of requests and answers as recorders of HTTP keep them: packed, in base64, in pieces."""

from __future__ import annotations

import base64
import binascii
import gzip
import zlib
from typing import Any, NamedTuple

from inspector.importers.losses import Losses
from inspector.importers.texts import tree_of
from inspector.importers.wire_stream import Streamed, is_events, joined, streamed
from inspector.runfile.leaf import LeafError
from inspector.runfile.problems import Problems

_LARGEST = 64 * 2**20
_GZIP, _ZLIB = b"\x1f\x8b", (b"\x78\x01", b"\x78\x9c", b"\x78\xda")
_GZIP_IN_BASE64 = "H4sI"


class Body(NamedTuple):
    """What a body says.

    Args:
        tree: Its JSON, its text, or None where there is none.
        stream: What is known of the pieces that it came in.
        trouble: Why it cannot be read; empty where it can.

    """

    tree: Any
    stream: Streamed | None = None
    trouble: str = ""


def body_of(kept: Any, parsed: Any = None) -> Body:
    """Return what a body says, however it is kept.

    Args:
        kept: A text, bytes, or an object that holds one of them.
        parsed: The body as a recorder read it already, where it did.

    """
    if parsed is not None:
        return Body(parsed)
    if isinstance(kept, dict):
        for key in ("base64_string", "base64"):
            if isinstance(kept.get(key), str):
                kept = _from_base64(kept[key])
                break
        else:
            kept = kept.get("string", kept.get("text", kept))
    if kept is None or kept in ("", b""):
        return Body(None)
    if isinstance(kept, str):
        if not kept.startswith(_GZIP_IN_BASE64):
            return _said(kept)
        kept = _from_base64(kept)
    if isinstance(kept, bytes):
        return _of_bytes(kept)
    return _said(kept) if isinstance(kept, str) else Body(kept)


def _from_base64(text: str) -> bytes | str:
    try:
        return base64.b64decode(text, validate=False)
    except (binascii.Error, ValueError):
        return text


def _of_bytes(data: bytes) -> Body:
    try:
        if data.startswith(_GZIP):
            data = _unpacked(data, 31)
        elif data.startswith(_ZLIB):
            data = _unpacked(data, 15)
        text = data.decode()
    except (OSError, EOFError, zlib.error, gzip.BadGzipFile, UnicodeDecodeError):
        packed = {"$bytes": base64.b64encode(data[:_LARGEST]).decode()}
        return Body(packed, trouble="its bytes are no text, or packed in a way that is not read")
    return _said(text)


def _unpacked(data: bytes, bits: int) -> bytes:
    unpacker = zlib.decompressobj(bits)
    found = unpacker.decompress(data, _LARGEST)
    if unpacker.unconsumed_tail:
        raise zlib.error("too large")
    return found


def _said(text: str) -> Body:
    if is_events(text):
        told = streamed(text)
        return _of_stream(told)
    head = text.lstrip()[:1]
    if head not in ("{", "["):
        return Body(text)
    data = text.encode("utf-8", "surrogatepass")
    try:
        return Body(tree_of(data, Losses(Problems())))
    except LeafError as error:
        rows = [_row(line) for line in data.split(b"\n") if line.strip()]
        whole = [row for row in rows if row is not None]
        if len(rows) > 1 and whole:
            return _of_stream(joined(whole, broken=len(rows) - len(whole)))
        return Body(text, trouble=f"its JSON cannot be read: {error}")


def _row(line: bytes) -> Any:
    try:
        return tree_of(line, Losses(Problems()))
    except LeafError:
        return None


def _of_stream(told: Streamed) -> Body:
    trouble = f"{told.broken:,} of its events cannot be read" if told.broken else ""
    answer = told.answers[0] if len(told.answers) == 1 else told.answers or None
    return Body(answer, told, trouble)
