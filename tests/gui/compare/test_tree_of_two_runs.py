from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QModelIndex, QPoint, Qt
from PySide6.QtTest import QAbstractItemModelTester, QTest
from PySide6.QtWidgets import QLabel, QMenu
from pytestqt.qtbot import QtBot

from inspector.gui.app_program import Program
from inspector.gui.models.compare_tree_model import CompareTreeModel
from inspector.gui.panes.comparison_window import ComparisonWindow
from inspector.gui.widgets.labels import ElidedWords
from inspector.gui.workspace.open_comparison import PairFocus
from tests.benchmarks.made_runs import agent_file, flat_file
from tests.gui.compare.conftest import Compare, example, wait_until_settled

LEFT_BUTTON = Qt.MouseButton.LeftButton


def click(window: ComparisonWindow, index: QModelIndex) -> None:
    view = window.tree.view
    view.scrollTo(index)
    QTest.mouseClick(view.viewport(), LEFT_BUTTON, pos=view.visualRect(index).center())


def child(window: ComparisonWindow, name: str) -> QModelIndex:
    model = window.tree.model
    root = model.index(0, 0)
    return next(
        index
        for row in range(model.rowCount(root))
        if (index := model.index(row, 0, root)).data() == name
    )


def open_menu(window: ComparisonWindow, index: QModelIndex, qtbot: QtBot) -> QMenu:
    view = window.tree.view
    point: QPoint = view.visualRect(index).center()
    # What a right click makes, whichever button the platform has for it.
    view.customContextMenuRequested.emit(point)
    qtbot.waitUntil(lambda: any(menu.isVisible() for menu in window.tree.findChildren(QMenu)))
    return next(menu for menu in window.tree.findChildren(QMenu) if menu.isVisible())


def choose(menu: QMenu, words: str) -> None:
    action = next(one for one in menu.actions() if one.text().startswith(words))
    assert action.isEnabled()
    QTest.mouseClick(menu, LEFT_BUTTON, pos=menu.actionGeometry(action).center())


def strip_words(window: ComparisonWindow) -> str:
    said = [label.text() for label in window.tree.findChildren(ElidedWords) if label.isVisible()]
    return "\n".join(said)


@pytest.fixture
def files(tmp_path: Path) -> Callable[[bytes, bytes], tuple[Path, Path]]:
    def write(left: bytes, right: bytes) -> tuple[Path, Path]:
        paths = (tmp_path / "left.run.json", tmp_path / "right.run.json")
        for path, data in zip(paths, (left, right), strict=True):
            path.write_bytes(data)
        return paths

    return write


def test_a_click_on_a_row_shows_both_spans_of_it(documents: ComparisonWindow, qtbot: QtBot) -> None:
    click(documents, child(documents, "prompt_builder"))
    wait_until_settled(documents, qtbot)
    assert documents.open_comparison.selection.focus == PairFocus(None, "s3", "s3")
    assert documents.detail.texts.view.changes
    assert not documents.decisions.table.selectionModel().hasSelection()


def test_the_chosen_decision_points_out_its_spans(documents: ComparisonWindow) -> None:
    assert documents.tree.view.currentIndex().data() == "retriever"
    QTest.keyClick(documents.decisions.table, Qt.Key.Key_Down)
    assert documents.tree.view.currentIndex().data() == "llm"


def test_the_map_leads_to_what_differs(prompts: ComparisonWindow, qtbot: QtBot) -> None:
    changes = prompts.tree.change_map
    tree = prompts.tree.model.tree
    assert tree is not None
    nodes = [node for node, _ in tree.marks()]
    assert [tree.row(node).left.label for node in nodes] == [  # type: ignore[union-attr]  # all have one
        "prompt_builder", "llm", "answer_builder",
    ]  # fmt: skip
    QTest.mouseClick(changes, LEFT_BUTTON, pos=changes.mark_place(nodes[-1]).center())
    assert prompts.tree.view.currentIndex().data() == "answer_builder"
    QTest.keyClick(changes, Qt.Key.Key_Up)
    assert prompts.tree.view.currentIndex().data() == "llm"
    wait_until_settled(prompts, qtbot)


def test_two_spans_stand_side_by_side_by_hand(prompts: ComparisonWindow, qtbot: QtBot) -> None:
    choose(open_menu(prompts, child(prompts, "retriever"), qtbot), "Align the left span")
    assert "Choose what stands beside retriever#1 on the right." in strip_words(prompts)
    click(prompts, child(prompts, "prompt_builder"))
    assert prompts.open_comparison.rules.sync == (("s2", "s3"),)
    wait_until_settled(prompts, qtbot)
    assert strip_words(prompts) == ""
    tree = prompts.tree.model.tree
    assert tree is not None
    row = tree.row(tree.node_of("s2", None) or 0)
    assert (row.left and row.left.label, row.right and row.right.label) == (
        "retriever", "prompt_builder",
    )  # fmt: skip
    assert row.how == "put side by side by hand"


