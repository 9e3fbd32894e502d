"""Agents, alone and inside of other things, recorded through Haystack's tracing alone."""

import pytest

from inspector.runfile.value import text_of
from tests.helpers import agents
from tests.helpers.openai_server import OpenAIServer
from tests.recording.drawing import at, drawn, traced, undented

pytestmark = pytest.mark.haystack

THREE_TOOLS = """
    step0 agent ok
      llm llm ok
      tool:look_up[0] tool ok
      tool:measure[1] tool failed
      tool:look_up[2] tool ok
    step1 agent ok
      llm llm ok
      tool:measure[0] tool ok
    step2 agent ok
      llm llm ok
      tool:take_note[0] tool ok
    step3 agent ok
      llm llm ok
"""


def in_call_order(text: str) -> list[str]:
    """Return the lines sorted where tools that ran at once may have started in any order."""
    return sorted(text.splitlines())


def test_an_agent_alone_is_a_run(openai_server: OpenAIServer) -> None:
    _, run = traced(agents.three_tools(openai_server))

    expected = undented(f"\n  Agent agent ok{THREE_TOOLS}")
    assert in_call_order(drawn(run)) == in_call_order(expected)
    assert (run.kind, run.name, run.status) == ("agent", "Agent", "completed")
    assert at(run, "step2/llm").kind == "llm"
    assert [step.step for step in run.children(run.roots[0])] == [0, 1, 2, 3]


def test_what_an_agent_does_counts_as_done_by_its_component(openai_server: OpenAIServer) -> None:
    _, run = traced(agents.three_tools(openai_server, in_pipeline=True))

    component = at(run, "support_agent#1")
    (agent,) = run.children(component)
    assert (agent.path, agent.kind) == ("support_agent#1/agent#1", "agent")
    assert at(run, "support_agent#1/step0/tool:measure[1]").status == "failed"
    assert run.parent(at(run, "support_agent#1/step3")) == agent


def test_a_tool_is_the_call_of_the_reply_that_it_answers(openai_server: OpenAIServer) -> None:
    case = agents.three_tools(openai_server)
    _, run = traced(case)

    replies = at(run, "step0/llm").outputs["replies"]
    asked = [part["tool_call"] for part in replies[0]["content"] if "tool_call" in part]
    for index, call in enumerate(asked):
        tool = at(run, f"step0/tool:{call['name']}[{index}]")
        assert tool.tool_call == {"id": call["id"], "index": index}
        assert tool.inputs == call["arguments"]
    assert at(run, "step0/tool:look_up[0]").outputs["topic"] == case.token


def test_a_failing_tool_keeps_its_error_although_the_agent_goes_on(
    openai_server: OpenAIServer,
) -> None:
    case = agents.three_tools(openai_server)
    _, run = traced(case)

    failed = at(run, "step0/tool:measure[1]")
    assert f"Sensor {case.token} cannot be read in furlong." in failed.error.message
    assert failed.error.type == "haystack.tools.errors.ToolInvocationError"
    assert failed.error.cause.type == "ValueError"
    assert failed.error.cause.cause.type == "KeyError"
    assert run.status == "completed"


def test_each_llm_call_shows_the_conversation_as_it_was_then(openai_server: OpenAIServer) -> None:
    _, run = traced(agents.three_tools(openai_server))

    lengths = [len(at(run, f"step{n}/llm").inputs["messages"]) for n in range(4)]
    assert lengths == [2, 6, 8, 10]
    tools = at(run, "step0/llm").inputs["tools"]
    assert [tool["name"] for tool in tools] == ["look_up", "measure", "take_note"]


def test_a_message_that_a_hook_changes_is_recorded_as_it_was(openai_server: OpenAIServer) -> None:
    _, run = traced(agents.with_hook(openai_server))

    def seen(step: int) -> list[int]:
        messages = at(run, f"step{step}/llm").inputs["messages"]
        return [message["meta"]["seen"] for message in messages]

    assert [seen(step)[0] for step in range(3)] == [1, 2, 3]
    assert at(run, "step1/hook:before_llm:count_looks#1").kind == "hook"


def test_only_the_calls_of_the_llm_carry_usage(openai_server: OpenAIServer) -> None:
    _, run = traced(agents.three_tools(openai_server, in_pipeline=True))

    with_usage = [span for span in run.spans if span.has("usage")]
    assert {span.kind for span in with_usage} == {"llm"}
    total = sum(span.usage.total_tokens for span in with_usage)
    assert run.header["usage"]["total_tokens"] == total


def test_a_pipeline_as_a_tool_is_nested_in_the_tool(openai_server: OpenAIServer) -> None:
    _, run = traced(agents.pipeline_as_tool(openai_server))

    assert drawn(run) == undented("""
        Agent agent ok
          step0 agent ok
            llm llm ok
            tool:ask_manual[0] tool ok
              pipeline#1 pipeline ok
                retriever#1 retrieval ok
                prompt_builder#1 prompt ok
                llm#1 llm ok
                answer_builder#1 conversion ok
          step1 agent ok
            llm llm ok
        """)


def test_two_agents_as_tools_at_once_do_not_mix(openai_server: OpenAIServer) -> None:
    case = agents.agent_as_tool(openai_server)
    _, run = traced(case)

    for index, task in enumerate(("first", "second")):
        tool = f"step0/tool:specialist[{index}]"
        asked = at(run, f"{tool}/step0/llm").inputs["messages"]
        assert text_of(asked[-1]) == f"{task} {case.token}"
        assert at(run, f"{tool}/step0/tool:look_up[0]").inputs == {"topic": f"{task} {case.token}"}
        assert at(run, f"{tool}/agent#1").kind == "agent"


def test_a_person_who_changes_or_rejects_a_call_is_recorded(openai_server: OpenAIServer) -> None:
    case, person = agents.human_in_the_loop(openai_server)
    _, run = traced(case)

    assert drawn(run) == undented("""
        Agent agent ok
          step0 agent ok
            llm llm ok
            hook:before_tool:ConfirmationHook#1 hook ok
              confirm:measure#1 hook ok
              confirm:look_up#1 hook ok
            tool:measure[0] tool ok
          step1 agent ok
            llm llm ok
        """)
    hook = "step0/hook:before_tool:ConfirmationHook#1"
    changed = at(run, f"{hook}/confirm:measure#1")
    assert changed.inputs["tool_params"] == {"sensor": case.token, "unit": "celsius"}
    assert changed.outputs["final_tool_params"] == {"sensor": case.token, "unit": "kelvin"}
    decision = "haystack.agent.hook.human_in_the_loop.strategy.decision"
    assert changed.tags[decision] == "modify"
    assert at(run, f"{hook}/confirm:look_up#1").tags[decision] == "reject"
    assert at(run, "step0/tool:measure[0]").inputs["unit"] == "kelvin"
    assert len(person.asked) == 2


def test_the_agent_of_a_run_is_described(openai_server: OpenAIServer) -> None:
    _, run = traced(agents.three_tools(openai_server))

    agent = run.topology["components"]["Agent"]["agent"]
    assert agent["chat_generator"]["type"].endswith("OpenAIChatGenerator")
    assert [tool["name"] for tool in agent["tools"]] == ["look_up", "measure", "take_note"]
    root = run.roots[0]
    assert root.tags["haystack.agent.max_steps"] == 100
    assert root.outputs["exit_reason"] == "text"
