"""Runs that go somewhere else than to a disk, and that are kept or not."""

import logging
import threading
from typing import Any

import pytest

from inspector.errors import RecordingError
from inspector.recording.keep import AnyOf, Keep, OnFailure, Sampled, keep_policy
from inspector.recording.sinks import FinishedRun, each_record, several_sinks, several_streams
from inspector.runfile.interned import Interned
from inspector.runfile.journal import RunWriter
from inspector.runfile.load import load_run
from tests.writing.writing import TIMEOUT_S, a_run, header, span

LONG = "The vents opened at noon. " * 20


def fails(*_: Any) -> None:
    raise ConnectionError("no network")


def finish(status: str, **options: Any) -> RunWriter:
    writer = RunWriter(header(), **options)
    writer.start(span(inputs={"text": Interned(LONG)}))
    writer.end("s1", 2_000, "ok", {})
    writer.finish({"status": status})
    assert writer.wait(TIMEOUT_S)
    return writer


def test_a_sink_gets_the_whole_run_and_nothing_touches_the_disk(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    got: list[FinishedRun] = []
    writer = finish("completed", sink=got.append)
    assert (got[0].id, got[0].status, got[0].path) == (writer.load().id, "completed", None)
    assert load_run(got[0].to_bytes()).spans[0].inputs == {"text": LONG}
    assert got[0].load().verify().state == "ok"
    assert list(tmp_path.iterdir()) == []


def test_a_sink_beside_a_file_is_told_where_it_is(tmp_path):
    got: list[FinishedRun] = []
    finish("completed", sink=got.append, target=tmp_path / "a.run.json")
    assert got[0].path == tmp_path / "a.run.json"
    assert got[0].to_bytes() == got[0].path.read_bytes()


def test_sinks_run_on_a_thread_of_their_own_and_do_not_hold_up_other_runs(tmp_path):
    release, threads = threading.Event(), []

    def slow(_run: FinishedRun) -> None:
        threads.append(threading.current_thread().name)
        assert release.wait(TIMEOUT_S)

    held = RunWriter(header(), sink=slow)
    held.finish({"status": "completed"})
    with a_run(target=tmp_path / "other.run.json") as other:
        other.start(span())
    assert other.path is not None
    assert not held.wait(0)
    release.set()
    assert held.wait(TIMEOUT_S)
    assert threads == ["inspector-sinks"]


def test_a_sink_that_fails_is_logged_and_hurts_nobody(caplog):
    got: list[FinishedRun] = []
    with caplog.at_level(logging.WARNING, "inspector.recording"):
        writer = finish("completed", sink=fails)
        finish("completed", sink=several_sinks(fails, got.append))
    assert writer.load().spans[0].inputs == {"text": LONG}
    assert len(got) == 1
    assert caplog.text.count("ConnectionError: no network") >= 2


def test_a_stream_gets_the_records_in_the_order_of_the_journal():
    got: list[tuple[str, dict[str, Any]]] = []
    finish("completed", stream=each_record(lambda *one: got.append(one)))
    assert {run_id for run_id, _ in got} == {got[0][1]["run"]["id"]}
    assert [record["record"] for _, record in got] == ["run", "value", "start", "end", "finish"]
    assert got[0][1]["format"] == "haystack-run"
    assert got[-1][1]["fields"]["status"] == "completed"


def test_the_lines_of_a_stream_open_as_a_run(tmp_path):
    lines: list[bytes] = []
    finish("completed", stream=several_streams(fails, lambda _, text: lines.append(text)))
    (tmp_path / "a.run.jsonl").write_bytes(b"".join(lines))
    run = load_run(tmp_path / "a.run.jsonl")
    assert (str(run.status), run.spans[0].inputs) == ("completed", {"text": LONG})


def test_a_run_that_is_only_streamed_is_not_kept_in_memory():
    writer = finish("completed", stream=lambda *_: None)
    with pytest.raises(RecordingError, match="was not kept"):
        writer.load()


def test_only_failed_runs_are_kept_where_that_is_wanted(tmp_path):
    got: list[FinishedRun] = []
    for status in ("completed", "failed", "canceled", "paused"):
        finish(
            status, keep=OnFailure().keeps, sink=got.append,
            target=tmp_path / f"{status}.run.json",
        )  # fmt: skip
    assert {path.name.split(".")[0] for path in tmp_path.iterdir()} == {
        "failed", "canceled", "paused",
    }  # fmt: skip
    assert [run.status for run in got] == ["failed", "canceled", "paused"]


def test_a_policy_that_fails_keeps_the_run(tmp_path):
    finish("completed", keep=fails, target=tmp_path / "a.run.json")
    assert (tmp_path / "a.run.json").exists()


def test_a_sample_is_the_same_for_everybody_and_about_as_large_as_asked():
    ids = [header()["id"] for _ in range(4_000)]
    sample = [run_id for run_id in ids if Sampled(0.1).may_keep(run_id)]
    assert sample == [run_id for run_id in ids if Sampled(0.1).keeps({"id": run_id})]
    assert set(sample) <= {run_id for run_id in ids if Sampled(0.2).may_keep(run_id)}
    assert 300 < len(sample) < 500
    assert all(Sampled(1).may_keep(run_id) for run_id in ids)
    assert not any(Sampled(0).may_keep(run_id) for run_id in ids)


def test_policies_can_be_mixed_and_written_in_words():
    policy = keep_policy(("on_failure", 0.0))
    assert isinstance(policy, AnyOf)
    assert policy.may_keep("any")
    assert policy.keeps({"id": "any", "status": "failed"})
    assert not policy.keeps({"id": "any", "status": "completed"})
    assert keep_policy("always").keeps({})
    assert isinstance(keep_policy(policy), Keep)


@pytest.mark.parametrize("wanted", ["sometimes", 1.5, -0.1, None, True, ()])
def test_a_policy_that_makes_no_sense_is_refused_in_words(wanted):
    with pytest.raises(RecordingError) as refused:
        keep_policy(wanted)
    assert refused.value.hint


def test_what_is_done_after_saving_is_told_the_path(tmp_path):
    saved: list[Any] = []
    finish("completed", saved=saved.append, target=tmp_path / "a.run.json")
    finish("completed", saved=saved.append)
    assert saved == [tmp_path / "a.run.json"]
