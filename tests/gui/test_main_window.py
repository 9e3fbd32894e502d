from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, QSettings, Qt, QUrl
from PySide6.QtGui import (
    QDragEnterEvent,
    QDragLeaveEvent,
    QDropEvent,
    QGuiApplication,
    QKeySequence,
)
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QLineEdit,
    QPushButton,
    QTreeView,
    QWidget,
)
from pytestqt.qtbot import QtBot

from inspector.errors import InspectorError
from inspector.gui import theme
from inspector.gui.app_program import Program, build
from inspector.gui.messages import PROMISE
from inspector.gui.panes.pane_table import PANES
from inspector.gui.panes.run_info_pane import RunInfoPane
from inspector.gui.panes.span_pane import SpanPane
from inspector.gui.widgets.cards import FailureCard
from inspector.gui.widgets.choice_row import ChoiceRow
from inspector.gui.widgets.labels import Words
from tests.gui.conftest import open_file, run_window, wait_until_quiet

NONE = Qt.KeyboardModifier.NoModifier
LEFT = Qt.MouseButton.LeftButton


def words_in(widget: object) -> str:
    assert hasattr(widget, "findChildren")
    return "\n".join(label.text() for label in widget.findChildren(Words))


def urls(*paths: Path) -> QMimeData:
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    return mime


def drag_enter(program: Program, mime: QMimeData) -> QDragEnterEvent:
    event = QDragEnterEvent(QPoint(50, 50), Qt.DropAction.CopyAction, mime, LEFT, NONE)
    QApplication.sendEvent(program.window, event)
    return event


def drop(program: Program, mime: QMimeData, x: float = 50) -> None:
    event = QDropEvent(QPointF(x, 50), Qt.DropAction.CopyAction, mime, LEFT, NONE)
    QApplication.sendEvent(program.window, event)


def test_the_start_page_makes_its_promise_and_offers_the_examples(program: Program) -> None:
    page = program.content.tabs.start_page
    assert PROMISE in words_in(page)
    rows = page.findChildren(ChoiceRow)
    assert len(rows) >= 8
    assert all(row.accessibleName() and row.accessibleDescription() for row in rows)


def first_example(program: Program) -> ChoiceRow:
    rows = program.content.tabs.start_page.findChildren(ChoiceRow)
    return next(row for row in rows if row.objectName() != "hayhooks")


def test_an_example_opens_with_a_click(program: Program, qtbot: QtBot) -> None:
    row = first_example(program)
    with qtbot.waitSignal(program.workspace.added) as caught:
        QTest.mouseClick(row, LEFT)
    wait_until_quiet(program, qtbot)
    assert caught.args[0].run.status == "completed"


def test_an_example_opens_from_the_keyboard(program: Program, qtbot: QtBot) -> None:
    row = first_example(program)
    row.setFocus()
    with qtbot.waitSignal(program.workspace.added):
        QTest.keyClick(row, Qt.Key.Key_Space)
    wait_until_quiet(program, qtbot)


def test_a_run_opens_in_a_tab_with_every_pane(opened: Program, run_file: Path) -> None:
    tabs = opened.content.tabs
    assert tabs.tabText(tabs.currentIndex()) == run_file.name
    window = run_window(opened)
    assert [dock.objectName() for dock in window.host.docks] == [spec.key for spec in PANES]
    assert opened.window.windowTitle() == f"{run_file.name} – Run Inspector"


def test_the_verdict_says_how_it_ended_and_what_it_took(opened: Program) -> None:
    said = words_in(run_window(opened)).replace("\u202f", " ")
    assert "completed in 100 ms" in said
    assert "2 LLM calls" in said
    assert "2 tool calls" in said
    assert "240 tokens" in said


def test_the_failure_in_the_verdict_leads_to_it(opened: Program, looping_run: object) -> None:
    (link,) = [
        button
        for button in run_window(opened).findChildren(QAbstractButton)
        if button.text().replace("\u202f", " ") == "1 failure"
    ]
    QTest.mouseClick(link, LEFT)
    open_run = opened.workspace.current
    assert open_run is not None
    assert open_run.run.span(open_run.selection.span_id or "").name == "search"


def test_a_failure_to_open_stays_on_the_start_page(
    program: Program, tmp_path: Path, qtbot: QtBot
) -> None:
    path = tmp_path / "broken.run.json"
    path.write_text("not a run")
    with qtbot.waitSignal(program.opener.failed):
        program.opener.open([path])
    tabs = program.content.tabs
    assert tabs.is_start_shown
    assert any("broken.run.json" in said for said in tabs.start_page.failures)


