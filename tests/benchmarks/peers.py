"""Other ways to record the same runs, to be measured beside ours in the same rounds."""

import contextlib
import json
from collections.abc import Iterator
from typing import Any

from haystack.tracing.logging_tracer import LoggingTracer
from haystack.tracing.tracer import Span, Tracer, disable_tracing, enable_tracing
from haystack.tracing.tracer import tracer as proxy
from haystack.tracing.utils import coerce_tag_value


class OTelSpan(Span):
    """A Haystack span that writes its tags to an OpenTelemetry span."""

    def __init__(self, inner: Any) -> None:
        self.inner = inner

    def set_tag(self, key: str, value: Any) -> None:
        self.inner.set_attribute(key, coerce_tag_value(value))

    def raw_span(self) -> Any:
        return self.inner


class OTelTracer(Tracer):
    """The usual bridge: every tag is coerced to text and set as an attribute.

    It does what the `opentelemetry-haystack` package does, and is written out here so that
    the comparison does not depend on that package being installed.
    """

    def __init__(self, inner: Any) -> None:
        self.inner = inner

    @contextlib.contextmanager
    def trace(
        self,
        operation_name: str,
        tags: dict[str, Any] | None = None,
        parent_span: Span | None = None,
    ) -> Iterator[Span]:
        from opentelemetry.trace import set_span_in_context

        context = set_span_in_context(parent_span.raw_span()) if parent_span else None
        with self.inner.start_as_current_span(operation_name, context=context) as raw:
            span = OTelSpan(raw)
            span.set_tags(tags or {})
            yield span

    def current_span(self) -> Span | None:
        from opentelemetry.trace import get_current_span

        current = get_current_span()
        return OTelSpan(current) if current.is_recording() else None


class Peer:
    """A recorder that is on between `start` and `stop`; `finish_run` closes one run."""

    def __init__(self) -> None:
        self.bytes_kept = 0

    def start(self, target: Any) -> None:
        """Begin to record."""

    def finish_run(self) -> None:
        """Do what is still to be done for the runs so far, and forget them."""

    def stop(self) -> None:
        disable_tracing()
        proxy.is_content_tracing_enabled = False


class Nothing(Peer):
    """No tracer at all: what everything else is compared with."""


class Logging(Peer):
    """Haystack's own LoggingTracer with content.

    Its log is thrown away, as it is at the usual level: writing it as well would cost it
    several times more, and would flatter us.
    """

    def start(self, target: Any) -> None:
        enable_tracing(LoggingTracer())
        proxy.is_content_tracing_enabled = True


class OpenTelemetry(Peer):
    """OpenTelemetry with content and an exporter that keeps spans in memory."""

    def start(self, target: Any) -> None:
        from opentelemetry.sdk.trace import SpanLimits, TracerProvider
        from opentelemetry.sdk.trace.export import SimpleSpanProcessor
        from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

        self._exporter = InMemorySpanExporter()
        provider = TracerProvider(span_limits=SpanLimits(max_attributes=100_000))
        provider.add_span_processor(SimpleSpanProcessor(self._exporter))
        enable_tracing(OTelTracer(provider.get_tracer("benchmark")))
        proxy.is_content_tracing_enabled = True

    def finish_run(self) -> None:
        self._exporter.clear()

    def size_of_runs(self) -> int:
        """Return how many bytes the exported spans of the runs so far are as JSON."""
        spans = self._exporter.get_finished_spans()
        return sum(len(json.dumps(json.loads(span.to_json(None)))) for span in spans)
