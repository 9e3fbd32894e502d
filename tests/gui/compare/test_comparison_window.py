from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDragMoveEvent, QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QWidget,
)
from pytestqt.qtbot import QtBot

from inspector.gui.app_program import Program
from inspector.gui.dialogs.rules_dialog import RulesDialog
from inspector.gui.panes.comparison_window import ComparisonWindow
from inspector.gui.widgets.comparison_band import ComputingCard, NoComparisonCard
from inspector.gui.widgets.drop_overlay import COMPARE_WORDS
from inspector.gui.workspace.open_comparison import ComparedRun, OpenComparison, PairFocus
from inspector.runfile.load import load_run
from tests.gui.compare.conftest import Compare, example, wait_until_settled
from tests.gui.conftest import open_file

ALT, CTRL, SHIFT = (
    Qt.KeyboardModifier.AltModifier,
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.ShiftModifier,
)
LEFT_BUTTON = Qt.MouseButton.LeftButton


def words_in(widget: QWidget) -> str:
    return "\n".join(label.text() for label in widget.findChildren(QLabel) if label.isVisible())


def kinds(window: ComparisonWindow) -> list[str]:
    model = window.decisions.table.cells
    return [model.index(row, 2).data() for row in range(model.rowCount())]


def current_kind(window: ComparisonWindow) -> str:
    return str(window.decisions.table.currentIndex().siblingAtColumn(2).data())


def button(parent: QWidget, words: str) -> QPushButton:
    return next(one for one in parent.findChildren(QPushButton) if one.text() == words)


def test_the_verdict_comes_first_and_the_gravest_decision_is_chosen(
    prompts: ComparisonWindow,
) -> None:
    assert prompts.band.sentence.startswith("The answer changed. First divergence: llm was sent")
    said = words_in(prompts)
    assert "Likely because prompt_builder" in said
    assert "2 of 6 decisions differ" in said
    assert current_kind(prompts) == "prompt"
    assert prompts.detail.tabs.tabText(prompts.detail.tabs.currentIndex()) == "Texts"
    assert prompts.open_comparison.selection.focus == PairFocus(4, "s4", "s4")


def test_tokens_and_cost_stand_beside_the_verdict_and_lead_to_all_figures(
    prompts: ComparisonWindow,
) -> None:
    figures = next(
        one for one in prompts.band.findChildren(QAbstractButton) if "tokens 451" in one.text()
    )
    assert "451 → 402 (−11" in figures.text()
    assert "cost ≈ $0.000094 → $0.000069" in figures.text()
    QTest.mouseClick(figures, LEFT_BUTTON)
    tabs = prompts.detail.tabs
    assert tabs.tabText(tabs.currentIndex()) == "Figures"


def test_keys_walk_from_change_to_change_in_the_order_that_is_seen(
    program: Program, documents: ComparisonWindow, qtbot: QtBot
) -> None:
    assert kinds(documents) == ["documents", "prompt", "answer", "asked", "query", "LLM"]
    seen = [current_kind(documents)]
    for _ in range(2):
        QTest.keyClick(program.window, Qt.Key.Key_Down, ALT)
        seen.append(current_kind(documents))
    assert seen == ["documents", "prompt", "answer"]
    QTest.keyClick(program.window, Qt.Key.Key_Down, ALT)
    assert "No further change." in words_in(documents)
    QTest.keyClick(program.window, Qt.Key.Key_Up, ALT)
    assert current_kind(documents) == "prompt"
    wait_until_settled(documents, qtbot)


def test_arrow_keys_in_the_table_show_each_decision(
    documents: ComparisonWindow, qtbot: QtBot
) -> None:
    table = documents.decisions.table
    assert table.hasFocus()
    QTest.keyClick(table, Qt.Key.Key_Down)
    QTest.keyClick(table, Qt.Key.Key_Down)
    wait_until_settled(documents, qtbot)
    assert current_kind(documents) == "answer"
    shown = documents.detail.texts.view
    assert len(shown.changes) == 1
    assert "Check the screen" in shown.accessibleDescription()


def test_enter_leads_from_a_decision_to_what_it_shows(
    documents: ComparisonWindow, qtbot: QtBot
) -> None:
    table = documents.decisions.table
    QTest.keyClick(table, Qt.Key.Key_Return)
    assert documents.detail.documents.picture.hasFocus()
    table.setFocus()
    QTest.keyClick(table, Qt.Key.Key_Down)
    wait_until_settled(documents, qtbot)
    QTest.keyClick(table, Qt.Key.Key_Return)
    assert documents.detail.texts.view.hasFocus()


def test_decisions_stand_as_they_happened_when_asked_to(documents: ComparisonWindow) -> None:
    order = documents.decisions.order
    order.setFocus()
    QTest.keyClick(order, Qt.Key.Key_Down)
    assert not documents.open_comparison.by_severity
    assert kinds(documents) == ["asked", "query", "documents", "LLM", "prompt", "answer"]
    assert current_kind(documents) == "documents"


