"""Re-running live from one call on: what is before it is answered, what follows is asked."""

import asyncio
import tempfile
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from haystack.dataclasses import ChatMessage

from inspector import load_run, record_run, record_run_async
from inspector.replay.api import ReplayDriftError, Replayer
from inspector.replay.gate import GO_ON, Stop, Verdict
from inspector.replay.manifest import manifest_of
from inspector.replay.mode import ReplayError
from tests.helpers import agents, pipelines
from tests.helpers.openai_script import say
from tests.helpers.openai_server import OpenAIServer
from tests.helpers.pipelines import Case
from tests.helpers.tools import DIARY
from tests.replay.hostile.files import hostile


def sources(replayer: Replayer) -> dict[str, str]:
    return {
        span.path: str(span.raw["source"])
        for span in replayer.run.spans
        if span.raw.get("source") and span.kind in ("llm", "tool", "component")
    }


def live(case: Case, run: object, path: str, **more: object) -> Replayer:
    options = {"mode": "drift_ok", "allow_live": True, **more}
    return Replayer(case.target, run, live_from=path, **case.options, **options)  # type: ignore[arg-type]


@pytest.fixture
def agent(openai_server: OpenAIServer) -> Case:
    return agents.three_tools(openai_server)


def test_what_is_before_is_answered_and_what_follows_is_asked(
    openai_server: OpenAIServer, agent: Case
) -> None:
    _result, run = record_run(agent.target, agent.data, **agent.options)
    llms = [span.path for span in run.spans if span.kind == "llm"]
    assert len(llms) >= 2, "the agent has to come back after its tools"
    asked, done = openai_server.count(), len(DIARY.entries)
    replayer = live(agent, run, llms[-1])
    replayer.play()
    came_from = sources(replayer)
    assert [came_from[path] for path in llms] == ["recorded"] * (len(llms) - 1) + ["live"]
    assert openai_server.count() == asked + 1
    assert len(DIARY.entries) == done, "a tool before that call ran again"
    assert replayer.report.live_calls == 1


def test_the_header_counts_what_was_asked_and_the_run_all_answers(
    openai_server: OpenAIServer, agent: Case
) -> None:
    _result, run = record_run(agent.target, agent.data, **agent.options)
    llms = [span for span in run.spans if span.kind == "llm"]
    replayer = live(agent, run, llms[-1].path)
    replayer.play()
    asked, whole = llms[-1].usage, replayer.run.usage
    assert asked is not None
    assert whole is not None
    assert run.usage is not None
    assert replayer.run.header["usage"]["total_tokens"] == asked.total_tokens
    assert whole["total_tokens"] == run.usage["total_tokens"] > (asked.total_tokens or 0)


def test_tools_after_it_run_as_well_unless_they_were_told_not_to(
    openai_server: OpenAIServer, agent: Case
) -> None:
    _result, run = record_run(agent.target, agent.data, **agent.options)
    first = next(span.path for span in run.spans if span.kind == "llm")
    tools = [span for span in run.spans if span.kind == "tool"]
    done = len(DIARY.entries)
    replayer = live(agent, run, first)
    replayer.play()
    assert len(DIARY.entries) == done + len(tools)
    again = live(agent, run, first, treat={span.name: "never_live" for span in tools})
    again.play()
    assert len(DIARY.entries) == done + len(tools), "a tool ran that was told not to"
    assert {sources(again)[span.path] for span in tools} == {"recorded"}


def test_another_answer_leads_to_calls_that_were_never_recorded(
    openai_server: OpenAIServer,
) -> None:
    case = pipelines.rag(openai_server)
    _result, run = record_run(case.target, case.data, **case.options)
    openai_server.script = lambda request: say("Something else altogether.")
    replayer = live(case, run, "llm#1")
    result = replayer.play()
    assert result["answer_builder"]["answers"][0].data == "Something else altogether."
    assert not [each for each in replayer.report.drifts if each.kind == "unused"]


def test_the_budget_holds_from_there_on(openai_server: OpenAIServer, agent: Case) -> None:
    _result, run = record_run(agent.target, agent.data, **agent.options)
    first = next(span.path for span in run.spans if span.kind == "llm")
    asked = openai_server.count()
    tools = {span.name: "never_live" for span in run.spans if span.kind == "tool"}
    with pytest.raises(ReplayDriftError, match=r"The budget of 1 live calls is spent"):
        live(agent, run, first, live_budget=1, treat=tools).play()
    assert openai_server.count() == asked + 1


