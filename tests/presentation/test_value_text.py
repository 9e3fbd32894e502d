import json

import pytest
from hypothesis import given

from inspector.presentation.value_text import json_text, language_of, message_text, readable
from tests.helpers.span_runs import bomb, call, document, message, nested, result
from tests.presentation.test_values import json_values


@given(json_values)
def test_json_is_written_as_python_would_write_it(value):
    written = json_text(value, 10**9)
    assert written.complete
    assert written.text == json.dumps(value, indent=2, ensure_ascii=False)


def test_long_lists_are_written_like_short_ones():
    value = {"a": list(range(1_000)), "b": [["x", 1, None] * 100, {"c": "d"}] * 3}
    assert json_text(value).text == json.dumps(value, indent=2)


HUGE = {
    "deep": lambda: nested(100_000),
    "shared": lambda: bomb(300),
    "texts": lambda: ["x" * 1_000] * 100_000,
}


@pytest.mark.parametrize("name", HUGE)
def test_writing_stops_where_it_was_told_to(name):
    written = json_text(HUGE[name](), 100_000)
    assert len(written.text) == 100_000
    assert not written.complete


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("plain\ntext", "plain\ntext"),
        (document(1, "what it says"), "what it says"),
        (message("user", "one", "two"), "one\n\ntwo"),
        ({"$": "opaque", "repr": "<Client>"}, "<Client>"),
        ({"$": "truncated", "head": "[1, 2"}, "[1, 2"),
    ],
)
def test_what_has_words_of_its_own_is_read_as_words(value, text):
    assert readable(value).text == text


@pytest.mark.parametrize(
    "odd",
    [
        1e16, 1e-5, 123456789.123, -0.0, 5e-324, float("inf"), 2**63, 2**64, -(2**63) - 1, 2**300,
        "\ud800", "\x00\x1b\x7f\u2028", {"\ud800": 1}, [], {}, [[]], [{}], ["", None, True],
    ],
    ids=repr,
)  # fmt: skip
def test_odd_values_among_many_plain_ones_are_written_as_python_would(odd):
    value = {"before": [1, {"a": "b"}] * 300, "odd": odd, "after": [odd, [odd, "x"] * 200]}
    assert json_text([value, value]).text == json.dumps(
        [value, value], indent=2, ensure_ascii=False
    )


def test_tuples_among_plain_values_are_written_as_lists():
    among = [{"a": [{"$": "uuid", "value": "1"}], "b": (1, 2, 3)}, (), ("x", {})] * 300
    assert json_text(among).text == json.dumps(among, indent=2)


def test_everything_else_is_read_as_json():
    assert readable({"a": [1]}).text == '{\n  "a": [\n    1\n  ]\n}'
    assert readable({"a": [1]}).language == "json"


def test_only_as_much_of_a_text_is_taken_as_was_asked_for():
    written = readable("x" * 5_000_000, 1_000)
    assert len(written.text) == 1_000
    assert (written.complete, written.total) == (False, 5_000_000)


def test_a_message_is_read_with_its_calls_and_results():
    said = message("assistant", "I look.", call("1", "search", q="Paris"))
    assert message_text(said) == "I look.\n\n→ search(q: “Paris”)"
    assert message_text(result("1", "search", "nothing", failed=True)) == "← ✕ nothing"


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("A sentence, nothing more.", ""),
        ('{"a": 1}', "json"),
        ("[not json", ""),
        ("{% for d in documents %}{{ d.content }}{% endfor %}", "jinja"),
        ("def run(self):\n    return 1", "python"),
        ("# Title\n\nText", "markdown"),
        ("- one\n- two", "markdown"),
        ("", ""),
    ],
)
def test_a_language_is_told_by_its_looks(text, language):
    assert language_of(text) == language


@pytest.mark.timeout(10)
@pytest.mark.parametrize("piece", ["{{", "{%", "**a", "|", "-", "1", "#"])
def test_no_text_makes_guessing_slow(piece):
    assert language_of(piece * 500_000) in {"", "markdown"}
