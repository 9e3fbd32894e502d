"""Where two values differ, and that it is where their fingerprints say so."""

import copy
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.diff.canonical import CALLBACKS, PASSING_META
from inspector.diff.leaves import Difference, differences, first_difference, inside
from inspector.runfile import fingerprint as rules
from inspector.runfile.fingerprint import fingerprint
from inspector.runfile.interned import Interned
from tests.replay.report.trees import call, document, message, result, turn


def leaf(recorded: Any, live: Any, lookup: Any = None) -> str | None:
    return first_difference(recorded, live, lookup).leaf


def test_a_changed_word_is_found_in_its_message():
    recorded = {"messages": [message("Be brief.", "system"), message("Where is the pump?")]}
    live = {"messages": [message("Be brief.", "system"), message("Where is the tap?")]}
    assert first_difference(recorded, live) == Difference(
        "messages[1].content[0].text", "Where is the pump?", "Where is the tap?"
    )


@pytest.mark.parametrize(
    ("recorded", "live", "expected"),
    [
        ({"top_k": 3}, {"top_k": 5}, "top_k"),
        ({"top_k": 3}, {"top_k": 3.0}, "top_k"),
        ({"flag": True}, {"flag": 1}, "flag"),
        ({"filters": {"field": "meta.year"}}, {"filters": {"field": "meta.day"}}, "filters.field"),
        ({"a b": {"c": 1}}, {"a b": {"c": 2}}, '["a b"].c'),
        ({"list": [1, 2]}, {"list": [1, 2, 3]}, "list[2]"),
        ({"list": [1, 2, 3]}, {"list": [1, 2]}, "list[2]"),
        ({"list": [1]}, {"list": {"$": "tuple", "items": [1]}}, "list"),
        ({"x": None, "y": 1}, {"y": 2}, "y"),
        ({"x": {"$": "tuple", "items": [1, 2]}}, {"x": {"$": "tuple", "items": [1, 3]}}, "x[1]"),
        (
            {"x": {"$": "object", "type": "a.Car", "fields": {"wheels": 4}}},
            {"x": {"$": "object", "type": "a.Car", "fields": {"wheels": 3}}},
            "x.wheels",
        ),
        (
            {"x": {"$": "object", "type": "a.Car", "fields": {"wheels": 4}}},
            {"x": {"$": "object", "type": "a.Bike", "fields": {"wheels": 4}}},
            "x.type",
        ),
        (
            {"x": {"$": "dict", "items": [[1, "a"], [2, "b"]]}},
            {"x": {"$": "dict", "items": [[2, "c"], [1, "a"]]}},
            'x["(2)"]',
        ),
        ({"x": {"$": "bytes", "base64": "YQ=="}}, {"x": {"$": "bytes", "base64": "Yg=="}}, "x"),
        (
            {"d": [document("a", "one", page=1)]},
            {"d": [document("a", "one", page=2)]},
            "d[0].meta.page",
        ),
        (
            {"e": {"$": "exception", "type": "ValueError", "message": "no"}},
            {"e": {"$": "exception", "type": "ValueError", "message": "yes"}},
            "e.message",
        ),
    ],
)
def test_the_leaf_that_differs_is_named(recorded, live, expected):
    assert leaf(recorded, live) == expected
    assert leaf(live, recorded) == expected


@pytest.mark.parametrize(
    ("recorded", "live"),
    [
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
        ({"a": 1}, {"a": 1, "tools": None}),
        ({"a": 1, "streaming_callback": {"$": "callable", "name": "show"}}, {"a": 1}),
        ({"a": 0.1 + 0.2}, {"a": 0.3}),
        ({"a": -0.0}, {"a": 0.0}),
        ([message("x", meta={"id": "r1", "model": "m"})], [message("x", meta={"model": "m"})]),
        ([document("a", "one")], [{**document("a", "one"), "embedding": {"$": "array"}}]),
        ([document("0" * 64, "one")], [document("f" * 64, "one")]),
        (
            {"$": "set", "items": ["a", "b", {"c": 1}]},
            {"$": "set", "items": [{"c": 1}, "b", "a"]},
        ),
        (
            {"$": "opaque", "type": "T", "repr": "<T at 0x7f00aa11>"},
            {"$": "opaque", "type": "T", "repr": "<T at 0x7f00bb22>"},
        ),
        (
            [turn("assistant", {"reasoning": {"text": "hm", "extra": {"id": "1"}}})],
            [turn("assistant", {"reasoning": {"text": "hm", "extra": {"id": "2"}}})],
        ),
        (
            [
                turn("assistant", call("f", "c1", x=1), call("f", "c2", x=1)),
                turn("tool", result("f", "c2", "two", x=1)),
            ],
            [
                turn("assistant", call("f", "z7", x=1), call("f", "q9", x=1)),
                turn("tool", result("f", "q9", "two", x=1)),
            ],
        ),
    ],
)
def test_what_does_not_count_for_a_fingerprint_is_no_difference(recorded, live):
    assert fingerprint(recorded) == fingerprint(live)
    assert first_difference(recorded, live) == Difference(None, None, None)


