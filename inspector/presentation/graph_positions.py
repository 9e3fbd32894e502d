"""How far across the way of its edges everything of a layered drawing stands."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from inspector.presentation.graph_layers import Layers
    from inspector.presentation.graph_layout import Gaps, Size

# Sweeps from layer to layer, by how many places there are: each takes longer then.
_SWEEPS = ((200, 48), (3_000, 16))
_SWEEPS_OF_MANY = 6
# An edge runs straight through the layers that it crosses before anything else is straight.
_EDGE_WITHIN, _EDGE_AT_NODE, _EDGE_SHORT = 8.0, 2.0, 1.0
_WOBBLE, _ROUNDING = 16.0, 1e-6
_EDGE_TURNING, _CONTENT = 0.02, 0.1


def cross_positions(
    layers: Layers, sizes: Sequence[Size], gaps: Gaps, stopped: Callable[[], bool]
) -> list[float]:
    """Return how far across the way of the edges every place has its middle."""
    half = [size.height / 2 for size in sizes]
    half += [0.0] * (len(layers.layer) - layers.node_count)
    offsets = [_offsets(row, half, layers.node_count, gaps) for row in layers.order]
    cross = [0.0] * len(layers.layer)
    for row, own in zip(layers.order, offsets, strict=True):
        middle = own[-1] / 2 if own else 0.0
        for place, offset in zip(row, own, strict=True):
            cross[place] = offset - middle
    size = len(layers.layer)
    sweeps = next((count for most, count in _SWEEPS if size <= most), _SWEEPS_OF_MANY)
    for sweep in range(sweeps):
        if stopped():
            break
        downward = sweep % 2 == 0
        both = sweep >= sweeps - 2
        rows = list(zip(layers.order, offsets, strict=True))
        for row, own in rows if downward else reversed(rows):
            targets, weights = [], []
            for place in row:
                target, weight = _wish(layers, cross, place, downward=downward, both=both)
                targets.append(target)
                weights.append(weight)
            for place, found in zip(row, _settled(targets, weights, own), strict=True):
                cross[place] = found
    _straighten(layers, cross, offsets)
    return cross


def _straighten(layers: Layers, cross: list[float], offsets: Sequence[Sequence[float]]) -> None:
    """Draw what only follows each other in one line, where a bend would be a mere wobble."""
    for row, own in zip(layers.order, offsets, strict=True):
        for index, place in enumerate(row):
            above = [one for one in layers.before[place] if one not in layers.turns]
            if place in layers.turns or len(above) != 1:
                continue
            beside = [one for one in layers.after[above[0]] if one not in layers.turns]
            wanted = cross[above[0]]
            if len(beside) != 1 or abs(wanted - cross[place]) > _WOBBLE:
                continue
            fits_before = index == 0 or (
                wanted - cross[row[index - 1]] >= own[index] - own[index - 1] - _ROUNDING
            )
            fits_after = index == len(row) - 1 or (
                cross[row[index + 1]] - wanted >= own[index + 1] - own[index] - _ROUNDING
            )
            if fits_before and fits_after:
                cross[place] = wanted


def _offsets(row: Sequence[int], half: Sequence[float], count: int, gaps: Gaps) -> list[float]:
    """Return how far every place of a layer must stand from the first one at least."""
    made: list[float] = []
    for index, place in enumerate(row):
        if not index:
            made.append(0.0)
            continue
        before = row[index - 1]
        gap = gaps.nodes if place < count and before < count else gaps.edges
        made.append(made[-1] + half[before] + gap + half[place])
    return made


def _wish(
    layers: Layers, cross: Sequence[float], place: int, *, downward: bool, both: bool
) -> tuple[float, float]:
    """Return where a place would stand best for its neighbours, and how much that matters."""
    sum_, weight = 0.0, 0.0
    sides = (layers.before, layers.after) if downward else (layers.after, layers.before)
    for neighbours in sides if both else sides[:1]:
        for one in neighbours[place]:
            inner = (place >= layers.node_count) + (one >= layers.node_count)
            matters = (_EDGE_SHORT, _EDGE_AT_NODE, _EDGE_WITHIN)[inner]
            if one in layers.turns or place in layers.turns:
                # What leads back goes round: it moves nothing else out of its line.
                if place < layers.node_count:
                    continue
                matters = _EDGE_TURNING
            sum_ += matters * cross[one]
            weight += matters
    if not weight:
        return cross[place], _CONTENT
    return sum_ / weight, weight


def _settled(
    targets: Sequence[float], weights: Sequence[float], offsets: Sequence[float]
) -> list[float]:
    """Return the positions nearest to `targets` that keep the distances in `offsets`.

    Nearest by weighted squares: neighbours that would overlap move together as
    a block to the mean of what they want.
    """
    blocks: list[list[float]] = []  # weighted sum, weight, how many
    for target, weight, offset in zip(targets, weights, offsets, strict=True):
        block = [weight * (target - offset), weight, 1.0]
        while blocks and blocks[-1][0] * block[1] > block[0] * blocks[-1][1]:
            last = blocks.pop()
            block = [last[0] + block[0], last[1] + block[1], last[2] + block[2]]
        blocks.append(block)
    found: list[float] = []
    for sum_, weight, count in blocks:
        mean = sum_ / weight
        first = len(found)
        found += [mean + offset for offset in offsets[first : first + int(count)]]
    return found
