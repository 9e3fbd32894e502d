"""What is said where a run has no place to be kept, or a recorder comes too late."""

import logging

import pytest

pytest.importorskip("haystack", reason="records real pipelines")

from haystack import Pipeline, component

from inspector import PipelineRecorder, record_run, recording
from inspector.recording import guest


@component
class Refuses:
    @component.output_types(word=str)
    def run(self, word: str) -> dict[str, str]:
        raise ValueError(word)


@component
class RecordsInside:
    @component.output_types(count=int)
    def run(self, word: str) -> dict[str, int]:
        with recording() as recorder:
            pass
        return {"count": len(recorder.runs)}


def pipeline_of(part):
    pipeline = Pipeline()
    pipeline.add_component("part", part)
    return pipeline


def test_the_log_says_how_to_keep_a_failed_run_that_nothing_keeps(caplog, monkeypatch):
    monkeypatch.setattr(guest, "_SAID", set())
    with (
        caplog.at_level(logging.WARNING, logger="inspector.recording"),
        pytest.raises(Exception, match="pump") as caught,
    ):
        record_run(pipeline_of(Refuses()), {"part": {"word": "pump"}})
    assert "PipelineRecorder" in caplog.text
    assert not getattr(caught.value, "__notes__", [])


def test_a_failed_run_is_kept_by_the_recorder_that_was_given(caplog):
    recorder = PipelineRecorder()
    with pytest.raises(Exception, match="pump"):
        record_run(pipeline_of(Refuses()), {"part": {"word": "pump"}}, recorder=recorder)
    assert recorder.runs[-1].status == "failed"
    assert "nothing keeps" not in caplog.text


def test_a_recorder_inside_of_a_recorded_run_says_that_it_comes_too_late(caplog, monkeypatch):
    monkeypatch.setattr(guest, "_SAID", set())
    with caplog.at_level(logging.WARNING, logger="inspector.recording"):
        record_run(pipeline_of(RecordsInside()), {"part": {"word": "pump"}})
    assert "inside of a run that is being recorded" in caplog.text
