"""What happened is in the file: usage, reasoning and errors as the provider told them.

Each test compares a run file with two logs that nothing of the product has touched: what
the server saw, and what the witness saw from inside the components' classes.
"""

from pathlib import Path

import pytest
from haystack.components.embedders import OpenAITextEmbedder
from haystack.components.generators.chat import OpenAIResponsesChatGenerator
from haystack.dataclasses import ChatMessage
from openai import APIConnectionError

from inspector import record_run, recording
from tests.end_to_end.assertions import (
    assert_usage,
    assert_visits,
    chain_types,
    llm_calls,
    only_run_in,
    reopened,
    seen,
    values,
)
from tests.helpers import pipelines
from tests.helpers.openai_script import say
from tests.helpers.openai_server import OpenAIServer
from tests.helpers.witness import ChunkLog, Witness

pytestmark = pytest.mark.haystack


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
    assert run.usage["total_tokens"] == answered.usage.total_tokens


@pytest.mark.parametrize("streams", [False, True], ids=["whole", "streamed"])
def test_the_responses_api_is_recorded_with_its_reasoning(
    openai_server: OpenAIServer, tmp_path: Path, streams: bool
) -> None:
    openai_server.script = lambda _request: say("Four.", reasoning="Two and two.")
    generator = OpenAIResponsesChatGenerator(api_base_url=openai_server.url, model="gpt-5-mini")
    heard = ChunkLog()
    data = {"messages": [ChatMessage.from_user("What is two and two?")]}
    more = {"streaming_callback": heard.callback} if streams else {}
    _result, run = record_run(generator, {**data, **more})

    run = reopened(run, tmp_path)
    (span,) = (item for item in run.spans if item.type.endswith("OpenAIResponsesChatGenerator"))
    (exchange,) = openai_server.log
    usage = exchange.usage
    assert usage is not None
    assert span.usage.input_tokens == usage["input_tokens"]
    assert span.usage.output_tokens == usage["output_tokens"]
    assert span.usage.reasoning_tokens == usage["output_tokens_details"]["reasoning_tokens"] == 4
    (reply,) = span.outputs["replies"]
    reasoning = [part["reasoning"] for part in reply["content"] if "reasoning" in part]
    assert reasoning[0]["text"] == "Two and two."
    if streams:
        assert [values(chunk.value) for chunk in span.chunks] == [seen(c) for c in heard.chunks]
        assert len(span.chunks) == len(exchange.chunks)


def test_an_embedder_is_recorded_with_what_it_used(
    openai_server: OpenAIServer, tmp_path: Path
) -> None:
    embedder = OpenAITextEmbedder(api_base_url=openai_server.url)
    result, run = record_run(embedder, {"text": "When are the vents opened?"})
    run = reopened(run, tmp_path)
    (span,) = (item for item in run.spans if item.type.endswith("OpenAITextEmbedder"))
    (exchange,) = openai_server.log
    assert exchange.usage is not None
    spent = exchange.usage["prompt_tokens"]
    assert spent in (span.usage.embedding_tokens, span.usage.input_tokens)
    kept = span.outputs["embedding"]
    assert kept["$"] == "array"
    assert kept["shape"] == [len(result["embedding"])]
    assert "digest" in kept, "embeddings are kept as a digest unless one asks for more"


def test_a_stream_that_breaks_off_keeps_what_had_come(
    openai_server: OpenAIServer, tmp_path: Path
) -> None:
    openai_server.script = lambda _request: say("One two three four five.", drop_after=4)
    heard = ChunkLog()
    generator = pipelines.generator(openai_server)
    data = {"messages": [ChatMessage.from_user("Count.")], "streaming_callback": heard.callback}
    with recording(directory=tmp_path) as recorder, pytest.raises(APIConnectionError) as raised:
        record_run(generator, data)
    assert recorder is not None

    run = only_run_in(tmp_path)
    assert run.status == "failed"
    assert run.error.type.endswith(type(raised.value).__name__)
    (span,) = (item for item in run.spans if item.type.endswith("OpenAIChatGenerator"))
    assert [values(chunk.value) for chunk in span.chunks] == [seen(c) for c in heard.chunks]
    assert len(span.chunks) == 4
