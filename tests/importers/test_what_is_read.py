"""What imported runs hold, where the table has no room for it."""

import json
import threading

import orjson
import pytest

from inspector import load_run, load_runs
from inspector.importers.foreign import from_iso, identifier, nanoseconds
from inspector.importers.reprs import revived
from tests.importers.files import FOREIGN, drawn, import_note, total_tokens
from tests.importers.table import TRACES

OTLP = FOREIGN / "otlp_json"


def test_the_graph_is_read_from_who_sent_what():
    run = load_run(OTLP / "haystack_rag.otlp.jsonl")
    assert run.topology["connections"] == [
        {"sender": "retriever.documents", "receiver": "prompt_builder.documents"},
        {"sender": "prompt_builder.prompt", "receiver": "llm.messages"},
    ]
    llm = run.topology["components"]["llm"]
    assert llm["type"] == "haystack.components.generators.chat.openai.OpenAIChatGenerator"
    assert llm["role"] == "llm"
    assert run.at("prompt_builder#1").senders["question"] == [None]
    assert run.at("prompt_builder#1").senders["documents"] == ["retriever"]


def test_values_are_haystacks_objects_again():
    run = load_run(OTLP / "haystack_rag.otlp.jsonl")
    document = run.at("retriever#1").outputs["documents"][0]
    assert document["$"] == "document"
    assert document["meta"] == {"page": 1}
    assert document["content"] == "My name is Jean and I live in Paris."
    reply = run.at("llm#1").outputs["replies"][0]
    assert reply["$"] == "chat_message"
    assert reply["role"] == "assistant"
    assert run.at("llm#1").llm == {
        "provider": "openai", "name": "gpt-4o-mini-2025-01-01", "finish_reason": "stop",
    }  # fmt: skip
    assert [each["rank"] for each in run.at("retriever#1").retrieval["documents"]] == [1, 2]


def test_an_agent_is_told_in_steps():
    run = load_run(OTLP / "haystack_agent.otlp.jsonl")
    assert [span.path for span in run.spans] == [
        "", "agent#1", "agent#1/agent#1", "agent#1/step0", "agent#1/step0/llm",
        "agent#1/step0/tool:weather[0]", "agent#1/step1", "agent#1/step1/llm",
    ]  # fmt: skip
    tool = run.at("agent#1/step0/tool:weather[0]")
    assert tool.inputs == {"city": "Berlin"}
    assert tool.outputs == "Berlin: 21C"
    asked = run.at("agent#1/step0/llm").outputs["replies"][0]["content"][0]["tool_call"]
    assert (asked["name"], asked["arguments"], asked["id"]) == (
        "weather", {"city": "Berlin"}, "call_abc123",
    )  # fmt: skip


def test_an_error_is_told_with_its_traceback():
    run = load_run(OTLP / "haystack_rag_error.otlp.jsonl")
    error = run.at("llm#1").error
    assert error.type == "haystack.core.errors.PipelineRuntimeError"
    assert "Error code: 500" in error.message
    assert error.traceback.startswith("Traceback")
    assert run.error.message == error.message


def test_contents_that_were_not_traced_are_not_recorded_and_not_empty():
    run = load_run(OTLP / "haystack_rag_no_content.otlp.jsonl")
    retriever = run.at("retriever#1")
    assert retriever.inputs is None
    assert "HAYSTACK_CONTENT_TRACING_ENABLED" in retriever.not_recorded["inputs"]
    assert any(each["what"] == "inputs and outputs" for each in run.not_recorded)


@pytest.mark.parametrize("name", ["rag_stream_nousage", "rag_no_content", "rag_error"])
def test_tokens_that_nobody_reported_are_unknown_and_not_zero(name):
    run = load_run(OTLP / f"haystack_{name}.otlp.jsonl")
    assert run.usage == {"calls": 1, "unknown_calls": 1}
    assert run.at("llm#1").usage is None


def test_of_two_spans_of_one_call_one_counts_and_none_is_lost():
    run = load_run(OTLP / "hs2.31_openinference_agent.otlp.jsonl")
    counted = [span.path for span in run.spans if span.usage is not None]
    assert counted == [f"pipeline#1/agent#1/Agent#1/chat_generator#{n}" for n in (1, 2)]
    assert run.usage["calls"] == 2
    assert len(run.spans) == 11


