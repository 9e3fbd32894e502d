"""What the readers of the different layouts have in common."""

from __future__ import annotations

import gc
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING

from inspector.errors import RunFileError
from inspector.runfile.naming import in_a_sentence
from inspector.runfile.source import Window

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from inspector.runfile.columns import Columns
    from inspector.runfile.source import ByteSource
    from inspector.runfile.table import SpanTable
    from inspector.runfile.value_index import ValueIndex

SPACE = b", \t\r\n"


@dataclass(slots=True)
class Found:
    """What a reader made of a file.

    Args:
        members: The JSON of the file's members, but for spans and values.
        complete: Whether the file was read to its end.
        fits: Whether the file kept to the layout; another reader may see more where not.

    """

    columns: Columns
    values: ValueIndex
    members: dict[str, bytes] = field(default_factory=dict)
    complete: bool = True
    fits: bool = True


class Watch:
    """Tells how far reading has come, and stops it when nobody waits for it any more."""

    def __init__(
        self,
        name: str,
        total: int,
        progress: Callable[[float], None] | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> None:
        self.name = name
        self._total = max(1, total)
        self._progress = progress
        self._cancelled = cancelled

    def at(self, offset: int) -> None:
        """Say that everything before `offset` was read.

        Raises:
            RunFileError: Whoever asked for the run does not want it any more.

        """
        if self._cancelled is not None and self._cancelled():
            raise RunFileError(f"Opening {in_a_sentence(self.name)} was stopped.")
        if self._progress is not None:
            self._progress(min(1.0, offset / self._total))


class PlacedRecords:
    """Records that stand in one piece in the file."""

    def __init__(self, source: ByteSource, table: SpanTable) -> None:
        self._source = source
        self._table = table

    def text(self, row: int) -> bytes:
        """Return the record of a row as JSON."""
        place = self._table.offset[row], self._table.length[row]
        return self._source.read_at(*place).strip(SPACE)

    def in_order(self) -> PlacedRecords:
        """Return the same records, for somebody who asks for one after the other."""
        return PlacedRecords(Window(self._source), self._table)


_collecting = Lock()
_paused = 0


@contextmanager
def without_collection() -> Iterator[None]:
    """Keep the garbage collector out of a bulk load, where it can only lose time.

    Loading makes many objects and no garbage; the collector would look through all of
    them again and again. Loads may overlap: the last one turns it back on.
    """
    global _paused
    with _collecting:
        if _paused == 0 and not gc.isenabled():
            started = False
        else:
            started = True
            _paused += 1
            gc.disable()
    try:
        yield
    finally:
        if started:
            with _collecting:
                _paused -= 1
                if _paused == 0:
                    gc.enable()
