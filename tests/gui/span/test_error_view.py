import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QListWidget, QToolButton

from inspector.gui.widgets.code_edit import CodeEdit
from inspector.gui.widgets.error_view import ErrorView
from inspector.gui.widgets.labels import Words
from inspector.runfile.span import read_error

CHAIN = {
    "type": "haystack.errors.PipelineRuntimeError",
    "message": "The component `llm` failed.",
    "traceback": "Traceback (most recent call last):\n  File a.py\nPipelineRuntimeError",
    "cause": {
        "type": "openai.RateLimitError",
        "message": "429",
        "traceback": "Traceback of the cause",
        "context": {"type": "TimeoutError", "message": "timed out"},
    },
}


@pytest.fixture
def view(shown, tasks):
    return shown(ErrorView(tasks))


def words_in(view):
    return [label.text() for label in view.findChildren(Words) if label.isVisible()]


def rows(view):
    chain = view.findChild(QListWidget)
    return [chain.item(row).text() for row in range(chain.count())] if chain.isVisible() else []


def test_an_error_says_its_type_message_and_traceback(view):
    view.show_error(read_error({**CHAIN, "cause": None}))
    assert CHAIN["type"] in words_in(view)
    assert CHAIN["message"] in words_in(view)
    assert view.findChild(CodeEdit).toPlainText() == CHAIN["traceback"]
    assert rows(view) == []


def test_what_led_to_it_is_a_list_one_can_walk(view, qtbot):
    view.show_error(read_error(CHAIN))
    assert rows(view) == [
        "PipelineRuntimeError: The component `llm` failed.",
        "caused by RateLimitError: 429",
        "while handling TimeoutError: timed out",
    ]
    chain = view.findChild(QListWidget)
    chain.setFocus()
    qtbot.keyClick(chain, Qt.Key.Key_Down)
    assert "openai.RateLimitError" in words_in(view)
    assert view.findChild(CodeEdit).toPlainText() == "Traceback of the cause"


def test_a_missing_traceback_is_said_not_left_empty(view):
    view.show_error(read_error({"type": "a.B", "message": "no"}))
    assert "No traceback was recorded." in words_in(view)
    assert not view.findChild(CodeEdit).isVisible()


def test_the_whole_chain_is_copied(view, qtbot):
    view.show_error(read_error(CHAIN))
    copy = next(
        each
        for each in view.findChildren(QToolButton)
        if each.accessibleName().startswith("Copy the error")
    )
    qtbot.mouseClick(copy, Qt.MouseButton.LeftButton)
    copied = QGuiApplication.clipboard().text()
    assert "haystack.errors.PipelineRuntimeError: The component `llm` failed." in copied
    assert "caused by openai.RateLimitError: 429\nTraceback of the cause" in copied
    assert "while handling TimeoutError: timed out" in copied


def test_words_of_an_error_are_never_markup(view):
    view.show_error(read_error({"type": "<b>T</b>", "message": "<img src=x> \u202e\x1b[0m"}))
    assert "<b>T</b>" in words_in(view)
    assert "<img src=x> ⟨U+202E⟩␛[0m" in words_in(view)


def test_a_huge_message_is_read_below(view, quiet):
    view.show_error(read_error({"type": "a.B", "message": "word " * 100_000}))
    quiet()
    assert view.findChild(CodeEdit).display.source == "word " * 100_000


def test_where_it_is_tight_the_message_is_whole_and_fewer_causes_are_seen(view, qtbot):
    view.resize(560, 700)
    message = "\n".join(f"line {number} of what it said" for number in range(5))
    view.show_error(read_error({**CHAIN, "message": message}))
    chain = view.findChild(QListWidget)
    qtbot.waitUntil(lambda: chain.height() >= 3 * chain.sizeHintForRow(0))
    view.resize(560, 300)
    said = next(label for label in view.findChildren(Words) if label.text() == message)
    qtbot.waitUntil(lambda: chain.height() < 3 * chain.sizeHintForRow(0))
    qtbot.waitUntil(lambda: said.height() >= said.heightForWidth(said.width()))
