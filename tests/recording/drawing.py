"""Runs drawn as text, so that a test can show the whole tree it expects."""

from typing import Any

from inspector.recording.api import record_run, record_run_async
from inspector.recording.recorder import PipelineRecorder
from inspector.runfile.model import PipelineRun, Span
from tests.helpers.pipelines import Case


def drawn(run: PipelineRun) -> str:
    """Draw each span as its own part of the path, its role and how it ended."""
    lines = []

    def draw(span: Span, depth: int) -> None:
        segment = span.path.rpartition("/")[2] or span.name
        lines.append(f"{'  ' * depth}{segment} {span.role} {span.status}")
        for child in run.children(span):
            draw(child, depth + 1)

    for root in run.roots:
        draw(root, 0)
    return "\n" + "\n".join(lines) + "\n"


def undented(text: str) -> str:
    """Take the indentation of the test off a drawing."""
    lines = text.splitlines()
    margin = min(len(line) - len(line.lstrip()) for line in lines if line.strip())
    return "\n".join(line[margin:] for line in lines).rstrip() + "\n"


def through_tracing_alone() -> PipelineRecorder:
    """Return a recorder that sees what Haystack's own tracing shows, and nothing else."""
    return PipelineRecorder(wrappers=False)


def traced(case: Case, **options: Any) -> tuple[Any, PipelineRun]:
    """Record a case through tracing alone."""
    return record_run(case.target, case.data, recorder=through_tracing_alone(), **options)


async def traced_async(case: Case) -> tuple[Any, PipelineRun]:
    """Record a case through tracing alone, on the event loop."""
    return await record_run_async(case.target, case.data, recorder=through_tracing_alone())


def at(run: PipelineRun, path: str) -> Span:
    """Return the span at a path that must be there."""
    span = run.at(path)
    assert span is not None, f"no span at {path!r} in {drawn(run)}"
    return span
