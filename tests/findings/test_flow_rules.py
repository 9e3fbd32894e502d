"""What ran in vain, what never ran, and who changed what others were given."""

from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import pytest

pytest.importorskip("haystack", reason="these runs are recorded from real pipelines")

from haystack import Document, Pipeline, component
from haystack.components.joiners import BranchJoiner
from haystack.components.routers import ConditionalRouter, MetadataRouter
from haystack.core.errors import PipelineComponentsBlockedError

from inspector import record_run, recording
from inspector.findings import check
from inspector.runfile.model import PipelineRun
from tests.findings.test_recorded_runs import two_routes
from tests.helpers.span_runs import run_with

pytestmark = pytest.mark.haystack


def found(run: PipelineRun, rule: str) -> Any:
    return [each for each in check(run) if each.rule == rule]


def only(run: PipelineRun) -> Any:
    (one,) = check(run)
    return one


def names(run: PipelineRun, finding: Any) -> list[str]:
    return [run.span(span_id).name for span_id in finding.spans]


@component
class Says:
    """Sends something, unless it is told to keep silent."""

    @component.output_types(text=str)
    def run(self, query: str) -> dict[str, Any]:
        return {} if query == "silence" else {"text": query}


@component
class Joins:
    @component.output_types(text=str)
    def run(self, left: str, right: str) -> dict[str, Any]:
        return {"text": f"{left} {right}"}


@component
class Ends:
    @component.output_types(end=str)
    def run(self, text: str) -> dict[str, Any]:
        return {"end": text}


def two_senders() -> Pipeline:
    pipeline = Pipeline(metadata={"name": "two_senders"})
    pipeline.add_component("left", Says())
    pipeline.add_component("right", Says())
    pipeline.add_component("both", Joins())
    pipeline.add_component("end", Ends())
    pipeline.connect("left.text", "both.left")
    pipeline.connect("right.text", "both.right")
    pipeline.connect("both.text", "end.text")
    return pipeline


def test_a_blocked_component_is_found_with_its_empty_socket_and_who_should_have_fed_it() -> None:
    data = {"left": {"query": "a"}, "right": {"query": "silence"}}
    run = record_run(two_senders(), data)[1]
    by_rule = {each.rule: each for each in check(run)}
    assert set(by_rule) == {"blocked-component", "component-never-reached"}
    blocked = by_rule["blocked-component"]
    assert "`both` never ran: `right` stayed empty, and `right`, which should have fed it" in (
        blocked.sentence
    )
    assert names(run, blocked)[0] == "right"
    never = by_rule["component-never-reached"]
    assert never.sentence == "`end` was never reached: nothing came from `both`."


def test_a_pipeline_in_which_everybody_waits_is_found_with_what_they_wait_for() -> None:
    pipeline = Pipeline(metadata={"name": "knot"})
    pipeline.add_component("one", Repeats())
    pipeline.add_component("other", Repeats())
    pipeline.connect("one.text", "other.text")
    pipeline.connect("other.text", "one.text")
    with recording() as recorder, suppress(PipelineComponentsBlockedError):
        pipeline.run({})
    (blocked,) = found(recorder.runs[-1], "blocked-component")
    assert blocked.severity == "error"
    assert "`other` waits for `text` from `one`, `one` waits for `text` from `other`" in (
        blocked.sentence
    )


@component
class Repeats:
    @component.output_types(text=str)
    def run(self, text: str) -> dict[str, Any]:
        return {"text": text}


def test_a_component_to_which_nothing_came_is_found() -> None:
    pipeline = Pipeline(metadata={"name": "line"})
    pipeline.add_component("first", Says())
    pipeline.add_component("end", Ends())
    pipeline.connect("first.text", "end.text")
    never = only(record_run(pipeline, {"first": {"query": "silence"}})[1])
    assert never.rule == "component-never-reached"
    assert never.sentence == "`end` was never reached: nothing came from `first`."
    assert check(record_run(pipeline, {"first": {"query": "speak"}})[1]) == ()


