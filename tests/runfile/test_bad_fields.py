"""A field of the wrong type loses that field; everything else of the run is shown."""

import json

import orjson
import pytest

from inspector.runfile.load import load_run
from tests.runfile.files import HEADER, by_name, run_file, span

WRONG = [None, True, 1, -1, 1.5, "text", "", [], [1], {}, {"a": 1}, 2**70]


@pytest.mark.parametrize("wrong", WRONG, ids=repr)
@pytest.mark.parametrize(
    "field",
    ["id", "parent", "kind", "operation", "name", "type", "role", "path", "visit", "step",
     "start_ns", "end_ns", "status", "thread", "inputs", "outputs", "senders", "receivers",
     "arguments", "tool_call", "llm", "usage", "chunks", "retrieval", "state_changes", "error",
     "tags", "channels", "not_recorded", "extensions"],
)  # fmt: skip
def test_a_wrong_type_loses_that_field_and_not_the_span(field, wrong):
    spans = [span(1), {**span(2, 1), field: wrong}, span(3, 1)]
    for text in (run_file(spans), json.dumps(json.loads(run_file(spans)), indent=1).encode()):
        run = load_run(text)
        assert len(run.spans) == 3
        for each in run.spans:
            everything_of(each)
        assert run.span("s3").parent_id == "s1"
        for start, end in zip(run.table.start_ns, run.table.end_ns, strict=True):
            assert start >= 0
            assert end == -1 or end >= start


@pytest.mark.parametrize("wrong", WRONG, ids=repr)
@pytest.mark.parametrize("field", ["run", "spans", "values", "record_digests", "digest"])
def test_a_wrong_type_at_the_top_loses_no_more_than_that(field, wrong):
    tree = json.loads(run_file([span(1), span(2, 1)], by_name("x" * 300)))
    tree[field] = wrong
    for text in (orjson.dumps(tree) if wrong != 2**70 else json.dumps(tree).encode(),
                 json.dumps(tree, indent=1).encode()):  # fmt: skip
        run = load_run(text)
        assert len(run.spans) == (0 if field == "spans" else 2)
        run.verify()


@pytest.mark.parametrize("wrong", WRONG, ids=repr)
@pytest.mark.parametrize(
    "field",
    ["id", "kind", "name", "mode", "status", "started_at", "duration_ns", "inputs", "outputs",
     "error", "topology", "definition", "environment", "usage", "cost_estimate", "not_recorded",
     "snapshot", "continues", "replay_of", "extensions"],
)  # fmt: skip
def test_a_wrong_type_in_the_header_loses_that_field(field, wrong):
    text = json.dumps(json.loads(run_file([span(1)], header=HEADER))).encode()
    tree = json.loads(text)
    tree["run"][field] = wrong
    run = load_run(json.dumps(tree).encode())
    for name in (field, "id", "name", "status", "usage"):
        getattr(run, name)
    assert len(run.spans) == 1


def everything_of(each):
    return [
        getattr(each, name)
        for name in dir(type(each))
        if not name.startswith("_") and name not in {"has"}
    ]


def test_negative_times_and_ends_before_starts_are_said():
    run = load_run(
        run_file([span(1), {**span(2, 1), "start_ns": -5}, {**span(3, 1), "end_ns": 3},
                  {**span(4, 1), "end_ns": -7}, {**span(5, 1), "start_ns": 2**63}])
    )  # fmt: skip
    said = {str(problem) for problem in run.problems}
    assert said == {
        "s2: Its start is not a time.",
        "s3: It ends before it starts.",
        "s4: Its end is not a time.",
        "s5: Its start is not a time.",
    }
    assert [each.duration_ns for each in run.spans][2:4] == [0, None]


