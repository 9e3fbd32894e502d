"""The results of a search: a span each, and where in it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, overload

if TYPE_CHECKING:
    from inspector.presentation.search_places import Place


class Hit(NamedTuple):
    """One result: a span, and where in it the words stand, if that is known and there are any."""

    row: int
    place: Place | None = None


class PlainHits(Sequence[Hit]):
    """A result for each row; made when it is looked at, as there may be a million."""

    def __init__(self, rows: tuple[int, ...]) -> None:
        self._rows = rows

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, place: int) -> Hit: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Hit]: ...
    def __getitem__(self, place: int | slice) -> Hit | Sequence[Hit]:
        if isinstance(place, slice):
            return PlainHits(self._rows[place])
        return Hit(self._rows[place])
