"""On runs that Haystack made: the examples that ship with the program."""

import pytest

from inspector.assets import asset
from inspector.presentation.provenance import Provenance
from inspector.presentation.provenance_answer import Link
from inspector.presentation.value_graph import ValueGraph
from inspector.presentation.value_paths import value_at
from inspector.runfile.load import load_run
from tests.benchmarks.made_runs import agent_file
from tests.helpers.span_runs import call, document, message, result, run_with

RECORDED, INFERRED = Link.RECORDED, Link.INFERRED


def example(name):
    return load_run(str(asset(f"examples/{name}.run.json")), use_cache=False)


@pytest.fixture(scope="module")
def rag():
    return Provenance(example("rag-answer"))


@pytest.fixture(scope="module")
def agent():
    return Provenance(example("agent-tools"))


@pytest.fixture(scope="module")
def loop():
    return Provenance(example("validator-loop"))


@pytest.fixture(scope="module")
def branches():
    return Provenance(example("parallel-branches"))


@pytest.fixture(scope="module")
def router():
    return Provenance(example("untaken-branch"))


def places(answer, link=None):
    return [
        (each.span_id, each.path) for each in answer.candidates if link in (None, each.link)
    ]  # fmt: skip


def test_a_document_came_from_the_recorded_sender_at_its_place_in_the_list(rag):
    answer = rag.where_from("s5", "inputs.documents[1].content")
    assert places(answer, RECORDED) == [("s2", "outputs.documents[1].content")]
    assert answer.only is not None
    assert answer.only.why == "it is the sender of this input"
    assert answer.question == "Where `documents[1].content` of `answer_builder` came from"


def test_every_place_that_is_named_holds_what_was_asked_about(rag):
    run = rag.run
    asked = value_at(run, run.span("s5"), "inputs.documents[1]")
    for each in rag.where_from("s5", "inputs.documents[1]").candidates:
        assert value_at(run, run.span(each.span_id), each.path) == asked


def test_what_the_caller_passed_leads_to_the_pipelines_own_input(rag):
    answer = rag.where_from("s2", "inputs.query")
    assert places(answer) == [("s1", "inputs.retriever.query")]
    beyond = rag.where_from("s1", "inputs.retriever.query")
    assert not beyond.candidates
    assert beyond.note == "The caller of the run passed it."


def test_an_input_that_nobody_sent_says_so(rag):
    answer = rag.where_from("s3", "inputs.template")
    assert not answer.candidates
    assert answer.note == "Nobody sent `template`: the component ran with its default."


def test_a_prompt_leads_to_its_variable_and_its_documents_and_says_that_this_is_inferred(rag):
    answer = rag.where_from("s4", "inputs.messages")
    assert places(answer, RECORDED) == [("s3", "outputs.prompt")]
    parts = places(answer, INFERRED)
    assert ("s1", "inputs.prompt_builder.query") in parts
    assert [place for place in parts if place[0] == "s2"] == [
        ("s2", f"outputs.documents[{number}].content") for number in range(4)
    ]
    assert {each.why for each in answer.candidates if each.link is INFERRED} == {
        "its words stand in this, as `query`",
        *(f"its words stand in this, as `documents[{number}]`" for number in range(4)),
    }


def test_a_prompts_maker_knows_its_parts_too(rag):
    parts = places(rag.where_from("s3", "outputs.prompt[1].content[0].text"))
    assert ("s1", "inputs.prompt_builder.query") in parts
    assert ("s2", "outputs.documents[0].content") in parts


def test_a_reply_was_made_by_its_llm(rag):
    answer = rag.where_from("s4", "outputs.replies[0]")
    assert not answer.candidates
    assert answer.note == "`llm` made it: it stands in nothing that went in."


def test_a_document_that_was_changed_on_the_way_is_found_by_its_id(rag):
    answer = rag.where_from("s5", "outputs.answers[0].documents[0]")
    assert places(answer) == [("s5", "inputs.documents[0]")]
    assert answer.only.link is INFERRED
    assert answer.only.why == "a document of the same id"


def test_a_pipelines_output_came_from_the_component_it_names(rag):
    answer = rag.where_from("s1", "outputs.answer_builder.answers[0]")
    assert places(answer, RECORDED) == [("s5", "outputs.answers[0]")]


def test_a_document_was_used_by_its_receivers_and_its_words_stand_in_the_prompt(rag):
    answer = rag.who_used("s2", "outputs.documents[0]")
    assert places(answer, RECORDED) == [
        ("s3", "inputs.documents[0]"),
        ("s5", "inputs.documents[0]"),
    ]
    assert ("s3", "outputs.prompt[1].content[0].text") in places(answer, INFERRED)


