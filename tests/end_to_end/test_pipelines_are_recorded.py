"""What happened is in the file: every visit, call, chunk, document and figure of a pipeline.

Each test compares a run file with two logs that nothing of the product has touched: what
the server saw, and what the witness saw from inside the components' classes.
"""

import asyncio
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from inspector import record_run, record_run_async, recording
from tests.end_to_end.assertions import (
    assert_chunks,
    assert_llm_calls,
    assert_total_usage,
    assert_usage,
    assert_visits,
    llm_calls,
    only_run_in,
    reopened,
    values,
)
from tests.helpers import pipelines
from tests.helpers.openai_server import OpenAIServer
from tests.helpers.witness import ChunkLog, Witness

pytestmark = pytest.mark.haystack


def test_a_rag_run_is_recorded_whole(openai_server: OpenAIServer, tmp_path: Path) -> None:
    case = pipelines.rag(openai_server)
    with Witness(case.target) as witness:
        result, run = record_run(case.target, case.data)
    assert case.token in result["answer_builder"]["answers"][0].data

    run = reopened(run, tmp_path)
    assert run.status == "completed"
    assert_visits(run, witness, "retriever", "prompt_builder", "llm", "answer_builder")
    assert_llm_calls(run, openai_server.log)
    assert_total_usage(run, openai_server.log)
    (retriever,) = (span for span in run.spans if span.name == "retriever")
    found = witness.of("retriever")[0].outputs["documents"]
    listed = retriever.retrieval["documents"]
    assert [item["id"] for item in listed] == [d["document"]["id"] for d in found]
    assert [item["score"] for item in listed] == [d["document"]["score"] for d in found]
    assert [item["rank"] for item in listed] == list(range(1, len(found) + 1))
    assert retriever.retrieval["query"] == case.data["retriever"]["query"]
    (builder,) = (span for span in run.spans if span.name == "prompt_builder")
    assert builder.senders["documents"] == ["retriever"]
    assert values(run.inputs) == case.data


@pytest.mark.parametrize("asks_for_usage", [True, False], ids=["with usage", "without usage"])
def test_a_streaming_async_pipeline_is_recorded_whole(
    openai_server: OpenAIServer, tmp_path: Path, asks_for_usage: bool
) -> None:
    case = pipelines.parallel_branches(openai_server, stream=False)
    heard = {f"llm_{number}": ChunkLog() for number in range(3)}
    data = case.data
    for name, log in heard.items():
        data[name] = {"streaming_callback": log.async_callback}
        if asks_for_usage:
            data[name]["generation_kwargs"] = pipelines.USAGE_IN_STREAMS
    with Witness(case.target) as witness:
        _result, run = asyncio.run(record_run_async(case.target, data))

    run = reopened(run, tmp_path)
    assert run.mode == "async"
    assert_visits(run, witness, *heard, "prompt_0", "prompt_1", "prompt_2", "joiner")
    assert_llm_calls(run, openai_server.log)
    for name, log in heard.items():
        (span,) = (span for span in run.spans if span.name == name)
        number = name.removeprefix("llm_")
        (exchange,) = (
            item for item in openai_server.log if item.request.text.startswith(f"Branch {number}")
        )
        assert_chunks(span, log, exchange)
    if asks_for_usage:
        assert_total_usage(run, openai_server.log)


def test_a_streamed_pipeline_is_recorded_whole(openai_server: OpenAIServer, tmp_path: Path) -> None:
    case = pipelines.parallel_branches(openai_server, stream=False)
    got = []

    async def consume() -> dict[str, Any]:
        handle = case.target.stream(case.data)
        got.extend([chunk.content async for chunk in handle])
        result: dict[str, Any] = handle.result
        return result

    with Witness(case.target) as witness, recording(directory=tmp_path):
        asyncio.run(consume())

    run = only_run_in(tmp_path)
    assert_visits(run, witness, "llm_0", "llm_1", "llm_2", "joiner")
    recorded = [c.value.get("content", "") for span in llm_calls(run) for c in span.chunks or []]
    assert Counter(recorded) == Counter(got)


def test_a_loop_is_recorded_visit_by_visit(openai_server: OpenAIServer, tmp_path: Path) -> None:
    case = pipelines.validator_loop(openai_server)
    with Witness(case.target) as witness:
        _result, run = record_run(case.target, case.data)
    run = reopened(run, tmp_path)
    assert witness.counts["llm"] == 3
    assert_visits(run, witness, "prompt_builder", "joiner", "llm", "validator")


@pytest.mark.parametrize(
    "build", [pipelines.multi_query, pipelines.hybrid_embedding, pipelines.super_component]
)
@pytest.mark.parametrize("way", ["sync", "async"])
def test_compound_components_show_what_is_inside(
    openai_server: OpenAIServer, tmp_path: Path, build: Any, way: str
) -> None:
    case = build(openai_server)
    log_before = len(openai_server.log)
    if way == "sync":
        _result, run = record_run(case.target, case.data)
    else:
        _result, run = asyncio.run(record_run_async(case.target, case.data))
    run = reopened(run, tmp_path)
    asked = [
        item for item in openai_server.log[log_before:] if item.request.path.endswith("completions")
    ]
    assert len(llm_calls(run)) == len(asked) == 1
    assert_usage(llm_calls(run)[0], asked[0])
    assert len(run.roots) == 1
    assert all(span.status == "ok" for span in run.spans)
    if build is pipelines.multi_query:
        inner = [span for span in run.spans if span.type.endswith("InMemoryBM25Retriever")]
        assert len(inner) == 4, "the question itself and its three other forms"
