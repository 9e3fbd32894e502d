"""Durable executions in this process: what their recorder makes of pipelines and agents."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("hayhooks", reason="there are no durable executions without hayhooks")

from hayhooks import BasePipelineWrapper
from hayhooks.durable import DurableContext
from hayhooks.durable.haystack import HaystackDurableAdapter
from hayhooks.server.utils.module_loader import inspect_durable_runner, is_durable_wrapper
from haystack import Pipeline
from haystack.dataclasses import ChatMessage

from inspector import record_run
from inspector.hayhooks.recorder import recorded, recording_of, stitched
from inspector.runfile.load import load_run
from tests.hayhooks.recorder.recorded_runs import (
    Meddler,
    agent_runner,
    ask_first,
    asked,
    facts,
    own,
    pipeline_runner,
    run_in,
    tree,
)
from tests.helpers.durable_runs import Job, durable, progress_of, result_of
from tests.helpers.hayhooks_parts import approver_agent, rag_pipeline


async def test_a_checkpointed_pipeline_is_one_run_without_an_error(tmp_path: Path) -> None:
    runner = recorded(folder=tmp_path)(pipeline_runner("llm", chunks=3))
    async with durable(runner, rag_pipeline()) as job:
        execution, stored = await job.run("cats")
        run = await run_in(tmp_path, execution)
    assert result_of(stored) == {"answer": "word0 word1 word2 "}
    assert tree(run) == [
        "/ ok", "attempt1 ok", "retriever#1 ok", "prompt#1 ok", "attempt1/checkpoint#1 ok",
        "llm#1 ok",
    ]  # fmt: skip
    assert str(run.status) == "completed"
    assert run.error is None
    assert all(span.error is None for span in run.spans)
    assert run.verify().state == "ok"
    assert not run.problems


async def test_a_durable_run_has_the_paths_and_values_of_an_ordinary_one(tmp_path: Path) -> None:
    runner = recorded(folder=tmp_path)(pipeline_runner("llm", chunks=3))
    pipeline = rag_pipeline()
    async with durable(runner, pipeline) as job:
        execution, _ = await job.run("cats")
        run = await run_in(tmp_path, execution)
    _, ordinary = record_run(rag_pipeline(), asked("cats", chunks=3))
    ours = {span.path: span for span in run.spans if "attempt" not in span.path}
    assert ours.keys() == {span.path for span in ordinary.spans}
    for span in ordinary.spans:
        assert ours[span.path].outputs == span.outputs
        assert ours[span.path].inputs == span.inputs
        assert ours[span.path].senders == span.senders
    assert (run.inputs, run.outputs) == (ordinary.inputs, ordinary.outputs)
    assert run.topology == ordinary.topology


async def test_the_header_says_whose_run_it_is_and_how_each_attempt_ended(tmp_path: Path) -> None:
    runner = recorded(folder=tmp_path)(pipeline_runner("llm", chunks=1))
    async with durable(runner, rag_pipeline()) as job:
        execution, _ = await job.run()
        run = await run_in(tmp_path, execution)
    said = facts(run)
    assert said["execution"] == execution
    assert (said["deployment"], said["revision"], said["kind"]) == ("job", "r1", "pipeline")
    (attempt,) = said["attempts"]
    assert (attempt["attempt"], attempt["ended"], attempt["span"]) == (1, "completed", "s2")
    assert attempt["worker"]["host"]
    assert attempt["worker"]["pid"] > 0
    assert attempt["start_ns"] <= attempt["end_ns"] <= run.duration_ns
    (checkpoint,) = said["checkpoints"]
    assert (checkpoint["of"], checkpoint["before"], checkpoint["saved"]) == (
        "pipeline",
        "llm",
        True,
    )
    assert run.span(checkpoint["span"]).path == "attempt1/checkpoint#1"
    assert run.at("attempt1").inputs["fields"] == {"text": "cats"}
    assert run.at("attempt1").outputs == {"answer": "word0 "}


async def test_an_agent_that_waited_for_approval_is_one_run_of_two_attempts(tmp_path: Path) -> None:
    runner = recorded(folder=tmp_path)(agent_runner(ask_first))
    async with durable(runner, approver_agent()) as job:
        execution = await job.submit("steps=1 charge=20")
        await job.until(execution, "waiting")
        waiting = await run_in(tmp_path, execution)
        await job.deployment.resume(execution, {"approved": True})
        stored = await job.until(execution, "completed", "failed")
        run = await run_in(tmp_path, execution, attempts=2)
    assert result_of(stored) == {"answer": "Done after 2 calls."}
    assert str(waiting.status) == "paused"
    assert waiting.error is None
    assert waiting.id == run.id
    assert str(run.status) == "completed"
    assert [each["ended"] for each in facts(run)["attempts"]] == ["waiting", "completed"]
    assert [each.get("resumed") for each in facts(run)["attempts"]] == [None, True]
    steps = [line for line in tree(run) if line.startswith("step")]
    assert steps == [
        "step0 ok", "step0/llm ok", "step0/tool:look_up[0] ok",
        "step0/hook:after_tool:_checkpoint_after_tool#1/checkpoint#1 ok",
        "step1 canceled", "step1/llm ok", "step1/tool:charge[0] canceled",
        "step1#2 ok", "step1#2/llm ok", "step1#2/tool:charge[0] ok",
        "step1#2/hook:after_tool:_checkpoint_after_tool#1/checkpoint#1 ok",
        "step2 ok", "step2/llm ok",
    ]  # fmt: skip
    alone = stitched(tmp_path / execution, uninterrupted=True)
    assert [line for line in tree(alone) if line.startswith("step") and "hook" not in line] == [
        "step0 ok", "step0/llm ok", "step0/tool:look_up[0] ok",
        "step1 ok", "step1/llm ok", "step1/tool:charge[0] ok", "step2 ok", "step2/llm ok",
    ]  # fmt: skip
    assert own(run.at("step1/tool:charge[0]"))["stopped_by"] == "waiting"
    assert all(span.error is None for span in run.spans)
    assert own(run.at("step1#2/tool:charge[0]"))["repeat_of"] == run.at("step1/tool:charge[0]").id
    assert [each["step"] for each in facts(run)["checkpoints"]][:2] == [1, 2]


async def test_an_async_agent_is_recorded_too(tmp_path: Path) -> None:
    @recorded(folder=tmp_path)
    async def runner(context: DurableContext, job: Job) -> dict[str, Any]:
        outputs = await context.run_agent_async(messages=[ChatMessage.from_user(job.text)])
        return {"answer": outputs["last_message"].text}

    async with durable(runner, approver_agent()) as job:
        execution, stored = await job.run("steps=1")
        run = await run_in(tmp_path, execution)
    assert result_of(stored) == {"answer": "Done after 1 calls."}
    assert [span.path for span in run.spans if span.kind in ("llm", "tool")] == [
        "step0/llm", "step0/tool:look_up[0]", "step1/llm",
    ]  # fmt: skip
    assert run.mode == "async"


async def test_a_pipeline_that_the_wrapper_makes_itself_is_recorded_like_any_other(
    tmp_path: Path,
) -> None:
    made: list[Pipeline] = []

    @recorded(folder=tmp_path)
    async def runner(context: DurableContext, job: Job) -> dict[str, Any]:
        pipeline = rag_pipeline()
        made.append(pipeline)
        outputs = await HaystackDurableAdapter(pipeline).run_pipeline_async(
            context, asked(job.text, chunks=1), checkpoint_at="llm"
        )
        return {"answer": outputs["llm"]["replies"][0]}

    async with durable(runner) as job:
        execution, _ = await job.run()
        run = await run_in(tmp_path, execution)
    assert set(run.topology["components"]) == {"retriever", "prompt", "llm"}
    assert run.at("llm#1").outputs["replies"] == ["word0 "]
    llm = made[0].get_component("llm")
    assert "run" not in vars(llm), "what was wrapped is as it was"


async def test_a_class_is_decorated_as_hayhooks_wants_it(tmp_path: Path) -> None:
    @recorded(folder=tmp_path)
    class Wrapper(BasePipelineWrapper):
        durable_revision = "1"

        def setup(self) -> None:
            self.pipeline = rag_pipeline()

        async def run_durable_async(self, context: DurableContext, request: Job) -> dict[str, Any]:
            """Answer."""
            outputs = await context.run_pipeline_async(asked(request.text, chunks=1))
            return {"answer": outputs["llm"]["replies"][0], "run": recording_of(context)}

    wrapper = Wrapper()
    wrapper.setup()
    wrapper._is_run_durable_async_implemented = True
    assert is_durable_wrapper(wrapper)
    method, request, _ = inspect_durable_runner(wrapper)
    assert request is Job
    async with durable(method, wrapper.pipeline) as job:
        execution, stored = await job.run()
        run = await run_in(tmp_path, execution)
    told = result_of(stored)["run"]
    assert told == {"run": run.id, "execution": execution, "attempt": 1, "schema": 1}


@pytest.mark.parametrize("is_async", [True, False])
async def test_a_block_in_a_runner_is_recorded(tmp_path: Path, *, is_async: bool) -> None:
    async def asynchronous(context: DurableContext, job: Job) -> dict[str, Any]:
        with recorded(context, folder=tmp_path) as attempt:
            await context.run_pipeline_async(asked(job.text, chunks=1))
            return {"run": attempt.reference}

    def synchronous(context: DurableContext, job: Job) -> dict[str, Any]:
        with recorded(context, folder=tmp_path) as attempt:
            context.run_pipeline(asked(job.text, chunks=1))
            return {"run": attempt.reference}

    async with durable(asynchronous if is_async else synchronous, rag_pipeline()) as job:
        execution, stored = await job.run()
        run = await run_in(tmp_path, execution)
    assert result_of(stored)["run"]["run"] == run.id
    assert [each["kind"] for each in progress_of(stored)] == ["recorder"]
    assert run.at("llm#1") is not None


async def test_a_method_of_a_decorated_class_is_recorded_once(tmp_path: Path) -> None:
    @recorded(folder=tmp_path / "outer")
    @recorded(folder=tmp_path / "inner")
    def runner(context: DurableContext, job: Job) -> dict[str, Any]:
        return {"run": context.run_pipeline(asked(job.text, chunks=1))["llm"]["replies"]}

    async with durable(runner, rag_pipeline()) as job:
        execution, _ = await job.run()
        await run_in(tmp_path / "outer", execution)
    assert not (tmp_path / "inner").exists()


async def test_a_retry_is_another_attempt_of_the_same_run(tmp_path: Path) -> None:
    @recorded(folder=tmp_path)
    def runner(context: DurableContext, job: Job) -> dict[str, Any]:
        if context.attempt == 1:
            context.run_pipeline(asked(job.text, chunks=1))
            context.retry_sync("the answer was too short", delay=0.01)
        return {"n": len(context.run_pipeline(asked(job.text, chunks=1))["llm"]["replies"])}

    async with durable(runner, rag_pipeline()) as job:
        execution, _ = await job.run()
        run = await run_in(tmp_path, execution, attempts=2)
    first, second = facts(run)["attempts"]
    assert (first["ended"], first["delay_s"]) == ("retried", 0.01)
    assert first["error"]["message"] == "the answer was too short"
    assert second["ended"] == "completed"
    assert run.at("attempt1").status == "canceled"
    assert run.at("attempt1").error is None
    assert [(each["name"], each["same_inputs"]) for each in facts(run)["repeats"]] == [
        ("retriever", True), ("prompt", True), ("llm", True),
    ]  # fmt: skip


async def test_a_failure_is_a_failed_run_with_its_error(tmp_path: Path) -> None:
    def fail(text: str) -> str:
        raise LookupError(f"no {text}")

    pipeline = Pipeline()
    pipeline.add_component("meddler", Meddler(fail))

    @recorded(folder=tmp_path)
    def runner(context: DurableContext, job: Job) -> Any:
        return context.run_pipeline({"meddler": {"text": job.text}})

    async with durable(runner, pipeline) as job:
        execution, stored = await job.run("cats")
        run = await run_in(tmp_path, execution)
    assert stored.control.status.value == "failed"
    assert str(run.status) == "failed"
    assert "no cats" in run.error.message
    assert facts(run)["attempts"][0]["ended"] == "failed"
    assert run.at("meddler#1").status == "failed"


async def test_a_canceled_agent_is_no_failure(tmp_path: Path) -> None:
    @recorded(folder=tmp_path)
    def runner(context: DurableContext, job: Job) -> Any:
        context.run_agent(messages=[ChatMessage.from_user("steps=1")])
        stop.append(True)
        while True:
            context.check_cancelled_sync()

    stop: list[bool] = []
    async with durable(runner, approver_agent()) as job:
        execution = await job.submit()
        await job.until(execution, "running")
        await job.deployment.cancel(execution)
        await job.until(execution, "canceled")
        run = await run_in(tmp_path, execution)
    assert str(run.status) == "canceled"
    assert run.error is None
    assert facts(run)["attempts"][0]["ended"] == "canceled"


async def test_what_is_returned_after_the_lease_was_lost_is_not_the_end_of_the_run(
    tmp_path: Path,
) -> None:
    @recorded(folder=tmp_path)
    def runner(context: DurableContext, job: Job) -> Any:
        outputs = context.run_pipeline(asked(job.text, chunks=1))
        context._claim.mark_lost()
        return {"answer": outputs["llm"]["replies"][0]}

    async with durable(runner, rag_pipeline()) as job:
        execution = await job.submit()
        run = await run_in(tmp_path, execution)
    assert facts(run)["attempts"][0]["ended"] == "lease lost"
    assert str(run.status) == "incomplete"
    assert run.outputs is None
    assert run.at("llm#1").status == "ok"


async def test_work_that_a_worker_hands_back_when_it_is_shut_down_is_no_failure(
    tmp_path: Path,
) -> None:
    @recorded(folder=tmp_path)
    async def runner(context: DurableContext, job: Job) -> Any:
        begun.set()
        await asyncio.Event().wait()

    begun = asyncio.Event()
    async with durable(runner, rag_pipeline(), grace_s=0.01) as job:
        execution = await job.submit()
        await begun.wait()
    run = await run_in(tmp_path, execution)
    assert facts(run)["attempts"][0]["ended"] == "handed back"
    assert str(run.status) == "incomplete"
    assert run.error is None


async def test_the_run_is_told_once_and_kept_in_the_state(tmp_path: Path) -> None:
    states: list[Any] = []

    def look(context: DurableContext) -> None:
        ask_first(context)
        states.append(dict(context.state["run_inspector"]))

    runner = recorded(folder=tmp_path)(agent_runner(look))
    async with durable(runner, approver_agent()) as job:
        execution = await job.submit("steps=1 charge=20")
        await job.until(execution, "waiting")
        await job.deployment.resume(execution, {"approved": True})
        stored = await job.until(execution, "completed", "failed")
        run = await run_in(tmp_path, execution, attempts=2)
    told = [each for each in progress_of(stored) if each["kind"] == "recorder"]
    assert [each["metadata"] for each in told] == [{"run": run.id, "schema": 1}]
    assert states == [{"run": run.id, "schema": 1}] * 2


async def test_nothing_of_us_stays_behind(tmp_path: Path) -> None:
    from haystack.tracing.tracer import tracer as proxy

    contexts: list[DurableContext] = []

    def keep(context: DurableContext) -> None:
        contexts.append(context)

    pipeline = rag_pipeline()
    before = {name: dict(vars(pipeline.get_component(name))) for name in pipeline.graph.nodes}

    @recorded(folder=tmp_path)
    def runner(context: DurableContext, job: Job) -> Any:
        keep(context)
        return {"n": len(context.run_pipeline(asked(job.text, chunks=1), checkpoint_at="llm"))}

    async with durable(runner, pipeline) as job:
        execution, _ = await job.run()
        await run_in(tmp_path, execution)
    assert "checkpoint" not in vars(contexts[0])
    assert "trace" not in vars(proxy)
    assert recording_of() is None
    after = {name: dict(vars(pipeline.get_component(name))) for name in pipeline.graph.nodes}
    assert after == before


async def test_executions_that_run_at_once_are_kept_apart(tmp_path: Path) -> None:
    runner = recorded(folder=tmp_path)(pipeline_runner("llm", chunks=4, delay_s=0.005))
    async with durable(runner, rag_pipeline(), concurrency=4) as job:
        texts = [f"question {number}" for number in range(8)]
        executions = [await job.submit(text) for text in texts]
        for execution in executions:
            await job.until(execution, "completed")
        runs = [await run_in(tmp_path, execution) for execution in executions]
    for text, run in zip(texts, runs, strict=True):
        assert [span.path for span in run.spans if span.kind == "component"] == [
            "retriever#1", "prompt#1", "llm#1",
        ]  # fmt: skip
        assert run.at("retriever#1").inputs["query"] == text
        assert text in run.at("llm#1").inputs["prompt"]
    assert len({run.id for run in runs}) == len(runs)


async def test_a_segment_opens_by_itself(tmp_path: Path) -> None:
    runner = recorded(folder=tmp_path)(pipeline_runner("llm", chunks=1))
    async with durable(runner, rag_pipeline()) as job:
        execution, _ = await job.run()
        await run_in(tmp_path, execution)
    (segment,) = (tmp_path / execution).glob("attempt-0001-*.run.json")
    run = load_run(segment)
    assert run.verify().state == "ok"
    assert [span.name for span in run.roots] == ["attempt 1"]
