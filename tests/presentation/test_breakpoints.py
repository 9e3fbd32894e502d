"""Breakpoints in words, in the gutter, as they are remembered, and as a worker takes them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.presentation.breakpoints import (
    KINDS,
    MOST,
    BreakpointSpec,
    breakpoint_at,
    breakpoint_for,
    difference,
    engine_fields,
    mark_at,
    mark_of_row,
    names_in,
    specs_from,
    stored,
    turned,
)
from inspector.replay.gate import Breakpoint, Stop
from tests.helpers.drawn_runs import run_from_outline

LOOP = """
pipeline 0-100
  builder 0-2
  agent:component 10-90
    agent 11-89
      step 12-50
        llm 12-40
        search:tool 40-50
"""

specs = st.builds(
    BreakpointSpec,
    path=st.text(max_size=8),
    kinds=st.lists(st.sampled_from(sorted(KINDS)), max_size=2, unique=True).map(tuple),
    name=st.text(max_size=8),
    visit=st.none() | st.integers(1, 9),
    phase=st.sampled_from(["before", "after", "both"]),
    condition=st.sampled_from(["", "a == 1"]),
    enabled=st.booleans(),
)


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        (BreakpointSpec(kinds=("tool",)), "Before every tool call"),
        (BreakpointSpec(kinds=("llm",), phase="after"), "After every LLM call"),
        (BreakpointSpec(path="llm#1", phase="both"), "Before and after llm#1"),
        (BreakpointSpec(name="retriever", visit=2), "Before visit 2 of retriever"),
        (BreakpointSpec(kinds=("tool",), name="search"), "Before every tool call of search"),
        (
            BreakpointSpec(name="llm", condition="length(messages) > 3", enabled=False),
            "Before llm when length(messages) > 3, switched off",
        ),
        (BreakpointSpec(path="a\u202eb\nc"), "Before a\u27e8U+202E\u27e9b c"),
    ],
)
def test_a_breakpoint_is_said_in_words(spec: BreakpointSpec, words: str) -> None:
    if "\u202e" in spec.path:
        assert "\u202e" not in spec.words, "a name from a file cannot turn our words round"
        assert "\n" not in spec.words
    else:
        assert spec.words == words


@given(st.lists(specs, max_size=6))
def test_what_is_remembered_comes_back(told: list[BreakpointSpec]) -> None:
    wanted = {spec.key: spec for spec in told}
    assert specs_from(stored(told)) == tuple(wanted.values())


@given(specs)
def test_what_a_worker_is_told_means_the_same(spec: BreakpointSpec) -> None:
    told = Breakpoint(**spec.fields)
    again = specs_from([spec.fields])
    assert again == (spec._replace(enabled=True),)
    for kind, role, name, path, visit in (
        ("llm", "llm", "llm", "llm#1", 1), ("tool", "tool", "", "", 2),
        ("component", "llm", spec.name, spec.path, spec.visit or 3),
    ):  # fmt: skip
        stop = Stop(phase="before", path=path, visit=visit, kind=kind, name=name, span_id="s",
                    values={}, role=role)  # fmt: skip
        assert spec.is_at(kind, role, name, path, visit) is (
            told.is_at(stop) if spec.phase != "after" else spec._replace(phase="both").is_at(
                kind, role, name, path, visit
            )
        )  # fmt: skip


@pytest.mark.parametrize(
    "told",
    [
        None, "no list", [1, None, "x"], [{"kinds": 3}], [{"path": 1}], [{"visit": True}],
        [{"condition": "x" * 5_000}],
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_left_out(told: object) -> None:
    assert specs_from(told) == ()


def test_odd_parts_become_the_usual_ones_and_there_is_an_end() -> None:
    (spec,) = specs_from([{"kinds": ["tool", "magic"], "visit": -1, "phase": "during"}])
    assert spec == BreakpointSpec(kinds=("tool",))
    many = [{"path": f"a#{number}"} for number in range(3 * MOST)]
    assert len(specs_from(many)) == MOST


def test_calls_can_be_paused_at_and_steps_and_whole_runs_cannot() -> None:
    run = run_from_outline(LOOP)
    found = {span.path: breakpoint_for(run, row) for row, span in enumerate(run.spans)}
    assert found["builder#1"] == BreakpointSpec(path="builder#1")
    assert found[""] is None
    steps = [spec for path, spec in found.items() if path.endswith("step0")]
    assert steps == [None]
    tool = next(path for path in found if path.endswith("tool:search[0]"))
    assert found[tool] == BreakpointSpec(path=tool)
    assert breakpoint_at("agent", "") == BreakpointSpec(kinds=("agent",))


def test_the_gutter_shows_what_is_set_switched_off_conditional_or_covered() -> None:
    def sort(*told: BreakpointSpec) -> str:
        mark = mark_at(told, "llm", "llm", "llm", "a#1/step0/llm", 1)
        assert mark is not None
        return mark.sort

    here = BreakpointSpec(path="a#1/step0/llm")
    every = BreakpointSpec(kinds=("llm",))
    assert sort() == ""
    assert sort(here) == "set"
    assert sort(here._replace(condition="a == 1")) == "conditional"
    assert sort(here._replace(enabled=False), every) == "off"
    assert sort(every) == "covered"
    assert sort(every._replace(enabled=False)) == ""
    assert sort(every._replace(visit=2)) == ""
    assert sort(every, here) == "set", "its own counts before those that cover it"
    assert mark_at((every,), "step", "", "step 0", "a#1/step0", 1) is None


def test_the_gutter_is_also_said_in_words() -> None:
    run = run_from_outline(LOOP)
    row = next(row for row, span in enumerate(run.spans) if span.path == "builder#1")
    mark = mark_of_row((BreakpointSpec(path="builder#1", condition="a == 1"),), run, row)
    assert mark is not None
    assert mark.spoken == "breakpoint before builder#1 when a == 1"


def test_only_what_changed_is_told_to_a_worker_that_runs() -> None:
    one, two = BreakpointSpec(path="a#1"), BreakpointSpec(path="b#1")
    assert difference((one, two), (one, two)) == ([], [])
    assert difference((one,), (one, two)) == ([], [two])
    assert difference((one, two), (two,)) == ([one.key], [])
    later = one._replace(condition="a == 1")
    assert difference((one,), (later,)) == ([one.key], [later])
    assert difference((one,), (one._replace(enabled=False),)) == ([one.key], [])
    assert engine_fields((one._replace(enabled=False), two)) == (two.fields,)


def test_a_call_has_one_breakpoint_and_a_kind_one_before_and_one_after() -> None:
    call = BreakpointSpec(path="a#1")
    assert call.key == call._replace(phase="after", condition="a == 1").key
    tools = BreakpointSpec(kinds=("tool",))
    assert tools.key == tools._replace(condition="a == 1").key
    assert tools.key != tools._replace(phase="after").key


def test_names_of_components_and_tools_are_offered_once() -> None:
    assert names_in(run_from_outline(LOOP)) == ["builder", "agent", "search"]


SETS = st.lists(
    st.builds(BreakpointSpec, path=st.sampled_from("abcde"), enabled=st.booleans()),
    unique_by=lambda spec: spec.key, max_size=5,
).map(tuple)  # fmt: skip


@given(SETS, SETS, SETS)
def test_what_is_done_and_taken_back_leaves_all_that_it_was_not_about(
    now: tuple[BreakpointSpec, ...],
    one: tuple[BreakpointSpec, ...],
    other: tuple[BreakpointSpec, ...],
) -> None:
    assert turned(one, one, other) == other
    done = turned(now, one, other)
    about = {spec.key for spec in {*one} ^ {*other}}
    assert [spec for spec in done if spec.key not in about] == [
        spec for spec in now if spec.key not in about
    ]
    assert {spec for spec in done if spec.key in about} == {
        spec for spec in other if spec.key in about
    }
