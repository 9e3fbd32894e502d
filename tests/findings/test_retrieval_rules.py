"""The taxonomy of failed retrieval, on pipelines that were really recorded."""

from contextlib import suppress
from typing import Any

import pytest

pytest.importorskip("haystack", reason="these runs are recorded from real pipelines")

from haystack import Document, Pipeline, component
from haystack.components.builders import PromptBuilder
from haystack.components.generators.chat import MockChatGenerator
from haystack.components.rankers import LostInTheMiddleRanker
from haystack.components.retrievers.in_memory import InMemoryBM25Retriever
from haystack.dataclasses import ChatMessage
from haystack.document_stores.in_memory import InMemoryDocumentStore

from inspector import record_run, recording
from inspector.findings import Finding, check
from inspector.runfile.model import PipelineRun

pytestmark = pytest.mark.haystack

ALL_OF_THEM = "{% for d in documents %}{{ d.content }}\n{% endfor %}{{ query }}"
QUESTION = "When are the roof vents of the Brackenfold opened?"
KNOWN = "The roof vents open at 27 degrees."
UNKNOWN = "I do not know."
TAXONOMY = {
    "NO_RESULTS", "FILTER_EXCLUSION", "SCORE_BELOW_CUTOFF", "RANKING_FAILURE", "CONTEXT_LOSS",
    "EMPTY_CONTEXT", "GENERATOR_FAILURE",
}  # fmt: skip
DOCUMENTS = tuple(
    Document(id=name, content=content, meta={"year": year, "source": f"pages/{name}.md"})
    for name, content, year in (
        ("vents", "The roof vents of the Brackenfold are opened at 27 degrees.", 2019),
        ("water", "The Brackenfold waters each of its beds at dawn.", 2024),
        ("lamps", "Lamps of the Brackenfold burn until nine.", 2024),
    )
)


@component
class Answers:
    """A model that always says the same, or fails."""

    def __init__(self, says: str) -> None:
        self.says = says

    @component.output_types(replies=list[ChatMessage])
    def run(self, prompt: str) -> dict[str, Any]:
        if self.says == "fail":
            raise RuntimeError("The model is out of reach.")
        return {"replies": [ChatMessage.from_assistant(self.says)]}


@component
class Between:
    """Whatever stands between a retriever and a prompt."""

    def __init__(self, change: Any, **settings: Any) -> None:
        self.change = change
        self.threshold = settings.get("threshold")

    @component.output_types(documents=list[Document])
    def run(self, documents: list[Document], threshold: float | None = None) -> dict[str, Any]:
        return {"documents": self.change(documents)}


@component
class Ranker(Between):
    """One that ranks: a question and documents go in."""

    @component.output_types(documents=list[Document])
    def run(self, documents: list[Document], query: str = "") -> dict[str, Any]:
        return {"documents": self.change(documents)}


@component
class Shorten:
    """Cuts a prompt."""

    def __init__(self, most: int) -> None:
        self.most = most

    @component.output_types(prompt=str)
    def run(self, prompt: str) -> dict[str, Any]:
        return {"prompt": prompt[: self.most]}


def rag(
    says: str = KNOWN, template: str = ALL_OF_THEM, between: Any = None, shorten: int = 0
) -> Pipeline:
    store = InMemoryDocumentStore()
    store.write_documents(list(DOCUMENTS))
    pipeline = Pipeline(metadata={"name": "rag"})
    pipeline.add_component("retriever", InMemoryBM25Retriever(store, top_k=3))
    pipeline.add_component("prompt_builder", PromptBuilder(template, required_variables="*"))
    pipeline.add_component("llm", Answers(says))
    last, read = "retriever.documents", "prompt_builder.prompt"
    if between is not None:
        pipeline.add_component("between", between)
        pipeline.connect(last, "between.documents")
        last = "between.documents"
    pipeline.connect(last, "prompt_builder.documents")
    if shorten:
        pipeline.add_component("shorten", Shorten(shorten))
        pipeline.connect(read, "shorten.prompt")
        read = "shorten.prompt"
    pipeline.connect(read, "llm.prompt")
    return pipeline


def recorded(pipeline: Pipeline, query: str = QUESTION, **retriever: Any) -> PipelineRun:
    data: dict[str, Any] = {
        "retriever": {"query": query, **retriever}, "prompt_builder": {"query": query}
    }  # fmt: skip
    if "between" in pipeline.graph and "query" in pipeline.inputs().get("between", {}):
        data["between"] = {"query": query}
    # Some are meant to fail: the run is what counts.
    with recording() as recorder, suppress(Exception):
        pipeline.run(data)
    return recorder.runs[-1]


def taxonomy(run: PipelineRun) -> dict[str, Finding]:
    found = [each for each in check(run) if each.rule in TAXONOMY]
    assert len({each.rule for each in found}) == len(found)
    assert all(each.fields for each in found)
    return {each.rule: each for each in found}


