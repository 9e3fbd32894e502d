"""Texts, documents and values of what is chosen."""

import random

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QTabBar, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from inspector.diff.text import text_diff
from inspector.gui.app_program import Program
from inspector.gui.panes.comparison_window import ComparisonWindow
from inspector.gui.widgets.chain_view import ChainStepButton
from inspector.gui.widgets.compared_texts import ComparedTexts
from inspector.gui.widgets.side_by_side_view import SideBySideView
from inspector.presentation.compare_detail import DetailText
from inspector.presentation.side_by_side import side_by_side
from tests.gui.compare.conftest import Compare, wait_until_settled

LEFT_BUTTON = Qt.MouseButton.LeftButton
LINES = [f"line {number} of the manual" for number in range(200)]


def texts(left: str, right: str) -> DetailText:
    return DetailText("Prompt", side_by_side(text_diff(left, right)), left == right)


@pytest.fixture
def shown(qtbot: QtBot) -> ComparedTexts:
    """Return two texts of 200 lines that differ in three places."""
    changed = list(LINES)
    changed[3] = "line 3 of the other manual"
    changed[100] = "line 100 of the other manual"
    del changed[150]
    panel = ComparedTexts()
    qtbot.addWidget(panel)
    panel.resize(700, 300)
    panel.show_texts([texts("\n".join(LINES), "\n".join(changed))])
    panel.show()
    qtbot.waitExposed(panel)
    panel.view.setFocus()
    return panel


def said(widget: QWidget) -> str:
    from PySide6.QtWidgets import QLabel

    return "\n".join(label.text() for label in widget.findChildren(QLabel) if label.isVisible())


def press(panel: QWidget, name: str) -> None:
    button = next(
        one for one in panel.findChildren(QToolButton) if one.accessibleName().startswith(name)
    )
    assert button.isEnabled()
    QTest.mouseClick(button, LEFT_BUTTON)


def tab(window: ComparisonWindow) -> str:
    tabs = window.detail.tabs
    return tabs.tabText(tabs.currentIndex()).split(" (")[0]


def test_buttons_go_from_difference_to_difference(shown: ComparedTexts) -> None:
    view = shown.view
    assert "1 of 3" in said(shown)
    press(shown, "Next difference")
    assert view.current_change == 1
    row = view.changes[1][0]
    assert 0 <= view.place_of(row, 0).top() < view.viewport().height()
    assert "line 100 of the other manual" in view.accessibleDescription()
    press(shown, "Next difference")
    assert view.current_change == 2
    assert "Right: nothing." in view.accessibleDescription()
    assert not view.step(1)
    press(shown, "Previous difference")
    press(shown, "Previous difference")
    assert view.current_change == 0


def test_a_key_goes_from_difference_to_difference_wherever_the_focus_is(
    program: Program, documents: ComparisonWindow, qtbot: QtBot
) -> None:
    QTest.keyClick(documents.decisions.table, Qt.Key.Key_Down)
    wait_until_settled(documents, qtbot)
    view = documents.detail.texts.view
    assert (view.current_change, len(view.changes)) == (0, 1)
    QTest.keyClick(program.window, Qt.Key.Key_F7)
    assert "No further difference in this text." in said(documents)
    documents.detail.texts.show_texts([texts("a\nb\nc", "x\nb\ny")])
    QTest.keyClick(program.window, Qt.Key.Key_F7)
    assert view.current_change == 1
    QTest.keyClick(program.window, Qt.Key.Key_F7, Qt.KeyboardModifier.ShiftModifier)
    assert view.current_change == 0


def test_both_sides_scroll_as_one(shown: ComparedTexts) -> None:
    view = shown.view
    QTest.keyClick(view, Qt.Key.Key_End)
    last = len(LINES) - 1
    left, right = (view.place_of(last, side) for side in (0, 1))
    assert left.top() == right.top()
    assert 0 < left.top() < view.viewport().height()
    assert left.right() < right.left()
    QTest.keyClick(view, Qt.Key.Key_Home)
    assert view.place_of(0, 0).top() == view.place_of(0, 1).top() == 0


def test_what_is_the_same_folds_and_a_click_opens_it_again(shown: ComparedTexts) -> None:
    view = shown.view
    press(shown, "Next difference")
    press(shown, "Fold lines")
    view.grab()
    assert view.current_change == 1
    assert len(view.changes) == 3
    first, after = view.changes[1]
    assert (first, after) == (11, 12)  # 3 + 1 + 3 rows, a fold, and 3 before it
    fold = view.place_of(view.changes[0][1] + 3, 0)
    QTest.mouseClick(view.viewport(), LEFT_BUTTON, pos=fold.center())
    view.grab()
    assert view.changes[1] == (100, 101)
    assert 0 <= view.place_of(100, 0).top() < view.viewport().height()