def test_the_sum_that_a_root_repeats_is_not_added():
    def span(number, parent, kind, tokens):
        figures = {"prompt": tokens, "completion": 0, "total": tokens}
        pairs = [{"key": "openinference.span.kind", "value": {"stringValue": kind}}] + [
            {"key": f"llm.token_count.{key}", "value": {"intValue": str(count)}}
            for key, count in figures.items()
        ]
        return {"traceId": "a" * 32, "spanId": f"{number:016x}", "parentSpanId": parent,
                "name": "x", "startTimeUnixNano": str(10**18 + number),
                "endTimeUnixNano": str(10**18 + 99), "attributes": pairs}  # fmt: skip

    root = span(1, "", "AGENT", 29_899)
    below = [span(n, f"{1:016x}", "LLM", t) for n, t in enumerate((3031, 4421, 10709, 11738), 2)]
    tree = {"resourceSpans": [{"scopeSpans": [{"spans": [root, *below]}]}]}
    run = load_run(json.dumps(tree).encode())
    assert total_tokens(run) == 29_899
    assert run.usage["calls"] == 4


def test_a_generator_of_any_name_that_gives_back_usage_is_a_call_of_a_model():
    text = (OTLP / "haystack_rag.otlp.jsonl").read_text()
    renamed = text.replace(
        "haystack.components.generators.chat.openai.OpenAIChatGenerator", "my.MyLLM"
    )
    run = load_run(renamed.replace("OpenAIChatGenerator", "MyLLM").encode())
    assert run.at("llm#1").type == "my.MyLLM"
    assert run.at("llm#1").role == "llm"
    assert total_tokens(run) == 51


def test_messages_that_python_shows_are_messages_again():
    run = load_run(OTLP / "openinference_agent.otlp.jsonl")
    call = run.at("Agent#1/OpenAIChatGenerator#2")
    roles = [message["role"] for message in call.inputs["messages"]]
    assert roles == ["system", "user", "assistant", "tool"]
    result = call.inputs["messages"][3]["content"][0]["tool_result"]
    assert result["result"] == "Berlin: 21C"
    assert result["call"]["name"] == "weather"


def test_what_only_looks_like_a_message_stays_text():
    text = "ChatMessage(_role=__import__('os').getcwd(), _content=[])"
    assert revived(text) == text


def test_documents_that_are_flattened_are_documents_again():
    run = load_run(OTLP / "openinference_rag.otlp.jsonl")
    documents = run.at("InMemoryBM25Retriever#1").outputs["documents"]
    assert [each["$"] for each in documents] == ["document", "document"]
    assert documents[0]["meta"] == {"page": 1}
    assert documents[0]["score"] == pytest.approx(1.094335921692375)


def test_words_that_an_instrumentation_wrote_by_mistake_are_no_reply():
    text = json.loads((OTLP / "ht2.31_traceloop_agent.otlp.jsonl").read_text().split("\n")[0])
    run = load_run(json.dumps(text).encode())
    inner = next(span for span in run.spans if span.name == "haystack.openai.chat")
    assert inner.outputs is None
    assert "'replies'" in inner.not_recorded["outputs"]


def test_what_langfuse_wraps_is_haystacks_again():
    run = load_run(FOREIGN / "langfuse_otlp" / "langfuse_otlp_agent.jsonl")
    assert run.name == "demo-agent"
    assert [span.path for span in run.spans if span.kind == "tool"] == [
        f"agent#1/step0/tool:weather[{n}]" for n in range(3)
    ]
    assert run.at("agent#1/step0/llm").usage.total_tokens == 106
    assert run.at("agent#1/step0/llm").outputs["replies"][0]["$"] == "chat_message"


def test_a_snapshot_tells_who_sent_what_and_what_came_to_nothing():
    run = load_run(FOREIGN / "haystack_snapshot" / "hs3.4.1_loop_bp_count_visit2.json")
    stopped = run.at("count#3")
    assert stopped.senders == {"value": ["join"]}
    assert stopped.inputs == {"value": 2}
    assert {"sender": "join.value", "receiver": "count.value"} in run.topology["connections"]
    assert any(each["what"] == "output sockets" for each in run.not_recorded)
    assert run.at("join#3").channels == {"outputs": "what other components still had from it"}


def test_a_snapshot_says_what_it_lacks():
    run = load_run(FOREIGN / "haystack_snapshot" / "hs2.31.0_rag_bp_llm.json")
    lacking = {each["what"] for each in run.not_recorded}
    assert {"times and durations", "error", "connections", "component types"} <= lacking
    assert run.error is None
    assert run.at("retriever#1").not_recorded["end_ns"] == "a snapshot holds no times"
    note = import_note(run)
    assert note["format"] == "haystack-snapshot"
    assert note["version"] == "2.16 to 2.31"
    assert note["break_point"]["component_name"] == "llm"


