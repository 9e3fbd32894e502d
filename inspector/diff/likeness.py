"""Which text became which other text, where nothing but the texts themselves can tell."""

from __future__ import annotations

from collections import Counter
from itertools import product
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_LEAST = 0.4
_MOST_PAIRS = 4_000
_LONGEST = 20_000


def successors(
    before: Sequence[tuple[str, bool]], after: Sequence[tuple[str, bool]]
) -> dict[int, int]:
    """Return which places of `before` became which of `after`.

    Each text comes with whether it is looked for: what is known to stand on both sides is
    there for comparison. Two texts belong together when they have more words in common than
    either has with any other text of the other list: pages of one manual are alike, and a
    page that came is not a page that was amended.
    """
    if len(before) * len(after) > _MOST_PAIRS:
        return {}
    words = [[Counter(text[:_LONGEST].split()) for text, _ in side] for side in (before, after)]
    alike = {
        (here, there): _likeness(words[0][here], words[1][there])
        for here, there in product(range(len(before)), range(len(after)))
        if before[here][1] or after[there][1]
    }
    found = {}
    for (here, there), degree in alike.items():
        if degree < _LEAST or not (before[here][1] and after[there][1]):
            continue
        rivals = [alike[here, other] for other in range(len(after)) if other != there]
        rivals += [alike[other, there] for other in range(len(before)) if other != here]
        if degree > max(rivals, default=0.0):
            found[here] = there
    return found


def _likeness(one: Counter[str], other: Counter[str]) -> float:
    """Return how much of two texts is the same words: Dice's coefficient, from 0 to 1."""
    both = one.total() + other.total()
    return 2 * (one & other).total() / both if both else 0.0
