from pathlib import Path

import pytest
from PySide6.QtCore import QByteArray, Qt
from PySide6.QtGui import QImage
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog
from pytestqt.qtbot import QtBot

from inspector.gui import theme
from inspector.gui.app_program import Program
from inspector.gui.panes.graph_pane import GraphPane
from inspector.gui.settings import ThemeChoice
from tests.gui.conftest import open_file
from tests.gui.graph.conftest import EXAMPLES, Show, node
from tests.helpers.made_pipelines import component, run_of, topology


def test_a_picture_on_the_clipboard_shows_the_whole_graph(branch: GraphPane) -> None:
    branch.canvas.zoom(4)
    branch.copy_picture()
    image = QApplication.clipboard().image()
    scene = branch.canvas.scene
    assert scene is not None
    assert image.width() > 1.9 * scene.arrangement.width
    assert image.height() > 1.9 * scene.arrangement.height
    assert branch.frame.words == "The picture is on the clipboard."


def test_an_svg_is_a_drawing_that_others_can_open(branch: GraphPane, tmp_path: Path) -> None:
    path = tmp_path / "graph.svg"
    branch.write_picture(path)
    drawing = path.read_bytes()
    renderer = QSvgRenderer(QByteArray(drawing))
    assert renderer.isValid()
    assert b"front_desk" in drawing
    assert b"help_desk" in drawing
    assert branch.frame.words == "Saved graph.svg."


def test_names_from_a_file_stay_text_in_an_svg(show: Show, tmp_path: Path) -> None:
    built = topology({"<script>x": component(type_="house.<b>Part")})
    pane = show(run_of(built, [{"name": "made", "role": "pipeline"}, {"name": "<script>x"}]))
    pane.write_picture(tmp_path / "graph.svg")
    drawing = (tmp_path / "graph.svg").read_text(encoding="utf-8")
    assert "&lt;script&gt;x" in drawing
    assert "<script" not in drawing


def test_a_png_is_written_whole_or_not_at_all(branch: GraphPane, tmp_path: Path) -> None:
    branch.write_picture(tmp_path / "graph.png")
    assert QImage(str(tmp_path / "graph.png")).width() > 400
    branch.write_picture(tmp_path / "missing" / "graph.png")
    assert branch.frame.words.startswith("Cannot save graph.png")


def test_a_dialog_asks_where_to_save(branch: GraphPane, qtbot: QtBot) -> None:
    branch.save_picture()
    dialog = branch.findChild(QFileDialog)
    assert isinstance(dialog, QFileDialog)
    assert dialog.acceptMode() is QFileDialog.AcceptMode.AcceptSave
    dialog.close()


@pytest.mark.parametrize("choice", [ThemeChoice.LIGHT, ThemeChoice.DARK])
def test_what_failed_and_what_did_not_run_can_be_told_apart(
    show: Show, qapp: QApplication, choice: ThemeChoice
) -> None:
    built = topology({"good": component(), "bad": component(), "idle": component()})
    spans = [
        {"name": "made", "role": "pipeline"},
        {"name": "good"},
        {"name": "bad", "status": "failed"},
    ]
    theme.apply(qapp, choice)
    try:
        pane = show(run_of(built, spans))
        image = pane.canvas.grab().toImage()
        grounds = []
        for name in ("good", "bad", "idle"):
            rect = pane.canvas.rect_of(node(pane, name))
            assert rect is not None
            at = rect.bottomRight().toPoint()
            grounds.append(image.pixelColor(at.x() - 8, at.y() - 5))
        tokens = theme.current()
        assert grounds == [tokens.panel, tokens.failed_ground, tokens.window]
    finally:
        theme.apply(qapp, ThemeChoice.LIGHT)


def test_the_graph_has_a_dock_beside_the_components(program: Program, qtbot: QtBot) -> None:
    open_file(program, EXAMPLES / "validator-loop.run.json", qtbot)
    window = program.content.tabs.current_window
    assert window is not None
    host = window.host
    assert host.dock("graph") in host.tabifiedDockWidgets(host.dock("tree"))
    QTest.keyClick(program.window, Qt.Key.Key_5, Qt.KeyboardModifier.ControlModifier)
    pane = window.graph_pane
    assert pane.canvas.isVisible()
    assert pane.canvas.hasFocus()
    program.content.action("graph-list").trigger()
    assert pane.frame.is_list
    program.content.action("graph-fold").trigger()
    program.content.action("graph-unfold").trigger()
    program.content.action("graph-turn").trigger()
    program.content.action("graph-fit").trigger()
    program.content.action("graph-copy").trigger()
    assert not QApplication.clipboard().image().isNull()


def test_what_a_menu_does_to_the_graph_can_be_seen(program: Program, qtbot: QtBot) -> None:
    open_file(program, EXAMPLES / "untaken-branch.run.json", qtbot)
    program.content.action("graph-fold").trigger()
    window = program.content.tabs.current_window
    assert window is not None
    qtbot.waitUntil(window.graph_pane.canvas.isVisible)
    scene = window.graph_pane.canvas.scene
    assert scene is not None
    assert len(scene.arrangement.cards) == 4


def test_letters_zoom_the_graph_and_not_the_timeline_while_it_has_the_focus(
    program: Program, qtbot: QtBot
) -> None:
    open_file(program, EXAMPLES / "validator-loop.run.json", qtbot)
    window = program.content.tabs.current_window
    assert window is not None
    window.show_pane("graph")
    canvas = window.graph_pane.canvas
    timeline, zoom = window.timeline_canvas.view, canvas.view.zoom
    QTest.keyClick(canvas, Qt.Key.Key_W)
    assert canvas.view.zoom > zoom
    assert window.timeline_canvas.view == timeline
