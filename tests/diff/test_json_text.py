"""Texts that are JSON are compared by what they say."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.diff.json_text import LONGEST, json_changes
from inspector.diff.values import value_changes

LEAVES = st.none() | st.booleans() | st.integers(-9, 9) | st.text("abc", max_size=3)
TREES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("xy"), inner, max_size=3),
    max_leaves=8,
)
OBJECTS = st.dictionaries(st.text("xyz", min_size=1, max_size=2), TREES, max_size=4)


def test_a_structured_reply_is_compared_field_by_field():
    left = {"replies": ['{"crop": "leek", "beds": [1, 2], "week": 4}']}
    right = {"replies": ['{"crop": "chard", "beds": [1, 2, 3]}']}
    changes, note = value_changes(left, right)
    assert note is None
    assert [(each.leaf, each.kind, each.left, each.right) for each in changes] == [
        ("replies[0] as JSON.beds[2]", "added", None, 3),
        ("replies[0] as JSON.crop", "changed", "leek", "chard"),
        ("replies[0] as JSON.week", "removed", 4, None),
    ]


def test_another_spelling_of_the_same_json_is_noise():
    (change,), _ = value_changes({"text": '{"a": 1, "b": [2]}'}, {"text": '{"b":[2],"a":1}'})
    assert change.noise == "JSON layout"


def test_times_and_ids_inside_json_are_noise_as_they_are_outside():
    texts = ('{"created_at": "2026-01-01T00:00:00Z"}', '{"created_at": "2026-02-02T00:00:00Z"}')
    outside, _ = value_changes(*(json.loads(text) for text in texts))
    inside, _ = value_changes(*({"text": text} for text in texts))
    assert [each.noise for each in inside] == [each.noise for each in outside]


def test_what_is_no_json_stays_a_text():
    for text in ("{broken", "plain", "7", "[" * 200 + "]" * 200, json.dumps(["x" * LONGEST])):
        assert json_changes(text, '{"a": 1}', "t") is None
        (change,), _ = value_changes({"t": text}, {"t": '{"a": 1}'})
        assert change.leaf == "t"


@settings(deadline=None)
@given(OBJECTS, OBJECTS)
def test_changes_of_json_mirror_and_are_empty_for_equals(one, other):
    left, right = json.dumps(one), json.dumps(other)
    found = json_changes(left, right, "t")
    back = json_changes(right, left, "t")
    turned = {"added": "removed", "removed": "added"}
    assert found is not None
    assert back is not None
    assert [(c.leaf, turned.get(c.kind, c.kind), c.right, c.left) for c in found] == [
        tuple(c) for c in back
    ]
    assert json_changes(left, left, "t") == []
    assert bool(found) == (json.dumps(one, sort_keys=True) != json.dumps(other, sort_keys=True))
