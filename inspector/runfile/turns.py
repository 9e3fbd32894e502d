"""Taking turns: one at a time changes the files of a directory, in whatever process."""

from __future__ import annotations

import os
from contextlib import suppress
from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from contextvars import Token
    from pathlib import Path
    from types import TracebackType

# Whoever has a turn may take it again inside: waiting for oneself would last for ever.
_HELD: ContextVar[frozenset[str]] = ContextVar("inspector_turns", default=frozenset())


class Turn:
    """Waits for its turn at a directory, and gives it up at the end of a `with` block.

    The directory itself is locked, so that nothing is left beside its files. Where the system
    has no such locks, nobody waits.
    """

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._descriptor: int | None = None
        self._token: Token[frozenset[str]] | None = None

    def __enter__(self) -> None:
        try:
            import fcntl
        except ImportError:
            return
        place = str(self._directory.resolve())
        if place in _HELD.get():
            return
        self._descriptor = os.open(place, os.O_RDONLY)
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX)
        except OSError:
            # Some shared file systems have no locks. Working without one is what they are used to.
            self._let_go()
            return
        self._token = _HELD.set(_HELD.get() | {place})

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:  # fmt: skip
        if self._token is not None:
            with suppress(ValueError):  # left in another context than it was entered in
                _HELD.reset(self._token)
            self._token = None
        self._let_go()

    def _let_go(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None
