"""Recorded failures fail again as they did, and a STRICT drift cannot be swallowed."""

import asyncio
from typing import Any

import openai
import pytest
from haystack import Pipeline, component
from haystack.components.agents import Agent
from haystack.components.generators.chat import FallbackChatGenerator
from haystack.components.rankers import LLMRanker
from haystack.core.errors import PipelineRuntimeError
from haystack.dataclasses import ChatMessage, Document
from haystack.tools import AgentTool
from haystack.tools.errors import ToolInvocationError

from inspector import PipelineRecorder, record_run
from inspector.replay.api import ReplayDriftError, Replayer, replay_run
from tests.helpers import pipelines
from tests.helpers.openai_script import Call, call, refuse, say
from tests.helpers.tools import look_up, measure
from tests.replay.engine.conftest import Offline


def record_failing(offline: Offline, target: Any, data: Any) -> tuple[BaseException, Any]:
    recorder = PipelineRecorder()
    with pytest.raises(Exception) as caught:  # noqa: PT011 - it is compared with the replay's
        record_run(target, data, recorder=recorder)
    offline.from_now_on()
    return caught.value, recorder.runs[-1]


def chain(error: BaseException | None) -> list[tuple[str, str]]:
    told = []
    while error is not None:
        told.append((type(error).__name__, str(error)))
        error = error.__cause__
    return told


@pytest.mark.parametrize("status", [400, 401, 429, 500])
def test_an_llm_that_failed_fails_again_with_the_providers_own_error(
    status: int, offline: Offline
) -> None:
    case = pipelines.llm_error(offline.server, status=status)
    error, run = record_failing(offline, case.target, case.data)
    replayer = Replayer(case.target, run)
    with pytest.raises(PipelineRuntimeError) as caught:
        replayer.play()
    assert chain(caught.value) == chain(error)
    cause = caught.value.__cause__
    assert isinstance(cause, openai.APIStatusError)
    assert isinstance(cause, type(error.__cause__))
    assert cause.status_code == status
    assert replayer.report.drifts == ()
    assert replayer.run.status == "failed"
    offline.assert_nothing_was_live()


def test_a_failing_standalone_generator_raises_the_very_type(offline: Offline) -> None:
    offline.server.script = lambda _request: refuse(429)
    target = pipelines.generator(offline.server)
    data = {"messages": [ChatMessage.from_user("Hello")]}
    _error, run = record_failing(offline, target, data)
    with pytest.raises(openai.RateLimitError) as caught:
        replay_run(target, run)
    assert caught.value.status_code == 429


@pytest.mark.parametrize("raises", [True, False])
def test_a_failing_tool_fails_again(raises: bool, offline: Offline) -> None:
    offline.server.script = lambda request: (
        say("It failed.") if request.turn else call(Call("measure", {"sensor": "a", "unit": "x"}))
    )
    agent = Agent(
        chat_generator=pipelines.generator(offline.server),
        tools=[measure],
        raise_on_tool_invocation_failure=raises,
    )
    data = {"messages": [ChatMessage.from_user("Measure it.")]}
    if not raises:
        result, run = record_run(agent, data)
        offline.from_now_on()
        assert replay_run(agent, run) == result
    else:
        error, run = record_failing(offline, agent, data)
        with pytest.raises(ToolInvocationError) as caught:
            replay_run(agent, run)
        assert chain(caught.value) == chain(error)
        assert isinstance(caught.value.__cause__, ValueError)
        assert caught.value.tool_name == "measure"  # type: ignore[attr-defined]
    offline.assert_nothing_was_live()


def test_an_exception_whose_class_is_not_loaded_is_raised_as_one_of_ours(
    offline: Offline,
) -> None:
    case = pipelines.llm_error(offline.server)
    _error, run = record_failing(offline, case.target, case.data)
    tree = {
        "type": "somewhere.else.QuotaError", "message": "no more", "attributes": {"left": 0},
        "mro": ["somewhere.else.QuotaError", "Exception"],
    }  # fmt: skip
    from inspector.replay.errors_again import RecordedError, error_maker

    error = error_maker(tree)()
    assert isinstance(error, RecordedError)
    assert str(error) == "no more"
    assert error.recorded_type == "somewhere.else.QuotaError"
    assert error.left == 0  # type: ignore[attr-defined]
    assert run.error is not None


# -- what would swallow a drift ----------------------------------------------------------------


def ranking(offline: Offline) -> tuple[Any, dict[str, Any], dict[str, Any]]:
    offline.server.script = lambda _request: say('{"documents": [{"index": 2}, {"index": 1}]}')
    ranker = LLMRanker(chat_generator=pipelines.generator(offline.server))
    documents = [Document(id="a", content="water"), Document(id="b", content="light")]
    asked = {"query": "vents", "documents": documents}
    return ranker, asked, {**asked, "query": "something else"}


def fallback(offline: Offline) -> tuple[Any, dict[str, Any], dict[str, Any]]:
    both = FallbackChatGenerator(
        [
            pipelines.generator(offline.server),
            pipelines.generator(offline.server, model="gpt-4o"),
        ]
    )
    ask = {"messages": [ChatMessage.from_user("one")]}
    return both, ask, {"messages": [ChatMessage.from_user("two")]}


