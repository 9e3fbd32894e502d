"""A form is made of what a server's schema says, and of nothing else."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.presentation.json_form import NOTHING, form_of
from inspector.presentation.json_form_check import (
    json_from,
    nearest,
    number_from,
    problems_at,
    problems_of,
)

ORDER = {
    "type": "object",
    "required": ["name", "size"],
    "properties": {
        "name": {"type": "string", "minLength": 2, "title": "Name", "description": "Whose it is"},
        "size": {"enum": ["s", "m", 3]},
        "count": {"type": "integer", "minimum": 1, "maximum": 9, "default": 2},
        "price": {"anyOf": [{"type": "number"}, {"type": "null"}], "default": None},
        "gift": {"type": "boolean"},
        "to": {"$ref": "#/$defs/Place"},
        "tags": {"type": "array", "items": {"type": "string"}, "maxItems": 2},
        "extra": {"anyOf": [{"type": "string"}, {"type": "integer"}]},
    },
    "$defs": {
        "Place": {
            "type": "object", "required": ["town"], "properties": {"town": {"type": "string"}},
        },
    },
}  # fmt: skip


def fields() -> dict[str, Any]:
    return {each.name: each for each in form_of(ORDER).fields}


def test_each_type_of_a_schema_has_its_sort_of_field() -> None:
    kinds = {name: field.kind for name, field in fields().items()}
    assert kinds == {
        "name": "text", "size": "choice", "count": "integer", "price": "number", "gift": "switch",
        "to": "object", "tags": "list", "extra": "json",
    }  # fmt: skip


def test_what_may_be_null_and_what_may_be_left_out_are_two_things() -> None:
    price, name, count = (fields()[each] for each in ("price", "name", "count"))
    assert price.nullable
    assert not price.required
    assert price.default is None
    assert (name.required, name.nullable, name.default) == (True, False, NOTHING)
    assert count.default == 2


def test_a_value_that_fits_has_no_problem() -> None:
    value = {"name": "Ida", "size": 3, "price": None, "to": {"town": "Ulm"}, "tags": ["a"]}
    assert problems_of(form_of(ORDER), value) == []


@pytest.mark.parametrize(
    ("wrong", "path"),
    [
        ({"size": "s"}, ("name",)),
        ({"name": "I", "size": "s"}, ("name",)),
        ({"name": "Ida", "size": "3"}, ("size",)),
        ({"name": "Ida", "size": True}, ("size",)),
        ({"name": "Ida", "size": "s", "count": 10}, ("count",)),
        ({"name": "Ida", "size": "s", "count": 1.5}, ("count",)),
        ({"name": "Ida", "size": "s", "gift": "yes"}, ("gift",)),
        ({"name": "Ida", "size": "s", "gift": None}, ("gift",)),
        ({"name": "Ida", "size": "s", "to": {}}, ("to", "town")),
        ({"name": "Ida", "size": "s", "tags": ["a", 2]}, ("tags", 1)),
        ({"name": "Ida", "size": "s", "tags": ["a", "b", "c"]}, ("tags",)),
    ],
)
def test_what_does_not_fit_is_said_where_it_stands(wrong: Any, path: tuple[Any, ...]) -> None:
    found = problems_of(form_of(ORDER), wrong)
    assert [problem.path for problem in found] == [path]
    assert found[0].words.endswith((".", "{}")) or "there are" in found[0].words


def test_a_schema_that_goes_in_circles_ends_in_json() -> None:
    tree = {"$ref": "#/$defs/Node", "$defs": {"Node": {"type": "object", "properties": {
        "child": {"$ref": "#/$defs/Node"}, "name": {"type": "string"}}}}}  # fmt: skip
    inner = {each.name: each for each in form_of(tree).fields}
    assert inner["child"].kind == "json"
    assert inner["name"].kind == "text"


def test_a_schema_of_a_thousand_fields_is_no_form() -> None:
    many = {"type": "object", "properties": {f"f{n}": {"type": "string"} for n in range(1_000)}}
    assert form_of(many).kind == "json"


def test_without_a_schema_any_json_may_be_written() -> None:
    assert form_of(None).kind == "json"
    assert form_of({}).kind == "json"


def test_words_of_a_schema_cannot_act() -> None:
    field = form_of({"type": "string", "title": "a\u202eb\n\x1b[31m", "description": "\x07"})
    assert field.title == "a⟨U+202E⟩b ␛[31m"
    assert field.description == "␇"


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(
        ["type", "$ref", "anyOf", "properties", "items", "enum", "allOf", "title", "required",
         "default", "minimum", "$defs", "x"]), inner, max_size=5),
    max_leaves=25,
)  # fmt: skip


@given(schema=json_values, value=json_values)
def test_any_schema_makes_some_form_and_any_value_can_be_checked(schema: Any, value: Any) -> None:
    form = form_of(schema if isinstance(schema, dict) else None)
    assert form.kind
    for problem in problems_of(form, value):
        assert problem.words


def test_numbers_are_what_json_has() -> None:
    assert number_from("2 ", whole=True) == 2
    assert number_from("1e3", whole=False) == 1000.0
    assert number_from("2.5", whole=True) is None
    assert number_from("nan", whole=False) is None
    assert number_from("1e999", whole=False) is None


def test_what_is_no_json_says_where() -> None:
    assert json_from('{"a": 1}') == ({"a": 1}, "")
    value, words = json_from('{"a": }')
    assert value is NOTHING
    assert words == "This is no JSON: line 1, character 7."
    assert json_from("NaN")[1] == "This is no JSON."


def test_what_a_server_says_goes_to_the_innermost_field_there_is() -> None:
    found = problems_at((("items.0.name", "too short"), ("body.size", "no such size")))
    places = {(), ("items",), ("items", 0), ("size",)}
    assert [nearest(problem.path, places) for problem in found] == [("items", 0), ("size",)]
