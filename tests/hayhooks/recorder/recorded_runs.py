"""Executions that are recorded, and the runs that come of them."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hayhooks.durable import DurableContext
from haystack import component
from haystack.dataclasses import ChatMessage

from inspector.hayhooks.recorder import stitched
from inspector.hayhooks.recorder.layout import segments_in
from inspector.runfile.model import PipelineRun
from tests.helpers.durable_runs import Job

_PATIENCE_S = 30.0


async def run_in(folder: Path, execution: str, attempts: int = 1) -> PipelineRun:
    """Return the run of an execution once all its attempts are written to their end."""
    place = folder / execution
    async with asyncio.timeout(_PATIENCE_S):
        while not _are_written(place, attempts):
            await asyncio.sleep(0.005)
    return stitched(place)


def _are_written(place: Path, attempts: int) -> bool:
    if not place.is_dir():
        return False
    files = segments_in(place)
    ended = all(file.path.suffix == ".json" for file in files)
    return len(files) == attempts and ended


def asked(text: str, **llm: Any) -> dict[str, Any]:
    """Return what the pipeline of these tests is run with."""
    return {"retriever": {"query": text}, "prompt": {"question": text}, "llm": llm}


def pipeline_runner(checkpoint_at: str | None = "llm", **llm: Any) -> Callable[..., Any]:
    """Return a runner that asks the deployment's pipeline."""

    def run(context: DurableContext, job: Job) -> dict[str, Any]:
        outputs = context.run_pipeline(asked(job.text, **llm), checkpoint_at=checkpoint_at)
        return {"answer": outputs["llm"]["replies"][0]}

    return run


def agent_runner(before: Callable[[DurableContext], None] | None = None) -> Callable[..., Any]:
    """Return a runner that gives the deployment's agent its task; it asks before it charges."""

    def run(context: DurableContext, job: Job) -> dict[str, Any]:
        if before is not None:
            before(context)
        if (answer := context.resume_input) is not None:
            context.state["decision"] = answer
        outputs = context.run_agent(messages=[ChatMessage.from_user(job.text)])
        return {"answer": outputs["last_message"].text}

    return run


def ask_first(context: DurableContext) -> None:
    context.state["ask"] = {"type": "object"}


def tree(run: PipelineRun) -> list[str]:
    """Return each span that is none of Hayhooks' own, by its path and status."""
    return [
        f"{span.path or '/'} {span.status}" for span in run.spans if span.kind != "hook"
    ]  # fmt: skip


def own(span: Any) -> dict[str, Any]:
    """Return what a span of a durable run says of itself."""
    return dict(span.extensions["hayhooks"])


def facts(run: PipelineRun) -> dict[str, Any]:
    return dict(run.extensions["hayhooks"])


@component
class Meddler:
    """Calls a function with whatever it gets, and hands on what that returns."""

    def __init__(self, does: Callable[[str], Any]) -> None:
        self.does = does

    @component.output_types(value=Any)
    def run(self, text: Any) -> dict[str, Any]:
        return {"value": self.does(text)}
