from pathlib import Path

from PySide6.QtCore import QPoint, QSettings, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from inspector.gui.app_program import Program, build
from inspector.gui.panes.run_window import RunWindow
from tests.gui.conftest import open_file, opened_run, run_window, write_run
from tests.helpers.drawn_runs import run_from_outline

NONE = Qt.KeyboardModifier.NoModifier
LEFT = Qt.MouseButton.LeftButton


def make_timeline_high(window: RunWindow) -> None:
    host = window.host
    docks = [host.dock(key) for key in ("timeline", "tree", "span")]
    below = host.height() - 400
    host.resizeDocks(docks, [400, below, below], Qt.Orientation.Vertical)


def test_the_layout_comes_back(
    opened: Program, qapp: QApplication, disk: QSettings, run_file: Path, qtbot: QtBot
) -> None:
    run_window(opened).host.dock("timeline").hide()
    opened.window.close()
    again = build(qapp, disk)
    qtbot.addWidget(again.window)
    again.window.show()
    open_file(again, run_file, qtbot)
    assert not run_window(again).host.dock("timeline").isVisible()
    again.content.action("reset-layout").trigger()
    assert run_window(again).host.dock("timeline").isVisible()
    again.close()


def test_sizes_that_nobody_chose_do_not_come_back(
    opened: Program, run_file: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    first = run_window(opened)
    # As when the window of a run is left before it was ever laid out.
    make_timeline_high(first)
    other = tmp_path / "other.run.json"
    other.write_bytes(run_file.read_bytes())
    open_file(opened, other, qtbot)
    assert run_window(opened) is not first
    assert run_window(opened).host.dock("timeline").height() < 300


def test_the_timeline_of_the_next_run_has_room_for_more_lanes(
    opened: Program, tmp_path: Path, qtbot: QtBot
) -> None:
    before = run_window(opened).timeline_canvas.height()
    lines = [f"{'  ' * depth}c{depth} 0-{90 - depth}" for depth in range(9)]
    path = write_run(run_from_outline("\n".join(lines)), tmp_path / "deep.run.json")
    opened.window.resize(1280, 1100)
    open_file(opened, path, qtbot)
    timeline = run_window(opened).timeline_canvas
    qtbot.waitUntil(lambda: timeline.furthest_px == 0)
    assert timeline.height() > before


def test_sizes_that_a_person_chose_come_back(
    opened: Program, run_file: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    host = run_window(opened).host
    host.edge_taken.emit()
    make_timeline_high(run_window(opened))
    qtbot.waitUntil(lambda: host.dock("timeline").height() > 350)
    other = tmp_path / "other.run.json"
    other.write_bytes(run_file.read_bytes())
    open_file(opened, other, qtbot)
    qtbot.waitUntil(lambda: run_window(opened).host.dock("timeline").height() > 350)


def test_a_larger_window_gives_its_room_to_what_is_read(opened: Program, qtbot: QtBot) -> None:
    host = run_window(opened).host
    opened.window.resize(1800, 1200)
    qtbot.waitUntil(lambda: host.width() > 1700 and host.dock("span").width() > 1000)
    timeline = run_window(opened).timeline_canvas
    assert timeline.furthest_px == 0
    # Room for the lanes there are, and not for one more.
    lowest = max(timeline.rect_of(row).bottom() for row in range(len(opened_run(opened).spans)))
    assert timeline.height() - lowest < 2 * timeline.lane_px


def test_panes_that_a_person_moved_are_left_where_they_are(opened: Program, qtbot: QtBot) -> None:
    host = run_window(opened).host
    tree, span = host.dock("tree"), host.dock("span")
    edge = QPoint(
        (tree.geometry().right() + span.geometry().left()) // 2, tree.geometry().center().y()
    )
    QTest.mousePress(host, LEFT, NONE, edge)
    QTest.mouseMove(host, edge - QPoint(150, 0))
    QTest.mouseRelease(host, LEFT, NONE, edge - QPoint(150, 0))
    host.resizeDocks([tree, span], [300, 900], Qt.Orientation.Horizontal)
    qtbot.waitUntil(lambda: tree.width() < 450)
    opened.window.resize(opened.window.width() + 40, opened.window.height())
    qtbot.waitUntil(lambda: host.width() > 1300)
    assert tree.width() < 450
