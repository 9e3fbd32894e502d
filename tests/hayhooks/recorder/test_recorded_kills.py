"""What is left of attempts that were killed, and the run that is made of it."""

import asyncio
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path
from random import Random
from typing import Any

import pytest

pytest.importorskip("hayhooks", reason="there are no durable executions without hayhooks")

from hayhooks.durable import DurableContext, durable_streaming_callback
from haystack import Pipeline
from haystack.dataclasses import ChatMessage

from inspector import diff_runs, load_run, record_run, replay_run
from inspector.assets import asset
from inspector.cli.main import main
from inspector.errors import RunFileError
from inspector.hayhooks.recorder import alive, executions_in, recorded, stitched
from inspector.hayhooks.recorder.layout import MANIFEST, run_id_for, segments_in
from inspector.presentation.outline import outline
from inspector.runfile.model import PipelineRun
from tests.hayhooks.recorder.recorded_runs import Meddler, facts, own, run_in, tree
from tests.helpers.durable_runs import Job, as_a_kill_leaves_it, durable
from tests.helpers.hayhooks_parts import approver_agent


def chain(does: Any) -> Pipeline:
    """Return three components in a row, the second of which calls a function."""
    pipeline = Pipeline()
    pipeline.add_component("before", Meddler(str))
    pipeline.add_component("charge", Meddler(does))
    pipeline.add_component("after", Meddler(str))
    pipeline.connect("before.value", "charge.text")
    pipeline.connect("charge.value", "after.text")
    return pipeline


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of an execution whose first attempt was killed in the middle of charge.

    Its first segment is what was on the disk at that moment. The attempt that went on in this
    process plays the one that came after: it did the same again.
    """
    folder = tmp_path_factory.mktemp("live")
    left = tmp_path_factory.mktemp("killed")

    def charge(text: str) -> str:
        if not any(left.iterdir()):
            as_a_kill_leaves_it(folder, left)
        return text

    @recorded(folder=folder)
    def runner(context: DurableContext, job: Job) -> Any:
        outputs = context.run_pipeline({"before": {"text": job.text}}, checkpoint_at="charge")
        if context.attempt == 1:
            context.retry_sync("again", delay=0.01)
        return outputs["after"]

    async def both() -> str:
        async with durable(runner, chain(charge)) as job:
            execution, _ = await job.run("cats")
            await run_in(folder, execution, attempts=2)
            return execution

    execution = asyncio.run(both())
    (second,) = (folder / execution).glob("attempt-0002-*")
    shutil.copy(second, left / execution)
    return left / execution


@pytest.fixture
def run(killed: Path) -> PipelineRun:
    return stitched(killed)


def test_a_killed_attempt_leaves_all_that_it_began(killed: Path) -> None:
    first = segments_in(killed)[0].path
    assert first.suffix == ".jsonl"
    left = load_run(first)
    assert [span.name for span in left.spans if span.kind == "component"] == ["before", "charge"]
    assert left.at("attempt") is None
    began = next(span for span in left.spans if span.name == "charge")
    assert began.status == "unfinished"
    assert began.inputs == {"text": "cats"}


def test_the_run_shows_what_was_killed_and_what_was_done_again(run: PipelineRun) -> None:
    assert tree(run) == [
        "/ ok", "attempt1 unfinished", "before#1 ok", "attempt1/checkpoint#1 ok",
        "charge#1 unfinished", "attempt2 ok", "charge#2 ok", "after#1 ok",
    ]  # fmt: skip
    assert [each["ended"] for each in facts(run)["attempts"]] == ["killed", "completed"]
    assert str(run.status) == "completed"
    assert run.outputs == {"after": {"value": "cats"}}
    assert run.error is None
    assert run.verify().state == "ok"
    assert not run.problems


def test_a_killed_span_ends_where_its_attempt_was_heard_of_last(run: PipelineRun) -> None:
    first, second = facts(run)["attempts"]
    charge = run.at("charge#1")
    assert charge.end_ns == first["end_ns"] <= second["start_ns"]
    assert own(charge)["end"] == "last sign"
    assert own(run.at("charge#2")) == {
        "attempt": 2, "repeat_of": charge.id, "same_inputs": True, "earlier": "unfinished",
    }  # fmt: skip
    assert own(charge)["repeated_by"] == run.at("charge#2").id
    (repeat,) = facts(run)["repeats"]
    assert repeat["name"] == "charge"
    assert repeat["kind"] == "component"
    assert (repeat["attempt"], repeat["of_attempt"]) == (2, 1)


def test_it_opens_as_its_folder_its_manifest_and_the_folder_above(killed: Path) -> None:
    for path in (killed, killed / MANIFEST, killed.parent):
        opened = load_run(path)
        assert [span.path for span in opened.spans] == [
            span.path for span in stitched(killed).spans
        ]
    assert load_run(killed / MANIFEST).origin == killed / MANIFEST
    (known,) = executions_in(killed.parent)
    assert (known.id, known.deployment, known.attempts) == (killed.name, "job", 2)


def test_the_command_line_makes_a_file_that_every_other_command_takes(
    killed: Path, tmp_path: Path, capsys: Any
) -> None:
    target = tmp_path / "run.json"
    assert main(["hayhooks", "stitch", str(killed), "-o", str(target)]) == 0
    told = capsys.readouterr().out
    assert "2 attempts" in told
    assert "killed" in told
    saved = load_run(target)
    assert saved.verify().state == "ok"
    assert saved.id == stitched(killed).id
    for command in ("show", "check", "verify"):
        assert main([command, str(target)]) == 0
    assert "charge" in capsys.readouterr().out
    assert main(["hayhooks", "stitch", str(killed), "-o", str(target), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["attempts"][0]["ended"] == "killed"


async def test_what_was_not_interrupted_differs_in_nothing_from_an_ordinary_run(
    tmp_path: Path,
) -> None:
    @recorded(folder=tmp_path)
    def runner(context: DurableContext, job: Job) -> Any:
        return context.run_pipeline({"before": {"text": job.text}}, checkpoint_at="charge")["after"]

    async with durable(runner, chain(str)) as job:
        execution, _ = await job.run("cats")
        run = await run_in(tmp_path, execution)
    _, ordinary = record_run(chain(str), {"before": {"text": "cats"}})
    assert diff_runs(ordinary, run).divergence is None


def test_what_was_interrupted_differs_in_just_that(run: PipelineRun) -> None:
    _, ordinary = record_run(chain(str), {"before": {"text": "cats"}})
    assert diff_runs(ordinary, run).divergence.sentence == "attempt 1 did not end"
    assert "charge" in outline(run)


def test_a_run_without_its_interruptions_can_be_replayed(killed: Path, tmp_path: Path) -> None:
    target = tmp_path / "run.json"
    assert main(["hayhooks", "stitch", str(killed), "--uninterrupted", "-o", str(target)]) == 0
    run = load_run(target)
    assert tree(run) == ["/ ok", "before#1 ok", "charge#1 ok", "after#1 ok"]
    assert own(run.at("charge#1")) == {"attempt": 2}
    assert [each["ended"] for each in facts(run)["attempts"]] == ["killed", "completed"]
    assert replay_run(chain(str), run) == {"after": {"value": "cats"}}


def test_what_is_damaged_is_said_and_the_rest_shown(killed: Path, tmp_path: Path) -> None:
    place = tmp_path / killed.name
    shutil.copytree(killed, place)
    first, second = (file.path for file in segments_in(place))
    whole = first.read_bytes()
    first.write_bytes(whole[:-40])
    cut = stitched(place)
    assert cut.at("after#1").status == "ok"
    assert any("cut off" in str(problem) for problem in cut.problems)
    second.write_bytes(b"\0" * 100)
    alone = stitched(place)
    assert [each["attempt"] for each in facts(alone)["attempts"]] == [1]
    assert any("Attempt 2 cannot be read" in str(problem) for problem in alone.problems)
    first.write_bytes(b"{}")
    with pytest.raises(RunFileError, match="no recorded attempt"):
        stitched(place)


def test_a_manifest_that_lies_changes_nothing_but_words(killed: Path, tmp_path: Path) -> None:
    place = tmp_path / killed.name
    shutil.copytree(killed, place)
    (place / MANIFEST).write_text(
        '{"format": "haystack-run-segments", "run": ["x"], "execution": 7}'
    )
    run = load_run(place)
    assert len(run.spans) == len(stitched(killed).spans)
    (place / MANIFEST).write_text("[" * 100_000)
    assert load_run(place).id == stitched(killed).id


def test_a_clock_that_is_behind_puts_no_attempt_before_the_first(
    killed: Path, tmp_path: Path
) -> None:
    place = tmp_path / killed.name
    shutil.copytree(killed, place)
    second = segments_in(place)[1].path
    text = second.read_text()
    started = json.loads(text)["run"]["started_at"]
    second.write_text(text.replace(started, "2001-01-01T00:00:00.000000Z"))
    run = stitched(place)
    first, last = facts(run)["attempts"]
    assert first["end_ns"] <= last["start_ns"]
    assert any("clock" in str(problem) for problem in run.problems)


def test_the_id_of_a_run_is_that_of_its_execution() -> None:
    known = {run_id_for(f"execution {number}", 1_796_004_714_090) for number in range(1_000)}
    assert len(known) == 1_000
    assert all(len(each) == 26 for each in known)
    assert run_id_for("a", 5) == run_id_for("a", 5)
    assert run_id_for("a", 5) < run_id_for("b", 6), "they sort by the time of the execution"


def test_making_one_run_of_segments_needs_neither_haystack_nor_hayhooks(killed: Path) -> None:
    script = (
        "import sys; from inspector import load_run; "
        f"print(len(load_run({str(killed)!r}).spans)); "
        "print(sorted({'haystack', 'hayhooks', 'pydantic'} & set(sys.modules)))"
    )
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert ran.stdout.splitlines() == ["8", "[]"]


DIES = """
import asyncio, os, signal, sys
from pathlib import Path
from hayhooks.durable import current_durable_context
from inspector.hayhooks.recorder import recorded
from tests.hayhooks.recorder.recorded_runs import agent_runner, pipeline_runner
from tests.helpers import hayhooks_parts
from tests.helpers.durable_runs import durable

