from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from inspector.gui.panes.graph_pane import GraphPane
from inspector.gui.workspace.open_run import OpenRun
from inspector.runfile.load import load_run
from inspector.runfile.model import PipelineRun

EXAMPLES = Path(__file__).parents[3] / "resources" / "examples"

LEFT = Qt.MouseButton.LeftButton
NONE = Qt.KeyboardModifier.NoModifier
CONTROL = Qt.KeyboardModifier.ControlModifier

Show = Callable[[PipelineRun], GraphPane]


def example(name: str) -> PipelineRun:
    return load_run(EXAMPLES / f"{name}.run.json", use_cache=False)


@pytest.fixture
def show(qtbot: QtBot) -> Iterator[Show]:
    """Return a function that opens a run and shows its graph."""
    opened: list[OpenRun] = []

    def shown(run: PipelineRun) -> GraphPane:
        open_run = OpenRun(run)
        opened.append(open_run)
        pane = GraphPane(open_run)
        qtbot.addWidget(pane)
        pane.resize(900, 600)
        pane.show()
        qtbot.waitExposed(pane)
        qtbot.waitUntil(lambda: not open_run.tasks.busy)
        return pane

    yield shown
    for open_run in opened:
        open_run.close()


@pytest.fixture
def loop(show: Show) -> GraphPane:
    """Return the graph of a pipeline that goes round three times."""
    return show(example("validator-loop"))


@pytest.fixture
def branch(show: Show) -> GraphPane:
    """Return the graph of a pipeline with a route that was not taken."""
    return show(example("untaken-branch"))


def node(pane: GraphPane, *labels: str) -> int:
    """Return the number of a node, by the names of what it is inside of and its own."""
    scene = pane.canvas.scene
    assert scene is not None
    graph = scene.graph
    return next(one.number for one in graph.nodes if graph.labels(one.number) == list(labels))


def middle(pane: GraphPane, *labels: str) -> QPoint:
    """Return the middle of a card, or of a frame's title, on the canvas."""
    rect = pane.canvas.rect_of(node(pane, *labels))
    assert rect is not None
    return rect.center().toPoint()


def on_edge(pane: GraphPane, sender: str, receiver: str) -> QPoint:
    """Return a place on the canvas that is on an edge, but on no card."""
    canvas = pane.canvas
    scene = canvas.scene
    assert scene is not None
    nodes = scene.graph.nodes
    for index, line in enumerate(scene.arrangement.lines):
        joined = scene.graph.edges[line.edge]
        if (nodes[joined.sender].name, nodes[joined.receiver].name) != (sender, receiver):
            continue
        for share in range(1, 40):
            at = scene.paths[index].pointAtPercent(share / 40)
            point = canvas.view.to_screen(at.x(), at.y())
            if canvas.line_at(point.toPoint().toPointF()) == index:
                return point.toPoint()
    raise LookupError(f"{sender} to {receiver}")


def click(pane: GraphPane, at: QPoint) -> None:
    QTest.mouseClick(pane.canvas, LEFT, NONE, at)


def press(pane: GraphPane, key: Qt.Key, held: Qt.KeyboardModifier = NONE) -> None:
    QTest.keyClick(pane.canvas, key, held)


def path(pane: GraphPane) -> str:
    """Return the path of the selected span."""
    open_run = pane.open_run
    span_id = open_run.selection.span_id
    return "nothing" if span_id is None else open_run.run.span(span_id).path


def select(open_run: OpenRun, path_: str) -> None:
    span = open_run.run.at(path_)
    assert span is not None
    open_run.selection.select(span.id)
