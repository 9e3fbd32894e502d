"""Files in the shapes of other tools, made here: their downloads hold what people asked."""

from __future__ import annotations

import json
from typing import Any

TRACE = "7a38edd8123db47ad8dcb8aa4c5e3926"


def observation(
    number: int, parent: int | None, kind: str, name: str, **more: Any
) -> dict[str, Any]:
    """Return an observation of Langfuse; times are seconds of one minute."""
    start, end = more.pop("at")
    return {
        "id": f"{number:016x}", "traceId": TRACE, "projectId": "p1", "environment": "default",
        "parentObservationId": None if parent is None else f"{parent:016x}", "type": kind,
        "name": name, "startTime": f"2026-11-29T14:51:{start:06.3f}Z",
        "endTime": f"2026-11-29T14:51:{end:06.3f}Z", "level": "DEFAULT", "statusMessage": None,
        "model": None, "usageDetails": {}, "costDetails": {}, "latency": int((end - start) * 1000),
        "input": None, "output": None, "metadata": {}, **more,
    }  # fmt: skip


def observations() -> list[dict[str, Any]]:
    """Return an agent that asks a model, calls a tool that fails, and asks again."""
    ask = [{"role": "user", "content": "How high is the tide?"}]
    call = {
        "id": "c1",
        "type": "function",
        "function": {"name": "tide", "arguments": '{"at": "noon"}'},
    }
    return [
        observation(1, None, "AGENT", "harbour", at=(10, 16),
                    input=json.dumps({"question": "tide?"}),
                    output=json.dumps({"answer": "Four metres."})),
        observation(2, 1, "GENERATION", "ask", at=(10.5, 12), model="gpt-4o-mini", input=ask,
                    output={"role": "assistant", "content": None, "tool_calls": [call]},
                    usageDetails={"input": 40, "output": 10, "total": 50, "input_cached_tokens": 8},
                    completionStartTime="2026-11-29T14:51:11.000Z"),
        observation(3, 1, "TOOL", "tide", at=(12, 13), input={"at": "noon"}, level="ERROR",
                    statusMessage="no gauge answers"),
        observation(4, 1, "GENERATION", "ask", at=(13, 15.5), model="gpt-4o-mini", input=ask,
                    output={"role": "assistant", "content": "Four metres."},
                    usageDetails={"input": 60, "output": 5, "total": 65}),
    ]  # fmt: skip


def langfuse(shape: str) -> bytes:
    """Return the same trace in one of the shapes that Langfuse writes."""
    rows = observations()
    trace = {"id": TRACE, "projectId": "p1", "name": "harbour-master",
             "timestamp": "2026-11-29T14:51:10Z",
             "input": json.dumps(json.dumps({"question": "tide?"})), "latency": 6.0}  # fmt: skip
    bare = [
        {k: v for k, v in row.items() if k not in ("input", "output", "metadata")} for row in rows
    ]
    made: Any = {
        "trace": {"trace": {**trace, "observations": bare}, "observations": rows},
        "observations": {**trace, "observations": rows, "scores": []},
        "no bodies": {**trace, "observations": bare, "scores": []},
        "rows": [{**row, "traceName": "harbour-master"} for row in rows],
        "api": {"data": rows, "meta": {"page": 1}},
    }.get(shape)
    if shape == "blob":
        names = {"traceId": "trace_id", "projectId": "project_id", "startTime": "start_time",
                 "parentObservationId": "parent_observation_id", "endTime": "end_time",
                 "usageDetails": "usage_details", "statusMessage": "status_message",
                 "model": "provided_model_name"}  # fmt: skip
        lines = []
        for row in rows:
            told = {names.get(key, key): value for key, value in row.items()}
            for key in ("start_time", "end_time"):
                told[key] = told[key].replace("T", " ").rstrip("Z") + "000"
            lines.append(json.dumps(told))
        return "\n".join(lines).encode()
    return json.dumps(made, indent=1).encode()


def jaeger(*, wrapped: bool = True) -> bytes:
    """Return a trace as Jaeger's window downloads it: an agent with one call of a model."""

    def tags(**pairs: Any) -> list[dict[str, Any]]:
        return [
            {"key": key.replace("__", "."), "type": "string", "value": value}
            for key, value in pairs.items()
        ]

    def span(number: int, parent: int | None, name: str, start: int, took: int, **more: Any) -> Any:
        above = (
            [{"refType": "CHILD_OF", "traceID": "ab12", "spanID": f"{parent:x}"}] if parent else []
        )
        return {"traceID": "ab12", "spanID": f"{number:x}", "operationName": name,
                "processID": "p1",
                "references": above, "startTime": 1_770_000_000_000_000 + start, "duration": took,
                "tags": [], "logs": [], **more}  # fmt: skip

    said = json.dumps([{"role": "assistant", "parts": [{"type": "text", "content": "At noon."}],
                        "finish_reason": "stop"}])  # fmt: skip
    asked = json.dumps(
        [{"role": "user", "parts": [{"type": "text", "content": "When is high tide?"}]}]
    )
    spans = [
        span(1, None, "POST /ask", 0, 5_000),
        span(2, 1, "invoke_agent harbour", 100, 4_500,
             tags=tags(gen_ai__operation__name="invoke_agent", gen_ai__agent__name="harbour")),
        span(3, 2, "chat model-a", 200, 3_000,
             tags=[*tags(gen_ai__operation__name="chat", gen_ai__request__model="model-a",
                         gen_ai__provider__name="example", gen_ai__input__messages=asked,
                         gen_ai__output__messages=said),
                   {"key": "gen_ai.usage.input_tokens", "type": "int64", "value": 90},
                   {"key": "gen_ai.usage.output_tokens", "type": "int64", "value": 7},
                   {"key": "gen_ai.usage.cache_read.input_tokens", "type": "int64", "value": 30}]),
        span(4, 2, "execute_tool tide", 3_300, 900,
             tags=[*tags(gen_ai__operation__name="execute_tool", gen_ai__tool__name="tide",
                         gen_ai__tool__call__arguments='{"at": "noon"}'),
                   {"key": "error", "type": "bool", "value": True}],
             logs=[{"timestamp": 1_770_000_000_004_000,
                    "fields": tags(event="exception", exception__type="GaugeError",
                                   exception__message="no answer")}]),
    ]  # fmt: skip
    trace = {"traceID": "ab12", "spans": spans,
             "processes": {"p1": {"serviceName": "harbour", "tags": []}}}  # fmt: skip
    return json.dumps({"data": [trace]} if wrapped else trace, indent=1).encode()


