import pytest

from inspector.presentation.documents import documents_view, marks_in, query_words
from tests.helpers.span_runs import document


def only_list(view):
    (only,) = view.lists
    return only


def test_documents_come_with_rank_score_and_source():
    found = [document(1, "Jean lives in Paris.", 0.9, source="people/1.md", page=3)]
    (row,) = only_list(documents_view(None, {"documents": found})).rows
    assert (row.rank, row.score, row.id, row.source) == (1, 0.9, "doc-1", "people/1.md")
    assert row.path == "outputs.documents[0]"
    assert ("page", "3") in row.facts


@pytest.mark.parametrize(
    ("scores", "shares"),
    [
        ([2.0, 1.0, 0.0], [1.0, 0.5, 0.0]),
        ([-1.0, -2.0, -3.0], [1.0, 0.5, 0.0]),
        ([None, 0.5], [None, 1.0]),
        ([0.0], [0.0]),
        ([-4.0], [1.0]),
    ],
)
def test_a_bar_is_as_long_as_the_score_is_near_to_the_best(scores, shares):
    found = [document(at, "x", score) for at, score in enumerate(scores)]
    rows = only_list(documents_view(None, {"documents": found})).rows
    assert [row.share for row in rows] == shares


def test_a_document_without_a_score_has_none_rather_than_zero():
    (row,) = only_list(documents_view(None, {"documents": [document(1, "x")]})).rows
    assert row.score is None
    assert row.share is None


def test_a_ranker_shows_what_moved():
    before = [document(1, "a"), document(2, "b"), document(3, "c")]
    view = documents_view({"documents": before}, {"documents": [before[2], before[0]]})
    assert [each.title for each in view.lists] == ["Output · documents", "Input · documents"]
    assert [(row.rank, row.rank_before) for row in view.lists[0].rows] == [(1, 3), (2, 1)]


def test_an_embedding_is_a_shape_and_a_digest():
    vector = {"$": "array", "dtype": "float32", "shape": [768], "digest": "5f1c0e22aa77bb"}
    view = documents_view(None, {"documents": [{**document(1, "x"), "embedding": vector}]})
    assert ("embedding", "float32 · 768 · digest 5f1c0e22aa77…") in only_list(view).rows[0].facts


def test_lists_are_found_in_lists_and_in_answers():
    answer = {"$": "answer", "type": "generated", "documents": [document(1, "x")]}
    view = documents_view(
        {"documents": [[document(1, "a")], [document(2, "b")]]}, {"answers": [answer]}
    )
    assert [each.path for each in view.lists] == [
        "outputs.answers[0].documents",
        "inputs.documents[0]",
        "inputs.documents[1]",
    ]


@pytest.mark.parametrize(
    ("inputs", "retrieval", "query"),
    [
        ({"query": "who?"}, None, "who?"),
        ({"query": "who?"}, {"query": "what was really asked"}, "what was really asked"),
        ({"queries": ["one", "two"]}, None, "one\ntwo"),
        ({"retriever": {"query": "nested"}}, None, "nested"),
        ({"top_k": 3}, None, None),
        (None, None, None),
    ],
)
def test_the_query_is_found_where_it_was_asked(inputs, retrieval, query):
    assert documents_view(inputs, {"documents": [document(1, "x")]}, retrieval).query == query


def test_common_words_are_not_worth_marking():
    assert query_words("Who lives in Paris, and where is the Louvre?") == (
        "lives",
        "paris",
        "louvre",
    )


def test_words_are_marked_where_they_begin_alike():
    content = "He lived in Paris. Parisians live; olives do not."
    marked = [content[begin:end] for begin, end in marks_in(content, query_words("lives Paris"))]
    assert marked == ["lived", "Paris", "Parisians", "live"]


def test_a_query_of_odd_characters_marks_nothing_wrong():
    assert marks_in("a+b (c) [d]", query_words("+ ( [ * \\ .*")) == []
    assert marks_in("anything", ()) == []


def test_what_is_not_a_document_is_still_in_its_place():
    view = documents_view(
        None, {"documents": [document(1, "x"), {"$": "missing", "ref": "a"}, None]}
    )
    rows = only_list(view).rows
    assert [row.rank for row in rows] == [1, 2, 3]
    assert rows[1].preview == "missing from the file · a"


def test_a_document_without_text_says_what_it_holds():
    blob = {"$": "byte_stream", "mime_type": "image/png", "data": {"$": "bytes", "size": 88_000}}
    view = documents_view(None, {"documents": [{"$": "document", "id": "a", "blob": blob}]})
    (row,) = only_list(view).rows
    assert row.content is None
    assert "image/png" in row.preview


def test_no_documents_is_nothing_to_show():
    assert not documents_view({"query": "x"}, {"replies": ["y"]})
