"""The closed sets of words that a run file uses for its spans and its state."""

from __future__ import annotations

from enum import StrEnum


class SpanKind(StrEnum):
    """What sort of operation a span is."""

    PIPELINE = "pipeline"
    COMPONENT = "component"
    AGENT = "agent"
    STEP = "step"
    LLM = "llm"
    TOOL = "tool"
    HOOK = "hook"
    OTHER = "other"


class SpanStatus(StrEnum):
    """How a span ended, if it did."""

    OK = "ok"
    FAILED = "failed"
    CANCELED = "canceled"
    UNFINISHED = "unfinished"


class RunStatus(StrEnum):
    """How a run ended, if it did."""

    RUNNING = "running"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELED = "canceled"
    PAUSED = "paused"
    INCOMPLETE = "incomplete"


# Columns keep a kind or a status as its position in these tuples, one byte each.
KINDS: tuple[SpanKind, ...] = tuple(SpanKind)
STATUSES: tuple[SpanStatus, ...] = tuple(SpanStatus)
KIND_CODE: dict[str, int] = {str(kind): code for code, kind in enumerate(KINDS)}
STATUS_CODE: dict[str, int] = {str(status): code for code, status in enumerate(STATUSES)}