def names(run: PipelineRun, finding: Finding) -> list[str]:
    return [run.span(span_id).name for span_id in finding.spans]


def test_a_pipeline_that_answers_is_well() -> None:
    run = recorded(rag())
    assert run.at("llm#1") is not None
    assert check(run) == ()


def test_a_search_that_finds_nothing_is_found_and_so_is_the_answer_from_nothing() -> None:
    run = recorded(rag(), "Zzyzx?")
    found = taxonomy(run)
    assert set(found) == {"NO_RESULTS", "EMPTY_CONTEXT"}
    assert "`retriever` found no documents for “Zzyzx?”." in found["NO_RESULTS"].sentence
    assert names(run, found["NO_RESULTS"]) == ["retriever"]
    assert names(run, found["EMPTY_CONTEXT"]) == ["llm", "prompt_builder", "retriever"]
    assert not found["NO_RESULTS"].possible


def test_a_search_that_finds_one_document_is_enough() -> None:
    assert taxonomy(recorded(rag(), "lamps")) == {}


FILTERS = {"field": "meta.year", "operator": ">", "value": 2030}


def test_filters_that_leave_nothing_are_possibly_the_reason() -> None:
    found = taxonomy(recorded(rag(), filters=FILTERS))
    assert set(found) == {"FILTER_EXCLUSION", "EMPTY_CONTEXT"}
    assert found["FILTER_EXCLUSION"].possible
    assert "meta.year > 2030" in found["FILTER_EXCLUSION"].hint


def test_filters_are_proven_by_what_another_search_found() -> None:
    pipeline = rag()
    store = pipeline.get_component("retriever").document_store
    pipeline.add_component("freely", InMemoryBM25Retriever(store, top_k=3))
    data = {
        "retriever": {"query": QUESTION, "filters": FILTERS},
        "prompt_builder": {"query": QUESTION}, "freely": {"query": QUESTION},
    }  # fmt: skip
    found = taxonomy(record_run(pipeline, data)[1])
    proven = found["FILTER_EXCLUSION"]
    assert not proven.possible
    assert set(proven.documents) == {"vents", "water", "lamps"}
    assert "NO_RESULTS" not in found


def test_filters_that_leave_something_are_well() -> None:
    filters = {"field": "meta.year", "operator": "==", "value": 2019}
    assert taxonomy(recorded(rag(), filters=filters)) == {}


def below(limit: float) -> Any:
    return lambda documents: [each for each in documents if each.score >= limit]


def test_documents_below_the_limit_are_proven_by_their_scores() -> None:
    run = recorded(rag(between=Between(below(1e6), threshold=1e6)))
    unknown = taxonomy(run)["SCORE_BELOW_CUTOFF"]
    assert unknown.possible, "the limit was not recorded"
    pipeline = rag(between=Between(below(1e6)))
    data = {
        "retriever": {"query": QUESTION}, "prompt_builder": {"query": QUESTION},
        "between": {"threshold": 1e6},
    }  # fmt: skip
    found = taxonomy(record_run(pipeline, data)[1])
    assert set(found) == {"SCORE_BELOW_CUTOFF", "EMPTY_CONTEXT"}
    proven = found["SCORE_BELOW_CUTOFF"]
    assert not proven.possible
    assert "below its `threshold` of 1e+06" in proven.sentence
    assert set(proven.documents) == {"vents", "water", "lamps"}
    assert set(found["EMPTY_CONTEXT"].documents) == {"vents", "water", "lamps"}
    assert "although 3 documents had been found" in found["EMPTY_CONTEXT"].sentence


def test_a_limit_that_lets_one_document_through_is_well() -> None:
    assert taxonomy(recorded(rag(between=Between(lambda documents: documents[:1])))) == {}


def upside_down(documents: list[Document]) -> list[Document]:
    return [
        Document(id=each.id, content=each.content, score=number / 10)
        for number, each in enumerate(documents)
    ]


def test_a_ranker_that_contradicts_its_scores_is_found() -> None:
    found = taxonomy(recorded(rag(between=Ranker(upside_down))))
    assert set(found) == {"RANKING_FAILURE"}
    assert len(found["RANKING_FAILURE"].documents) == 2
    assert "contradicts its own scores" in found["RANKING_FAILURE"].sentence


@pytest.mark.parametrize(
    "ranker",
    [
        Ranker(lambda documents: list(reversed(upside_down(documents)))),
        Ranker(lambda documents: list(reversed(documents))),  # by what it does not tell
        LostInTheMiddleRanker(),
    ],
    ids=["by its scores", "without scores", "lost in the middle"],
)
def test_a_ranker_that_keeps_to_its_scores_or_has_none_is_well(ranker: Any) -> None:
    assert taxonomy(recorded(rag(between=ranker))) == {}


