"""How high the rows of a long text are: guessed at first, measured when they are seen."""

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate


class RowHeights:
    """Heights of rows in px, and where each begins. Call `settle` after `measure` said yes."""

    def __init__(self) -> None:
        self._heights: list[int] = []
        self._tops: list[int] = [0]
        self._measured = bytearray()

    @property
    def total(self) -> int:
        return self._tops[-1]

    def guess(self, heights: Sequence[int]) -> None:
        """Begin anew, with heights that need not be right."""
        self._heights = list(heights)
        self._measured = bytearray(len(self._heights))

    def is_measured(self, row: int) -> bool:
        return bool(self._measured[row])

    def measure(self, row: int, height: int) -> bool:
        """Take a row's height; say whether it is another one than was guessed."""
        self._measured[row] = 1
        if height == self._heights[row]:
            return False
        self._heights[row] = height
        return True

    def settle(self) -> None:
        """Find anew where rows begin."""
        self._tops = [0, *accumulate(self._heights)]

    def top(self, row: int) -> int:
        """Return where a row begins; of the one after the last, where the last ends."""
        return self._tops[row]

    def height(self, row: int) -> int:
        return self._heights[row]

    def at(self, y: int) -> int:
        """Return the row at a place; the first or the last one where it is beyond them."""
        return max(0, min(bisect_right(self._tops, y) - 1, len(self._heights) - 1))