def test_nobody_is_asked_before_the_call_it_begins_at(openai_server: OpenAIServer) -> None:
    case = pipelines.rag(openai_server)
    _result, run = record_run(case.target, case.data, **case.options)
    asked = openai_server.count()
    case.target.get_component("prompt_builder").template = [ChatMessage.from_user("{{ query }}!")]
    replayer = live(case, run, "answer_builder#1")
    with pytest.raises(ReplayDriftError, match="Live calls begin at answer_builder#1"):
        replayer.play()
    assert openai_server.count() == asked


@pytest.mark.parametrize(
    ("options", "path", "message"),
    [
        ({"mode": "strict"}, "llm#1", "in a replay that allows nothing"),
        ({"allow_live": False}, "llm#1", "in a replay that allows nothing"),
        ({}, "no_such#1", "No recorded call goes by 'no_such#1'"),
    ],
)
def test_what_makes_no_sense_is_said(
    openai_server: OpenAIServer, options: dict[str, object], path: str, message: str
) -> None:
    case = pipelines.rag(openai_server)
    _result, run = record_run(case.target, case.data, **case.options)
    with pytest.raises(ReplayError, match=message):
        live(case, run, path, **options).play()


def test_a_budget_in_money_is_kept(openai_server: OpenAIServer, agent: Case) -> None:
    _result, run = record_run(agent.target, agent.data, **agent.options)
    first = next(span.path for span in run.spans if span.kind == "llm")
    asked = openai_server.count()
    with pytest.raises(ReplayDriftError, match="The budget of 0 US dollars is spent"):
        live(agent, run, first, live_budget_usd=Decimal(0)).play()
    assert openai_server.count() == asked


async def play_async(replayer: Replayer) -> object:
    return await replayer.play_async()


def test_it_begins_at_the_same_call_on_an_event_loop(openai_server: OpenAIServer) -> None:
    case = pipelines.parallel_branches(openai_server)
    _result, run = asyncio.run(record_run_async(case.target, case.data, **case.options))
    llms = [span for span in run.spans if span.role == "llm"]
    assert len(llms) >= 2
    last = max(llms, key=lambda span: span.row)
    asked = openai_server.count()
    replayer = live(case, run, last.path)
    asyncio.run(play_async(replayer))
    came_from = sources(replayer)
    assert came_from[last.path] == "live"
    assert {came_from[span.path] for span in llms if span is not last} == {"recorded"}
    assert openai_server.count() == asked + 1


class Editor:
    """A gate that edits what the first live call is given, once."""

    watch = None

    def __init__(self) -> None:
        self.edited = False

    def before(self, stop: Stop) -> Verdict:
        if stop.source == "live" and not self.edited:
            self.edited = True
            return Verdict.replace({"messages": [ChatMessage.from_user("Something else.")]})
        return GO_ON

    def after(self, stop: Stop) -> Verdict:
        return GO_ON

    async def before_async(self, stop: Stop) -> Verdict:
        return self.before(stop)

    async def after_async(self, stop: Stop) -> Verdict:
        return GO_ON


def test_a_live_call_that_is_edited_at_a_pause_is_paid_once(openai_server: OpenAIServer) -> None:
    case = pipelines.rag(openai_server)
    _result, run = record_run(case.target, case.data, **case.options)
    openai_server.script = lambda request: say("Something else altogether.")
    asked = openai_server.count()
    gate = Editor()
    replayer = live(case, run, "llm#1", live_budget=1, gate=gate)
    replayer.play()
    assert gate.edited
    assert replayer.report.live_calls == 1
    assert openai_server.count() == asked + 1


def test_a_call_inside_of_an_answer_is_no_place_to_begin(openai_server: OpenAIServer) -> None:
    def change(tree: dict[str, Any]) -> None:
        # As if the technician were of a class that nobody knows: it is answered as a whole.
        for span in tree["spans"]:
            if span["name"] == "technician":
                span["type"] = "somebody.Technician"

    with tempfile.TemporaryDirectory() as folder:
        run = load_run(hostile(Path(folder), change, "untaken-branch"))
    inside = next(s for s in run.spans if s.kind == "llm" and s.path.startswith("technician"))
    with pytest.raises(ReplayError, match="is inside of a call that is answered as a whole"):
        manifest_of(run, live_from=inside.path)
    assert manifest_of(run, live_from="technician#1").live_from == "technician#1"
