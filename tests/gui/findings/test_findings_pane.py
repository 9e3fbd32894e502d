"""The findings pane, the way from finding to finding, and what the verdict says of both."""

from collections.abc import Iterator
from importlib.resources import as_file
from pathlib import Path

import pytest
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from inspector.assets import asset
from inspector.gui.app_program import Program
from inspector.gui.models.findings_model import FindingsModel
from inspector.gui.panes.cost_pane import CostPane
from inspector.gui.panes.findings_pane import FindingsPane
from inspector.gui.panes.run_window import RunWindow
from inspector.gui.widgets.empty_words import EmptyWords
from inspector.gui.widgets.findings_view import FindingsView
from inspector.gui.widgets.status_line import StatusLine
from inspector.gui.widgets.verdict_line import VerdictLine
from inspector.gui.workspace.open_run import OpenRun
from inspector.runfile.load import load_run
from tests.gui.conftest import open_file, wait_until_quiet
from tests.helpers.drawn_runs import run_from_outline


def opened_example(name: str) -> OpenRun:
    data = asset(f"examples/{name}.run.json").read_bytes()
    return OpenRun(load_run(data, use_cache=False), title=f"{name}.run.json")


@pytest.fixture
def open_run(qapp: QApplication) -> Iterator[OpenRun]:
    """Yield the agent whose tool fails and is called again, open."""
    made = opened_example("agent-tools")
    yield made
    made.close()


def shown(open_run: OpenRun, qtbot: QtBot) -> FindingsPane:
    pane = FindingsPane(open_run)
    qtbot.addWidget(pane)
    pane.resize(620, 420)
    with qtbot.waitExposed(pane):
        pane.show()
    qtbot.waitUntil(lambda: open_run.findings.found is not None or bool(open_run.findings.failure))
    return pane


@pytest.fixture
def pane(open_run: OpenRun, qtbot: QtBot) -> FindingsPane:
    return shown(open_run, qtbot)


def model_of(view: FindingsView) -> FindingsModel:
    model = view.model()
    assert isinstance(model, FindingsModel)
    return model


def sentences(pane: FindingsPane) -> list[str]:
    model = model_of(pane.view)
    return [model.index(row).data() for row in range(model.rowCount())]


def empty_words(pane: QWidget) -> str:
    return " ".join(
        each.accessibleName() for each in pane.findChildren(EmptyWords) if each.isVisible()
    )


def click(view: FindingsView, index: QModelIndex, *, number: int | None = None) -> None:
    place = view.visualRect(index) if number is None else view.place_rect(index, number)
    assert not place.isEmpty()
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=place.center())


def test_findings_stand_worst_first_in_words_with_their_severity(pane: FindingsPane) -> None:
    first, second = sentences(pane)
    assert first.startswith("Warning: `read_sensor` failed in step 0")
    assert second.startswith("Note: `read_sensor` failed in step 0 and was called again")
    told = model_of(pane.view).index(1).data(Qt.ItemDataRole.AccessibleTextRole)
    assert "Spans: step 1 › read_sensor, step 0 › read_sensor" in told


def test_a_click_on_a_finding_goes_to_its_first_span(pane: FindingsPane, open_run: OpenRun) -> None:
    click(pane.view, model_of(pane.view).index(1))
    assert open_run.selection.span_id == "s12"


def test_a_click_on_a_span_goes_to_that_span(pane: FindingsPane, open_run: OpenRun) -> None:
    again = model_of(pane.view).index(1)
    click(pane.view, again, number=1)
    assert open_run.selection.span_id == "s8"
    click(pane.view, again, number=0)
    assert open_run.selection.span_id == "s12"


def test_keys_walk_the_list_and_the_spans_of_a_finding(
    pane: FindingsPane, open_run: OpenRun
) -> None:
    pane.view.setFocus()
    QTest.keyClick(pane.view, Qt.Key.Key_Down)
    QTest.keyClick(pane.view, Qt.Key.Key_End)
    assert open_run.selection.span_id == "s12"
    QTest.keyClick(pane.view, Qt.Key.Key_Right)
    assert open_run.selection.span_id == "s8"
    assert pane.view.currentIndex().row() == 1, "another span of the same finding"
    QTest.keyClick(pane.view, Qt.Key.Key_Right)
    assert open_run.selection.span_id == "s12"
    QTest.keyClick(pane.view, Qt.Key.Key_Home)
    assert open_run.selection.span_id == "s8"


def test_a_span_that_is_selected_elsewhere_marks_its_finding(
    pane: FindingsPane, open_run: OpenRun
) -> None:
    open_run.selection.select("s12")
    assert pane.view.currentIndex().row() == 1
    open_run.selection.select("s8")
    assert pane.view.currentIndex().row() == 1, "it proves this one as well"
    open_run.selection.select("s1")
    assert not pane.view.currentIndex().isValid()
    open_run.selection.select("s8")
    assert pane.view.currentIndex().row() == 0, "the one that begins with it"
    assert open_run.selection.span_id == "s8"


