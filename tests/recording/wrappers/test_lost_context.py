"""Threads that lost their context: their spans land in the right run, or are left out."""

import asyncio
import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from haystack import Document, Pipeline, SuperComponent, component
from haystack.components.embedders import MockTextEmbedder
from haystack.components.extractors import LLMMetadataExtractor
from haystack.components.generators.chat import MockChatGenerator
from haystack.components.retrievers import (
    MultiQueryEmbeddingRetriever,
    MultiQueryTextRetriever,
    MultiRetriever,
    TextEmbeddingRetriever,
)
from haystack.components.retrievers.in_memory import InMemoryEmbeddingRetriever

from inspector.recording.api import record_run, record_run_async, recording
from inspector.recording.wrappers.shells import OPEN, UNRECORDED
from inspector.runfile.model import PipelineRun
from tests.recording.drawing import at
from tests.recording.wrappers.parts import (
    Echo,
    EchoRetriever,
    InThreads,
    alone,
    embedding_store,
    in_a_pool,
    in_plain_threads,
    paths,
    recorded,
)

pytestmark = pytest.mark.haystack
INNER = "inspector.inner"
TOGETHER = 8


@pytest.fixture(autouse=True)
def _no_call_stays_open() -> Any:
    yield
    assert not OPEN
    assert not UNRECORDED


def all_at_once(work: Callable[[int], Any], number: int = TOGETHER) -> list[Any]:
    """Do something in several threads that begin together."""
    start = threading.Barrier(number, timeout=60)

    def begin(index: int) -> Any:
        start.wait()
        return work(index)

    with ThreadPoolExecutor(number) as pool:
        return list(pool.map(begin, range(number)))


# -- each kind, alone ----------------------------------------------------------------------


def test_the_retriever_of_a_multi_query_retriever() -> None:
    retriever = MultiQueryTextRetriever(retriever=EchoRetriever())
    run = recorded(alone("many", retriever), {"many": {"queries": ["a", "b", "c"]}})
    asked = {at(run, path).inputs["query"] for path in paths(run, INNER)}
    assert asked == {"a", "b", "c"}
    assert paths(run, INNER) == [f"many#1/inner:EchoRetriever#{n}" for n in (1, 2, 3)]
    assert run.not_recorded == []
    assert all(run.parent(at(run, path)) == at(run, "many#1") for path in paths(run, INNER))


def test_the_embedder_and_retriever_of_a_multi_query_embedding_retriever() -> None:
    retriever = MultiQueryEmbeddingRetriever(
        retriever=InMemoryEmbeddingRetriever(embedding_store()),
        query_embedder=MockTextEmbedder(dimension=64),
    )
    run = recorded(alone("many", retriever), {"many": {"queries": ["a", "b"]}})
    kinds = Counter(path.partition(":")[2].partition("#")[0] for path in paths(run, INNER))
    assert kinds == {"MockTextEmbedder": 2, "InMemoryEmbeddingRetriever": 2}


@pytest.mark.filterwarnings("ignore:.* is an experimental component")
def test_what_is_inside_of_the_retrievers_of_a_multi_retriever() -> None:
    by_meaning = TextEmbeddingRetriever(
        retriever=InMemoryEmbeddingRetriever(embedding_store()),
        text_embedder=MockTextEmbedder(dimension=64),
    )
    both = MultiRetriever(retrievers={"words": EchoRetriever(), "meaning": by_meaning})
    run = recorded(alone("both", both), {"both": {"query": "q"}})
    assert paths(run, INNER) == [
        "both#1/inner:EchoRetriever#1",
        "both#1/inner:TextEmbeddingRetriever#1",
        "both#1/inner:TextEmbeddingRetriever#1/inner:InMemoryEmbeddingRetriever#1",
        "both#1/inner:TextEmbeddingRetriever#1/inner:MockTextEmbedder#1",
    ]


def searching() -> Any:
    pipeline = Pipeline()
    pipeline.add_component("search", EchoRetriever())
    return SuperComponent(
        pipeline,
        input_mapping={"query": ["search.query"]},
        output_mapping={"search.documents": "documents"},
    )


def test_a_pipeline_that_runs_in_such_a_thread_is_nested_where_it_belongs() -> None:
    retriever = MultiQueryTextRetriever(retriever=searching())
    run = recorded(alone("many", retriever), {"many": {"queries": ["a", "b"]}})
    nested = {at(run, f"many#1/pipeline#{n}/search#1").inputs["query"] for n in (1, 2)}
    assert nested == {"a", "b"}


def test_the_model_of_an_extractor(tmp_path: Any) -> None:
    extractor = LLMMetadataExtractor(
        prompt="Extract from {{ document.content }}",
        chat_generator=MockChatGenerator('{"found": 1}'),
        expected_keys=["found"],
    )
    documents = [Document(content=text) for text in ("a", "b", "c")]
    run = recorded(alone("extractor", extractor), {"extractor": {"documents": documents}})
    models = [span for span in run.spans if span.operation == "haystack.chat_generator.run"]
    assert len(models) == 3
    assert {model.type for model in models} == {
        "haystack.components.generators.chat.mock.MockChatGenerator"
    }
    assert all(run.parent(model) == at(run, "extractor#1") for model in models)


