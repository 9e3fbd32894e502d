"""A run as a trace: the documented envelope, the documented names, and the run's own facts."""

import json
from datetime import datetime
from typing import Any

import pytest

from inspector.export.kinds import export_run
from inspector.export.otlp import otlp
from inspector.runfile.load import load_run
from tests.export.examples import EXAMPLES, example
from tests.export.hostile_runs import HIDDEN, HOSTILE, hostile_run

# https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding: ids in hex, 64 bits as text,
# enumerations as numbers, names in lowerCamelCase, and nothing that the protocol does not have.
SPAN = {
    "traceId", "spanId", "parentSpanId", "name", "kind", "startTimeUnixNano",
    "endTimeUnixNano", "attributes", "events", "status",
}  # fmt: skip
VALUES = {
    "stringValue": str, "boolValue": bool, "intValue": str, "doubleValue": float,
    "arrayValue": dict,
}  # fmt: skip


def spans_of(tree: dict[str, Any]) -> list[dict[str, Any]]:
    assert list(tree) == ["resourceSpans"]
    (resource,) = tree["resourceSpans"]
    assert set(resource) == {"resource", "scopeSpans"}
    check_attributes(resource["resource"]["attributes"])
    (scope,) = resource["scopeSpans"]
    assert set(scope["scope"]) == {"name", "version"}
    spans: list[dict[str, Any]] = scope["spans"]
    return spans


def check_attributes(attributes: list[dict[str, Any]]) -> None:
    keys = [each["key"] for each in attributes]
    assert len(keys) == len(set(keys))
    for each in attributes:
        assert set(each) == {"key", "value"}
        check_value(each["value"])


def check_value(value: dict[str, Any]) -> None:
    ((kind, said),) = value.items()
    assert isinstance(said, VALUES[kind])
    if kind == "intValue":
        assert -(2**63) <= int(said) < 2**63
    if kind == "arrayValue":
        for part in said["values"]:
            check_value(part)


def said_of(span: dict[str, Any]) -> dict[str, Any]:
    return {each["key"]: next(iter(each["value"].values())) for each in span["attributes"]}


def check_span(span: dict[str, Any]) -> None:
    assert set(span) <= SPAN
    assert len(bytes.fromhex(span["traceId"])) == 16
    assert len(bytes.fromhex(span["spanId"])) == 8
    assert span["name"]
    assert span["kind"] in (1, 3)
    assert 0 <= int(span["startTimeUnixNano"]) <= int(span["endTimeUnixNano"]) < 2**64
    assert span["status"]["code"] in (0, 1, 2)
    check_attributes(span["attributes"])
    for event in span.get("events", ()):
        assert set(event) == {"name", "timeUnixNano", "attributes"}
        check_attributes(event["attributes"])


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_trace_keeps_the_documented_envelope_and_the_tree_and_times_of_the_run(name: str) -> None:
    run = example(name)
    spans = spans_of(json.loads(json.dumps(otlp(run))))
    assert len({span["traceId"] for span in spans}) == 1
    assert len({span["spanId"] for span in spans}) == len(spans) == len(run.spans)
    assert run.started_at is not None
    began = datetime.fromisoformat(run.started_at).timestamp()
    by_own_id = {said_of(span)["run_inspector.span.id"]: span for span in spans}
    for span in run.spans:
        told = by_own_id[span.id]
        check_span(told)
        parent = by_own_id[span.parent_id]["spanId"] if span.parent_id else None
        assert told.get("parentSpanId") == parent
        length = int(told["endTimeUnixNano"]) - int(told["startTimeUnixNano"])
        assert length == span.duration_ns
        at = int(told["startTimeUnixNano"]) / 1e9 - span.start_ns / 1e9
        assert at == pytest.approx(began, abs=1e-3)
        assert (told["status"]["code"] == 2) == (str(span.status) == "failed")


