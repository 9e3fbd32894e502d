"""Taking turns: one process at a time changes the files of a directory."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType


class Turn:
    """Waits for its turn at a directory, and gives it up at the end of a `with` block.

    The directory itself is locked, so that nothing is left beside its files. Where the system
    has no such locks, nobody waits.
    """

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._descriptor: int | None = None

    def __enter__(self) -> None:
        try:
            import fcntl
        except ImportError:
            return
        self._descriptor = os.open(self._directory, os.O_RDONLY)
        fcntl.flock(self._descriptor, fcntl.LOCK_EX)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:  # fmt: skip
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None
