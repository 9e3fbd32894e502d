from time import monotonic

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QTextLayout
from PySide6.QtWidgets import QLineEdit, QToolButton

from inspector.gui.widgets.code_edit import CodeEdit
from inspector.gui.widgets.highlight import LONGEST, Ink, inked
from inspector.gui.widgets.labels import Words
from inspector.gui.widgets.plain import LinkButton
from inspector.gui.widgets.text_viewer import TextViewer
from inspector.presentation.value_text import SHOWN_AT_ONCE

KEY = Qt.Key
CONTROL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def viewer(shown, tasks):
    return shown(TextViewer(tasks))


@pytest.fixture
def edit(viewer):
    return viewer.findChild(CodeEdit)


def words_in(widget):
    return [label.text() for label in widget.findChildren(Words) if label.isVisible()]


def button(widget, name):
    return next(
        each for each in widget.findChildren(QToolButton) if each.accessibleName().startswith(name)
    )


def coloured(edit, line):
    layout = edit.document().findBlockByNumber(line).layout()
    return layout.formats() if layout is not None else []


def find(viewer, edit, qtbot, text):
    edit.setFocus()
    qtbot.keyClick(edit, KEY.Key_F, CONTROL)
    field = viewer.findChild(QLineEdit)
    qtbot.keyClicks(field, text)
    return field


def test_a_text_is_shown_with_what_hides_in_it(viewer, edit):
    viewer.show_text("one\ttwo\x1b[31m\u202e<b>three</b>")
    assert edit.toPlainText() == "one\ttwo␛[31m⟨U+202E⟩<b>three</b>"


def test_nothing_can_be_typed_into_it(viewer, edit, qtbot):
    viewer.show_text("as it was")
    edit.setFocus()
    qtbot.keyClicks(edit, "abc")
    assert viewer.text == "as it was"


def test_a_line_of_five_megabytes_stands_in_short_lines_and_is_copied_in_one(viewer, edit, quiet):
    text = "word " * 1_000_000
    viewer.show_text(text)
    quiet()
    assert max(len(edit.document().findBlockByNumber(at).text()) for at in range(200)) <= 1_000
    edit.selectAll()
    assert edit.createMimeDataFromSelection().text() == viewer.text[: len(edit.selected_text())]
    assert "\n" not in edit.createMimeDataFromSelection().text()


def test_what_is_very_long_is_held_back_until_it_is_asked_for(viewer, quiet, qtbot):
    viewer.show_text("line of text\n" * 400_000)
    quiet()
    assert len(viewer.text) == SHOWN_AT_ONCE
    assert any("of 5\u202f200\u202f000 characters" in words for words in words_in(viewer))
    ask = viewer.findChild(LinkButton)
    qtbot.mouseClick(ask, Qt.MouseButton.LeftButton)
    quiet()
    assert len(viewer.text) == 5_200_000
    assert not ask.isVisible()


def test_copying_takes_also_what_is_held_back(viewer, quiet, qtbot):
    text = "line of text\n" * 400_000
    viewer.show_text(text)
    qtbot.mouseClick(button(viewer, "Copy"), Qt.MouseButton.LeftButton)
    quiet()
    assert QGuiApplication.clipboard().text() == text


def test_control_f_finds_and_counts(viewer, edit, qtbot):
    viewer.show_text("Paris, paris and PARIS; not Rome.")
    find(viewer, edit, qtbot, "paris")
    assert "1 of 3" in words_in(viewer)
    assert len(edit.extraSelections()) == 3


def test_enter_goes_to_the_next_match_and_shift_enter_back(viewer, edit, qtbot):
    viewer.show_text("a b a b a")
    field = find(viewer, edit, qtbot, "a")
    for key, modifier, words in (
        (KEY.Key_Return, Qt.KeyboardModifier.NoModifier, "2 of 3"),
        (KEY.Key_Return, Qt.KeyboardModifier.NoModifier, "3 of 3"),
        (KEY.Key_Return, Qt.KeyboardModifier.NoModifier, "1 of 3"),
        (KEY.Key_Return, SHIFT, "3 of 3"),
    ):
        qtbot.keyClick(field, key, modifier)
        assert words in words_in(viewer)


def test_another_text_is_searched_for_the_same_words(viewer, edit, qtbot):
    viewer.show_text("a b a")
    find(viewer, edit, qtbot, "a")
    viewer.show_text("a a a a")
    assert "1 of 4" in words_in(viewer)


def test_a_count_in_a_text_that_is_held_back_is_at_least(viewer, edit, quiet, qtbot):
    viewer.show_text("needle in text\n" * 400_000)
    quiet()
    find(viewer, edit, qtbot, "needle")
    qtbot.waitUntil(lambda: any(words.endswith("+") for words in words_in(viewer)))