def test_an_answer_to_another_of_two_equal_tool_calls_is_a_difference():
    asked = turn("assistant", call("f", "c1", x=1), call("f", "c2", x=1))
    recorded = [asked, turn("tool", result("f", "c2", "two", x=1))]
    live = [asked, turn("tool", result("f", "c1", "two", x=1))]
    assert fingerprint(recorded) != fingerprint(live)
    assert leaf(recorded, live) == "[1].content[0].tool_result.call.id"


def test_lists_that_continue_others_are_read_as_one():
    kept = {"first": [message("a"), message("b")]}
    recorded = {"$": "list", "after": {"$ref": "first"}, "items": [message("c")]}
    live = {"$": "list", "after": Interned([message("a"), message("x")]), "items": [message("c")]}
    assert leaf(recorded, live, kept.__getitem__) == "[1].content[0].text"
    assert leaf(recorded, [message("a"), message("b"), message("c")], kept.__getitem__) is None


def test_references_and_what_they_refer_to_are_the_same():
    kept = {"d": message("a")}
    assert leaf({"m": {"$ref": "d"}}, {"m": Interned(message("a"))}, kept.__getitem__) is None
    found = first_difference({"m": {"$ref": "gone"}}, {"m": message("a")}, kept.__getitem__)
    assert found.leaf == "m"


def test_every_leaf_that_differs_is_listed_and_no_more_than_asked_for():
    recorded = {"a": 1, "b": [1, 2, 3], "c": "same"}
    live = {"a": 2, "b": [1, 0, 0], "c": "same"}
    assert [each.leaf for each in differences(recorded, live)] == ["a", "b[1]", "b[2]"]
    assert [each.leaf for each in differences(recorded, live, most=2)] == ["a", "b[1]"]


def test_a_tree_that_unfolds_to_more_than_there_is_memory_is_compared_at_once():
    def lol(end: Any) -> Any:
        node = [end]
        for _ in range(60):
            node = [node, node]
        return node

    began = time.perf_counter()
    assert leaf(lol("a"), lol("a")) is None
    assert leaf(lol("a"), lol("b")) == "[0]" * 61
    assert time.perf_counter() - began < 2


def test_a_tree_too_deep_for_the_stack_ends_somewhere():
    def deep(end: Any) -> Any:
        node = end
        for _ in range(3_000):
            node = [node]
        return node

    assert leaf(deep(1), deep(1)) is None
    assert leaf(deep(1), [deep(1), 2]) == "[1]"


def test_a_list_that_continues_itself_ends():
    circle = {"$": "list", "after": {"$ref": "me"}, "items": [1]}
    assert leaf({"$ref": "me"}, [1], {"me": circle}.__getitem__) is None


def test_the_notation_is_that_of_python():
    assert inside(inside(inside("", "messages"), 0), "content") == "messages[0].content"
    assert inside("meta", 'say "hi"') == 'meta["say \\"hi\\""]'


def test_the_rules_are_those_of_fingerprints():
    assert rules._CALLBACKS == CALLBACKS
    assert rules._PASSING_META == PASSING_META


plain = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.floats(allow_nan=False, width=16)
    | st.sampled_from(["", "a", "b", "0x7f00aa11"]),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(
        st.sampled_from(["a", "b", "id", "text", "tool_call", "reasoning", "arguments"]),
        inner, max_size=3,
    )
    | st.builds(lambda items: {"$": "tuple", "items": items}, st.lists(inner, max_size=2))
    | st.builds(lambda items: {"$": "set", "items": items}, st.lists(inner, max_size=3))
    | st.builds(lambda meta: message("x", meta=meta), st.dictionaries(
        st.sampled_from(["id", "model"]), inner, max_size=2)),
    max_leaves=12,
)  # fmt: skip


@given(plain, plain)
def test_two_trees_differ_in_a_leaf_where_their_fingerprints_differ(one, other):
    assert (leaf(one, other) is None) == (fingerprint(one) == fingerprint(other))


@given(plain)
def test_a_tree_differs_in_no_leaf_from_its_copy(tree):
    assert leaf(tree, copy.deepcopy(tree)) is None
