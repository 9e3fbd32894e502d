import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.runfile.fingerprint import Fingerprints, fingerprint
from inspector.runfile.interned import Interned

LEAVES = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8)
)
# A tree never holds a bare key that starts with `$`: FORMAT.md writes it as the tag `dict`.
KEYS = st.text(max_size=4).filter(lambda key: not key.startswith("$"))
TREES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=20,
)


def message(text: str, *, meta: dict[str, Any] | None = None, **call: Any) -> dict[str, Any]:
    content: list[Any] = [{"text": text}]
    if call:
        content.append({"tool_call": {"name": "search", "arguments": {"q": text}, **call}})
    return {"$": "chat_message", "role": "assistant", "content": content, "meta": meta or {}}


def answer(text: str, named: str) -> dict[str, Any]:
    call = {"id": named, "name": "search", "arguments": {"q": text}}
    return {
        "$": "chat_message",
        "role": "tool",
        "content": [{"tool_result": {"result": "42", "error": False, "call": call}}],
    }


def shuffled(tree: Any, dice: random.Random) -> Any:
    if isinstance(tree, dict):
        keys = list(tree)
        dice.shuffle(keys)
        return {key: shuffled(tree[key], dice) for key in keys}
    if isinstance(tree, list):
        return [shuffled(item, dice) for item in tree]
    return tree


@given(TREES, st.randoms())
def test_the_order_of_dictionaries_never_counts(tree, dice):
    assert fingerprint(tree) == fingerprint(shuffled(tree, dice))


@given(TREES)
def test_kept_once_or_standing_in_place_is_the_same(tree):
    values = {"a" * 32: tree}
    assert fingerprint([tree]) == fingerprint([{"$ref": "a" * 32}], values.__getitem__)
    assert fingerprint([tree]) == fingerprint([Interned(tree)])


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"query": "pump", "filters": None}, {"query": "pump"}),
        ({"m": 1, "streaming_callback": "x"}, {"m": 1}),
        ({"m": 1, "hook": {"$": "callable", "name": "f"}}, {"m": 1}),
        (0.1 + 0.2, 0.3),
        (0.0, -0.0),
        (message("hi", meta={"id": "r1", "created": 5}), message("hi", meta={"id": "r2"})),
        ({"$": "set", "items": [1, 2]}, {"$": "set", "items": [2, 1]}),
        (
            {"$": "opaque", "type": "A", "repr": "<A at 0x7f00aa>"},
            {"$": "opaque", "type": "A", "repr": "<A at 0x6611bb>"},
        ),
        (
            [message("a", id="call_1"), answer("a", "call_1")],
            [message("a", id="call_9"), answer("a", "call_9")],
        ),
        (
            {"$": "document", "id": "0" * 64, "content": "c", "embedding": {"$": "array"}},
            {"$": "document", "id": "1" * 64, "content": "c"},
        ),
        (
            {"$": "bytes", "base64": "YWJj"},
            {"$": "bytes", "size": 3, "digest": "ba7816bf8f01cfea414140de5dae2223"},
        ),
    ],
)
def test_what_does_not_count(one, other):
    assert fingerprint(one) == fingerprint(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1, 1.0),
        (1, True),
        ("1", 1),
        (0.1, 0.1000001),
        ([1, 2], [2, 1]),
        ([1, 2], {"$": "tuple", "items": [1, 2]}),
        (["ab", "c"], ["a", "bc"]),
        ({"a": "", "b": "x"}, {"a": "x", "b": ""}),
        (message("hi"), message("ho")),
        (message("hi", meta={"model": "a"}), message("hi", meta={"model": "b"})),
        (
            {"$": "document", "id": "page-1", "content": "c"},
            {"$": "document", "id": "page-2", "content": "c"},
        ),
        (
            [message("a", id="x"), message("a", id="y"), answer("a", "x")],
            [message("a", id="x"), message("a", id="y"), answer("a", "y")],
        ),
    ],
)
def test_what_counts(one, other):
    assert fingerprint(one) != fingerprint(other)


def test_a_list_that_continues_another_is_that_longer_list():
    values = {"a": [1, 2], "b": {"$": "list", "after": {"$ref": "a"}, "items": [3]}}
    longer = {"$": "list", "after": {"$ref": "b"}, "items": [4]}
    assert fingerprint(longer, values.__getitem__) == fingerprint([1, 2, 3, 4])


def test_hostile_values_end():
    values: dict[str, Any] = {"a": [{"$ref": "b"}], "b": [{"$ref": "a"}]}
    values["c"] = {"$": "list", "after": {"$ref": "c"}, "items": [1]}
    for level in range(60):
        values[f"bomb{level}"] = [{"$ref": f"bomb{level + 1}"}] * 2
    deep: Any = 1
    for _ in range(5_000):
        deep = [deep]
    marks = Fingerprints(values.__getitem__)
    for tree in ({"$ref": "a"}, {"$ref": "c"}, {"$ref": "nowhere"}, deep):
        assert len(marks.of(tree)) == 32


def test_a_bomb_of_references_costs_no_more_than_its_values():
    values = {f"{level}": [{"$ref": f"{level + 1}"}] * 2 for level in range(60)}
    assert len(fingerprint({"$ref": "0"}, values.__getitem__)) == 32
