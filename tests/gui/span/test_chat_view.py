import itertools

import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QGuiApplication, QTextDocument
from PySide6.QtWidgets import QToolButton, QWidget

from inspector.gui.widgets.chat_view import ChatView
from inspector.gui.widgets.code_edit import CodeEdit
from inspector.gui.widgets.labels import Words
from inspector.gui.widgets.text_block import TextBlock
from inspector.gui.widgets.tool_card import ToolCard
from inspector.gui.widgets.turn_column import TurnColumn
from inspector.gui.widgets.turn_widget import TurnWidget
from inspector.presentation.transcript import ToolOutcome, marked_new, transcript
from tests.helpers.span_runs import call, message, result

KEY = Qt.Key
LEFT = Qt.MouseButton.LeftButton

QUESTION = message("user", "Weather?")
ASKS = message("assistant", call("c1", "weather", city="Paris", limit=5))


@pytest.fixture
def chat(shown, tasks):
    return shown(ChatView(tasks), 500, 500)


@pytest.fixture
def column(chat):
    return chat.findChild(TurnColumn)


def show(chat, *messages, replies=(), outcomes=None):
    chat.show_transcript(
        transcript({"messages": list(messages)}, {"replies": list(replies)}, outcomes=outcomes)
    )


def turns(chat):
    made = [turn for turn in chat.findChildren(TurnWidget) if turn.isVisible()]
    return sorted(made, key=QWidget.y)


def words_in(widget):
    return [label.text() for label in widget.findChildren(Words)]


def button(widget, words):
    return next(
        each
        for each in widget.findChildren(QToolButton)
        if each.isVisible() and words in (each.text(), each.accessibleName())
    )


def blocks(widget):
    return [block.toPlainText() for block in widget.findChildren(TextBlock)]


def test_turns_stand_in_a_column_with_who_spoke(chat):
    show(chat, message("system", "Be brief."), QUESTION, replies=[message("assistant", "Rain.")])
    assert [turn.accessibleName() for turn in turns(chat)] == [
        "System, turn 1 of 3",
        "User, turn 2 of 3",
        "Assistant, turn 3 of 3",
    ]
    assert [blocks(turn) for turn in turns(chat)] == [["Be brief."], ["Weather?"], ["Rain."]]
    above, below = turns(chat)[:2]
    assert above.geometry().bottom() < below.geometry().top()


def test_nothing_from_the_file_is_taken_for_markup(chat):
    hostile = "<b>bold</b> <img src='file:///etc/passwd'> \x1b[31m \u202eevil"
    show(chat, message("user", hostile, call("1", "<b>tool</b>", **{"<i>a</i>": "<u>x</u>"})))
    (turn,) = turns(chat)
    assert blocks(turn)[0] == "<b>bold</b> <img src='file:///etc/passwd'> ␛[31m ⟨U+202E⟩evil"
    assert "<b>tool</b>" in words_in(turn)
    assert "<i>a</i>" in words_in(turn)
    assert all(label.textFormat() is Qt.TextFormat.PlainText for label in turn.findChildren(Words))


def test_a_tool_call_is_a_card_with_its_arguments_and_its_end(chat):
    show(chat, QUESTION, replies=[ASKS], outcomes={"c1": ToolOutcome("rain", failed=False)})
    card = chat.findChild(ToolCard)
    assert card.accessibleName() == "Tool call weather"
    assert {"city", "limit", "→"} <= set(words_in(card))
    assert blocks(card) == ["Paris", "5", "rain"]


def test_a_failed_tool_call_says_so_in_words(chat):
    show(chat, QUESTION, replies=[ASKS], outcomes={"c1": ToolOutcome("closed", failed=True)})
    assert "✕ failed" in words_in(chat.findChild(ToolCard))


def test_a_call_without_a_result_says_so(chat):
    show(chat, QUESTION, replies=[ASKS])
    assert "no result in this conversation" in words_in(chat.findChild(ToolCard))


def test_a_card_opens_the_span_of_its_tool(chat, qtbot):
    outcome = ToolOutcome("rain", failed=False, span_id="s7", duration_ns=5_000_000)
    show(chat, QUESTION, replies=[ASKS], outcomes={"c1": outcome})
    with qtbot.waitSignal(chat.span_requested) as caught:
        qtbot.mouseClick(button(chat, "Open"), LEFT)
    assert caught.args == ["s7"]
    assert "5.0\u202fms" in words_in(chat.findChild(ToolCard))


def test_the_arrow_leads_to_the_turn_with_the_result(chat, column, qtbot):
    filler = [message("user", "filler " * 100) for _ in range(20)]
    show(chat, ASKS, *filler, result("c1", "weather", "rain"), *filler)
    assert 21 not in column.turns_in_sight
    qtbot.mouseClick(button(chat, "Result"), LEFT)
    assert 21 in column.turns_in_sight


def test_what_is_new_is_marked_and_shown_first(chat, column):
    old = [message("user", f"old {number} " * 30) for number in range(30)]
    before = transcript({"messages": old}, {})
    now = transcript({"messages": [*old, QUESTION]}, {"replies": [ASKS]})
    chat.show_transcript(marked_new(now, before, "agent#1/step0/llm"))
    new = [turn for turn in turns(chat) if "new" in turn.accessibleName()]
    assert len(new) == 2
    assert all("new" in words_in(turn) for turn in new)
    assert 30 in column.turns_in_sight
    assert any(
        "2 new since agent#1/step0/llm" in words.replace("\u202f", " ") for words in words_in(chat)
    )


