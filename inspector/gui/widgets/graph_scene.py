"""What a graph's widget draws: where everything stands, and what it says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainterPath, QPainterPathStroker

from inspector.presentation.graph_words import card_words, edge_label, route_label

if TYPE_CHECKING:
    from collections.abc import Sequence

    from inspector.presentation.graph_arrangement import Arrangement, Card
    from inspector.presentation.graph_traces import Bounds, Traces
    from inspector.presentation.graph_words import CardWords


class GraphScene:
    """A drawing with its words, for one stretch of the run's time."""

    def __init__(
        self,
        traces: Traces,
        arrangement: Arrangement,
        bounds: Bounds | None,
        *,
        paths: Sequence[QPainterPath] | None = None,
    ) -> None:
        self.traces = traces
        self.arrangement = arrangement
        self.bounds = bounds
        self.graph = traces.graph
        self.paths = paths or [_path(line.route.curve) for line in arrangement.lines]
        self.boxes = [path.controlPointRect().adjusted(-1, -1, 1, 1) for path in self.paths]
        self.passed = [traces.passed(line.edge, bounds) for line in arrangement.lines]
        self._words: dict[int, CardWords] = {}
        self._lines_at: dict[int, list[int]] = {}
        for index, line in enumerate(arrangement.lines):
            edge = self.graph.edges[line.edge]
            for node in {edge.sender, edge.receiver}:
                self._lines_at.setdefault(node, []).append(index)

    def within(self, bounds: Bounds | None) -> GraphScene:
        """Return the same drawing for another stretch of time."""
        return GraphScene(self.traces, self.arrangement, bounds, paths=self.paths)

    def words(self, node: int) -> CardWords:
        """Return what the card of a node says."""
        found = self._words.get(node)
        if found is None:
            found = self._words[node] = card_words(self.traces, node, self.bounds)
        return found

    def label(self, line: int, *, whole: bool) -> str:
        """Return the sockets of an edge; of a route, without `whole`, only its own name."""
        edge = self.graph.edges[self.arrangement.lines[line].edge]
        return edge_label(edge) if whole else route_label(edge)

    def lines_at(self, node: int) -> list[int]:
        """Return the edges, by their place among the lines, that begin or end at a node."""
        return self._lines_at.get(node, [])

    def line_of(self, edge: int) -> int | None:
        """Return the line of an edge, where that is drawn."""
        lines = self.arrangement.lines
        return next((index for index, line in enumerate(lines) if line.edge == edge), None)

    def line_at(self, point: QPointF, reach: float) -> int | None:
        """Return the edge under a place, or very near to it."""
        around = QRectF(point.x() - reach, point.y() - reach, 2 * reach, 2 * reach)
        stroker = QPainterPathStroker()
        stroker.setWidth(2 * reach)
        for index, box in enumerate(self.boxes):
            if not box.intersects(around):
                continue
            if stroker.createStroke(self.paths[index]).contains(point):
                return index
        return None

    def card(self, node: int) -> Card | None:
        return self.arrangement.card_of.get(node)


def _path(curve: tuple[tuple[float, float], ...]) -> QPainterPath:
    points = [QPointF(x, y) for x, y in curve]
    path = QPainterPath(points[0])
    for index in range(1, len(points), 3):
        path.cubicTo(*points[index : index + 3])
    return path
