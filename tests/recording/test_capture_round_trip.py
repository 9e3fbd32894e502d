"""What FORMAT.md calls lossless comes back as it was."""

import datetime as dt
import math
import subprocess
import sys
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.writing.writing import read_back, recorded, round_trip, same

text = st.text(st.characters(codec=None, exclude_categories=()), max_size=300)
long_text = st.integers(200, 2_000).map(lambda size: "häystack " * (size // 9))
hashable_leaves = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.integers(-(2**80), 2**80),
    st.floats(),
    text,
    st.binary(max_size=300),
    st.dates(),
    st.times(),
    st.datetimes(timezones=st.sampled_from([None, dt.UTC])),
    st.timedeltas(min_value=dt.timedelta(-10_000), max_value=dt.timedelta(10_000)),
    st.decimals(allow_nan=False).filter(lambda number: not number.is_infinite()),
    st.uuids(),
)
leaves = st.one_of(hashable_leaves, long_text, st.complex_numbers())
values = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.lists(inner, max_size=6),
        st.lists(inner, max_size=4).map(tuple),
        st.dictionaries(text, inner, max_size=5),
        st.dictionaries(st.one_of(text, st.integers(), st.sampled_from(["$", "$ref"])), inner),
        st.sets(hashable_leaves.filter(lambda leaf: leaf == leaf), max_size=4),
        st.frozensets(st.integers(), max_size=4),
    ),
    max_leaves=25,
)


@settings(max_examples=150, deadline=None)
@given(values)
def test_every_plain_value_comes_back_as_it_was(value):
    assert same(round_trip(value), value)


@pytest.mark.parametrize(
    "value",
    [
        2**53, -(2**53), 2**53 + 1, -(2**64), 10**500, 0.1, -0.0, 5e-324, 1.7976931348623157e308,
        math.nan, math.inf, -math.inf, "", "\ud800", "a\udfffb", "\x00\x1f", "😀", "x" * 201,
        "\ud800" * 300, b"", bytes(range(256)) * 3, (), [], {}, set(), [[]], [{}], ({},),
        {"$": 1}, {"$ref": "abc"}, {"a": {"$x": []}}, {1: "a", "1": "b"}, {(1, 2): {None: 3}},
        {"\ud800": 1}, {True: "x", 0: "y"}, [1, True, 1.0], Decimal("1E+400"), Decimal("0.10"),
        UUID(int=7), dt.datetime(2026, 11, 29, 14, 0, tzinfo=dt.timezone(dt.timedelta(hours=-5))),
        dt.timedelta(microseconds=-1), dt.timedelta(days=999_999_999), complex("nan+infj"),
        list(range(1000)), [True] * 100, ["ab"] * 50, [None] * 40, [0.5, 0.25] * 20,
        [2**60] * 40, ["\udc80"] * 40, [math.nan] * 40, list("ab" * 300), [b"x"] * 40,
    ],
    ids=lambda value: repr(value)[:30],
)  # fmt: skip
def test_an_odd_value_comes_back_as_it_was(value):
    assert same(round_trip(value), value)
    assert same(round_trip([{"nested": value}]), [{"nested": value}])


def test_equal_leaves_of_other_types_are_told_apart_when_they_come_later():
    run = recorded(*({"v": leaf} for leaf in (1, True, 1.0)))
    assert [repr(span.inputs["v"]) for span in run.spans] == ["1", "True", "1.0"]


def test_a_long_list_of_floats_is_packed_and_keeps_every_bit():
    import base64
    from array import array

    floats = [1.0 / number for number in range(1, 500)] + [math.nan, -0.0, math.inf]
    tree = read_back(floats)
    assert (tree["$"], tree["dtype"], tree["shape"], tree["of"]) == (
        "array", "float64", [502], "list",
    )  # fmt: skip
    assert array("d", base64.b64decode(tree["base64"])).tobytes() == array("d", floats).tobytes()


@pytest.mark.parametrize(
    ("value", "tag", "told"),
    [
        (int, "type", {"name": "int"}),
        (Decimal, "type", {"name": "decimal.Decimal"}),
        (list[str], "type", {"name": "list[str]"}),
        (int | None, "type", {"name": "int | None"}),
        (len, "callable", {"name": "len"}),
        (math.sqrt, "callable", {"name": "math.sqrt"}),
        ([].append, "callable", {"name": "list.append"}),
        (dt.datetime.now, "callable", {"name": "datetime.now"}),
    ],
)
def test_what_has_a_name_is_told_by_it(value, tag, told):
    assert read_back(value) == {"$": tag, **told}


def test_a_function_is_told_by_module_and_name():
    def local() -> None: ...

    tree = read_back(local)
    assert tree["$"] == "callable"
    assert tree["name"].endswith("test_a_function_is_told_by_module_and_name.<locals>.local")
    assert read_back(lambda: None)["name"].endswith("<lambda>")


def test_containers_that_hold_one_another_twice_do_not_explode():
    value: Any = ["leaf"]
    for _ in range(100):
        value = [value, value]
    run = recorded({"deep": value})
    assert sum(run.values.size(digest) for digest in run.values.digests()) < 500_000


def test_capturing_plain_values_imports_neither_haystack_nor_numpy():
    script = (
        "import sys; from tests.writing.writing import round_trip; "
        "assert round_trip({'a': [1, 'x' * 300]}) == {'a': [1, 'x' * 300]}; "
        "assert not {'haystack', 'numpy', 'pydantic'} & set(sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