def test_text_of_one_side_is_selected_and_copied(shown: ComparedTexts, qtbot: QtBot) -> None:
    view = shown.view
    viewport = view.viewport()
    view.grab()
    first, last = view.place_of(3, 1), view.place_of(4, 1)
    start, stop = first.topLeft() + QPoint(1, 4), last.topRight() - QPoint(2, -4)
    QTest.mousePress(viewport, LEFT_BUTTON, pos=start)
    QTest.mouseMove(viewport, stop)
    QTest.mouseRelease(viewport, LEFT_BUTTON, pos=stop)
    assert view.selected_text == "line 3 of the other manual\nline 4 of the manual"
    QTest.keyClick(view, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == view.selected_text


def test_long_lines_wrap_or_go_on(shown: ComparedTexts) -> None:
    long = "word " * 60
    shown.show_texts([texts(f"{long}\nend", f"{long}other\nend")])
    view = shown.view
    view.grab()
    wrapped = view.place_of(0, 0).height()
    assert view.horizontalScrollBar().maximum() == 0
    press(shown, "Wrap")
    view.grab()
    assert view.place_of(0, 0).height() < wrapped
    assert view.horizontalScrollBar().maximum() > 0
    press(shown, "Wrap")
    view.grab()
    assert view.place_of(0, 0).height() == wrapped


def test_emoji_and_hidden_characters_are_laid_out_and_selected(
    qtbot: QtBot, shown: ComparedTexts
) -> None:
    shown.show_texts([texts("a 🍅🍅 b\u202e\nc", "a 🍅 b\u202e\nc")])
    view = shown.view
    view.grab()
    QTest.mouseClick(view.viewport(), LEFT_BUTTON, pos=view.place_of(0, 0).center())
    QTest.keyClick(view, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    assert view.selected_text == "a 🍅🍅 b⟨U+202E⟩\nc"


def test_of_very_long_texts_only_what_is_in_sight_is_laid_out(shown: ComparedTexts) -> None:
    chance = random.Random(5)
    words = [f"w{chance.randrange(900)}" for _ in range(120_000)]
    left = "\n".join(" ".join(words[at : at + 12]) for at in range(0, len(words), 12))
    right = left.replace("w77 ", "other ")
    shown.show_texts([texts(left, right)])
    view = shown.view
    assert len(view.changes) > 50
    view.grab()
    QTest.keyClick(view, Qt.Key.Key_End)
    view.grab()
    for _ in range(20):
        press(shown, "Next difference")
    view.grab()
    assert view.laid_out <= 600
    assert view.place_of(view.changes[20][0], 0).top() >= 0


def test_prompt_and_reply_of_an_llm_are_one_click_apart(prompts: ComparisonWindow) -> None:
    panel = prompts.detail.texts
    names = panel.findChild(QTabBar)
    assert names is not None
    assert [names.tabText(at) for at in range(names.count())] == ["≠ Prompt", "≠ Reply"]
    assert "cite them as [1], [2]" in panel.view.accessibleDescription()
    QTest.mouseClick(names, LEFT_BUTTON, pos=names.tabRect(1).center())
    assert "little sieve" in panel.view.accessibleDescription()


def test_a_document_of_the_picture_shows_how_its_text_changed(
    documents: ComparisonWindow, qtbot: QtBot
) -> None:
    assert tab(documents) == "Documents"
    picture = documents.detail.documents.picture
    assert picture.current == 1
    assert "manual.pdf, page 7, other content, rank 2" in picture.accessibleDescription()
    view = documents.detail.document.view
    qtbot.waitUntil(lambda: len(view.changes) == 1)
    assert "2026 edition" in view.accessibleDescription()
    QTest.mouseClick(picture, LEFT_BUTTON, pos=picture.end_place(1, 0).center())
    assert picture.current == 0
    wait_until_settled(documents, qtbot)
    assert view.changes == ()
    QTest.keyClick(picture, Qt.Key.Key_Down)
    assert picture.current == 1
    wait_until_settled(documents, qtbot)


def test_values_are_listed_leaf_by_leaf_and_noise_stays_greyed(
    prompts: ComparisonWindow, qtbot: QtBot
) -> None:
    prompts.detail.show_tab("values")
    table = prompts.detail.values
    leaves = [table.cells.index(row, 2).data() for row in range(table.cells.rowCount())]
    noise = [table.cells.index(row, 5).data() for row in range(table.cells.rowCount())]
    assert leaves[0] == "messages[0].content[0].text"
    assert "noise: time" in noise
    assert noise.index("noise: time") == len(noise) - 1
    table.setFocus()
    QTest.keyClick(table, Qt.Key.Key_Down)
    wait_until_settled(prompts, qtbot)
    assert leaves[1] in said(prompts.detail)


def test_the_chain_leads_from_the_divergence_to_the_answer(
    documents: ComparisonWindow, qtbot: QtBot
) -> None:
    documents.detail.show_tab("causes")
    steps = documents.detail.findChildren(ChainStepButton)
    names = [step.accessibleName() for step in steps]
    assert names[1] == "prompt_builder#1 was given documents by retriever#1, recorded"
    assert len(names) == 5
    QTest.mouseClick(steps[2], LEFT_BUTTON)
    assert documents.open_comparison.selection.focus.left == "s4"
    wait_until_settled(documents, qtbot)
    assert tab(documents) == "Texts"


def test_figures_that_cannot_be_compared_say_why(compare: Compare) -> None:
    window = compare("rag-answer", "agent-tools")
    window.detail.show_tab("figures")
    cells = window.detail.figures.cells
    rows = {
        cells.index(row, 0).data(): [cells.index(row, column).data() for column in (1, 2, 3, 4)]
        for row in range(cells.rowCount())
    }
    assert rows["Tool calls"][:3] == ["0", "7", "+7"]
    assert any(row[2] == "not comparable" and row[3] for row in rows.values())


def test_texts_that_are_the_same_say_so(qtbot: QtBot, shown: ComparedTexts) -> None:
    shown.show_texts([texts("a\nb", "a\nb")])
    assert "The same on both sides" in said(shown)
    assert isinstance(shown.view, SideBySideView)
    assert shown.view.accessibleDescription() == "Both texts are the same."


def test_very_large_texts_are_marked_by_sentences_and_that_is_said(shown: ComparedTexts) -> None:
    letters = random.Random(7)
    left, right = (" ".join(f"{letters.randrange(10**6)}" for _ in range(6_000)) for _ in range(2))
    compared = texts(f"before\n{left}\nafter", f"before\n{right}\nafter")
    assert compared.shown.note
    shown.show_texts([compared])
    assert compared.shown.note in said(shown)
