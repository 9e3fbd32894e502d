"""The recorder is a guest: whatever goes wrong with it, the execution does not notice."""

import errno
import logging
import os
import shutil
import threading
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("hayhooks", reason="there are no durable executions without hayhooks")

from hayhooks.durable import DurableContext
from haystack import Pipeline

from inspector.errors import RecordingError
from inspector.hayhooks.recorder import attempt as attempts
from inspector.hayhooks.recorder import checkpoints, live, recorded, recording_of, tap
from tests.hayhooks.recorder.recorded_runs import (
    Meddler,
    agent_runner,
    ask_first,
    asked,
    facts,
    pipeline_runner,
    run_in,
)
from tests.helpers.durable_runs import Job, durable, progress_of, result_of
from tests.helpers.hayhooks_parts import approver_agent, rag_pipeline

ANSWER = {"answer": "word0 "}


def warnings_in(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [each.getMessage() for each in caplog.records if each.levelno >= logging.WARNING]


@pytest.mark.parametrize(
    ("where", "name"),
    [
        (attempts, "open_recording"),
        (attempts, "facts_of"),
        (attempts, "SpanStream"),
        (attempts, "TappedWriter"),
        (attempts, "ended_as"),
        (attempts, "segment_name"),
        (checkpoints, "_told"),
        (live.SpanStream, "_is_told"),
        (live.SpanStream, "ended"),
    ],
)
async def test_a_bug_of_ours_is_logged_once_and_costs_nothing(
    where: Any, name: str, tmp_path: Path, monkeypatch: Any, caplog: Any
) -> None:
    met: list[str] = []

    def a_bug(*_: Any, **__: Any) -> Any:
        met.append(name)
        raise RuntimeError("a bug of ours")

    monkeypatch.setattr(where, name, a_bug)
    runner = recorded(folder=tmp_path, live_spans=True)(pipeline_runner("llm", chunks=1))
    async with durable(runner, rag_pipeline()) as job:
        for _ in range(2):
            _, stored = await job.run()
            assert result_of(stored) == ANSWER
    assert met
    assert len(warnings_in(caplog)) <= 1
    assert recording_of() is None


async def test_a_folder_that_cannot_be_made_costs_nothing(tmp_path: Path, caplog: Any) -> None:
    (tmp_path / "file").write_text("no folder")
    runner = recorded(folder=tmp_path / "file")(pipeline_runner("llm", chunks=1))
    async with durable(runner, rag_pipeline()) as job:
        _, stored = await job.run()
    assert result_of(stored) == ANSWER


async def test_a_folder_that_goes_away_costs_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "runs"

    def away(text: str) -> str:
        shutil.rmtree(folder)
        return text

    pipeline = Pipeline()
    pipeline.add_component("meddler", Meddler(away))

    @recorded(folder=folder)
    def runner(context: DurableContext, job: Job) -> Any:
        return context.run_pipeline({"meddler": {"text": job.text}})["meddler"]

    async with durable(runner, pipeline) as job:
        execution, stored = await job.run("cats")
        assert result_of(stored) == {"value": "cats"}
        run = await run_in(folder, execution)
    assert run.at("meddler#1").outputs == {"value": "cats"}, "the segment is written when it ends"


async def test_a_full_disk_costs_nothing_and_is_noted_where_there_is_room(
    tmp_path: Path, monkeypatch: Any, caplog: Any
) -> None:
    real = os.write
    full: list[bool] = []

    def write(descriptor: int, data: Any) -> int:
        if full and Path(f"/proc/self/fd/{descriptor}").readlink().suffix == ".jsonl":
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return real(descriptor, data)

    if not Path("/proc/self/fd").exists():
        pytest.skip("what a descriptor belongs to is not told here")
    monkeypatch.setattr("inspector.runfile.files.os.write", write)

    def fill(text: str) -> str:
        full.append(True)
        return text

    pipeline = Pipeline()
    pipeline.add_component("first", Meddler(fill))
    pipeline.add_component("second", Meddler(str))

    @recorded(folder=tmp_path)
    def runner(context: DurableContext, job: Job) -> Any:
        data = {"first": {"text": job.text}, "second": {"text": job.text}}
        return context.run_pipeline(data)["second"]

    async with durable(runner, pipeline) as job:
        execution, stored = await job.run("cats")
        assert result_of(stored) == {"value": "cats"}
        run = await run_in(tmp_path, execution)
    assert run.at("second#1").status == "ok"
    assert [each["what"] for each in run.not_recorded if each["what"] == "journal"] == ["journal"]
    assert len(warnings_in(caplog)) == 1


async def test_a_disk_that_hangs_is_waited_for_twice_and_trusted_again_when_it_answers(
    tmp_path: Path, monkeypatch: Any
) -> None:
    monkeypatch.setattr(tap, "_PATIENCE_S", 0.01)
    hangs = threading.Event()
    asked_of_disk: list[bool] = []
    real = tap._bring_to_disk

    def hang(record: Any) -> None:
        asked_of_disk.append(hangs.wait(30))
        real(record)

    monkeypatch.setattr(tap, "_bring_to_disk", hang)
    waits: list[int] = []

    def look(text: str) -> str:
        waits.append(len(writers[0]._in_vain_so_far))
        return text

    class Watched(tap.TappedWriter):
        def __init__(self, *args: Any) -> None:
            super().__init__(*args)
            self._in_vain_so_far: list[int] = []
            writers.append(self)

        def secure(self) -> None:
            before = self._in_vain
            super().secure()
            if self._in_vain > before:
                self._in_vain_so_far.append(self._in_vain)
            if len(waits) == 3:
                hangs.set()

    writers: list[Any] = []
    monkeypatch.setattr(attempts, "TappedWriter", Watched)
    pipeline = Pipeline()
    for number in range(6):
        pipeline.add_component(f"part{number}", Meddler(look))

    @recorded(folder=tmp_path)
    def runner(context: DurableContext, job: Job) -> Any:
        data = {f"part{number}": {"text": job.text} for number in range(6)}
        return context.run_pipeline(data)["part5"]

    async with durable(runner, pipeline) as job:
        execution, stored = await job.run("cats")
        run = await run_in(tmp_path, execution)
    assert result_of(stored) == {"value": "cats"}
    assert max(waits) == 2
    assert run.at("part5#1").status == "ok"


class Hostile:
    """Says nothing of itself without failing."""

    def __repr__(self) -> str:
        raise RuntimeError("no words")

    def __getattr__(self, name: str) -> Any:
        raise RuntimeError(f"no {name}")

    def __deepcopy__(self, memo: Any) -> Any:
        return self


async def test_values_that_cannot_be_kept_are_noted_and_cost_nothing(tmp_path: Path) -> None:
    pipeline = Pipeline()
    pipeline.add_component("meddler", Meddler(lambda text: Hostile()))

    @recorded(folder=tmp_path)
    def runner(context: DurableContext, job: Job) -> Any:
        context.run_pipeline({"meddler": {"text": job.text}})
        return {"done": True}

    async with durable(runner, pipeline) as job:
        execution, stored = await job.run("cats")
        run = await run_in(tmp_path, execution)
    assert result_of(stored) == {"done": True}
    assert run.at("meddler#1").outputs["value"]["$"] in ("opaque", "object")


async def test_nobody_saying_where_is_said_once_and_costs_nothing(
    monkeypatch: Any, caplog: Any
) -> None:
    monkeypatch.delenv("RUN_INSPECTOR_HAYHOOKS_RUNS", raising=False)
    runner = recorded()(pipeline_runner("llm", chunks=1))
    async with durable(runner, rag_pipeline()) as job:
        _, stored = await job.run()
    assert result_of(stored) == ANSWER
    assert progress_of(stored)[0]["kind"] == "checkpoint"
    assert len(warnings_in(caplog)) == 1
    assert "RUN_INSPECTOR_HAYHOOKS_RUNS" in warnings_in(caplog)[0]


async def test_the_environment_says_where(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setenv("RUN_INSPECTOR_HAYHOOKS_RUNS", str(tmp_path))
    runner = recorded(pipeline_runner("llm", chunks=1))
    async with durable(runner, rag_pipeline()) as job:
        execution, _ = await job.run()
        assert (await run_in(tmp_path, execution)).at("llm#1") is not None


def test_a_wrapper_with_a_setting_that_makes_no_sense_does_not_start(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match="keep"):
        recorded(folder=tmp_path, keep="on_failure")


async def test_such_a_setting_of_a_block_costs_nothing(tmp_path: Path, caplog: Any) -> None:
    def runner(context: DurableContext, job: Job) -> Any:
        with recorded(context, folder=tmp_path, redact={"nonsense": True}) as attempt:
            result = context.run_pipeline(asked(job.text, chunks=1))["llm"]["replies"]
            return {"replies": result, "run": attempt.reference}

    async with durable(runner, rag_pipeline()) as job:
        _, stored = await job.run()
    assert result_of(stored) == {"replies": ["word0 "], "run": None}
    assert len(warnings_in(caplog)) == 1
    assert not any(tmp_path.iterdir()), "without the redaction that was wanted nothing is kept"


class Foreign:
    """A context that has nothing but what Hayhooks promises."""

    execution_id = "e1"
    attempt = 3

    def __init__(self) -> None:
        self.state: dict[str, Any] = {}


def test_a_context_that_keeps_everything_to_itself_is_recorded(tmp_path: Path) -> None:
    with recorded(Foreign(), folder=tmp_path) as attempt:
        rag_pipeline().run(asked("cats", chunks=1))
        reference = attempt.reference
    assert (reference["execution"], reference["attempt"]) == ("e1", 3)


async def test_secrets_are_in_no_file_and_mean_the_same_in_all_attempts(tmp_path: Path) -> None:
    def before(context: DurableContext) -> None:
        ask_first(context)
        salts.append(context.state["run_inspector"]["salt"])

    salts: list[str] = []
    runner = recorded(folder=tmp_path, redact=True)(agent_runner(before))
    async with durable(runner, approver_agent()) as job:
        execution = await job.submit("steps=1 charge=20 for vera@greenhouse.example")
        await job.until(execution, "waiting")
        await job.deployment.resume(execution, {"approved": True})
        await job.until(execution, "completed", "failed")
        run = await run_in(tmp_path, execution, attempts=2)
    written = b"".join(each.read_bytes() for each in sorted((tmp_path / execution).iterdir()))
    assert b"vera@greenhouse.example" not in written
    assert len(set(salts)) == 1
    assert salts[0].encode() not in written
    assert bytes.fromhex(salts[0]) not in written
    first, second = (run.at(path).inputs["messages"][-1:] for path in ("step0/llm", "step1#2/llm"))
    assert "<email:" in str(first)
    told = [each for each in facts(run)["repeats"] if each["name"] == "llm"]
    assert [each["same_inputs"] for each in told] == [True], "the placeholders are the same"
    assert facts(run)["execution"] == execution
    assert second


async def test_spans_go_over_the_stream_when_they_are_wanted(tmp_path: Path) -> None:
    quiet = recorded(folder=tmp_path / "quiet")(pipeline_runner("llm", chunks=1))
    async with durable(quiet, rag_pipeline()) as job:
        execution, _ = await job.run()
        assert not [each for each in await job.chunks(execution) if "type" in each]
    told = recorded(folder=tmp_path, live_spans=True)(pipeline_runner("llm", chunks=1))
    async with durable(told, rag_pipeline()) as job:
        execution, _ = await job.run()
        chunks = [each for each in await job.chunks(execution) if "type" in each]
        run = await run_in(tmp_path, execution)
    assert {each["type"] for each in chunks} == {"recorder.span"}
    assert {(each["run"], each["attempt"]) for each in chunks} == {(run.id, 1)}
    started = [each for each in chunks if each["event"] == "start"]
    ended = {each["id"]: each["status"] for each in chunks if each["event"] == "end"}
    assert [each["path"] for each in started if each["kind"] == "component"] == [
        "pipeline#1/retriever#1", "pipeline#1/prompt#1", "pipeline#2/llm#1",
    ]  # fmt: skip
    assert ended.keys() == {each["id"] for each in started}


async def test_of_many_spans_few_are_told_and_the_others_counted(tmp_path: Path) -> None:
    most = 12
    runner = recorded(folder=tmp_path, live_spans=most)(agent_runner())
    async with durable(runner, approver_agent()) as job:
        execution, _ = await job.run("steps=12")
        chunks = [each for each in await job.chunks(execution) if "type" in each]
    assert len(chunks) <= most
    started = {each["id"] for each in chunks if each.get("event") == "start"}
    ended = {each["id"] for each in chunks if each.get("event") == "end"}
    assert started == ended
    assert chunks[-1]["type"] == "recorder.spans"
    assert chunks[-1]["left_out"] > 20
