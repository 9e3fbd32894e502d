"""Tracers of somebody else, and components that are traced by them."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from haystack import Pipeline, component, tracing
from haystack.tracing.tracer import NullTracer, Span, Tracer


class OtherSpan(Span):
    def __init__(self, name: str, parent: "OtherSpan | None") -> None:
        self.name = name
        self.parent = parent
        self.tags: dict[str, Any] = {}
        self.error: BaseException | None = None

    def set_tag(self, key: str, value: Any) -> None:
        self.tags[key] = value

    def raw_span(self) -> Any:
        return ("raw", self.name)

    def get_correlation_data_for_logs(self) -> dict[str, Any]:
        return {"trace": self.name}

    def only_here(self) -> str:
        return f"only on {self.name}"


class OtherTracer(Tracer):
    """Somebody else's tracer, with spans of its own."""

    def __init__(self) -> None:
        self.spans: list[OtherSpan] = []
        self.open: list[OtherSpan] = []

    @contextmanager
    def trace(
        self,
        operation_name: str,
        tags: dict[str, Any] | None = None,
        parent_span: Span | None = None,
    ) -> Iterator[Span]:
        assert parent_span is None or isinstance(parent_span, OtherSpan)
        parent = parent_span or (self.open[-1] if self.open else None)
        span = OtherSpan(operation_name, parent)
        span.set_tags(tags or {})
        self.spans.append(span)
        self.open.append(span)
        try:
            yield span
        except BaseException as error:
            span.error = error
            raise
        finally:
            self.open.pop()

    def current_span(self) -> Span | None:
        return self.open[-1] if self.open else None

    def seen(self) -> list[tuple[str, str | None, list[str]]]:
        return [
            (span.name, span.parent.name if span.parent else None, sorted(span.tags))
            for span in self.spans
        ]


class OtherNullTracer(NullTracer):
    """Derives from the null tracer, as the live buffer of a server does, and listens."""

    def __init__(self) -> None:
        self.names: list[str] = []

    @contextmanager
    def trace(
        self,
        operation_name: str,
        tags: dict[str, Any] | None = None,
        parent_span: Span | None = None,
    ) -> Iterator[Span]:
        self.names.append(operation_name)
        with super().trace(operation_name, tags, parent_span) as span:
            yield span


@component
class Echo:
    @component.output_types(value=str)
    def run(self, value: str) -> dict[str, str]:
        return {"value": value}


@component
class Connector:
    """Turns on its tracer when it is made, as connectors to tracing services do."""

    def __init__(self, tracer: Tracer) -> None:
        tracing.enable_tracing(tracer)

    @component.output_types(value=str)
    def run(self, value: str) -> dict[str, str]:
        return {"value": value}


def chain(*components: Any) -> Pipeline:
    pipeline = Pipeline(metadata={"name": "chain"})
    for number, part in enumerate(components):
        pipeline.add_component(f"c{number}", part)
        if number:
            pipeline.connect(f"c{number - 1}.value", f"c{number}.value")
    return pipeline


DATA = {"c0": {"value": "x"}}
