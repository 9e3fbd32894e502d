"""What happened is in the file: every visit, call, chunk, document, figure and error.

Each test compares a run file with two logs that nothing of the product has touched: what
the server saw, and what the witness saw from inside the components' classes.
"""

import asyncio
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from inspector import load_run, record_run, record_run_async, recording
from tests.helpers import agents, pipelines
from tests.helpers.openai_server import Exchange, OpenAIServer
from tests.helpers.told import plain_tree, without_none
from tests.helpers.tools import DIARY, Entry
from tests.helpers.witness import ChunkLog, Visit, Witness

pytestmark = pytest.mark.haystack

IGNORED = {"streaming_callback"}  # recorded by its name, seen as an object
CLOSE_NS = 40_000_000


def reopened(run: Any, folder: Path) -> Any:
    """Save a run and open it again: what is compared is what a file can hold."""
    path = folder / "kept.run.json"
    run.save(path)
    again = load_run(path)
    assert again.problems == ()
    assert again.verify().state == "ok"
    return again


def only_run_in(folder: Path) -> Any:
    (path,) = folder.glob("*.run.json")
    return load_run(path)


def values(tree: Any) -> Any:
    told = without_none(plain_tree(tree))
    return {k: v for k, v in told.items() if k not in IGNORED} if isinstance(told, dict) else told


def seen(value: Any) -> Any:
    value = without_none(value)
    return (
        {k: v for k, v in value.items() if k not in IGNORED} if isinstance(value, dict) else value
    )


def assert_visits(run: Any, witness: Witness, *names: str) -> None:
    """Every visit of these components is there, in order, with what went in and came out."""
    for name in names:
        spans = [span for span in run.spans if span.kind == "component" and span.name == name]
        visits = witness.of(name)
        assert len(spans) == len(visits) > 0, name
        for number, (span, visit) in enumerate(zip(spans, visits, strict=True), 1):
            assert span.visit == number
            assert span.path.endswith(f"{name}#{number}")
            assert_visit(span, visit)


def assert_visit(span: Any, visit: Visit) -> None:
    assert values(span.inputs) == seen(visit.inputs), span.path
    if visit.error is None:
        assert span.status == "ok"
        assert values(span.outputs) == seen(visit.outputs), span.path
    else:
        assert span.status == "failed"
        assert chain_types(span.error)[-1:] or span.error.type
    took = visit.ended_ns - visit.began_ns
    assert took <= span.duration_ns + 1_000_000, f"{span.path} is shorter than the call it holds"


def chain_types(error: Any) -> list[str]:
    types = []
    while error is not None:
        types.append(error.type.rpartition(".")[2])
        error = error.cause or error.context
    return types


def llm_calls(run: Any) -> list[Any]:
    """Return the spans that stand for one request to a model each."""
    return [
        span
        for span in run.spans
        if span.type.endswith("OpenAIChatGenerator") and span.operation != "inspector.attached"
    ]


def assert_llm_calls(run: Any, log: list[Exchange]) -> None:
    """There is one span for each request, with the prompt, the reply and the figures."""
    spans = {question(span): span for span in llm_calls(run)}
    assert len(llm_calls(run)) == len(log)
    for exchange in log:
        assert exchange.reply is not None
        span = spans[prompt_text(exchange)]
        assert span.llm["finish_reason"] in ("stop", "tool_calls")
        (reply,) = plain_tree(span.outputs)["replies"]
        assert "".join(part.get("text", "") for part in reply["parts"]) == exchange.reply.text
        assert_usage(span, exchange)


def prompt_text(exchange: Exchange) -> str:
    return f"{len(exchange.request.messages)}|{exchange.request.text}"


def question(span: Any) -> str:
    messages = plain_tree(span.inputs)["messages"]
    asked = [message for message in messages if message["role"] == "user"]
    count = sum(max(1, sum("result" in part for part in m["parts"])) for m in messages)
    return f"{count}|{asked[-1]['parts'][0]['text']}"


