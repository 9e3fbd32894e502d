"""Values are followed, put together and shared, whatever somebody made them refer to."""

import time

import orjson
import pytest

from inspector.runfile.load import load_run
from inspector.runfile.store import MAX_DEPTH
from inspector.runfile.value import is_document, is_message, tag_of, text_of, to_python
from tests.runfile.files import by_name, name_of, ref, run_file, span


def resolved(tree, values=None):
    return load_run(run_file([span(1, outputs=tree)], values)).span("s1").outputs


def test_a_reference_is_followed_wherever_it_stands():
    values = by_name("x" * 300, {"deep": "y" * 300})
    big, other = "x" * 300, {"deep": "y" * 300}
    assert resolved({"a": [ref(big), {"b": ref(other)}]}, values) == {"a": [big, {"b": other}]}
    assert resolved(ref(big), values) == big


def test_a_value_that_stands_in_two_places_is_one_object():
    big = {"text": "x" * 300}
    tree = resolved({"a": ref(big), "b": [ref(big)]}, by_name(big))
    assert tree["a"] is tree["b"][0]


def test_asking_twice_gives_the_same_object():
    big = {"text": "x" * 300}
    run = load_run(run_file([span(1, outputs=ref(big))], by_name(big)))
    assert run.values.get(name_of(big)) is run.values.get(name_of(big))
    assert run.values.get(name_of(big)) is run.span("s1").outputs


def test_the_store_tells_what_it_holds_without_decoding_it():
    big = {"text": "x" * 300}
    run = load_run(run_file([span(1)], by_name(big, "y" * 300)))
    name = name_of(big)
    assert len(run.values) == 2
    assert list(run.values.digests()) == [name, name_of("y" * 300)]
    assert name in run.values
    assert "0" * 32 not in run.values
    assert 5 not in run.values
    assert run.values.raw(name) == orjson.dumps(big)
    assert run.values.size(name) == len(orjson.dumps(big))
    assert dict(run.values.items())[name] == orjson.dumps(big)
    for ask in (run.values.raw, run.values.get, run.values.size):
        with pytest.raises(KeyError):
            ask("0" * 32)


def test_odd_keys_and_keys_in_capitals_are_values_too():
    values = {"short": {"a": 1}, "ü": 2, "A" * 32: {"b": 2}, "0" * 33: 3, "": 4, 'qu"ote': 5}
    run = load_run(run_file([span(1, outputs=[{"$ref": key} for key in values])], values))
    assert run.span("s1").outputs == list(values.values())
    assert set(run.values.digests()) == set(values)
    assert dict(run.values.items()) == {key: orjson.dumps(item) for key, item in values.items()}


def test_digests_that_begin_alike_are_told_apart():
    values = {"0" * 16 + f"{n:016x}": {"n": n} for n in range(5)}
    run = load_run(run_file([span(1, outputs=[{"$ref": key} for key in values])], values))
    assert run.span("s1").outputs == [{"n": n} for n in range(5)]


def test_a_value_that_stands_twice_counts_with_the_last():
    values = {"a" * 32: {"n": 1}, "b" * 32: {"n": 2}}
    text = run_file([span(1, outputs={"$ref": "a" * 32})], values)
    run = load_run(text.replace(b"b" * 32, b"a" * 32))
    assert run.span("s1").outputs == {"n": 2}


# Lists that were written as additions


def chained(count, size=1):
    """A list of `count` texts as a recorder writes a growing conversation."""
    values, last = {}, None
    for number in range(count):
        items = [f"{number:0{size}}"]
        tree = {"$": "list", "after": {"$ref": last}, "items": items} if last else items
        last = f"{number:032x}"
        values[last] = tree
    return values, {"$ref": last}


@pytest.mark.parametrize("count", [1, 2, 3, 5_000])
def test_a_list_of_additions_is_one_plain_list(count):
    values, last = chained(count)
    assert resolved({"messages": last}, values) == {"messages": [str(n) for n in range(count)]}


