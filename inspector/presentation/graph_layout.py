"""Where the nodes of a directed graph stand in a drawing, and how its edges run.

A layered layout: what leads on stands before what it leads to. Edges bend only
between layers, and what leads back passes beside the nodes instead of over them.
The same graph always gets the same drawing.
"""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING, NamedTuple

from inspector.presentation.graph_layers import Chain, layered
from inspector.presentation.graph_positions import cross_positions

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from inspector.presentation.graph_layers import Edge

_LIKED_SHAPE = 1.6  # width to height of what is put together from parts


class Point(NamedTuple):
    """A place in the drawing; `y` grows downward."""

    x: float
    y: float


class Size(NamedTuple):
    """How large a node is drawn."""

    width: float
    height: float


class Gaps(NamedTuple):
    """How much room is left free, in the units of the sizes."""

    layers: float = 56  # between layers
    nodes: float = 24  # between neighbours of a layer
    edges: float = 14  # between an edge and what it passes
    parts: float = 40  # between parts that nothing joins
    port: float = 12  # between edges at one side of a node, where there is room


GAPS = Gaps()


class Route(NamedTuple):
    """The way of an edge: `curve` is a start, then three points a Bézier segment."""

    curve: tuple[Point, ...]
    is_back: bool = False

    @property
    def start(self) -> Point:
        return self.curve[0]

    @property
    def end(self) -> Point:
        return self.curve[-1]


class Layout(NamedTuple):
    """The drawing; all its parts lie between (0, 0) and (width, height)."""

    corners: tuple[Point, ...]  # the upper left corner of each node
    layers: tuple[int, ...]  # of each node, within its part
    routes: tuple[Route, ...]  # of each edge
    width: float
    height: float


def lay_out(
    sizes: Sequence[Size],
    edges: Sequence[Edge],
    *,
    down: bool = False,
    gaps: Gaps = GAPS,
    label_room: Sequence[float] = (),
    stopped: Callable[[], bool] = lambda: False,
) -> Layout:
    """Return where nodes of these sizes stand and how their edges run.

    Args:
        sizes: Of each node. Lower numbers stand first where there is a choice.
        edges: Pairs of sender and receiver; loops and several between the same are fine.
        down: Whether edges run from top to bottom, not from left to right.
        gaps: How much room is left free.
        label_room: For each edge how much of its way its label takes.
        stopped: Says that the answer is no longer wanted; it is then merely less good.

    """
    turned = [Size(size.height, size.width) for size in sizes] if down else sizes
    rooms = label_room or [0.0] * len(edges)
    parts = [
        _Part(part, turned, edges, own, rooms, gaps, stopped)
        for part, own in _parts(len(sizes), edges)
    ]
    made = _packed(parts, len(sizes), len(edges), gaps, down=down)
    return _turned(made) if down else made


def _parts(count: int, edges: Sequence[Edge]) -> list[tuple[list[int], list[int]]]:
    """Return nodes and edges by what hangs together, in the order of the nodes."""
    root = list(range(count))

    def root_of(node: int) -> int:
        while root[node] != node:
            root[node] = root[root[node]]
            node = root[node]
        return node

    for sender, receiver in edges:
        one, other = sorted((root_of(sender), root_of(receiver)))
        root[other] = one
    nodes: dict[int, list[int]] = {}
    for node in range(count):
        nodes.setdefault(root_of(node), []).append(node)
    own: dict[int, list[int]] = {first: [] for first in nodes}
    for number, (sender, _) in enumerate(edges):
        own[root_of(sender)].append(number)
    return [(nodes[first], own[first]) for first in nodes]


