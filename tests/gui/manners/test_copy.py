from pathlib import Path

import pytest
from PySide6.QtCore import QByteArray, QMimeData, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from inspector.gui import theme
from inspector.gui.app_program import Program
from inspector.gui.widgets.status_line import StatusLine
from inspector.gui.workspace.open_run import OpenRun
from inspector.presentation.links import Link, link_text
from tests.gui.conftest import open_file, wait_until_quiet

EXAMPLE = Path(__file__).parents[3] / "resources" / "examples" / "agent-tools.run.json"
CONTROL_SHIFT = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def agent(program: Program, qtbot: QtBot) -> OpenRun:
    QGuiApplication.clipboard().clear()
    return open_file(program, EXAMPLE, qtbot)


def copied(program: Program, qtbot: QtBot, name: str) -> str:
    program.content.action(name).trigger()
    wait_until_quiet(program, qtbot)
    return QGuiApplication.clipboard().text()


def said(program: Program) -> str:
    window = program.content.tabs.current_window
    assert window is not None
    (line,) = window.findChildren(StatusLine)
    return line.words.text()


def test_ctrl_shift_c_copies_a_link_that_leads_back(
    program: Program, agent: OpenRun, qtbot: QtBot
) -> None:
    agent.selection.select("s6", "outputs.replies[0]")
    QTest.keyClick(program.window, Qt.Key.Key_C, CONTROL_SHIFT)
    text = QGuiApplication.clipboard().text()
    assert text == link_text(Link(EXAMPLE, "s6", "outputs.replies[0]"))
    assert "clipboard" in said(program)
    agent.selection.select("s1")
    QTest.keyClick(program.window, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    wait_until_quiet(program, qtbot)
    assert len(program.workspace.open_runs) == 1
    assert agent.selection.focus == ("s6", "outputs.replies[0]")


def test_a_link_opens_its_file_there(program: Program, run_file: Path, qtbot: QtBot) -> None:
    mime = QMimeData()
    mime.setText(link_text(Link(run_file, "s6", "outputs")))
    with qtbot.waitSignal(program.workspace.added) as caught:
        assert program.opener.open_mime(mime)
    assert caught.args[0].selection.focus == ("s6", "outputs")


def test_a_link_asked_for_twice_opens_one_tab(
    program: Program, run_file: Path, qtbot: QtBot
) -> None:
    program.opener.open([run_file], at="s6")
    program.opener.open([run_file], at="s7")
    qtbot.waitUntil(lambda: not program.tasks.busy and bool(program.workspace.open_runs))
    assert len(program.workspace.open_runs) == 1


def test_a_link_to_another_machine_opens_nothing_and_says_so(program: Program) -> None:
    mime = QMimeData()
    mime.setText("run-inspector://host/share/a.run.json")
    program.opener.paste(mime)
    assert program.opener.under_way == ()
    assert "another machine" in program.content.banner.text


def test_the_command_opens_the_same_place(program: Program, agent: OpenRun, qtbot: QtBot) -> None:
    agent.selection.select("s6", "inputs.messages")
    text = copied(program, qtbot, "copy-command")
    assert text.endswith("--at s6 --field inputs.messages")


@pytest.mark.parametrize(
    ("name", "span", "part"),
    [
        ("copy-summary", "s6", "### `greenhouse_assistant`"),
        ("copy-prompt", "s6", "system:"),
        ("copy-tool-call", "s7", '"read_sensor"'),
        ("copy-value", "s7", "{"),
        ("copy-test", "s1", '@pytest.mark.recorded_run("agent-tools.run.json")'),
    ],
)
def test_each_shape_is_put_on_the_clipboard(
    program: Program, agent: OpenRun, qtbot: QtBot, name: str, span: str, part: str
) -> None:
    agent.selection.select(span)
    assert part in copied(program, qtbot, name)
    assert "is on the clipboard" in said(program)


def test_where_there_is_nothing_to_copy_the_clipboard_stays(
    program: Program, agent: OpenRun, qtbot: QtBot
) -> None:
    QGuiApplication.clipboard().setText("before")
    agent.selection.select("s7")
    assert copied(program, qtbot, "copy-prompt") == "before"
    assert said(program) == "This span sent no prompt."


def test_a_picture_of_the_timeline_is_copied(
    program: Program, agent: OpenRun, qtbot: QtBot
) -> None:
    program.content.action("copy-timeline").trigger()
    image = QGuiApplication.clipboard().image()
    assert image.width() > 600
    assert len({image.pixel(x, image.height() // 2) for x in range(0, image.width(), 7)}) > 3


def test_a_run_from_no_file_has_no_link(program: Program, qtbot: QtBot) -> None:
    QGuiApplication.clipboard().setText("before")
    with qtbot.waitSignal(program.workspace.added):
        program.opener.open_bytes(EXAMPLE.read_bytes(), "pasted run")
    wait_until_quiet(program, qtbot)
    assert copied(program, qtbot, "copy-link") == "before"
    assert "no file" in said(program)


def test_a_picture_of_the_span_is_copied_as_png_and_as_svg(
    program: Program, agent: OpenRun, qtbot: QtBot
) -> None:
    agent.selection.select("s8")
    copied(program, qtbot, "copy-card")
    mime = QGuiApplication.clipboard().mimeData()
    image = QGuiApplication.clipboard().image()
    assert image.width() > 600
    failed = theme.current().failed
    assert any(image.pixelColor(x, image.height() // 2) == failed for x in range(80))
    drawing = bytes(mime.data("image/svg+xml").data())
    assert QSvgRenderer(QByteArray(drawing)).isValid()
    assert b"does not answer" in drawing
    assert "PNG and as SVG" in said(program)


@pytest.mark.parametrize(("suffix", "begins"), [("png", b"\x89PNG"), ("svg", b"<?xml")])
def test_a_picture_of_the_span_is_saved_where_a_person_says(
    program: Program, agent: OpenRun, qtbot: QtBot, tmp_path: Path, suffix: str, begins: bytes
) -> None:
    agent.selection.select("s8")
    copied(program, qtbot, "save-card")
    (dialog,) = program.window.findChildren(QFileDialog)
    assert dialog.selectedFiles()[0].endswith("read_sensor.svg")
    path = tmp_path / f"card.{suffix}"
    dialog.fileSelected.emit(str(path))
    assert path.read_bytes().startswith(begins)
    assert said(program) == f"Saved card.{suffix}."
    dialog.close()
