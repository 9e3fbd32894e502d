"""A stranger's run replays with nothing of the stranger's, and hostile ones start nothing."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from haystack.components.agents.state import State
from haystack.hooks import hook

from inspector import PipelineRun, load_run
from inspector.replay.api import Replayer
from inspector.replay.stub import build_stub
from inspector.replay.stub_plan import plan_stub
from inspector.runfile.drift import DriftKind, DriftReport
from tests.helpers import agents, pipelines
from tests.helpers.openai_server import OpenAIServer
from tests.replay.worker.conftest import EXAMPLES, of, played, stub_worker

NAMES = sorted(path.name.removesuffix(".run.json") for path in EXAMPLES.glob("*.run.json"))


@pytest.mark.parametrize("name", NAMES)
def test_every_example_replays_on_stubs(name: str) -> None:
    run = load_run(EXAMPLES / f"{name}.run.json")
    built = build_stub(run)
    replayer = Replayer(built.target, run, treat=built.treat)
    if run.error is None:
        replayer.play()
    else:
        with pytest.raises(Exception, match="failed to run"):
            replayer.play()
    assert_only_stores_are_unknown(replayer.report, run)
    assert replayer.report.live_calls == 0
    assert replayer.run.outputs == run.outputs


def assert_only_stores_are_unknown(report: DriftReport, run: PipelineRun) -> None:
    """Nothing drifted; of each retriever the report says that nobody looked into its store."""
    served = {
        span.path for span in run.spans if span.role == "retrieval" and span.path.count("#") == 1
    }
    assert report.same
    assert {drift.kind for drift in report.drifts} <= {DriftKind.NOT_VERIFIED}
    assert set(report.not_verified) == served


@hook
def before_one(state: State) -> None:
    """Tell the state that it was here."""
    state.set("author", f"{state.get('author')} 1")


@hook
def before_two(state: State) -> None:
    """Tell the state that it was here after the first."""
    state.set("author", f"{state.get('author')} 2")


class Watcher:
    """A hook that is a class, and reaches out."""

    seen = 0

    def run(self, state: State) -> None:
        """Count."""
        type(self).seen += 1
        state.set("author", f"{state.get('author')} {type(self).seen}")

    def to_dict(self) -> dict[str, Any]:
        """Say what it is."""
        return {"type": "tests.Watcher", "init_parameters": {}}


def several_hooks(server: OpenAIServer) -> pipelines.Case:
    case = agents.three_tools(server, in_pipeline=True)
    agent = case.target.get_component("support_agent")
    agent.hooks = {"before_llm": [before_one, Watcher(), before_two], "after_tool": [before_one]}
    return case


CASES: dict[str, Callable[[OpenAIServer], pipelines.Case]] = {
    "rag": pipelines.rag,
    "parallel branches": pipelines.parallel_branches,
    "many queries in threads": pipelines.multi_query,
    "loop": pipelines.validator_loop,
    "router": pipelines.router,
    "rankers and embedders": pipelines.hybrid_embedding,
    "super component": pipelines.super_component,
    "agent with parallel tools": agents.three_tools,
    "agent in a pipeline": lambda server: agents.three_tools(server, in_pipeline=True),
    "pipeline as a tool": agents.pipeline_as_tool,
    "two agents as tools": agents.agent_as_tool,
    "agent with a hook": agents.with_hook,
    "agent that asks a person": lambda server: agents.human_in_the_loop(server)[0],
    "agent with several hooks": several_hooks,
}


@pytest.mark.parametrize("make", CASES.values(), ids=CASES)
def test_a_recorded_case_replays_on_stubs_sync_and_async(
    make: Callable[[OpenAIServer], pipelines.Case], openai_server: OpenAIServer, tmp_path: Path
) -> None:
    from inspector import record_run

    case = make(openai_server)
    _result, recorded = record_run(case.target, case.data, **case.options)
    recorded.save(tmp_path / "case.run.json")
    run = load_run(tmp_path / "case.run.json")
    asked, seen = openai_server.count(), Watcher.seen
    built = build_stub(run)
    replayer = Replayer(built.target, run, treat=built.treat, **case.options)
    replayer.play()
    assert_only_stores_are_unknown(replayer.report, run)
    asyncio.run(replayer.play_async())
    assert_only_stores_are_unknown(replayer.report, run)
    assert openai_server.count() == asked
    assert Watcher.seen == seen, "a hook ran on stubs"


def test_the_list_names_the_hooks_of_an_agent(openai_server: OpenAIServer) -> None:
    from inspector import record_run

    case = several_hooks(openai_server)
    _result, run = record_run(case.target, case.data)
    (line,) = plan_stub(run).lines()
    assert line.endswith(
        "its LLM, its tools and its hooks are stubs; "
        "FunctionHook, Watcher change again what was recorded"
    )


def test_in_its_own_process_a_run_replays_under_limits(tmp_path: Path) -> None:
    worker = stub_worker(EXAMPLES / "agent-tools.run.json", tmp_path)
    events = played(worker)
    assert events[-1]["outcome"] == "same", events[-1]
    assert {each["kind"] for each in of(events, "began")} >= {"agent", "llm", "tool"}
    assert worker.run().outputs == load_run(EXAMPLES / "agent-tools.run.json").outputs