class _Part:
    """What hangs together, laid out from left to right beginning at (0, 0)."""

    def __init__(
        self,
        nodes: list[int],
        sizes: Sequence[Size],
        edges: Sequence[Edge],
        own: list[int],
        rooms: Sequence[float],
        gaps: Gaps,
        stopped: Callable[[], bool],
    ) -> None:
        number_of = {node: number for number, node in enumerate(nodes)}
        self.nodes = nodes
        self.edge_numbers = own
        self._edges = [(number_of[edges[one][0]], number_of[edges[one][1]]) for one in own]
        self._sizes = [sizes[node] for node in nodes]
        self._gaps = gaps
        self._layers = layered(len(nodes), self._edges, stopped)
        self._cross = cross_positions(self._layers, self._sizes, gaps, stopped)
        self._starts, self._ends = self._extents([rooms[one] for one in own])
        self.corners = [self._corner(node) for node in range(len(nodes))]
        self.layers = self._layers.layer[: len(nodes)]
        self.routes = self._all_routes()
        self._move_to_origin()

    def _extents(self, rooms: Sequence[float]) -> tuple[list[float], list[float]]:
        """Return where every layer begins and ends along the way of the edges."""
        count = len(self._layers.order)
        extent = [0.0] * count
        for node, size in enumerate(self._sizes):
            layer = self._layers.layer[node]
            extent[layer] = max(extent[layer], size.width)
        room = [self._gaps.layers] * count
        for (sender, _), needed in zip(self._edges, rooms, strict=True):
            layer = self._layers.layer[sender]
            room[layer] = max(room[layer], needed)
        starts, ends, at = [], [], 0.0
        for layer in range(count):
            starts.append(at)
            ends.append(at + extent[layer])
            at = ends[-1] + room[layer]
        return starts, ends

    def _corner(self, node: int) -> Point:
        layer = self._layers.layer[node]
        return Point(self._starts[layer], round(self._cross[node] - self._sizes[node].height / 2))

    def _all_routes(self) -> list[Route]:
        leaves, arrives = self._ports()
        routes = []
        for chain in self._layers.chains:
            sender, receiver = self._edges[chain.edge]
            start = Point(self.corners[sender].x + self._sizes[sender].width, leaves[chain.edge])
            end = Point(self.corners[receiver].x, arrives[chain.edge])
            if chain.is_back:
                routes.append(self._way_back(chain, start, end))
            else:
                routes.append(self._way_on(chain, start, end))
        return routes

    def _ports(self) -> tuple[list[float], list[float]]:
        """Return how far down each edge leaves its sender and arrives at its receiver."""
        leaving: list[list[tuple[float, int]]] = [[] for _ in self._sizes]
        coming: list[list[tuple[float, int]]] = [[] for _ in self._sizes]
        for chain in self._layers.chains:
            sender, receiver = self._edges[chain.edge]
            onto = chain.places[-1] if chain.is_back else chain.places[1]
            from_ = chain.places[0] if chain.is_back else chain.places[-2]
            leaving[sender].append((self._cross[onto], chain.edge))
            coming[receiver].append((self._cross[from_], chain.edge))
        places: list[list[float]] = []
        for sides in (leaving, coming):
            places.append(found := [0.0] * len(self._edges))
            for node, side in enumerate(sides):
                side.sort()
                top, height = self.corners[node].y, self._sizes[node].height
                step = min(self._gaps.port, height / (len(side) + 1))
                first = top + height / 2 - step * (len(side) - 1) / 2
                for index, (_, edge) in enumerate(side):
                    found[edge] = first + step * index
        return places[0], places[1]

    def _way_on(self, chain: Chain, start: Point, end: Point) -> Route:
        pen = _Pen(start)
        layer_of = self._layers.layer
        pen.line(self._ends[layer_of[chain.places[0]]])
        for place in chain.places[1:-1]:
            layer = layer_of[place]
            pen.bend(self._starts[layer], self._cross[place])
            pen.line(self._ends[layer])
        pen.bend(self._starts[layer_of[chain.places[-1]]], end.y)
        pen.line(end.x)
        return Route(tuple(pen.points))

    def _way_back(self, chain: Chain, start: Point, end: Point) -> Route:
        pen = _Pen(start)
        layer_of = self._layers.layer
        bulge = self._gaps.layers * 0.45
        last = layer_of[chain.places[-1]]
        pen.line(max(self._ends[last], start.x))
        pen.turn(self._cross[chain.places[-1]], bulge)
        for place in reversed(chain.places):
            layer = layer_of[place]
            if place != chain.places[-1]:
                pen.bend(self._ends[layer], self._cross[place])
            pen.line(self._starts[layer])
        pen.turn(end.y, -bulge)
        pen.line(end.x)
        return Route(tuple(pen.points), is_back=True)

    def _move_to_origin(self) -> None:
        # The hull of a Bézier curve is that of its points, so these hold everything.
        xs = [point.x for route in self.routes for point in route.curve]
        ys = [point.y for route in self.routes for point in route.curve]
        left = min([corner.x for corner in self.corners] + xs)
        top = min([corner.y for corner in self.corners] + ys)
        self.corners = [Point(corner.x - left, corner.y - top) for corner in self.corners]
        self.routes = [_moved(route, -left, -top) for route in self.routes]
        sides = zip(self.corners, self._sizes, strict=True)
        reaches = [(corner.x + size.width, corner.y + size.height) for corner, size in sides]
        self.width = max([right for right, _ in reaches] + [x - left for x in xs])
        self.height = max([low for _, low in reaches] + [y - top for y in ys])


