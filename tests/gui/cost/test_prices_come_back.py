"""Whose prices a person works with is remembered, by the window and not in any run."""

from pathlib import Path

import pytest
from PySide6.QtCore import QSettings, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QFileDialog
from pytestqt.qtbot import QtBot

from inspector.gui.app_program import Program, build
from inspector.gui.panes.cost_pane import CostPane
from inspector.gui.settings import Memory
from inspector.gui.widgets.verdict_line import VerdictLine
from inspector.gui.workspace.open_run import OpenRun
from inspector.presentation.examples import bundled_examples
from tests.gui.conftest import open_file, run_window, wait_until_quiet
from tests.gui.hands import name_file

# So dear that it cannot be taken for a price of the bundled list.
PRICES = """
name = "our contract"
date = "2026-11-01"
[prices."openai/gpt-4o-mini*"]
input = 1_000_000
output = 1_000_000
"""


@pytest.fixture
def prices(tmp_path: Path) -> Path:
    path = tmp_path / "contract.toml"
    path.write_text(PRICES)
    return path


def example(name: str) -> Path:
    return next(one.path for one in bundled_examples() if one.path.name == f"{name}.run.json")


def opened_cost(program: Program, name: str, qtbot: QtBot) -> tuple[OpenRun, CostPane]:
    open_run = open_file(program, example(name), qtbot)
    run_window(program).show_pane("cost")
    pane = run_window(program).findChild(CostPane)
    assert isinstance(pane, CostPane)
    qtbot.waitUntil(lambda: open_run.pricing.priced is not None and not open_run.pricing.is_busy)
    return open_run, pane


def choose(program: Program, pane: CostPane, prices: Path, qtbot: QtBot) -> None:
    lists = next(
        box for box in pane.findChildren(QComboBox) if box.accessibleName() == "Price list"
    )
    QTest.keyClick(lists, Qt.Key.Key_Down)
    (dialog,) = pane.findChildren(QFileDialog)
    name_file(dialog, prices)
    qtbot.waitUntil(lambda: lists.currentText() == "from contract.toml first")
    wait_until_quiet(program, qtbot)


def source(open_run: OpenRun) -> str:
    assert open_run.pricing.priced is not None
    return open_run.pricing.priced.estimate.pricing_source


def test_the_next_run_is_priced_by_the_same_list_also_after_the_next_start(
    program: Program, prices: Path, disk: QSettings, qapp: QApplication, qtbot: QtBot
) -> None:
    first, pane = opened_cost(program, "rag-answer", qtbot)
    assert "our contract" not in source(first)
    choose(program, pane, prices, qtbot)
    assert "our contract" in source(first)
    second, _pane = opened_cost(program, "validator-loop", qtbot)
    assert "our contract" in source(second)
    later = build(qapp, disk)
    qtbot.addWidget(later.window)
    later.window.show()
    third, _pane = opened_cost(later, "rag-answer", qtbot)
    assert "our contract" in source(third)
    later.close()


def test_the_verdict_takes_that_list_too(
    program: Program, prices: Path, memory: Memory, qtbot: QtBot
) -> None:
    memory.remember_prices(prices, True, "run")
    open_file(program, example("rag-answer"), qtbot)
    line = run_window(program).findChild(VerdictLine)
    assert isinstance(line, VerdictLine)
    qtbot.waitUntil(lambda: "≈ $451" in str(line.shown).replace("\u202f", ""))


def test_a_list_that_is_gone_is_said_and_the_bundled_prices_are_taken(
    program: Program, prices: Path, memory: Memory, qtbot: QtBot
) -> None:
    memory.remember_prices(prices, False, "run")
    prices.unlink()
    open_run, _pane = opened_cost(program, "rag-answer", qtbot)
    assert "contract.toml" in open_run.pricing.failure[0]
    assert open_run.pricing.choice.path is None
    assert "our contract" not in source(open_run)


def test_a_list_that_cannot_be_used_is_not_remembered(
    program: Program, memory: Memory, tmp_path: Path, qtbot: QtBot
) -> None:
    open_run, pane = opened_cost(program, "rag-answer", qtbot)
    broken = tmp_path / "broken.toml"
    broken.write_text("prices = 3")
    pane.price_with(broken)
    qtbot.waitUntil(lambda: bool(open_run.pricing.failure[0]))
    assert memory.prices == (None, False, "run")


@pytest.mark.parametrize("stored", ["", "[]", '{"path": 3, "only": "yes", "as_of": "1999"}'])
def test_what_makes_no_sense_counts_as_not_chosen(disk: QSettings, stored: str) -> None:
    disk.setValue("prices", stored)
    assert Memory(disk).prices == (None, False, "run")