def test_the_conversation_of_an_agent_is_told_by_its_calls():
    run = load_run(FOREIGN / "haystack_snapshot" / "hs2.31.0_agent_bp_chatgen_v1.json")
    reply = run.at("agent#1/chat_generator#1").outputs["replies"][0]
    assert reply["content"][0]["tool_call"]["name"] == "weather"
    answer = run.at("agent#1/tool_invoker#1").outputs["tool_messages"][0]
    assert answer["content"][0]["tool_result"]["result"] == "Berlin: 21C"
    waiting = run.at("agent#1/chat_generator#2").inputs["messages"]
    assert [each["role"] for each in waiting] == ["system", "user", "assistant", "tool"]


@pytest.mark.parametrize(
    "point",
    [
        {"component_name": "llm", "visit_count": 0},
        {"component_name": "llm", "visit_count": 0, "tool_name": "weather"},
        {"component_name": "llm", "visit_count": 0, "colour": "green"},
    ],
)
def test_a_break_point_of_any_shape_is_read(point):
    path = FOREIGN / "haystack_snapshot" / "hs2.31.0_rag_bp_llm.json"
    tree = json.loads(path.read_text())
    tree["break_point"] = point
    run = load_run(json.dumps(tree).encode())
    assert run.at("llm#1").status == "unfinished"


def test_inputs_that_haystack_could_not_write_are_not_recorded():
    path = FOREIGN / "haystack_snapshot" / "hs2.31.0_agent_bp_chatgen_v0.json"
    tree = json.loads(path.read_text())
    tree["agent_snapshot"]["component_inputs"]["chat_generator"] = {}
    run = load_run(json.dumps(tree).encode())
    stopped = run.at("agent#1/chat_generator#1")
    assert stopped.inputs is None
    assert stopped.not_recorded["inputs"] == "Haystack could not write them"


@pytest.mark.parametrize("name", sorted(TRACES))
def test_saving_and_opening_again_changes_nothing(name, tmp_path):
    for number, run in enumerate(load_runs(FOREIGN / name)):
        path = tmp_path / f"{number}.run.json"
        run.save(path)
        again = load_run(path)
        assert again.verify().state == "ok"
        assert drawn(again) == drawn(run)
        assert again.usage == run.usage
        assert [span.raw for span in again.spans] == [span.raw for span in run.spans]
        assert [span.outputs for span in again.spans] == [span.outputs for span in run.spans]
        assert not again.problems


def test_opening_twice_gives_the_same_run():
    one, other = (load_run(OTLP / "haystack_rag.otlp.jsonl") for _ in range(2))
    assert one.id == other.id
    assert len(one.id) == 26


# Late


def big(attribute: str):
    span = {
        "traceId": "b" * 32, "spanId": "1" * 16, "name": "haystack.component.run",
        "startTimeUnixNano": "1000000000000000000", "endTimeUnixNano": "1000000000000000900",
        "attributes": [
            {"key": "haystack.component.name", "value": {"stringValue": "prompt"}},
            {"key": "haystack.component.input", "value": {"stringValue": attribute}},
        ],
    }  # fmt: skip
    return orjson.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]})


def test_a_long_attribute_is_decoded_when_it_is_looked_at_and_not_before(monkeypatch):
    from inspector.importers import reading

    messages = [{"role": "user", "content": [{"text": f"line {n} " * 12}]} for n in range(45_000)]
    text = orjson.dumps({"messages": messages}).decode()
    assert len(text) > 5_000_000
    decoded = []
    loads = orjson.loads
    monkeypatch.setattr(
        reading.orjson, "loads", lambda data: decoded.append(len(data)) or loads(data)
    )
    run = load_run(big(text))
    assert run.spans[0].has("inputs")
    assert "inputs" in run.spans[0].raw
    assert not [size for size in decoded if size > 1_000_000 and size < len(text) + 1]
    assert len(run.spans[0].inputs["messages"]) == 45_000
    assert run.spans[0].inputs["messages"][7]["content"] == [{"text": "line 7 " * 12}]


def test_records_can_be_asked_for_by_many_threads_at_once():
    run = load_run(OTLP / "haystack_agent.otlp.jsonl")
    seen: list[list[str]] = []

    def look():
        seen.append([json.dumps([span.inputs, span.outputs], sort_keys=True) for span in run.spans])

    threads = [threading.Thread(target=look) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(seen) == 6
    assert all(each == seen[0] for each in seen)


# Pieces


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("94F533C10CE3773B", "94f533c10ce3773b"),
        ("0x94f533c10ce3773b", "94f533c10ce3773b"),
        ("lPUzwQzjdzs=", "94f533c10ce3773b"),
        ("", ""),
        ("0000000000000000", ""),
        (None, ""),
        ("my-own-id", "my-own-id"),
    ],
)
def test_ids_are_hex_whichever_way_they_were_spelled(given, shown):
    assert identifier(given) == shown


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ("1795961996721447737", 1_795_961_996_721_447_737),
        (1_795_961_996_721_447_737, 1_795_961_996_721_447_737),
        (0, None),
        ("0", None),
        (None, None),
        ([1_795_961_996, 5], 1_795_961_996_000_000_005),
        ("2026-11-29T14:19:56.721448Z", 1_795_961_996_721_448_000),
        ("2026-11-29T15:19:56.721448+01:00", 1_795_961_996_721_448_000),
        ("no time", None),
    ],
)
def test_times_are_nanoseconds_whichever_way_they_were_spelled(given, wanted):
    assert nanoseconds(given) == wanted