def test_a_pipeline_in_which_all_send_is_well() -> None:
    data = {"left": {"query": "a"}, "right": {"query": "b"}}
    assert check(record_run(two_senders(), data)[1]) == ()


def test_what_waits_behind_a_branch_that_was_not_taken_is_well() -> None:
    routes: list[Any] = [
        {"condition": "{{ text == 'a' }}", "output": "{{ text }}", "output_name": "one",
         "output_type": str},
        {"condition": "{{ text != 'a' }}", "output": "{{ text }}", "output_name": "other",
         "output_type": str},
    ]  # fmt: skip
    pipeline = two_senders()
    pipeline.add_component("router", ConditionalRouter(routes))
    pipeline.add_component("waits", Joins())
    pipeline.add_component("after", Ends())
    pipeline.add_component("goes_on", Ends())
    pipeline.connect("end.end", "router.text")
    pipeline.connect("router.one", "waits.left")
    pipeline.connect("both.text", "waits.right")
    pipeline.connect("waits.text", "after.text")
    pipeline.connect("router.other", "goes_on.text")
    run = record_run(pipeline, {"left": {"query": "a"}, "right": {"query": "b"}})[1]
    assert run.at("waits#1") is None
    assert check(run) == ()


def test_a_run_that_failed_before_has_not_left_anything_out() -> None:
    run = run_with(
        {},
        {"name": "first", "status": "failed", "outputs": {}},
        status="failed",
        topology={
            "components": {"first": {}, "end": {}},
            "connections": [{"sender": "first.text", "receiver": "end.text"}],
        },
    )
    assert [each.rule for each in check(run)] == ["failed"]


def by_year() -> Pipeline:
    rules = {"old": {"field": "meta.year", "operator": "<", "value": 2000}}
    pipeline = Pipeline(metadata={"name": "by_year"})
    pipeline.add_component("router", MetadataRouter(rules=rules))
    pipeline.add_component("reads", Counts())
    pipeline.connect("router.old", "reads.documents")
    return pipeline


@component
class Counts:
    @component.output_types(count=int)
    def run(self, documents: list[Document]) -> dict[str, Any]:
        return {"count": len(documents)}


def test_a_router_that_took_none_of_its_branches_is_found() -> None:
    documents = [Document(content="new", meta={"year": 2020})]
    run = record_run(by_year(), {"router": {"documents": documents}})[1]
    (untaken,) = found(run, "untaken-branch")
    assert "`router` took none of its branches (`old`)" in untaken.sentence
    assert "went to `unmatched`, which leads nowhere." in untaken.sentence
    assert names(run, untaken) == ["router"]


def test_a_router_that_took_one_of_its_branches_is_well() -> None:
    documents = [Document(content=str(year), meta={"year": year}) for year in (1990, 2020)]
    run = record_run(by_year(), {"router": {"documents": documents}})[1]
    assert check(run) == ()
    assert check(record_run(two_routes(), {"router": {"question": "Short?"}})[1]) == ()


def test_a_way_out_of_a_pipeline_is_no_untaken_branch() -> None:
    routes: list[Any] = [
        {"condition": "{{ text == 'a' }}", "output": "Answered at once.", "output_name": "done",
         "output_type": str},
        {"condition": "{{ text != 'a' }}", "output": "{{ text }}", "output_name": "on",
         "output_type": str},
    ]  # fmt: skip
    pipeline = Pipeline(metadata={"name": "early"})
    pipeline.add_component("router", ConditionalRouter(routes))
    pipeline.add_component("end", Ends())
    pipeline.connect("router.on", "end.text")
    run = record_run(pipeline, {"router": {"text": "a"}})[1]
    assert run.at("end#1") is None
    assert check(run) == ()


@component
class Tries:
    """Comes nearer to ten, or does not."""

    def __init__(self, by: int) -> None:
        self.by = by
        self.visits = 0

    @component.output_types(again=int, done=int)
    def run(self, value: int) -> dict[str, Any]:
        self.visits += 1
        if value >= 10 or self.visits > 3:
            return {"done": value}
        return {"again": value + self.by}