def test_a_ranker_that_loses_everything_is_found() -> None:
    found = taxonomy(recorded(rag(between=Ranker(lambda _documents: []))))
    assert set(found) == {"RANKING_FAILURE", "EMPTY_CONTEXT"}
    assert "returned none of the 3 documents" in found["RANKING_FAILURE"].sentence
    assert not found["RANKING_FAILURE"].possible


def test_a_ranker_that_fails_is_found() -> None:
    found = taxonomy(recorded(rag(between=Ranker(lambda documents: documents.no_such_thing))))
    assert "3 documents stayed unranked" in found["RANKING_FAILURE"].sentence


def without_vents(documents: list[Document]) -> list[Document]:
    return [each for each in documents if each.id != "vents"]


def test_a_ranker_that_cuts_off_the_answer_is_possibly_the_reason() -> None:
    found = taxonomy(recorded(rag(UNKNOWN, between=Ranker(without_vents))))
    assert found["RANKING_FAILURE"].possible
    assert found["RANKING_FAILURE"].documents == ("vents",)


def test_a_ranker_that_cuts_off_what_was_not_needed_is_well() -> None:
    assert taxonomy(recorded(rag(KNOWN, between=Ranker(without_vents)))) == {}


def test_documents_that_the_template_leaves_out_are_found_by_name() -> None:
    run = recorded(rag(template="{{ documents[0].content }} {{ query }}"))
    lost = taxonomy(run)["CONTEXT_LOSS"]
    assert set(lost.documents) == {"water", "lamps"}
    assert names(run, lost) == ["prompt_builder", "llm"]
    assert not lost.possible


@pytest.mark.parametrize(
    "template",
    [
        "{% for d in documents %}{{ d.content[:40] }}…{% endfor %}{{ query }}",
        "{% for d in documents %}{{ d.content | upper | tojson }}{% endfor %}{{ query }}",
        "{% for d in documents %}{{ d.content | replace(' ', '\n') }}{% endfor %}{{ query }}",
        "{% for d in documents %}{{ d.meta.source }}, {% endfor %}{{ query }}",
    ],
)
def test_a_template_that_shortens_or_names_documents_loses_none(template: str) -> None:
    assert taxonomy(recorded(rag(template=template))) == {}


def test_documents_that_get_lost_on_the_way_to_the_model_are_found() -> None:
    run = recorded(rag(shorten=70))
    lost = taxonomy(run)["CONTEXT_LOSS"]
    assert names(run, lost) == ["llm", "prompt_builder"]
    assert len(lost.documents) == 2
    assert "not in what `llm` read" in lost.sentence
    assert taxonomy(recorded(rag(shorten=7_000))) == {}


def test_a_model_that_fails_or_says_nothing_with_the_documents_at_hand_is_found() -> None:
    failed = taxonomy(recorded(rag("fail")))["GENERATOR_FAILURE"]
    assert "had 3 documents in its prompt, and failed: RuntimeError" in failed.sentence
    assert failed.severity == "error"
    empty = taxonomy(recorded(rag(" ")))["GENERATOR_FAILURE"]
    assert (empty.possible, set(empty.documents)) == (False, {"vents", "water", "lamps"})


def test_a_model_that_does_not_know_what_it_was_told_is_possibly_to_blame() -> None:
    found = taxonomy(recorded(rag(UNKNOWN)))
    assert set(found) == {"GENERATOR_FAILURE"}
    assert found["GENERATOR_FAILURE"].possible
    assert found["GENERATOR_FAILURE"].documents == ("vents",)


def test_a_model_that_does_not_know_what_no_document_says_is_well() -> None:
    assert taxonomy(recorded(rag(UNKNOWN), "Which lamps were bought from Hollowmere?")) == {}


def test_a_prompt_that_no_model_reads_is_no_empty_context() -> None:
    pipeline = rag()
    pipeline.remove_component("llm")
    assert set(taxonomy(recorded(pipeline, "Zzyzx?"))) == {"NO_RESULTS"}


def test_a_search_in_a_pipeline_that_is_a_tool_is_looked_at_too() -> None:
    from haystack.components.agents import Agent
    from haystack.tools import PipelineTool

    tool = PipelineTool(
        pipeline=rag(), name="ask", description="Asks the manual.",
        input_mapping={"query": ["retriever.query", "prompt_builder.query"]},
        output_mapping={"llm.replies": "replies"},
    )  # fmt: skip
    from haystack.dataclasses import ToolCall

    asks = ChatMessage.from_assistant(tool_calls=[ToolCall("ask", {"query": "Zzyzx"}, id="c1")])
    llm = MockChatGenerator(responses=[asks, ChatMessage.from_assistant("Nobody knows.")])
    agent = Agent(chat_generator=llm, tools=[tool])
    run = record_run(agent, {"messages": [ChatMessage.from_user("Ask.")]})[1]
    found = taxonomy(run)
    assert set(found) == {"NO_RESULTS", "EMPTY_CONTEXT"}
    assert "tool:ask" in run.span(found["NO_RESULTS"].spans[0]).path
