"""Exporting a run, importing that and exporting it again keeps every span."""

import json
from pathlib import Path

import pytest

from inspector import load_run, load_runs
from inspector.export import otlp
from inspector.export.kinds import Options
from tests.importers.files import FOREIGN
from tests.importers.table import SNAPSHOTS, TRACES

EXAMPLES = Path(__file__).parents[2] / "resources" / "examples"
NAMES = sorted(path.name for path in EXAMPLES.glob("*.run.json"))


def exported(run):
    """Return what a run is as a trace for OpenTelemetry."""
    return next(iter(otlp.make(run, Options()).files.values()))


def told(run):
    """Return what is told of each span: all but its values."""
    return [
        (span.kind, span.name, span.path, span.status, span.duration_ns, span.role)
        for span in run.spans
    ]


@pytest.mark.parametrize("name", NAMES)
def test_a_recorded_run_comes_back_with_every_span(name):
    run = load_run(EXAMPLES / name)
    again = load_run(exported(run))
    assert told(again) == told(run)
    assert again.name == run.name
    assert again.status == run.status
    for figure in ("total_tokens", "prompt_tokens", "calls", "unknown_calls"):
        assert again.usage.get(figure) == run.usage.get(figure)
    errors = [span.error.message for span in run.spans if span.error]
    assert [span.error.message for span in again.spans if span.error] == errors
    assert not again.problems


@pytest.mark.parametrize("name", NAMES)
def test_exporting_it_once_more_gives_the_same_spans(name):
    once = load_run(exported(load_run(EXAMPLES / name)))
    twice = load_run(exported(once))
    assert told(twice) == told(once)
    assert [span.outputs for span in twice.spans] == [span.outputs for span in once.spans]


@pytest.mark.parametrize("name", sorted(TRACES))
def test_what_was_imported_comes_back_with_every_span(name):
    for run in load_runs(FOREIGN / name):
        again = load_run(exported(run))
        assert [span.path for span in again.spans] == [span.path for span in run.spans]
        assert [span.kind for span in again.spans] == [span.kind for span in run.spans]
        assert [span.duration_ns for span in again.spans] == [s.duration_ns for s in run.spans]
        total = (run.usage or {}).get("total_tokens")
        assert (again.usage or {}).get("total_tokens") == total


@pytest.mark.parametrize("name", sorted(SNAPSHOTS))
def test_what_had_no_times_comes_back_as_ended_as_it_was(name):
    run = load_run(FOREIGN / "haystack_snapshot" / f"{name}.json")
    again = load_run(exported(run))
    assert [(each.path, each.status) for each in again.spans] == [
        (each.path, each.status) for each in run.spans
    ]
    assert again.status == run.status


def test_values_come_back_as_haystacks_objects():
    run = load_run(exported(load_run(EXAMPLES / "rag-answer.run.json")))
    documents = run.at("retriever#1").outputs["documents"]
    assert {each["$"] for each in documents} == {"document"}
    assert run.at("answer_builder#1").outputs["answers"][0]["$"] == "answer"
    assert '"dict"' not in json.dumps(run.at("retriever#1").outputs)
