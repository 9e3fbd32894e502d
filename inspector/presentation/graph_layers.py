"""Which layer of a drawing each node of a directed graph stands in, and in which order.

The first half of a layered layout: cycles are broken, nodes put into layers so
that edges point onward, long edges given a place in every layer that they
cross, and the layers ordered so that few edges cross.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    Edge = tuple[int, int]

# Beyond so many places, sweeps cost more than what they still improve.
_MANY_PLACES, _VERY_MANY_PLACES = 2_000, 20_000
_SWEEPS, _SWEEPS_OF_MANY, _SWEEPS_OF_VERY_MANY = 14, 6, 2
_FRUITLESS = 4


@dataclass(slots=True)
class Chain:
    """The places that an edge passes, in the direction of the layers.

    A forward edge begins at its sender and ends at its receiver. An edge that
    leads back holds only the places beside nodes: one in every layer from that
    of its receiver to that of its sender.
    """

    edge: int
    places: list[int]
    is_back: bool = False


@dataclass(slots=True)
class Layers:
    """Places in layers. The first `node_count` are the nodes, the others parts of edges."""

    node_count: int
    layer: list[int] = field(default_factory=list)  # of each place
    order: list[list[int]] = field(default_factory=list)  # places by layer
    before: list[list[int]] = field(default_factory=list)  # neighbours in the layer before
    after: list[list[int]] = field(default_factory=list)
    chains: list[Chain] = field(default_factory=list)
    turns: set[int] = field(default_factory=set)  # where edges that lead back turn round

    def add(self, layer: int) -> int:
        """Add a place for an edge to pass through."""
        self.layer.append(layer)
        self.before.append([])
        self.after.append([])
        return len(self.layer) - 1

    def join(self, first: int, then: int) -> None:
        """Tie two places of neighbouring layers."""
        self.after[first].append(then)
        self.before[then].append(first)


def layered(count: int, edges: Sequence[Edge], stopped: Callable[[], bool]) -> Layers:
    """Return the layers of a graph whose nodes are numbered in the order of their preference.

    Where a cycle has to be broken, a node keeps its place before those that it
    leads to; of several beginnings, the lower number counts.
    """
    back = _leading_back(count, edges)
    forward = [edge for edge, is_back in zip(edges, back, strict=True) if not is_back]
    layers = Layers(count, _layer_numbers(count, forward), [], [], [])
    layers.before = [[] for _ in range(count)]
    layers.after = [[] for _ in range(count)]
    _thread(layers, edges, back)
    _first_order(layers)
    _reduce_crossings(layers, stopped)
    return layers


def _leading_back(count: int, edges: Sequence[Edge]) -> list[bool]:
    """Say of each edge whether it closes a cycle, looking depth-first from the beginnings."""
    leaving: list[list[int]] = [[] for _ in range(count)]
    has_sender = [False] * count
    for number, (sender, receiver) in enumerate(edges):
        leaving[sender].append(number)
        if sender != receiver:
            has_sender[receiver] = True
    for own in leaving:
        own.sort(key=lambda number: edges[number][1])
    back = [False] * len(edges)
    fresh, open_, done = 0, 1, 2
    state = [fresh] * count
    starts = [node for node in range(count) if not has_sender[node]]
    for start in (*starts, *range(count)):
        if state[start] != fresh:
            continue
        state[start] = open_
        trail: list[tuple[int, Iterator[int]]] = [(start, iter(leaving[start]))]
        while trail:
            node, rest = trail[-1]
            following = next(rest, None)
            if following is None:
                state[node] = done
                trail.pop()
                continue
            receiver = edges[following][1]
            if state[receiver] == open_:
                back[following] = True
            elif state[receiver] == fresh:
                state[receiver] = open_
                trail.append((receiver, iter(leaving[receiver])))
    return back


def _layer_numbers(count: int, edges: Sequence[Edge]) -> list[int]:
    """Return the layer of every node: after all that lead to it, and near to its neighbours."""
    leaving: list[list[int]] = [[] for _ in range(count)]
    coming: list[list[int]] = [[] for _ in range(count)]
    for sender, receiver in edges:
        leaving[sender].append(receiver)
        coming[receiver].append(sender)
    missing = [len(senders) for senders in coming]
    ready = [node for node in range(count) if not missing[node]]
    layer = [0] * count
    for node in ready:  # grows while it is walked
        for receiver in leaving[node]:
            layer[receiver] = max(layer[receiver], layer[node] + 1)
            missing[receiver] -= 1
            if not missing[receiver]:
                ready.append(receiver)
    # What only leads on stands right before what it leads to: its edges get short.
    for node in reversed(ready):
        if len(leaving[node]) > len(coming[node]):
            layer[node] = min(layer[receiver] for receiver in leaving[node]) - 1
    lowest = min(layer, default=0)
    return [number - lowest for number in layer]


def _thread(layers: Layers, edges: Sequence[Edge], back: Sequence[bool]) -> None:
    """Give each edge a place in every layer that it crosses."""
    numbers = layers.layer
    loops = [edges[number] for number, is_back in enumerate(back) if is_back]
    # An edge that leads back turns in the layers outside of those it joins.
    shift = 1 if any(numbers[receiver] == 0 for _, receiver in loops) else 0
    for node in range(layers.node_count):
        numbers[node] += shift
    for number, (sender, receiver) in enumerate(edges):
        if back[number]:
            layers.chains.append(_loop(layers, number, sender, receiver))
            continue
        places = [sender]
        for layer in range(numbers[sender] + 1, numbers[receiver]):
            places.append(layers.add(layer))
            layers.join(places[-2], places[-1])
        layers.join(places[-1], receiver)
        layers.chains.append(Chain(number, [*places, receiver]))


def _loop(layers: Layers, number: int, sender: int, receiver: int) -> Chain:
    """Give an edge that leads back a place in every layer from its receiver to its sender."""
    first, last = layers.layer[receiver], layers.layer[sender]
    previous = layers.add(first - 1)
    layers.turns.add(previous)
    layers.join(previous, receiver)
    places = []
    for layer in range(first, last + 1):
        places.append(layers.add(layer))
        layers.join(previous, places[-1])
        previous = places[-1]
    turn = layers.add(last + 1)
    layers.turns.add(turn)
    layers.join(previous, turn)
    layers.join(sender, turn)
    return Chain(number, places, is_back=True)


def _first_order(layers: Layers) -> None:
    """Order the layers as a walk from the first node onward meets their places."""
    layers.order = [[] for _ in range(max(layers.layer, default=-1) + 1)]
    seen = [False] * len(layers.layer)
    for start in range(len(layers.layer)):
        if seen[start] or layers.before[start]:
            continue
        waiting = [start]
        while waiting:
            place = waiting.pop()
            if seen[place]:
                continue
            seen[place] = True
            layers.order[layers.layer[place]].append(place)
            waiting.extend(reversed(layers.after[place]))


def _reduce_crossings(layers: Layers, stopped: Callable[[], bool]) -> None:
    position = [0] * len(layers.layer)
    _note(layers, position)
    best, fewest = [list(row) for row in layers.order], _crossings(layers, position)
    size = len(layers.layer)
    sweeps = (
        _SWEEPS_OF_VERY_MANY
        if size > _VERY_MANY_PLACES
        else _SWEEPS_OF_MANY
        if size > _MANY_PLACES
        else _SWEEPS
    )
    fruitless = 0
    for sweep in range(sweeps):
        if not fewest or fruitless == _FRUITLESS or stopped():
            break
        downward = sweep % 2 == 0
        rows = layers.order[1:] if downward else layers.order[-2::-1]
        neighbours = layers.before if downward else layers.after
        for row in rows:
            _sort_by_neighbours(row, neighbours, position, late=sweep % 4 >= 2)
        if size <= _MANY_PLACES:
            _swap_neighbours(layers, position)
        crossings = _crossings(layers, position)
        fruitless += 1
        if crossings < fewest:
            best, fewest, fruitless = [list(row) for row in layers.order], crossings, 0
    layers.order = best


def _sort_by_neighbours(
    row: list[int], neighbours: list[list[int]], position: list[int], *, late: bool
) -> None:
    """Sort a layer by the mean position of what its places are tied to.

    `late` turns the order of those that would stand equally well: sometimes the
    only way out of an order that is merely good.
    """
    wanted = {}
    for place in row:
        tied = neighbours[place]
        mean = sum(position[one] for one in tied) / len(tied) if tied else position[place]
        wanted[place] = (mean, -position[place] if late else position[place])
    row.sort(key=wanted.__getitem__)
    for index, place in enumerate(row):
        position[place] = index


def _swap_neighbours(layers: Layers, position: list[int]) -> None:
    """Exchange places that stand side by side wherever fewer edges cross then."""
    for row in layers.order:
        for index in range(len(row) - 1):
            one, other = row[index], row[index + 1]
            if _pair_crossings(layers, position, other, one) < _pair_crossings(
                layers, position, one, other
            ):
                row[index], row[index + 1] = other, one
                position[one], position[other] = index + 1, index


def _pair_crossings(layers: Layers, position: list[int], first: int, then: int) -> int:
    count = 0
    for neighbours in (layers.before, layers.after):
        of_first, of_then = neighbours[first], neighbours[then]
        if not of_first or not of_then:
            continue
        theirs = sorted(position[one] for one in of_then)
        for one in of_first:
            at = position[one]
            for other in theirs:
                if other >= at:
                    break
                count += 1
    return count


def _crossings(layers: Layers, position: list[int]) -> int:
    """Count where edges cross between any two layers."""
    count = 0
    for row in layers.order[:-1]:
        ends: list[int] = []
        for place in row:
            own = sorted(position[one] for one in layers.after[place])
            for end in own:
                count += len(ends) - bisect_right(ends, end)
            for end in own:
                ends.insert(bisect_right(ends, end), end)
    return count


def _note(layers: Layers, position: list[int]) -> None:
    for row in layers.order:
        for index, place in enumerate(row):
            position[place] = index