hayhooks_parts.write_down = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
make = {"agent": (agent_runner, hayhooks_parts.approver_agent, "steps=1 charge=20"),
        "pipeline": (pipeline_runner, hayhooks_parts.rag_pipeline, "cats")}
runner, target, text = make[sys.argv[2]]

async def main():
    async with durable(recorded(folder=sys.argv[1])(runner()), target()) as job:
        await job.run(text)

asyncio.run(main())
"""


@pytest.mark.parametrize(
    ("kind", "path"), [("agent", "step1/tool:charge[0]"), ("pipeline", "retriever#1")]
)
def test_what_kills_its_process_at_once_is_in_the_segment_all_the_same(
    kind: str, path: str, tmp_path: Path
) -> None:
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])}
    died = subprocess.run(
        [sys.executable, "-c", DIES, str(tmp_path), kind], env=environment, check=False
    )
    assert died.returncode == -signal.SIGKILL
    (place,) = tmp_path.iterdir()
    run = stitched(place)
    assert run.at(path).status == "unfinished"
    assert run.at(path).inputs
    assert facts(run)["attempts"][0]["ended"] == "killed"
    assert str(run.status) == "incomplete"
    assert run.topology["components"] if kind == "pipeline" else run.kind == "agent"


def test_the_run_is_what_the_schema_says(run: PipelineRun, tmp_path: Path) -> None:
    jsonschema = pytest.importorskip("jsonschema", reason="schemas are checked with it")
    run.save(tmp_path / "run.json")
    schema = json.loads(asset("schema/run.schema.json").read_text())
    jsonschema.validate(json.loads((tmp_path / "run.json").read_bytes()), schema)


@pytest.mark.parametrize("seed", range(20))
def test_segments_that_were_meddled_with_never_break_the_reader(
    seed: int, killed: Path, tmp_path: Path
) -> None:
    random = Random(seed)
    place = tmp_path / killed.name
    shutil.copytree(killed, place)
    for file in segments_in(place):
        lines = file.path.read_bytes().splitlines(keepends=True)
        for _ in range(6):
            at = random.randrange(1, len(lines))
            lines[at] = random.choice(MEDDLED)(lines[at])
        file.path.write_bytes(b"".join(lines))
    try:
        run = stitched(place)
    except RunFileError:
        return
    assert outline(run)
    assert len({span.id for span in run.spans}) == len(run.spans)
    assert facts(run)["attempts"]


MEDDLED = (
    lambda line: line[: len(line) // 2] + b"\n",
    lambda line: line.replace(b'"path":"', b'"path":["').replace(b'",', b'"],', 1),
    lambda line: line.replace(b'"parent":"s1"', b'"parent":"s3"'),
    lambda line: line.replace(b'"start_ns":', b'"start_ns":-'),
    lambda line: line.replace(b'"name":"', b'"name":7,"x":"'),
    lambda line: line.replace(b'"operation":"', b'"operation":{"a":"').replace(b'",', b'"},', 1),
    lambda line: line.replace(b'"inputs":{', b'"inputs":{"$ref":"0",'),
    lambda line: line.replace(b'"tags":{', b'"tags":[{').replace(b"}", b"}]", 1),
    lambda line: b"",
    lambda line: line + line,
)


async def test_an_attempt_that_goes_on_is_shown_as_far_as_it_has_come(tmp_path: Path) -> None:
    seen: list[PipelineRun] = []

    def charge(text: str) -> str:
        (place,) = (each for each in tmp_path.iterdir() if each.is_dir())
        seen.append(stitched(place))
        return text

    @recorded(folder=tmp_path)
    def runner(context: DurableContext, job: Job) -> Any:
        return context.run_pipeline({"before": {"text": job.text}})["after"]

    async with durable(runner, chain(charge)) as job:
        execution, _ = await job.run("cats")
        await run_in(tmp_path, execution)
    assert str(seen[0].status) == "running"
    assert tree(seen[0]) == [
        "/ unfinished", "attempt1 unfinished", "before#1 ok", "charge#1 unfinished",
    ]  # fmt: skip
    assert seen[0].at("charge#1").end_ns is None


async def test_an_attempt_that_is_known_to_wait_waits_also_if_it_never_heard_of_it(
    tmp_path: Path,
) -> None:
    live, left = tmp_path / "live", tmp_path / "left"

    @recorded(folder=live)
    def runner(context: DurableContext, job: Job) -> Any:
        if context.resume_input is None:
            try:
                context.suspend_sync({"kind": "approval", "message": "May I?"})
            except BaseException:
                as_a_kill_leaves_it(live, left)
                raise
        return {"done": True}

    async with durable(runner, chain(str)) as job:
        execution = await job.submit()
        await job.until(execution, "waiting")
        await run_in(live, execution)
        alone = stitched(left / execution)
        await job.deployment.resume(execution, {"approved": True})
        await job.until(execution, "completed")
        await run_in(live, execution, attempts=2)
    assert [each["ended"] for each in facts(alone)["attempts"]] == ["waiting"]
    assert str(alone.status) == "paused"
    (second,) = (live / execution).glob("attempt-0002-*")
    shutil.copy(second, left / execution)
    both = stitched(left / execution)
    assert [each["ended"] for each in facts(both)["attempts"]] == ["waiting", "completed"]


async def test_what_is_over_for_everybody_is_over_on_the_disk(tmp_path: Path) -> None:
    @recorded(folder=tmp_path / "live")
    def runner(context: DurableContext, job: Job) -> Any:
        return context.run_pipeline({"before": {"text": job.text}})["after"]

    async with durable(runner, chain(str)) as job:
        execution, _ = await job.run("cats")
        as_a_kill_leaves_it(tmp_path / "live", tmp_path / "left")
    run = stitched(tmp_path / "left" / execution)
    assert [each["ended"] for each in facts(run)["attempts"]] == ["completed"]
    assert run.at("attempt1").status == "ok"
    assert run.at("attempt1").end_ns is not None


async def test_how_long_a_silent_call_was_at_it_is_known_when_it_was_killed(
    tmp_path: Path, monkeypatch: Any
) -> None:
    monkeypatch.setattr(alive, "FIRST_S", 0.005)
    left = tmp_path / "left"

    def think(text: str) -> str:
        (file,) = (tmp_path / "live").glob("*/attempt*")
        before = file.read_bytes().count(b"alive_ns")
        while file.read_bytes().count(b"alive_ns") < before + 3:
            threading.Event().wait(0.005)
        as_a_kill_leaves_it(tmp_path / "live", left)
        return text

    @recorded(folder=tmp_path / "live")
    def runner(context: DurableContext, job: Job) -> Any:
        return context.run_pipeline({"before": {"text": job.text}})["after"]

    async with durable(runner, chain(think)) as job:
        execution, _ = await job.run("cats")
    charge = stitched(left / execution).at("charge#1")
    assert charge.status == "unfinished"
    assert charge.duration_ns >= 5_000_000


async def test_chunks_keep_their_times_when_attempts_are_put_together(tmp_path: Path) -> None:
    @recorded(folder=tmp_path)
    def runner(context: DurableContext, job: Job) -> Any:
        said = context.run_agent(
            messages=[ChatMessage.from_user("steps=0")],
            streaming_callback=durable_streaming_callback,
        )
        if context.attempt == 1:
            context.retry_sync("again", delay=0.05)
        return {"text": said["last_message"].text}

    async with durable(runner, approver_agent()) as job:
        execution, _ = await job.run()
        run = await run_in(tmp_path, execution, attempts=2)
    calls = [span for span in run.spans if span.kind == "llm"]
    for call in calls:
        for chunk in call.chunks:
            assert call.start_ns <= chunk.at_ns <= call.end_ns
