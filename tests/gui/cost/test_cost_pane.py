"""The cost pane: what it says, what it unfolds to, whose prices it takes, where clicks lead."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QModelIndex, QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QFileDialog, QTreeView, QWidget
from pytestqt.qtbot import QtBot

from inspector.cost import prices as price_module
from inspector.gui.models.cost_model import Column, CostModel
from inspector.gui.panes.cost_pane import CostPane
from inspector.gui.widgets.cards import Banner
from inspector.gui.widgets.cost_bars import CostBars
from inspector.gui.widgets.cost_shares import CostShares
from inspector.gui.widgets.labels import Words
from inspector.gui.workspace.open_run import OpenRun
from tests.gui.cost.conftest import settle, shown_pane
from tests.helpers.drawn_runs import run_from_outline

OWN = """
name = "our contract"
date = "2026-11-20"

[prices."openai/gpt-4o-mini"]
input = 1
cached_input = 1

[prices."openai/zorblax-9"]
input = 10
output = 10
"""


@pytest.fixture
def own_list(tmp_path: Path) -> Path:
    path = tmp_path / "contract.toml"
    path.write_text(OWN, encoding="utf-8")
    return path


def view_of(pane: QWidget) -> QTreeView:
    found = pane.findChild(QTreeView)
    assert isinstance(found, QTreeView)
    return found


def model_of(pane: QWidget) -> CostModel:
    model = view_of(pane).model()
    assert isinstance(model, CostModel)
    return model


def chooser(pane: QWidget, name: str) -> QComboBox:
    return next(each for each in pane.findChildren(QComboBox) if each.accessibleName() == name)


def words_of(pane: QWidget) -> str:
    seen = (each.text() for each in pane.findChildren(Words) if each.isVisible())
    return "\n".join(seen).replace("\u202f", " ")


def cells(model: CostModel, column: int, parent: QModelIndex | None = None) -> list[str]:
    above = parent or QModelIndex()
    return [
        model.index(row, column, above).data().replace("\u202f", " ")
        for row in range(model.rowCount(above))
    ]


def click(view: QTreeView, index: QModelIndex) -> None:
    where = view.visualRect(index).center()
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=where)


def test_it_says_the_total_that_it_is_an_estimate_and_whose_prices_it_takes(
    pane: CostPane,
) -> None:
    said = words_of(pane)
    assert "≥ $0.0028" in said
    assert "estimate · 4 calls · 21 010 tok" in said
    assert "genai-prices" in said
    assert "of 2026-11-10, as they were on 2026-11-29" in said
    assert "The cost of 1 call is not known" in said


def test_components_stand_dearest_first_and_what_has_no_price_says_so(pane: CostPane) -> None:
    model = model_of(pane)
    assert cells(model, Column.WHAT) == ["dear", "cheap", "strange", "at_home"]
    assert cells(model, Column.COST) == ["≈ $0.0027", "≈ $0.00015", "no price", "local, no price"]
    assert cells(model, Column.TOKENS) == ["20 000 tok", "1 000 tok", "8 tok", "2 tok"]


def test_keys_unfold_a_total_to_its_multiplications(pane: CostPane, open_run: OpenRun) -> None:
    view, model = view_of(pane), model_of(pane)
    view.setFocus()
    for key in (Qt.Key.Key_Home, Qt.Key.Key_Right, Qt.Key.Key_Down, Qt.Key.Key_Right):
        QTest.keyClick(view, key)
    assert open_run.selection.span_id == "s3", "the call is selected on the way"
    call = model.index(0, 0, model.index(0, 0))
    assert view.isExpanded(call)
    assert cells(model, Column.WHAT, call) == [
        "input tokens: 16 000 × $0.15 / million",
        "input tokens from the cache: 4 000 × $0.075 / million",
    ]
    assert cells(model, Column.COST, call) == ["$0.0024", "$0.0003"]


def test_a_click_on_a_call_or_on_its_multiplication_goes_to_its_span(
    pane: CostPane, open_run: OpenRun
) -> None:
    view, model = view_of(pane), model_of(pane)
    view.expandAll()
    click(view, model.index(0, 0, model.index(1, 0)))
    assert open_run.selection.span_id == "s2"
    line = model.index(1, 0, model.index(0, 0, model.index(0, 0)))
    click(view, line)
    assert open_run.selection.span_id == "s3"
    assert view.currentIndex() == line, "what was clicked stays current"


def test_a_span_that_is_selected_elsewhere_is_marked_and_nothing_unfolds(
    pane: CostPane, open_run: OpenRun
) -> None:
    view, model = view_of(pane), model_of(pane)
    open_run.selection.select("s3")
    assert not view.isExpanded(model.index(0, 0))
    view.expand(model.index(0, 0))
    open_run.selection.select("s2")
    open_run.selection.select("s3")
    assert view.currentIndex() == model.index(0, 0, model.index(0, 0))
    open_run.selection.select("s1")
    assert not view.currentIndex().isValid()


def test_it_adds_up_by_llm_and_offers_steps_and_tools_only_where_there_are_any(
    pane: CostPane,
) -> None:
    by = chooser(pane, "Add up by")
    QTest.keyClick(by, Qt.Key.Key_Down)
    assert cells(model_of(pane), Column.WHAT) == [
        "openai/gpt-4o-mini", "openai/zorblax-9", "ollama/llama3.2",
    ]  # fmt: skip
    QTest.keyClick(by, Qt.Key.Key_Down)
    assert by.currentData() == "llm", "no call was made in a step or a tool"


def test_another_day_is_another_estimate(pane: CostPane, open_run: OpenRun, qtbot: QtBot) -> None:
    day = chooser(pane, "Whose day's prices")
    QTest.keyClick(day, Qt.Key.Key_Down)
    settle(open_run, qtbot)
    assert open_run.pricing.choice.as_of == "today"
    made = open_run.pricing.priced
    assert made is not None
    assert made.estimate.as_of is not None
    assert f"as they were on {made.estimate.as_of}" in words_of(pane)
    QTest.keyClick(day, Qt.Key.Key_Up)
    settle(open_run, qtbot)
    assert "as they were on 2026-11-29" in words_of(pane)


def test_a_person_chooses_prices_of_their_own(
    pane: CostPane, open_run: OpenRun, own_list: Path, qtbot: QtBot
) -> None:
    lists = chooser(pane, "Price list")
    QTest.keyClick(lists, Qt.Key.Key_Down)
    dialog = pane.findChild(QFileDialog)
    assert dialog is not None
    assert lists.currentText() == "from the bundled list", "until there is another"
    dialog.fileSelected.emit(str(own_list))
    dialog.close()
    settle(open_run, qtbot)
    said = words_of(pane)
    assert "our contract of 2026-11-20, then genai-prices" in said
    assert "≈ $0.021" in said, "nothing is unknown any more"
    assert "is not known" not in said
    assert lists.currentText() == "from contract.toml first"


def test_another_list_alone_leaves_out_what_is_not_in_it(
    pane: CostPane, open_run: OpenRun, own_list: Path, qtbot: QtBot
) -> None:
    own_list.write_text('[prices."openai/zorblax-9"]\ninput = 10\noutput = 10\n')
    pane.price_with(own_list, only=True)
    settle(open_run, qtbot)
    assert cells(model_of(pane), Column.COST)[:2] == ["≈ $0.000080", "no price"]
    assert "genai-prices" not in words_of(pane)
    assert chooser(pane, "Price list").currentText() == "from contract.toml only"
    pane.price_with(None)
    settle(open_run, qtbot)
    assert "≥ $0.0028" in words_of(pane)


def test_a_list_that_cannot_be_used_changes_nothing_and_says_why(
    pane: CostPane, open_run: OpenRun, tmp_path: Path, qtbot: QtBot
) -> None:
    broken = tmp_path / "broken.toml"
    broken.write_text("[prices.x]\nimput = 1\n")
    pane.price_with(broken)
    settle(open_run, qtbot)
    banner = pane.findChild(Banner)
    assert banner is not None
    assert "nothing is called 'imput'" in banner.text
    assert "≥ $0.0028" in words_of(pane)
    assert chooser(pane, "Price list").currentText() == "from the bundled list"
    pane.price_with(broken)
    settle(open_run, qtbot)
    assert banner.text, "choosing it again tries again"


def test_a_click_on_a_bar_goes_to_the_call(pane: CostPane, open_run: OpenRun) -> None:
    bars = pane.findChild(CostBars)
    assert bars is not None
    assert "dearest" not in bars.accessibleDescription()
    assert "in 4\u202fbars" in bars.accessibleDescription()
    at_half = bars.slot_center(30).toPoint()
    QTest.mouseClick(bars, Qt.MouseButton.LeftButton, pos=at_half)
    assert open_run.selection.span_id == "s3"
    QTest.mouseClick(bars, Qt.MouseButton.LeftButton, pos=QPoint(at_half.x() - 100, at_half.y()))
    assert open_run.selection.span_id == "s3", "nothing was called there"


def test_keys_go_from_bar_to_bar(pane: CostPane, open_run: OpenRun) -> None:
    bars = pane.findChild(CostBars)
    assert bars is not None
    bars.setFocus()
    QTest.keyClick(bars, Qt.Key.Key_Right)
    assert "≈ $0.00015" in bars.accessibleDescription().replace("\u202f", " ")
    QTest.keyClick(bars, Qt.Key.Key_Return)
    assert open_run.selection.span_id == "s2"
    for _ in range(5):
        QTest.keyClick(bars, Qt.Key.Key_Right)
    QTest.keyClick(bars, Qt.Key.Key_Return)
    assert open_run.selection.span_id == "s5"
    QTest.keyClick(bars, Qt.Key.Key_Left)
    QTest.keyClick(bars, Qt.Key.Key_Return)
    assert open_run.selection.span_id == "s4"


def test_a_share_leads_to_its_row(pane: CostPane) -> None:
    shares = pane.findChild(CostShares)
    assert shares is not None
    assert "dear · ≈ $0.0027 · 95\u202f%" in shares.accessibleDescription()
    QTest.mouseClick(shares, Qt.MouseButton.LeftButton, pos=shares.slice_center(1).toPoint())
    view, model = view_of(pane), model_of(pane)
    assert view.currentIndex() == model.index(1, 0)
    assert view.isExpanded(model.index(1, 0))
    QTest.keyClick(shares, Qt.Key.Key_Left)
    QTest.keyClick(shares, Qt.Key.Key_Return)
    assert view.currentIndex() == model.index(0, 0)


def test_a_run_without_a_model_says_what_would_be_here(qtbot: QtBot) -> None:
    opened = OpenRun(run_from_outline("pipeline 0-10\n  joiner 1-2"))
    pane = shown_pane(opened, qtbot)
    assert "there is nothing to price" in words_of(pane)
    opened.close()


@pytest.fixture
def without_a_price_list(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Stand in an environment in which the price library is not installed."""
    for name in [each for each in sys.modules if each.partition(".")[0] == "genai_prices"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.delitem(sys.modules, "inspector.cost.bundled", raising=False)
    monkeypatch.setitem(sys.modules, "genai_prices", None)
    price_module._bundled.cache_clear()
    yield
    monkeypatch.undo()
    price_module._bundled.cache_clear()


@pytest.mark.usefixtures("without_a_price_list")
def test_without_a_price_list_it_shows_tokens_and_says_so(open_run: OpenRun, qtbot: QtBot) -> None:
    pane = shown_pane(open_run, qtbot)
    said = words_of(pane)
    assert "no price list is installed" in said
    assert "no price\n" in said
    assert cells(model_of(pane), Column.WHAT) == ["dear", "cheap", "strange", "at_home"]
    assert cells(model_of(pane), Column.TOKENS)[0] == "20 000 tok"
    bars, shares = pane.findChild(CostBars), pane.findChild(CostShares)
    assert bars is not None
    assert bars.accessibleName() == "Tokens over time (no price is known)"
    assert shares is not None
    assert "95\u202f%" in shares.accessibleDescription()


def test_every_control_has_a_name(pane: CostPane) -> None:
    for widget in pane.findChildren(QWidget):
        if widget.focusPolicy() & Qt.FocusPolicy.TabFocus and widget.isVisible():
            assert widget.accessibleName(), widget


def test_a_range_of_time_leaves_the_calls_in_it_and_the_verdict_the_whole(
    open_run: OpenRun, pane: CostPane, qtbot: QtBot
) -> None:
    whole = open_run.pricing.priced
    before = words_of(pane)
    open_run.range.set(4_500_000_000, 7_500_000_000)
    settle(open_run, qtbot)
    assert "2 calls" in words_of(pane)
    assert "in this stretch of time" in words_of(pane)
    assert {"dear", "strange"} == set(cells(model_of(pane), Column.WHAT))
    # What the verdict says is about the run.
    assert open_run.pricing.priced is whole
    open_run.range.clear()
    settle(open_run, qtbot)
    assert words_of(pane) == before


def test_a_range_without_a_call_says_so(open_run: OpenRun, pane: CostPane, qtbot: QtBot) -> None:
    open_run.range.set(2_500_000_000, 4_500_000_000)
    settle(open_run, qtbot)
    assert "No call of a model reaches into this stretch of time" in words_of(pane)
    open_run.range.clear()
    settle(open_run, qtbot)
    assert "4 calls" in words_of(pane)


def test_other_prices_count_in_a_range_too(
    open_run: OpenRun, pane: CostPane, own_list: Path, qtbot: QtBot
) -> None:
    open_run.range.set(6_500_000_000, 8_500_000_000)
    settle(open_run, qtbot)
    assert cells(model_of(pane), Column.COST) == ["no price"]
    pane.price_with(own_list)
    settle(open_run, qtbot)
    assert cells(model_of(pane), Column.COST) == ["≈ $0.000080"]