def test_a_list_of_additions_may_stand_in_place():
    head = ["x" * 300]
    tree = {"$": "list", "after": ref(head), "items": ["y", ref("z" * 300)]}
    assert resolved([tree], by_name(head, "z" * 300)) == [["x" * 300, "y", "z" * 300]]


def test_every_turn_of_a_long_conversation_can_be_looked_at():
    values, _ = chained(1_000)
    run = load_run(run_file([span(1)], values))
    for number in range(0, 1_000, 50):
        assert len(run.values.get(f"{number:032x}")) == number + 1


def test_a_list_that_continues_nothing_says_so():
    tree = {"$": "list", "after": {"$ref": "0" * 32}, "items": [1]}
    found = resolved(tree)
    assert [tag_of(item) for item in found] == ["missing", None]


def test_a_list_that_continues_something_else_keeps_both():
    values = {"1" * 32: {"no": "list"}}
    tree = {"$": "list", "after": {"$ref": "1" * 32}, "items": [1]}
    assert resolved(tree, values) == [{"no": "list"}, 1]


@pytest.mark.parametrize(
    "tree",
    [{"$": "list"}, {"$": "list", "items": [1]}, {"$": "list", "after": 5, "items": [1]},
     {"$": "list", "after": {"$ref": 5}, "items": [1]},
     {"$": "list", "after": {"$ref": "0" * 32}, "items": 5}],
)  # fmt: skip
def test_a_list_tag_that_is_not_one_is_shown_as_it_stands(tree):
    found = resolved({"a": tree})
    assert found["a"]["$"] == "list"


# Circles and bombs


@pytest.mark.parametrize("length", [1, 2, 50])
def test_a_circle_of_values_is_cut(length):
    keys = [f"{n:032x}" for n in range(length)]
    values = {key: {"next": {"$ref": keys[(n + 1) % length]}} for n, key in enumerate(keys)}
    tree, depth = resolved({"$ref": keys[0]}, values), 0
    while tag_of(tree) is None:
        tree, depth = tree["next"], depth + 1
    assert (tree["why"], depth) == ("it refers to itself", length)


def test_a_list_that_follows_itself_is_cut():
    values = {"1" * 32: {"$": "list", "after": {"$ref": "1" * 32}, "items": ["a"]}}
    found = resolved({"$ref": "1" * 32}, values)
    assert tag_of(found[0]) == "missing"
    assert found[-1] == "a"


def test_a_bomb_of_references_is_not_set_off():
    values, last = {}, "x" * 300
    for _ in range(60):
        tree = [ref(last)] * 10 if isinstance(last, str) else [{"$ref": name_of(last)}] * 10
        values[name_of(last)] = last
        last = tree
    values[name_of(last)] = last
    begun = time.monotonic()
    run = load_run(run_file([span(1, outputs={"$ref": name_of(last)})], values))
    each = run.span("s1")
    written = size_of(each.outputs, limit=5_000_000)
    assert written < 5_000_000
    assert any("too large" in problem for problem in each.problems)
    assert time.monotonic() - begun < 20


def size_of(tree, *, limit):
    """How many nodes somebody meets who walks over every occurrence."""
    met, waiting = 0, [tree]
    while waiting and met < limit:
        node = waiting.pop()
        met += 1
        if isinstance(node, dict):
            waiting += node.values()
        elif isinstance(node, list):
            waiting += node
    return met


def test_a_bomb_of_lists_is_not_set_off():
    values = {f"{0:032x}": ["x"]}
    for number in range(1, 60):
        before = {"$ref": f"{number - 1:032x}"}
        twice = {"$": "list", "after": before, "items": []}
        values[f"{number:032x}"] = {"$": "list", "after": before, "items": [twice, twice]}
    begun = time.monotonic()
    resolved({"$ref": f"{59:032x}"}, values)
    assert time.monotonic() - begun < 60


def test_a_tower_of_values_is_cut_where_recursion_would_break():
    values, last = {f"{0:032x}": {"end": 1}}, 0
    for number in range(1, 3_000):
        values[f"{number:032x}"] = {"next": {"$ref": f"{number - 1:032x}"}}
        last = number
    tree, depth = resolved({"$ref": f"{last:032x}"}, values), 0
    while "next" in tree:
        tree, depth = tree["next"], depth + 1
    assert tag_of(tree) == "missing"
    assert depth <= MAX_DEPTH
    to_python(resolved({"$ref": f"{last:032x}"}, values))


