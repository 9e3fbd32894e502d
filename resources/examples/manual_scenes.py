"""Scenes around the manual: answers from it, a loop, a crash."""

import json
from collections.abc import Callable
from typing import Any

import greenhouse
from haystack import Pipeline
from haystack.components.builders import AnswerBuilder
from haystack.components.joiners import BranchJoiner
from haystack.components.retrievers.in_memory import InMemoryBM25Retriever
from haystack.components.validators import JsonSchemaValidator
from scene import ROUTE_TYPE, Scene, chat_llm, prompt_from

from tests.helpers.openai_script import Reply, Request, say

# -- a RAG answer, the same with another prompt, the same with another document ------------

QUESTION = "My tomato bed is bone dry at noon although it was watered at dawn. What should I check?"
PAGES = (
    "Pages of the manual:\n{% for d in documents %}\n[{{ loop.index }}] page {{ d.meta.page }}: "
    "{{ d.content }}\n{% endfor %}\nQuestion: {{ query }}\n"
)
CAREFUL = "Answer from the pages you are given and cite them as [1], [2]. Say if they do not help."
BRIEF = "Answer in at most two friendly sentences, without page numbers or technical terms."


def _rag(system: str, **amended: str) -> Callable[[], Pipeline]:
    def build() -> Pipeline:
        pipeline = Pipeline(metadata={"name": "manual_answers"})
        store = greenhouse.manual_store(**amended)
        pipeline.add_component("retriever", InMemoryBM25Retriever(store, top_k=4))
        pipeline.add_component("prompt_builder", prompt_from(PAGES, system))
        pipeline.add_component("llm", chat_llm(stream=True))
        pipeline.add_component("answer_builder", AnswerBuilder(reference_pattern=r"\[(\d+)\]"))
        pipeline.connect("retriever.documents", "prompt_builder.documents")
        pipeline.connect("prompt_builder.prompt", "llm.messages")
        pipeline.connect("llm.replies", "answer_builder.replies")
        pipeline.connect("retriever.documents", "answer_builder.documents")
        return pipeline

    return build


def _ask() -> dict[str, Any]:
    return {name: {"query": QUESTION} for name in ("retriever", "prompt_builder", "answer_builder")}


def _cite(request: Request, page: str) -> str:
    """Return the number under which a page of the manual stands in this prompt."""
    words = greenhouse.MANUAL[page][1][:40]
    blocks = request.text.split("\n[")
    return next((f"[{block[0]}]" for block in blocks[1:] if words in block), "[1]")


def _rag_script(request: Request) -> Reply:
    screen, schedule = _cite(request, "valve-screen"), _cite(request, "watering-schedule")
    if "two friendly sentences" in request.system:
        text = (
            "Please rinse the little sieve in front of the tomato valve: when it is clogged, the "
            "bed gets only half its water. If it is clean, a layer of straw keeps the soil moist "
            "for longer."
        )
    elif "green rim" in request.text:
        text = (
            "Check the screen in front of the bed's valve first. In summer it now has to be "
            "rinsed every two weeks, and a screen with a green rim is outdated and is exchanged "
            f"free of charge {screen}. The day report tells you whether the valve was open for "
            f"its full twelve minutes {schedule}."
        )
    else:
        text = (
            "Look at the day report first: it says how long the valve was really open "
            f"{schedule}. If it was open for the full twelve minutes, rinse the screen in front "
            "of it; a clogged screen lets through about five litres instead of eleven and wants "
            f"rinsing every six weeks {screen}. If it was open for only a minute or two, the "
            "probe stands too close to a dripper."
        )
    return say(text, first_token_s=0.42, token_s=0.011, usage={"cached": 128})


# -- a loop --------------------------------------------------------------------------------

CHORE_SCHEMA = {
    "type": "object",
    "properties": {
        "bed": {"type": "string"},
        "every_weeks": {"type": "integer", "minimum": 1},
        "season": {"enum": ["summer", "winter", "all year"]},
    },
    "required": ["bed", "every_weeks", "season"],
}


