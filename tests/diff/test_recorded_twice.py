"""The same pipeline, recorded twice without a change, compares as equal, however it is run."""

import asyncio
from collections.abc import Callable
from contextlib import suppress

import pytest

pytest.importorskip("haystack", reason="these runs are recorded from real pipelines")

from haystack.core.errors import PipelineRuntimeError

from inspector import diff_runs, load_run, recording
from inspector.runfile.model import PipelineRun
from inspector.runfile.save import to_bytes
from tests.helpers import agents, pipelines
from tests.helpers.openai_server import OpenAIServer
from tests.helpers.pipelines import Case

pytestmark = pytest.mark.haystack

CASES: dict[str, Callable[..., Case]] = {
    "rag": pipelines.rag,
    "streamed": lambda server, **more: pipelines.rag(server, stream=True, **more),
    "parallel": pipelines.parallel_branches,
    "loop": pipelines.validator_loop,
    "router": pipelines.router,
    "embedding": pipelines.hybrid_embedding,
    "queries": pipelines.multi_query,
    "fallback": pipelines.fallback,
    "super component": pipelines.super_component,
    "failing": pipelines.llm_error,
    "agent": agents.three_tools,
    "agent in a tool": agents.agent_as_tool,
    "pipeline in a tool": agents.pipeline_as_tool,
    "hooked agent": agents.with_hook,
}


def recorded(case: Case, *, asynchronous: bool = False) -> PipelineRun:
    with recording() as recorder, suppress(PipelineRuntimeError):
        if asynchronous:
            asyncio.run(case.run_async())
        else:
            case.run()
    return load_run(to_bytes(recorder.runs[-1]))


@pytest.mark.parametrize("name", CASES)
def test_two_recordings_of_the_same_are_equal(openai_server: OpenAIServer, name: str) -> None:
    left, right = (recorded(CASES[name](openai_server, token="tokenA")) for _ in range(2))
    assert (left.status == "failed") == (name == "failing")
    comparison = diff_runs(left, right)
    differing = [each.title for each in comparison.decisions if each.differs]
    assert comparison.same, differing
    assert comparison.equal, (comparison.verdict, comparison.configuration)


@pytest.mark.parametrize("name", ["rag", "loop", "router", "agent", "parallel"])
def test_run_async_decides_what_run_decides(openai_server: OpenAIServer, name: str) -> None:
    left = recorded(CASES[name](openai_server, token="tokenA"))
    right = recorded(CASES[name](openai_server, token="tokenA"), asynchronous=True)
    comparison = diff_runs(left, right)
    assert comparison.same, [each.title for each in comparison.decisions if each.differs]


def test_a_smaller_top_k_is_named_as_the_cause(openai_server: OpenAIServer) -> None:
    left = recorded(pipelines.rag(openai_server, token="tokenA", top_k=3))
    right = recorded(pipelines.rag(openai_server, token="tokenA", top_k=2))
    comparison = diff_runs(left, right)
    assert comparison.divergence is not None
    first = comparison.decisions[comparison.divergence.decision]
    assert (first.kind, first.path) == ("query", "retriever#1")
    assert [(each.likely, each.sentence) for each in comparison.divergence.causes] == [
        ("certain", "retriever: top_k 3 → 2")
    ]
    documents = next(each for each in comparison.decisions if each.kind == "documents")
    assert [move.change for move in documents.documents] == ["same", "same", "cut off"]
    assert [link.path for link in comparison.divergence.chain][-2:] == ["answer_builder#1", ""]
