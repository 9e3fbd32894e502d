import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.presentation.values import (
    PAGE,
    ValueNode,
    entry_count,
    field_path,
    fingerprint,
    items_in,
    path_step,
    rows_to,
    steps_of,
)
from tests.helpers.span_runs import bomb, nested

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text().filter(lambda key: not key.startswith("$")), inner, max_size=4)
    ),
    max_leaves=20,
)


def labels(node):
    return [child.label for child in node.children]


def follow(roots, rows):
    node, level = None, roots
    for row in rows:
        node = level[row]
        level = node.children
    return node


def all_nodes(node):
    yield node
    for child in node.children:
        yield from all_nodes(child)


@given(json_values)
def test_every_node_is_found_again_by_its_path(value):
    roots = [ValueNode("v", value, "inputs.v")]
    for node in all_nodes(roots[0]):
        rows = rows_to(roots, node.path)
        assert rows is not None
        assert follow(roots, rows).path == node.path


@given(json_values)
def test_a_node_has_as_many_children_as_it_says(value):
    for node in all_nodes(ValueNode("v", value, "v")):
        assert len(node.children) == node.child_count


@given(st.lists(st.text(min_size=1), min_size=1))
def test_a_path_is_read_back_as_it_was_made(keys):
    path = "inputs" + "".join(map(path_step, keys))
    assert steps_of(path) == ["inputs", *keys]


def test_fields_are_named_and_items_are_numbered():
    node = ValueNode("v", {"query": "x", "top k": [1, 2]}, "inputs.v")
    assert [child.path for child in node.children] == ["inputs.v.query", 'inputs.v["top k"]']
    assert [child.path for child in node.children[1].children] == [
        'inputs.v["top k"][0]',
        'inputs.v["top k"][1]',
    ]


def test_a_hundred_thousand_items_come_in_pages_of_a_thousand():
    node = ValueNode("v", list(range(100_000)), "v")
    assert node.child_count == 100
    assert labels(node)[:2] == ["0 … 999", "1000 … 1999"]
    assert [child.value for child in node.children[54].children][:2] == [54_000, 54_001]
    assert len(node.children[54].children) == PAGE


def test_pages_are_paged_too():
    node = ValueNode("v", range(2_500_000), "v")
    rows = rows_to([node], "v[1234567]")
    assert rows == [0, 1, 234, 567]
    assert follow([node], rows).value == 1_234_567


def test_a_list_that_grew_is_one_list():
    grown = {"$": "list", "after": {"$": "list", "after": [1, 2], "items": [3]}, "items": [4, 5]}
    assert list(items_in(grown)) == [1, 2, 3, 4, 5]
    assert labels(ValueNode("v", grown, "v")) == ["0", "1", "2", "3", "4"]


def test_a_list_that_grew_out_of_itself_ends():
    grown = {"$": "list", "items": [1]}
    grown["after"] = grown
    # What follows the circle is shown as it stands, once.
    assert len(items_in(grown)) == 2


def test_a_list_that_grew_a_hundred_thousand_times_opens():
    grown = []
    for number in range(100_000):
        grown = {"$": "list", "after": grown, "items": [number]}
    node = ValueNode("v", grown, "v")
    assert node.total == 100_000
    assert node.children[99].children[999].value == 99_999


def test_sharing_is_not_written_out():
    node = ValueNode("v", bomb(200), "v")
    for _ in range(200):
        assert node.child_count == 2
        node = node.children[1]
    assert node.value == "x"


def test_a_value_nested_a_hundred_thousand_deep_opens_level_by_level():
    node = ValueNode("v", nested(100_000), "v")
    for _ in range(50):
        node = node.children[0]
    assert node.path == "v" + 50 * "[0]"


@pytest.mark.parametrize(
    ("value", "inside"),
    [
        ({"$": "tuple", "items": [1, 2]}, ["0", "1"]),
        ({"$": "document", "id": "a", "content": "b"}, ["id", "content"]),
        ({"$": "object", "type": "a.B", "fields": {"x": 1}}, ["x"]),
        (
            {"$": "dict", "items": [[1, "a"], [{"$": "tuple", "items": [1, 2]}, "b"]]},
            ["1", "(1, 2)"],
        ),
        ({"$": "hologram", "depth": 3}, ["depth"]),
        ({"$": "redacted", "rule": "email"}, []),
        ({"$": "array", "shape": [3], "dtype": "float32"}, []),
        ("text", []),
    ],
)
def test_a_tag_shows_what_is_in_it(value, inside):
    assert labels(ValueNode("v", value, "v")) == inside
    assert entry_count(value) == len(inside)


def test_a_path_into_nothing_leads_nowhere():
    roots = [ValueNode("v", {"a": [1]}, "inputs.v")]
    for path in ("inputs.v.b", "inputs.v.a[1]", "inputs.w", "outputs.v", "", "[[", "inputs.v.a.x"):
        assert rows_to(roots, path) is None


def test_field_paths_are_those_of_links():
    assert field_path("outputs", "replies") == "outputs.replies"
    assert field_path("inputs", "a.b") == 'inputs["a.b"]'


@given(json_values, json_values)
def test_equal_values_have_equal_fingerprints(one, other):
    copied = [one, {"a": one}]
    assert fingerprint(copied) == fingerprint([one, {"a": one}])
    if repr(one) != repr(other):
        assert fingerprint(one) != fingerprint(other)


def test_a_fingerprint_of_something_endless_is_bounded():
    assert fingerprint(bomb(200)) == fingerprint(bomb(200))
