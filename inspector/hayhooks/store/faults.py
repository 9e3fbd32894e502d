"""What SQLite says went wrong, in words for the person who has the file."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

from hayhooks.durable.store import ExecutionStoreCorruptionError, ExecutionStoreError

from inspector.errors import InspectorError

if TYPE_CHECKING:
    from pathlib import Path

_PRIMARY = 0xFF  # SQLite's extended codes carry the plain one in their lowest byte

# What is wrong, and what may help. `{file}` is the name of the file.
_WORDS = {
    sqlite3.SQLITE_BUSY: (
        "{file} is locked by another program.",
        "Whatever holds it has to let go: close other programs that look into this file.",
    ),
    sqlite3.SQLITE_LOCKED: ("{file} is locked by another part of this program.", "Try it again."),
    sqlite3.SQLITE_READONLY: (
        "{file} cannot be written: it, or its folder, is read-only.",
        "Give yourself the right to write there, or choose another file.",
    ),
    sqlite3.SQLITE_PERM: ("{file} may not be opened by this user.", "Choose another file."),
    sqlite3.SQLITE_FULL: (
        "{file} cannot grow: the disk is full.",
        "Make room. What was acknowledged so far is kept.",
    ),
    sqlite3.SQLITE_IOERR: (
        "{file} could not be read or written: the disk reported an error.",
        "Look at the disk, and at whether the folder is still there.",
    ),
    sqlite3.SQLITE_CANTOPEN: (
        "{file} cannot be opened.",
        "See that its folder is there, and that you may write in it.",
    ),
}
_DAMAGED = {
    sqlite3.SQLITE_CORRUPT: "{file} is damaged.",
    sqlite3.SQLITE_NOTADB: "{file} is no SQLite database.",
}
_AWAY = "Move it away; a new one is made at the next start."


class StoreUnavailableError(InspectorError, ExecutionStoreError):  # type: ignore[misc]
    """The file of the store cannot be used now. Hayhooks tries again later."""


class StoreDamagedError(InspectorError, ExecutionStoreCorruptionError):  # type: ignore[misc]
    """The file of the store, or something in it, is not what we wrote."""


def in_words(error: sqlite3.Error, path: Path) -> InspectorError:
    """Return `error` as one of ours that says which file, and what may help."""
    code = getattr(error, "sqlite_errorcode", None)
    primary = code & _PRIMARY if isinstance(code, int) else None
    if primary in _DAMAGED:
        return StoreDamagedError(_DAMAGED[primary].format(file=path.name), hint=_AWAY)
    if primary in _WORDS:
        message, hint = _WORDS[primary]
        return StoreUnavailableError(message.format(file=path.name), hint=hint)
    return StoreUnavailableError(f"{path.name} could not be used: {error}.")
