"""Alignments: what each keeps to, whatever the runs, and what they make of drawn ones."""

import itertools
import json
import random
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.diff.align import Alignment, align
from inspector.diff.noise import NoiseRules
from inspector.errors import InspectorError
from inspector.runfile.load import load_run
from inspector.runfile.model import PipelineRun
from tests.diff.sides import check, side_by_side, undented
from tests.helpers.span_runs import call, message, nested, result, run_with

EXAMPLES = Path(__file__).parents[2] / "resources" / "examples"
RUNS = {path.name.partition(".")[0]: path for path in sorted(EXAMPLES.glob("*.run.json"))}


def turned(alignment: Alignment) -> set[tuple[Any, ...]]:
    return {
        (pair.right, pair.left, pair.how, pair.same, pair.same_inside) for pair in alignment.pairs
    }


def as_set(alignment: Alignment) -> set[tuple[Any, ...]]:
    return {
        (pair.left, pair.right, pair.how, pair.same, pair.same_inside) for pair in alignment.pairs
    }


@pytest.mark.parametrize("name", RUNS)
def test_an_example_aligns_with_itself_span_by_span(name: str) -> None:
    run, again = (load_run(RUNS[name], use_cache=False) for _ in range(2))

    found = align(run, again)

    check(run, again, found)
    assert [(pair.left, pair.right) for pair in found.pairs] == [
        (row, row) for row in range(len(run.spans))
    ]
    assert all(pair.how == "exact" and pair.same_inside for pair in found.pairs)


@pytest.mark.parametrize(("one", "other"), list(itertools.combinations(RUNS, 2)))
def test_any_two_examples_align_the_same_from_either_side(one: str, other: str) -> None:
    left, right = (load_run(RUNS[name], use_cache=False) for name in (one, other))

    found, back = align(left, right), align(right, left)

    check(left, right, found)
    check(right, left, back)
    assert as_set(found) == turned(back)


def test_another_prompt_changes_what_follows_from_it() -> None:
    left, right = (
        load_run(RUNS[name], use_cache=False) for name in ("rag-answer", "rag-other-prompt")
    )

    assert side_by_side(left, right, same=True) == undented("""
        root | root | exact
        retriever#1 | retriever#1 | exact same inside
        prompt_builder#1 | prompt_builder#1 | exact
        llm#1 | llm#1 | place
        answer_builder#1 | answer_builder#1 | place
        """)


KINDS = st.sampled_from(["component", "tool", "step", "llm", "agent", "pipeline", "hook"])
NAMES = st.sampled_from(["search", "writer", "joiner"])
ASKED = st.sampled_from([None, {"query": "a"}, {"query": "b"}, {"n": 1.5, "of": [1, None]}])


@st.composite
def drawn_runs(draw: st.DrawFn) -> PipelineRun:
    """Draw any tree of spans, with few names and few values: so that much is ambiguous."""
    spans: list[dict[str, Any]] = [{"kind": "pipeline", "name": "root"}]
    visits: dict[tuple[str, str], int] = {}
    for _ in range(draw(st.integers(0, 14))):
        parent = f"s{draw(st.integers(1, len(spans)))}"
        name = draw(NAMES)
        visit = visits[parent, name] = visits.get((parent, name), 0) + 1
        span: dict[str, Any] = {
            "parent": parent,
            "kind": draw(KINDS),
            "name": name,
            "visit": visit,
            "path": f"{parent}/{name}#{visit}",
            "type": draw(st.sampled_from(["", "made.One", "made.Other"])),
            "status": draw(st.sampled_from(["ok", "failed"])),
        }
        for field in ("inputs", "outputs"):
            if (value := draw(ASKED)) is not None:
                span[field] = value
        spans.append(span)
    return run_with(*spans)


@settings(max_examples=150, deadline=None)
@given(drawn_runs(), drawn_runs())
def test_every_span_is_in_one_pair_and_the_sides_can_be_changed(
    left: PipelineRun, right: PipelineRun
) -> None:
    found = align(left, right)

    check(left, right, found)
    assert as_set(found) == turned(align(right, left))


@settings(max_examples=60, deadline=None)
@given(drawn_runs())
def test_a_run_is_the_same_as_itself(run: PipelineRun) -> None:
    found = align(run, run)

    assert all(pair.left == pair.right for pair in found.pairs)
    assert all(pair.how == "exact" and pair.same_inside for pair in found.pairs)


