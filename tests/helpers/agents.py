"""Real Haystack agents, with what the local OpenAI answers them."""

from typing import Any

from haystack import Pipeline
from haystack.components.agents import Agent
from haystack.components.agents.state import State
from haystack.dataclasses import ChatMessage
from haystack.hooks import hook
from haystack.hooks.human_in_the_loop import (
    AlwaysAskPolicy,
    BlockingConfirmationStrategy,
    ConfirmationHook,
    ConfirmationUIResult,
)
from haystack.tools import AgentTool, PipelineTool

from tests.helpers.openai_script import Call, Reply, Request, Script, call, say
from tests.helpers.openai_server import OpenAIServer
from tests.helpers.pipelines import Case, answer, generator, new_token, rag
from tests.helpers.tools import NOTE_STATE, look_up, measure, note_tool


def three_tools(
    server: OpenAIServer, *, stream: bool = False, in_pipeline: bool = False, token: str = ""
) -> Case:
    """An agent that calls two tools at once, meets an error, tries again and takes a note.

    Four turns: `look_up` and `measure` in parallel (the second fails), `measure` again,
    `take_note` with an author from the agent's state, and the answer.
    """
    token = token or new_token()

    def script(request: Request) -> Reply:
        turns = (
            call(
                Call("look_up", {"topic": token}),
                Call("measure", {"sensor": token, "unit": "furlong"}),
                Call("look_up", {"topic": f"{token} again"}),
            ),
            call(Call("measure", {"sensor": token, "unit": "kelvin"})),
            call(Call("take_note", {"text": f"noted {token}"}), text="I keep a note of it."),
            say(f"All done for {token}.", usage={"cached": 7}),
        )
        return turns[request.turn]

    server.script = script
    agent = Agent(
        chat_generator=generator(server, stream=stream),
        tools=[look_up, measure, note_tool()],
        system_prompt="You look after a greenhouse.",
        state_schema=NOTE_STATE,
    )
    return _agent_case(agent, token, in_pipeline, {"author": "Ada"})


def _agent_case(
    agent: Agent, token: str, in_pipeline: bool, more: dict[str, Any] | None = None
) -> Case:
    def data() -> dict[str, Any]:
        return {"messages": [ChatMessage.from_user(f"Look after {token}.")], **(more or {})}

    if not in_pipeline:
        return Case(agent, token, data, token)
    pipeline = Pipeline(metadata={"name": "support"})
    pipeline.add_component("support_agent", agent)
    return Case(pipeline, token, lambda: {"support_agent": data()}, token)


def many_steps(server: OpenAIServer, *, steps: int, token: str = "") -> Case:
    """An agent that takes `steps` steps of one tool call each before it answers."""
    token = token or new_token()
    server.script = steps_for_any_token(steps)
    agent = Agent(
        chat_generator=generator(server), tools=[look_up, measure], max_agent_steps=steps + 1
    )
    return _agent_case(agent, token, in_pipeline=False)


def pipeline_as_tool(server: OpenAIServer, *, token: str = "") -> Case:
    """An agent whose tool is the whole RAG pipeline."""
    inner = rag(server, token=token)

    def script(request: Request) -> Reply:
        if not request.tool_names:
            return answer(request)
        if request.turn:
            return say(f"The manual says: {request.tool_results[-1]} {inner.token}")
        return call(Call("ask_manual", {"query": f"water {inner.token}"}))

    server.script = script
    sockets = ["retriever.query", "prompt_builder.query", "answer_builder.query"]
    ask = PipelineTool(
        pipeline=inner.target,
        name="ask_manual",
        description="Answer a question from the manual.",
        input_mapping={"query": sockets},
        output_mapping={"answer_builder.answers": "answers"},
    )
    agent = Agent(chat_generator=generator(server), tools=[ask])
    return _agent_case(agent, inner.token, in_pipeline=False)


def agent_as_tool(server: OpenAIServer, *, token: str = "") -> Case:
    """A coordinator that hands two tasks at once to a specialist agent with a tool of its own."""
    token = token or new_token()

    def script(request: Request) -> Reply:
        if "look_up" in request.tool_names:  # the specialist
            if request.turn:
                return say(f"Found: {request.text}")
            return call(Call("look_up", {"topic": request.text}))
        if request.turn:
            return say(f"Both are done, {token}.")
        tasks = (f"first {token}", f"second {token}")
        return call(*(Call("specialist", {"messages": _as_task(task)}) for task in tasks))

    server.script = script
    specialist = Agent(chat_generator=generator(server), tools=[look_up])
    delegate = AgentTool(
        agent=specialist, name="specialist", description="Knows the manual by heart."
    )
    agent = Agent(chat_generator=generator(server), tools=[delegate])
    return _agent_case(agent, token, in_pipeline=False)


def _as_task(text: str) -> list[dict[str, Any]]:
    return [{"role": "user", "content": text}]


class ScriptedPerson:
    """Confirms, changes or rejects what a tool is about to do, as told beforehand."""

    def __init__(self, actions: dict[str, ConfirmationUIResult] | None = None) -> None:
        self.actions = actions or {}
        self.asked: list[tuple[str, dict[str, Any]]] = []

    def get_user_confirmation(
        self, tool_name: str, tool_description: str, tool_params: dict[str, Any]
    ) -> ConfirmationUIResult:
        self.asked.append((tool_name, dict(tool_params)))
        return self.actions.get(tool_name, ConfirmationUIResult(action="confirm"))

    def to_dict(self) -> dict[str, Any]:
        return {"type": "tests.helpers.agents.ScriptedPerson", "init_parameters": {}}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "ScriptedPerson":
        return cls()


def human_in_the_loop(server: OpenAIServer, *, token: str = "") -> tuple[Case, ScriptedPerson]:
    """An agent whose `measure` a person changes and whose `look_up` a person rejects."""
    token = token or new_token()

    def script(request: Request) -> Reply:
        if request.turn:
            return say(f"As you wish, {token}.")
        return call(
            Call("measure", {"sensor": token, "unit": "celsius"}),
            Call("look_up", {"topic": token}),
        )

    server.script = script
    person = ScriptedPerson(
        {
            "measure": ConfirmationUIResult(
                action="modify", new_tool_params={"sensor": token, "unit": "kelvin"}
            ),
            "look_up": ConfirmationUIResult(action="reject", feedback="Not now."),
        }
    )
    strategy = BlockingConfirmationStrategy(
        confirmation_policy=AlwaysAskPolicy(), confirmation_ui=person
    )
    confirm = ConfirmationHook(confirmation_strategies={("measure", "look_up"): strategy})
    agent = Agent(
        chat_generator=generator(server),
        tools=[look_up, measure],
        hooks={"before_tool": [confirm]},
    )
    return _agent_case(agent, token, in_pipeline=False), person


def steps_for_any_token(steps: int) -> Script:
    """Ask for one tool call a turn, and speak of the token that the question named."""

    def script(request: Request) -> Reply:
        token = request.text.removeprefix("Look after ").removesuffix(".")
        if request.turn >= steps:
            return say(f"Done with {token}.")
        return call(Call("look_up", {"topic": f"{token} item {request.turn}"}))

    return script


@hook
def count_looks(state: State) -> None:
    """Change a message in place, as hooks may: what was recorded before must not change."""
    for message in state.data["messages"]:
        message.meta["seen"] = message.meta.get("seen", 0) + 1


def with_hook(server: OpenAIServer, *, token: str = "") -> Case:
    """An agent whose hook changes the state before each call of the LLM."""
    case = many_steps(server, steps=2, token=token)
    case.target.hooks = {"before_llm": [count_looks]}
    return case
