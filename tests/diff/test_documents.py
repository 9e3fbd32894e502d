"""What became of each document in two ranked lists."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.diff.documents import document_moves, title_of


def document(name, content="text", score=None, **meta):
    return {"$": "document", "id": name, "content": content, "score": score, "meta": meta}


def found(*names):
    return [document(name, f"content of {name}", 1 / (at + 1)) for at, name in enumerate(names)]


def changes(left, right, **limits):
    return {each.key: each.change for each in document_moves(left, right, **limits)}


def test_the_same_list_has_no_change():
    assert set(changes(found(*"abc"), found(*"abc")).values()) == {"same"}


def test_only_the_document_that_passed_the_others_has_moved():
    moves = document_moves(found(*"abcde"), found(*"aebcd"))
    assert [each.key for each in moves if each.change == "moved"] == ["e"]
    (moved,) = (each for each in moves if each.key == "e")
    assert (moved.left_rank, moved.right_rank) == (5, 2)


def test_what_stands_behind_the_end_of_a_shorter_list_is_cut_off():
    told = changes(found(*"abcde"), found(*"abc"))
    assert [told[name] for name in "abcde"] == ["same", "same", "same", "cut off", "cut off"]
    told = changes(found(*"abc"), found(*"abcde"))
    assert (told["d"], told["e"]) == ("cut off", "cut off")


def test_a_list_that_is_not_full_cuts_nothing_off():
    assert changes(found(*"abc"), found(*"ab"), right_limit=3)["c"] == "removed"
    assert changes(found(*"abc"), found(*"ab"), right_limit=2)["c"] == "cut off"


def test_a_document_in_front_of_others_was_removed_and_not_cut_off():
    assert changes(found(*"abcd"), found(*"acd"))["b"] == "removed"


def test_the_last_one_is_cut_off_by_a_better_one_and_not_by_a_worse():
    left = [document("a", score=3.0), document("b", score=2.0)]
    better = [document("new", score=4.0), document("a", score=3.0)]
    worse = [document("a", score=3.0), document("new", score=1.0)]
    assert changes(left, better) == {"a": "same", "b": "cut off", "new": "added"}
    assert changes(left, worse)["b"] == "removed"


@pytest.mark.parametrize(
    ("after", "change"),
    [
        (document("a", "other words", 1.0, page=1), "content"),
        (document("a", "words", 1.0, page=2), "meta"),
        (document("a", "words", 0.5, page=1), "score"),
        (document("a", "words", 1.0 + 1e-9, page=1), "same"),
    ],
)
def test_an_amended_document_is_the_same_document(after, change):
    assert changes([document("a", "words", 1.0, page=1)], [after]) == {"a": change}


def test_a_document_named_after_its_content_is_found_by_its_metadata_when_that_changed():
    left = [document("a" * 64, "old words", 1.0, source="manual.pdf", page=3)]
    right = [document("b" * 64, "new words", 1.0, source="manual.pdf", page=3)]
    (move,) = document_moves(left, right)
    assert (move.change, move.name) == ("content", "manual.pdf, page 3")


def test_a_person_knows_a_document_by_its_title_its_id_or_its_beginning():
    assert title_of(document("x", source="/data/in/handbook.pdf")) == "handbook.pdf"
    assert title_of(document("x", title="The pump")) == "The pump"
    assert title_of(document("bed-7")) == "bed-7"
    assert title_of(document("a" * 64, "The  pump\nruns.")) == "“The pump runs.”"


@given(st.lists(st.integers(0, 12), unique=True), st.lists(st.integers(0, 12), unique=True))
def test_every_document_of_both_lists_is_told_once_and_mirrored(left, right):
    one = document_moves(found(*map(str, left)), found(*map(str, right)))
    other = document_moves(found(*map(str, right)), found(*map(str, left)))
    assert sorted(each.left_rank for each in one if each.left_rank) == list(range(1, len(left) + 1))
    assert sorted(each.right_rank for each in one if each.right_rank) == list(
        range(1, len(right) + 1)
    )
    mirror = {"added": "removed", "removed": "added"}
    turned = {each.key: mirror.get(each.change, each.change) for each in other}
    told = {each.key: each.change for each in one}
    moves = {"moved", "score", "same"}
    for key, change in told.items():
        assert turned[key] == change or {turned[key], change} <= moves


@pytest.mark.timeout(60)
def test_thousands_of_documents_in_another_order_are_compared():
    names = [str(number) for number in range(4_000)]
    shuffled = names.copy()
    random.Random(1).shuffle(shuffled)
    assert len(document_moves(found(*names), found(*shuffled))) == 4_000