@settings(max_examples=60, deadline=None)
@given(drawn_runs(), st.randoms(use_true_random=False))
def test_what_was_taken_out_stands_alone_and_nothing_else_does(
    run: PipelineRun, draw: random.Random
) -> None:
    leaves = [row for row in range(1, len(run.spans)) if not run.table.children(row)]
    if not leaves:
        return
    gone = draw.choice(leaves)
    rows = [row for row in range(len(run.spans)) if row != gone]
    left_out = run_with(*(dict(run.spans[row].raw) for row in rows))

    found = align(run, left_out)

    alone = [pair for pair in found.pairs if pair.how == "alone"]
    assert len(alone) == 1
    # Which of several that are alike is missing cannot be told; what it looks like can.
    assert alone[0].left is not None
    assert run.spans[alone[0].left].kind == run.spans[gone].kind


def conversation(*texts: str, call_id: str = "call_1", growing: bool = True) -> PipelineRun:
    """Return an agent's run: a conversation in one piece, or as additions to one another."""
    history = [message("user", "Look after the basil.")]
    values: dict[str, Any] = {}
    spans: list[dict[str, Any]] = [{"kind": "agent", "name": "agent"}]
    before = ""
    for number, text in enumerate(texts):
        given: Any = list(history)
        if growing and before:
            given = {"$": "list", "after": {"$ref": before}, "items": history[-2:]}
        before = f"{number:032x}"
        values[before] = given
        asked = call(f"{call_id}_{number}", "look_up", topic=text)
        spans.append({"kind": "step", "name": "step", "path": f"step{number}", "step": number})
        spans.append(
            {
                "kind": "llm", "name": "llm", "parent": f"s{len(spans)}",
                "path": f"step{number}/llm", "inputs": {"messages": {"$ref": before}},
                "outputs": {"replies": [message("assistant", asked, id=f"{call_id}{number}")]},
            }
        )  # fmt: skip
        history += [message("assistant", asked), result(f"{call_id}_{number}", "look_up", text)]
    return run_with(*spans, values=values)


def test_ids_that_a_provider_makes_up_do_not_count() -> None:
    left, right = conversation("a", "b"), conversation("a", "b", call_id="toolu_9")

    assert all(pair.same_inside for pair in align(left, right).pairs)
    assert {pair.how for pair in align(left, right).pairs} == {"exact"}


def test_a_list_is_the_same_in_however_many_pieces_it_stands() -> None:
    # The values are named alike here, but are not: names that are no digests are not believed.
    left, right = conversation("a", "b", "c"), conversation("a", "b", "c", growing=False)
    renamed = orjson.loads(orjson.dumps([dict(span.raw) for span in right.spans]))
    values = {}
    for digest in right.values.digests():
        values[f"v{digest}"] = orjson.loads(right.values.raw(digest))
    for span in renamed:
        if "inputs" in span:
            ref = span["inputs"]["messages"]["$ref"]
            span["inputs"]["messages"]["$ref"] = f"v{ref}"

    found = align(left, run_with(*renamed, values=values))

    assert all(pair.same_inside for pair in found.pairs)


def test_names_of_values_that_are_no_digests_prove_nothing() -> None:
    def one(text: str) -> PipelineRun:
        span = {"name": "llm", "inputs": {"prompt": {"$ref": "v1"}}}
        return run_with({}, span, values={"v1": text})

    pair = align(one("Be brief."), one("Be long.")).of_left(1)

    assert (pair.how, pair.same) == ("place", False)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("outputs", {"text": "B"}),
        ("inputs", {"text": "b"}),
        ("status", "failed"),
        ("error", {"type": "ValueError", "message": "No."}),
        ("arguments", {"text": "a"}),
    ],
)
def test_what_goes_in_and_comes_out_and_how_it_ended_counts(field: str, value: Any) -> None:
    span = {"name": "upper", "inputs": {"text": "a"}, "outputs": {"text": "A"}}
    left, right = run_with({}, span), run_with({}, {**span, field: value})

    pair = align(left, right).of_left(1)

    assert (pair.right, pair.same, pair.same_inside) == (1, False, False)
    assert align(left, right).of_left(0).same
    assert not align(left, right).of_left(0).same_inside


def test_the_users_own_noise_does_not_count() -> None:
    def one(session: str) -> PipelineRun:
        return run_with({}, {"name": "llm", "outputs": {"meta": {"session": session}}})

    left, right = one("first"), one("second")

    assert not align(left, right).of_left(1).same
    assert align(left, right, keys=NoiseRules(["meta.session"])).of_left(1).same
    assert align(left, right, keys=NoiseRules(["llm.session"])).of_left(1).same is False


