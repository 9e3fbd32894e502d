"""A replay as a run of its own: whole whenever it is asked for, and made only then."""

from typing import Any

import pytest

from inspector.runfile.model import PipelineRun
from inspector.runfile.span import Span
from tests.helpers import agents, pipelines
from tests.replay.engine.conftest import Made, Offline

CASES: dict[str, Made] = {
    "rag": pipelines.rag,
    "streamed": lambda server: pipelines.rag(server, stream=True),
    "loop": pipelines.validator_loop,
    "parallel branches": pipelines.parallel_branches,
    "fallback": pipelines.fallback,
    "agent": agents.three_tools,
    "agent of many steps": lambda server: agents.many_steps(server, steps=12),
    "agents as tools": agents.agent_as_tool,
    "hook": agents.with_hook,
}
_PLACE_IN_TIME = {"start_ns", "end_ns", "thread", "id", "parent", "chunks"}


def told(span: Span) -> dict[str, Any]:
    """Return all that a span says, but for when it was; values looked up."""
    values = {
        name: getattr(span, name) for name in ("inputs", "outputs", "arguments") if span.has(name)
    }
    values["chunks"] = [chunk.value for chunk in span.chunks or ()]
    raw = {
        key: value
        for key, value in span.raw.items()
        if key not in _PLACE_IN_TIME and key not in values
    }
    usage = span.usage and span.usage.raw
    return {**raw, **values, "usage": usage, "problems": span.problems}


def by_place(run: PipelineRun) -> list[tuple[str, str, dict[str, Any]]]:
    return sorted(
        ((span.path, span.operation, told(span)) for span in run.spans),
        key=lambda each: each[:2],
    )


def of_the_whole(run: PipelineRun) -> dict[str, Any]:
    passing = {"id", "started_at", "duration_ns", "inputs", "outputs"}
    header = {key: value for key, value in run.header.items() if key not in passing}
    return {**header, "inputs": run.inputs, "outputs": run.outputs}


@pytest.mark.parametrize("make", CASES.values(), ids=CASES)
def test_every_replay_of_a_run_holds_all_its_values(make: Made, offline: Offline) -> None:
    case = make(offline.server)
    _result, run = offline.record(case)
    replayer = offline.replayer(case, run)
    replayer.play()
    first = replayer.run
    for _ in range(2):
        replayer.play()
    assert by_place(replayer.run) == by_place(first)
    assert of_the_whole(replayer.run) == of_the_whole(first)
    assert "missing" not in str(by_place(replayer.run))


def test_a_replay_counts_the_tokens_of_recorded_answers(offline: Offline) -> None:
    case = agents.three_tools(offline.server)
    _result, run = offline.record(case)
    replayer = offline.replayer(case, run)
    replayer.play()
    assert run.usage is not None
    assert replayer.run.usage == run.usage
    assert "usage" not in replayer.run.header, "the header counts what was asked, and nobody was"
