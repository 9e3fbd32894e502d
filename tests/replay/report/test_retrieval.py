"""What a store finds now against what it found then."""

import copy
from typing import Any

import pytest

from inspector.replay.retrieval import compare_documents, retrieval_drift
from inspector.runfile.drift import Drift
from tests.replay.report.trees import document

FOUND = (
    document("d1", "The pump runs at dawn.", 3.0, page=1),
    document("d2", "Filters are rinsed.", 2.0, page=2),
    document("d3", "Error F12 is a sensor.", 1.0, page=3),
)


def found() -> list[dict[str, Any]]:
    return copy.deepcopy(list(FOUND))


def drift(now: list[dict[str, Any]], then: list[dict[str, Any]] | None = None) -> Drift | None:
    return retrieval_drift(
        "retriever#1", 1, {"documents": found() if then is None else then}, {"documents": now}
    )


def severities(now: list[dict[str, Any]]) -> list[str]:
    return [each.severity for each in compare_documents(FOUND, now)]


def test_the_same_documents_are_no_drift():
    assert drift(found()) is None


def test_an_amended_document_is_told_with_both_texts():
    now = found()
    now[1]["content"] = "Filters are replaced."
    told = drift(now)
    assert told is not None
    assert (told.kind, told.grade, told.path) == ("retrieval", "major", "retriever#1")
    assert told.leaf == "documents[1].content"
    assert (told.recorded, told.live) == ("Filters are rinsed.", "Filters are replaced.")
    assert told.message == "retriever#1 finds something else: document d2 with other content."


def test_a_document_that_is_gone_is_told_with_what_it_said():
    told = drift(found()[:2])
    assert told is not None
    assert (told.leaf, told.live, told.grade) == ("documents[2]", None, "major")
    assert told.recorded["content"] == "Error F12 is a sensor."


def test_a_new_document_is_told_and_moves_nobody():
    now = [document("d0", "New.", 4.0), *found()]
    told = drift(now)
    assert told is not None
    assert (told.leaf, told.recorded) == ("documents[0]", None)
    assert told.live["id"] == "d0"
    assert severities(now) == ["added"]


def test_another_order_is_minor_and_names_the_first_rank_that_changed():
    now = found()
    now[1], now[2] = now[2], now[1]
    told = drift(now)
    assert told is not None
    assert (told.grade, told.leaf) == ("minor", "documents[1]")
    assert (told.recorded, told.live) == ("d2", "d3")


def test_metadata_is_told_by_its_key():
    now = found()
    now[0]["meta"]["page"] = 9
    told = drift(now)
    assert told is not None
    assert (told.leaf, told.recorded, told.live) == ("documents[0].meta.page", 1, 9)
    assert told.grade == "major"


def test_a_score_that_moved_is_minor_and_one_that_trembled_is_nothing():
    now = found()
    now[2]["score"] = 1.5
    told = drift(now)
    assert told is not None
    assert (told.grade, told.leaf, told.recorded, told.live) == (
        "minor", "documents[2].score", 1.0, 1.5,
    )  # fmt: skip
    now[2]["score"] = 1.0 + 1e-9
    assert drift(now) is None


def test_what_matters_most_stands_first():
    now = [
        {**FOUND[1], "score": 2.5},
        {**FOUND[0], "meta": {"page": 7}, "content": "It runs at noon."},
        document("d9", "New.", 0.5),
    ]
    assert severities(now) == ["removed", "added", "content", "meta", "order", "order", "score"]
    told = drift(now)
    assert told is not None
    assert told.details is not None
    assert list(told.details) == ["removed", "added", "content", "meta", "order", "score"]


def test_documents_named_after_their_content_are_found_again_by_it():
    then = [document("a" * 64, "One.", page=1), document("b" * 64, "Two.", page=2)]
    now = [document("c" * 64, "One.", page=1), document("d" * 64, "Two.", page=2)]
    assert drift(now, then) is None
    now[1]["content"] = "Two, amended."
    told = drift(now, then)
    assert told is not None
    assert (told.leaf, told.live) == ("documents[1].content", "Two, amended.")
    assert "“Two.” with other content" in told.message


def test_equal_documents_are_counted():
    twice = [document("a" * 64, "Same."), document("a" * 64, "Same.")]
    assert compare_documents(twice, twice) == ()
    assert [each.severity for each in compare_documents(twice, twice[:1])] == ["removed"]


def test_two_documents_of_one_id_are_compared_in_their_order():
    then = [document("d", "One."), document("d", "Two.")]
    assert compare_documents(then, copy.deepcopy(then)) == ()


def test_embeddings_do_not_count():
    now = [{**each, "embedding": {"$": "array", "digest": "x"}} for each in found()]
    assert drift(now) is None


def test_other_outputs_of_a_retriever_are_compared_too():
    told = retrieval_drift("r#1", 2, {"hits": 3, "documents": []}, {"hits": 4, "documents": []})
    assert told is not None
    assert (told.leaf, told.recorded, told.live, told.visit) == ("hits", 3, 4, 2)


def test_lists_of_lists_of_documents_are_compared():
    told = retrieval_drift("r#1", 1, {"found": [found()]}, {"found": [found()[:2]]})
    assert told is not None
    assert told.leaf == "found[0][2]"


def test_references_are_followed():
    kept = {"d": FOUND[0]}
    told = retrieval_drift(
        "r#1", 1, {"documents": [{"$ref": "d"}]}, {"documents": [found()[0]]},
        lookup=kept.__getitem__,
    )  # fmt: skip
    assert told is None


@pytest.mark.parametrize("now", [None, [], "text"])
def test_outputs_of_another_form_are_a_drift(now):
    assert retrieval_drift("r#1", 1, {"documents": found()}, now) is not None