def assert_usage(span: Any, exchange: Exchange) -> None:
    if exchange.usage is None:
        assert span.usage is None, "unknown is unknown, and not zero"
        return
    usage = exchange.usage
    assert span.usage.input_tokens == usage["prompt_tokens"]
    assert span.usage.output_tokens == usage["completion_tokens"]
    assert span.usage.total_tokens == usage["total_tokens"]
    assert span.usage.cached_input_tokens == usage["prompt_tokens_details"]["cached_tokens"]
    assert span.usage.reasoning_tokens == usage["completion_tokens_details"]["reasoning_tokens"]


def assert_total_usage(run: Any, log: list[Exchange]) -> None:
    told = [exchange.usage for exchange in log if exchange.usage]
    for key in ("prompt_tokens", "completion_tokens", "total_tokens"):
        assert run.usage[key] == sum(usage[key] for usage in told)


def assert_chunks(span: Any, heard: ChunkLog, exchange: Exchange) -> None:
    """Every chunk is there, as the caller got it, when the caller got it."""
    chunks = span.chunks
    assert [values(chunk.value) for chunk in chunks] == [seen(chunk) for chunk in heard.chunks]
    assert len(chunks) == len(exchange.chunks)
    times = [chunk.at_ns for chunk in chunks]
    assert times == sorted(times)
    assert span.start_ns <= times[0]
    assert times[-1] <= span.end_ns
    for ours, theirs in zip(times, heard.times_ns, strict=True):
        assert abs((ours - times[0]) - (theirs - heard.times_ns[0])) < CLOSE_NS
    assert {chunk.value["component"]["type"] for chunk in chunks} == {span.type}


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


@pytest.mark.parametrize("in_pipeline", [False, True], ids=["alone", "in a pipeline"])
@pytest.mark.parametrize("way", ["sync", "async"])
def test_an_agent_with_three_tools_is_recorded_whole(
    openai_server: OpenAIServer, tmp_path: Path, way: str, in_pipeline: bool
) -> None:
    case = agents.three_tools(openai_server, in_pipeline=in_pipeline)
    with Witness(case.target) as witness:
        if way == "sync":
            _result, run = record_run(case.target, case.data)
        else:
            _result, run = asyncio.run(record_run_async(case.target, case.data))

    run = reopened(run, tmp_path)
    assert run.status == "completed"
    assert_agent_llm_calls(run, witness, openai_server.log)
    assert_total_usage(run, openai_server.log)
    assert_tool_calls(run, DIARY.mentioning(case.token), openai_server.log)
    steps = [span for span in run.spans if span.kind == "step"]
    assert [span.step for span in steps] == [0, 1, 2, 3]


def assert_agent_llm_calls(run: Any, witness: Witness, log: list[Exchange]) -> None:
    spans = [span for span in run.spans if span.kind == "llm"]
    visits = witness.of("chat_generator")
    assert len(spans) == len(visits) == len(log) == 4
    for span, visit, exchange in zip(spans, visits, log, strict=True):
        assert values(span.inputs)["messages"] == seen(visit.inputs)["messages"]
        assert values(span.outputs) == seen(visit.outputs)
        assert span.type.endswith("OpenAIChatGenerator")
        assert_usage(span, exchange)


def assert_tool_calls(run: Any, diary: list[Entry], log: list[Exchange]) -> None:
    """Every call is there, under the step that asked for it, as asked and as run."""
    spans = [span for span in run.spans if span.kind == "tool"]
    asked = [
        (step, index, wire)
        for step, exchange in enumerate(log)
        for index, wire in enumerate(exchange.calls)
    ]
    assert len(spans) == len(asked) == len(diary) == 5
    for step, index, wire in asked:
        name = wire["function"]["name"]
        (span,) = (s for s in spans if s.path.endswith(f"step{step}/tool:{name}[{index}]"))
        assert span.tool_call == {"id": wire["id"], "index": index}
        final = values(span.arguments)
        (entry,) = (e for e in diary if e.tool == name and final.items() <= e.arguments.items())
        if entry.error is None:
            assert span.status == "ok"
            assert values(span.outputs) == entry.result
        else:
            assert span.status == "failed"
            assert type(entry.error).__name__ in chain_types(span.error)
            assert "KeyError" in chain_types(span.error)
            assert str(entry.error) in span.error.message
            assert "tools.py" in str(span.error.raw)
    (note,) = (span for span in spans if span.name == "take_note")
    assert values(note.arguments)["author"] == "Ada", "the argument that came from the state"
    assert "author" not in values(note.inputs)


