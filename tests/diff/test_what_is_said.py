"""What a comparison says is true, reads well, and says no more than is known."""

from sys import setprofile
from types import FrameType
from typing import Any

import pytest

from inspector import diff_runs
from inspector.diff.answer import AnswerKind
from inspector.diff.model import Agreement, Comparison, Decision
from inspector.runfile.load import load_run
from inspector.runfile.model import PipelineRun
from inspector.runfile.save import to_bytes
from tests.helpers.span_runs import document, message, run_with

SYSTEM = "haystack.components"


def first(comparison: Comparison) -> Decision:
    assert comparison.divergence is not None, comparison.verdict
    return comparison.decisions[comparison.divergence.decision]


def likely(comparison: Comparison) -> dict[str, str]:
    assert comparison.divergence is not None, comparison.verdict
    return {cause.leaf or cause.sentence: cause.likely for cause in comparison.divergence.causes}


# -- an agent that runs by itself --------------------------------------------------------------


def agent(
    *,
    parameters: dict[str, Any] | None = None,
    tools: Any = None,
    meta: dict[str, Any] | None = None,
) -> PipelineRun:
    asked = {"messages": [message("user", "How warm is it?")], "tools": tools}
    told = [*asked["messages"], message("assistant", "I look.", **(meta or {}))]
    said = {"replies": [message("assistant", "Warm.")]}
    llm = {"kind": "llm", "name": "llm", "role": "llm", "type": "x.ChatGenerator"}
    return run_with(
        {"kind": "agent", "name": "agent", "role": "agent"},
        {"kind": "step", "name": "step", "path": "step0", "step": 0},
        {**llm, "parent": "s2", "path": "step0/llm", "inputs": asked, "outputs": said},
        {"kind": "step", "name": "step", "path": "step1", "step": 1},
        {**llm, "parent": "s4", "path": "step1/llm", "inputs": {"messages": told},
         "outputs": said},
        kind="agent", name="Agent",
        definition={"type": f"{SYSTEM}.Agent", "init_parameters": parameters or {}},
    )  # fmt: skip


def generator(name: str = "OpenAI", **parameters: Any) -> dict[str, Any]:
    return {"chat_generator": {"type": f"x.{name}", "init_parameters": parameters}}


def test_the_settings_of_an_agent_by_itself_are_causes_of_what_its_llm_does() -> None:
    one, other = (
        agent(parameters=generator(generation_kwargs={"temperature": heat})) for heat in (0.1, 0.9)
    )
    comparison = diff_runs(one, other)
    assert first(comparison).title == "llm has temperature 0.9 instead of 0.1"
    leaf = "chat_generator.init_parameters.generation_kwargs.temperature"
    assert likely(comparison) == {leaf: "certain"}
    # Nobody says `init_parameters`.
    assert comparison.verdict.endswith(
        "because of Agent: chat_generator.generation_kwargs.temperature 0.1 → 0.9."
    )


def test_a_tool_that_is_described_in_another_way_is_named() -> None:
    def offered(description: str, kind: str) -> list[Any]:
        schema = {"properties": {"bed": {"type": kind}}}
        look = {"name": "look", "description": description, "parameters": schema}
        return [{"type": "x.Tool", "data": look}]

    left = agent(tools=offered("Look.", "string"))
    title = first(diff_runs(left, agent(tools=offered("Look twice.", "string")))).title
    assert title == "llm was offered look with another description"
    title = first(diff_runs(left, agent(tools=offered("Look.", "integer")))).title
    assert title == "llm was offered look with other parameters (properties.bed.type)"


def test_what_was_noted_on_a_message_is_not_what_an_llm_was_sent() -> None:
    comparison = diff_runs(agent(meta={"usage": {"prompt_tokens": 7}}), agent(meta={"usage": None}))
    assert comparison.same
    assert comparison.divergence is None
    assert not comparison.equal, "it differs all the same, and is not hidden"


def test_another_class_is_told_without_the_parameters_that_it_does_not_have() -> None:
    left = agent(parameters=generator("OpenAI", model="small", retries=3))
    right = agent(parameters=generator("Fallback", chat_generators=[]))
    said = [change.sentence for change in diff_runs(left, right).configuration]
    assert said == ["Agent: chat_generator is a Fallback instead of an OpenAI"]