def test_an_argument_of_a_tool_leads_into_the_reply_that_asked_for_it(agent):
    answer = agent.where_from("s12", "arguments.wake")
    expected = ("s11", "outputs.replies[0].content[1].tool_call.arguments.wake")
    assert places(answer) == [expected]
    assert answer.only.link is RECORDED
    assert answer.only.preview == "true"


def test_a_tool_result_in_a_prompt_leads_to_the_tool_by_the_id_of_its_call(agent):
    answer = agent.where_from("s15", "inputs.messages[4]")
    assert places(answer) == [("s8", "outputs")]
    assert answer.only.link is RECORDED


def test_the_messages_of_a_turn_lead_to_whoever_said_them(agent):
    said = {
        "s6": "inputs.messages[2]",  # the LLM itself, a turn before
        "s1": "inputs.messages[1]",  # the caller
        "s3": "inputs.messages[0]",  # the system prompt
    }
    for span_id, path in said.items():
        answer = agent.where_from("s11", path)
        assert [place[0] for place in places(answer)] == [span_id]
        assert answer.only.link is INFERRED


def test_a_whole_conversation_lists_everybody_who_said_something(agent):
    answer = agent.where_from("s11", "inputs.messages")
    assert {each.span_id for each in answer.candidates} == {"s1", "s3", "s6", "s7", "s8", "s9"}


def test_a_reply_was_used_by_the_tools_it_called_and_by_later_turns(agent):
    answer = agent.who_used("s6", "outputs.replies[0]")
    assert places(answer, RECORDED) == [("s7", "inputs"), ("s8", "inputs"), ("s9", "inputs")]
    later = places(answer, INFERRED)
    assert later[:3] == [(s, "inputs.messages[2]") for s in ("s11", "s15", "s19")]


def test_a_tools_result_was_used_by_the_turns_that_were_told_of_it(agent):
    answer = agent.who_used("s8", "outputs")
    assert [place[0] for place in places(answer, RECORDED)] == ["s11", "s15", "s19"]


def test_the_last_message_of_an_agent_came_from_its_last_reply(agent):
    answer = agent.where_from("s2", "outputs.last_message")
    assert places(answer) == [("s19", "outputs.replies[0]")]


def test_in_a_loop_the_visit_before_is_meant_and_not_the_first(loop):
    assert places(loop.where_from("s10", "inputs.messages"), RECORDED) == [("s9", "outputs.value")]
    used = loop.who_used("s7", "outputs.replies[0]")
    assert places(used, RECORDED) == [("s8", "inputs.messages[0]")]


def test_what_was_handed_on_leads_to_whoever_made_it(loop):
    answer = loop.where_from("s7", "inputs.messages[0]")
    assert places(answer, RECORDED) == [("s6", "outputs.value[0]")]
    assert ("s5", "outputs.validation_error[0]") in places(answer, INFERRED)
    # And the complaint quotes the reply that was wrong.
    assert ("s4", "outputs.replies[0].content[0].text") in places(answer, INFERRED)


def test_a_socket_for_several_senders_tells_them_apart_by_content(branches):
    assert places(branches.where_from("s8", "inputs.values[1]")) == [("s7", "outputs.replies")]
    assert {place[0] for place in places(branches.where_from("s8", "inputs.values"))} == {
        "s5", "s6", "s7",
    }  # fmt: skip
    assert places(branches.who_used("s6", "outputs.replies"), RECORDED) == [
        ("s8", "inputs.values[0]")
    ]


def test_behind_a_router_only_the_route_that_was_taken_counts(router):
    answer = router.where_from("s3", "inputs.question")
    assert places(answer) == [("s2", "outputs.general")]
    assert places(router.who_used("s2", "outputs.general"), RECORDED) == [("s3", "inputs.question")]


def test_through_a_super_component_the_way_goes_inside(router):
    assert places(router.where_from("s4", "outputs.reply")) == [("s14", "outputs.replies[0]")]
    assert places(router.where_from("s7", "inputs.messages"), RECORDED) == [
        ("s6", "outputs.prompt")
    ]


def test_an_argument_that_the_llm_did_not_give_was_put_in_by_the_agent():
    asks = message("assistant", call("c1", "note", text="dry at noon"))
    run = run_with(
        {"kind": "agent", "name": "agent"},
        {"kind": "step", "name": "step 0"},
        {"kind": "llm", "name": "llm", "parent": "s2", "outputs": {"replies": [asks]}},
        {
            "kind": "tool", "name": "note", "parent": "s2", "tool_call": {"id": "c1", "index": 0},
            "inputs": {"text": "dry at noon"},
            "arguments": {"text": "dry at noon", "author": "Ada"},
        },
    )  # fmt: skip
    answer = Provenance(run).where_from("s4", "arguments.author")
    assert places(answer) == [("s3", "outputs.replies[0].content[0].tool_call")]
    assert answer.only.link is INFERRED
    assert "the agent put it in" in answer.only.why