def test_a_time_without_a_zone_is_taken_for_utc():
    assert from_iso("2026-11-29 14:19:56.5") == from_iso("2026-11-29T14:19:56.500Z")


def test_a_tool_that_failed_is_told_by_the_next_prompt():
    text = (OTLP / "haystack_agent.otlp.jsonl").read_text()
    failed = text.replace(r"\"error\": false", r"\"error\": true")
    assert failed != text
    run = load_run(failed.encode())
    tool = run.at("agent#1/step0/tool:weather[0]")
    assert tool.status == "failed"
    assert tool.error.message == "Berlin: 21C"
    assert tool.channels["status"] == "the next prompt"
    assert run.status == "completed"
    assert load_run(text.encode()).at("agent#1/step0/tool:weather[0]").status == "ok"


def test_a_span_outside_of_the_one_that_it_belongs_to_is_said():
    tree = json.loads((OTLP / "haystack_rag.otlp.jsonl").read_text())
    span = tree["resourceSpans"][0]["scopeSpans"][0]["spans"][2]
    span["startTimeUnixNano"] = span["endTimeUnixNano"] = str(int(span["endTimeUnixNano"]) + 10**10)
    run = load_run(json.dumps(tree).encode())
    assert any("wholly outside" in str(problem) for problem in run.problems)


def test_broken_letters_are_replaced_and_that_is_said():
    data = (OTLP / "haystack_rag.otlp.jsonl").read_bytes()
    run = load_run(data.replace(b"Jean lives", b"Je\xffn lives"))
    assert len(run.spans) == 4
    assert "Je�n lives" in json.dumps(run.at("llm#1").outputs, ensure_ascii=False)
    assert any("UTF-8" in str(problem) for problem in run.problems)
    assert not any("cut off" in str(problem) for problem in run.problems)


def test_a_span_that_follows_two_conventions_is_read_by_both():
    said = [{"role": "assistant", "parts": [{"type": "text", "content": "Noon."}]}]
    pairs = {
        "haystack.component.name": "llm", "haystack.component.type": "OpenAIChatGenerator",
        "gen_ai.operation.name": "chat", "gen_ai.request.model": "m", "gen_ai.output.messages":
        json.dumps(said), "gen_ai.usage.input_tokens": 8, "gen_ai.usage.output_tokens": 2,
    }  # fmt: skip
    attributes = [
        {"key": key, "value": {"stringValue" if isinstance(value, str) else "intValue": value}}
        for key, value in pairs.items()
    ]
    span = {"traceId": "c" * 32, "spanId": "1" * 16, "name": "chat m", "attributes": attributes,
            "startTimeUnixNano": 10**18, "endTimeUnixNano": 10**18 + 5}  # fmt: skip
    tree = {"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}
    run = load_run(json.dumps(tree).encode())
    found = run.spans[0]
    assert (found.kind, found.name, found.role) == ("component", "llm", "llm")
    assert found.outputs["replies"][0]["content"] == [{"text": "Noon."}]
    assert found.llm["name"] == "m"
    assert total_tokens(run) == 10


def test_listing_the_spans_of_a_trace_reads_no_values_and_makes_no_records():
    spans = [
        {"traceId": "d" * 32, "spanId": f"{n:016x}", "parentSpanId": "" if n == 1 else f"{1:016x}",
         "name": "haystack.component.run", "startTimeUnixNano": str(10**18 + n),
         "endTimeUnixNano": str(10**18 + 10_000), "attributes": [
             {"key": "haystack.component.name", "value": {"stringValue": f"c{n}"}},
             {"key": "haystack.component.output", "value": {"stringValue": '{"text": "x"}'}}]}
        for n in range(1, 2_001)
    ]  # fmt: skip
    data = json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}).encode()
    run = load_run(data)
    assert len(run.spans) == 2_000
    assert run.table.name(1_999) == "c2000"
    # The root is looked into for the header; nobody else is before somebody asks.
    assert run.parts.records.made == 0
    assert run.spans[1_999].outputs == {"text": "x"}
    assert run.parts.records.made == 1
