"""Where two values differ, leaf by leaf."""

import copy
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.diff.noise import NoiseRules
from inspector.diff.values import value_changes


def told(left, right, **more):
    found, _ = value_changes(left, right, **more)
    return [(each.leaf, each.kind, each.left, each.right) for each in found]


TREES = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.floats(-1, 1) | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=5)
        | st.dictionaries(st.sampled_from(["a", "b", "id", "name", "x y"]), inner, max_size=4)
        | st.builds(lambda items: {"$": "tuple", "items": items}, st.lists(inner, max_size=3))
    ),
    max_leaves=25,
)


@given(TREES)
def test_a_value_does_not_differ_from_itself(tree):
    assert value_changes(tree, copy.deepcopy(tree)) == ((), None)


@given(TREES, TREES)
def test_values_differ_if_and_only_if_something_is_told(left, right):
    found, _ = value_changes(left, right, NoiseRules(defaults=False))
    assert bool(found) == (repr_of(left) != repr_of(right))


@given(TREES, TREES)
def test_the_other_way_round_the_same_is_told(left, right):
    mirror = {"added": "removed", "removed": "added"}
    one = [
        (mirror.get(each.kind, each.kind), repr(each.right), repr(each.left), each.noise)
        for each in value_changes(left, right)[0]
    ]
    other = [
        (each.kind, repr(each.left), repr(each.right), each.noise)
        for each in value_changes(right, left)[0]
    ]
    # Which of two that changed places has moved is a matter of taste.
    assert sorted(each for each in one if each[0] != "moved") == sorted(
        each for each in other if each[0] != "moved"
    )


def repr_of(tree):
    if isinstance(tree, dict):
        return "{" + ",".join(f"{key}:{repr_of(tree[key])}" for key in sorted(tree)) + "}"
    if isinstance(tree, list):
        return "[" + ",".join(map(repr_of, tree)) + "]"
    return f"{type(tree).__name__}{tree!r}".replace("-0.0", "0.0")


def test_each_kind_of_change_is_told_at_its_leaf():
    left = {"a": 1, "b": [1, 2, 3], "c": "x", "d": {"e": True}, "n": 1}
    right = {"a": 2, "b": [1, 3], "c": ["x"], "f": 0, "d": {"e": True}, "n": 1.0}
    assert told(left, right) == [
        ("a", "changed", 1, 2),
        ("b[1]", "removed", 2, None),
        ("c", "type", "x", ["x"]),
        ("n", "type", 1, 1.0),
        ("f", "added", None, 0),
    ]


def test_an_item_in_front_moves_none_of_the_others():
    rows = [{"text": f"row {number}", "n": number} for number in range(50)]
    assert told(rows, [{"text": "new", "n": -1}, *rows]) == [
        ("[0]", "added", None, {"text": "new", "n": -1})
    ]


def test_an_item_that_moved_is_told_once():
    assert told(list("abcdef"), list("fabcde")) == [("[5]", "moved", 5, 0)]


def test_items_are_found_again_by_their_name_however_much_of_them_changed():
    left = [{"name": "a", "x": 1, "y": 2}, {"name": "b", "x": 5, "y": 6}]
    right = [{"name": "b", "x": 7, "y": 8}, {"name": "new"}, {"name": "a", "x": 1, "y": 2}]
    assert ("[1].x", "changed", 5, 7) in told(left, right)
    assert ("[1]", "added", None, {"name": "new"}) in told(left, right)


def test_an_item_without_a_name_is_compared_with_the_one_most_like_it():
    left = ["The pump runs at dawn and at dusk.", "Call the gardener."]
    right = ["Entirely new words.", "The pump runs at dawn, and at noon.", "Call the gardener."]
    assert told(left, right) == [
        ("[0]", "changed", left[0], right[1]),
        ("[0]", "added", None, right[0]),
    ]


