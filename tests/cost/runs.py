"""Runs that call models, as text, so that a test can say exactly what was used."""

from typing import Any

from inspector.runfile.load import load_run
from inspector.runfile.model import PipelineRun
from tests.runfile.files import HEADER, run_file, span

STARTED_AT = "2026-11-29T12:00:00.000000Z"


def call(
    number: int, parent: int | None = None, *, llm: str | None = "gpt-4o-mini",
    provider: str | None = "openai", usage: dict[str, Any] | None = None, role: str = "llm",
    more_llm: dict[str, Any] | None = None, **fields: Any,
) -> dict[str, Any]:  # fmt: skip
    """Return the span of a component that calls a model."""
    told = {"name": llm, "provider": provider, **(more_llm or {})}
    told = {key: word for key, word in told.items() if word is not None}
    found = span(number, parent, role=role, llm=told, **fields)
    if usage is not None:
        found["usage"] = {"raw": usage}
    return found


def run_of(*spans: dict[str, Any], **header: Any) -> PipelineRun:
    """Return a run, on a day of which all prices in these tests are known."""
    return load_run(run_file(spans, header={**HEADER, "started_at": STARTED_AT, **header}))


def openai(sent: int, produced: int, *, cached: int = 0, reasoning: int = 0) -> dict[str, Any]:
    """Return usage in the words of OpenAI's chat completions."""
    return {
        "prompt_tokens": sent,
        "completion_tokens": produced,
        "total_tokens": sent + produced,
        "prompt_tokens_details": {"cached_tokens": cached},
        "completion_tokens_details": {"reasoning_tokens": reasoning},
    }
