"""What it means that a run is recorded whole: comparisons with the independent logs."""

from pathlib import Path
from typing import Any

from inspector import load_run
from tests.helpers.openai_server import Exchange
from tests.helpers.told import plain_tree, without_none
from tests.helpers.tools import Entry
from tests.helpers.witness import ChunkLog, Visit, Witness

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
        assert type(visit.error).__name__ in chain_types(span.error)
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
