"""Every foreign file holds what a person reads in it."""

import json

import pytest

from inspector import load_runs
from inspector.importers.opening import load_run
from tests.importers.files import FOREIGN, drawn, import_note, total_tokens
from tests.importers.table import ODD_SNAPSHOTS, SNAPSHOTS, TRACES
from tests.importers.table_agents import AGENTS
from tests.importers.table_calls import CALLS

SNAPSHOT_FILES = {f"haystack_snapshot/{name}.json": each for name, each in SNAPSHOTS.items()}
TRACE_FILES = {**TRACES, **CALLS, **AGENTS}
ODD_FILES = {f"odd/{name}.json": each for name, each in ODD_SNAPSHOTS.items()}


@pytest.mark.parametrize("name", TRACE_FILES)
def test_a_trace_holds_what_the_table_says(name):
    runs = load_runs(FOREIGN / name)
    wanted = TRACE_FILES[name]
    assert [drawn(run) for run in runs] == [each.tree for each in wanted]
    for run, each in zip(runs, wanted, strict=True):
        assert len(run.spans) == each.spans
        assert total_tokens(run) == each.tokens
        assert run.duration_ns == each.duration_ns
        assert sorted(span.path for span in run.spans if span.status == "failed") == sorted(
            each.failed
        )
        assert run.status == each.status
        held = [(span.inputs, span.outputs) for span in run.spans]
        assert each.said in json.dumps(held, ensure_ascii=False)


@pytest.mark.parametrize("name", [*SNAPSHOT_FILES, *ODD_FILES])
def test_a_snapshot_holds_what_the_table_says(name):
    wanted = {**SNAPSHOT_FILES, **ODD_FILES}[name]
    run = load_run(FOREIGN / name)
    done = [span for span in run.spans if span.status == "ok"]
    visits: dict[str, int] = {}
    for span in done:
        if span.path.count("/") == 0:
            visits[span.name] = visits.get(span.name, 0) + 1
    assert visits == wanted.visits
    # The pipeline and the agent were left on the way, too: the innermost span is where it stopped.
    left = [span for span in run.spans if span.status == "unfinished"]
    assert left[-1].path == wanted.stopped
    assert {span.kind for span in left[:-1]} <= {"pipeline", "component", "agent"}
    assert tuple(span.path for span in done if "/" in span.path) == wanted.inner
    assert total_tokens(run) == wanted.tokens
    kept = {span.path for span in done if span.outputs is not None and "/" not in span.path}
    assert kept == set(wanted.outputs)
    assert all(span.duration_ns is None for span in run.spans)
    assert run.status == "incomplete"
    assert run.duration_ns is None
    assert import_note(run)["losses"]


def test_the_table_leaves_out_no_trace_and_no_snapshot():
    # Empty files and those that are cut off have tests of their own.
    alone = {"odd/snapshot_truncated_after_key.json", "odd/snapshot_schema_data_mismatch.json",
             "odd/otlp_empty_resourceSpans.json"}  # fmt: skip
    files = [
        path.relative_to(FOREIGN).as_posix()
        for folder in ("otlp_json", "haystack_snapshot", "langfuse_otlp", "otel_console",
                       "pydantic_ai", "mlflow_trace", "hayhooks_traces", "zipkin_json",
                       "haystack_logging_tracer", "openai_chat_log", "openai_batch",
                       "vcr_cassette", "inspect", "swe_agent", "otlp_protobuf")
        for path in (FOREIGN / folder).iterdir()
        if path.stat().st_size
    ]  # fmt: skip
    odd = [path.relative_to(FOREIGN).as_posix() for path in (FOREIGN / "odd").glob("*")]
    files += [name for name in odd if "snapshot" in name or "otlp" in name]
    assert set(files) - alone <= {*TRACE_FILES, *SNAPSHOT_FILES, *ODD_FILES}