def test_messages_that_differ_by_ids_only_are_paired_and_greyed():
    def history(run: str, *texts: str):
        message = {"$": "chat_message", "role": "user"}
        return [
            {**message, "content": [{"text": text}], "meta": {"id": f"{run}{at}"}}
            for at, text in enumerate(texts)
        ]

    found, _ = value_changes(history("a", "x", "y", "z"), history("b", "x", "z"))
    assert [each.leaf for each in found if each.noise is None] == ["[1]"]
    assert {each.noise for each in found if each.noise} == {"id"}


def test_vectors_are_told_by_their_digests():
    left = {"embedding": [0.5] * 768}
    right = {"embedding": [0.5] * 767 + [0.25]}
    ((change,), note) = value_changes(left, right)
    assert (change.leaf, note) == ("embedding", None)
    assert change.left["shape"] == [768]
    assert change.left["digest"] != change.right["digest"]


def test_equal_references_are_not_looked_up():
    asked = []

    def lookup(digest):
        asked.append(digest)
        return {"text": digest}

    left = {"a": {"$ref": "one"}, "b": [{"$ref": "two"}, {"$ref": "three"}]}
    right = {"a": {"$ref": "one"}, "b": [{"$ref": "two"}, {"$ref": "four"}]}
    assert told(left, right, left_lookup=lookup, right_lookup=lookup) == [
        ("b[1].text", "changed", "three", "four")
    ]
    assert set(asked) == {"three", "four"}


def test_sets_have_no_order_and_objects_show_their_fields():
    left = {"$": "object", "type": "T", "fields": {"s": {"$": "set", "items": [1, 2, 3]}}}
    right = {"$": "object", "type": "T", "fields": {"s": {"$": "set", "items": [3, 4, 1]}}}
    assert told(left, right) == [("s", "removed", 2, None), ("s", "added", None, 4)]


def test_beyond_the_limit_changes_are_counted_and_noise_does_not_crowd_them_out():
    left = {f"k{number}": {"timestamp": 1_700_000_000, "v": 0} for number in range(50)}
    right = {f"k{number}": {"timestamp": 1_700_000_001, "v": 1} for number in range(50)}
    found, note = value_changes(left, right, most=10)
    assert sum(each.noise is None for each in found) == 10
    assert note == "40 more values differ. 40 more values differ by what is expected to."


def test_long_values_are_told_where_they_differ():
    text = "word " * 10_000
    ((change,), _) = value_changes({"t": text + "a"}, {"t": text + "b"})
    assert len(change.left) < 5_000
    assert change.left.endswith("a")


@pytest.mark.timeout(60)
@pytest.mark.parametrize("shape", ["deep", "shared", "wide", "all lists differ", "circle"])
def test_a_value_of_any_shape_is_compared(shape):
    left, right = SHAPES[shape]()
    found, note = value_changes(left, right, left_lookup=LOOPS.get, right_lookup=LOOPS.get)
    assert found or note


LOOPS = {"x": {"a": {"$ref": "x"}, "n": 1}, "y": {"a": {"$ref": "y"}, "n": 2}}


def deep():
    trees = []
    for leaf in (1, 2):
        tree = leaf
        for _ in range(190):
            tree = {"a": [tree, "x" * 1_000]}
        trees.append(tree)
    return trees


def shared():
    # Unfolds to more than there is memory.
    trees = []
    for leaf in (1, 2):
        tree = [leaf]
        for _ in range(60):
            tree = [tree, tree]
        trees.append(tree)
    return trees


def wide():
    rng = random.Random(1)
    return [[rng.randrange(5) for _ in range(30_000)] for _ in range(2)]


def lists():
    return [[[number, side] for number in range(20_000)] for side in (1, 2)]


SHAPES = {
    "deep": deep, "shared": shared, "wide": wide, "all lists differ": lists,
    "circle": lambda: ({"$ref": "x"}, {"$ref": "y"}),
}  # fmt: skip
