"""What a run decided, in a form that a test can hold another run to.

Tests in other people's repositories hold these words: they only change with a new major version.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from inspector.presentation.previews import preview
from inspector.presentation.values import entries_in, items_in
from inspector.presentation.words import elided
from inspector.runfile.kinds import SpanKind, SpanStatus
from inspector.runfile.value import is_document

if TYPE_CHECKING:
    from collections.abc import Iterator

    from inspector.runfile.model import PipelineRun, Span

_LONGEST = 400
_LONGEST_ARGUMENT = 120
_MOST_DOCUMENTS = 50
_CHOOSE_BY_SOCKET = ("routing", "validation")


def decided(run: PipelineRun) -> dict[str, str]:
    """Return each decision of a run by the path of the span that took it.

    Which tool was called with what, which documents were found, which way was taken, what a
    validator said, and why an agent ended.
    """
    found: dict[str, str] = {}
    for span in run.spans:
        for words in _decision(span):
            found[span.path] = elided(words, _LONGEST)
    return found


def _decision(span: Span) -> Iterator[str]:
    if span.kind is SpanKind.TOOL:
        yield _call(span)
    elif span.kind is SpanKind.AGENT:
        yield from _ending(span.outputs)
    elif span.kind is SpanKind.COMPONENT and span.role in _CHOOSE_BY_SOCKET:
        outputs = span.outputs
        if isinstance(outputs, Mapping):
            names = sorted(name for name, value in entries_in(outputs) if value is not None)
            yield f"gave {', '.join(names) or 'nothing'}"
    elif span.kind is SpanKind.COMPONENT and span.role in ("retrieval", "ranking"):
        yield from _documents(span.outputs)


def _call(span: Span) -> str:
    given = span.arguments if span.has("arguments") else span.inputs
    said = ", ".join(
        f"{name}={preview(value, _LONGEST_ARGUMENT)}" for name, value in entries_in(given)
    )
    failed = " failed" if span.status is SpanStatus.FAILED else ""
    return f"{span.name}({said}){failed}"


def _ending(outputs: Any) -> Iterator[str]:
    if not isinstance(outputs, Mapping):
        return
    reason, steps = outputs.get("exit_reason"), outputs.get("step_count")
    if isinstance(reason, str):
        yield f"ended: {reason}" + (f" after {steps} steps" if isinstance(steps, int) else "")


def _documents(outputs: Any) -> Iterator[str]:
    for _, value in entries_in(outputs):
        items = items_in(value)
        if items is None or not all(is_document(item) for item in items):
            continue
        names = [str(item.get("id")) for item in items[:_MOST_DOCUMENTS]]
        rest = len(items) - len(names)
        yield f"found {', '.join(names) or 'nothing'}" + (f" and {rest} more" if rest else "")
        return
