"""Pipelines run synchronously, recorded through Haystack's tracing alone."""

import pytest

from inspector.runfile.value import text_of
from tests.helpers import pipelines
from tests.helpers.openai_server import OpenAIServer
from tests.recording.drawing import at, drawn, traced, undented

pytestmark = pytest.mark.haystack


def test_a_rag_pipeline_is_one_span_a_component(openai_server: OpenAIServer) -> None:
    result, run = traced(pipelines.rag(openai_server))

    assert drawn(run) == undented("""
        rag pipeline ok
          retriever#1 retrieval ok
          prompt_builder#1 prompt ok
          llm#1 llm ok
          answer_builder#1 conversion ok
        """)
    assert (run.name, run.kind, run.mode, run.status) == ("rag", "pipeline", "sync", "completed")
    assert run.outputs["answer_builder"]["answers"][0]["data"] == (
        result["answer_builder"]["answers"][0].data
    )


def test_each_input_says_who_sent_it(openai_server: OpenAIServer) -> None:
    _, run = traced(pipelines.rag(openai_server))

    assert at(run, "retriever#1").senders == {"query": [None]}
    assert at(run, "prompt_builder#1").senders == {"documents": ["retriever"], "query": [None]}
    assert at(run, "llm#1").senders == {"messages": ["prompt_builder"]}
    assert at(run, "retriever#1").receivers == {"documents": ["prompt_builder", "answer_builder"]}


def test_inputs_and_outputs_are_those_that_crossed_the_boundary(
    openai_server: OpenAIServer,
) -> None:
    case = pipelines.rag(openai_server)
    _, run = traced(case)

    retriever, prompt, llm = (
        at(run, f"{name}#1") for name in ("retriever", "prompt_builder", "llm")
    )
    assert retriever.inputs["query"] == case.data["retriever"]["query"]
    assert prompt.inputs["documents"] == retriever.outputs["documents"]
    assert llm.inputs["messages"] == prompt.outputs["prompt"]
    assert case.token in text_of(llm.outputs["replies"][0])
    assert run.inputs["retriever"] == {"query": case.data["retriever"]["query"]}


def test_a_document_passed_on_is_kept_once(openai_server: OpenAIServer) -> None:
    _, run = traced(pipelines.rag(openai_server))

    found = at(run, "retriever#1").raw["outputs"]["documents"]
    assert at(run, "prompt_builder#1").raw["inputs"]["documents"] == found
    assert at(run, "answer_builder#1").raw["inputs"]["documents"] == found


def test_the_llm_says_what_it_is_and_what_it_used(openai_server: OpenAIServer) -> None:
    _, run = traced(pipelines.rag(openai_server))

    llm = at(run, "llm#1")
    assert llm.llm == {
        "name": "gpt-4o-mini-2024-07-18",
        "provider": "openai",
        "finish_reason": "stop",
    }
    assert llm.usage.cached_input_tokens == 3
    assert llm.usage.raw["prompt_tokens_details"]["cached_tokens"] == 3
    assert run.header["usage"]["total_tokens"] == llm.usage.total_tokens
    assert [span.path for span in run.spans if span.has("usage")] == ["llm#1"]


def test_a_retriever_says_what_it_was_asked_and_what_it_found(openai_server: OpenAIServer) -> None:
    case = pipelines.rag(openai_server, top_k=2)
    _, run = traced(case)

    retrieval = at(run, "retriever#1").retrieval
    assert retrieval["query"] == case.data["retriever"]["query"]
    assert retrieval["top_k"] == 2
    assert retrieval["store"].endswith("InMemoryDocumentStore")
    assert [entry["rank"] for entry in retrieval["documents"]] == [1, 2]
    assert all(entry["id"].startswith("fact-") for entry in retrieval["documents"])
    assert len({entry["digest"] for entry in retrieval["documents"]}) == 2
    assert all(entry["score"] > 0 for entry in retrieval["documents"])


def test_a_loop_has_one_span_a_visit(openai_server: OpenAIServer) -> None:
    _, run = traced(pipelines.validator_loop(openai_server))

    assert drawn(run) == undented("""
        validator_loop pipeline ok
          prompt_builder#1 prompt ok
          joiner#1 joining ok
          llm#1 llm ok
          validator#1 validation ok
          joiner#2 joining ok
          llm#2 llm ok
          validator#2 validation ok
          joiner#3 joining ok
          llm#3 llm ok
          validator#3 validation ok
        """)
    assert [at(run, f"llm#{visit}").visit for visit in (1, 2, 3)] == [1, 2, 3]


