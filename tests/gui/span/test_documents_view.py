import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QTreeView

from inspector.gui.models.documents_model import Column, DocumentsModel
from inspector.gui.widgets.code_edit import CodeEdit
from inspector.gui.widgets.documents_view import DocumentsPanel
from inspector.gui.widgets.facts_view import FactsView
from inspector.presentation.documents import documents_view
from tests.helpers.span_runs import document

FOUND = [
    document(1, "Jean lives in Paris.", 0.9, source="people/1.md"),
    document(2, "Giorgio lives in Rome.", 0.45, source="people/2.md"),
]


@pytest.fixture
def panel(shown, tasks):
    return shown(DocumentsPanel(tasks), 900, 500)


@pytest.fixture
def table(panel):
    return panel.findChild(QTreeView)


@pytest.fixture
def text(panel):
    return panel.findChild(CodeEdit).toPlainText


def marked(panel):
    edit = panel.findChild(CodeEdit)
    return [each.cursor.selectedText() for each in edit.extraSelections()]


def cells(table, row):
    model = table.model()
    return [model.index(row, column).data() for column in Column]


def test_the_model_keeps_qts_rules(qtmodeltester):
    model = DocumentsModel()
    model.show_rows(documents_view(None, {"documents": FOUND}).lists[0].rows)
    qtmodeltester.check(model)


def test_documents_are_rows_with_rank_score_id_source_and_content(panel, table):
    panel.show_documents(documents_view({"query": "who?"}, {"documents": FOUND}))
    assert cells(table, 0) == ["1", "0.9000", "doc-1", "people/1.md", "Jean lives in Paris."]


def test_a_score_that_is_not_known_is_not_zero(panel, table):
    panel.show_documents(documents_view(None, {"documents": [document(1, "x")]}))
    assert cells(table, 0)[Column.SCORE] == "–"


def test_the_chosen_document_is_shown_with_the_words_of_the_query_marked(panel, table, text, qtbot):
    panel.show_documents(documents_view({"query": "who lives in Rome?"}, {"documents": FOUND}))
    assert text() == "Jean lives in Paris."
    table.setFocus()
    qtbot.keyClick(table, Qt.Key.Key_Down)
    assert text() == "Giorgio lives in Rome."
    assert marked(panel) == ["lives", "Rome"]


def test_marks_stand_right_after_what_was_hidden(panel, text):
    found = [document(1, "\x1b[0m\u202e👩‍🌾 Rome")]
    panel.show_documents(documents_view({"query": "Rome"}, {"documents": found}))
    assert marked(panel) == ["Rome"]


def test_what_is_known_of_a_document_stands_below(panel):
    vector = {"$": "array", "dtype": "float32", "shape": [768], "digest": "5f1c0e22aa77bb"}
    panel.show_documents(documents_view(None, {"documents": [{**FOUND[0], "embedding": vector}]}))
    facts = panel.findChild(FactsView).toPlainText()
    assert "people/1.md" in facts
    assert "float32 · 768 · digest 5f1c0e22aa77…" in facts


def test_a_ranker_offers_both_lists_and_says_what_moved(panel, table, qtbot):
    panel.show_documents(documents_view({"documents": FOUND}, {"documents": [FOUND[1], FOUND[0]]}))
    assert cells(table, 0)[Column.RANK].split() == ["was", "2", "1"]
    lists = panel.findChild(QComboBox)
    assert [lists.itemText(at) for at in range(lists.count())] == [
        "Output · documents (2)",
        "Input · documents (2)",
    ]
    lists.setFocus()
    qtbot.keyClick(lists, Qt.Key.Key_Down)
    assert cells(table, 0)[Column.ID] == "doc-1"


def test_a_click_says_which_document_was_chosen(panel, table, qtbot):
    panel.show_documents(documents_view(None, {"documents": FOUND}))
    place = table.visualRect(table.model().index(1, Column.CONTENT)).center()
    with qtbot.waitSignal(panel.field_chosen) as caught:
        qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert caught.args == ["outputs.documents[1]"]


def test_a_field_inside_a_document_chooses_it(panel, text):
    panel.show_documents(documents_view(None, {"documents": FOUND}))
    assert panel.show_field("outputs.documents[1].content")
    assert text() == "Giorgio lives in Rome."
    assert not panel.show_field("outputs.other")


def test_a_narrow_pane_keeps_rank_score_and_content(panel, table, qtbot):
    panel.show_documents(documents_view(None, {"documents": FOUND}))
    panel.resize(420, 500)
    qtbot.waitUntil(lambda: table.isColumnHidden(Column.SOURCE))
    assert not any(
        table.isColumnHidden(column) for column in (Column.RANK, Column.SCORE, Column.CONTENT)
    )


def test_ten_thousand_documents_are_a_table_too(panel, table):
    panel.show_documents(
        documents_view(
            None, {"documents": [document(n, f"content {n}", 1.0) for n in range(10_000)]}
        )
    )
    assert table.model().rowCount() == 10_000
