"""Langfuse, Jaeger, Phoenix, Hayhooks, MLflow and haystack-diagnostics, in all their shapes."""

import json

import pytest

from inspector import load_run, load_runs
from inspector.errors import RunFileError
from tests.importers.files import FOREIGN, drawn, import_note, total_tokens
from tests.importers.made_files import TRACE, bundle, jaeger, langfuse, observation, phoenix

SHAPES = ["trace", "observations", "rows", "blob", "api"]


@pytest.mark.parametrize("shape", SHAPES)
def test_a_langfuse_trace_is_read_in_every_shape(shape):
    run = load_run(langfuse(shape))
    assert import_note(run)["format"] == "langfuse"
    assert drawn(run) == "harbour(ask tide ask)"
    assert [span.kind for span in run.spans] == ["agent", "llm", "tool", "llm"]
    assert run.duration_ns == 6_000_000_000
    assert [span.duration_ns for span in run.spans[1:3]] == [1_500_000_000, 1_000_000_000]
    assert total_tokens(run) == 115
    assert run.usage["cached_tokens"] == 8
    assert run.spans[1].llm["name"] == "gpt-4o-mini"
    assert run.spans[2].status == "failed"
    assert run.spans[2].error.message == "no gauge answers"
    assert run.spans[2].outputs is None
    assert run.spans[0].outputs == {"answer": "Four metres."}
    call = run.spans[1].outputs["replies"][0]["content"][0]["tool_call"]
    assert (call["name"], call["arguments"]) == ("tide", {"at": "noon"})
    assert run.spans[1].inputs["messages"][0]["$"] == "chat_message"


@pytest.mark.parametrize("shape", ["trace", "observations", "no bodies"])
def test_a_langfuse_trace_has_its_own_name_and_input(shape):
    run = load_run(langfuse(shape))
    assert run.name == "harbour-master"
    assert run.inputs == {"question": "tide?"}


def test_bodies_that_langfuse_left_out_are_not_recorded():
    run = load_run(langfuse("no bodies"))
    assert run.spans[1].outputs is None
    assert "outputs" in run.spans[1].not_recorded
    assert any("very many observations" in each["why"] for each in run.not_recorded)
    assert total_tokens(run) == 115


def test_buckets_that_add_up_to_the_total_hold_nothing_of_each_other():
    apart = {"input": 10, "input_cached_tokens": 3, "output": 5, "output_reasoning_tokens": 2}
    for total, sent, answered in ((20, 13, 7), (15, 10, 5)):
        row = observation(1, None, "GENERATION", "ask", at=(1, 2), model="gpt-4o-mini",
                          usageDetails={**apart, "total": total})  # fmt: skip
        usage = load_run(json.dumps([row]).encode()).usage
        assert (usage["prompt_tokens"], usage["completion_tokens"]) == (sent, answered)
        assert (usage["total_tokens"], usage["cached_tokens"]) == (total, 3)


def test_an_observation_in_both_lists_counts_once():
    assert len(load_run(langfuse("trace")).spans) == 4


def test_observations_of_two_traces_are_two_runs():
    rows = [
        observation(1, None, "SPAN", "a", at=(1, 2)),
        observation(2, None, "SPAN", "b", at=(3, 4)),
    ]
    rows[1]["traceId"] = "other"
    assert [run.spans[0].name for run in load_runs(json.dumps(rows).encode())] == ["a", "b"]


def test_what_haystack_told_langfuse_is_haystacks_again():
    metadata = {"haystack.component.name": '"retriever"', "haystack.component.visits": 1,
                "haystack.component.fully_qualified_type":
                '"haystack.components.retrievers.in_memory.bm25_retriever.InMemoryBM25Retriever"',
                }  # fmt: skip
    row = observation(1, None, "SPAN", "retriever", at=(1, 2), metadata=metadata,
                      input={"query": "q"}, output={"documents": []})  # fmt: skip
    run = load_run(json.dumps([row]).encode())
    assert run.spans[0].kind == "component"
    assert run.spans[0].role == "retrieval"
    assert run.spans[0].retrieval["query"] == "q"


@pytest.mark.parametrize("wrapped", [True, False])
def test_a_jaeger_trace_is_read(wrapped):
    run = load_run(jaeger(wrapped=wrapped))
    assert import_note(run)["format"] == "jaeger"
    assert drawn(run) == "POST /ask(harbour(chat model-a tide))"
    assert run.duration_ns == 5_000_000
    assert [span.start_ns for span in run.spans] == [0, 100_000, 200_000, 3_300_000]
    assert total_tokens(run) == 97
    assert run.usage["cached_tokens"] == 30
    chat = run.spans[2]
    assert chat.kind == "llm"
    assert chat.outputs["replies"][0]["content"] == [{"text": "At noon."}]
    assert chat.llm == {"name": "model-a", "provider": "example", "finish_reason": "stop"}
    tool = run.spans[3]
    assert tool.inputs == {"at": "noon"}
    assert tool.status == "failed"
    assert (tool.error.type, tool.error.message) == ("GaugeError", "no answer")
    assert import_note(run)["resource"]["service.name"] == "harbour"


