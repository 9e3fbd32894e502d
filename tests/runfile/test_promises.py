"""Where the reader says never or always, random files hold it to its word."""

import json
import math
from contextlib import suppress

import orjson
from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.errors import RunFileError
from inspector.runfile.load import load_run
from inspector.runfile.shallow import items_of, members_of
from inspector.runfile.store import MAX_DEPTH
from inspector.runfile.table import NO_END, NO_PARENT
from tests.fuzz.fuzz_load import look_at_everything, mutated
from tests.runfile.files import HEADER, compact, run_file, span

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
LEAVES = st.none() | st.booleans() | st.integers(-(2**53), 2**53) | TEXTS | st.floats(
    allow_nan=False, allow_infinity=False
)  # fmt: skip
JSON = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)  # fmt: skip
KEYS = st.integers(0, 5).map(lambda n: f"{n:032x}")
REFS = KEYS.map(lambda key: {"$ref": key})
LISTS = st.builds(
    lambda after, items: {"$": "list", "after": after, "items": items},
    REFS, st.lists(REFS | LEAVES, max_size=3),
)  # fmt: skip
LINKED = st.recursive(
    LEAVES | REFS | LISTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=10,
)
ODD = st.sampled_from([None, -1, 0, 5, 2**40, 2**63, 1.5, "x", "s1", [], {}, True])


@st.composite
def headers_of_spans(draw):
    count = draw(st.integers(0, 12))
    ids = st.sampled_from([f"s{n}" for n in range(1, 14)])
    made = []
    for number in range(1, count + 1):
        parent = draw(st.none() | ids)
        each = {**span(number), "parent": parent}
        if draw(st.booleans()):
            each["id"] = draw(ids)
        if draw(st.booleans()):
            each[draw(st.sampled_from(sorted(each)))] = draw(ODD)
        made.append(each)
    return made


@given(headers_of_spans(), st.booleans())
def test_the_table_is_always_sane(spans, pretty):
    text = run_file(spans)
    if pretty:
        text = json.dumps(json.loads(text), indent=1).encode()
    run = load_run(text)
    table = run.table
    assert len(table) == len(spans)
    assert list(table.start_ns) == sorted(table.start_ns)
    assert all(start >= 0 for start in table.start_ns)
    ends = zip(table.start_ns, table.end_ns, strict=True)
    assert all(end == NO_END or end >= start for start, end in ends)
    assert len({table.id(row) for row in range(len(table))}) == len(spans)
    for row in range(len(table)):
        assert table.row_of(table.id(row)) == row
        above, up = table.parent_row[row], 0
        while above != NO_PARENT:
            above, up = table.parent_row[above], up + 1
            assert up <= len(spans)
        assert table.depth[row] == up
    families = [table.children(row) for row in range(-1, len(table))]
    below = [row for family in families for row in family]
    assert sorted(below) == list(range(len(table)))
    assert all(list(family) == sorted(family) for family in families)


@given(st.lists(st.tuples(TEXTS, JSON), max_size=5))
def test_both_layouts_of_the_same_run_show_the_same(fields):
    spans = [span(1), span(2, 1, inputs=dict(fields), outputs=[item for _, item in fields])]
    text = run_file(spans, header={**HEADER, "inputs": dict(fields)})
    one, other = load_run(text), load_run(json.dumps(json.loads(text), indent=2).encode())
    for run in (one, other):
        assert run.problems == ()
        assert run.span("s2").inputs == dict(fields)
        assert run.span("s2").outputs == [item for _, item in fields]
        assert run.inputs == dict(fields)
    assert one.verify().state == "ok"


@given(st.dictionaries(KEYS, LINKED, max_size=6), LINKED)
def test_no_reference_is_left_and_no_tree_is_too_deep(values, tree):
    found = load_run(run_file([span(1, outputs=tree)], values)).span("s1").outputs
    waiting = [(found, 0)]
    met = 0
    while waiting:
        node, depth = waiting.pop()
        met += 1
        assert depth <= MAX_DEPTH
        assert met < 1_000_000
        if isinstance(node, dict):
            assert not isinstance(node.get("$ref"), str)
            waiting += [(item, depth + 1) for item in node.values()]
        elif isinstance(node, list):
            waiting += [(item, depth + 1) for item in node]


@given(JSON, st.integers(0, 60))
def test_the_parts_of_an_object_are_found_whatever_is_inside(tree, cut):
    text = compact({"a": tree, 'é"\\': [tree, 1], "c": tree})
    members, whole = members_of(text)
    assert whole
    assert [(key, json.loads(text[start:end])) for key, start, end in members] == [
        ("a", tree), ("é\"\\", [tree, 1]), ("c", tree),
    ]  # fmt: skip
    items, whole = items_of(text, members[1].start, members[1].end)
    assert whole
    assert [json.loads(text[start:end]) for start, end in items] == [tree, 1]
    pieces, whole = members_of(text[: max(0, len(text) - 1 - cut)])
    assert not whole
    assert [tuple(piece) for piece in pieces] == [tuple(each) for each in members[: len(pieces)]]


@given(JSON)
def test_the_slow_scanner_finds_what_the_fast_one_finds(tree):
    text = json.dumps({"a": tree, "b": [tree, tree]}, indent=1).encode()
    fast, whole = members_of(text)
    twice = text.rstrip()[:-1] + b', "a": 1}'  # the fast one cannot tell keys that stand twice
    slow, _ = members_of(twice)
    assert whole
    assert slow[:2] == fast
    assert [member.key for member in slow] == ["a", "b", "a"]


@settings(max_examples=300)
@given(st.randoms(use_true_random=False))
def test_no_mutation_of_a_real_file_gives_anything_but_a_run_or_a_sentence(random):
    with suppress(RunFileError):
        look_at_everything(load_run(mutated(random)))


@given(st.binary(max_size=300))
def test_no_bytes_at_all_give_anything_but_a_run_or_a_sentence(data):
    for start in (b"", b'{"format":"haystack-run","version":1,', b'{"record":"start","span":'):
        with suppress(RunFileError):
            look_at_everything(load_run(start + data))


@given(st.floats(allow_nan=True), st.integers())
def test_numbers_come_back_or_are_tagged(real, whole):
    text = run_file([span(1, outputs=[1, 2])]).replace(b"[1,2]", json.dumps([real, whole]).encode())
    found = load_run(text).span("s1").outputs
    if math.isfinite(real):
        assert found[0] == real
    else:
        assert found[0]["$"] == "float"
    assert found[1] == whole or found[1] == {"$": "int", "value": str(whole)}
    orjson.dumps(found)
