"""Exceptions, breakpoints and resuming: the original error comes first and stays as it is."""

import threading
import traceback
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from haystack import Pipeline, component
from haystack.core.errors import BreakpointException, PipelineRuntimeError
from haystack.dataclasses import ChatMessage
from haystack.dataclasses.breakpoints import Breakpoint

from inspector.errors import RecordingError
from inspector.recording.api import record_run, record_run_async
from inspector.recording.recorder import PipelineRecorder
from tests.helpers import agents, pipelines
from tests.helpers.openai_server import OpenAIServer
from tests.recording.drawing import at, drawn, through_tracing_alone, undented

pytestmark = pytest.mark.haystack


@component
class Add:
    @component.output_types(value=int)
    def run(self, value: int, plus: int = 1) -> dict[str, int]:
        return {"value": value + plus}


@component
class Break:
    def __init__(self, error: BaseException) -> None:
        self.error = error

    @component.output_types(value=int)
    def run(self, value: int) -> dict[str, int]:
        raise self.error


def adding(*names: str, then: Any = None) -> Pipeline:
    pipeline = Pipeline(metadata={"name": "adding"})
    for name in names:
        pipeline.add_component(name, Add())
    if then is not None:
        pipeline.add_component("last", then)
        names = (*names, "last")
    for sender, receiver in pairwise(names):
        pipeline.connect(f"{sender}.value", f"{receiver}.value")
    return pipeline


def failure_of(call: Any, *args: Any, **kwargs: Any) -> BaseException:
    with pytest.raises(BaseException) as caught:  # noqa: PT011 - compared by the caller
        call(*args, **kwargs)
    return caught.value


def test_the_error_is_the_one_that_haystack_raises_without_us() -> None:
    original = ValueError("no")
    pipeline = adding("first", then=Break(original))
    alone = failure_of(pipeline.run, {"first": {"value": 1}})
    recorded = failure_of(record_run, pipeline, {"first": {"value": 1}})

    assert type(recorded) is type(alone) is PipelineRuntimeError
    assert str(recorded) == str(alone)
    assert recorded.__cause__ is original
    assert recorded.__context__ is original
    assert not hasattr(recorded, "__notes__")
    assert vars(recorded).keys() == vars(alone).keys()


def test_a_failed_run_names_the_component_and_every_cause() -> None:
    missing = KeyError("k")
    original = ValueError("no")
    original.__cause__ = missing
    recorder = through_tracing_alone()
    failure_of(
        record_run, adding("first", then=Break(original)), {"first": {"value": 1}},
        recorder=recorder,
    )  # fmt: skip

    run = recorder.runs[-1]
    assert drawn(run) == undented("""
        adding pipeline failed
          first#1 other ok
          last#1 other failed
        """)
    assert run.status == "failed"
    error = at(run, "last#1").error
    assert error.type.endswith("PipelineRuntimeError")
    assert (error.cause.type, error.cause.message) == ("ValueError", "no")
    assert error.cause.cause.type == "KeyError"
    assert run.error.cause.message == "no"
    assert run.snapshot["break_point"]["component_name"] == "last"
    assert recorder.failures == (run,) or recorder.failures[-1].id == run.id


def test_a_note_on_the_error_names_the_file(tmp_path: Path) -> None:
    recorder = PipelineRecorder(tmp_path, wrappers=False)
    pipeline = adding("first", then=Break(ValueError("no")))
    error = failure_of(record_run, pipeline, {"first": {"value": 1}}, recorder=recorder)

    (path,) = recorder.paths
    assert error.__notes__ == [f"Run Inspector recorded this run in {path}"]
    assert path.exists()
    assert str(path) in "".join(traceback.format_exception(error))


def test_data_that_does_not_fit_is_a_failed_run_without_components() -> None:
    recorder = through_tracing_alone()
    error = failure_of(record_run, adding("first"), {"nobody": {"x": 1}}, recorder=recorder)

    assert type(error) is ValueError
    run = recorder.runs[-1]
    assert drawn(run) == undented("""
        adding pipeline failed
        """)
    assert run.inputs == {"nobody": {"x": 1}}
    assert run.error.message == str(error)


def test_a_component_that_cannot_warm_up_is_a_failed_run() -> None:
    @component
    class Cold:
        def warm_up(self) -> None:
            raise OSError("no model")

        @component.output_types(value=int)
        def run(self, value: int) -> dict[str, int]:
            return {"value": value}

    recorder = through_tracing_alone()
    pipeline = adding("first", then=Cold())
    error = failure_of(record_run, pipeline, {"first": {"value": 1}}, recorder=recorder)

    assert type(error) is OSError
    assert recorder.runs[-1].error.message == "no model"


def test_the_error_of_a_provider_is_kept_with_its_cause(openai_server: OpenAIServer) -> None:
    case = pipelines.llm_error(openai_server, status=429)
    recorder = through_tracing_alone()
    failure_of(record_run, case.target, case.data, recorder=recorder)

    run = recorder.runs[-1]
    cause = at(run, "llm#1").error.cause
    assert cause.type == "openai.RateLimitError"
    assert run.status == "failed"
    assert not at(run, "llm#1").has("usage")


