"""What can be planted in a world: one cause each, and where it must be found.

A cause draws where it strikes from a seed. What it expects is written from the cause alone,
by what happens in the world, not by what the comparison says.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from tests.helpers.planted_worlds import (
    CROPS,
    AgentWorld,
    LoopWorld,
    Page,
    RagWorld,
    RouterWorld,
    Turn,
    World,
)


@dataclass(frozen=True)
class Expected:
    """Where the first divergence must be.

    `kinds` are decision kinds of which one must be hit; without any, no decision may differ.
    `path` must stand in the decision's path, and one of `words` in what is said of the
    divergence or its causes (of the configuration, where no decision may differ).
    """

    kinds: tuple[str, ...] = ()
    path: str = ""
    words: tuple[str, ...] = ()
    equal: bool = False  # nothing but noise may differ


@dataclass(frozen=True)
class Planted:
    """The changed world, how it is run, and what must be found."""

    world: Any  # one of `planted_worlds`, or a SearchWorld
    expected: Expected
    baseline: Any = None  # where the cause needs another one than the drawn world
    asynchronous: bool = False
    edit: dict[str, Any] = field(default_factory=dict)  # of the right file's environment


Cause = Callable[[Any, random.Random], Planted]

EQUAL = Expected(equal=True)
DOCUMENTS = ("documents",)


# -- documents -------------------------------------------------------------------------------


def _with_page(world: RagWorld, place: int, page: Page) -> RagWorld:
    pages = list(world.pages)
    pages[place] = page
    return replace(world, pages=tuple(pages))


def document_amended(world: RagWorld, draw: random.Random) -> Planted:
    place = draw.randrange(world.top_k)
    page = world.pages[place]
    changed = replace(page, minutes=page.minutes + draw.randint(50, 90))
    words = (f"{changed.minutes}", page.crop, page.id or page.crop)
    return Planted(_with_page(world, place, changed), Expected(DOCUMENTS, "retriever", words))


def document_metadata(world: RagWorld, draw: random.Random) -> Planted:
    place = draw.randrange(world.top_k)
    changed = replace(world.pages[place], shelf="south")
    # Haystack derives ids from metadata, too.
    return Planted(_with_page(world, place, changed), Expected(DOCUMENTS, "retriever"))


def document_added(world: RagWorld, draw: random.Random) -> Planted:
    crop = next(each for each in CROPS if each not in {page.crop for page in world.pages})
    page = Page(crop, draw.randint(3, 40), id="page-new" if world.pages[0].id else "")
    pages = [*world.pages]
    pages.insert(draw.randrange(world.top_k), page)
    # The last one found makes room for it.
    changed = replace(world, pages=tuple(pages))
    return Planted(changed, Expected(DOCUMENTS, "retriever", (crop, "page-new")))


def document_removed(world: RagWorld, draw: random.Random) -> Planted:
    pages = list(world.pages)
    gone = pages.pop(draw.randrange(world.top_k))
    words = (gone.id or gone.crop, gone.crop)
    changed = replace(world, pages=tuple(pages))
    return Planted(changed, Expected(DOCUMENTS, "retriever", words))


def documents_reordered(world: RagWorld, draw: random.Random) -> Planted:
    pages = list(world.pages)
    place = draw.randrange(world.top_k - 1)
    pages[place], pages[place + 1] = pages[place + 1], pages[place]
    changed = replace(world, pages=tuple(pages))
    return Planted(changed, Expected(DOCUMENTS, "retriever", ("rank", "order", "moved")))


def documents_cut_off(world: RagWorld, _draw: random.Random) -> Planted:
    changed = replace(world, top_k=world.top_k - 1)
    return Planted(changed, Expected(("documents", "query"), "retriever", ("top_k",)))


def more_documents(world: RagWorld, draw: random.Random) -> Planted:
    changed = replace(world, top_k=world.top_k + draw.randint(1, 2))
    return Planted(changed, Expected(("documents", "query"), "retriever", ("top_k",)))


def top_k_at_run_time(world: RagWorld, _draw: random.Random) -> Planted:
    changed = replace(world, run_top_k=world.top_k - 1)
    return Planted(changed, Expected(("query", "input"), "", ("top_k",)))


def filtered(world: RagWorld, draw: random.Random) -> Planted:
    hidden = draw.randrange(world.top_k)
    left = _with_page(world, hidden, replace(world.pages[hidden], shelf="south"))
    filters = {"field": "meta.shelf", "operator": "==", "value": "north"}
    expected = Expected(("query", "input"), "", ("filters", "shelf"))
    return Planted(replace(left, filters=filters), expected, baseline=left)


def other_question(world: RagWorld, _draw: random.Random) -> Planted:
    changed = replace(world, query=f"{world.query}, which bed")
    return Planted(changed, Expected(("input", "query"), "", ("which bed",)))


# -- prompts and models ----------------------------------------------------------------------


def prompt_edited(world: RagWorld, draw: random.Random) -> Planted:
    clause = draw.choice((" Name the page.", " Answer in one word.", " Be brief."))
    changed = replace(world, template=world.template + clause)
    return Planted(changed, Expected(("prompt",), "", (clause.strip(), "template")))


def clause_dropped(world: RagWorld, _draw: random.Random) -> Planted:
    changed = replace(world, template=world.template.replace("Question: ", ""))
    return Planted(changed, Expected(("prompt",), "", ("Question", "template")))


def system_prompt_edited(world: RagWorld, _draw: random.Random) -> Planted:
    changed = replace(world, system=f"{world.system} Never guess.")
    return Planted(changed, Expected(("prompt",), "", ("Never guess", "template")))


def agent_prompt_edited(world: AgentWorld, _draw: random.Random) -> Planted:
    changed = replace(world, system=f"{world.system} Be careful.")
    return Planted(changed, Expected(("prompt",), "", ("careful", "system_prompt")))


def model_swapped(world: RagWorld | AgentWorld, draw: random.Random) -> Planted:
    model = draw.choice(("gpt-4o", "gpt-4.1-nano", "o4-mini"))
    return Planted(replace(world, model=model), Expected(("llm",), "llm", (model,)))


def temperature_set(world: RagWorld, _draw: random.Random) -> Planted:
    changed = replace(world, settings={"temperature": 0.9})
    return Planted(changed, Expected(("llm",), "llm", ("temperature",)))


def other_reply(world: RagWorld, draw: random.Random) -> Planted:
    mood = draw.choice((" at most", ", I think", " or so"))
    return Planted(replace(world, mood=mood), Expected(("answer", "reply"), ""))


def model_down(world: RagWorld, _draw: random.Random) -> Planted:
    return Planted(replace(world, status=400), Expected(("failure",), "llm", ("400", "fail")))


# -- tools -----------------------------------------------------------------------------------


def tool_renamed(world: AgentWorld, draw: random.Random) -> Planted:
    old = draw.choice(tuple(world.results))
    changed = replace(world, names={old: f"{old}_v2"})
    return Planted(changed, Expected(("llm", "tool"), "", (f"{old}_v2",)))


def tool_described(world: AgentWorld, draw: random.Random) -> Planted:
    name = draw.choice(tuple(world.results))
    changed = replace(world, described={name: f"Never use {name} twice."})
    return Planted(changed, Expected(("llm",), "step0/llm", (f"{name} with another description",)))


def agent_temperature(world: AgentWorld, draw: random.Random) -> Planted:
    changed = replace(world, settings={"temperature": draw.choice((0.1, 0.9))})
    return Planted(
        changed,
        Expected(("llm",), "step0/llm", ("Agent: chat_generator.generation_kwargs.temperature",)),
    )


def agent_streamed(world: AgentWorld, _draw: random.Random) -> Planted:
    return Planted(replace(world, streamed=True), Expected())


def _with_turn(world: AgentWorld, place: int, turn: Turn) -> AgentWorld:
    turns = list(world.turns)
    turns[place] = turn
    return replace(world, turns=tuple(turns))


def other_arguments(world: AgentWorld, draw: random.Random) -> Planted:
    place = draw.randrange(len(world.turns))
    (name, arguments), *rest = world.turns[place].calls
    (key,) = arguments
    changed = _with_turn(world, place, Turn(((name, {key: "orchids"}), *rest)))
    return Planted(changed, Expected(("arguments", "tool"), f"step{place}", ("orchids",)))


def other_tool(world: AgentWorld, draw: random.Random) -> Planted:
    place = draw.randrange(len(world.turns))
    name, arguments = world.turns[place].calls[0]
    other = "plan_chore" if name != "plan_chore" else "search_manual"
    (bed,) = arguments.values()
    key = "topic" if other == "search_manual" else "bed"
    changed = _with_turn(world, place, Turn(((other, {key: bed}), *world.turns[place].calls[1:])))
    return Planted(changed, Expected(("tool",), f"step{place}", (other,)))


def tool_fails(world: AgentWorld, draw: random.Random) -> Planted:
    name = draw.choice(tuple(world.results))
    place = next(n for n, turn in enumerate(world.turns) if name in dict(turn.calls))
    expected = Expected(("result", "failure"), f"step{place}", ("fail", "does not answer"))
    return Planted(replace(world, failing=(name,)), expected)


def other_result(world: AgentWorld, draw: random.Random) -> Planted:
    name = draw.choice(tuple(world.results))
    place = next(n for n, turn in enumerate(world.turns) if name in dict(turn.calls))
    results = {**world.results, name: "flooded"}
    expected = Expected(("result",), f"step{place}", ("flooded",))
    return Planted(replace(world, results=results), expected)


def extra_turn(world: AgentWorld, draw: random.Random) -> Planted:
    place = draw.randrange(1, len(world.turns) + 1)
    turns = list(world.turns)
    turns.insert(place, Turn((("search_manual", {"topic": "orchids"}),)))
    expected = Expected(("tool", "retry", "arguments"), f"step{place}", ("orchids",))
    return Planted(replace(world, turns=tuple(turns)), expected)


def one_call_more(world: AgentWorld, draw: random.Random) -> Planted:
    place = draw.randrange(len(world.turns))
    more = (*world.turns[place].calls, ("plan_chore", {"bed": "orchids"}))
    expected = Expected(("tool", "arguments"), f"step{place}", ("orchids", "plan_chore"))
    return Planted(_with_turn(world, place, Turn(more)), expected)


def stopped_early(world: AgentWorld, _draw: random.Random) -> Planted:
    changed = replace(world, max_steps=len(world.turns) - 1)
    expected = Expected(("exit", "retry"), "", ("max_agent_steps", "max_steps"))
    return Planted(changed, expected)


def calls_in_another_order(world: AgentWorld, _draw: random.Random) -> Planted:
    calls = world.turns[0].calls
    expected = Expected(("tool", "arguments"), "step0", ("order",))
    return Planted(_with_turn(world, 0, Turn(calls[::-1])), expected)


# -- routes and loops ------------------------------------------------------------------------


def route_flipped(world: RouterWorld, _draw: random.Random) -> Planted:
    changed = replace(world, limit=20)
    return Planted(changed, Expected(("route",), "router", ("long",)))


def route_flipped_by_the_question(world: RouterWorld, _draw: random.Random) -> Planted:
    changed = replace(world, question=world.question + " And what about tomorrow, then?")
    return Planted(changed, Expected(("input",), "", ("tomorrow", "messages")))


def validator_flipped(world: LoopWorld, _draw: random.Random) -> Planted:
    attempts = (world.attempts[0], world.attempts[1], '{"crop": "leek", "beds": 3, "week": 1}')
    left = replace(world, attempts=attempts)
    changed = replace(left, required=("crop", "week"))
    return Planted(changed, Expected(("validator",), "validator#2"), baseline=left)


def extra_attempt(world: LoopWorld, _draw: random.Random) -> Planted:
    attempts = (world.attempts[0], '{"crop": 5}', world.attempts[1])
    expected = Expected(("reply", "answer", "validator"), "#2")
    return Planted(replace(world, attempts=attempts), expected)


def right_at_once(world: LoopWorld, _draw: random.Random) -> Planted:
    expected = Expected(("reply", "answer", "validator"), "")
    return Planted(replace(world, attempts=world.attempts[1:]), expected)


# -- what changes no decision ----------------------------------------------------------------


def nothing(world: World, _draw: random.Random) -> Planted:
    return Planted(world, EQUAL)


def run_asynchronously(world: World, _draw: random.Random) -> Planted:
    return Planted(world, Expected(), asynchronous=True)


def other_haystack(world: World, _draw: random.Random) -> Planted:
    return Planted(world, Expected(words=("haystack",)), edit={"haystack-ai": "3.3.0"})


def component_renamed(world: RagWorld, draw: random.Random) -> Planted:
    old = draw.choice(("retriever", "prompt_builder", "llm", "answer_builder"))
    changed = replace(world, names={old: f"my_{old}"})
    return Planted(changed, Expected(words=(f"my_{old}",)))


CAUSES: tuple[tuple[type[World], Cause], ...] = (
    *((RagWorld, cause) for cause in (
        document_amended, document_metadata, document_added, document_removed,
        documents_reordered, documents_cut_off, more_documents, top_k_at_run_time, filtered,
        other_question, prompt_edited, clause_dropped, system_prompt_edited, model_swapped,
        temperature_set, other_reply, model_down, component_renamed,
        nothing, run_asynchronously, other_haystack,
    )),
    *((AgentWorld, cause) for cause in (
        agent_prompt_edited, agent_temperature, agent_streamed, tool_described, model_swapped,
        tool_renamed, other_arguments, other_tool,
        tool_fails, other_result, extra_turn, one_call_more, stopped_early,
        calls_in_another_order, nothing, run_asynchronously, other_haystack,
    )),
    *((RouterWorld, cause) for cause in (
        route_flipped, route_flipped_by_the_question, nothing, other_haystack,
    )),
    *((LoopWorld, cause) for cause in (
        validator_flipped, extra_attempt, right_at_once, nothing, run_asynchronously,
    )),
)  # fmt: skip
