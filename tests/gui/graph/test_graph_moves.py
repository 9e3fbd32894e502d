import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from inspector.gui.panes.graph_pane import GraphPane
from tests.gui.graph.conftest import CONTROL, LEFT, NONE, middle, node, path, press, select
from tests.gui.hands import pinch, wheel


def test_a_wheel_zooms_around_the_mouse(loop: GraphPane) -> None:
    at = middle(loop, "llm")
    wheel(loop.canvas, at, down=240)
    assert loop.canvas.view.zoom > 1
    assert (middle(loop, "llm") - at).manhattanLength() <= 2


def test_two_fingers_pan_and_zoom_with_control(loop: GraphPane) -> None:
    view = loop.canvas.view
    wheel(loop.canvas, QPoint(50, 50), down=-60, across=40, finger=True)
    moved = loop.canvas.view
    assert (moved.zoom, moved.x - view.x, moved.y - view.y) == (view.zoom, 20, -30)
    wheel(loop.canvas, QPoint(50, 50), down=60, finger=True, held=CONTROL)
    assert loop.canvas.view.zoom > view.zoom


def test_two_fingers_that_part_zoom(loop: GraphPane) -> None:
    zoom = loop.canvas.view.zoom
    pinch(loop.canvas, QPoint(50, 50), 0.25)
    assert loop.canvas.view.zoom == pytest.approx(1.25 * zoom)
    pinch(loop.canvas, QPoint(50, 50), -0.5)
    assert loop.canvas.view.zoom < zoom


def test_dragging_moves_the_graph_and_selects_nothing(loop: GraphPane) -> None:
    start, view = middle(loop, "llm"), loop.canvas.view
    QTest.mousePress(loop.canvas, LEFT, NONE, start)
    QTest.mouseMove(loop.canvas, start + QPoint(30, 10))
    QTest.mouseMove(loop.canvas, start + QPoint(60, 20))
    QTest.mouseRelease(loop.canvas, LEFT, NONE, start + QPoint(60, 20))
    assert (loop.canvas.view.x - view.x, loop.canvas.view.y - view.y) == (60, 20)
    assert path(loop) == "nothing"


def test_the_graph_cannot_be_lost_out_of_sight(loop: GraphPane) -> None:
    for _ in range(40):
        press(loop, Qt.Key.Key_D)
    scene = loop.canvas.scene
    assert scene is not None
    right = loop.canvas.view.to_screen(scene.arrangement.width, 0).x()
    assert right > 0


def test_selecting_moves_the_graph_only_when_the_node_is_out_of_sight(loop: GraphPane) -> None:
    select(loop.open_run, "llm#1")
    view = loop.canvas.view
    select(loop.open_run, "validator#1")
    assert loop.canvas.view == view
    for _ in range(6):
        press(loop, Qt.Key.Key_Plus)
    loop.canvas.show_view(loop.canvas.view.panned(-2000, -2000))
    select(loop.open_run, "prompt_builder#1")
    rect = loop.canvas.rect_of(node(loop, "prompt_builder"))
    assert rect is not None
    assert loop.canvas.rect().contains(rect.center().toPoint())


def test_a_graph_follows_the_shape_of_its_pane_until_a_person_turns_it(loop: GraphPane) -> None:
    def is_down() -> bool:
        scene = loop.canvas.scene
        assert scene is not None
        return scene.arrangement.down

    loop.resize(1400, 220)
    assert not is_down()
    loop.resize(300, 900)
    assert is_down()
    loop.turn()
    assert not is_down()
    loop.resize(280, 900)
    assert not is_down()
