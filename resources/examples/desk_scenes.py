"""Scenes with agents and branches: an assistant, a help desk, a review desk."""

from typing import Any

import greenhouse
from haystack import Pipeline, SuperComponent
from haystack.components.agents import Agent
from haystack.components.joiners import ListJoiner
from haystack.components.routers import ConditionalRouter
from haystack.dataclasses import ChatMessage
from scene import ROUTE_TYPE, Scene, chat_llm, prompt_from, show_chunk

from tests.helpers.openai_script import Call, Reply, Request, call, say

# -- an agent ------------------------------------------------------------------------------


def _agent() -> Pipeline:
    pipeline = Pipeline(metadata={"name": "greenhouse_assistant"})
    agent = Agent(
        chat_generator=chat_llm(stream=True),
        tools=[greenhouse.search_manual, greenhouse.read_sensor, greenhouse.plan_chore],
        system_prompt="You look after a greenhouse. Read the sensors before you advise.",
        max_agent_steps=8,
    )
    pipeline.add_component("assistant", agent)
    return pipeline


def _agent_data() -> dict[str, Any]:
    text = "The tomatoes and the peppers hang their leaves. Why, and what is to be done?"
    return {"assistant": {"messages": [ChatMessage.from_user(text)]}}


def _agent_script(request: Request) -> Reply:
    chore = "Rinse the screen in front of the valve"
    turns = (
        call(
            Call("read_sensor", {"bed": "tomatoes"}),
            Call("read_sensor", {"bed": "peppers"}),
            Call("search_manual", {"query": "bed dry although watered, valve open twelve minutes"}),
            text="I read both probes and look into the manual.",
            first_token_s=0.55,
            token_s=0.008,
        ),
        call(
            Call("read_sensor", {"bed": "peppers", "wake": True}),
            Call("search_manual", {"query": "F12 probe does not answer"}),
            text="The probe of the peppers sleeps. I wake it.",
            first_token_s=0.38,
            token_s=0.008,
        ),
        call(
            Call("plan_chore", {"bed": "tomatoes", "chore": chore, "day": "today"}),
            Call("plan_chore", {"bed": "peppers", "chore": chore, "day": "today"}),
            first_token_s=0.61,
            token_s=0.008,
        ),
        say(
            "Both beds are too dry: tomatoes at 31 %, peppers at 28 %, although their valves "
            "were open for the full twelve minutes. That points to clogged screens. I planned to "
            "have both rinsed today; the reminder comes at 07:30. The probe of the peppers was "
            "asleep and answers again.",
            first_token_s=0.47,
            token_s=0.009,
            usage={"cached": 256},
        ),
    )
    return turns[request.turn]


# -- a branch that was not taken, and runs (haystack issue 11109) --------------------------


def _router() -> Pipeline:
    def route(name: str, condition: str) -> dict[str, Any]:
        return {
            "condition": condition,
            "output": "{{ question }}",
            "output_name": name,
            "output_type": str,
        }

    inner = Pipeline(metadata={"name": "technician"})
    # The question is optional, and that is the trap: the builder can run without it.
    inner.add_component(
        "prompt_builder", prompt_from("Find the fault: {{ question }}", required=None)
    )
    tools = [greenhouse.search_manual, greenhouse.read_sensor]
    prompt = "You are the technician on call. Search the manual before you answer."
    agent = Agent(chat_generator=chat_llm(), tools=tools, system_prompt=prompt)
    inner.add_component("agent", agent)
    inner.connect("prompt_builder.prompt", "agent.messages")
    technician = SuperComponent(
        pipeline=inner,
        input_mapping={
            "question": ["prompt_builder.question"],
            "streaming_callback": ["agent.streaming_callback"],
        },
        output_mapping={"agent.last_message": "reply"},
    )
    pipeline = Pipeline(metadata={"name": "help_desk"})
    conditions = ("{{ 'F1' in question }}", "{{ 'F1' not in question }}")
    routes: list[Any] = [route("fault", conditions[0]), route("general", conditions[1])]
    pipeline.add_component("router", ConditionalRouter(routes))
    pipeline.add_component("front_desk", prompt_from("Answer kindly and briefly: {{ question }}"))
    pipeline.add_component("llm", chat_llm())
    pipeline.add_component("technician", technician)
    pipeline.connect("router.general", "front_desk.question")
    pipeline.connect("front_desk.prompt", "llm.messages")
    pipeline.connect("router.fault", "technician.question")
    return pipeline


