import ast
import json
from pathlib import Path

import pytest

from inspector import load_run
from inspector.findings import check
from inspector.presentation.copies import (
    issue_summary,
    prompt_of,
    replay_test,
    tool_calls_of,
    value_json,
)
from inspector.presentation.verdict import verdict
from inspector.runfile.model import PipelineRun
from tests.helpers.drawn_runs import run_from_outline

EXAMPLES = Path(__file__).parents[2] / "resources" / "examples"


@pytest.fixture(scope="module")
def agent_run() -> PipelineRun:
    return load_run(EXAMPLES / "agent-tools.run.json")


def renamed(run: PipelineRun, name: str) -> PipelineRun:
    spans = ",\n".join(json.dumps(span.raw) for span in run.spans)
    head = json.dumps({**run.header, "name": name})
    text = f'{{"format":"haystack-run","version":1,"run":{head},\n"spans":[\n{spans}\n]}}'
    return load_run(text.encode())


def summary_of(run: PipelineRun, at: str | None = None) -> str:
    return issue_summary(run, verdict(run), check(run), at)


def test_a_summary_says_how_it_ended_what_was_found_and_where_it_ran(
    agent_run: PipelineRun,
) -> None:
    text = summary_of(agent_run)
    assert text.startswith("### `greenhouse_assistant` completed in ")
    assert "LLM calls · " in text
    assert "**Findings**" in text
    assert "| Haystack | `" in text
    assert "| Python | `" in text


def test_a_summary_tells_of_the_span_that_failed(agent_run: PipelineRun) -> None:
    text = summary_of(agent_run, "s8")
    assert "At `assistant#1/step0/tool:read_sensor[1]` (`s8`)" in text
    assert "```text" in text


def test_a_summary_names_no_folder(agent_run: PipelineRun) -> None:
    assert str(EXAMPLES) not in summary_of(agent_run)


def test_what_a_file_says_does_nothing_in_an_issue() -> None:
    run = run_from_outline(
        "pipeline 0-10 failed\n  a 1-5 failed\n",
        fields={
            "a": {
                "error": {
                    "type": "builtins.ValueError",
                    "message": "```\n@maintainer ![x](https://example.org/x) </details>",
                }
            }
        },
    )
    run = renamed(run, "x` @maintainer <img src=https://example.org/y> | **b**")
    text = summary_of(run, "s2")
    head, _, rest = text.partition("\n")
    assert head.startswith("### ``x` @maintainer")  # all of the name is code
    assert "````text\nbuiltins.ValueError: ```\n@maintainer" in rest
    outside = _outside_code(text)
    assert "@maintainer" not in outside
    assert "![" not in outside
    assert "<img" not in outside
    assert "https://" not in outside


def _outside_code(text: str) -> str:
    """Return what of a Markdown text is not code, by our own reading of fences and ticks."""
    kept: list[str] = []
    fence = ""
    for line in text.splitlines():
        if fence:
            fence = "" if line == fence else fence
        elif line.startswith("```"):
            fence = line.removesuffix("text")
        else:
            kept.append(_without_code(line))
    return "\n".join(kept)


def _without_code(line: str) -> str:
    out, at = "", 0
    while at < len(line):
        if line[at] != "`" or line[at - 1 : at] == "\\":
            out, at = out + line[at], at + 1
            continue
        ticks = len(line) - at - len(line[at:].lstrip("`"))
        end = line.find("`" * ticks, at + ticks)
        while end >= 0 and line[end + ticks : end + ticks + 1] == "`":
            end = line.find("`" * ticks, end + ticks + 1)
        assert end >= 0
        at = end + ticks
    return out


def test_the_prompt_is_every_turn_that_was_sent_and_no_reply(agent_run: PipelineRun) -> None:
    text = prompt_of(agent_run, agent_run.span("s6"))
    assert text.startswith("system:\n")
    assert "\n\nuser:\n" in text
    assert "assistant:" not in text
    assert prompt_of(agent_run, agent_run.span("s5")) == text  # a step is its LLM call
    assert prompt_of(agent_run, agent_run.span("s7")) == ""


def test_a_tool_call_is_its_name_and_its_arguments(agent_run: PipelineRun) -> None:
    call = json.loads(tool_calls_of(agent_run.span("s7")))
    assert call["name"] == "read_sensor"
    assert call["arguments"] == dict(agent_run.span("s7").arguments)
    asked = tool_calls_of(agent_run.span("s6"))
    assert asked.count('"name"') == 3
    assert tool_calls_of(agent_run.span("s5")) == ""


def test_a_value_is_the_field_or_else_what_the_span_gave(agent_run: PipelineRun) -> None:
    span = agent_run.span("s7")
    assert json.loads(value_json(agent_run, span, "inputs.bed")[0]) == span.inputs["bed"]
    assert value_json(agent_run, span, "outputs.nowhere")[1] == "outputs"
    assert value_json(agent_run, agent_run.span("s5"), None) == ("", "")


def test_the_test_is_python_that_names_the_recording(agent_run: PipelineRun) -> None:
    text = replay_test(agent_run, 'agent "x".run.json')
    (test,) = [node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)]
    assert test.name == "test_greenhouse_assistant_does_what_it_did"
    (mark,) = test.decorator_list
    assert isinstance(mark, ast.Call)
    assert ast.literal_eval(mark.args[0]) == 'agent "x".run.json'
    assert [one.arg for one in test.args.args] == ["replayed"]


def test_the_test_is_python_whatever_a_run_is_called() -> None:
    run = run_from_outline("pipeline 0-10\n  a 1-5\n")
    run = renamed(run, '"""\nimport os; os.abort()')
    tree = ast.parse(replay_test(run, "a\n'''.run.json"))
    assert [type(node).__name__ for node in tree.body] == ["Import", "ImportFrom", "FunctionDef"]
