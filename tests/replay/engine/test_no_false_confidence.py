"""STRICT does not say that all is well where it could not know, or where the result differs."""

from collections.abc import Callable
from typing import Any

import pytest
from haystack import Document, Pipeline, SuperComponent
from haystack.components.agents import Agent
from haystack.components.builders import PromptBuilder
from haystack.components.rankers import LLMRanker
from haystack.components.retrievers.in_memory import InMemoryBM25Retriever
from haystack.dataclasses import ChatMessage

from inspector import record_run
from inspector.replay.api import ReplayDriftError, Replayer, replay_run
from inspector.runfile.drift import Drift
from tests.helpers import pipelines
from tests.helpers.openai_script import say
from tests.replay.engine.conftest import Offline

ASK = {"messages": [ChatMessage.from_user("Which bed?")]}


def alone(component: Any) -> Pipeline:
    pipeline = Pipeline()
    pipeline.add_component("it", component)
    return pipeline


def the_drift(target: Any, run: Any) -> Drift:
    with pytest.raises(ReplayDriftError) as caught:
        replay_run(target, run)
    (drift,) = [each for each in caught.value.report.drifts if each.counts]
    return drift


@pytest.mark.parametrize(
    ("parameter", "then", "now"),
    [
        ("model", "gpt-4o-mini", "gpt-4o"),
        ("generation_kwargs", {"temperature": 0.2}, {"temperature": 0.9}),
    ],
)
def test_an_llm_that_is_another_one_now_is_an_input_drift(
    parameter: str, then: Any, now: Any, offline: Offline
) -> None:
    def make(value: Any) -> Pipeline:
        return alone(pipelines.generator(offline.server, **{parameter: value}))

    offline.server.script = lambda _request: say("The third.")
    _result, run = record_run(make(then), {"it": ASK})
    offline.from_now_on()
    assert replay_run(make(then), run)
    drift = the_drift(make(now), run)
    assert (drift.kind, drift.path) == ("input", "it#1")
    assert (drift.leaf or "").startswith(f"init_parameters.{parameter}")
    offline.assert_nothing_was_live()


def test_another_model_inside_of_an_agent_is_found(offline: Offline) -> None:
    def make(model: str) -> Agent:
        return Agent(chat_generator=pipelines.generator(offline.server, model=model))

    offline.server.script = lambda _request: say("The third.")
    _result, run = record_run(make("gpt-4o-mini"), ASK)
    offline.from_now_on()
    drift = the_drift(make("gpt-4o"), run)
    assert drift.leaf == "init_parameters.chat_generator.init_parameters.model"
    assert (drift.recorded, drift.live) == ("gpt-4o-mini", "gpt-4o")


def test_how_a_service_is_reached_does_not_count(offline: Offline) -> None:
    offline.server.script = lambda _request: say("The third.")
    _result, run = record_run(alone(pipelines.generator(offline.server)), {"it": ASK})
    offline.from_now_on()
    elsewhere = pipelines.generator(offline.server, timeout=3.0)
    elsewhere.api_base_url = "http://127.0.0.1:9/v1"
    replayer = Replayer(alone(elsewhere), run)
    replayer.play()
    assert replayer.report.drifts == ()


def test_a_retriever_that_is_to_find_fewer_is_an_input_drift_and_no_retrieval_drift() -> None:
    store = pipelines.store_with()

    def make(top_k: int) -> Pipeline:
        return alone(InMemoryBM25Retriever(store, top_k=top_k))

    _result, run = record_run(make(3), {"it": {"query": "Brackenfold"}})
    drift = the_drift(make(1), run)
    assert (drift.kind, drift.leaf) == ("input", "init_parameters.top_k")
    assert (drift.recorded, drift.live) == (3, 1)


def ranker(offline: Offline, top_k: int) -> tuple[Any, dict[str, Any]]:
    offline.server.script = lambda _request: say('{"documents": [{"index": 2}, {"index": 1}]}')
    documents = [Document(id="a", content="water"), Document(id="b", content="light")]
    made = LLMRanker(chat_generator=pipelines.generator(offline.server), top_k=top_k)
    return made, {"query": "vents", "documents": documents}


def mapped(_offline: Offline, number: int) -> tuple[Any, dict[str, Any]]:
    inner = Pipeline()
    inner.add_component("first", PromptBuilder("One {{q}}", required_variables="*"))
    inner.add_component("second", PromptBuilder("Two {{q}}", required_variables="*"))
    out = ["first.prompt", "second.prompt"][number - 1]
    made = SuperComponent(
        pipeline=inner, input_mapping={"q": ["first.q", "second.q"]}, output_mapping={out: "out"}
    )
    return made, {"q": "x"}


@pytest.mark.parametrize("make", [ranker, mapped])
def test_what_makes_something_else_of_the_same_answers_is_an_output_drift(
    make: Callable[[Offline, int], tuple[Any, dict[str, Any]]], offline: Offline
) -> None:
    made, data = make(offline, 2)
    _result, run = record_run(alone(made), {"it": data})
    offline.from_now_on()
    assert replay_run(alone(make(offline, 2)[0]), run)
    drift = the_drift(alone(make(offline, 1)[0]), run)
    assert (drift.kind, drift.path) == ("output", "it#1")
    assert drift.leaf in ("documents[1]", "out")
    offline.assert_nothing_was_live()


def test_outputs_that_this_replay_was_told_to_include_are_no_drift(offline: Offline) -> None:
    case = pipelines.rag(offline.server)
    _result, run = offline.record(case)
    for include in (None, {"retriever"}, {"retriever", "llm"}):
        replayer = Replayer(case.target, run, include_outputs_from=include)
        replayer.play(case.data)
        assert replayer.report.drifts == ()