def _router_data() -> dict[str, Any]:
    callback = {"streaming_callback": show_chunk}
    question = "Until when do the lamps burn in winter?"
    return {"router": {"question": question}, "llm": callback, "technician": callback}


def _router_script(request: Request) -> Reply:
    if not request.tool_names:
        text = "The lamps are out by half past nine, so that the moths are left in peace."
        return say(text, first_token_s=0.33, token_s=0.01)
    if request.turn:
        text = "I was given no fault to look for. In case you mean F12: a probe does not answer."
        return say(text, first_token_s=0.52, token_s=0.01)
    return call(Call("search_manual", {"query": "error"}), first_token_s=0.46, token_s=0.01)


# -- branches in parallel, streamed --------------------------------------------------------

REVIEW = (
    "The controller has run my three beds for a year. Watering is spot on, and the day report is "
    "a joy to read. The app is slow on my old tablet, and I would like the lamps to dim instead "
    "of switching."
)
BRANCHES = {
    "summary": ("Summarise in one sentence: {{ review }}", 0.31, 0.012),
    "wishes": ("List what the customer wishes for, one a line: {{ review }}", 0.58, 0.016),
    "reply": ("Draft a reply to the customer: {{ review }}", 0.24, 0.02),
}


def _branches() -> Pipeline:
    pipeline = Pipeline(metadata={"name": "review_desk"})
    pipeline.add_component("joiner", ListJoiner(ROUTE_TYPE))
    for name, (text, _first, _next) in BRANCHES.items():
        pipeline.add_component(f"{name}_prompt", prompt_from(text))
        pipeline.add_component(f"{name}_llm", chat_llm(stream=True, callback=None))
        pipeline.connect(f"{name}_prompt.prompt", f"{name}_llm.messages")
        pipeline.connect(f"{name}_llm.replies", "joiner.values")
    merge = prompt_from(
        "Merge into one note for the team:{% for m in parts %}\n- {{ m.text }}{% endfor %}"
    )
    pipeline.add_component("note_prompt", merge)
    pipeline.add_component("note_llm", chat_llm(stream=True, callback=None, model="gpt-4o"))
    pipeline.connect("joiner.values", "note_prompt.parts")
    pipeline.connect("note_prompt.prompt", "note_llm.messages")
    return pipeline


def _branches_data() -> dict[str, Any]:
    return {f"{name}_prompt": {"review": REVIEW} for name in BRANCHES}


def _branches_script(request: Request) -> Reply:
    texts = {
        "Summarise": "A happy customer praises watering and reports, and finds the app slow.",
        "List": "A faster app on old tablets\nLamps that dim",
        "Draft": "Thank you for your year with us! We are glad that the watering is spot on. "
        "The next app version starts twice as fast on older tablets, and lamps that dim are on "
        "our list.",
        "Merge": "Customer of one year, content. Wishes: app speed on old tablets (next version), "
        "lamps that dim (noted). A reply is drafted and waits for a look.",
    }
    start = next(start for start in texts if request.text.startswith(start))
    times = {text.split()[0]: (first, token) for text, first, token in BRANCHES.values()}
    first, token = times.get(start, (0.4, 0.014))
    return say(texts[start], first_token_s=first, token_s=token)


DESK_SCENES = (
    Scene(
        "agent-tools",
        "An agent that tries again",
        "Three tools called at once, one fails, is called again, and the answer "
        "looks as if nothing had happened.",
        4,
        _agent,
        _agent_data,
        _agent_script,
    ),
    Scene(
        "untaken-branch",
        "The branch that ran although nobody took it",
        "A streaming_callback given at run time starts the technician's agent: "
        "three LLM calls instead of one (haystack issue 11109).",
        6,
        _router,
        _router_data,
        _router_script,
    ),
    Scene(
        "parallel-branches",
        "Branches in parallel, streamed",
        "Three LLMs stream at once and a fourth merges what they said.",
        7,
        _branches,
        _branches_data,
        _branches_script,
        streamed=True,
    ),
)