def test_a_call_without_an_id_is_known_by_what_it_asks_for():
    asks = message(
        "assistant", call(None, "search", query="one"), call(None, "search", query="two")
    )
    run = run_with(
        {"kind": "agent", "name": "agent"},
        {"kind": "step", "name": "step 0"},
        {"kind": "llm", "name": "llm", "parent": "s2", "outputs": {"replies": [asks]}},
        {"kind": "tool", "name": "search", "parent": "s2", "inputs": {"query": "two"}},
    )
    answer = Provenance(run).where_from("s4", "inputs.query")
    expected = ("s3", "outputs.replies[0].content[1].tool_call.arguments.query")
    assert places(answer) == [expected]
    assert answer.only.link is INFERRED


def test_a_document_with_another_score_is_found_by_its_id():
    found = document(1, "The bed is dry at noon.", 0.3)
    ranked = document(1, "The bed is dry at noon.", 0.9)
    run = run_with(
        {"name": "rag"},
        {"name": "retriever", "end_ns": 1_500_000, "outputs": {"documents": [found]}},
        {"name": "reader", "inputs": {"documents": [ranked]}},
    )
    answer = Provenance(run).where_from("s3", "inputs.documents[0].score")
    assert places(answer) == [("s2", "outputs.documents[0].score")]
    assert answer.only.why == "a document of the same id"


def test_short_words_and_numbers_are_not_found_again_by_chance():
    run = run_with(
        {"name": "rag"},
        {"name": "one", "end_ns": 1_500_000, "outputs": {"language": "en", "count": 3}},
        {"name": "two", "inputs": {"language": "en", "count": 3}},
    )
    ask = Provenance(run)
    assert not ask.where_from("s3", "inputs.language").candidates
    assert not ask.where_from("s3", "inputs.count").candidates


def test_what_came_later_is_never_where_a_value_came_from():
    words = "The bed is dry at noon."
    run = run_with(
        {"name": "rag"},
        {"name": "one", "end_ns": 1_500_000, "inputs": {"text": words}},
        {"name": "two", "outputs": {"text": words}},
    )
    assert not Provenance(run).where_from("s2", "inputs.text").candidates


def test_a_path_that_leads_nowhere_is_answered_in_words(rag):
    for path in ("inputs.nothing", "outputs.prompt[99]", "not a path", ""):
        answer = rag.where_from("s3", path)
        assert not answer.candidates
        assert answer.note == "There is no value here."
        assert not rag.who_used("s3", path).candidates


def test_every_value_of_every_example_can_be_asked_about():
    for name in ("rag-answer", "agent-tools", "validator-loop", "untaken-branch", "crash"):
        run = example(name)
        ask = Provenance(run)
        for span in run.spans:
            for root in ("inputs", "outputs", "arguments"):
                for socket in getattr(span, root) or {}:
                    if not isinstance(socket, str):
                        continue
                    for answer in (
                        ask.where_from(span.id, f"{root}.{socket}"),
                        ask.who_used(span.id, f"{root}.{socket}"),
                    ):
                        for each in answer.candidates:
                            assert run.table.row_of(each.span_id) is not None
                            assert each.why


def test_a_growing_conversation_of_ten_thousand_spans_is_looked_through_once():
    run = load_run(agent_file(3_333, seed=7), use_cache=False)
    graph = ValueGraph(run)
    assert graph.is_whole
    # Each message is noted once although thousands of prompts hold it.
    assert len(graph) < 10 * len(run.spans)
    ask = Provenance(run)
    llm = run.spans[2 + 3 * 3_000]
    answer = ask.where_from(llm.id, "inputs.messages[1]")
    assert places(answer) == [("s3", "outputs.replies[0]")]
    used = ask.who_used("s3", "outputs.replies[0]")
    assert places(used, RECORDED) == [("s4", "inputs")]
    assert places(used, INFERRED)[0] == ("s6", "inputs.messages[1]")


def test_looking_stops_when_it_is_called_off(rag):
    assert not ValueGraph(rag.run, lambda: True).is_whole
    fresh = Provenance(rag.run)
    fresh.where_from("s5", "inputs.documents[1]", lambda: True)
    answer = fresh.where_from("s5", "outputs.answers[0].documents[0]")
    assert places(answer), "a look that was called off must not be kept"


def test_a_result_that_names_no_known_call_is_no_trouble():
    run = run_with(
        {"name": "rag"}, {"kind": "llm", "inputs": {"messages": [result("lost", "search", "x")]}}
    )
    assert not Provenance(run).where_from("s2", "inputs.messages[0]").candidates