def test_trees_of_others_are_resolved_without_changing_them():
    big = "x" * 300
    run = load_run(run_file([span(1)], by_name(big)))
    tree = {"a": [ref(big), (1, ref(big))]}
    assert run.resolve(tree) == {"a": [big, [1, big]]}
    assert tree == {"a": [ref(big), (1, ref(big))]}
    assert run.resolve(5) == 5


# Tags


@pytest.mark.parametrize(
    ("tree", "said"),
    [
        ({"$": "tuple", "items": [1, {"$": "tuple", "items": []}]}, (1, ())),
        ({"$": "set", "items": [1, 2]}, {1, 2}),
        ({"$": "frozenset", "items": ["a"]}, frozenset("a")),
        ({"$": "dict", "items": [[1, "a"], [{"$": "tuple", "items": [2]}, 5]]}, {1: "a", (2,): 5}),
        ({"$": "float", "value": "-inf"}, float("-inf")),
        ({"$": "int", "value": "123456789012345678901234567890"}, 123456789012345678901234567890),
        ({"$": "bytes", "base64": "AAE="}, b"\0\1"),
        ({"$": "str", "utf16": "PdhhAA=="}, "\ud83da"),
        ({"$": "complex", "real": 1.0, "imag": -2.0}, 1 - 2j),
    ],
    ids=lambda item: str(item)[:30],
)  # fmt: skip
def test_plain_python_comes_back_as_it_was(tree, said):
    assert to_python(tree) == said
    assert type(to_python(tree)) is type(said)


def test_times_numbers_and_names_come_back_as_they_were():
    from datetime import date, datetime, time, timedelta, timezone
    from decimal import Decimal
    from uuid import UUID

    for said, tag in [
        (datetime(2026, 1, 2, 3, 4, 5, 6, tzinfo=timezone(timedelta(hours=1))), "datetime"),
        (date(2026, 1, 2), "date"), (time(1, 2, 3), "time"), (Decimal("1.10"), "decimal"),
        (UUID(int=7), "uuid"),
    ]:  # fmt: skip
        text = said.isoformat() if hasattr(said, "isoformat") else str(said)
        assert to_python({"$": tag, "value": text}) == said
    assert to_python({"$": "timedelta", "value": 1.5}) == timedelta(seconds=1.5)
    assert to_python({"$": "float", "value": "nan"}) != to_python({"$": "float", "value": "nan"})


@pytest.mark.parametrize(
    "tree",
    [{"$": "tuple"}, {"$": "tuple", "items": 5}, {"$": "set", "items": [[]]},
     {"$": "float", "value": 1},
     {"$": "float", "value": "1e5"}, {"$": "int", "value": "x"}, {"$": "int", "value": "9" * 9000},
     {"$": "bytes", "base64": "?"}, {"$": "bytes", "size": 5}, {"$": "str", "utf16": "AA=="},
     {"$": "dict", "items": [[1]]}, {"$": "dict", "type": "OrderedDict", "items": []},
     {"$": "datetime", "value": "noon"}, {"$": "decimal", "value": "x"}, {"$": "uuid", "value": 1},
     {"$": "document", "id": "a"}, {"$": "something new", "x": 1}, {"$": 5}],
    ids=str,
)  # fmt: skip
def test_what_cannot_be_plain_python_stays_as_it_stands(tree):
    assert to_python([tree]) == [tree]


def test_messages_and_documents_are_known_and_read():
    message = {
        "$": "chat_message",
        "role": "user",
        "content": [{"text": "a"}, {"x": 1}, {"text": "b"}],
    }
    assert is_message(message)
    assert is_document({"$": "document", "content": "a"})
    assert not is_message({"role": "user"})
    assert text_of(message) == "a\n\nb"
    assert text_of({"content": "plain"}) == "plain"
    for odd in ({}, None, 5, {"content": 5}, {"content": [5, None]}):
        assert text_of(odd) == ""