# -- one side only -----------------------------------------------------------------------------


def chain(*spans: dict[str, Any], **header: Any) -> PipelineRun:
    return run_with({"name": "manual"}, *spans, **header)


def ranker(name: str = "ranker", **outputs: Any) -> dict[str, Any]:
    return {"name": name, "role": "ranking", "path": f"{name}#1", "outputs": outputs}


def test_a_component_that_ran_on_one_side_says_so_and_why() -> None:
    part = {"type": "x.Ranker", "init_parameters": {}}
    other = {"type": "x.Other", "init_parameters": {}}
    plain = chain(definition={"components": {"other": other}, "connections": []})
    ranked = chain(
        ranker(documents=[document(1, "Water at dawn.")]),
        definition={"components": {"other": other, "ranker": part}, "connections": []},
    )
    comparison = diff_runs(plain, ranked)
    assert "First divergence: ranker newly ran and returned 1 document" in comparison.verdict
    assert comparison.verdict.endswith("likely because ranker (Ranker) was added.")
    comparison = diff_runs(ranked, plain)
    assert "ranker no longer ran; before, it returned 1 document" in comparison.verdict
    assert comparison.verdict.endswith("likely because ranker (Ranker) was taken out.")


def test_a_generator_that_became_one_of_several_is_told_from_both_sides() -> None:
    llm = {"kind": "component", "name": "llm", "role": "llm", "path": "llm#1"}
    single = chain({**llm, "type": "x.OpenAI"})
    inner = {"kind": "llm", "name": "first", "role": "llm", "parent": "s2", "path": "llm#1/first#1"}
    several = chain({**llm, "type": "x.Fallback"}, inner)
    said = [diff_runs(*pair) for pair in ((single, several), (several, single))]
    assert [first(each).title for each in said] == [
        "llm is a Fallback instead of an OpenAI", "llm is an OpenAI instead of a Fallback",
    ]  # fmt: skip
    assert ["was newly asked" in each.decisions[-2].title for each in said] == [True, False]
    assert "was no longer asked" in said[1].decisions[-2].title


def test_what_is_around_a_failure_is_no_cause_of_it() -> None:
    def called(status: str) -> PipelineRun:
        outputs = {"text": "late"} if status == "failed" else {"text": "at dawn"}
        return chain(
            {"name": "answer", "path": "answer#1", "inputs": {"text": "When?"}, "outputs": outputs},
            {"name": "first", "role": "llm", "parent": "s2", "path": "answer#1/first#1",
             "status": status},
        )  # fmt: skip

    comparison = diff_runs(called("ok"), called("failed"))
    assert first(comparison).path == "answer#1/first#1"
    assert not [name for name in likely(comparison) if "answer" in name]


def test_a_span_that_the_user_put_beside_another_did_not_run_more_often() -> None:
    left = chain(ranker("one", documents=[]), ranker("other", documents=[]))
    comparison = diff_runs(left, left, sync=[("one#1", "other#1")])
    assert not [each for each in comparison.decisions if each.kind == "retry"]


# -- parts inside parts ------------------------------------------------------------------------


def writer(draft: str, polish: str) -> PipelineRun:
    def part(model: str) -> dict[str, Any]:
        return {"type": "x.Chat", "init_parameters": {"model": model}}

    components = {"draft": part(draft), "polish": part(polish)}
    inside = {"components": components, "connections": []}
    definition = {"type": "x.Writer", "init_parameters": {"pipeline": inside}}
    spans = [{"name": "writer", "path": "writer#1"}]
    spans += [
        {"name": name, "role": "llm", "parent": "s2", "path": f"writer#1/{name}#1"}
        for name in components
    ]
    return chain(*spans, definition={"components": {"writer": definition}, "connections": []})


def test_the_model_of_another_part_is_not_certainly_the_cause() -> None:
    comparison = diff_runs(writer("small", "small"), writer("large", "large"))
    assert first(comparison).path == "writer#1/draft#1"
    leaf = "pipeline.components.{}.init_parameters.model"
    assert likely(comparison) == {
        leaf.format("draft"): "certain",
        leaf.format("polish"): "possible",
    }


# -- documents ---------------------------------------------------------------------------------


