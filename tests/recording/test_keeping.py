"""Where runs go and which of them are kept, seen from the recorder."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from haystack import Pipeline, SuperComponent, component

from inspector.errors import RecordingError
from inspector.recording.api import record_run, recording
from inspector.recording.limits import DirectoryLimits
from inspector.recording.recorder import PipelineRecorder
from inspector.recording.sinks import FinishedRun, each_record
from inspector.runfile.limits import WriteLimits
from inspector.runfile.load import load_run
from tests.recording.drawing import at, drawn, undented

pytestmark = pytest.mark.haystack


@component
class Echo:
    @component.output_types(value=str)
    def run(self, value: str) -> dict[str, str]:
        if value == "fail":
            raise ValueError(value)
        return {"value": value}


def echo(name: str = "echo") -> Pipeline:
    pipeline = Pipeline(metadata={"name": name})
    pipeline.add_component("echo", Echo())
    return pipeline


def run(value: str = "x", name: str = "echo") -> Any:
    return echo(name).run({"echo": {"value": value}})


def test_a_file_is_named_by_time_and_pipeline_and_only_its_owner_can_read_it(
    tmp_path: Path,
) -> None:
    with recording(tmp_path / "runs", wrappers=False) as recorder:
        run(name="my rag / v2")

    (path,) = recorder.paths
    assert path.parent == tmp_path / "runs"
    assert "my-rag-v2" in path.name
    assert path.name.endswith(".run.json")
    assert path.stat().st_mode & 0o077 == 0
    assert path.parent.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("suffix", ["gz", "zst"])
def test_files_can_be_compressed(tmp_path: Path, suffix: str) -> None:
    with recording(tmp_path, compress=suffix, wrappers=False) as recorder:
        run()

    (path,) = recorder.paths
    assert path.name.endswith(f".run.json.{suffix}")
    assert load_run(path).status == "completed"


def test_only_failures_are_kept_when_asked(tmp_path: Path) -> None:
    with recording(tmp_path, keep="on_failure", wrappers=False) as recorder:
        run()
        with pytest.raises(Exception, match="fail"):
            run("fail")

    assert [each.status for each in recorder.runs] == ["failed"]
    assert list(tmp_path.iterdir()) == list(recorder.paths)


def test_a_run_outside_of_the_sample_is_not_recorded_nor_is_anything_inside_of_it(
    tmp_path: Path,
) -> None:
    inner = SuperComponent(pipeline=echo("inner"))
    outer = Pipeline(metadata={"name": "outer"})
    outer.add_component("inner", inner)
    with recording(tmp_path, keep=0.0, wrappers=False) as recorder:
        outer.run({"inner": {"value": "x"}})
        asyncio.run(outer.run_async({"inner": {"value": "x"}}))

    assert recorder.runs == ()
    assert list(tmp_path.iterdir()) == []


def test_record_run_returns_the_run_whatever_the_recorder_keeps(tmp_path: Path) -> None:
    for keep in ("on_failure", 0.0):
        recorder = PipelineRecorder(tmp_path, keep=keep, wrappers=False)
        result, recorded = record_run(echo(), {"echo": {"value": "x"}}, recorder=recorder)
        assert result == {"echo": {"value": "x"}}
        assert recorded.status == "completed"
        assert recorder.runs == ()
    assert list(tmp_path.iterdir()) == []


def test_a_note_names_no_file_that_will_not_be_there(tmp_path: Path) -> None:
    recorder = PipelineRecorder(tmp_path, keep=0.0, wrappers=False)
    with pytest.raises(Exception, match="fail") as caught:
        record_run(echo(), {"echo": {"value": "fail"}}, recorder=recorder)
    assert not hasattr(caught.value, "__notes__")
    assert recorder.wait()
    assert list(tmp_path.iterdir()) == []


def test_nested_recorders_keep_what_each_of_them_wants(tmp_path: Path) -> None:
    everything, failures = tmp_path / "everything", tmp_path / "failures"
    got: list[str] = []
    with (
        recording(everything, wrappers=False) as outer,
        recording(failures, keep="on_failure", wrappers=False) as middle,
        recording(sink=lambda finished: got.append(finished.status), wrappers=False) as inner,
    ):
        run()
        with pytest.raises(Exception, match="fail"):
            run("fail")

    assert [each.status for each in outer.runs] == ["completed", "failed"]
    assert [each.status for each in middle.runs] == ["failed"]
    assert [each.status for each in inner.runs] == ["completed", "failed"]
    assert sorted(everything.iterdir()) == sorted(outer.paths)
    assert sorted(failures.iterdir()) == sorted(middle.paths)
    assert got == ["completed", "failed"]


def test_a_sink_gets_the_finished_run_and_may_fail() -> None:
    got: list[FinishedRun] = []

    def sink(finished: FinishedRun) -> None:
        got.append(finished)
        raise OSError("no network")

    with recording(sink=sink, wrappers=False) as recorder:
        run()
        run()

    assert len(got) == 2
    assert [load_run(each.to_bytes()).id for each in got] == [each.id for each in recorder.runs]


def test_a_stream_gets_the_records_of_the_run(tmp_path: Path) -> None:
    got: list[tuple[str, str]] = []
    follow = each_record(lambda run_id, record: got.append((run_id, record["record"])))
    with recording(tmp_path, stream=follow, wrappers=False) as recorder:
        run()

    (recorded,) = recorder.runs
    assert {run_id for run_id, _ in got} == {recorded.id}
    kinds = [kind for _, kind in got]
    assert (kinds[0], kinds[-1]) == ("run", "finish")
    assert kinds.count("start") == 2


def test_a_directory_is_kept_small(tmp_path: Path) -> None:
    limits = DirectoryLimits(max_files=3)
    with recording(tmp_path, directory_limits=limits, wrappers=False):
        for _ in range(6):
            run()
    assert len(list(tmp_path.iterdir())) == 3


def test_a_value_beyond_the_limit_is_left_out_and_said(tmp_path: Path) -> None:
    limits = WriteLimits(value_bytes=10_000)
    with recording(limits=limits, wrappers=False) as recorder:
        run("x" * 20_000)

    (recorded,) = recorder.runs
    stub = at(recorded, "echo#1").outputs["value"]
    assert (stub["$"], stub["size"]) == ("truncated", 20_000)
    assert any(note["what"] == "values" for note in recorded.not_recorded)
    assert recorded.header["recorder"]["settings"]["value_bytes"] == 10_000


def test_settings_that_make_no_sense_are_refused_in_words() -> None:
    with pytest.raises(RecordingError, match="compressed"):
        recording(compress="rar")
    with pytest.raises(RecordingError, match="Cannot keep"):
        recording(keep="sometimes")
    for name in ("limits", "directory_limits", "sink", "stream"):
        with pytest.raises(RecordingError, match=f"`{name}` has to be a"):
            recording(**{name: 500})


def test_a_directory_that_cannot_be_written_costs_the_host_nothing(tmp_path: Path) -> None:
    in_the_way = tmp_path / "file"
    in_the_way.write_text("not a directory")
    with recording(in_the_way, wrappers=False) as recorder:
        assert run() == {"echo": {"value": "x"}}

    (recorded,) = recorder.runs
    assert recorder.paths == ()
    assert drawn(recorded) == undented("""
        echo pipeline ok
          echo#1 other ok
        """)


async def test_the_async_block_waits_without_holding_up_the_loop(tmp_path: Path) -> None:
    async with recording(tmp_path, wrappers=False) as recorder:
        await echo().run_async({"echo": {"value": "x"}})
    assert [path.exists() for path in recorder.paths] == [True]


def test_only_files_that_are_still_there_are_listed(tmp_path: Path) -> None:
    limits = DirectoryLimits(max_files=2)
    with recording(tmp_path, directory_limits=limits) as recorder:
        for number in range(5):
            run(f"value {number}")
    assert len(recorder.paths) == 2
    assert sorted(recorder.paths) == sorted(tmp_path.glob("*.run.json"))
    assert len(recorder.runs) == 2
    recorder.paths[0].unlink()
    assert len(recorder.paths) == len(recorder.runs) == 1


@component
class Nested:
    """Enters a recorder of its own while it runs."""

    @component.output_types(value=str)
    def run(self, value: str) -> dict[str, str]:
        with recording():
            return {"value": value}


def test_a_recorder_inside_of_a_recorded_run_warns_whoever_wrote_it() -> None:
    pipeline = Pipeline()
    pipeline.add_component("nested", Nested())
    with pytest.warns(RuntimeWarning, match="kept as a part of that run") as told:
        _result, recorded = record_run(pipeline, {"nested": {"value": "x"}})
    assert told[0].filename == __file__, "the warning points at the block"
    assert recorded.status == "completed"

    async def inside() -> None:
        async with recording():
            return

    @component
    class Later:
        @component.output_types(value=str)
        def run(self, value: str) -> dict[str, str]:
            asyncio.run(inside())
            return {"value": value}

    with pytest.warns(RuntimeWarning, match="kept as a part of that run") as told:
        record_run(Later(), {"value": "x"})
    assert told[0].filename == __file__
