"""What a run cost is estimated when it ends, off the host's threads, and stands in its file."""

import json
import subprocess
import sys
from pathlib import Path

from haystack import Pipeline, component
from haystack.components.generators.chat import MockChatGenerator
from haystack.dataclasses import ChatMessage

from inspector import load_run, record_run, replay_run
from inspector.cost import estimate
from inspector.runfile.estimate import Standing
from tests.helpers import agents, pipelines

ROOT = Path(__file__).parents[2]


def test_the_file_says_what_looking_into_it_says(openai_server, tmp_path: Path) -> None:
    for case in (agents.three_tools(openai_server), agents.pipeline_as_tool(openai_server),
                 pipelines.hybrid_embedding(openai_server)):  # fmt: skip
        _result, run = record_run(case.target, case.data)
        run.save(tmp_path / "a.run.json")
        stored = load_run(tmp_path / "a.run.json").cost_estimate
        assert stored is not None
        assert stored["unknown_calls"] == 0
        assert stored["total_usd"] > 0
        assert stored == estimate(run).to_dict()


def test_every_call_the_server_got_is_in_it_once(openai_server) -> None:
    case = agents.pipeline_as_tool(openai_server)
    _result, run = record_run(case.target, case.data)
    assert run.cost_estimate["calls"] == openai_server.count()


def test_a_stream_without_usage_is_unknown_and_not_free(openai_server) -> None:
    case = pipelines.rag(openai_server, stream=True)
    case.target.get_component("llm").generation_kwargs = {}
    _result, run = record_run(case.target, case.data)
    told = run.cost_estimate
    assert told["total_usd"] is None
    assert (told["calls"], told["unknown_calls"]) == (1, 1)
    assert told == estimate(run).to_dict()


def test_a_run_that_asks_no_model_has_none() -> None:
    pipeline = Pipeline()
    pipeline.add_component("prompt", pipelines.prompt("hello"))
    _result, run = record_run(pipeline, {})
    assert run.cost_estimate is None
    assert "budget" not in run.header


def test_what_only_stands_in_costs_nothing_and_lacks_nothing() -> None:
    generator = MockChatGenerator("hello")
    _result, run = record_run(generator, {"messages": [ChatMessage.from_user("hi")]})
    told = run.cost_estimate
    assert told["total_usd"] == 0
    assert told["unknown_calls"] == 0
    assert told["llms"][0]["standings"] == {"local": 1}


def test_a_replay_pays_for_nothing(openai_server) -> None:
    case = pipelines.rag(openai_server)
    _result, run = record_run(case.target, case.data)
    asked = openai_server.count()
    _result, again = replay_run(case.target, run, record=True)
    assert openai_server.count() == asked
    assert again.cost_estimate is None
    made = estimate(again)
    assert made.total == 0
    assert [call.standing for call in made.calls] == [Standing.ANSWERED]


def test_a_replay_pays_for_what_ran_live(openai_server) -> None:
    case = pipelines.rag(openai_server)
    _result, run = record_run(case.target, case.data)
    other = pipelines.rag(openai_server).data
    _result, again = replay_run(
        case.target, run, other, mode="drift_ok", allow_live=True, record=True
    )
    assert again.cost_estimate["total_usd"] > 0
    assert again.cost_estimate["llms"][0]["standings"] == {"priced": 1}


@component
class Batched:
    """Says of its reply what a batch or a tier says."""

    def __init__(self, **meta) -> None:
        self.meta = meta

    @component.output_types(replies=list[ChatMessage])
    def run(self, messages: list[ChatMessage], generation_kwargs: dict | None = None) -> dict:
        usage = {"prompt_tokens": 1_000_000, "completion_tokens": 0}
        meta = {"model": "gpt-5-mini", "usage": usage, **self.meta}
        return {"replies": [ChatMessage.from_assistant("x", meta=meta)]}


def test_the_tier_of_a_reply_counts_before_the_one_asked_for() -> None:
    def cost(meta: dict, **kwargs) -> float:
        pipeline = Pipeline()
        pipeline.add_component("llm", Batched(**meta))
        data = {"llm": {"messages": [ChatMessage.from_user("hi")], "generation_kwargs": kwargs}}
        _result, run = record_run(pipeline, data)
        assert run.cost_estimate == estimate(run).to_dict()
        return run.cost_estimate["total_usd"]

    # gpt-5-mini: 0.25 dollars, in a batch and at the flex tier 0.125, at the priority tier 0.45
    assert cost({}) == 0.25
    assert cost({"processing": "batch"}) == 0.125
    assert cost({"service_tier": "priority"}) == 0.45
    assert cost({"service_tier": "default"}, service_tier="flex") == 0.25
    assert cost({}, service_tier="flex") == 0.125


def told_by(script: str, tmp_path: Path) -> dict:
    path = tmp_path / "script.py"
    path.write_text(script, encoding="utf-8")
    ran = subprocess.run([sys.executable, str(path)], cwd=ROOT, capture_output=True, text=True,
                         check=True)  # fmt: skip
    return json.loads(ran.stdout.splitlines()[-1])


_RECORDS = """
import importlib.abc, json, sys, threading
loaders = []
class Watch(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name == "genai_prices":
            loaders.append(threading.current_thread() is threading.main_thread())
            if {blocked}:
                raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Watch())
from haystack import Pipeline, component
from haystack.dataclasses import ChatMessage
import inspector
@component
class Model:
    @component.output_types(replies=list[ChatMessage])
    def run(self, messages: list[ChatMessage]):
        usage = {{"prompt_tokens": 1000, "completion_tokens": 0}}
        meta = {{"model": "gpt-4o-mini", "usage": usage}}
        return {{"replies": [ChatMessage.from_assistant("x", meta=meta)]}}
pipeline = Pipeline()
pipeline.add_component("llm", Model())
data = {{"llm": {{"messages": [ChatMessage.from_user("hi")]}}}}
_result, run = inspector.record_run(pipeline, data)
print(json.dumps({{"on_main": loaders, "cost": run.cost_estimate, "status": run.status}}))
"""


def test_prices_are_never_loaded_on_a_thread_of_the_host(tmp_path: Path) -> None:
    told = told_by(_RECORDS.format(blocked=False), tmp_path)
    assert told["on_main"] == [False]
    assert told["cost"]["total_usd"] == 0.00015


def test_without_prices_a_run_is_recorded_all_the_same(tmp_path: Path) -> None:
    told = told_by(_RECORDS.format(blocked=True), tmp_path)
    assert told["status"] == "completed"
    assert told["cost"] is None