def test_an_agent_whose_llm_fails_shows_where(openai_server: OpenAIServer) -> None:
    case = agents.three_tools(openai_server, in_pipeline=True)
    case.target.get_component("support_agent").raise_on_tool_invocation_failure = True
    recorder = through_tracing_alone()
    failure_of(record_run, case.target, case.data, recorder=recorder)

    run = recorder.runs[-1]
    assert at(run, "support_agent#1/step0/tool:measure[1]").status == "failed"
    assert at(run, "support_agent#1/step0").status == "failed"
    assert at(run, "support_agent#1/step0").error.type.endswith("ToolInvocationError")
    assert at(run, "support_agent#1").error.type.endswith("PipelineRuntimeError")


@pytest.mark.parametrize("error", [KeyboardInterrupt(), SystemExit(3)], ids=repr)
def test_what_is_no_exception_goes_through_unchanged(error: BaseException) -> None:
    recorder = through_tracing_alone()
    pipeline = adding("first", then=Break(error))
    assert failure_of(record_run, pipeline, {"first": {"value": 1}}, recorder=recorder) is error
    expected = "canceled" if isinstance(error, KeyboardInterrupt) else "failed"
    assert recorder.runs[-1].status == expected


async def test_an_error_on_the_event_loop_is_the_same_error() -> None:
    recorder = through_tracing_alone()
    original = ValueError("no")
    pipeline = adding("first", then=Break(original))
    with pytest.raises(PipelineRuntimeError) as caught:
        await record_run_async(pipeline, {"first": {"value": 1}}, recorder=recorder)

    assert caught.value.__cause__ is original
    assert at(recorder.runs[-1], "last#1").error.cause.message == "no"


def test_a_breakpoint_pauses_the_run_and_its_snapshot_is_kept() -> None:
    recorder = through_tracing_alone()
    error = failure_of(
        record_run, adding("first", "second", "third"), {"first": {"value": 1}},
        recorder=recorder, break_point=Breakpoint("second"),
    )  # fmt: skip

    assert type(error) is BreakpointException
    run = recorder.runs[-1]
    assert run.status == "paused"
    assert drawn(run) == undented("""
        adding pipeline canceled
          first#1 other ok
        """)
    assert run.snapshot["break_point"]["component_name"] == "second"
    assert run.snapshot["pipeline_state"]["component_visits"]["first"] == 1


def test_a_resumed_run_names_the_run_it_continues() -> None:
    recorder = through_tracing_alone()
    pipeline = adding("first", "second", "third")
    error = failure_of(
        record_run, pipeline, {"first": {"value": 1}},
        recorder=recorder, break_point=Breakpoint("second"),
    )  # fmt: skip
    assert isinstance(error, BreakpointException)
    result, run = record_run(
        pipeline, {}, recorder=recorder, pipeline_snapshot=error.pipeline_snapshot
    )

    assert result == {"third": {"value": 4}}
    assert run.continues == recorder.runs[0].id
    assert [span.path for span in run.spans] == ["", "second#1", "third#1"]


def test_a_run_resumed_inside_a_recording_names_it_too() -> None:
    pipeline = adding("first", "second")
    with PipelineRecorder(wrappers=False) as recorder:
        error = failure_of(pipeline.run, {"first": {"value": 1}}, break_point=Breakpoint("second"))
        assert isinstance(error, BreakpointException)
        pipeline.run({}, pipeline_snapshot=error.pipeline_snapshot)

    paused, resumed = recorder.runs
    assert (paused.status, resumed.status) == ("paused", "completed")
    assert resumed.continues == paused.id


def test_something_without_run_is_refused_in_words() -> None:
    with pytest.raises(RecordingError, match="cannot be run") as caught:
        record_run(object())
    assert "component" in caught.value.hint


def test_a_lock_among_the_inputs_is_no_reason_to_fail() -> None:
    lock = threading.Lock()

    @component
    class Holder:
        @component.output_types(lock=Any)
        def run(self, lock: Any) -> dict[str, Any]:
            return {"lock": lock}

    pipeline = Pipeline()
    pipeline.add_component("holder", Holder())
    result, run = record_run(pipeline, {"holder": {"lock": lock}}, recorder=through_tracing_alone())
    assert result["holder"]["lock"] is lock
    assert at(run, "holder#1").outputs["lock"]["$"] == "opaque"


def test_an_agent_that_raises_before_its_span_is_a_failed_run(openai_server: OpenAIServer) -> None:
    case = agents.three_tools(openai_server)
    recorder = through_tracing_alone()
    data = {"messages": [ChatMessage.from_user("x")], "tools": ["nobody"]}
    error = failure_of(record_run, case.target, data, recorder=recorder)

    assert isinstance(error, ValueError)
    assert recorder.runs[-1].status == "failed"
