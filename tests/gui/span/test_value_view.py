import json

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QTreeView

from inspector.gui.widgets.code_edit import CodeEdit
from inspector.gui.widgets.labels import Words
from inspector.gui.widgets.value_view import ValueView
from inspector.presentation.values import ValueNode
from tests.helpers.span_runs import bomb, document, message

KEY = Qt.Key


@pytest.fixture
def view(shown, tasks):
    return shown(ValueView(tasks, "Input"))


@pytest.fixture
def tree(view):
    return view.findChild(QTreeView)


@pytest.fixture
def text(view):
    return view.findChild(CodeEdit).toPlainText


def nodes(**values):
    return [ValueNode(name, value, f"inputs.{name}") for name, value in values.items()]


def test_the_first_value_is_shown_in_full(view, text):
    view.show_nodes(nodes(prompt="line one\nline two", top_k=3))
    assert text() == "line one\nline two"


def test_a_list_of_one_shows_its_one_item(view, text):
    view.show_nodes(nodes(replies=[message("assistant", "It rains.")]))
    assert view.current_path == "inputs.replies[0]"
    assert text() == "It rains."


def test_arrow_keys_walk_and_open_the_tree(view, tree, text, qtbot):
    view.show_nodes(nodes(query="x", filters={"field": "meta.page", "value": 3}))
    tree.setFocus()
    for key in (KEY.Key_Down, KEY.Key_Right):
        qtbot.keyClick(tree, key)
    assert view.current_path == "inputs.filters.field"
    assert text() == "meta.page"


def test_a_click_says_which_field_was_chosen(view, tree, qtbot):
    view.show_nodes(nodes(query="x", top_k=3))
    place = tree.visualRect(tree.model().index(1, 0)).center()
    with qtbot.waitSignal(view.field_chosen) as caught:
        qtbot.mouseClick(tree.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert caught.args == ["inputs.top_k"]


def test_enter_on_a_leaf_goes_to_its_text_and_escape_comes_back(view, tree, qtbot):
    view.show_nodes(nodes(query="x"))
    tree.setFocus()
    qtbot.keyClick(tree, KEY.Key_Return)
    edit = view.findChild(CodeEdit)
    assert edit.hasFocus()
    qtbot.keyClick(edit, KEY.Key_Escape)
    assert tree.hasFocus()


def test_control_c_copies_the_value_and_not_its_preview(view, tree, quiet, qtbot):
    value = {"a": ["long " * 200]}
    view.show_nodes(nodes(v=value))
    tree.setFocus()
    qtbot.keyClick(tree, KEY.Key_C, Qt.KeyboardModifier.ControlModifier)
    quiet()
    assert json.loads(QGuiApplication.clipboard().text()) == value


def test_the_place_that_was_read_is_kept_for_the_next_visit(view, tree, text):
    view.show_nodes(nodes(a="1", b={"c": "first visit"}))
    view.show_field("inputs.b.c")
    view.show_nodes(nodes(a="1", b={"c": "second visit"}))
    assert text() == "second visit"
    view.show_nodes(nodes(other="x"))
    assert text() == "x"


def test_what_was_open_is_open_in_the_next_visit(view, tree):
    values = {"a": {"b": {"c": {"d": 1}}}, "z": 1}
    view.show_nodes(nodes(**values))
    for path in ("inputs.a.b", "inputs.a.b.c"):
        tree.expand(tree.model().index_of(path))
    view.show_nodes(nodes(**values))
    assert tree.isExpanded(tree.model().index_of("inputs.a.b.c"))
    assert not tree.isExpanded(tree.model().index_of("inputs.z"))


def test_a_field_deep_in_a_long_list_is_shown(view, text):
    view.show_nodes(nodes(numbers=[{"n": number} for number in range(50_000)]))
    assert view.show_field("inputs.numbers[43210].n")
    assert text() == "43210"
    assert not view.show_field("inputs.numbers[50000]")


def test_a_star_does_not_open_what_is_endless(view, tree, qtbot):
    view.show_nodes(nodes(v=bomb(300)))
    tree.setFocus()
    qtbot.keyClick(tree, KEY.Key_Asterisk)
    assert view.current_path == "inputs.v"


def test_values_that_were_not_recorded_are_a_sentence(view, tree):
    view.show_nodes([], "Not recorded: too large")
    assert not tree.isVisible()
    assert "Not recorded: too large" in [
        label.text() for label in view.findChildren(Words) if label.isVisible()
    ]


def test_a_document_reads_as_its_content(view, text):
    view.show_nodes(nodes(documents=[document(1, "Jean lives in Paris.")]))
    assert text() == "Jean lives in Paris."


def test_the_viewer_stands_beside_the_tree_where_there_is_room(view, tree, qtbot):
    view.show_nodes(nodes(a="x"))
    edit = view.findChild(CodeEdit)

    def below():
        return edit.mapTo(view, edit.rect().topLeft()).y() > tree.height()

    assert below()
    view.resize(1_200, 500)
    qtbot.waitUntil(lambda: not below())


def test_a_field_deep_inside_has_room_for_its_name_and_for_those_around_it(view, tree):
    view.resize(360, 600)
    call = {"tool_call": {"arguments": {"a": {"b": 1}}}}
    view.show_nodes(nodes(replies=[call]))
    assert view.show_field("inputs.replies[0].tool_call.arguments.a.b")
    index, header = tree.currentIndex().siblingAtColumn(0), tree.header()
    while index.isValid():
        wanted = tree.fontMetrics().horizontalAdvance(index.data())
        assert tree.visualRect(index).width() >= wanted, index.data()
        index = index.parent()
    # Values keep some of the room, however deep it goes.
    assert header.sectionSize(0) <= 0.6 * tree.viewport().width()