class _Pen:
    """Draws a curve whose pieces leave and arrive along the direction of the layers."""

    def __init__(self, start: Point) -> None:
        self.points = [start]

    def line(self, x: float) -> None:
        at = self.points[-1]
        if x != at.x:
            third = (x - at.x) / 3
            self.points += [
                Point(at.x + third, at.y), Point(x - third, at.y), Point(x, at.y)
            ]  # fmt: skip

    def bend(self, x: float, y: float) -> None:
        at = self.points[-1]
        half = (x - at.x) / 2
        self.points += [Point(at.x + half, at.y), Point(x - half, y), Point(x, y)]

    def turn(self, y: float, bulge: float) -> None:
        at = self.points[-1]
        self.points += [Point(at.x + bulge, at.y), Point(at.x + bulge, y), Point(at.x, y)]


def _packed(
    parts: Sequence[_Part], node_count: int, edge_count: int, gaps: Gaps, *, down: bool
) -> Layout:
    """Put the parts side by side in rows, about as wide as a drawing should be."""
    area = sum((part.width + gaps.parts) * (part.height + gaps.parts) for part in parts)
    shape = 1 / _LIKED_SHAPE if down else _LIKED_SHAPE
    widest = max([part.width for part in parts], default=0.0)
    limit = max(widest, sqrt(area * shape))
    corners = [Point(0, 0)] * node_count
    layers = [0] * node_count
    routes = [Route((Point(0, 0),))] * edge_count
    x = y = row_height = width = 0.0
    for part in parts:
        if x and x + part.width > limit:
            x, y, row_height = 0.0, y + row_height + gaps.parts, 0.0
        for node, corner, layer in zip(part.nodes, part.corners, part.layers, strict=True):
            corners[node] = Point(corner.x + x, corner.y + y)
            layers[node] = layer
        for number, route in zip(part.edge_numbers, part.routes, strict=True):
            routes[number] = _moved(route, x, y)
        width = max(width, x + part.width)
        row_height = max(row_height, part.height)
        x += part.width + gaps.parts
    return Layout(tuple(corners), tuple(layers), tuple(routes), width, y + row_height)


def _moved(route: Route, x: float, y: float) -> Route:
    return Route(tuple(Point(one.x + x, one.y + y) for one in route.curve), route.is_back)


def _turned(layout: Layout) -> Layout:
    """Return a drawing with its axes exchanged."""
    return Layout(
        tuple(Point(corner.y, corner.x) for corner in layout.corners),
        layout.layers,
        tuple(
            Route(tuple(Point(one.y, one.x) for one in route.curve), route.is_back)
            for route in layout.routes
        ),
        layout.height,
        layout.width,
    )