@pytest.mark.parametrize("shape", ["list", "lines", "columns", "api"])
def test_phoenix_spans_are_read_in_every_shape(shape):
    run = load_run(phoenix(shape))
    assert import_note(run)["format"] == "spans"
    assert drawn(run) == "query(retrieve ChatCompletion)"
    assert run.duration_ns == 3_000_000_000
    assert run.started_at.startswith("2026-11-29T14:51:01")
    assert total_tokens(run) == 34
    assert run.usage["cached_tokens"] == 12
    assert run.spans[1].outputs["documents"][0]["content"] == "High at noon."
    assert run.spans[2].inputs["messages"][0]["content"] == [{"text": "When?"}]
    assert run.spans[2].outputs["replies"][0]["content"] == [{"text": "Noon."}]


def test_two_phoenix_spans_with_one_id_are_both_kept():
    spans = json.loads(phoenix("list"))
    spans[2]["context"]["span_id"] = spans[1]["context"]["span_id"]
    run = load_run(json.dumps(spans).encode())
    assert len(run.spans) == 3
    assert any("same id" in str(problem) for problem in run.problems)


def test_attributes_that_are_kept_as_trees_are_read():
    spans = json.loads(phoenix("list"))
    spans[2]["attributes"] = {
        "llm": {"model_name": "m", "token_count": {"prompt": 30, "completion": 4},
                "output_messages": [{"message": {"role": "assistant", "content": "Noon."}}]},
    }  # fmt: skip
    run = load_run(json.dumps(spans).encode())
    assert total_tokens(run) == 34
    assert run.spans[2].outputs["replies"][0]["content"] == [{"text": "Noon."}]


def test_spans_of_javascript_are_read():
    span = {
        "name": "chat m", "kind": 2, "startTime": [1_770_000_000, 5], "endTime": [1_770_000_001, 5],
        "spanContext": {"traceId": TRACE, "spanId": "1" * 16},
        "status": {"code": 2, "message": "no"},
        "attributes": {"gen_ai.operation.name": "chat", "gen_ai.usage.input_tokens": 3,
                       "gen_ai.usage.output_tokens": 1},
    }  # fmt: skip
    run = load_run(json.dumps([span]).encode())
    assert run.duration_ns == 1_000_000_000
    assert run.status == "failed"
    assert total_tokens(run) == 4


def test_a_cut_console_output_keeps_its_whole_spans():
    text = (FOREIGN / "otel_console" / "haystack_rag.console.txt").read_bytes()
    run = load_run(text[: text.rindex(b'"haystack.pipeline.input_data"')])
    assert [span.name for span in run.spans] == ["retriever", "prompt_builder", "llm"]
    assert import_note(run)["skipped"][0]["count"] == 1


def test_what_is_logged_between_spans_is_left_out_and_counted():
    text = (FOREIGN / "otel_console" / "haystack_rag.console.txt").read_text()
    run = load_run(text.replace("\n}\n{", "\n}\nINFO: 200 OK\n{").encode())
    assert len(run.spans) == 4
    assert sum(each["count"] for each in import_note(run)["skipped"]) == 3


def test_hayhooks_says_what_it_cuts():
    run = load_run(FOREIGN / "hayhooks_traces" / "hayhooks_traces_limit3_has_more.json")
    lacking = {each["what"] for each in run.not_recorded}
    assert {"tokens", "older traces", "long values", "times below a millisecond"} <= lacking


def test_spans_that_hayhooks_did_not_keep_are_counted():
    path = FOREIGN / "hayhooks_traces" / "hayhooks_traces.json"
    tree = json.loads(path.read_text())
    tree["traces"] = tree["traces"][:1]
    tree["traces"][0]["span_count"] = 9
    run = load_run(json.dumps(tree).encode())
    assert import_note(run)["skipped"][0]["count"] == 5


def test_a_value_that_hayhooks_cut_inside_of_its_json_stays_text():
    path = FOREIGN / "hayhooks_traces" / "hayhooks_traces.json"
    tree = json.loads(path.read_text())
    span = tree["traces"][0]["root_span"]["children"][0]
    cut = '{"llm": {"streaming_callb'
    span["tags"] = [{"key": "haystack.pipeline.input_data", "value": cut}]
    assert load_runs(json.dumps(tree).encode())[0].spans[1].inputs == cut