def test_spans_are_shown_in_start_order_whatever_the_order_of_the_file():
    run = load_run(run_file([span(3, 1), span(1), span(2, 1)]))
    assert [each.id for each in run.spans] == ["s1", "s2", "s3"]
    assert [each.name for each in run.children(run.span("s1"))] == ["part2", "part3"]
    assert run.span("s3").path == "part3#1"
    assert run.verify().state == "ok"


def test_two_spans_of_one_id_are_both_shown():
    run = load_run(run_file([span(1), span(2, 1), {**span(2, 1), "name": "again"}]))
    assert [(each.id, each.name) for each in run.spans] == [
        ("s1", "part1"), ("s2", "part2"), ("s2~2", "again"),
    ]  # fmt: skip
    assert str(run.problems[0]) == "s2: Two spans have this id."


def test_an_orphan_hangs_under_the_root():
    run = load_run(run_file([span(1), span(2, 1), span(3, 77)]))
    assert run.span("s3").parent_id == "s1"
    assert str(run.problems[0]) == "s3: Its parent is not in the file."


@pytest.mark.parametrize(
    "parent", ["s" + "9" * 5_000, "s٣", "s01", "s-1", "s+1", "s1_0", "s 1", "S1"]
)
def test_a_parent_that_only_resembles_an_id_is_not_in_the_file(parent):
    run = load_run(run_file([span(1), {**span(2, 1), "parent": parent}, span(3, 2)]))
    assert [each.parent_id for each in run.spans] == [None, "s1", "s2"]
    assert str(run.problems[0]) == "s2: Its parent is not in the file."


@pytest.mark.parametrize("count", [999, 1_000, 1_001, 12_345])
def test_ids_that_are_almost_plain_are_kept_as_they_are(count):
    spans = [span(n, 1 if n > 1 else None) for n in range(1, count + 1)]
    assert load_run(run_file(spans)).table.plain_ids
    spans[-1]["id"] = "last"
    run = load_run(run_file(spans))
    assert not run.table.plain_ids
    assert run.span("last").parent_id == "s1"
    assert run.span(f"s{count - 1}").row == count - 2


def test_an_orphan_without_a_root_is_a_root():
    run = load_run(run_file([span(1, 9), span(2, 1)]))
    assert [each.id for each in run.roots] == ["s1"]


@pytest.mark.parametrize(
    ("parents", "roots"),
    [({1: 1}, ["s1"]), ({1: 2, 2: 1}, ["s1"]), ({1: None, 2: 3, 3: 4, 4: 2}, ["s1", "s2"]),
     ({1: 4, 2: 3, 3: 2, 4: 3}, ["s2"]), ({1: None, 2: 2, 3: 3}, ["s1", "s2", "s3"])],
)  # fmt: skip
def test_a_circle_of_parents_is_cut_at_the_span_that_comes_first(parents, roots):
    run = load_run(run_file([span(number, parent) for number, parent in parents.items()]))
    assert [each.id for each in run.roots] == roots
    assert any("form a circle" in problem.message for problem in run.problems)
    shown, waiting = [], list(run.roots)
    while waiting:
        each = waiting.pop()
        shown.append(each.id)
        waiting += run.children(each)
        assert each.depth == (0 if each.parent_id is None else run.parent(each).depth + 1)
    assert sorted(shown) == sorted(each.id for each in run.spans)


def test_a_tower_of_spans_is_no_tower_of_calls():
    count = 20_000
    run = load_run(run_file([span(n, n - 1 if n > 1 else None) for n in range(1, count + 1)]))
    assert run.span(f"s{count}").depth == count - 1
    backwards = [span(n, n + 1 if n < count else None) for n in range(1, count + 1)]
    assert load_run(run_file(backwards)).span("s1").depth == count - 1


def test_many_wrong_spans_do_not_bury_the_reader_in_sentences():
    run = load_run(run_file([{**span(n), "kind": 5} for n in range(1, 2000)]))
    assert len(run.spans) == 1999
    assert len(run.problems) == 201
    assert run.problems[-1].message == "There are 1,799 more problems of this sort."
