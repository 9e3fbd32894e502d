"""Pipelines and agents on the event loop: run_async, generators, streams, and leaving early."""

import asyncio
import gc
import threading
from typing import Any

import pytest
from haystack import Pipeline, component

from inspector.recording.recorder import PipelineRecorder
from tests.helpers import agents, pipelines
from tests.helpers.openai_script import say
from tests.helpers.openai_server import OpenAIServer
from tests.recording.drawing import at, drawn, through_tracing_alone, traced_async, undented

pytestmark = pytest.mark.haystack


@component
class Echo:
    """Hands on what it gets, when it may."""

    def __init__(self, gate: asyncio.Event | None = None) -> None:
        self.gate = gate

    @component.output_types(value=str)
    def run(self, value: str) -> dict[str, str]:
        return {"value": value}

    @component.output_types(value=str)
    async def run_async(self, value: str) -> dict[str, str]:
        if self.gate is not None:
            await self.gate.wait()
        return {"value": value}


def chain(name: str, *, gate: asyncio.Event | None = None) -> Pipeline:
    pipeline = Pipeline(metadata={"name": name})
    pipeline.add_component("first", Echo())
    pipeline.add_component("second", Echo(gate))
    pipeline.connect("first.value", "second.value")
    return pipeline


CHAIN = """
    {name} pipeline ok
      first#1 other ok
      second#1 other ok
    """


async def test_run_async_draws_the_same_tree(openai_server: OpenAIServer) -> None:
    _, run = await traced_async(pipelines.rag(openai_server))

    assert drawn(run) == undented("""
        rag pipeline ok
          retriever#1 retrieval ok
          prompt_builder#1 prompt ok
          llm#1 llm ok
          answer_builder#1 conversion ok
        """)
    assert run.mode == "async"


async def test_branches_that_run_at_once_are_siblings(openai_server: OpenAIServer) -> None:
    _, run = await traced_async(pipelines.parallel_branches(openai_server))

    assert sorted(drawn(run).splitlines()) == sorted(
        undented("""
        parallel pipeline ok
          prompt_0#1 prompt ok
          prompt_1#1 prompt ok
          prompt_2#1 prompt ok
          llm_0#1 llm ok
          llm_1#1 llm ok
          llm_2#1 llm ok
          joiner#1 joining ok
        """).splitlines()
    )
    llms = [at(run, f"llm_{number}#1") for number in range(3)]
    assert max(llm.start_ns for llm in llms) < min(llm.end_ns for llm in llms)
    assert sorted(at(run, "joiner#1").senders["values"]) == ["llm_0", "llm_1", "llm_2"]


async def test_an_agent_runs_its_tools_at_once_on_the_loop(openai_server: OpenAIServer) -> None:
    _, run = await traced_async(agents.three_tools(openai_server))

    first = [span.path for span in run.children(at(run, "step0")) if span.kind == "tool"]
    assert sorted(first) == [
        "step0/tool:look_up[0]",
        "step0/tool:look_up[2]",
        "step0/tool:measure[1]",
    ]
    assert (run.mode, run.status) == ("async", "completed")


async def test_a_stream_is_recorded_as_one(openai_server: OpenAIServer) -> None:
    case = pipelines.rag(openai_server, stream=True)
    async with through_tracing_alone() as recorder:
        handle = case.target.stream(case.data)
        text = "".join([chunk.content async for chunk in handle])

    (run,) = recorder.runs
    assert (run.mode, run.status) == ("stream", "completed")
    assert case.token in text
    assert at(run, "llm#1").usage.total_tokens


async def test_a_generator_is_recorded_to_its_end(openai_server: OpenAIServer) -> None:
    case = pipelines.rag(openai_server)
    async with through_tracing_alone() as recorder:
        outputs = [part async for part in case.target.run_async_generator(case.data)]

    (run,) = recorder.runs
    assert run.status == "completed"
    assert len(run.spans) == 5
    assert run.outputs.keys() == outputs[-1].keys()


async def test_a_consumer_that_leaves_early_cancels_the_run() -> None:
    async with through_tracing_alone() as recorder:
        async for _part in chain("left").run_async_generator(
            {"first": {"value": "x"}}, include_outputs_from={"first"}
        ):
            break
        # The generator is closed by the event loop, in a task and a context of its own.
        gc.collect()
        await settled(recorder, 1)

    (run,) = recorder.runs
    assert run.status == "canceled"
    assert drawn(run).splitlines()[1] == "left pipeline canceled"
    assert at(run, "first#1").status == "ok"


async def settled(recorder: PipelineRecorder, runs: int) -> None:
    """Let the event loop do what it still has to do."""
    for _ in range(1000):
        if len(recorder.runs) >= runs:
            return
        await asyncio.sleep(0)
    pytest.fail("the run never ended")


async def test_a_run_between_two_outputs_of_a_generator_is_not_inside_it() -> None:
    """The generator leaves its span current in the code of whoever consumes it."""
    async with through_tracing_alone() as recorder:
        async for _part in chain("outer").run_async_generator(
            {"first": {"value": "x"}}, include_outputs_from={"first"}
        ):
            await chain("other").run_async({"first": {"value": "y"}})

    outer = [run for run in recorder.runs if run.name == "outer"]
    others = [run for run in recorder.runs if run.name == "other"]
    assert len(outer) == 1
    assert len(others) >= 2
    for run in recorder.runs:
        assert drawn(run) == undented(CHAIN.format(name=run.name))


