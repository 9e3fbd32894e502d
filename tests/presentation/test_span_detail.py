import pytest

from inspector.presentation.span_detail import Tab, span_detail
from inspector.presentation.walk import Walk
from tests.helpers.span_runs import call, document, message, result, run_with

PIPELINE = {"name": "rag"}


def detail_of(run, span_id):
    return span_detail(run, run.span(span_id), Walk(run.table))


def detail(*spans, **more):
    """Return what is shown of the last of these spans, inside a pipeline."""
    run = run_with(PIPELINE, *spans, **more)
    return detail_of(run, f"s{len(spans) + 1}")


def facts(shown, title=""):
    return {
        fact.label: fact.text
        for group in shown.summary.groups
        if group.title == title
        for fact in group.facts
    }


def agent_run():
    """Return an agent of two steps: two tools, one of them failing, then an answer."""
    question = message("user", "Weather and people?")
    asks = message("assistant", call("c1", "weather", city="Paris"), call("c2", "people"))
    answers = [result("c1", "weather", "rain"), result("c2", "people", "closed", failed=True)]
    answer = message("assistant", "It rains.")
    return run_with(
        PIPELINE,
        {"kind": "component", "role": "agent", "name": "agent", "path": "agent#1"},
        {"kind": "agent", "name": "agent", "parent": "s2", "path": "agent#1/agent#1"},
        {"kind": "step", "name": "step 0", "parent": "s3", "step": 0},
        {
            "kind": "llm",
            "name": "llm",
            "parent": "s4",
            "path": "agent#1/step0/llm",
            "inputs": {"messages": [question]},
            "outputs": {"replies": [asks]},
        },
        {
            "kind": "tool",
            "name": "weather",
            "parent": "s4",
            "tool_call": {"id": "c1", "index": 0},
            "inputs": {"city": "Paris"},
            "arguments": {"city": "Paris", "units": "metric"},
            "outputs": {"result": "rain"},
            "state_changes": {"city": {"after": "Paris"}, "seen": {"before": [1], "after": [1, 2]}},
        },
        {
            "kind": "tool",
            "name": "people",
            "parent": "s4",
            "status": "failed",
            "tool_call": {"id": "c2", "index": 1},
            "inputs": {},
            "error": {"type": "a.ClosedError", "message": "closed"},
        },
        {"kind": "step", "name": "step 1", "parent": "s3", "step": 1},
        {
            "kind": "llm",
            "name": "llm",
            "parent": "s8",
            "path": "agent#1/step1/llm",
            "inputs": {"messages": [question, asks, *answers]},
            "outputs": {"replies": [answer]},
        },
    )


def test_a_reply_shows_how_the_tools_it_called_ended():
    shown = detail_of(agent_run(), "s5")
    weather, people = shown.messages.turns[-1].parts
    assert (weather.outcome.text, weather.outcome.failed) == ("rain", False)
    assert (people.outcome.text, people.outcome.failed) == ("closed", True)
    assert (weather.outcome.span_id, people.outcome.span_id) == ("s6", "s7")


def test_the_next_llm_call_of_the_agent_marks_what_is_new():
    shown = detail_of(agent_run(), "s9")
    assert [turn.is_new for turn in shown.messages.turns] == [False, False, True, True, True]
    assert shown.messages.compared_with == "agent#1/step0/llm"


def test_an_earlier_call_leads_to_the_span_of_its_tool():
    shown = detail_of(agent_run(), "s9")
    weather = shown.messages.turns[1].parts[0]
    assert (weather.outcome.span_id, weather.outcome.turn) == ("s6", 2)


def test_a_step_shows_the_conversation_of_its_llm_call():
    run = agent_run()
    assert detail_of(run, "s8").messages == detail_of(run, "s9").messages


def test_a_tool_shows_what_was_asked_and_what_ran():
    shown = detail_of(agent_run(), "s6")
    assert [node.label for node in shown.inputs.roots] == ["the LLM asked for", "the tool ran with"]
    assert [node.path for node in shown.inputs.roots] == ["inputs", "arguments"]


def test_state_changes_say_what_happened_to_each_key():
    shown = detail_of(agent_run(), "s6")
    assert {node.label: node.note for node in shown.state.roots} == {
        "city": "new",
        "seen": "1\u202fitem more",
    }


def test_a_second_visit_is_compared_with_the_first():
    first = {"name": "llm", "role": "llm", "path": "llm#1", "inputs": {"prompt": "a"}}
    second = {**first, "path": "llm#2", "visit": 2, "inputs": {"prompt": "b"}}
    shown = detail(first, second)
    assert shown.messages.compared_with == "llm#1"
    assert facts(shown)["Visit"] == "2 of 2"


def test_only_tabs_with_something_in_them_apply_and_the_rest_say_what_would():
    shown = detail({"inputs": {"query": "x"}, "outputs": {"documents": [document(1, "y")]}})
    assert [tab for tab in Tab if shown.applies(tab)] == [
        Tab.SUMMARY,
        Tab.INPUT,
        Tab.OUTPUT,
        Tab.DOCUMENTS,
        Tab.RAW,
    ]
    assert all(shown.tabs[tab].endswith(".") for tab in Tab if not shown.applies(tab))


@pytest.mark.parametrize(
    ("span", "words"),
    [
        ({"not_recorded": {"outputs": "too large"}}, "Not recorded: too large"),
        ({}, "Not recorded. The file does not say why."),
        ({"status": "failed"}, "It failed before it gave anything back. The Error tab says why."),
        ({"status": "unfinished", "end_ns": None}, "It had not ended when the file did."),
    ],
)
def test_what_was_not_recorded_is_a_sentence_never_an_empty_value(span, words):
    shown = detail(span)
    assert shown.outputs.roots == ()
    assert shown.outputs.missing == words
    assert shown.applies(Tab.OUTPUT)


