"""What Haystack's LoggingTracer writes, behind whatever people put before their messages."""

import json

import pytest

from inspector import load_run, load_runs
from inspector.errors import RunFileError
from tests.importers.files import FOREIGN, drawn, import_note, total_tokens

LOGS = FOREIGN / "haystack_logging_tracer"
LINES = [
    ("Operation: haystack.component.run", {"name": "gull", "type": "a.Gull",
     "input": '{"text": "two\\nlines = 2"}', "visits": 1, "output": '{"said": 1}'}),
    ("Operation: haystack.component.run", {"name": "llm", "type": "OpenAIChatGenerator",
     "input": "{}", "visits": 1}),
]  # fmt: skip


def log(prefix, reset="\x1b[0m", colour=""):
    lines = ["something else before", f"{prefix}unrelated"]
    for operation, tags in LINES:
        lines.append(f"{prefix}{operation}")
        lines += [f"{prefix}{colour}haystack.component.{k}={v}{reset}" for k, v in tags.items()]
        lines.append("2026-01-01 [info] Running component")
    lines += [f"{prefix}Operation: haystack.pipeline.run",
              f"{prefix}haystack.pipeline.max_runs_per_component=100{reset}"]  # fmt: skip
    return "\n".join(lines).encode()


@pytest.mark.parametrize(
    "prefix",
    ["", "DEBUG - haystack.tracing.logging_tracer -  ", "2026-01-01 10:00:00,123 [debug] ",
     "\x1b[2m2026-01-01T10:00:00.5Z\x1b[0m [\x1b[32mdebug\x1b[0m] "],
)  # fmt: skip
@pytest.mark.parametrize("reset", ["", "\x1b[0m"])
def test_operations_are_found_behind_any_prefix(prefix, reset):
    run = load_run(log(prefix, reset))
    assert import_note(run)["format"] == "logging-tracer"
    assert drawn(run) == "pipeline(gull llm)"
    assert run.spans[1].inputs == {"text": "two\nlines = 2"}
    assert run.spans[1].outputs == {"said": 1}


def test_colours_are_no_part_of_a_value():
    run = load_run(log("DEBUG ", colour="\x1b[1;31m"))
    assert run.spans[1].inputs == {"text": "two\nlines = 2"}


def test_structured_logs_are_read():
    lines = [json.dumps({"event": line, "level": "debug"}) for line in log("").decode().split("\n")]
    run = load_run("\n".join(lines).encode())
    assert drawn(run) == "pipeline(gull llm)"


def test_a_value_of_several_lines_stays_in_one_piece():
    data = log("DEBUG ").replace(b'{"said": 1}', b"first\n\nthird")
    assert load_run(data).spans[1].outputs == "first\n\nthird"


def test_an_operation_without_its_output_failed():
    run = load_run(LOGS / "logging_tracer_error.log")
    assert run.at("llm#1").status == "failed"
    assert "does not say what" in run.at("llm#1").error.message
    assert total_tokens(run) is None


def test_the_log_says_what_it_lacks_and_ended_operations_are_no_unfinished_ones():
    run = load_run(LOGS / "logging_tracer_rag.log")
    assert {each.partition(":")[0] for each in import_note(run)["losses"]} == {
        "times and durations", "nesting", "errors"
    }  # fmt: skip
    assert {span.status for span in run.spans} == {"ok"}
    assert all(span.duration_ns is None for span in run.spans)
    assert run.status == "completed"


def test_an_agents_steps_stand_inside_of_it():
    names = ["agent.step.llm", "agent.step.tool", "agent.step", "agent.step.llm", "agent.step",
             "agent.run"]  # fmt: skip
    lines = ["x Operation: haystack.component.run", "x haystack.component.name=first"]
    lines += [f"x Operation: haystack.{name}" for name in names]
    lines += ["x Operation: haystack.component.run", "x haystack.component.name=agent",
              "x haystack.component.type=Agent", "x Operation: haystack.pipeline.run"]  # fmt: skip
    run = load_run("\n".join(lines).encode())
    assert [len(run.children(span)) for span in run.spans if span.kind == "step"] == [2, 1]
    assert [span.name for span in run.children(run.roots[0])] == ["first", "agent"]


def test_two_pipelines_are_two_runs():
    data = log("DEBUG ")
    assert [len(run.spans) for run in load_runs(data + b"\n" + data)] == [3, 3]


def test_a_log_that_is_cut_off_before_its_pipeline_ended_shows_what_did():
    data = log("DEBUG ")
    run = load_run(data[: data.index(b"haystack.pipeline.run") - 20])
    assert sorted(span.name for span in run.spans) == ["gull", "llm"]


def test_a_log_without_operations_is_none():
    with pytest.raises(RunFileError):
        load_run(b"DEBUG - nothing to see\nINFO - here\n")