def test_names_are_those_of_the_conventions() -> None:
    genai = pytest.importorskip(
        "opentelemetry.semconv._incubating.attributes.gen_ai_attributes",
        reason="the conventions come with OpenTelemetry",
    )
    known = {value for value in vars(genai).values() if isinstance(value, str)}
    operations = {each.value for each in genai.GenAiOperationNameValues}
    seen = set()
    for name in EXAMPLES:
        for span in spans_of(otlp(example(name))):
            said = said_of(span)
            assert {key for key in said if key.startswith("gen_ai.")} <= known
            seen.add(said.get("gen_ai.operation.name"))
    assert seen - {None} == operations - {
        "generate_content", "text_completion", "create_agent", "embeddings",
    }  # fmt: skip


def test_a_call_of_a_model_says_its_messages_tokens_and_ending() -> None:
    span = next(s for s in spans_of(otlp(example("agent-tools"))) if s["kind"] == 3)
    said = said_of(span)
    assert span["name"] == "chat gpt-4o-mini-2024-07-18"
    assert said["gen_ai.provider.name"] == "openai"
    assert (said["gen_ai.usage.input_tokens"], said["gen_ai.usage.output_tokens"]) == ("455", "57")
    assert said["gen_ai.response.finish_reasons"] == {"values": [{"stringValue": "tool_calls"}]}
    sent = json.loads(said["gen_ai.input.messages"])
    assert [each["role"] for each in sent] == ["system", "user"]
    assert sent[0]["parts"] == [
        {"type": "text",
         "content": "You look after a greenhouse. Read the sensors before you advise."}
    ]  # fmt: skip
    (reply,) = json.loads(said["gen_ai.output.messages"])
    calls = [part for part in reply["parts"] if part["type"] == "tool_call"]
    assert calls[1]["name"] == "read_sensor"
    assert calls[1]["arguments"] == {"bed": "peppers"}
    assert reply["finish_reason"] == "tool_calls"


def test_a_tool_says_its_arguments_result_and_error() -> None:
    spans = spans_of(otlp(example("agent-tools")))
    tools = [span for span in spans if span["name"] == "execute_tool read_sensor"]
    assert json.loads(said_of(tools[0])["gen_ai.tool.call.arguments"]) == {"bed": "tomatoes"}
    assert json.loads(said_of(tools[0])["gen_ai.tool.call.result"])["moisture"] == 31
    assert said_of(tools[1])["error.type"] == "haystack.tools.errors.ToolInvocationError"
    (event,) = tools[1]["events"]
    assert event["name"] == "exception"
    assert "F12" in tools[1]["status"]["message"]


def test_a_retriever_says_its_question_and_what_it_found() -> None:
    (span,) = [
        each for each in spans_of(otlp(example("rag-answer"))) if each["name"].startswith("retriev")
    ]
    said = said_of(span)
    assert said["gen_ai.retrieval.query.text"].startswith("My tomato bed is bone dry")
    found = json.loads(said["gen_ai.retrieval.documents"])
    assert [each["id"] for each in found][:2] == ["watering-schedule", "valve-screen"]


def test_the_same_run_is_the_same_trace_and_another_run_another() -> None:
    assert otlp(example("crash")) == otlp(example("crash"))
    ids = {spans_of(otlp(example(name)))[0]["traceId"] for name in EXAMPLES}
    assert len(ids) == len(EXAMPLES)


def test_a_run_that_does_not_say_when_it_was_says_so() -> None:
    run = hostile_run("x")
    tree = json.loads(json.dumps({"format": "haystack-run", "version": 1, "run": {"id": "a"},
                                  "spans": [dict(run.spans[0].raw)], "values": {}}))  # fmt: skip
    made = export_run(load_run(json.dumps(tree).encode()), "otlp", redact=None)
    assert "begins in 1970" in made.notes[0]


@pytest.mark.parametrize("name", ["agent-tools", "crash", "rag-answer"])
def test_a_hostile_run_is_a_trace_of_plain_text_of_bounded_size(name: str) -> None:
    made = export_run(hostile_run(HOSTILE * 100, name), "otlp", redact=None)
    text = made.main.decode("ascii")
    assert not [sign for sign in HIDDEN if sign in text]
    for span in spans_of(json.loads(text)):
        check_span(span)
        for value in said_of(span).values():
            assert len(str(value)) <= 40_000
        for key in ("gen_ai.input.messages", "gen_ai.output.messages"):
            if key in said_of(span):
                json.loads(said_of(span)[key])
