"""Held calls that go away by themselves, because something beside them failed."""

import sys
from typing import Any

import pytest

from inspector import record_run
from inspector.recording.finding import found_target
from inspector.replay.host import Worker
from tests.replay.worker.conftest import Project, of, played

PAIR = '''
    """Two calls that go on at once, one of which may fail and take the other with it."""

    import os

    from haystack import Pipeline, component


    @component
    class Steady:
        __haystack_side_effecting__ = False

        @component.output_types(said=str)
        def run(self, what: str):
            return {"said": what}

        @component.output_types(said=str)
        async def run_async(self, what: str):
            return {"said": what}


    @component
    class Fragile:
        __haystack_side_effecting__ = False

        @component.output_types(said=str)
        def run(self, what: str):
            if os.environ.get("BREAKS"):
                raise ValueError("it broke")
            return {"said": what}

        @component.output_types(said=str)
        async def run_async(self, what: str):
            return self.run(what)


    def pair():
        pipeline = Pipeline(metadata={"name": "pair"})
        pipeline.add_component("steady", Steady())
        pipeline.add_component("fragile", Fragile())
        return pipeline
'''


def test_a_held_call_whose_pipeline_fails_beside_it_is_told_to_be_held_no_more(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.write("pair", PAIR)
    data = {"steady": {"what": "a"}, "fragile": {"what": "b"}}
    _result, run = record_run(found_target("pair:pair"), data)
    run.save(project.path("pair"))
    sys.modules.pop("pair", None)
    monkeypatch.setenv("BREAKS", "1")
    held: dict[str, int] = {}

    def on_pause(worker: Worker, event: dict[str, Any]) -> None:
        held[event["name"]] = event["pause"]
        if len(held) == 2:  # both are held; only the one that fails is let go
            worker.go_on(held["fragile"])

    job = project.job(
        "pair", "pair:pair", asynchronous=True, mode="drift_ok",
        breakpoints=({"kinds": ["component"]},),
    )  # fmt: skip
    events = played(project.worker(job), on_pause)
    resumed = [each["pauses"] for each in of(events, "resumed")]
    assert resumed == [[held["fragile"]], [held["steady"]]]
    assert events[-1]["outcome"] == "failed", events[-1]