def test_an_empty_output_is_not_the_same_as_none_recorded():
    shown = detail({"outputs": {}})
    assert [node.path for node in shown.outputs.roots] == ["outputs"]
    assert shown.outputs.missing == ""


def test_inputs_name_their_senders():
    shown = detail({"inputs": {"a": 1, "b": 2}, "senders": {"a": ["retriever"], "b": [None]}})
    assert [node.note for node in shown.inputs.roots] == ["from retriever", "from the caller"]


def test_chunks_tell_when_they_arrived():
    chunk = {"$": "streaming_chunk", "content": "Hi"}
    shown = detail({"outputs": {"replies": []}, "chunks": [[3_000_000, chunk], [4_000_000, chunk]]})
    chunks = shown.outputs.roots[-1]
    assert [child.note for child in chunks.children] == ["after 2.0\u202fms", "after 3.0\u202fms"]


def test_the_root_shows_what_the_run_was_given_and_what_it_gave():
    run = run_with(PIPELINE, inputs={"q": "x"}, outputs={"a": "y"}, error=None)
    shown = detail_of(run, "s1")
    assert [node.path for node in shown.inputs.roots] == ["inputs.q"]
    assert [node.path for node in shown.outputs.roots] == ["outputs.a"]


def test_a_field_belongs_to_a_tab():
    shown = detail_of(agent_run(), "s6")
    assert shown.tab_of("inputs.city") is Tab.INPUT
    assert shown.tab_of("arguments.units") is Tab.INPUT
    assert shown.tab_of("outputs.result") is Tab.OUTPUT
    assert shown.tab_of("state_changes.city") is Tab.STATE
    assert shown.tab_of("nonsense") is None
    assert shown.tab_of('outputs["result"]') is Tab.OUTPUT


def test_a_summary_says_what_is_known_in_a_fixed_order():
    span = {
        "name": "retriever",
        "role": "retrieval",
        "type": "haystack.components.retrievers.InMemoryBM25Retriever",
        "path": "retriever#1",
        "retrieval": {"query": "who?", "top_k": 2, "documents": [{"id": "a"}]},
        "senders": {"query": [None]},
        "receivers": {"documents": ["builder", "gone"]},
        "not_recorded": {"embedding": "left out by the settings"},
        "channels": {"outputs": "wrapper"},
        "usage": {"input_tokens": 1_200, "cached_input_tokens": 0, "raw": {}},
    }
    component = {"package": "haystack-ai", "version": "3.4.1"}
    run = run_with(
        PIPELINE,
        span,
        {"name": "builder", "path": "builder#1"},
        topology={"components": {"retriever": component}},
    )
    shown = detail_of(run, "s2")
    assert shown.summary.title == "retriever"
    assert [group.title for group in shown.summary.groups] == [
        "",
        "Tokens",
        "Retrieval",
        "Comes from",
        "Goes to",
        "Not recorded",
        "How it was recorded",
    ]
    assert list(facts(shown)) == [
        "Status",
        "Took",
        "Began",
        "Role",
        "Class",
        "Module",
        "Package",
        "Path",
    ]
    assert facts(shown)["Package"] == "haystack-ai 3.4.1"
    assert facts(shown)["Took"] == "11\u202fms · 11\u202f% of the run"
    assert facts(shown, "Comes from") == {"query": "the caller"}
    assert facts(shown, "Not recorded") == {"embedding": "left out by the settings"}


def test_a_receiver_leads_to_its_span_or_is_said_not_to_have_run():
    run = run_with(PIPELINE, {"receivers": {"out": ["builder", "gone"]}}, {"name": "builder"})
    (goes_to,) = [g for g in detail_of(run, "s2").summary.groups if g.title == "Goes to"]
    assert [(fact.text, fact.target) for fact in goes_to.facts] == [
        ("builder", "s3"),
        ("gone · did not run afterwards", None),
    ]


def test_tokens_nobody_reported_are_left_out_rather_than_zero():
    shown = detail({"kind": "llm", "usage": {"input_tokens": 7, "cached_input_tokens": 0}})
    assert facts(shown, "Tokens") == {"Input": "7\u202ftok", "of it cached": "0\u202ftok"}


def test_an_llm_call_without_usage_says_so():
    assert facts(detail({"kind": "llm"}), "Tokens") == {"": "The provider reported no usage."}


def test_a_failed_span_says_its_error_in_the_summary():
    shown = detail({"status": "failed", "error": {"type": "a.b.RateLimitError", "message": "429"}})
    assert facts(shown)["Status"] == "✕ failed"
    assert facts(shown)["Error"] == "RateLimitError: 429"
    assert shown.applies(Tab.ERROR)


def test_before_the_order_of_spans_is_known_all_else_is_shown():
    run = agent_run()
    shown = span_detail(run, run.span("s9"), None)
    assert "Visit" not in facts(shown)
    assert len(shown.messages.turns) == 5
    assert shown.messages.compared_with == ""


@pytest.mark.parametrize("field", ["inputs", "outputs", "usage", "llm", "senders", "receivers",
                                   "tool_call", "retrieval", "state_changes", "tags", "channels",
                                   "not_recorded", "error", "chunks", "arguments"])  # fmt: skip
@pytest.mark.parametrize(
    "odd", [7, "text", [1, [2]], {"$": "hologram"}, {"a": {"b": [None]}}, None]
)
def test_odd_fields_are_shown_not_refused(field, odd):
    for kind in ("component", "llm", "tool"):
        assert detail({"kind": kind, field: odd}).summary.text()
