"""The table of longest common subsequences, a row a large integer.

In row `i` the bit of column `j` is 0 where item `j` of the right side makes the longest
subsequence with the first `i` items of the left side longer. One addition carries all of a row
on to the next: thirty columns a machine step, where a table in Python needs thirty steps.
(Hyyrö's form of the bit-parallel algorithm.)

Only a band along the diagonal is looked at, as wide as it must be for the result to be certain.
Rows are kept for the way back while they are small, else one a block, and made again.
"""

from __future__ import annotations

_BLOCK = 1024
_KEPT_BITS = 250_000_000
_FIRST_BAND = 256
_WIDEST_FIRST = 1_024
_WIDEST_GUESS = 2_048

Pairs = list[tuple[int, int]]


def longest(left: list[int], right: list[int], *, certain: bool) -> Pairs:
    """Return the places of a longest common subsequence, both rising.

    Args:
        left: Any items, as numbers.
        right: Others.
        certain: Whether to look as far from the diagonal as it takes. Else a wide band must do,
            which serves unless what belongs together stands far apart.

    """
    if len(left) > len(right):
        return [(one, two) for two, one in longest(right, left, certain=certain)]
    # A tenth left out is common, and one wide pass is cheaper than two.
    usual = min(len(left) // 10, _WIDEST_FIRST)
    band = max(_FIRST_BAND, usual) if certain else _WIDEST_GUESS
    while True:
        table = _Table(left, right, min(band, len(left)))
        # The longest leaves out no more of the left side than this one, so strays no further.
        strays = len(left) - table.count
        if strays <= band or not certain:
            return table.way()
        band = strays


class _Table:
    """The rows of a band: `band` columns before the diagonal, and as many behind it and beyond.

    The left side is the shorter one.
    """

    def __init__(self, left: list[int], right: list[int], band: int) -> None:
        self._left = left
        self._right = right
        self._before = band
        self._behind = band + len(right) - len(left)
        width = min(len(right), self._before + self._behind + _BLOCK)
        self._keeps = width * len(left) <= _KEPT_BITS
        self._rows: dict[int, list[int]] = {}
        self._starts: list[int] = []
        self.count = self._run_through()

    def _window(self, block: int) -> tuple[int, int]:
        first = block * _BLOCK
        last = min(first + _BLOCK, len(self._left))
        return max(0, first - self._before), min(len(self._right), last + self._behind)

    def _run_through(self) -> int:
        count = 0
        row = came_from = came_to = 0
        for block in range((len(self._left) + _BLOCK - 1) // _BLOCK):
            low, high = self._window(block)
            # What leaves the window keeps what it has counted; what enters counts nothing yet.
            leaving = low - came_from
            count += leaving - (row & (1 << leaving) - 1).bit_count()
            row = row >> leaving | ((1 << high - came_to) - 1) << came_to - low
            came_from, came_to = low, high
            self._starts.append(row)
            rows = self._rows_of(block)
            row = rows[-1]
            if self._keeps:
                self._rows[block] = rows
        return count + (came_to - came_from) - row.bit_count()

    def _rows_of(self, block: int) -> list[int]:
        low, high = self._window(block)
        where: dict[int, int] = {}
        for place, item in enumerate(self._right[low:high]):
            where[item] = where.get(item, 0) | 1 << place
        row = self._starts[block]
        whole = (1 << high - low) - 1
        rows = []
        for item in self._left[block * _BLOCK : (block + 1) * _BLOCK]:
            hits = row & where.get(item, 0)
            if hits:
                row = (row + hits | row - hits) & whole
            rows.append(row)
        return rows

    def way(self) -> Pairs:
        """Return a longest way through the band."""
        found: Pairs = []
        column = len(self._right)
        for block in reversed(range(len(self._starts))):
            low, high = self._window(block)
            rows = self._rows.pop(block, None) or self._rows_of(block)
            start = block * _BLOCK
            whole = (1 << high - low) - 1
            at = len(rows) - 1
            while at >= 0 and column > low:
                row = rows[at]
                # The last column up to here that still adds one; those behind it are left out.
                adding = (row ^ whole) & (1 << column - low) - 1
                column = low + adding.bit_length()
                if column == low:
                    break
                bit = 1 << column - low - 1
                while at and not rows[at - 1] & bit:
                    at -= 1
                if at == 0 and not self._starts[block] & bit:
                    break
                column -= 1
                found.append((start + at, column))
                at -= 1
        return found[::-1]
