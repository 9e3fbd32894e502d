"""Marks of one colour that stand close together, drawn as few rectangles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def marks_together(places: NDArray[Any], width_px: int) -> list[tuple[float, float]]:
    """Return where marks begin and how wide they are; those that touch become one.

    Args:
        places: Where each begins, ascending, in pixels.
        width_px: How wide each of them is.

    """
    if not len(places):
        return []
    gaps = np.flatnonzero(np.diff(places) > width_px)
    first = places[np.concatenate(([0], gaps + 1))]
    last = places[np.concatenate((gaps, [len(places) - 1]))]
    return list(zip(first.tolist(), (last - first + width_px).tolist(), strict=True))
