"""The formats that can be opened: a line each, and those of other packages."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from inspector.importers.head import Head
    from inspector.importers.imported import Context, ImportedRun

GROUP = "haystack_run_inspector.importers"
_CERTAIN = 100


class Importer(NamedTuple):
    """A foreign format.

    Its module has `detect(head) -> int`, how sure it is (0 to 100; ours are sure from 50), which
    never raises, and `read(context)`, which yields the runs of a file.

    Args:
        name: One word, as it stands in `extensions.import`.
        words: What a file of it is called in a sentence.
        module: What reads it; imported when a file is no run of ours.

    """

    name: str
    words: str
    module: str

    def detect(self, head: Head) -> int:
        """Return how sure it is that a file is of this format, from 0 to 100."""
        found: int = import_module(self.module).detect(head)
        return found

    def read(self, context: Context) -> Iterator[ImportedRun]:
        """Yield the runs of a file."""
        reader: Callable[[Context], Iterator[ImportedRun]] = import_module(self.module).read
        return reader(context)


# Of those that are equally sure the first one reads.
IMPORTERS: tuple[Importer, ...] = (
    Importer("otlp", "an OpenTelemetry trace", "inspector.importers.otlp"),
    Importer("haystack-snapshot", "a Haystack snapshot", "inspector.importers.snapshot"),
    Importer("otlp-protobuf", "an OpenTelemetry trace", "inspector.importers.otlp_protobuf"),
    Importer(
        "haystack-diagnostics",
        "a haystack-diagnostics bundle",
        "inspector.importers.diagnostics_bundle",
    ),
    Importer("hayhooks", "a list of traces of Hayhooks", "inspector.importers.hayhooks_traces"),
    Importer(
        "hayhooks-execution",
        "an execution of Hayhooks",
        "inspector.importers.hayhooks_execution",
    ),
    Importer("jaeger", "a Jaeger trace", "inspector.importers.jaeger"),
    Importer("mlflow", "an MLflow trace", "inspector.importers.mlflow"),
    Importer("langfuse", "a Langfuse trace", "inspector.importers.langfuse"),
    Importer(
        "spans", "spans of OpenTelemetry, one object each", "inspector.importers.span_objects"
    ),
    Importer("zipkin", "a Zipkin trace", "inspector.importers.zipkin"),
    Importer(
        "logging-tracer",
        "a log of Haystack's LoggingTracer",
        "inspector.importers.logging_tracer",
    ),
    Importer("pydantic-ai", "a list of messages of Pydantic-AI", "inspector.importers.pydantic_ai"),
    Importer("claude-code", "a session of Claude Code", "inspector.importers.claude_code"),
    Importer("codex", "a session of Codex", "inspector.importers.codex"),
    Importer("langsmith", "runs of LangSmith", "inspector.importers.langsmith"),
    Importer("inspect", "a log of Inspect", "inspector.importers.inspect_log"),
    Importer("atif", "a trajectory in ATIF", "inspector.importers.atif"),
    Importer("swe-agent", "a trajectory of SWE-agent", "inspector.importers.swe_agent"),
    Importer("vcr", "a cassette of VCR", "inspector.importers.vcr"),
    Importer("batch", "a file of a batch of calls", "inspector.importers.openai_batch"),
    Importer("a2a", "tasks of A2A", "inspector.importers.a2a_task"),
    Importer("chat-log", "a log of calls of a model", "inspector.importers.chat_log"),
    Importer("sse", "a stream of events of a model", "inspector.importers.sse_dump"),
    Importer("json", "JSON", "inspector.importers.generic"),
)


def best_for(head: Head, more: tuple[Importer, ...] = ()) -> Importer | None:
    """Return the importer that is surest of a file; None where none knows it."""
    best: Importer | None = None
    surest = 0
    for each in (*IMPORTERS, *more):
        score = each.detect(head)
        if score > surest:
            best, surest = each, score
        if surest >= _CERTAIN:
            break  # the modules of the others need not even be loaded
    return best
