import pytest
from PySide6.QtCore import QModelIndex, Qt

from inspector.gui.models.value_tree_model import Column, ValueTreeModel
from inspector.presentation.values import ValueNode
from tests.helpers.span_runs import bomb, document, message, nested

SOCKETS = {
    "query": "who?",
    "documents": [document(1, "one"), document(2, "two")],
    "odd": {"$": "missing", "ref": "a"},
    "empty": [],
}


def model_of(values):
    model = ValueTreeModel()
    model.show_nodes([ValueNode(name, value, f"inputs.{name}") for name, value in values.items()])
    return model


NOWHERE = QModelIndex()


def drawn(model, parent=NOWHERE, depth=0):
    lines = []
    for row in range(model.rowCount(parent)):
        cells = [model.index(row, column, parent).data() for column in (Column.NAME, Column.VALUE)]
        lines.append(f"{'  ' * depth}{cells[0]}: {cells[1]}")
        lines += drawn(model, model.index(row, 0, parent), depth + 1)
    return lines


def test_the_model_keeps_qts_rules(qtmodeltester):
    qtmodeltester.check(model_of(SOCKETS))


def test_the_model_keeps_qts_rules_over_pages(qtmodeltester):
    qtmodeltester.check(model_of({"numbers": list(range(2_500))}))


def test_the_model_keeps_qts_rules_when_it_shows_something_else(qtmodeltester):
    model = model_of(SOCKETS)
    qtmodeltester.check(model)
    model.show_nodes([ValueNode("v", message("user", "hi"), "v")])
    model.show_nodes([])
    assert model.rowCount() == 0


def test_values_are_rows_under_their_sockets():
    assert drawn(model_of({"query": "who?", "top_k": 2, "filters": {"a": [True]}})) == [
        "query: “who?”",
        "top_k: 2",
        "filters: {a: [true]}",
        "  a: [true]",
        "    0: true",
    ]


def test_opening_a_page_makes_a_thousand_rows_and_not_one_more():
    model = model_of({"numbers": list(range(100_000))})
    numbers = model.index(0, 0)
    assert model.rowCount(numbers) == 100
    page = model.index(54, 0, numbers)
    assert page.data() == "54000 … 54999"
    assert model.rowCount(page) == 1_000
    assert model.index(321, Column.VALUE, page).data() == "54321"


def test_a_value_is_found_by_its_path_through_closed_branches():
    model = model_of({"numbers": list(range(100_000)), "documents": SOCKETS["documents"]})
    assert model.index_of("inputs.numbers[54321]").siblingAtColumn(Column.VALUE).data() == "54321"
    assert model.index_of("inputs.documents[1].content").data() == "content"
    assert not model.index_of("inputs.documents[2]").isValid()


@pytest.mark.parametrize(
    "make", [lambda: nested(100_000), lambda: bomb(300)], ids=["deep", "shared"]
)
def test_no_value_is_too_deep_to_be_opened_step_by_step(make):
    model = model_of({"v": make()})
    index = model.index(0, 0)
    for _ in range(100):
        assert model.rowCount(index) >= 1
        index = model.index(0, 0, index)
    assert model.parent(index).isValid()


def test_a_reader_of_the_screen_hears_name_and_value():
    model = model_of({"top_k": 2})
    heard = model.index(0, Column.VALUE).data(Qt.ItemDataRole.AccessibleTextRole)
    assert heard == "top_k: 2"