def test_a_loop_is_recorded_visit_by_visit(openai_server: OpenAIServer, tmp_path: Path) -> None:
    case = pipelines.validator_loop(openai_server)
    with Witness(case.target) as witness:
        _result, run = record_run(case.target, case.data)
    run = reopened(run, tmp_path)
    assert witness.counts["llm"] == 3
    assert_visits(run, witness, "prompt_builder", "joiner", "llm", "validator")


def test_an_error_of_the_provider_is_recorded_with_its_cause(
    openai_server: OpenAIServer, tmp_path: Path
) -> None:
    case = pipelines.llm_error(openai_server, status=400)
    with (
        Witness(case.target) as witness,
        recording(directory=tmp_path),
        pytest.raises(Exception, match="maximum context length") as raised,
    ):
        case.run()

    run = only_run_in(tmp_path)
    assert run.status == "failed"
    (llm,) = (span for span in run.spans if span.name == "llm")
    assert_visits(run, witness, "retriever", "prompt_builder", "llm")
    assert chain_types(run.error)[:2] == [
        type(raised.value).__name__,
        type(raised.value.__cause__).__name__,
    ]
    assert "BadRequestError" in chain_types(llm.error)
    assert not [span for span in run.spans if span.name == "answer_builder"]


def test_a_fallback_shows_the_model_that_failed_and_the_one_that_answered(
    openai_server: OpenAIServer, tmp_path: Path
) -> None:
    case = pipelines.fallback(openai_server)
    _result, run = record_run(case.target, case.data)
    run = reopened(run, tmp_path)
    failed, answered = llm_calls(run)
    assert (failed.status, answered.status) == ("failed", "ok")
    assert "InternalServerError" in chain_types(failed.error)
    assert_usage(answered, openai_server.log[-1])
    assert run.usage["calls"] == 1 or run.usage["total_tokens"] == answered.usage.total_tokens


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


@pytest.mark.parametrize("build", [agents.pipeline_as_tool, agents.agent_as_tool])
def test_tools_that_hold_pipelines_and_agents_are_recorded_inside_out(
    openai_server: OpenAIServer, tmp_path: Path, build: Any
) -> None:
    case = build(openai_server)
    _result, run = record_run(case.target, case.data)
    run = reopened(run, tmp_path)
    assert len(llm_calls(run)) == len(openai_server.log)
    assert_total_usage(run, openai_server.log)
    tools = [span for span in run.spans if span.kind == "tool"]
    inner = [span for tool in tools for span in run.children(tool)]
    assert inner, "what a tool ran hangs below the tool"
    looked = [span for span in tools if span.name == "look_up"]
    assert len(looked) == len(DIARY.mentioning(case.token))


def test_what_a_person_decided_is_recorded(openai_server: OpenAIServer, tmp_path: Path) -> None:
    case, person = agents.human_in_the_loop(openai_server)
    _result, run = record_run(case.target, case.data)
    run = reopened(run, tmp_path)
    (entry,) = DIARY.mentioning(case.token)
    assert sorted(name for name, _asked in person.asked) == ["look_up", "measure"]
    (measured,) = (span for span in run.spans if span.kind == "tool")
    assert values(measured.arguments) == entry.arguments
    assert values(measured.outputs) == entry.result
    hooks = [span for span in run.spans if span.kind == "hook"]
    decisions = {
        value for span in hooks for key, value in span.tags.items() if key.endswith("decision")
    }
    assert decisions == {"modify", "reject"}


def test_a_history_that_a_hook_changes_later_stays_as_it_was_sent(
    openai_server: OpenAIServer, tmp_path: Path
) -> None:
    case = agents.with_hook(openai_server)
    with Witness(case.target) as witness:
        _result, run = record_run(case.target, case.data)
    run = reopened(run, tmp_path)
    spans = [span for span in run.spans if span.kind == "llm"]
    for span, visit in zip(spans, witness.of("chat_generator"), strict=True):
        assert values(span.inputs)["messages"] == seen(visit.inputs)["messages"]
