"""What is wrong inside a record is read as far as it goes, marked, and said."""

import json

import orjson
import pytest

from inspector.runfile.load import load_run
from tests.runfile.files import SAMPLE, by_name, ref, run_file, span

TEXT = SAMPLE.read_bytes()


def test_a_key_that_stands_twice_counts_with_its_last_value_and_is_said():
    line = orjson.dumps(span(1, inputs={"a": {"b": 1}}))
    line = line.replace(b'{"b":1}', b'{"b":1,"b":2}').replace(b'"name"', b'"name":"old","name"')
    text = run_file([span(1)]).replace(orjson.dumps(span(1)), line)
    run = load_run(text)
    assert run.span("s1").name == "part1"
    assert run.span("s1").inputs == {"a": {"b": 2}}
    assert set(run.span("s1").problems) == {
        "name stands there twice; the last one counts",
        "inputs: “b” stands there twice, and the last one counts",
    }


def test_top_level_keys_that_stand_twice_are_said():
    text = TEXT.replace(b'"version":1,', b'"version":1,"version":1,', 1)
    said = [problem.message for problem in load_run(text).problems]
    assert said == ["“version” stands there twice; the last one counts."]


def test_nan_and_infinity_are_read_and_marked():
    text = run_file([span(1, outputs={"x": [1, 2, 3]})]).replace(
        b"[1,2,3]", b"[NaN,-Infinity,1e999]"
    )
    each = load_run(text).span("s1")
    assert each.outputs == {"x": [{"$": "float", "value": word} for word in ("nan", "-inf", "inf")]}
    assert each.problems == (
        "outputs: NaN is not JSON; -Infinity is not JSON; a number is too large",
    )


def test_a_number_too_long_for_the_fast_reader_keeps_its_digits():
    text = run_file([span(1, outputs={"x": 7})])
    digits = b"9" * 30
    each = load_run(text.replace(b'"x":7', b'"x":' + digits)).span("s1")
    assert each.outputs == {"x": {"$": "int", "value": digits.decode()}}
    assert each.problems == ("outputs: a number is too large for JSON",)
    digits = b"9" * 50_000
    each = load_run(text.replace(b'"x":7', b'"x":' + digits)).span("s1")
    assert each.outputs == {"x": {"$": "int", "value": digits.decode()}}


def test_half_a_character_is_kept_in_a_form_that_can_be_written():
    text = run_file([span(1, outputs={"x": "?", "key": 1})])
    text = text.replace(b'"?"', b'"a\\ud83d"').replace(b'"key"', b'"\\udc00"')
    each = load_run(text).span("s1")
    orjson.dumps(each.outputs)
    assert each.outputs["x"]["$"] == "str"
    assert "half a character" in each.problems[0]


def test_broken_utf8_is_shown_as_far_as_it_can_be():
    text = run_file([span(1, name="caf?", outputs={"x": "na?ve"}), span(2, 1)])
    run = load_run(text.replace(b"na?ve", b"na\xefve").replace(b"caf?", b"caf\xe9"))
    assert run.span("s1").outputs == {"x": "na\ufffdve"}
    assert run.span("s1").name == "caf\ufffd"
    assert run.span("s2").problems == ()


@pytest.mark.parametrize("opening", [b"[", b'{"a":'])
def test_deep_nesting_loses_that_value_only(opening):
    closing = b"]" if opening == b"[" else b"}"
    deep = opening * 100_000 + b"1" + closing * 100_000
    text = run_file([span(1, inputs={"x": "?"}, outputs={"y": 1}), span(2, 1)])
    run = load_run(text.replace(b'"?"', deep))
    assert len(run.spans) == 2
    assert run.span("s1").inputs is None
    assert run.span("s1").outputs == {"y": 1}
    assert run.span("s1").problems == ("inputs: is nested too deeply to be shown",)
    assert run.span("s1").has("inputs")
    assert dict(run.span("s1").raw).keys() >= {"id", "outputs"}
    assert load_run(json_text_with(deep)).spans[0].id == "s1"


def json_text_with(deep):
    text = json.dumps(json.loads(run_file([span(1, inputs={"x": "?"})])), indent=1).encode()
    return text.replace(b'"?"', deep)


@pytest.mark.parametrize("levels", [199, 250, 1000])
def test_no_tree_is_deeper_than_a_careful_walk_can_go(levels):
    deep = "[" * levels + "]" * levels
    text = run_file([span(1, outputs=0)]).replace(b'"outputs":0', b'"outputs":' + deep.encode())
    tree, depth = load_run(text).span("s1").outputs, 0
    while isinstance(tree, list) and tree:
        tree, depth = tree[0], depth + 1
    assert depth <= 200
    assert (tree == []) == (levels < 200)


def test_dangling_references_are_shown_where_they_stand():
    run = load_run(run_file([span(1, inputs={"a": {"$ref": "0" * 32}, "b": ref("y" * 300)})],
                            by_name("y" * 300)))  # fmt: skip
    assert run.span("s1").inputs == {
        "a": {"$": "missing", "ref": "0" * 32, "why": "the file holds no value with this digest"},
        "b": "y" * 300,
    }
    assert run.span("s1").problems == (
        "inputs: value 00000000…: the file holds no value with this digest",
    )