def test_no_traces_are_refused_as_that():
    with pytest.raises(RunFileError, match="traces of Hayhooks without a single span"):
        load_run(b'{"traces": [], "has_more": false, "config": {"start_time_ms": 0}}')


def test_the_second_schema_of_mlflow_is_read():
    span = {
        "name": "ask", "context": {"trace_id": "0x" + "a" * 32, "span_id": "0x" + "1" * 16},
        "parent_id": None, "start_time": 10**18, "end_time": 10**18 + 7, "status_code": "OK",
        "status_message": "", "events": [],
        "attributes": {"mlflow.spanType": '"CHAT_MODEL"', "mlflow.spanInputs": '{"q": 1}',
                       "mlflow.spanOutputs": '"yes"', "mlflow.traceRequestId": '"r1"',
                       "mlflow.chat.tokenUsage": '{"input_tokens": 3, "output_tokens": 2}'},
    }  # fmt: skip
    tree = {"info": {"request_id": "r1", "timestamp_ms": 10**12, "request_metadata": {}},
            "data": {"spans": [span]}}  # fmt: skip
    run = load_run(json.dumps(tree).encode())
    assert run.spans[0].kind == "llm"
    assert run.spans[0].inputs == {"q": 1}
    assert run.spans[0].outputs == "yes"
    assert run.duration_ns == 7
    assert total_tokens(run) == 5


def test_a_builder_that_mlflow_takes_for_a_model_is_none():
    run = load_run(FOREIGN / "mlflow_trace" / "mlflow_haystack_rag.trace.json")
    assert run.at("prompt_builder#1").role == "prompt"
    assert run.usage["calls"] == 1


def test_a_bundle_shows_what_was_found_ranked_and_said():
    run = load_run(bundle())
    assert drawn(run) == "pipeline(retriever ranker llm)"
    assert run.status == "completed"
    assert run.duration_ns is None
    documents = run.at("retriever#1").outputs["documents"]
    assert [each["id"] for each in documents] == ["d1", "d2"]
    assert documents[0]["meta"] == {"page": 3}
    assert [each["id"] for each in run.at("ranker#1").outputs["documents"]] == ["d2"]
    assert run.at("llm#1").inputs == {"prompt": "Answer: When is high tide?"}
    assert run.at("llm#1").outputs == {"replies": ["At six."]}
    assert run.topology["connections"][0]["receiver"] == "ranker.documents"
    assert run.environment["packages"] == {"haystack-ai": "2.29.0"}
    note = import_note(run)
    assert note["failure_type"] == "CONTEXT_LOSS"
    assert any("200 characters" in each["why"] for each in run.not_recorded)
    assert total_tokens(run) is None


def test_a_bundle_of_a_pipeline_that_failed_says_why():
    made = {"bundle_id": "b", "created_at": "2026-06-23T17:23:10+00:00", "query": "q",
            "status": "error", "error": "Pipeline execution failed: no store"}  # fmt: skip
    run = load_run(json.dumps(made).encode())
    assert run.status == "failed"
    assert "no store" in run.error.message


def test_an_empty_retrieval_is_not_a_missing_one():
    run = load_run(bundle(retrieval={"retriever_component": "retriever", "raw_top_k": []}))
    assert run.at("retriever#1").outputs == {"documents": []}


MADE = {
    **{f"langfuse {shape}": langfuse(shape) for shape in [*SHAPES, "no bodies"]},
    "jaeger": jaeger(), "jaeger bare": jaeger(wrapped=False), "bundle": bundle(),
    **{f"phoenix {shape}": phoenix(shape) for shape in ("list", "lines", "columns", "api")},
}  # fmt: skip


@pytest.mark.parametrize("name", MADE)
def test_saving_and_opening_again_changes_nothing(name, tmp_path):
    run = load_run(MADE[name])
    path = tmp_path / "a.run.json"
    run.save(path)
    again = load_run(path)
    assert again.verify().state == "ok"
    assert again.usage == run.usage
    assert [span.raw for span in again.spans] == [span.raw for span in run.spans]


@pytest.mark.parametrize("name", MADE)
@pytest.mark.parametrize("part", [0.25, 0.6, 0.95])
def test_a_file_that_is_cut_off_is_opened_as_far_as_it_goes_or_refused_in_words(name, part):
    data = MADE[name]
    said = ""
    try:
        runs = load_runs(data[: int(len(data) * part)])
    except RunFileError as error:
        runs, said = [], str(error)
    assert all(len(run.spans) for run in runs)
    assert runs or said