def test_a_match_far_below_comes_into_sight(viewer, edit, quiet, qtbot):
    viewer.show_text("nothing here\n" * 50_000 + "needle")
    quiet()
    find(viewer, edit, qtbot, "needle")
    quiet()
    assert 50_000 in edit.lines_in_sight()


def test_what_is_not_there_is_said(viewer, edit, qtbot):
    viewer.show_text("abc")
    find(viewer, edit, qtbot, "xyz")
    assert "no match" in words_in(viewer)


def test_a_match_after_an_emoji_is_marked_where_it_stands(viewer, edit, qtbot):
    viewer.show_text("👩‍🌾👩‍🌾 tomato")
    find(viewer, edit, qtbot, "tomato")
    assert edit.extraSelections()[0].cursor.selectedText() == "tomato"


def test_escape_closes_the_search_before_anything_else(viewer, edit, qtbot):
    viewer.show_text("abc")
    field = find(viewer, edit, qtbot, "b")
    with qtbot.assertNotEmitted(viewer.escape_pressed):
        qtbot.keyClick(field, KEY.Key_Escape)
    assert not field.isVisible()
    assert edit.hasFocus()
    with qtbot.waitSignal(viewer.escape_pressed):
        qtbot.keyClick(edit, KEY.Key_Escape)


def test_wrapping_is_a_choice(viewer, edit, qtbot):
    viewer.show_text("long " * 150)
    assert edit.horizontalScrollBar().maximum() == 0
    qtbot.mouseClick(button(viewer, "Wrap"), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: edit.horizontalScrollBar().maximum() > 0)


def test_json_is_coloured(viewer, edit, quiet, qtbot):
    viewer.show_text('{"name": "Jean", "age": 3}')
    quiet()
    qtbot.waitUntil(lambda: len(coloured(edit, 0)) >= 3)


def test_only_what_is_in_sight_is_coloured(viewer, edit, quiet, qtbot):
    viewer.show_text("[\n" + '  {"name": "Jean"},\n' * 100_000 + "  1\n]", "json")
    quiet()
    qtbot.waitUntil(lambda: bool(coloured(edit, 3)))
    assert not coloured(edit, 50_000)
    qtbot.waitUntil(lambda: edit.verticalScrollBar().maximum() > 60_000)
    edit.verticalScrollBar().setValue(50_000)
    qtbot.waitUntil(lambda: bool(coloured(edit, 50_003)))


def test_another_language_can_be_chosen(viewer, edit, quiet, qtbot):
    viewer.show_text("x = 'text'  # note")
    quiet()
    assert not coloured(edit, 0)
    menu = button(viewer, "Language").menu()
    next(action for action in menu.actions() if action.text() == "Python").trigger()
    quiet()
    qtbot.waitUntil(lambda: len(coloured(edit, 0)) >= 2)
    assert isinstance(coloured(edit, 0)[0], QTextLayout.FormatRange)


def test_another_text_takes_the_place_of_one_still_being_written(viewer, quiet):
    viewer.show_text("slow\n" * 1_000_000)
    viewer.show_text("quick")
    quiet()
    assert viewer.text == "quick"


def test_everything_has_a_name(viewer):
    viewer.show_text("abc")
    for each in (*viewer.findChildren(QToolButton), viewer.findChild(CodeEdit)):
        assert each.accessibleName()


@pytest.mark.parametrize(
    ("language", "text", "ink", "word"),
    [
        ("json", '{"a": "b"}', Ink.STRING, '"b"'),
        ("json", '{"a": 12}', Ink.NUMBER, "12"),
        ("python", "def run(): pass", Ink.KEYWORD, "def"),
        ("python", "\n\nx  # why", Ink.COMMENT, "# why"),
        ("jinja", "Hi {{ name }}", Ink.KEYWORD, "{{"),
        ("markdown", "# Title\n\ntext", Ink.HEADING, "# Title"),
    ],
)
def test_words_get_the_ink_of_what_they_are(language, text, ink, word):
    assert word in [
        text[begin:end].strip() for begin, end, what in inked(text, language) if what is ink
    ]


def test_plain_text_has_no_ink():
    assert inked("def run(): pass", "") == []


@pytest.mark.parametrize("language", ["json", "python", "jinja", "markdown"])
@pytest.mark.parametrize("piece", ['{"a', "{{", "**", "`", "'''", "[", "\\", "#"])
def test_colouring_ends_when_patience_does(language, piece):
    begun = monotonic()
    inked((piece * LONGEST)[:LONGEST], language, patience_s=0.05)
    assert monotonic() - begun < 2