def test_a_socket_with_two_senders_names_the_one_that_sent(openai_server: OpenAIServer) -> None:
    _, run = traced(pipelines.validator_loop(openai_server))

    assert at(run, "joiner#1").senders["value"] == ["prompt_builder"]
    assert at(run, "joiner#2").senders["value"] == ["validator"]


def test_a_router_shows_only_the_branch_that_ran(openai_server: OpenAIServer) -> None:
    _, run = traced(pipelines.router(openai_server))

    assert drawn(run) == undented("""
        router pipeline ok
          router#1 routing ok
          llm#1 llm ok
        """)


def test_a_joiner_names_all_its_senders(openai_server: OpenAIServer) -> None:
    _, run = traced(pipelines.hybrid_embedding(openai_server))

    assert drawn(run) == undented("""
        hybrid pipeline ok
          by_words#1 retrieval ok
          embedder#1 embedding ok
          by_meaning#1 retrieval ok
          joiner#1 joining ok
          ranker#1 ranking ok
            chat_generator#1 llm ok
        """)
    assert sorted(at(run, "joiner#1").senders["documents"]) == ["by_meaning", "by_words"]
    assert at(run, "embedder#1").usage.embedding_tokens
    assert at(run, "ranker#1/chat_generator#1").usage.total_tokens
    assert not at(run, "ranker#1").has("usage")
    retrieval = at(run, "by_meaning#1").retrieval
    assert retrieval["embedder"] == at(run, "embedder#1").llm["name"]
    assert retrieval["top_k"] == 2


def test_usage_is_counted_once_where_one_model_stands_in_for_another(
    openai_server: OpenAIServer,
) -> None:
    _, run = traced(pipelines.fallback(openai_server))

    # The oldest supported Haystack gives the models inside no spans of their own.
    inner = [(span.path, str(span.status)) for span in run.spans if span.kind == "llm"]
    failed, answered = "llm#1/chat_generator#1", "llm#1/chat_generator#2"
    assert inner in ([], [(failed, "failed"), (answered, "ok")])
    (with_usage,) = [span for span in run.spans if span.has("usage")]
    assert run.header["usage"]["total_tokens"] == with_usage.usage.total_tokens


def test_a_pipeline_as_a_component_is_nested(openai_server: OpenAIServer) -> None:
    _, run = traced(pipelines.super_component(openai_server))

    assert drawn(run) == undented("""
        super_component pipeline ok
          rag#1 pipeline ok
            pipeline#1 pipeline ok
              retriever#1 retrieval ok
              prompt_builder#1 prompt ok
              llm#1 llm ok
              answer_builder#1 conversion ok
        """)
    inner = run.topology["components"]["rag"]["topology"]
    assert {"sender": "prompt_builder.prompt", "receiver": "llm.messages"} in inner["connections"]
    assert at(run, "rag#1/pipeline#1/retriever#1").retrieval["top_k"] == 3


def test_the_timeline_lists_each_visit_with_its_time(openai_server: OpenAIServer) -> None:
    _, run = traced(pipelines.rag(openai_server))

    names = ["retriever#1", "prompt_builder#1", "llm#1", "answer_builder#1"]
    assert [entry.path for entry in run.timeline] == names
    assert all(entry.duration_ns > 0 for entry in run.timeline)
    starts = [span.start_ns for span in run.spans]
    assert starts == sorted(starts)


def test_the_header_says_what_ran_and_on_what(openai_server: OpenAIServer) -> None:
    import haystack.version

    _, run = traced(pipelines.rag(openai_server))

    retriever = run.topology["components"]["retriever"]
    assert retriever["type"].endswith("InMemoryBM25Retriever")
    assert retriever["package"] == "haystack-ai"
    assert retriever["role"] == "retrieval"
    assert retriever["inputs"]["query"] == "str"
    assert {"sender": "llm.replies", "receiver": "answer_builder.replies"} in (
        run.topology["connections"]
    )
    packages = run.environment["packages"]
    assert packages["haystack-ai"] == haystack.version.__version__
    assert "openai" in packages
    assert run.started_at.endswith("Z")
    llm = run.definition["components"]["llm"]["init_parameters"]
    assert llm["model"] == "gpt-4o-mini"
