"""Telling by its first bytes whether something fetched is a run."""

from __future__ import annotations

import re
from enum import StrEnum

from inspector.runfile.sniff import FORMAT_NAME, SEALED_MARKS, UTF8_MARK, utf16_of
from inspector.runfile.unpack import CutOffError, is_compressed, unpacked

HEAD = 64 * 1024
_ZIP = b"PK\x03\x04"
_JOURNAL = re.compile(rb'\s*\{\s*"record"\s*:')
_PAGE = re.compile(rb"\s*<(?:!doctype|html|head|body|\?xml)", re.IGNORECASE)


class Look(StrEnum):
    """What something is, as far as its first bytes say."""

    RUN = "run"
    ZIP = "zip"
    PAGE = "page"
    SEALED = "sealed"
    OTHER = "other"


def look_of(head: bytes, kind: str = "") -> Look:
    """Say what begins like this; `kind` is the type that a server said it has."""
    if is_compressed(head):
        head = _first_of(head)
    if head.startswith(_ZIP):
        return Look.ZIP
    if head.startswith(SEALED_MARKS):
        return Look.SEALED
    if "html" in kind.lower() or _PAGE.match(head):
        return Look.PAGE
    if (encoding := utf16_of(head)) is not None:
        text = head[2:].decode(encoding, "replace").encode("utf-8", "replace")
    else:
        text = head.removeprefix(UTF8_MARK)
    text = text.lstrip()
    if not text.startswith(b"{"):
        return Look.OTHER
    named = re.search(rb'"format"\s*:\s*"' + FORMAT_NAME.encode() + rb'"', text)
    return Look.RUN if named or _JOURNAL.match(text) else Look.OTHER


def _first_of(packed: bytes) -> bytes:
    pieces: list[bytes] = []
    try:
        for piece in unpacked([packed[:HEAD]]):
            pieces.append(piece)
            if sum(map(len, pieces)) >= HEAD:
                break
    except CutOffError:
        pass
    return b"".join(pieces)[:HEAD]