def test_a_severity_can_be_left_out_and_comes_back(pane: FindingsPane, open_run: OpenRun) -> None:
    open_run.selection.select("s12")
    buttons = {each.accessibleName(): each for each in pane.findChildren(QToolButton)}
    warnings = buttons["Show 1\u202fwarning"]
    notes = buttons["Show 1\u202fnote"]
    assert not buttons["Show 0\u202ferrors"].isVisible()
    QTest.mouseClick(notes, Qt.MouseButton.LeftButton)
    assert [each.partition(":")[0] for each in sentences(pane)] == ["Warning"]
    assert open_run.selection.span_id == "s12", "what is read does not change by that"
    warnings.setFocus()
    QTest.keyClick(warnings, Qt.Key.Key_Space)
    assert sentences(pane) == []
    assert "2\u202ffindings left out" in empty_words(pane)
    QTest.mouseClick(notes, Qt.MouseButton.LeftButton)
    assert pane.view.isVisible()
    assert pane.view.currentIndex().row() == 0


def test_a_run_that_is_well_says_that_there_is_nothing_to_report(qtbot: QtBot) -> None:
    opened = opened_example("rag-answer")
    pane = shown(opened, qtbot)
    assert empty_words(pane).startswith("Nothing to report")
    opened.close()


def test_more_of_a_run_is_looked_at_as_it_comes(qtbot: QtBot) -> None:
    opened = OpenRun(run_from_outline("pipeline 0-10\n  a 1-2"))
    pane = shown(opened, qtbot)
    assert empty_words(pane).startswith("Nothing to report")
    with qtbot.waitSignal(opened.findings.changed):
        opened.replace_run(run_from_outline("pipeline 0-10\n  a 1-2\n  b 3-4 failed"))
    assert sentences(pane) == ["Warning: `b` failed, and what went wrong was not recorded."]
    opened.close()


# In the window


@pytest.fixture
def window(program: Program, qtbot: QtBot) -> RunWindow:
    """Return the agent's tab in a real window."""
    with as_file(asset("examples/agent-tools.run.json")) as path:
        open_file(program, path, qtbot)
    found = program.content.tabs.current_window
    assert found is not None
    qtbot.waitUntil(lambda: found.open_run.findings.found is not None)
    wait_until_quiet(program, qtbot)
    return found


def facts(window: RunWindow) -> dict[str, QAbstractButton]:
    line = window.findChild(VerdictLine)
    assert line is not None
    return {each.text(): each for each in line.findChildren(QAbstractButton)}


def test_the_verdict_says_how_much_was_found_and_leads_there(
    window: RunWindow, program: Program, qtbot: QtBot
) -> None:
    QTest.mouseClick(facts(window)["2\u202ffindings"], Qt.MouseButton.LeftButton)
    pane = window.findChild(FindingsPane)
    assert pane is not None
    assert pane.isVisible()
    assert pane.view.hasFocus()
    assert len(sentences(pane)) == 2


def test_the_verdict_says_what_the_run_cost_and_leads_to_how(
    window: RunWindow, program: Program, qtbot: QtBot
) -> None:
    (cost,) = (button for text, button in facts(window).items() if text.startswith("≈"))
    assert cost.text() == "≈ $0.00083 (prices of 2026-11-10)"
    QTest.mouseClick(cost, Qt.MouseButton.LeftButton)
    wait_until_quiet(program, qtbot)
    pane = window.findChild(CostPane)
    assert pane is not None
    assert pane.isVisible()


def test_another_price_is_said_in_the_verdict_too(
    window: RunWindow, program: Program, tmp_path: Path, qtbot: QtBot
) -> None:
    own = tmp_path / "contract.toml"
    own.write_text(
        'only = true\ndate = "2026-01-01"\n[prices."openai/*"]\ninput = 1\noutput = 1\n',
        encoding="utf-8",
    )
    window.open_run.pricing.choose(window.open_run.pricing.choice._replace(path=own))
    qtbot.waitUntil(lambda: "≈ $0.0049 (prices of 2026-01-01)" in facts(window))


def test_keys_go_from_finding_to_finding_and_say_which_it_is(
    window: RunWindow, program: Program
) -> None:
    selection = window.open_run.selection
    status = window.findChild(StatusLine)
    assert status is not None
    program.window.activateWindow()
    QTest.keyClick(program.window, Qt.Key.Key_N)
    assert selection.span_id == "s8"
    QTest.keyClick(program.window, Qt.Key.Key_F8)
    assert selection.span_id == "s12"
    assert status.words.text().startswith(
        "Finding 2 of 2: `read_sensor` failed in step 0 and was called"
    )
    QTest.keyClick(program.window, Qt.Key.Key_N)
    assert (selection.span_id, status.words.text()) == ("s12", "No further finding")
    QTest.keyClick(program.window, Qt.Key.Key_N, Qt.KeyboardModifier.ShiftModifier)
    assert selection.span_id == "s8"
    assert status.words.text().startswith("Finding 1 of 2:")


def test_a_range_of_time_leaves_the_findings_in_it(open_run: OpenRun, pane: FindingsPane) -> None:
    model = model_of(pane.view)
    assert model.rowCount() == 2
    table = open_run.run.table
    failed = table.row_of("s8")
    assert failed is not None
    # Up to the failure, before it was tried again.
    open_run.range.set(0, table.end_ns[failed])
    assert model.rowCount() == 2
    open_run.range.set(table.end_ns[failed] + 1, table.end_of_run())
    assert model.rowCount() == 1
    open_run.range.set(0, 1)
    assert model.rowCount() == 0
    (said,) = [one for one in pane.findChildren(EmptyWords) if one.isVisible()]
    assert "2\u202ffindings outside of it" in said.accessibleName()
    open_run.range.clear()
    assert model.rowCount() == 2
