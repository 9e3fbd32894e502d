"""Schemas of what a deployment takes stand alone, whatever they were cut out of."""

import json

import jsonschema
import pytest

from inspector.hayhooks.client.openapi import headers_asked, input_schema, resume_schema


def api(schema, components=None, **operation):
    body = {"content": {"application/json": {"schema": schema}}}
    return {
        "paths": {
            "/p/run-durable": {"post": {"requestBody": body, **operation}},
            "/p/executions/{execution_id}/resume": {"post": {"requestBody": body}},
        },
        "components": {"schemas": components or {}},
    }


def ref(name):
    return {"$ref": f"#/components/schemas/{name}"}


def test_a_schema_takes_along_what_it_refers_to_and_nothing_else():
    components = {
        "Task": {"type": "object", "properties": {"of": ref("Person")}, "required": ["of"]},
        "Person": {"type": "object", "properties": {"age": {"type": "integer"}}},
        "Other": {"type": "string"},
    }
    found = input_schema(api(ref("Task"), components), "p")
    assert found is not None
    assert set(found["$defs"]) == {"Person"}
    assert found["properties"]["of"] == {"$ref": "#/$defs/Person"}
    jsonschema.validate({"of": {"age": 3}}, found)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"of": {"age": "three"}}, found)


def test_a_schema_that_holds_itself_ends():
    tree = {"type": "object", "properties": {"left": ref("Tree"), "name": {"type": "string"}}}
    found = input_schema(api(ref("Tree"), {"Tree": tree}), "p")
    assert found is not None
    jsonschema.validate({"left": {"left": {"name": "x"}}}, found)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"left": {"left": {"name": 1}}}, found)


def test_a_schema_that_says_nothing_lets_anything_resume():
    assert resume_schema(api({"title": "Resume Input"}), "p") is None
    assert resume_schema(api({"type": "boolean"}), "p") == {"type": "boolean"}


@pytest.mark.parametrize(
    "odd",
    [
        {}, {"paths": []}, {"paths": {"/p/run-durable": {"post": None}}}, api([]),
        api(ref("Gone")) , api({"$ref": 5}), api(ref("A"), {"A": "text"}), api({}, []),
    ],
)  # fmt: skip
def test_a_description_that_is_none_is_no_harm(odd):
    json.dumps(input_schema(odd, "p"))
    assert headers_asked(odd, "p") == ()


def test_schemas_do_not_nest_or_multiply_without_end():
    deep = {"type": "object"}
    for _level in range(500):
        deep = {"properties": {"x": deep}}
    many = {f"C{number}": {"a": [ref(f"C{number + 1}")]} for number in range(5_000)}
    json.dumps(input_schema(api(deep), "p"))
    assert len(json.dumps(input_schema(api(ref("C0"), many), "p"))) < 50_000


def test_headers_that_name_an_owner_are_told_from_those_of_the_protocol():
    named = [
        {"in": "header", "name": "Idempotency-Key"},
        {"in": "header", "name": "x-owner"},
        {"in": "query", "name": "limit"},
        {"in": "header", "name": 5},
    ]
    assert headers_asked(api({}, parameters=named), "p") == ("x-owner",)