def test_five_hundred_turns_make_only_those_in_sight(chat, column):
    show(chat, *[message("user", f"turn {number} " * (number % 90)) for number in range(500)])
    assert len(chat.findChildren(TurnWidget)) < 40
    column.verticalScrollBar().setValue(column.verticalScrollBar().maximum())
    assert turns(chat)[-1].accessibleName() == "User, turn 500 of 500"
    assert len(turns(chat)) < 40


def test_scrolling_back_and_forth_ends_where_it_began(chat, column):
    show(chat, *[message("user", f"turn {number} " * (number % 90)) for number in range(500)])
    column.show_turn(250)
    before = [turn.accessibleName() for turn in turns(chat)]
    for number in (0, 499, 100, 250):
        column.show_turn(number)
    assert [turn.accessibleName() for turn in turns(chat)] == before


def test_turns_never_overlap(chat, column):
    show(chat, *[message("user", "word " * (number * 7 % 300)) for number in range(200)])
    for place in range(0, column.verticalScrollBar().maximum(), 997):
        column.verticalScrollBar().setValue(place)
        made = turns(chat)
        for above, below in itertools.pairwise(made):
            assert above.geometry().bottom() < below.geometry().top()
            assert above.height() == above.heightForWidth(above.width())


def test_keys_move_through_the_turns(chat, column, qtbot):
    show(chat, *[message("user", "word " * 200) for _ in range(30)])
    column.setFocus()
    qtbot.keyClick(column, KEY.Key_Down, Qt.KeyboardModifier.ControlModifier)
    assert column.turns_in_sight.start == 1 or turns(chat)[0].y() < 0
    qtbot.keyClick(column, KEY.Key_End)
    assert 29 in column.turns_in_sight
    qtbot.keyClick(column, KEY.Key_Home)
    assert 0 in column.turns_in_sight


def test_a_long_message_unfolds_in_its_place(chat, qtbot):
    text = "word " * 2_000
    show(chat, message("user", text))
    assert len(blocks(turns(chat)[0])[0]) < len(text)
    qtbot.mouseClick(button(chat, "Show all 10\u202f000 characters"), LEFT)
    assert blocks(turns(chat)[0]) == [text]


def test_a_very_long_message_opens_in_a_viewer_and_escape_comes_back(chat, column, quiet, qtbot):
    text = "word " * 200_000
    show(chat, message("user", text))
    qtbot.mouseClick(button(chat, "Show all 1\u202f000\u202f000 characters"), LEFT)
    quiet()
    edit = chat.findChild(CodeEdit)
    assert edit.hasFocus()
    assert edit.display.source == text
    qtbot.keyClick(edit, KEY.Key_Escape)
    assert column.isVisible()


def test_markdown_is_laid_out_only_on_demand_and_fetches_nothing(chat, qtbot, tmp_path):
    picture = tmp_path / "secret.png"
    picture.write_bytes(b"")
    text = (
        f"# Title\n\n**bold** <b>html</b>\n\n![pic]({picture.as_uri()})\n\n[link](http://a.example)"
    )
    show(chat, message("assistant", text))
    assert blocks(turns(chat)[0]) == [text]
    qtbot.mouseClick(button(chat, "Markdown"), LEFT)
    (laid_out,) = blocks(turns(chat)[0])
    assert laid_out.startswith("Title")
    assert "**" not in laid_out
    assert "<b>html</b>" in laid_out
    assert f"[picture {picture.as_uri()}, not fetched]" in laid_out
    assert "link (http://a.example)" in laid_out
    (block,) = turns(chat)[0].findChildren(TextBlock)
    resource = block.document().resource(
        QTextDocument.ResourceType.ImageResource.value, QUrl("x.png")
    )
    assert resource is None or resource.width() <= 1
    assert not block.textInteractionFlags() & Qt.TextInteractionFlag.LinksAccessibleByMouse
    qtbot.mouseClick(button(chat, "Markdown"), LEFT)
    assert blocks(turns(chat)[0]) == [text]


def test_words_can_be_selected_and_a_turn_copied(chat, qtbot):
    show(chat, QUESTION)
    (block,) = chat.findChildren(TextBlock)
    block.selectAll()
    assert block.textCursor().selectedText() == "Weather?"
    copy = next(
        each
        for each in turns(chat)[0].findChildren(QToolButton)
        if each.accessibleName() == "Copy this turn"
    )
    qtbot.mouseClick(copy, LEFT)
    assert QGuiApplication.clipboard().text() == "Weather?"


def test_narrower_means_higher(chat, column, qtbot):
    show(chat, message("user", "word " * 150))
    high = turns(chat)[0].height()
    chat.resize(260, 500)
    qtbot.waitUntil(lambda: turns(chat)[0].height() > high)


def test_a_word_without_end_is_broken(chat, column):
    show(chat, message("user", "x" * 2_500, call("1", "t" * 300, **{"k" * 100: "v" * 500})))
    assert turns(chat)[0].width() == column.viewport().width()
    assert column.horizontalScrollBar().maximum() == 0


def test_every_button_has_a_name(chat):
    show(chat, QUESTION, ASKS, result("c1", "weather", "x" * 5_000))
    assert all(each.accessibleName() for each in chat.findChildren(QToolButton))