def test_a_ranker_cuts_off_only_what_it_was_given() -> None:
    known = [document(number, f"Bed {number}.", 0.9 - number / 10) for number in range(3)]

    def ranked(given: list[Any]) -> PipelineRun:
        return chain({**ranker(documents=given[:2]), "inputs": {"documents": given}})

    change = first(diff_runs(ranked(known), ranked(known[:1]))).documents[1].change
    assert change == "removed"
    change = first(diff_runs(ranked([known[0], known[2]]), ranked([*known[:2], known[2]])))
    assert [move.change for move in change.documents] == ["same", "cut off", "added"]


def test_an_embedding_is_not_read_out() -> None:
    def asked(*numbers: float) -> PipelineRun:
        return chain(
            {"name": "vectors", "role": "retrieval", "path": "vectors#1",
             "inputs": {"query_embedding": [*numbers] * 4, "top_k": 3}},
        )  # fmt: skip

    title = first(diff_runs(asked(0.25, 0.5), asked(0.125, 0.5))).title
    assert title == "vectors was asked with another query embedding"


# -- what was not kept -------------------------------------------------------------------------

STUB = {"$": "truncated", "type": "list", "size": 90_000, "digest": "0" * 32}


def test_documents_that_were_too_large_to_keep_are_unknown_and_not_gone() -> None:
    whole = chain(ranker(documents=[document(1, "Water at dawn.")]))
    comparison = diff_runs(whole, chain(ranker(documents=STUB)))
    found = next(each for each in comparison.decisions if each.kind == "documents")
    assert found.agreement is Agreement.UNKNOWN
    assert "None" not in found.title


def test_a_prompt_that_was_too_large_to_keep_is_unknown_and_no_other_one() -> None:
    def sent(messages: Any) -> PipelineRun:
        return chain(
            {"name": "llm", "role": "llm", "path": "llm#1", "inputs": {"messages": messages}}
        )

    comparison = diff_runs(sent([message("user", "When?")]), sent(STUB))
    found = next(each for each in comparison.decisions if each.kind == "prompt")
    assert found.agreement is Agreement.UNKNOWN


def test_a_value_too_large_to_keep_is_not_another_one() -> None:
    def called(result: Any) -> PipelineRun:
        return chain({"kind": "tool", "name": "look", "path": "look", "outputs": result})

    comparison = diff_runs(called("all is well"), called(STUB))
    found = next(each for each in comparison.decisions if each.kind == "result")
    assert found.agreement is Agreement.UNKNOWN


@pytest.mark.parametrize("kept", ["left", "right"])
def test_an_answer_that_was_not_kept_is_never_called_the_same_or_another(kept: str) -> None:
    whole = chain(outputs={"llm": {"replies": [message("assistant", "At dawn.")]}})
    cut = chain(outputs={"llm": {"replies": STUB}})
    comparison = diff_runs(*((whole, cut) if kept == "left" else (cut, whole)))
    assert comparison.answer.kind is AnswerKind.UNKNOWN
    assert "cannot be compared" in comparison.verdict
    assert not comparison.same, "who proves that nothing got worse must not get a 0"


def test_a_run_that_was_cut_off_does_not_say_that_nothing_came_after() -> None:
    whole = chain(ranker(documents=[document(1, "Water at dawn.")]))
    lines = to_bytes(whole).splitlines(keepends=True)
    at = next(number for number, line in enumerate(lines) if b'"ranker#1"' in line)
    cut = load_run(b"".join(lines[:at]))
    assert not cut.complete
    title = first(diff_runs(whole, cut)).title
    assert title == (
        "ranker returned 1 document, which is not in what was recorded of the right run"
    )


# -- one run that goes on far longer -----------------------------------------------------------


def test_what_ran_in_a_long_run_is_counted_once_and_not_for_every_span() -> None:
    counted = 0

    def count(frame: FrameType, event: str, _: Any) -> None:
        nonlocal counted
        counted += event == "call" and frame.f_code.co_name == "counts_of"

    long = chain(*({"name": "loop", "path": f"loop#{n}", "visit": n} for n in range(1, 400)))
    setprofile(count)
    try:
        comparison = diff_runs(long, chain({"name": "loop", "path": "loop#1"}))
    finally:
        setprofile(None)
    retry = next(each for each in comparison.decisions if each.kind == "retry")
    assert retry.title == "loop ran 1 time instead of 399"
    assert 0 < counted <= 2