def test_what_was_aligned_by_hand_is_what_is_shown_next(
    prompts: ComparisonWindow, qtbot: QtBot
) -> None:
    click(prompts, child(prompts, "llm"))
    wait_until_settled(prompts, qtbot)
    choose(open_menu(prompts, child(prompts, "llm"), qtbot), "Align the left span")
    click(prompts, child(prompts, "answer_builder"))
    wait_until_settled(prompts, qtbot)
    one = prompts.open_comparison
    focus = one.selection.focus
    assert focus.left is not None
    assert focus.right is not None
    paths = (one.left.run.span(focus.left).path, one.right.run.span(focus.right).path)
    assert paths == ("llm#1", "answer_builder#1")
    said = [each.text() for each in prompts.detail.findChildren(QLabel)]
    assert "llm ↔ answer_builder" in said
    assert "≠ differs" in said


def test_a_chosen_span_is_shown_beside_what_other_rules_put_there(
    prompts: ComparisonWindow, qtbot: QtBot
) -> None:
    one = prompts.open_comparison
    click(prompts, child(prompts, "retriever"))
    wait_until_settled(prompts, qtbot)
    one.selection.select(PairFocus(None, "s2", "s2"))
    one.set_rules(one.rules._replace(sync=(("s2", "s3"),)))
    wait_until_settled(prompts, qtbot)
    assert one.selection.focus == PairFocus(None, "s2", "s3")
    one.set_rules(one.rules._replace(sync=()))
    wait_until_settled(prompts, qtbot)
    assert one.selection.focus == PairFocus(None, "s2", "s2")


def test_aligning_ends_with_escape(prompts: ComparisonWindow, qtbot: QtBot) -> None:
    choose(open_menu(prompts, child(prompts, "llm"), qtbot), "Align the right span")
    assert "on the left" in strip_words(prompts)
    QTest.keyClick(prompts.tree.view, Qt.Key.Key_Escape)
    assert strip_words(prompts) == ""
    click(prompts, child(prompts, "retriever"))
    assert prompts.open_comparison.rules.sync == ()
    wait_until_settled(prompts, qtbot)


def test_a_row_opens_in_the_run_of_a_side(
    program: Program, prompts: ComparisonWindow, qtbot: QtBot
) -> None:
    choose(open_menu(prompts, child(prompts, "prompt_builder"), qtbot), "Open in left")
    qtbot.waitUntil(lambda: program.workspace.current is not None)
    opened = program.workspace.current
    assert opened is not None
    assert (opened.path, opened.selection.span_id) == (example("rag-answer"), "s3")


def test_what_only_one_run_has_stands_in_its_place(
    compare: Compare, files: Callable[[bytes, bytes], tuple[Path, Path]]
) -> None:
    window = compare(*files(agent_file(6, seed=3), agent_file(6, seed=3, extra=2)))
    tree = window.tree.model.tree
    assert tree is not None
    alone = [tree.row(node) for node, change in tree.marks() if change.mark == "+"]
    assert alone
    assert all(row.left is None and row.right is not None for row in alone)


def test_the_model_keeps_qts_rules(compare: Compare) -> None:
    window = compare("rag-answer", "agent-tools")
    tree = window.tree.model.tree
    assert tree is not None
    model = CompareTreeModel()
    tester = QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    for only_changed in (False, True):
        model.show_tree(tree, only_changed=only_changed)
        for node in range(len(tree.pairs)):
            index = model.index_of(tree.host(node))
            if index.isValid():
                assert model.node(index) == tree.host(node)
                assert model.index(index.row(), 0, index.parent()) == index
    del tester


def test_thousands_of_spans_are_made_as_they_are_seen(
    compare: Compare, files: Callable[[bytes, bytes], tuple[Path, Path]]
) -> None:
    edited = range(7, 3_000, 150)
    window = compare(*files(flat_file(3_000, size=40), flat_file(3_000, size=40, edited=edited)))
    model, view = window.tree.model, window.tree.view
    tree = model.tree
    assert tree is not None
    assert len(tree.marks()) == len(edited)
    assert model.rowCount(model.index(0, 0)) > 2_900
    assert model.words_made < 300
    view.scrollToBottom()
    QTest.keyClick(view, Qt.Key.Key_End)
    view.grab()
    assert model.words_made < 600