def test_only_what_differs_is_shown_and_keeps_what_it_is_in(
    program: Program, prompts: ComparisonWindow
) -> None:
    model = prompts.tree.model
    root = model.index(0, 0)
    assert [model.index(row, 0, root).data() for row in range(model.rowCount(root))] == [
        "retriever", "prompt_builder", "llm", "answer_builder",
    ]  # fmt: skip
    QTest.keyClick(program.window, Qt.Key.Key_D, CTRL | SHIFT)
    assert kinds(prompts) == ["prompt", "answer"]
    root = model.index(0, 0)
    assert root.data() == "manual_answers"
    assert [model.index(row, 0, root).data() for row in range(model.rowCount(root))] == [
        "prompt_builder", "llm", "answer_builder",
    ]  # fmt: skip
    assert current_kind(prompts) == "prompt"


def test_the_sides_change_places(program: Program, prompts: ComparisonWindow, qtbot: QtBot) -> None:
    before = prompts.open_comparison.comparison
    assert before is not None
    QTest.keyClick(program.window, Qt.Key.Key_X)
    wait_until_settled(prompts, qtbot)
    after = prompts.open_comparison.comparison
    assert after is not None
    assert (after.left, after.right) == (before.right, before.left)
    assert after.answer.left == before.answer.right
    assert program.content.tabs.tabText(program.content.tabs.currentIndex()).startswith(
        "rag-other-prompt"
    )
    assert current_kind(prompts) == "prompt"


def test_a_span_opens_in_the_run_of_its_side(
    program: Program, prompts: ComparisonWindow, qtbot: QtBot
) -> None:
    QTest.keyClick(program.window, Qt.Key.Key_Right, CTRL)
    qtbot.waitUntil(lambda: program.workspace.current is not None)
    opened = program.workspace.current
    assert opened is not None
    assert opened.path == example("rag-other-prompt")
    assert opened.selection.span_id == "s4"


def test_equal_runs_say_so_and_choose_nothing(compare: Compare) -> None:
    window = compare("agent-tools", "agent-tools")
    assert window.band.sentence == "Nothing but noise differs."
    assert window.open_comparison.selection.focus == PairFocus()
    assert "None of 34 decisions differs" in words_in(window)
    tabs = window.detail.tabs
    assert tabs.tabText(tabs.currentIndex()) == "Figures"


def test_a_comparison_that_takes_long_shows_how_far_it_is_and_can_be_stopped(
    qtbot: QtBot, qapp: QApplication
) -> None:
    run = load_run(example("rag-answer"))
    side = ComparedRun(run, None, "rag-answer")
    # Nobody computes this one: it is under way for as long as the test looks.
    under_way = OpenComparison(side, side)
    window = ComparisonWindow(under_way)
    qtbot.addWidget(window)
    window.show()
    (card,) = window.findChildren(ComputingCard)
    assert not card.isVisible()
    assert window.band.sentence == "Comparing…"
    qtbot.waitUntil(card.isVisible)
    with qtbot.waitSignal(window.cancel_requested):
        QTest.mouseClick(button(card, "Cancel"), LEFT_BUTTON)
    under_way.close()


def test_a_rule_that_makes_no_sense_is_said_and_can_be_changed(
    program: Program, prompts: ComparisonWindow, qtbot: QtBot
) -> None:
    program.content.action("compare-rules").trigger()
    (dialog,) = program.window.findChildren(RulesDialog)
    (field,) = (one for one in dialog.findChildren(QLineEdit) if one.accessibleName())
    field.setFocus()
    QTest.keyClicks(field, "regex:(")
    QTest.mouseClick(button(dialog, "Compare"), LEFT_BUTTON)
    wait_until_settled(prompts, qtbot)
    (card,) = prompts.findChildren(NoComparisonCard)
    assert card.isVisible()
    assert "regex" in words_in(card) or "expression" in words_in(card)
    assert prompts.band.sentence == "The runs could not be compared."
    assert not prompts.decisions.isVisible()
    qtbot.waitUntil(lambda: not program.window.findChildren(RulesDialog))

    QTest.mouseClick(button(card, "Change the rules…"), LEFT_BUTTON)
    (dialog,) = program.window.findChildren(RulesDialog)
    (field,) = (one for one in dialog.findChildren(QLineEdit) if one.accessibleName())
    assert field.text() == "regex:("
    field.setText("regex:(screen|sieve)")
    QTest.mouseClick(button(dialog, "Compare"), LEFT_BUTTON)
    wait_until_settled(prompts, qtbot)
    found = prompts.open_comparison.comparison
    assert found is not None
    assert (found.answer.left_extract, found.answer.right_extract) == ("screen", "sieve")
    assert not card.isVisible()
    assert prompts.decisions.isVisible()


