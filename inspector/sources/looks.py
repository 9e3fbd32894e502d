"""Telling by its first bytes whether something fetched is a run."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import NamedTuple

from inspector.importers.head import Head
from inspector.importers.registry import best_for
from inspector.runfile.sniff import FORMAT_NAME, SEALED_MARKS, UTF8_MARK, utf16_of
from inspector.runfile.unpack import CutOffError, is_compressed, unpacked

HEAD = 64 * 1024
_SURE = 50
_ZIP = b"PK\x03\x04"
_JOURNAL = re.compile(rb'\s*\{\s*"record"\s*:')
_PAGE = re.compile(rb"\s*<(?:!doctype|html|head|body|\?xml)", re.IGNORECASE)


class Look(StrEnum):
    """What something is, as far as its first bytes say."""

    RUN = "run"
    ZIP = "zip"
    PAGE = "page"
    SEALED = "sealed"
    FOREIGN = "foreign"
    """What another program wrote, in a format that opens as runs."""
    OTHER = "other"


class Seen(NamedTuple):
    """What something is, and of a foreign format what that is called."""

    look: Look
    words: str = ""

    @property
    def opens(self) -> bool:
        """Whether it can be opened, perhaps after asking."""
        return self.look in (Look.RUN, Look.SEALED, Look.FOREIGN)


def look_of(head: bytes, kind: str = "") -> Look:
    """Say what begins like this; `kind` is the type that a server said it has."""
    return seen(head, kind).look


def seen(head: bytes, kind: str = "") -> Seen:
    """Say what begins like this, and in words what other program wrote it."""
    if is_compressed(head):
        head = _first_of(head)
    if head.startswith(_ZIP):
        return Seen(Look.ZIP)
    if head.startswith(SEALED_MARKS):
        return Seen(Look.SEALED)
    if "html" in kind.lower() or _PAGE.match(head):
        return Seen(Look.PAGE)
    if (encoding := utf16_of(head)) is not None:
        text = head[2:].decode(encoding, "replace").encode("utf-8", "replace")
    else:
        text = head.removeprefix(UTF8_MARK)
    text = text.lstrip()
    if not text.startswith((b"{", b"[")):
        return Seen(Look.OTHER)
    named = re.search(rb'"format"\s*:\s*"' + FORMAT_NAME.encode() + rb'"', text)
    if text.startswith(b"{") and (named or _JOURNAL.match(text)):
        return Seen(Look.RUN)
    return _foreign(text)


def _foreign(text: bytes) -> Seen:
    # Any JSON opens as a tree; offered is what an importer is sure of.
    shape = Head(text[:HEAD], len(text))
    importer = best_for(shape)
    if importer is None or importer.detect(shape) < _SURE:
        return Seen(Look.OTHER)
    return Seen(Look.FOREIGN, importer.words)


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
