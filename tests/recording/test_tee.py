"""Whoever traced before us, or begins to meanwhile, sees what they would see without us."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from haystack import component, tracing
from haystack.tracing.tracer import Span, Tracer
from haystack.tracing.tracer import tracer as proxy

from inspector.recording.api import record_run
from inspector.recording.tracer import RecordedSpan
from tests.helpers import agents, pipelines
from tests.helpers.openai_server import OpenAIServer
from tests.recording.drawing import at, drawn, through_tracing_alone
from tests.recording.other_tracers import (
    DATA,
    Connector,
    Echo,
    OtherNullTracer,
    OtherSpan,
    OtherTracer,
    chain,
)

pytestmark = pytest.mark.haystack


@pytest.fixture(autouse=True)
def no_tracer_before_or_after() -> Iterator[None]:
    yield
    assert {"trace", "current_span"}.isdisjoint(vars(proxy))
    tracing.disable_tracing()


def test_another_tracer_sees_the_same_with_and_without_us(openai_server: OpenAIServer) -> None:
    def run_with(record: bool) -> list[Any]:
        other = OtherTracer()
        tracing.enable_tracing(other)
        case = agents.three_tools(openai_server, in_pipeline=True)
        if record:
            record_run(case.target, case.data, recorder=through_tracing_alone())
        else:
            case.run()
        return sorted(other.seen())

    assert run_with(record=True) == run_with(record=False)


def test_content_goes_on_only_where_the_other_tracer_wants_it(
    openai_server: OpenAIServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = OtherTracer()
    tracing.enable_tracing(other)
    case = pipelines.rag(openai_server)
    _, run = record_run(case.target, case.data, recorder=through_tracing_alone())
    assert at(run, "llm#1").outputs is not None
    assert not any("haystack.component.output" in span.tags for span in other.spans)

    monkeypatch.setattr(proxy, "is_content_tracing_enabled", True)
    record_run(case.target, case.data, recorder=through_tracing_alone())
    assert any("haystack.component.output" in span.tags for span in other.spans)


def test_a_tracer_that_derives_from_the_null_tracer_is_passed_everything() -> None:
    other = OtherNullTracer()
    tracing.enable_tracing(other)
    _, run = record_run(chain(Echo()), DATA, recorder=through_tracing_alone())

    assert other.names == ["haystack.pipeline.run", "haystack.component.run"]
    assert len(run.spans) == 2


def test_a_component_that_enables_tracing_meanwhile_displaces_nobody() -> None:
    other = OtherTracer()
    with through_tracing_alone() as recorder:
        pipeline = chain(Echo(), Connector(other))
        pipeline.run(DATA)

    assert [name for name, _, _ in other.seen()] == [
        "haystack.pipeline.run",
        "haystack.component.run",
        "haystack.component.run",
    ]
    assert len(recorder.runs[0].spans) == 3
    assert proxy.actual_tracer is other


def test_a_tracer_enabled_in_the_middle_of_a_run_takes_over_from_there() -> None:
    other = OtherTracer()

    @component
    class Enabling:
        @component.output_types(value=str)
        def run(self, value: str) -> dict[str, str]:
            tracing.enable_tracing(other)
            return {"value": value}

    _, run = record_run(chain(Enabling(), Echo()), DATA, recorder=through_tracing_alone())

    assert len(run.spans) == 3
    assert [name for name, _, _ in other.seen()] == ["haystack.component.run"]


def test_disabling_tracing_does_not_end_a_recording() -> None:
    tracing.enable_tracing(OtherTracer())
    with through_tracing_alone() as recorder:
        tracing.disable_tracing()
        chain(Echo()).run(DATA)

    assert len(recorder.runs) == 1
    assert not tracing.is_tracing_enabled()


def test_whether_tracing_is_enabled_does_not_depend_on_us() -> None:
    with through_tracing_alone():
        assert not tracing.is_tracing_enabled()


def test_the_current_span_gives_access_to_the_other_one() -> None:
    seen: list[Any] = []

    @component
    class Curious:
        @component.output_types(value=str)
        def run(self, value: str) -> dict[str, str]:
            span = proxy.current_span()
            assert span is not None
            seen.extend([span.raw_span(), span.get_correlation_data_for_logs(), span.only_here()])
            span.set_tag("mine", 5)
            span.set_content_tag(key="secret", value="s")
            return {"value": value}

    tracing.enable_tracing(other := OtherTracer())
    _, run = record_run(chain(Curious()), DATA, recorder=through_tracing_alone())

    name = "haystack.component.run"
    assert seen == [("raw", name), {"trace": name}, f"only on {name}"]
    assert at(run, "c0#1").tags == {"mine": 5, "secret": "s"}
    assert other.spans[-1].tags["mine"] == 5
    assert "secret" not in other.spans[-1].tags


def test_the_current_span_without_another_tracer_has_no_surprises() -> None:
    @component
    class Curious:
        @component.output_types(value=str)
        def run(self, value: str) -> dict[str, str]:
            span = proxy.current_span()
            assert isinstance(span, RecordedSpan)
            assert span.raw_span() is span
            assert span.get_correlation_data_for_logs() == {}
            assert not hasattr(span, "only_here")
            return {"value": value}

    record_run(chain(Curious()), DATA, recorder=through_tracing_alone())


def test_the_other_tracer_meets_the_real_exception() -> None:
    original = ValueError("no")

    @component
    class Break:
        @component.output_types(value=str)
        def run(self, value: str) -> dict[str, str]:
            raise original

    tracing.enable_tracing(other := OtherTracer())
    with pytest.raises(Exception) as caught:  # noqa: PT011 - compared below
        record_run(chain(Break()), DATA, recorder=through_tracing_alone())

    assert other.spans[0].error is caught.value
    assert other.spans[1].error is caught.value
    assert caught.value.__cause__ is original


def test_another_tracer_that_breaks_breaks_the_run_as_without_us() -> None:
    class Broken(OtherTracer):
        def trace(self, *_args: Any, **_kwargs: Any) -> Any:
            raise RuntimeError("tracer down")

    tracing.enable_tracing(Broken())
    recorder = through_tracing_alone()
    with pytest.raises(RuntimeError, match="tracer down"):
        record_run(chain(Echo()), DATA, recorder=recorder)
    assert recorder.runs[-1].status == "failed"


def test_a_run_that_nobody_records_passes_by_unnoticed() -> None:
    tracing.enable_tracing(other := OtherTracer())
    with through_tracing_alone() as recorder:
        recorder.stop()
        assert proxy.current_span() is None
        chain(Echo()).run(DATA)
    assert len(other.spans) == 2
    assert recorder.runs == ()


def test_a_span_of_the_users_own_stands_where_it_was_opened() -> None:
    @component
    class Measuring:
        @component.output_types(value=str)
        def run(self, value: str) -> dict[str, str]:
            with proxy.trace("app.lookup", tags={"table": "t"}) as span:
                span.set_tag("rows", 3)
            return {"value": value}

    _, run = record_run(chain(Measuring()), DATA, recorder=through_tracing_alone())

    own = at(run, "c0#1/app.lookup#1")
    assert (own.kind, own.operation, own.name) == ("other", "app.lookup", "lookup")
    assert own.tags == {"table": "t", "rows": 3}


def test_a_span_of_the_users_own_around_two_runs_keeps_them_two() -> None:
    with through_tracing_alone() as recorder, proxy.trace("app.request"):
        chain(Echo()).run(DATA)
        chain(Echo()).run(DATA)

    assert len(recorder.runs) == 2


def test_somebody_who_stands_in_front_of_us_is_not_displaced() -> None:
    class InFront:
        def __init__(self, behind: Any) -> None:
            self.behind = behind
            self.names: list[str] = []

        def __call__(self, operation_name: str, *args: Any, **kwargs: Any) -> Any:
            self.names.append(operation_name)
            return self.behind(operation_name, *args, **kwargs)

    recorder = through_tracing_alone().start()
    vars(proxy)["trace"] = in_front = InFront(vars(proxy)["trace"])
    try:
        chain(Echo()).run(DATA)
        recorder.stop()
        assert vars(proxy)["trace"] is in_front
        chain(Echo()).run(DATA)
        _, again = record_run(chain(Echo()), DATA, recorder=through_tracing_alone())
        assert vars(proxy)["trace"] is in_front
    finally:
        vars(proxy).pop("trace", None)

    assert len(in_front.names) == 6
    assert [len(run.spans) for run in (*recorder.runs, again)] == [2, 2]


def test_what_ran_is_described_although_the_pipeline_cannot_be_found() -> None:
    """Where the pipeline is not on the stack nearby, the tags of its components must do."""

    def far_away(depth: int, *args: Any, **kwargs: Any) -> Any:
        return far_away(depth - 1, *args, **kwargs) if depth else ours(*args, **kwargs)

    with through_tracing_alone() as recorder:
        ours = vars(proxy)["trace"]
        vars(proxy)["trace"] = lambda *args, **kwargs: far_away(20, *args, **kwargs)
        try:
            chain(Echo(), Echo()).run(DATA)
        finally:
            vars(proxy)["trace"] = ours

    (run,) = recorder.runs
    assert run.topology["components"]["c1"]["inputs"] == {"value": "str"}
    assert run.topology["connections"] == [{"sender": "c0.value", "receiver": "c1.value"}]
    assert {"what": "topology", "why": "only the components that ran are known"} in (
        run.not_recorded
    )
    assert run.definition is None


def test_open_telemetry_gets_its_whole_tree(caplog: pytest.LogCaptureFixture) -> None:
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
    from opentelemetry.trace import Tracer as OTelTracer

    class Bridge(Tracer):
        """What the OpenTelemetry integration of Haystack does."""

        def __init__(self, tracer: OTelTracer) -> None:
            self.tracer = tracer

        @contextmanager
        def trace(
            self,
            operation_name: str,
            tags: dict[str, Any] | None = None,
            parent_span: Span | None = None,
        ) -> Iterator[Span]:
            with self.tracer.start_as_current_span(operation_name):
                yield OtherSpan(operation_name, None)

        def current_span(self) -> Span | None:
            return None

    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    tracing.enable_tracing(Bridge(provider.get_tracer("test")))
    with caplog.at_level(logging.WARNING):
        _, run = record_run(chain(Echo(), Echo()), DATA, recorder=through_tracing_alone())

    spans = {span.name: span for span in exporter.get_finished_spans()}
    assert spans["haystack.component.run"].parent.span_id == (
        spans["haystack.pipeline.run"].context.span_id
    )
    assert drawn(run).count("ok") == 3
    assert not caplog.records