def test_what_was_chosen_stays_chosen_by_other_rules(
    program: Program, documents: ComparisonWindow, qtbot: QtBot
) -> None:
    QTest.keyClick(documents.decisions.table, Qt.Key.Key_Down)
    assert current_kind(documents) == "prompt"
    for rules in ({"ignore": ("*.usage.*",)}, {"sync": (("s2", "s3"),)}):
        one = documents.open_comparison
        one.set_rules(one.rules._replace(**rules))
        wait_until_settled(documents, qtbot)
        assert current_kind(documents) == "prompt"
    focus = documents.open_comparison.selection.focus
    assert (focus.left, focus.right) == ("s4", "s4")


def test_what_does_not_count_by_a_persons_own_rule_is_greyed_and_stays(
    program: Program, prompts: ComparisonWindow, qtbot: QtBot
) -> None:
    assert loud_leaves(prompts)
    program.content.action("compare-rules").trigger()
    (dialog,) = program.window.findChildren(RulesDialog)
    (paths,) = dialog.findChildren(QPlainTextEdit)
    paths.setFocus()
    QTest.keyClicks(paths, "*.usage.*")
    QTest.mouseClick(button(dialog, "Compare"), LEFT_BUTTON)
    wait_until_settled(prompts, qtbot)
    table = prompts.detail.values.cells
    rows = {
        table.index(row, 2).data(): table.index(row, 5).data() for row in range(table.rowCount())
    }
    usage = [noise for leaf, noise in rows.items() if "usage" in leaf]
    assert usage
    assert all(noise.startswith("noise: ") for noise in usage)
    assert not any("usage" in leaf for leaf in loud_leaves(prompts))


def loud_leaves(window: ComparisonWindow) -> list[str]:
    table = window.detail.values.cells
    return [
        table.index(row, 2).data()
        for row in range(table.rowCount())
        if not table.index(row, 5).data()
    ]


def test_stopping_says_so_and_compares_again_when_asked(
    program: Program, prompts: ComparisonWindow, qtbot: QtBot
) -> None:
    one = prompts.open_comparison
    one.ask_again()
    program.comparer.stop(one)
    (card,) = prompts.findChildren(NoComparisonCard)
    assert card.isVisible()
    assert "The comparison was stopped." in words_in(card)
    QTest.mouseClick(button(card, "Compare again"), LEFT_BUTTON)
    wait_until_settled(prompts, qtbot)
    assert one.comparison is not None
    assert not card.isVisible()


def test_the_open_run_is_compared_with_a_file_of_the_dialog(
    program: Program, qtbot: QtBot, tmp_path: Path
) -> None:
    open_file(program, example("rag-answer"), qtbot)
    open_file(program, example("rag-other-prompt"), qtbot)
    QTest.keyClick(program.window, Qt.Key.Key_D, CTRL)
    from inspector.gui.dialogs.compare_dialog import CompareDialog

    (dialog,) = program.window.findChildren(CompareDialog)
    QTest.mouseClick(button(dialog, "Compare"), LEFT_BUTTON)
    qtbot.waitUntil(lambda: program.workspace.current_comparison is not None)
    one = program.workspace.current_comparison
    assert one is not None
    assert (one.left.path, one.right.path) == (
        example("rag-other-prompt"), example("rag-answer"),
    )  # fmt: skip


@pytest.mark.parametrize(("share", "compares"), [(0.25, True), (0.75, False)])
def test_two_dropped_files_are_compared_on_the_left_half_and_opened_on_the_right(
    program: Program, qtbot: QtBot, share: float, compares: bool
) -> None:
    mime = QMimeData()
    names = ("rag-answer", "rag-other-prompt")
    mime.setUrls([QUrl.fromLocalFile(str(example(name))) for name in names])
    window = program.window
    at = QPointF(window.width() * share, 200)
    copy, none = Qt.DropAction.CopyAction, Qt.KeyboardModifier.NoModifier
    enter = QDragEnterEvent(QPoint(10, 10), copy, mime, LEFT_BUTTON, none)
    QApplication.sendEvent(window, enter)
    move = QDragMoveEvent(at.toPoint(), copy, mime, LEFT_BUTTON, none)
    QApplication.sendEvent(window, move)
    said = window.overlay.accessibleDescription()
    assert said == (COMPARE_WORDS if compares else "Drop to open both runs")
    QApplication.sendEvent(window, QDropEvent(at, copy, mime, LEFT_BUTTON, none))
    qtbot.waitUntil(lambda: len(program.workspace.items) == (1 if compares else 2))
    assert len(program.workspace.comparisons) == compares
    shown = program.content.tabs.current_comparison_window
    if shown is not None:
        wait_until_settled(shown, qtbot)


def test_everything_to_press_or_read_has_a_name(documents: ComparisonWindow) -> None:
    from PySide6.QtWidgets import QAbstractItemView, QComboBox, QTabBar

    asked = (QAbstractButton, QAbstractItemView, QComboBox, QTabBar)
    nameless = [
        one
        for one in documents.findChildren(QWidget)
        if isinstance(one, asked)
        and one.focusPolicy() & Qt.FocusPolicy.TabFocus
        and not (one.accessibleName() or (isinstance(one, QAbstractButton) and one.text()))
    ]
    assert nameless == []
