import random
from itertools import combinations, pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.presentation.graph_layers import layered
from inspector.presentation.graph_layout import Layout, Point, Size, lay_out

Graph = tuple[list[Size], list[tuple[int, int]]]
SIDE = Size(180, 48)


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    """Return any graph: loops, several edges between the same, parts that nothing joins."""
    count = draw(st.integers(1, 14))
    node = st.integers(0, count - 1)
    edges = draw(st.lists(st.tuples(node, node), max_size=24))
    side = st.integers(20, 300)
    sizes = [Size(draw(side), draw(side)) for _ in range(count)]
    return sizes, edges


def made_graph(count: int, seed: int) -> Graph:
    """Return something like a large pipeline: mostly onward, some joins, few ways back."""
    dice = random.Random(seed)
    edges = []
    for node in range(1, count):
        for _ in range(1 + (dice.random() < 0.25)):
            edges.append((max(0, node - 1 - int(dice.expovariate(1 / 6))), node))
        if dice.random() < 0.03 and node > 5:
            edges.append((node, node - dice.randint(0, 5)))
    return [SIDE] * count, edges


def rectangles(sizes: list[Size], layout: Layout) -> list[tuple[float, float, float, float]]:
    return [
        (corner.x, corner.y, corner.x + size.width, corner.y + size.height)
        for corner, size in zip(layout.corners, sizes, strict=True)
    ]


