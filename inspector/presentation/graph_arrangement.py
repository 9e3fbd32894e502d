"""Where everything of a graph is drawn, with what is unfolded drawn inside of its frame."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from inspector.presentation.graph import OUTSIDE, Graph
from inspector.presentation.graph_layout import Gaps, Layout, Point, Route, Size, lay_out

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence


class Measures(NamedTuple):
    """How large things are drawn, at the text size of now."""

    cards: tuple[Size, ...]  # of each node, folded
    frames: tuple[float, ...]  # of each node, how wide what stands in its frame's title is
    title: float  # the height of a frame's title
    padding: float  # around what stands inside of a frame
    labels: tuple[float, ...]  # of each edge, how much of its way its label takes
    gaps: Gaps


class Card(NamedTuple):
    """A node as it stands in the drawing."""

    number: int
    x: float
    y: float
    width: float
    height: float
    is_open: bool  # a frame around what is inside
    depth: int

    def holds(self, x: float, y: float) -> bool:
        """Say whether a point is on the card."""
        return self.x <= x < self.x + self.width and self.y <= y < self.y + self.height

    @property
    def middle(self) -> Point:
        return Point(self.x + self.width / 2, self.y + self.height / 2)


class Line(NamedTuple):
    """An edge as it runs in the drawing."""

    edge: int
    route: Route


class Arrangement:
    """A drawing of a graph. Frames come before what is inside of them."""

    def __init__(self, graph: Graph, *, down: bool) -> None:
        self.graph = graph
        self.down = down
        self.cards: list[Card] = []
        self.lines: list[Line] = []
        self.width = 0.0
        self.height = 0.0
        self.card_of: dict[int, Card] = {}

    def shown_for(self, node: int) -> int | None:
        """Return the node that is drawn for one: itself, or the folded one around it."""
        if node in self.card_of:
            return node
        return next((one for one in self.graph.around(node) if one in self.card_of), None)

    def card_at(self, x: float, y: float) -> Card | None:
        """Return the innermost card at a place."""
        return next((card for card in reversed(self.cards) if card.holds(x, y)), None)


def arrange(
    graph: Graph,
    measures: Measures,
    unfolded: Collection[int],
    *,
    down: bool,
    stopped: Callable[[], bool] = lambda: False,
) -> Arrangement:
    """Return the drawing of a graph, with these nodes unfolded."""
    made = Arrangement(graph, down=down)
    own: list[list[int]] = [[] for _ in range(len(graph) + 1)]  # edges by container; last: outside
    for number, edge in enumerate(graph.edges):
        own[graph.nodes[edge.sender].container].append(number)
    inner: dict[int, Layout] = {}

    def size_of(node: int) -> Size:
        if node not in unfolded or not graph.inside(node):
            return measures.cards[node]
        inner[node] = placed(node)
        return _framed(inner[node], measures, node)

    def placed(container: int) -> Layout:
        nodes = graph.inside(container)
        place = {node: index for index, node in enumerate(nodes)}
        edges = [graph.edges[number] for number in own[container]]
        return lay_out(
            [size_of(node) for node in nodes],
            [(place[edge.sender], place[edge.receiver]) for edge in edges],
            down=down,
            gaps=measures.gaps,
            label_room=[measures.labels[number] for number in own[container]],
            stopped=stopped,
        )

    def draw(container: int, layout: Layout, x: float, y: float, depth: int) -> None:
        for node, corner in zip(graph.inside(container), layout.corners, strict=True):
            inside = inner.get(node)
            size = measures.cards[node] if inside is None else _framed(inside, measures, node)
            card = Card(node, corner.x + x, corner.y + y, *size, inside is not None, depth)
            made.cards.append(card)
            made.card_of[node] = card
            if inside is not None:
                spare = (size.width - inside.width) / 2
                draw(node, inside, card.x + spare, card.y + measures.title, depth + 1)
        for number, route in zip(own[container], layout.routes, strict=True):
            curve = tuple(Point(point.x + x, point.y + y) for point in route.curve)
            made.lines.append(Line(number, Route(curve, route.is_back)))

    whole = placed(OUTSIDE)
    made.width, made.height = whole.width, whole.height
    draw(OUTSIDE, whole, 0, 0, 0)
    return made


def _framed(inside: Layout, measures: Measures, node: int) -> Size:
    return Size(
        max(inside.width, measures.frames[node]) + 2 * measures.padding,
        inside.height + measures.title + measures.padding,
    )


def neighbour(
    cards: Sequence[Card], current: Card | None, across: int, downward: int
) -> Card | None:
    """Return the card that an arrow key leads to: the nearest one that lies that way.

    What lies straight ahead counts as nearer than what lies aside.
    """
    if current is None:
        return min(cards, key=lambda card: (card.y, card.x), default=None)
    here = current.middle
    best: tuple[float, Card] | None = None
    for card in cards:
        if card.number == current.number:
            continue
        there = card.middle
        ahead = (there.x - here.x) * across + (there.y - here.y) * downward
        aside = abs((there.x - here.x) * downward) + abs((there.y - here.y) * across)
        if ahead <= 1 or _reaches_over(current, card, across, downward):
            continue
        far = ahead + 2 * aside
        if best is None or far < best[0]:
            best = far, card
    return best[1] if best else None


def _reaches_over(one: Card, other: Card, across: int, downward: int) -> bool:
    """Say whether cards stand beside each other rather than one after the other."""
    if across:
        near = one.x + one.width if across > 0 else other.x + other.width
        far = other.x if across > 0 else one.x
    else:
        near = one.y + one.height if downward > 0 else other.y + other.height
        far = other.y if downward > 0 else one.y
    around = one.is_open or other.is_open
    return far < near and not around