def phoenix(shape: str) -> bytes:
    """Return spans as Phoenix exports them: a list, a table of columns, or an answer of its API."""

    def span(
        number: int,
        parent: int | None,
        kind: str,
        name: str,
        at: tuple[float, float],
        **attributes: Any,
    ) -> Any:
        return {
            "id": f"U3Bhbjo{number}", "name": name, "span_kind": kind, "status_code": "OK",
            "context": {"trace_id": TRACE, "span_id": f"{number:016x}"}, "status_message": "",
            "parent_id": None if parent is None else f"{parent:016x}", "events": [],
            "start_time": f"2026-11-29T15:51:{at[0]:06.3f}+01:00",
            "end_time": f"2026-11-29T15:51:{at[1]:06.3f}+01:00", "attributes": attributes,
        }  # fmt: skip

    spans = [
        span(1, None, "CHAIN", "query", (1, 4),
             **{"input.value": "tides", "output.value": "Noon."}),
        span(2, 1, "RETRIEVER", "retrieve", (1, 2), **{
            "input.value": "tides", "retrieval.documents.0.document.content": "High at noon.",
            "retrieval.documents.0.document.id": "d1",
            "retrieval.documents.0.document.score": 0.9}),
        span(3, 1, "LLM", "ChatCompletion", (2, 4), **{
            "llm.model_name": "gpt-4o-mini", "llm.token_count.prompt": 30,
            "llm.token_count.completion": 4, "llm.token_count.total": 34,
            "llm.token_count.prompt_details.cache_read": 12,
            "llm.input_messages.0.message.role": "user",
            "llm.input_messages.0.message.content": "When?",
            "llm.output_messages.0.message.role": "assistant",
            "llm.output_messages.0.message.content": "Noon."}),
    ]  # fmt: skip
    if shape == "columns":
        rows = [
            {"name": s["name"], "span_kind": s["span_kind"], "parent_id": s["parent_id"],
             "start_time": s["start_time"], "end_time": s["end_time"], "status_code": "OK",
             "context.trace_id": TRACE, "context.span_id": s["context"]["span_id"],
             **{f"attributes.{key}": value for key, value in s["attributes"].items()}}
            for s in spans
        ]  # fmt: skip
        names = dict.fromkeys(key for row in rows for key in row)
        return json.dumps({name: [row.get(name) for row in rows] for name in names}).encode()
    if shape == "lines":
        return "\n".join(map(json.dumps, spans)).encode()
    made: Any = {"list": spans, "api": {"data": spans, "next_cursor": None}}[shape]
    return json.dumps(made).encode()


def bundle(**more: Any) -> bytes:
    """Return a debug bundle of haystack-diagnostics."""
    retriever = "haystack.components.retrievers.in_memory.bm25_retriever.InMemoryBM25Retriever"
    made = {
        "bundle_id": "f4321fbe-11ea-4a25-b62e-6f5da86021f3",
        "created_at": "2026-06-23T17:23:10.209498+00:00",
        "query": "When is high tide?",
        "pipeline": {
            "haystack_version": "2.29.0", "metadata": {},
            "components": {"retriever": {"type": retriever, "init_parameters": {"top_k": 2}},
                           "ranker": {"type": "my.Ranker", "init_parameters": {}}},
            "connections": [{"sender": "retriever.documents", "receiver": "ranker.documents"}],
        },
        "retrieval": {"retriever_component": "retriever", "doc_count": 2, "raw_top_k": [
            {"rank": 1, "id": "d1", "score": 0.9, "content_preview": "High at noon.",
             "meta": {"page": 3}},
            {"rank": 2, "id": "d2", "score": 0.4, "content_preview": "Low at six.", "meta": {}}]},
        "reranker": {"detected": True, "component": "ranker", "note": None, "reranked_top_k": [
            {"rank": 1, "id": "d2", "score": 0.8, "content_preview": "Low at six.", "meta": {}}]},
        "generation": {"component": "llm", "prompt_snapshot": "Answer: When is high tide?",
                       "answer": "At six."},
        "failure_type": "CONTEXT_LOSS",
        "diagnostics": {"ranking": {"relevant_doc_id": "d1"}},
        "corpus_checks": {"scoped_to_doc_ids": ["d1", "d2"], "docs_found": 2, "issues": []},
        **more,
    }  # fmt: skip
    return json.dumps(made, indent=2).encode()