def _loop() -> Pipeline:
    pipeline = Pipeline(metadata={"name": "chore_extractor"}, max_runs_per_component=5)
    ask = prompt_from("Write this chore as JSON with bed, every_weeks and season: {{ chore }}")
    pipeline.add_component("prompt_builder", ask)
    pipeline.add_component("joiner", BranchJoiner(ROUTE_TYPE))
    pipeline.add_component("llm", chat_llm())
    pipeline.add_component("validator", JsonSchemaValidator(json_schema=CHORE_SCHEMA))
    pipeline.connect("prompt_builder.prompt", "joiner.value")
    pipeline.connect("joiner.value", "llm.messages")
    pipeline.connect("llm.replies", "validator.messages")
    pipeline.connect("validator.validation_error", "joiner.value")
    return pipeline


def _loop_data() -> dict[str, Any]:
    return {
        "prompt_builder": {"chore": "Rinse the tomato screen every fortnight while it is warm."}
    }


def _loop_script(request: Request) -> Reply:
    right = {"bed": "tomatoes", "every_weeks": 2, "season": "summer"}
    if "Write this chore" in request.whole_text:
        return say(
            "The chore is: rinse the screen, every two weeks, in summer.", first_token_s=0.35
        )
    if "The chore is" in request.whole_text:
        return say(json.dumps({**right, "every_weeks": "two"}), first_token_s=0.44)
    return say(json.dumps(right), first_token_s=0.39)


# -- a crash -------------------------------------------------------------------------------


def _crash() -> Pipeline:
    pipeline = Pipeline(metadata={"name": "watering_plan"})
    store = greenhouse.manual_store()
    pipeline.add_component("retriever", InMemoryBM25Retriever(store, top_k=2))
    ask = prompt_from(PAGES + "\nName the minutes per bed, one a line, as `- bed: n minutes`.")
    pipeline.add_component("prompt_builder", ask)
    pipeline.add_component("llm", chat_llm())
    pipeline.add_component("planner", greenhouse.WateringPlanner())
    pipeline.connect("retriever.documents", "prompt_builder.documents")
    pipeline.connect("prompt_builder.prompt", "llm.messages")
    pipeline.connect("llm.replies", "planner.replies")
    return pipeline


def _crash_data() -> dict[str, Any]:
    query = "How much water do the tomatoes, the peppers and the strawberries need tomorrow?"
    return {name: {"query": query} for name in ("retriever", "prompt_builder")}


def _crash_script(_request: Request) -> Reply:
    text = "- tomatoes: 12 minutes\n- peppers: 12 minutes\n- strawberries: 9 minutes"
    return say(text, first_token_s=0.74)


MANUAL_SCENES = (
    Scene(
        "rag-answer",
        "A question answered from a manual",
        "Retrieval, prompt, streamed answer with citations: the run to begin with.",
        1,
        _rag(CAREFUL),
        _ask,
        _rag_script,
    ),
    Scene(
        "rag-other-prompt",
        "The same question, another prompt",
        "The system prompt was changed, and the answer with it.",
        2,
        _rag(BRIEF),
        _ask,
        _rag_script,
    ),
    Scene(
        "rag-other-document",
        "The same question, an amended document",
        "One page of the manual was amended: same prompt, other scores, other answer.",
        3,
        _rag(CAREFUL, valve_screen=greenhouse.AMENDED_SCREEN),
        _ask,
        _rag_script,
    ),
    Scene(
        "validator-loop",
        "A loop until the JSON is right",
        "The reply is sent back twice; each visit is kept.",
        5,
        _loop,
        _loop_data,
        _loop_script,
    ),
    Scene(
        "crash",
        "A crash, with its snapshot",
        "The last component fails; its cause and Haystack's own snapshot are in the file.",
        8,
        _crash,
        _crash_data,
        _crash_script,
        fails=True,
    ),
)