@pytest.mark.parametrize("start", [in_a_pool, in_plain_threads])
def test_a_component_with_threads_of_its_own(start: Callable[..., list[Any]]) -> None:
    run = recorded(alone("threads", InThreads(Echo(), start)), {"threads": {"words": ["a", "b"]}})
    assert {at(run, path).inputs["value"] for path in paths(run, INNER)} == {"a", "b"}
    assert len({at(run, path).thread for path in paths(run, INNER)}) >= 1


class WithAPool:
    """Starts its work in a pool that lives as long as it does."""

    def __init__(self) -> None:
        self.pool = ThreadPoolExecutor(4)

    def __call__(self, holder: Any, words: list[str]) -> list[Any]:
        return list(holder.pool.map(lambda word: holder.inner.run(value=word)["value"], words))


def test_a_pool_that_lives_as_long_as_the_component() -> None:
    start = WithAPool()
    threads = InThreads(Echo(), start)
    vars(threads)["pool"] = start.pool
    run = recorded(alone("threads", threads), {"threads": {"words": ["a", "b"]}})
    start.pool.shutdown()
    assert {at(run, path).inputs["value"] for path in paths(run, INNER)} == {"a", "b"}


def test_an_async_component_that_uses_a_pool() -> None:
    @component
    class InThePool:
        def __init__(self) -> None:
            self.inner = Echo()

        @component.output_types(value=str)
        def run(self, value: str) -> dict[str, Any]:
            return {"value": value}

        @component.output_types(value=str)
        async def run_async(self, value: str) -> dict[str, Any]:
            loop = asyncio.get_running_loop()
            with ThreadPoolExecutor(1) as pool:
                return await loop.run_in_executor(pool, lambda: self.inner.run(value=value))

    async def run(number: int) -> PipelineRun:
        data = {"pool": {"value": f"word {number}"}}
        _, run = await record_run_async(pipeline, data)
        return run

    async def several() -> list[PipelineRun]:
        return await asyncio.gather(*(run(number) for number in range(TOGETHER)))

    pipeline = alone("pool", InThePool())
    for number, run_of_number in enumerate(asyncio.run(several())):
        inner = at(run_of_number, "pool#1/inner:Echo#1")
        assert inner.inputs == {"value": f"word {number}"}


# -- many at once ------------------------------------------------------------------------------


@pytest.mark.parametrize("queries", [["same"] * 4, None])
def test_runs_of_one_pipeline_in_many_threads_do_not_mix(queries: list[str] | None) -> None:
    inside = threading.Barrier(TOGETHER, timeout=60)
    seen = threading.local()

    def gate() -> None:
        # The first call of each worker waits until every run has one inside.
        if not getattr(seen, "waited", False):
            seen.waited = True
            inside.wait()

    retriever = MultiQueryTextRetriever(retriever=EchoRetriever(gate), max_workers=1)
    pipeline = alone("many", retriever)

    def record(index: int) -> tuple[int, PipelineRun]:
        asked = queries or [f"run {index} query {number}" for number in range(4)]
        _, run = record_run(pipeline, {"many": {"queries": asked}})
        return index, run

    for index, run in all_at_once(record):
        asked = queries or [f"run {index} query {number}" for number in range(4)]
        found = paths(run, INNER)
        assert sorted(at(run, path).inputs["query"] for path in found) == sorted(asked)
        assert all(run.parent(at(run, path)) == at(run, "many#1") for path in found)
        assert run.not_recorded == []


def test_nested_pipelines_in_many_threads_do_not_mix() -> None:
    pipeline = alone("many", MultiQueryTextRetriever(retriever=searching(), max_workers=2))

    def record(index: int) -> tuple[int, PipelineRun]:
        asked = [f"run {index} query {number}" for number in range(3)]
        _, run = record_run(pipeline, {"many": {"queries": asked}})
        return index, run

    for index, run in all_at_once(record):
        asked = {
            span.inputs["query"]
            for span in run.spans
            if span.name == "search" and span.operation == "haystack.component.run"
        }
        assert asked == {f"run {index} query {number}" for number in range(3)}
        assert len(run.spans) == 2 + 3 * 2


@pytest.mark.parametrize("start", [in_a_pool, in_plain_threads])
def test_components_with_threads_of_their_own_do_not_mix(start: Callable[..., list[Any]]) -> None:
    pipeline = alone("threads", InThreads(Echo(), start))

    def record(index: int) -> list[tuple[int, PipelineRun]]:
        runs = []
        for number in range(5):
            words = [f"{index}.{number}.{word}" for word in range(3)]
            runs.append((index * 10 + number, recorded(pipeline, {"threads": {"words": words}})))
        return runs

    for runs in all_at_once(record):
        for number, run in runs:
            index, part = divmod(number, 10)
            found = {at(run, path).inputs["value"] for path in paths(run, INNER)}
            assert found == {f"{index}.{part}.{word}" for word in range(3)}


