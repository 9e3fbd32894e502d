import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QTreeView
from pytestqt.qtbot import QtBot

from inspector.gui.models.roles import SPAN_ID_ROLE
from inspector.gui.models.span_tree_model import Column, SpanTreeModel
from inspector.gui.panes.tree_pane import TreePane
from inspector.gui.widgets.empty_words import EmptyWords
from inspector.gui.workspace.open_run import OpenRun
from tests.helpers.drawn_runs import run_from_outline


@pytest.fixture
def pane(open_run: OpenRun, qtbot: QtBot) -> TreePane:
    pane = TreePane(open_run)
    qtbot.addWidget(pane)
    pane.resize(500, 600)
    pane.show()
    return pane


@pytest.fixture
def view(pane: TreePane) -> QTreeView:  # the pane is asked for too, or Python would drop both
    return pane.view


def model_of(view: QTreeView) -> SpanTreeModel:
    model = view.model()
    assert isinstance(model, SpanTreeModel)
    return model


def visible_labels(view: QTreeView) -> list[str]:
    labels = []
    index = model_of(view).index(0, 0)
    while index.isValid():
        labels.append(index.data())
        index = view.indexBelow(index)
    return labels


def test_choosing_a_row_selects_its_span(open_run: OpenRun, view: QTreeView, qtbot: QtBot) -> None:
    with qtbot.waitSignal(open_run.selection.span_changed) as caught:
        view.setCurrentIndex(model_of(view).index_of("s6"))
    assert caught.args == ["s6"]


def test_selecting_a_span_elsewhere_moves_the_row(open_run: OpenRun, view: QTreeView) -> None:
    open_run.selection.select("s6")
    assert view.currentIndex().data(SPAN_ID_ROLE) == "s6"
    assert view.currentIndex().data() == "llm"


def test_selecting_opens_the_branches_around_the_span(
    open_run: OpenRun, pane: TreePane, view: QTreeView
) -> None:
    pane.fold_all()
    assert visible_labels(view) == ["pipeline"]
    open_run.selection.select("s6")
    assert "llm" in visible_labels(view)


def test_a_click_on_a_row_selects_its_span(open_run: OpenRun, view: QTreeView) -> None:
    box = view.visualRect(model_of(view).index_of("s7"))
    QTest.mouseClick(
        view.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, box.center()
    )
    assert open_run.selection.span_id == "s7"


def test_an_agent_stays_selected_though_its_component_has_the_row(
    open_run: OpenRun, view: QTreeView
) -> None:
    open_run.selection.select("s4")
    assert open_run.selection.span_id == "s4"
    assert view.currentIndex().data(SPAN_ID_ROLE) == "s3"


def test_a_click_on_that_row_selects_the_component(open_run: OpenRun, view: QTreeView) -> None:
    open_run.selection.select("s4")
    box = view.visualRect(model_of(view).index_of("s4"))
    QTest.mouseClick(
        view.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, box.center()
    )
    assert open_run.selection.span_id == "s3"


def test_arrow_keys_walk_the_rows(open_run: OpenRun, view: QTreeView) -> None:
    view.setCurrentIndex(model_of(view).index_of("s6"))
    QTest.keyClick(view, Qt.Key.Key_Down)
    assert open_run.selection.span_id == "s7"


def test_folding_and_unfolding_all(pane: TreePane, view: QTreeView) -> None:
    everything = visible_labels(view)
    pane.fold_all()
    assert visible_labels(view) == ["pipeline"]
    pane.unfold_all()
    assert visible_labels(view) == everything


def test_leaving_a_range_restores_branches_and_selection(
    open_run: OpenRun, view: QTreeView
) -> None:
    view.collapse(model_of(view).index_of("s5"))
    open_run.selection.select("s2")
    before = visible_labels(view)
    open_run.range.set(91_000_000, 99_000_000)
    assert visible_labels(view) == ["pipeline", "prompt_builder"]
    open_run.range.clear()
    assert visible_labels(view) == before
    assert open_run.selection.span_id == "s2"
    assert view.currentIndex().data(SPAN_ID_ROLE) == "s2"


def test_an_empty_stretch_says_so_and_how_to_leave_it(
    open_run: OpenRun, pane: TreePane, view: QTreeView
) -> None:
    open_run.range.set(500_000_000, 600_000_000)
    assert not view.isVisible()
    (empty,) = [one for one in pane.findChildren(EmptyWords) if one.isVisible()]
    assert "Backspace" in empty.accessibleName()


def test_a_run_that_grows_keeps_selection_and_branches(open_run: OpenRun, view: QTreeView) -> None:
    open_run.selection.select("s2")
    view.collapse(model_of(view).index_of("s5"))
    grown = run_from_outline(
        """
        pipeline 0-200
          prompt_builder 0-2
          agent:component 10-90
            agent 11-89
              step 12-50
                llm 12-40
                search:tool 40-50 failed
              step 50-88
                llm 50-70
                search:tool 70-88
          answer_builder 150-160
        """
    )
    open_run.replace_run(grown)
    assert "answer_builder" in visible_labels(view)
    assert view.currentIndex().data(SPAN_ID_ROLE) == "s2"
    assert not view.isExpanded(model_of(view).index_of("s5"))


def test_names_keep_their_room_when_the_tree_gets_narrow(pane: TreePane, view: QTreeView) -> None:
    def hidden() -> list[Column]:
        return [column for column in Column if view.isColumnHidden(column)]

    seen = []
    for width in range(600, 150, -10):
        pane.resize(width, 600)
        if hidden() not in seen:
            seen.append(hidden())
    # How wide is wide enough is a matter of the font; what goes first is not.
    assert seen == [[], [Column.SHARE], [Column.SHARE, Column.TOKENS]]
    pane.resize(600, 600)
    assert hidden() == []
