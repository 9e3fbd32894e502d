"""Rows of tables, as they are shown wherever that is: words, what they mean, what is spoken."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, overload

if TYPE_CHECKING:
    from collections.abc import Callable


class Cell(NamedTuple):
    """What stands in one place of a table. `ink` and `ground` name meanings, not colours."""

    text: str = ""
    icon: str = ""
    ink: str = "text"
    icon_ink: str = ""
    figure: bool = False  # stands at the right
    quoted: bool = False  # words from a file, in the fixed font
    strong: bool = False
    ground: str = ""


class TableRow(NamedTuple):
    """One row; `key` is what a choice of it stands for."""

    key: int
    cells: tuple[Cell, ...]
    spoken: str


class MadeRows(Sequence[TableRow]):
    """Rows that are put into words when they are first looked at, however many there are."""

    def __init__(self, keys: Sequence[int], make: Callable[[int], TableRow]) -> None:
        self.keys = keys
        self._make = make
        self._made: dict[int, TableRow] = {}

    def __len__(self) -> int:
        return len(self.keys)

    @property
    def made(self) -> int:
        """How many rows have been made so far."""
        return len(self._made)

    @overload
    def __getitem__(self, at: int) -> TableRow: ...

    @overload
    def __getitem__(self, at: slice) -> list[TableRow]: ...

    def __getitem__(self, at: int | slice) -> TableRow | list[TableRow]:
        if isinstance(at, slice):
            return [self[each] for each in range(*at.indices(len(self)))]
        if not 0 <= at < len(self):
            raise IndexError(at)
        if at not in self._made:
            self._made[at] = self._make(at)
        return self._made[at]
