"""Importers of other packages, found by their entry points.

An entry point of the group `haystack_run_inspector.importers` names an object with `name`,
`words`, `detect(head)` and `read(context)`, or a function that returns one. One that fails is
named and skipped.
"""

from __future__ import annotations

from functools import lru_cache
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Any

from inspector.importers.registry import GROUP

if TYPE_CHECKING:
    from collections.abc import Iterator

    from inspector.importers.head import Head
    from inspector.importers.imported import Context, ImportedRun

_NEEDED = ("name", "words", "detect", "read")


class Plugin:
    """An importer of another package: whatever it raises while it looks counts as "not mine"."""

    def __init__(self, entry: str, made: Any) -> None:
        self.entry = entry
        self.name = str(made.name)
        self.words = str(made.words)
        self._made = made
        self.trouble = ""

    def detect(self, head: Head) -> int:
        """Return how sure it is that a file is of this format, from 0 to 100."""
        try:
            return int(self._made.detect(head))
        except Exception as error:  # noqa: BLE001 - other people's code must not keep a file closed
            self.trouble = f"The importer {self.entry} failed: {type(error).__name__}: {error}"
            return 0

    def read(self, context: Context) -> Iterator[ImportedRun]:
        """Yield the runs of a file."""
        found: Iterator[ImportedRun] = self._made.read(context)
        return found


@lru_cache(maxsize=1)
def plugins() -> tuple[tuple[Plugin, ...], tuple[str, ...]]:
    """Return the importers of other packages, and what is wrong with those that cannot be had."""
    found: list[Plugin] = []
    troubles: list[str] = []
    for entry in entry_points(group=GROUP):
        try:
            made = entry.load()
            if isinstance(made, type) or not hasattr(made, "detect"):
                made = made()
            if lacking := [name for name in _NEEDED if not hasattr(made, name)]:
                raise TypeError(f"it has no {', '.join(lacking)}")
            found.append(Plugin(entry.name, made))
        except Exception as error:  # noqa: BLE001 - other people's code must not keep a file closed
            troubles.append(
                f"The importer {entry.name} was skipped: {type(error).__name__}: {error}"
            )
    return tuple(found), tuple(troubles)