def test_recorded_and_unrecorded_runs_of_one_pipeline_do_not_mix() -> None:
    inside = threading.Barrier(TOGETHER, timeout=60)
    seen = threading.local()

    def gate() -> None:
        if not getattr(seen, "waited", False):
            seen.waited = True
            inside.wait()

    retriever = MultiQueryTextRetriever(retriever=EchoRetriever(gate), max_workers=1)
    pipeline = alone("many", retriever)

    def work(index: int) -> PipelineRun | None:
        data = {"many": {"queries": [f"run {index}", f"run {index} again"]}}
        if index % 2:
            pipeline.run(data)
            return None
        return recorded(pipeline, data)

    for index, run in enumerate(all_at_once(work)):
        if run is not None:
            asked = {at(run, path).inputs["query"] for path in paths(run, INNER)}
            assert asked == {f"run {index}", f"run {index} again"}


def test_a_recorder_for_all_keeps_the_runs_of_many_threads_apart() -> None:
    pipeline = alone("many", MultiQueryTextRetriever(retriever=EchoRetriever(), max_workers=2))
    recorder = recording().start()
    all_at_once(
        lambda index: pipeline.run({"many": {"queries": [f"{index} {n}" for n in range(3)]}})
    )
    recorder.stop()
    runs = recorder.runs
    assert len(runs) == TOGETHER
    found = set()
    for run in runs:
        asked = {at(run, path).inputs["query"] for path in paths(run, INNER)}
        (index,) = {query.partition(" ")[0] for query in asked}
        assert asked == {f"{index} {n}" for n in range(3)}
        found.add(index)
    assert len(found) == TOGETHER


# -- what cannot be proved is not guessed -------------------------------------------------------


def shared_pool() -> tuple[ThreadPoolExecutor, Callable[..., list[Any]]]:
    pool = ThreadPoolExecutor(4)
    submit = pool.map  # the frame of the component holds neither the pool nor a thread

    def start(self: InThreads, words: list[str]) -> list[Any]:
        return list(submit(lambda word: self.inner.run(value=word)["value"], words))

    return pool, start


def test_a_call_that_cannot_be_traced_is_left_out_and_the_run_says_so() -> None:
    pool, start = shared_pool()
    run = recorded(alone("threads", InThreads(Echo(), start)), {"threads": {"words": ["a"]}})
    pool.shutdown()
    assert paths(run, INNER) == []
    (note,) = run.not_recorded
    assert note["what"] == "calls of Echo inside of threads"
    assert "could not be traced" in note["why"]


POOL: ThreadPoolExecutor | None = None


def in_the_pool_of_the_program(self: InThreads, words: list[str]) -> list[Any]:
    assert POOL is not None
    if words[0].startswith("alias"):
        pool = POOL  # held by this frame, and not by this call alone
        return list(pool.map(lambda word: self.inner.run(value=word)["value"], words))
    return list(POOL.map(lambda word: self.inner.run(value=word)["value"], words))


def test_what_works_in_a_pool_of_the_program_is_never_put_into_the_wrong_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pipeline = alone("threads", InThreads(Echo(), in_the_pool_of_the_program))
    with ThreadPoolExecutor(3) as pool:
        monkeypatch.setitem(globals(), "POOL", pool)

        def record(index: int) -> list[tuple[set[str], PipelineRun]]:
            runs = []
            for number in range(5):
                word = "alias" if index % 2 else "global"
                words = [f"{word} {index}.{number}.{part}" for part in range(5)]
                run = recorded(pipeline, {"threads": {"words": words}})
                runs.append((set(words), run))
            return runs

        for runs in all_at_once(record):
            for words, run in runs:
                found = {at(run, path).inputs["value"] for path in paths(run, INNER)}
                assert found <= words
                assert found == words or run.not_recorded


def test_a_run_that_nobody_records_is_no_lost_call_of_one_that_is_recorded() -> None:
    entered, leave = threading.Event(), threading.Event()

    def wait() -> None:
        entered.set()
        leave.wait(60)

    shared = EchoRetriever()
    recorded_pipeline = alone("many", MultiQueryTextRetriever(retriever=shared))
    other = alone("many", MultiQueryTextRetriever(retriever=shared))
    slow = MultiQueryTextRetriever(retriever=EchoRetriever(wait))
    vars(slow)["also"] = shared
    recorded_pipeline.add_component("slow", slow)
    data = {"many": {"queries": ["a"]}, "slow": {"queries": ["b"]}}
    with ThreadPoolExecutor(2) as pool:
        recording_run = pool.submit(recorded, recorded_pipeline, data)
        assert entered.wait(60)
        pool.submit(other.run, {"many": {"queries": ["not recorded"]}}).result()
        shared.run(query="not recorded either")
        leave.set()
        run = recording_run.result()
    asked = {at(run, path).inputs["query"] for path in paths(run, INNER)}
    assert asked == {"a", "b"}
