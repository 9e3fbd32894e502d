"""Several runs at once, nested recordings, and threads that lost their context."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from haystack import Document, Pipeline, SuperComponent, component
from haystack.components.extractors import LLMMetadataExtractor
from haystack.components.generators.chat import MockChatGenerator
from haystack.components.retrievers import MultiQueryTextRetriever
from haystack.components.retrievers.in_memory import InMemoryBM25Retriever
from haystack.tracing.tracer import tracer as proxy

from inspector.recording.api import record_run, recording
from inspector.recording.recorder import PipelineRecorder
from tests.helpers import pipelines
from tests.helpers.openai_server import OpenAIServer
from tests.recording.drawing import at, drawn, through_tracing_alone, undented

pytestmark = pytest.mark.haystack


@component
class Echo:
    @component.output_types(value=str)
    def run(self, value: str) -> dict[str, str]:
        return {"value": value}


def echo(name: str = "echo") -> Pipeline:
    pipeline = Pipeline(metadata={"name": name})
    pipeline.add_component("echo", Echo())
    return pipeline


@pytest.fixture(autouse=True)
def nothing_stays_behind() -> Iterator[None]:
    yield
    assert {"trace", "current_span"}.isdisjoint(vars(proxy))


def test_twenty_runs_in_threads_are_twenty_runs(
    openai_server: OpenAIServer, tmp_path: Path
) -> None:
    case = pipelines.rag(openai_server)
    names = ("retriever", "prompt_builder", "answer_builder")

    def ask(number: int) -> Any:
        return case.target.run({name: {"query": f"number{number:02d}"} for name in names})

    with (
        PipelineRecorder(tmp_path, wrappers=False) as recorder,
        ThreadPoolExecutor(max_workers=20) as pool,
    ):
        list(pool.map(ask, range(20)))

    assert len(recorder.paths) == len(set(recorder.paths)) == 20
    assert sorted(tmp_path.iterdir()) == sorted(recorder.paths)
    queries = set()
    for run in recorder.runs:
        assert len(run.spans) == 5
        query = run.inputs["retriever"]["query"]
        assert at(run, "retriever#1").inputs["query"] == query
        assert run.outputs["answer_builder"]["answers"][0]["query"] == query
        queries.add(query)
    assert queries == {f"number{number:02d}" for number in range(20)}


def test_record_run_in_twenty_threads_records_each_its_own() -> None:
    pipeline = echo()

    def record(number: int) -> tuple[str, Any]:
        recorder = through_tracing_alone()
        _, run = record_run(pipeline, {"echo": {"value": str(number)}}, recorder=recorder)
        assert len(recorder.runs) == 1
        return str(number), run

    with ThreadPoolExecutor(max_workers=20) as pool:
        for value, run in pool.map(record, range(20)):
            assert run.outputs == {"echo": {"value": value}}
            assert len(run.spans) == 2


def test_a_run_outside_of_every_recording_is_not_recorded() -> None:
    release, running = threading.Event(), threading.Event()

    @component
    class Wait:
        @component.output_types(value=str)
        def run(self, value: str) -> dict[str, str]:
            running.set()
            release.wait(10)
            return {"value": value}

    waiting = Pipeline()
    waiting.add_component("wait", Wait())
    recorder = through_tracing_alone()
    thread = threading.Thread(
        target=record_run, args=(waiting, {"wait": {"value": "x"}}), kwargs={"recorder": recorder}
    )
    thread.start()
    assert running.wait(10)
    echo().run({"echo": {"value": "not recorded"}})
    release.set()
    thread.join()

    (run,) = recorder.runs
    assert [span.path for span in run.spans] == ["", "wait#1"]


def test_a_recording_inside_another_is_seen_by_both() -> None:
    with through_tracing_alone() as outer:
        echo("first").run({"echo": {"value": "x"}})
        with through_tracing_alone() as inner:
            echo("second").run({"echo": {"value": "x"}})

    assert [run.name for run in outer.runs] == ["first", "second"]
    assert [run.name for run in inner.runs] == ["second"]


def test_each_of_two_nested_recordings_has_its_own_file(tmp_path: Path) -> None:
    with (
        PipelineRecorder(tmp_path / "outer", wrappers=False) as outer,
        PipelineRecorder(tmp_path / "inner", wrappers=False) as inner,
    ):
        echo().run({"echo": {"value": "x"}})

    (inner_path,) = (tmp_path / "inner").iterdir()
    (outer_path,) = (tmp_path / "outer").iterdir()
    assert inner_path.read_bytes() == outer_path.read_bytes()
    assert inner.paths == (inner_path,)
    assert outer.paths == (outer_path,)


def test_record_run_inside_a_recording_is_one_of_its_runs(tmp_path: Path) -> None:
    with recording(tmp_path, wrappers=False) as recorder:
        _, run = record_run(echo(), {"echo": {"value": "x"}})

    assert [each.id for each in recorder.runs] == [run.id]
    assert run.origin == recorder.paths[0]


def test_recordings_in_two_threads_do_not_mix() -> None:
    both = threading.Barrier(2)

    def record(name: str) -> list[str]:
        with through_tracing_alone() as recorder:
            both.wait(10)
            for _ in range(5):
                echo(name).run({"echo": {"value": "x"}})
            both.wait(10)
        return [run.name for run in recorder.runs]

    with ThreadPoolExecutor(max_workers=2) as pool:
        assert list(pool.map(record, ["one", "two"])) == [["one"] * 5, ["two"] * 5]


def test_a_thread_of_anybody_is_recorded_while_a_recording_is_on() -> None:
    with through_tracing_alone() as recorder:
        thread = threading.Thread(target=echo().run, args=({"echo": {"value": "x"}},))
        thread.start()
        thread.join()

    (run,) = recorder.runs
    assert run.status == "completed"
    assert at(run, "").raw["thread"].startswith("Thread-")


def test_start_records_the_whole_process_until_stop() -> None:
    recorder = through_tracing_alone().start()
    echo("started").run({"echo": {"value": "x"}})
    recorder.stop()
    echo("stopped").run({"echo": {"value": "x"}})

    assert [run.name for run in recorder.runs] == ["started"]


def test_a_recorder_can_be_entered_twice() -> None:
    recorder = through_tracing_alone()
    with recorder:
        with recorder:
            echo("inside").run({"echo": {"value": "x"}})
        echo("between").run({"echo": {"value": "x"}})
    echo("outside").run({"echo": {"value": "x"}})

    assert [run.name for run in recorder.runs] == ["inside", "between"]


def retrieving_pipeline() -> SuperComponent:
    from haystack.document_stores.in_memory import InMemoryDocumentStore

    store = InMemoryDocumentStore()
    store.write_documents([Document(id="1", content="vents"), Document(id="2", content="water")])
    inner = Pipeline()
    inner.add_component("retriever", InMemoryBM25Retriever(store))
    return SuperComponent(pipeline=inner, input_mapping={"query": ["retriever.query"]})


def multi_query() -> Pipeline:
    pipeline = Pipeline(metadata={"name": "multi"})
    pipeline.add_component("multi", MultiQueryTextRetriever(retriever=retrieving_pipeline()))
    return pipeline


MULTI = """
    multi pipeline ok
      multi#1 retrieval ok
        pipeline#1 pipeline ok
          retriever#1 retrieval ok
        pipeline#2 pipeline ok
          retriever#1 retrieval ok
    """


def test_what_a_thread_pool_without_context_does_belongs_to_the_component() -> None:
    _, run = record_run(
        multi_query(), {"multi": {"queries": ["vents", "water"]}}, recorder=through_tracing_alone()
    )

    assert sorted(drawn(run).split("\n")) == sorted(undented(MULTI).split("\n"))
    inner = at(run, "multi#1/pipeline#1")
    assert inner.channels == {"parent": "inferred"}
    assert run.header["recorder"]["channels"] == ["inferred", "tracing"]
    assert inner.raw["thread"].startswith("ThreadPoolExecutor")


def test_calls_in_threads_that_name_their_parent_stand_below_it() -> None:
    reply = '{"title": "t"}'
    extractor = LLMMetadataExtractor(
        prompt="Title of {{ document.content }}",
        chat_generator=MockChatGenerator(reply),
        expected_keys=["title"],
    )
    pipeline = Pipeline(metadata={"name": "extract"})
    pipeline.add_component("extractor", extractor)
    documents = [Document(content="one"), Document(content="two")]
    result, run = record_run(
        pipeline, {"extractor": {"documents": documents}}, recorder=through_tracing_alone()
    )

    assert [found.meta["title"] for found in result["extractor"]["documents"]] == ["t", "t"]
    assert drawn(run) == undented("""
        extract pipeline ok
          extractor#1 conversion ok
            chat_generator#1 llm ok
            chat_generator#2 llm ok
        """)


def test_a_run_recorded_inside_another_is_named_there() -> None:
    @component
    class Recording:
        @component.output_types(run_id=str)
        def run(self, value: str) -> dict[str, str]:
            recorder = through_tracing_alone()
            _, run = record_run(echo("inner"), {"echo": {"value": value}}, recorder=recorder)
            return {"run_id": run.id}

    pipeline = Pipeline(metadata={"name": "outer"})
    pipeline.add_component("recording", Recording())
    result, run = record_run(
        pipeline, {"recording": {"value": "x"}}, recorder=through_tracing_alone()
    )

    inner_id = result["recording"]["run_id"]
    assert {"what": "inner", "why": f"recorded as a run of its own, {inner_id}"} in (
        run.not_recorded
    )
    assert [span.path for span in run.spans] == ["", "recording#1"]


def test_threads_without_context_of_several_runs_are_told_apart() -> None:
    with through_tracing_alone() as recorder, ThreadPoolExecutor(max_workers=4) as pool:
        pipelines_at_once = [multi_query() for _ in range(4)]
        list(
            pool.map(
                lambda each: each.run({"multi": {"queries": ["vents", "water"]}}),
                pipelines_at_once,
            )
        )

    assert len(recorder.runs) == 4
    for run in recorder.runs:
        assert sorted(drawn(run).split("\n")) == sorted(undented(MULTI).split("\n"))


def test_a_thread_that_could_belong_to_two_runs_is_a_run_that_says_so() -> None:
    both = threading.Barrier(2)

    @component
    class Meeting:
        """Is inside of its run in two threads at once, before it starts threads of its own."""

        @component.output_types(value=str)
        def run(self, value: str) -> dict[str, str]:
            def work() -> Any:
                return self.work(value)

            both.wait(10)
            with ThreadPoolExecutor(max_workers=1) as pool:
                found = pool.submit(work).result()
            both.wait(10)
            return {"value": found["echo"]["value"]}

        def work(self, value: str) -> Any:
            return echo("inner").run({"echo": {"value": value}})

    pipeline = Pipeline(metadata={"name": "outer"})
    pipeline.add_component("meeting", Meeting())
    with through_tracing_alone() as recorder, ThreadPoolExecutor(max_workers=2) as pool:
        list(pool.map(lambda n: pipeline.run({"meeting": {"value": str(n)}}), range(2)))

    inner = [run for run in recorder.runs if run.name == "inner"]
    outer = [run for run in recorder.runs if run.name == "outer"]
    assert (len(inner), len(outer)) == (2, 2)
    for run in inner:
        assert "2 visits of" in run.not_recorded[0]["why"]
    for run in outer:
        assert [span.path for span in run.spans] == ["", "meeting#1"]
        assert any("without context" in note["what"] for note in run.not_recorded)
