import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.presentation.previews import call_words, preview, text_preview, type_words
from tests.helpers.span_runs import bomb, call, document, message, nested, result
from tests.presentation.test_values import json_values

TAGS = [
    "chat_message",
    "document",
    "bytes",
    "array",
    "opaque",
    "truncated",
    "redacted",
    "missing",
    "exception",
    "secret",
    "image",
    "file",
    "byte_stream",
    "tool",
    "component",
    "enum",
    "callable",
    "type",
    "streaming_chunk",
    "tuple",
    "set",
    "dict",
    "list",
    "object",
    "answer",
    "state",
    "float",
    "int",
    "str",
    "decimal",
    "complex",
    "hologram",
    "sparse_embedding",
    "path",
    "uuid",
    "datetime",
]

# Whatever a file may put into the fields of a tag.
field_names = st.sampled_from(
    [
        "items",
        "type",
        "fields",
        "value",
        "role",
        "content",
        "meta",
        "id",
        "score",
        "size",
        "digest",
        "base64",
        "dtype",
        "shape",
        "data",
        "head",
        "repr",
        "rule",
        "placeholder",
        "ref",
        "why",
        "env_vars",
        "mime_type",
        "filename",
        "detail",
        "name",
        "message",
        "after",
        "real",
        "imag",
        "tool_calls",
        "finish_reason",
    ]
)
tagged = st.builds(
    lambda tag, fields: {**fields, "$": tag},
    st.sampled_from(TAGS),
    st.dictionaries(field_names, json_values, max_size=5),
)


@given(json_values | tagged, st.integers(8, 200))
def test_a_preview_is_one_line_and_never_longer_than_asked(value, limit):
    line = preview(value, limit)
    assert len(line) <= limit
    assert len(line.splitlines()) <= 1


@given(json_values | tagged)
def test_every_value_has_a_type_in_words(value):
    assert type_words(value)


@pytest.mark.parametrize(
    ("value", "line"),
    [
        ("who?", "“who?”"),
        ("two\nlines", "“two lines”"),
        (None, "null"),
        (True, "true"),
        ([], "[]"),
        ({}, "{}"),
        ([1, "a"], "[1, “a”]"),
        ({"query": "x", "top_k": 3}, "{query: “x”, top_k: 3}"),
        ({"$": "tuple", "items": [1, 2]}, "(1, 2)"),
        ({"$": "float", "value": "nan"}, "nan"),
        ({"$": "bytes", "size": 1_200_000, "digest": "aa"}, "bytes · 1.2\u202fMB · left out"),
        ({"$": "bytes", "base64": "aGVsbG8="}, "bytes · 5\u202fB"),
        ({"$": "array", "dtype": "float32", "shape": [2, 768]}, "array · float32 · 2 × 768"),
        ({"$": "opaque", "type": "foo.Client", "repr": "<C>"}, "Client · <C>"),
        ({"$": "redacted", "rule": "email"}, "redacted · email"),
        (
            {"$": "missing", "ref": "5f1c", "why": "cut off"},
            "missing from the file · cut off · 5f1c",
        ),
        ({"$": "secret", "env_vars": ["A_KEY"]}, "secret · from A_KEY"),
        ({"$": "exception", "type": "builtins.ValueError", "message": "no"}, "ValueError: no"),
        ({"$": "enum", "type": "a.Colour", "name": "RED"}, "RED"),
        (
            document(1, "Jean lives in Paris.", 1.39),
            "document doc-1 · 1.39 · “Jean lives in Paris.”",
        ),
        (message("user", "hi"), "user · “hi”"),
        (message("assistant", call("1", "search", q="x")), "assistant · → search(q: “x”)"),
        (result("1", "search", "gone", failed=True), "tool · ← ✕ “gone”"),
    ],
)
def test_a_preview_says_what_a_value_is(value, line):
    assert preview(value) == line


def test_a_text_is_never_taken_for_our_words():
    assert preview("null") != preview(None)
    assert preview("redacted · email") != preview({"$": "redacted", "rule": "email"})


def test_what_hides_in_a_text_is_visible_in_its_preview():
    line = preview("\x1b[31m\u202eevil")
    assert "\x1b" not in line
    assert "\u202e" not in line


HUGE = {
    "deep": lambda: nested(100_000),
    "shared": lambda: bomb(300),
    "text": lambda: "x" * 50_000_000,
    "list": lambda: list(range(1_000_000)),
    "number": lambda: 10**5_000,
}


@pytest.mark.parametrize("name", HUGE)
def test_no_value_is_too_large_for_a_line(name):
    assert 0 < len(preview(HUGE[name]())) <= 200


def test_a_tool_call_reads_like_a_call():
    assert call_words("add", {"a": 1, "b": 2}) == "add(a: 1, b: 2)"
    assert call_words("now", {}) == "now()"


def test_a_long_text_is_cut_with_a_sign():
    assert text_preview("word " * 100, 20) == "word word word word…"
