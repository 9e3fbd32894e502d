"""Rules that a person, or a project, does not want."""

from pathlib import Path

import pytest
from PySide6.QtCore import QSettings, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QCheckBox, QDialog, QLabel, QMenu
from pytestqt.qtbot import QtBot

from inspector.findings import RULES
from inspector.findings.plugins import plugin_rules
from inspector.gui.app_program import Program, build
from inspector.gui.panes.findings_pane import FindingsPane
from inspector.gui.widgets.rules_off_button import RulesOffButton
from inspector.gui.workspace.open_run import OpenRun
from inspector.presentation.examples import bundled_examples
from tests.gui.conftest import open_file, run_window, wait_until_quiet
from tests.helpers.rule_packages import HERE, install_rules

LEFT = Qt.MouseButton.LeftButton
NONE = Qt.KeyboardModifier.NoModifier


@pytest.fixture
def agent_file(tmp_path: Path) -> Path:
    """Return a copy of the bundled agent, whose tool fails and is called again."""
    source = next(one.path for one in bundled_examples() if "agent" in one.path.name)
    copy = tmp_path / "runs" / "agent.run.json"
    copy.parent.mkdir()
    copy.write_bytes(source.read_bytes())
    return copy


def shown(program: Program, path: Path, qtbot: QtBot) -> tuple[OpenRun, FindingsPane]:
    open_run = open_file(program, path, qtbot)
    run_window(program).show_pane("findings")
    pane = run_window(program).findChild(FindingsPane)
    assert isinstance(pane, FindingsPane)
    qtbot.waitUntil(lambda: open_run.findings.found is not None)
    wait_until_quiet(program, qtbot)
    return open_run, pane


def rules(open_run: OpenRun) -> set[str]:
    return {each.rule for each in open_run.findings.found or ()}


def press_in_menu(words: str, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: QApplication.activePopupWidget() is not None)
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    action = next(one for one in menu.actions() if one.text() == words)
    QTest.mouseClick(menu, LEFT, NONE, menu.actionGeometry(action).center())


def test_a_rule_is_switched_off_where_it_found_something_and_on_again(
    program: Program, agent_file: Path, disk: QSettings, qapp: QApplication, qtbot: QtBot
) -> None:
    open_run, pane = shown(program, agent_file, qtbot)
    assert rules(open_run) == {"failed", "retried"}
    view = pane.view
    row = next(
        row for row in range(view.model().rowCount())
        if "again" in view.model().index(row, 0).data()
    )  # fmt: skip
    view.customContextMenuRequested.emit(view.visualRect(view.model().index(row, 0)).center())
    press_in_menu("Switch off the rule retried", qtbot)
    qtbot.waitUntil(lambda: rules(open_run) == {"failed"})
    assert build(qapp, disk).settings.current.rules_off == ("retried",)
    button = pane.findChild(RulesOffButton)
    assert isinstance(button, RulesOffButton)
    assert button.text().replace("\u202f", " ") == "1 rule off"
    QTest.mouseClick(button, LEFT)
    press_in_menu("Switch on retried", qtbot)
    qtbot.waitUntil(lambda: rules(open_run) == {"failed", "retried"})
    assert not button.isVisible()


def test_the_settings_list_every_rule_and_one_press_counts_for_every_open_run(
    program: Program, agent_file: Path, qtbot: QtBot
) -> None:
    open_run, _pane = shown(program, agent_file, qtbot)
    program.content.action("settings").trigger()
    (dialog,) = [one for one in program.window.findChildren(QDialog) if one.isVisible()]
    boxes = {box.text().partition(":")[0]: box for box in dialog.findChildren(QCheckBox)}
    assert {rule.name for rule in RULES} <= set(boxes)
    QTest.mouseClick(boxes["failed"], LEFT, NONE, boxes["failed"].rect().center() / 4)
    assert program.settings.current.rules_off == ("failed",)
    qtbot.waitUntil(lambda: rules(open_run) == {"retried"})


def test_a_run_that_is_opened_later_is_looked_at_by_the_same_rules(
    program: Program, agent_file: Path, qtbot: QtBot
) -> None:
    program.settings.update(rules_off=("failed", "retried"))
    open_run, pane = shown(program, agent_file, qtbot)
    assert rules(open_run) == set()
    button = pane.findChild(RulesOffButton)
    assert isinstance(button, RulesOffButton)
    assert button.isVisible()  # or one would think that all is well


def test_a_project_switches_a_rule_off_and_the_window_says_so(
    program: Program, agent_file: Path, qtbot: QtBot
) -> None:
    project = agent_file.parents[1] / "pyproject.toml"
    project.write_text('[tool.run-inspector]\nfindings-off = ["retried"]\n')
    open_run, pane = shown(program, agent_file, qtbot)
    assert rules(open_run) == {"failed"}
    button = pane.findChild(RulesOffButton)
    assert isinstance(button, RulesOffButton)
    QTest.mouseClick(button, LEFT)
    qtbot.waitUntil(lambda: QApplication.activePopupWidget() is not None)
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    (line,) = menu.actions()
    assert (line.text(), line.isEnabled()) == ("retried: switched off in pyproject.toml", False)
    menu.close()


def test_a_mistake_in_the_project_is_said_and_every_rule_applied(
    program: Program, agent_file: Path, qtbot: QtBot
) -> None:
    project = agent_file.parents[1] / "pyproject.toml"
    project.write_text("[tool.run-inspector]\nfindings-off = 3\n")
    open_run, _pane = shown(program, agent_file, qtbot)
    assert rules(open_run) == {"failed", "retried"}
    assert "no list of names of rules" in open_run.findings.note


def test_rules_of_other_packages_are_shown_and_one_that_fails_is_named(
    program: Program, agent_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    qtbot: QtBot,
) -> None:  # fmt: skip
    install_rules(
        tmp_path / "site", monkeypatch,
        good=f"{HERE}:LONG", bad=f"{HERE}:BREAKS", none=f"{HERE}:NO_RULE",
    )  # fmt: skip
    try:
        open_run, pane = shown(program, agent_file, qtbot)
        assert rules(open_run) == {"failed", "retried", "long"}
        told = [each.text() for each in pane.findChildren(QLabel) if each.isVisible()]
        note = next(each for each in told if "was skipped" in each)
        assert "The rule breaks failed and was skipped: RuntimeError: Out of seeds." in note
        assert "The rules of none were skipped" in note
    finally:
        plugin_rules.cache_clear()