def agent_as_tool(offline: Offline) -> tuple[Any, dict[str, Any], dict[str, Any]]:
    offline.server.script = lambda request: (
        say("Found.")
        if "specialist" not in request.tool_names or request.turn
        else call(Call("specialist", {"messages": [{"role": "user", "content": request.text}]}))
    )
    inner = Agent(chat_generator=pipelines.generator(offline.server), tools=[look_up])
    delegate = AgentTool(agent=inner, name="specialist", description="Knows it.")
    agent = Agent(
        chat_generator=pipelines.generator(offline.server),
        tools=[delegate],
        raise_on_tool_invocation_failure=False,
    )
    ask = {"messages": [ChatMessage.from_user("one")]}
    return agent, ask, {"messages": [ChatMessage.from_user("two")]}


@pytest.mark.parametrize("make", [ranking, fallback, agent_as_tool])
@pytest.mark.parametrize("is_async", [False, True])
def test_a_drift_comes_out_of_code_that_catches_everything(
    make: Any, is_async: bool, offline: Offline
) -> None:
    target, asked, other = make(offline)
    _result, run = record_run(target, asked)
    offline.from_now_on()
    replayer = Replayer(target, run)

    def play() -> Any:
        return asyncio.run(replayer.play_async(other)) if is_async else replayer.play(other)

    with pytest.raises(ReplayDriftError) as caught:
        play()
    assert [drift.kind for drift in caught.value.report.drifts if drift.counts][-1] == "input"
    offline.assert_nothing_was_live()


def test_after_a_drift_every_later_call_is_refused(offline: Offline) -> None:
    """Two rankers in a row: the second one is not asked any more, and none of both answers."""
    ranker, asked, _other = ranking(offline)
    second = LLMRanker(chat_generator=pipelines.generator(offline.server))
    pipeline = Pipeline()
    pipeline.add_component("first", ranker)
    pipeline.add_component("second", second)
    pipeline.connect("first.documents", "second.documents")
    data = {"first": asked, "second": {"query": "vents"}}
    _result, run = record_run(pipeline, data)
    offline.from_now_on()
    data["first"] = {**asked, "query": "something else"}
    replayer = Replayer(pipeline, run)
    with pytest.raises(ReplayDriftError):
        replayer.play(data)
    assert replayer.report.answered == 0
    offline.assert_nothing_was_live()


# -- unknown components --------------------------------------------------------------------------


@component
class Mailer:
    """A component that nobody knows: for all we know, it sends mail."""

    sent = 0

    @component.output_types(receipt=str)
    def run(self, text: str) -> dict[str, str]:
        type(self).sent += 1
        return {"receipt": f"sent {text}"}


@component
class Pure:
    """A component that says of itself that it does nothing else."""

    __haystack_side_effecting__ = False
    ran = 0

    @component.output_types(text=str)
    def run(self, text: str) -> dict[str, str]:
        type(self).ran += 1
        return {"text": text.upper()}


def mailing() -> Pipeline:
    pipeline = Pipeline()
    pipeline.add_component("pure", Pure())
    pipeline.add_component("mailer", Mailer())
    pipeline.connect("pure.text", "mailer.text")
    return pipeline


def test_an_unknown_component_is_answered_and_never_run_by_accident() -> None:
    pipeline = mailing()
    result, run = record_run(pipeline, {"pure": {"text": "hello"}})
    sent, ran = Mailer.sent, Pure.ran
    assert replay_run(pipeline, run) == result
    assert Mailer.sent == sent
    assert Pure.ran == ran + 1
    with pytest.raises(ReplayDriftError):
        replay_run(pipeline, run, {"pure": {"text": "other"}})
    with pytest.raises(ReplayDriftError, match="Nobody said what it does"):
        replay_run(
            pipeline, run, {"pure": {"text": "other"}}, mode="drift_ok", allow_live=True
        )  # fmt: skip
    assert Mailer.sent == sent


def test_the_caller_decides_before_everybody_else() -> None:
    pipeline = mailing()
    result, run = record_run(pipeline, {"pure": {"text": "hello"}})
    sent, ran = Mailer.sent, Pure.ran
    treat: dict[str | type, str] = {"mailer": "execute", Pure: "answer"}
    assert replay_run(pipeline, run, treat=treat) == result
    assert Mailer.sent == sent + 1
    assert Pure.ran == ran


def test_a_component_that_was_not_recorded_is_refused() -> None:
    pipeline = mailing()
    _result, run = record_run(pipeline, {"pure": {"text": "hello"}})
    sent = Mailer.sent
    pipeline.add_component("second", Mailer())
    pipeline.connect("mailer.receipt", "second.text")
    with pytest.raises(ReplayDriftError) as caught:
        replay_run(pipeline, run)
    kinds = {(drift.kind, drift.path) for drift in caught.value.report.drifts}
    assert ("missing", "second#1") in kinds
    assert any(kind == "topology" for kind, _path in kinds)
    assert Mailer.sent == sent