def test_a_failure_can_be_tried_again_and_goes_away_when_it_works(
    program: Program, run_file: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    path = tmp_path / "late.run.json"
    with qtbot.waitSignal(program.opener.failed):
        program.opener.open([path])
    path.write_bytes(run_file.read_bytes())
    card = program.content.tabs.start_page.findChildren(FailureCard)[0]
    (again,) = [b for b in card.findChildren(QPushButton) if b.text() == "Try again"]
    with qtbot.waitSignal(program.workspace.added):
        QTest.mouseClick(again, LEFT)
    wait_until_quiet(program, qtbot)
    assert program.content.tabs.start_page.failures == ()


def test_dragging_a_file_over_the_window_says_what_a_drop_does(
    program: Program, run_file: Path
) -> None:
    overlay = program.window.overlay
    event = drag_enter(program, urls(run_file))
    assert event.isAccepted()
    assert overlay.isVisible()
    assert overlay.words == f"Drop to open {run_file.name}"
    assert overlay.geometry() == program.window.rect()
    drag_enter(program, urls(run_file, run_file))
    assert overlay.words == "Drop to open both runs"
    QApplication.sendEvent(program.window, QDragLeaveEvent())
    assert not overlay.isVisible()


def test_dropped_files_open_in_tabs(
    program: Program, run_file: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    other = tmp_path / "other.run.json"
    other.write_bytes(run_file.read_bytes())
    drag_enter(program, urls(run_file, other))
    drop(program, urls(run_file, other), x=program.window.width() - 50)
    qtbot.waitUntil(lambda: len(program.workspace.open_runs) == 2)
    wait_until_quiet(program, qtbot)
    assert not program.window.overlay.isVisible()
    assert program.content.tabs.count() == 3


def test_letters_walk_the_run(opened: Program) -> None:
    open_run = opened.workspace.current
    assert open_run is not None
    keys = ((Qt.Key.Key_J, NONE), (Qt.Key.Key_J, NONE), (Qt.Key.Key_L, NONE))
    open_run.selection.select("s1")
    for key, modifier in keys:
        QTest.keyClick(opened.window, key, modifier)
    # Past s4: the agent is shown in the row of its component, s3.
    assert open_run.selection.span_id == "s5"
    QTest.keyClick(opened.window, Qt.Key.Key_K)
    assert open_run.selection.span_id == "s3"
    QTest.keyClick(opened.window, Qt.Key.Key_J)
    QTest.keyClick(opened.window, Qt.Key.Key_H)
    assert open_run.selection.span_id == "s3"
    QTest.keyClick(opened.window, Qt.Key.Key_G, Qt.KeyboardModifier.ShiftModifier)
    assert open_run.selection.span_id == open_run.run.spans[len(open_run.run.spans) - 1].id
    QTest.keyClick(opened.window, Qt.Key.Key_G)
    QTest.keyClick(opened.window, Qt.Key.Key_G)
    assert open_run.selection.span_id == "s1"


def test_jumps_lead_to_tool_calls_llm_calls_failures_and_visits(opened: Program) -> None:
    open_run = opened.workspace.current
    assert open_run is not None

    def name_after(key: Qt.Key) -> str:
        QTest.keyClick(opened.window, key)
        return open_run.run.span(open_run.selection.span_id or "").path

    open_run.selection.select("s1")
    first_tool = name_after(Qt.Key.Key_T)
    assert "tool:search" in first_tool
    second_tool = name_after(Qt.Key.Key_T)
    assert second_tool != first_tool
    open_run.selection.select("s1")
    assert name_after(Qt.Key.Key_E) == first_tool
    open_run.selection.select("s1")
    assert name_after(Qt.Key.Key_M).endswith("llm")
    open_run.selection.select("s2")
    assert name_after(Qt.Key.Key_Period) == "prompt_builder#2"
    assert name_after(Qt.Key.Key_Comma) == "prompt_builder#1"


def test_letters_do_nothing_while_a_text_field_has_the_focus(opened: Program, qtbot: QtBot) -> None:
    open_run = opened.workspace.current
    assert open_run is not None
    open_run.selection.select("s1")
    field = QLineEdit(run_window(opened))
    field.show()
    field.setFocus()
    qtbot.keyClicks(field, "jklhtg?")
    assert field.text() == "jklhtg?"
    assert open_run.selection.span_id == "s1"


def test_the_end_of_a_walk_is_said_and_the_selection_stays(opened: Program) -> None:
    open_run = opened.workspace.current
    assert open_run is not None
    QTest.keyClick(opened.window, Qt.Key.Key_G, Qt.KeyboardModifier.ShiftModifier)
    last = open_run.selection.span_id
    QTest.keyClick(opened.window, Qt.Key.Key_J)
    assert open_run.selection.span_id == last
    assert "last span" in words_in(run_window(opened))


def test_what_was_looked_at_can_be_walked_back(opened: Program) -> None:
    open_run = opened.workspace.current
    assert open_run is not None
    open_run.selection.select("s6")
    open_run.selection.select("s2")
    QTest.keyClick(opened.window, Qt.Key.Key_Left, Qt.KeyboardModifier.AltModifier)
    assert open_run.selection.span_id == "s6"
    QTest.keyClick(opened.window, Qt.Key.Key_Right, Qt.KeyboardModifier.AltModifier)
    assert open_run.selection.span_id == "s2"


def test_a_range_narrows_the_tree_the_walk_and_the_status_line(opened: Program) -> None:
    open_run = opened.workspace.current
    assert open_run is not None
    open_run.range.set(91_000_000, 99_000_000)
    assert "2 of 11 spans" in words_in(run_window(opened)).replace("\u202f", " ")
    open_run.selection.select("s1")
    QTest.keyClick(opened.window, Qt.Key.Key_J)
    assert open_run.run.span(open_run.selection.span_id or "").path == "prompt_builder#2"
    QTest.keyClick(opened.window, Qt.Key.Key_Backspace)
    assert open_run.range.bounds is None


def test_closing_the_last_run_leads_back_to_the_start_page(opened: Program) -> None:
    assert opened.content.action("next").isEnabled()
    opened.content.action("close").trigger()
    assert opened.workspace.open_runs == ()
    assert opened.content.tabs.is_start_shown
    assert not opened.content.action("next").isEnabled()


def test_what_needs_a_run_is_off_on_the_start_page(opened: Program) -> None:
    opened.content.action("start").trigger()
    assert opened.content.tabs.is_start_shown
    assert not opened.content.action("next").isEnabled()


def test_pasting_a_path_opens_it(program: Program, run_file: Path, qtbot: QtBot) -> None:
    QGuiApplication.clipboard().setText(str(run_file))
    with qtbot.waitSignal(program.workspace.added):
        QTest.keyClick(program.window, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    wait_until_quiet(program, qtbot)


def test_an_expected_failure_is_a_sentence_in_the_window(program: Program) -> None:
    program.messages.failed(InspectorError("This did not work.", hint="Try that."))
    assert program.content.banner.text == "This did not work. Try that."


def test_panes_are_reached_by_their_keys(opened: Program, qtbot: QtBot) -> None:
    for spec in PANES:
        opened.window.activateWindow()
        keys = QKeySequence(spec.shortcut)[0]
        QTest.keyClick(opened.window, keys.key(), keys.keyboardModifiers())
        pane = run_window(opened).host.dock(spec.key).widget()
        focus = QApplication.focusWidget()
        assert focus is not None
        assert pane is focus or pane.isAncestorOf(focus), spec.key


def test_the_theme_can_be_switched_and_comes_back(
    opened: Program, qapp: QApplication, disk: QSettings
) -> None:
    before = theme.current().dark
    opened.content.action("toggle-theme").trigger()
    assert theme.current().dark is not before
    assert build(qapp, disk).settings.current.theme == ("light" if before else "dark")
    opened.content.action("toggle-theme").trigger()
    assert theme.current().dark is before


def test_text_grows_with_every_row(opened: Program) -> None:
    view = run_window(opened).tree_pane.findChild(QTreeView)
    assert view is not None
    before = view.visualRect(view.model().index(0, 0)).height()
    for _ in range(4):
        opened.content.action("larger").trigger()
    QApplication.sendPostedEvents()
    assert theme.font().pointSizeF() > 12
    assert view.sizeHintForRow(0) > before
    opened.content.action("normal-text").trigger()


def test_a_file_given_at_the_start_is_not_preceded_by_the_start_page(
    qapp: QApplication, disk: QSettings, run_file: Path, qtbot: QtBot
) -> None:
    made = build(qapp, disk, expecting_runs=True)
    qtbot.addWidget(made.window)
    made.window.show()
    assert made.window.findChildren(ChoiceRow) == []
    open_file(made, run_file, qtbot)
    assert not made.content.tabs.is_start_shown
    made.close()


@pytest.mark.parametrize("shown", ["start", "run"])
def test_everything_that_takes_the_focus_has_a_name(
    opened: Program, shown: str, qtbot: QtBot
) -> None:
    if shown == "start":
        opened.content.action("start").trigger()
    nameless = [
        widget
        for widget in opened.window.findChildren(QWidget)
        if widget.isVisible()
        and widget.focusPolicy() & Qt.FocusPolicy.TabFocus
        and not (widget.accessibleName() or getattr(widget, "text", str)())
        and widget.metaObject().className() not in {"QTabBar", "QTabWidget", "QScrollArea"}
    ]
    assert nameless == []


def test_a_pane_that_nobody_looks_at_is_not_made(opened: Program, qtbot: QtBot) -> None:
    window = run_window(opened)
    assert window.findChildren(SpanPane)
    assert not window.findChildren(RunInfoPane)
    window.show_pane("info")
    assert window.findChildren(RunInfoPane)