async def test_a_run_after_an_abandoned_generator_is_a_run_of_its_own() -> None:
    async with through_tracing_alone() as recorder:
        generator = chain("left").run_async_generator(
            {"first": {"value": "x"}}, include_outputs_from={"first"}
        )
        await anext(generator)
        await chain("next").run_async({"first": {"value": "y"}})
        await generator.aclose()
        await chain("last").run_async({"first": {"value": "z"}})

    assert [(run.name, run.status) for run in recorder.runs] == [
        ("next", "completed"),
        ("left", "canceled"),
        ("last", "completed"),
    ]


async def test_a_run_between_two_outputs_belongs_to_the_component_that_consumes_them() -> None:
    @component
    class Consumer:
        @component.output_types(value=str)
        def run(self, value: str) -> dict[str, str]:
            return {"value": value}

        @component.output_types(value=str)
        async def run_async(self, value: str) -> dict[str, str]:
            data = {"first": {"value": value}}
            parts = chain("inner").run_async_generator(data, include_outputs_from={"first"})
            await anext(parts)
            await chain("between").run_async({"first": {"value": value}})
            async for _part in parts:
                pass
            return {"value": value}

    pipeline = Pipeline(metadata={"name": "outer"})
    pipeline.add_component("consumer", Consumer())
    async with through_tracing_alone() as recorder:
        await pipeline.run_async({"consumer": {"value": "x"}})

    (run,) = recorder.runs
    assert sorted(drawn(run).splitlines()) == sorted(
        undented("""
        outer pipeline ok
          consumer#1 other ok
            pipeline#1 pipeline ok
              first#1 other ok
              second#1 other ok
            pipeline#2 pipeline ok
              first#1 other ok
              second#1 other ok
        """).splitlines()
    )


async def test_a_canceled_task_is_a_canceled_run() -> None:
    gate = asyncio.Event()
    async with through_tracing_alone() as recorder:
        running = asyncio.create_task(
            chain("canceled", gate=gate).run_async({"first": {"value": "x"}})
        )
        for _ in range(20):
            await asyncio.sleep(0)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running

    (run,) = recorder.runs
    assert drawn(run) == undented("""
        canceled pipeline canceled
          first#1 other ok
          second#1 other canceled
        """)
    assert run.status == "canceled"


async def test_what_goes_on_after_its_run_was_canceled_is_unfinished_there() -> None:
    started, release = threading.Event(), threading.Event()

    @component
    class Stubborn:
        """Runs in a thread, which nobody can interrupt."""

        @component.output_types(value=str)
        def run(self, value: str) -> dict[str, str]:
            started.set()
            release.wait(10)
            return {"value": value}

    @component
    class Outer:
        @component.output_types(value=str)
        def run(self, value: str) -> dict[str, str]:
            inner = Pipeline(metadata={"name": "inner"})
            inner.add_component("stubborn", Stubborn())
            inner.run({"stubborn": {"value": value}})
            chain("late").run({"first": {"value": value}})
            return {"value": value}

    pipeline = Pipeline(metadata={"name": "outer"})
    pipeline.add_component("outer", Outer())
    async with through_tracing_alone() as recorder:
        running = asyncio.create_task(pipeline.run_async({"outer": {"value": "x"}}))
        await asyncio.to_thread(started.wait, 10)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        release.set()
        await settled(recorder, 2)

    outer, late = recorder.runs
    assert drawn(outer) == undented("""
        outer pipeline canceled
          outer#1 other canceled
            pipeline#1 pipeline unfinished
              stubborn#1 other unfinished
        """)
    assert {"what": "spans", "why": "2 were still going on when the run ended"} in (
        outer.not_recorded
    )
    assert late.name == "late"
    assert late.not_recorded[0]["why"] == "it had ended before this run began"


async def test_a_stream_that_is_abandoned_is_canceled(openai_server: OpenAIServer) -> None:
    case = pipelines.rag(openai_server, stream=True)
    openai_server.script = lambda _request: say("slow " * 20, token_s=0.05)
    async with through_tracing_alone() as recorder:
        handle = case.target.stream(case.data)
        async for _chunk in handle:
            break
        await handle.aclose()
        await settled(recorder, 1)

    (run,) = recorder.runs
    assert (run.mode, run.status) == ("stream", "canceled")
    assert at(run, "llm#1").status == "canceled"


async def test_twenty_runs_in_tasks_are_twenty_runs(openai_server: OpenAIServer) -> None:
    case = pipelines.rag(openai_server)
    async with through_tracing_alone() as recorder:

        async def ask(number: int) -> Any:
            query = f"number{number:02d}"
            names = ("retriever", "prompt_builder", "answer_builder")
            return await case.target.run_async({name: {"query": query} for name in names})

        await asyncio.gather(*map(ask, range(20)))

    assert len(recorder.runs) == 20
    queries = {run.inputs["retriever"]["query"] for run in recorder.runs}
    assert queries == {f"number{number:02d}" for number in range(20)}
    for run in recorder.runs:
        assert len(run.spans) == 5
        query = run.inputs["retriever"]["query"]
        assert run.outputs["answer_builder"]["answers"][0]["query"] == query


async def test_recordings_in_parallel_tasks_do_not_mix() -> None:
    async def record(name: str) -> PipelineRecorder:
        async with through_tracing_alone() as recorder:
            for _ in range(3):
                await chain(name).run_async({"first": {"value": name}})
        return recorder

    recorders = await asyncio.gather(*(record(f"task{number}") for number in range(4)))

    for number, recorder in enumerate(recorders):
        assert [run.name for run in recorder.runs] == [f"task{number}"] * 3