def overlap(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def along(curve: tuple[Point, ...], steps: int = 12) -> list[Point]:
    """Return points of a curve."""
    found = []
    for index in range(0, len(curve) - 1, 3):
        a, b, c, d = curve[index : index + 4]
        for step in range(steps + 1):
            t = step / steps
            u = 1 - t
            shares = (u**3, 3 * u * u * t, 3 * u * t * t, t**3)
            found.append(
                Point(
                    sum(w * p.x for w, p in zip(shares, (a, b, c, d), strict=True)),
                    sum(w * p.y for w, p in zip(shares, (a, b, c, d), strict=True)),
                )
            )
    return found


@given(graphs(), st.booleans())
@settings(deadline=None)
def test_nodes_never_overlap_and_lie_within_the_drawing(graph: Graph, down: bool) -> None:
    sizes, edges = graph
    layout = lay_out(sizes, edges, down=down)
    boxes = rectangles(sizes, layout)
    assert not any(overlap(one, other) for one, other in combinations(boxes, 2))
    for left, top, right, bottom in boxes:
        assert left >= 0
        assert top >= 0
        assert right <= layout.width
        assert bottom <= layout.height


@given(graphs(), st.booleans())
@settings(deadline=None)
def test_every_edge_runs_from_its_sender_to_its_receiver(graph: Graph, down: bool) -> None:
    sizes, edges = graph
    layout = lay_out(sizes, edges, down=down)
    boxes = rectangles(sizes, layout)
    for (sender, receiver), route in zip(edges, layout.routes, strict=True):
        left, top, right, bottom = boxes[sender]
        assert (route.start.y == bottom) if down else (route.start.x == right)
        assert (left < route.start.x < right) if down else (top < route.start.y < bottom)
        left, top, right, bottom = boxes[receiver]
        assert (route.end.y == top) if down else (route.end.x == left)
        assert (left < route.end.x < right) if down else (top < route.end.y < bottom)
        assert len(route.curve) % 3 == 1


@given(graphs())
@settings(deadline=None)
def test_edges_pass_beside_nodes_that_are_not_theirs(graph: Graph) -> None:
    sizes, edges = graph
    layout = lay_out(sizes, edges)
    boxes = rectangles(sizes, layout)
    for (sender, receiver), route in zip(edges, layout.routes, strict=True):
        for number, (left, top, right, bottom) in enumerate(boxes):
            if number in (sender, receiver):
                continue
            for x, y in along(route.curve):
                assert not (left + 1 < x < right - 1 and top + 1 < y < bottom - 1)


@given(graphs())
@settings(deadline=None)
def test_an_edge_leads_to_a_later_layer_unless_it_leads_back(graph: Graph) -> None:
    sizes, edges = graph
    layout = lay_out(sizes, edges)
    for (sender, receiver), route in zip(edges, layout.routes, strict=True):
        if route.is_back:
            assert layout.layers[receiver] <= layout.layers[sender]
        else:
            assert layout.layers[receiver] > layout.layers[sender]


@given(graphs(), st.booleans())
@settings(deadline=None)
def test_the_same_graph_is_always_drawn_the_same(graph: Graph, down: bool) -> None:
    assert lay_out(*graph, down=down) == lay_out(*graph, down=down)


def test_a_graph_without_cycles_has_no_edge_that_leads_back() -> None:
    edges = [(0, 1), (1, 2), (0, 3), (3, 2), (0, 2)]
    assert not any(route.is_back for route in lay_out([SIDE] * 4, edges).routes)


def test_a_cycle_is_closed_by_the_edge_to_the_node_that_came_first() -> None:
    # prompt, joiner, llm, validator, and back to the joiner
    edges = [(0, 1), (1, 2), (2, 3), (3, 1)]
    layout = lay_out([SIDE] * 4, edges)
    assert [route.is_back for route in layout.routes] == [False, False, False, True]
    assert layout.layers == (1, 2, 3, 4) or layout.layers == (0, 1, 2, 3)


def test_a_chain_is_drawn_as_a_straight_line() -> None:
    layout = lay_out([SIDE] * 5, list(pairwise(range(5))))
    assert {corner.y for corner in layout.corners} == {0}
    assert all(route.start.y == route.end.y for route in layout.routes)


def test_running_down_exchanges_the_axes() -> None:
    layout = lay_out([SIDE] * 3, [(0, 1), (1, 2)], down=True)
    assert {corner.x for corner in layout.corners} == {0}
    assert layout.height > 3 * SIDE.height


def test_what_feeds_a_late_node_stands_right_before_it() -> None:
    # 5 only feeds 4, the end of a chain.
    layout = lay_out([SIDE] * 6, [(0, 1), (1, 2), (2, 3), (3, 4), (5, 4)])
    assert layout.layers[5] == layout.layers[4] - 1


def test_branches_that_could_run_side_by_side_do_not_cross() -> None:
    # Two fans whose receivers are numbered the wrong way round.
    edges = [(0, 3), (0, 2), (1, 5), (1, 4), (2, 6), (3, 7), (4, 8), (5, 9)]
    found = layered(10, edges, lambda: False)
    assert crossings(found.order, found.after) == 0


def test_ordering_the_layers_takes_most_crossings_away() -> None:
    dice = random.Random(7)
    lefts = list(range(12))
    rights = list(range(12, 24))
    dice.shuffle(rights)
    edges = list(zip(lefts, rights, strict=True)) + list(zip(lefts[1:], rights, strict=False))
    found = layered(24, edges, lambda: False)
    assert crossings(found.order, found.after) == 0


def crossings(order: list[list[int]], after: list[list[int]]) -> int:
    position = {place: index for row in order for index, place in enumerate(row)}
    ends = [
        (position[place], position[one], layer)
        for layer, row in enumerate(order)
        for place in row
        for one in after[place]
    ]
    return sum(
        one[2] == other[2] and (one[0] - other[0]) * (one[1] - other[1]) < 0
        for one, other in combinations(ends, 2)
    )


def test_a_label_gets_the_room_that_it_needs() -> None:
    near = lay_out([SIDE] * 2, [(0, 1)])
    far = lay_out([SIDE] * 2, [(0, 1)], label_room=[200])
    assert far.corners[1].x - near.corners[1].x == 200 - 56


def test_parts_that_nothing_joins_share_the_page() -> None:
    layout = lay_out([SIDE] * 40, [])
    assert layout.width < 8 * layout.height
    assert layout.height < 8 * layout.width


@pytest.mark.parametrize("count", [200, 2_000])
def test_a_large_pipeline_is_laid_out_without_overlaps(count: int) -> None:
    sizes, edges = made_graph(count, seed=3)
    layout = lay_out(sizes, edges)
    by_layer: dict[float, list[tuple[float, ...]]] = {}
    for box in rectangles(sizes, layout):
        by_layer.setdefault(box[0], []).append(box)
    for row in by_layer.values():
        row.sort(key=lambda box: box[1])
        assert all(one[3] < other[1] for one, other in pairwise(row))
    assert len(layout.routes) == len(edges)


def test_an_answer_that_is_not_wanted_any_more_is_given_early_and_whole() -> None:
    sizes, edges = made_graph(50, seed=1)
    layout = lay_out(sizes, edges, stopped=lambda: True)
    assert len(layout.corners) == 50
    assert all(len(route.curve) > 1 for route in layout.routes)


def test_an_empty_graph_has_no_size() -> None:
    assert lay_out([], []) == Layout((), (), (), 0, 0)