def loop(by: int) -> Pipeline:
    pipeline = Pipeline(metadata={"name": "loop"}, max_runs_per_component=20)
    pipeline.add_component("joiner", BranchJoiner(int))
    pipeline.add_component("tries", Tries(by))
    pipeline.connect("joiner.value", "tries.value")
    pipeline.connect("tries.again", "joiner.value")
    return pipeline


def test_a_loop_that_comes_back_to_the_same_state_is_found() -> None:
    run = record_run(loop(0), {"joiner": {"value": 1}})[1]
    stuck = only(run)
    assert stuck.rule == "loop-without-progress"
    assert "The loop around `joiner` made no progress" in stuck.sentence
    assert [run.span(span_id).visit for span_id in stuck.spans][:2] == [1, 2]


def test_a_loop_that_gets_on_is_well() -> None:
    assert check(record_run(loop(3), {"joiner": {"value": 1}})[1]) == ()


@dataclass
class Box:
    """Something that cannot be copied, and so is shared."""

    items: list[int] = field(default_factory=lambda: [1, 2])

    def __deepcopy__(self, _memo: Any) -> "Box":
        raise TypeError("There is only one of it.")


@component
class MakesBox:
    @component.output_types(box=Box)
    def run(self, query: str) -> dict[str, Any]:
        return {"box": Box()}


@component
class Takes:
    def __init__(self, change: bool) -> None:
        self.change = change

    @component.output_types(count=int)
    def run(self, box: Box) -> dict[str, Any]:
        if self.change:
            box.items.append(3)
        return {"count": len(box.items)}


def sharing(*, change: bool) -> Pipeline:
    pipeline = Pipeline(metadata={"name": "sharing"})
    pipeline.add_component("makes", MakesBox())
    pipeline.add_component("adds", Takes(change))
    pipeline.add_component("reads", Takes(False))
    pipeline.connect("makes.box", "adds.box")
    pipeline.connect("makes.box", "reads.box")
    return pipeline


def test_a_value_that_was_changed_under_the_eyes_of_another_is_found() -> None:
    run = record_run(sharing(change=True), {"makes": {"query": "a"}})[1]
    changed = only(run)
    assert changed.rule == "input-mutated"
    assert "`reads` was given another `box` than `makes` had sent: `adds`" in changed.sentence
    assert names(run, changed) == ["adds", "reads", "makes"]


def test_a_value_that_is_only_read_may_be_shared() -> None:
    assert check(record_run(sharing(change=False), {"makes": {"query": "a"}})[1]) == ()


def visits(second_sender_runs: bool) -> PipelineRun:
    """A component that runs twice; its sender once, or twice."""
    ms = 1_000_000
    sends = {"name": "sends", "receivers": {"out": ["takes"]}, "outputs": {"out": "a"}}
    takes = {"name": "takes", "senders": {"text": ["sends"]}, "inputs": {"text": "a"}}
    spans = [
        {"start_ns": 0, "end_ns": 90 * ms},
        {**sends, "start_ns": 1 * ms, "end_ns": 2 * ms},
        {**takes, "start_ns": 3 * ms, "end_ns": 4 * ms},
    ]
    if second_sender_runs:
        spans.append({**sends, "visit": 2, "start_ns": 5 * ms, "end_ns": 6 * ms})
    spans.append({**takes, "visit": 2, "start_ns": 7 * ms, "end_ns": 8 * ms, "inputs": {"text": 1}})
    return run_with(*spans)


def test_a_visit_for_which_nothing_new_had_come_is_found() -> None:
    extra = only(visits(second_sender_runs=False))
    assert extra.rule == "extra-visit"
    assert "`takes` ran once more, although nobody who sends to it had run since" in extra.sentence
    assert extra.spans == ("s4", "s3")


def test_a_visit_after_its_sender_ran_again_is_well() -> None:
    assert check(visits(second_sender_runs=True)) == ()