def test_a_long_value_counts_to_its_end() -> None:
    def one(end: str) -> PipelineRun:
        return run_with({}, {"name": "llm", "inputs": {"prompt": "x" * 10_000 + end}})

    assert align(one("a"), one("a")).of_left(1).same
    assert not align(one("a"), one("b")).of_left(1).same


def test_a_tool_call_that_moved_to_another_step_is_found_there() -> None:
    tool = {"kind": "tool", "name": "search", "inputs": {"q": "basil"}}
    steps = [{"kind": "step", "name": "step", "path": f"step{n}", "step": n} for n in range(2)]
    llms = [
        {"kind": "llm", "name": "llm", "parent": f"s{2 + n}", "inputs": {"n": n}} for n in range(2)
    ]
    left = run_with({"kind": "agent"}, *steps, *llms, {**tool, "parent": "s2"})
    right = run_with({"kind": "agent"}, *steps, *llms, {**tool, "parent": "s3"})

    pair = align(left, right).of_left(5)

    assert (pair.right, pair.how, pair.same) == (5, "content", True)
    assert not align(left, right).of_left(0).same_inside


def test_a_record_that_is_not_as_it_should_be_still_takes_part() -> None:
    odd = {"name": "llm", "type": 7, "path": None, "inputs": {"text": "a"}}
    left, right = run_with({}, odd), run_with({}, odd)

    found = align(left, right)

    check(left, right, found)
    assert found.of_left(1).same


def test_a_run_without_spans_aligns_with_any() -> None:
    empty, run = run_with(), run_with({}, {"name": "llm"})

    assert align(empty, empty).pairs == ()
    assert {pair.how for pair in align(empty, run).pairs} == {"alone"}


def test_an_alignment_can_be_stopped() -> None:
    run = load_run(RUNS["agent-tools"], use_cache=False)
    asked = []

    def stop() -> None:
        asked.append(1)
        raise InspectorError("Enough.")

    with pytest.raises(InspectorError):
        align(run, run, tick=stop)

    assert len(asked) == 1


def named(number: int) -> str:
    return f"{number:032x}"


HOSTILE = {
    "doubling lists": {
        named(n): [{"$ref": named(n - 1)}] * 2 if n else "x" * 300 for n in range(60)
    },
    "doubling objects": {
        named(n): {"a": {"$ref": named(n - 1)}, "b": {"$ref": named(n - 1)}} if n else "x" * 300
        for n in range(60)
    },
    "a circle": {named(n): {"on": {"$ref": named((n + 1) % 60)}} for n in range(60)},
    "a list after itself": {
        named(n): {"$": "list", "after": {"$ref": named((n + 1) % 60)}, "items": [n]}
        for n in range(60)
    },
    "nested deeply": {named(59): nested(240)},
    "nothing there": {},
}


@pytest.mark.parametrize("values", HOSTILE.values(), ids=HOSTILE)
def test_hostile_values_are_told_apart_by_what_is_beside_them(values: dict[str, Any]) -> None:
    def one(extra: int) -> PipelineRun:
        span = {"name": "llm", "inputs": {"value": {"$ref": named(59)}, "extra": extra}}
        return run_with({}, span, values=values)

    assert align(one(1), one(1)).of_left(1).same
    assert not align(one(1), one(2)).of_left(1).same


def test_numbers_beyond_64_bits_count_to_the_last_digit() -> None:
    def one(number: int) -> PipelineRun:
        file = {
            "format": "haystack-run",
            "version": 1,
            "run": {"id": "01JDQ6Z3V4N8W2X5Y7A9B1C3D5"},
            "spans": [{"id": "s1", "kind": "component", "name": "a", "inputs": {"n": number}}],
        }
        return load_run(json.dumps(file).encode(), use_cache=False)

    assert align(one(10**25), one(10**25)).of_left(0).same
    assert not align(one(10**25), one(10**25 + 1)).of_left(0).same


def test_a_thousand_levels_of_spans_are_walked() -> None:
    def one(extra: int) -> PipelineRun:
        below = (
            {"parent": f"s{n}", "kind": "agent", "name": "x", "inputs": {"n": n, "extra": extra}}
            for n in range(1, 1_000)
        )
        return run_with({}, *below)

    assert {pair.how for pair in align(one(1), one(2)).pairs} == {"exact", "place"}


def test_many_components_are_renamed_at_once() -> None:
    def one(prefix: str) -> PipelineRun:
        spans = (
            {"name": f"{prefix}{n}", "type": "made.Part", "inputs": {"n": n}} for n in range(30)
        )
        return run_with({}, *spans)

    found = align(one("old"), one("new"))

    assert [pair.right for pair in found.pairs] == list(range(31))
    assert {pair.how for pair in found.pairs[1:]} == {"renamed"}
