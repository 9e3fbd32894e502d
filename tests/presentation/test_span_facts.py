from typing import Any

from inspector.presentation.span_facts import span_facts
from inspector.presentation.walk import Walk
from tests.helpers.drawn_runs import run_from_outline

AGENT = """
agent 0-900
  step 5-638
    llm 5-420
    directory:tool 421-430 failed
  step 640-900
    llm 640-900
"""
FIELDS: dict[str, dict[str, Any]] = {
    "llm": {"usage": {"input_tokens": 1150, "output_tokens": 39, "total_tokens": 1189}},
    "directory": {"error": {"type": "tools.ToolError", "message": "Closed on \x1b[31mSundays"}},
}


def facts(name: str) -> list[str]:
    run = run_from_outline(AGENT, fields=FIELDS)
    row = next(row for row in range(len(run.table)) if run.table.name(row) == name)
    return [line.replace("\u202f", " ") for line in span_facts(run, row, Walk(run.table))]


def test_a_call_is_said_with_its_tokens_and_its_visit() -> None:
    assert facts("llm") == [
        "llm",
        "LLM call · 415 ms · 1 189 tok",
        "began at 5.0 ms · visit 1 of 2",
        "step0/llm",
    ]


def test_a_failure_is_said_with_its_error_which_cannot_act() -> None:
    assert facts("directory") == [
        "directory",
        "Tool call · 9.0 ms · ✕ failed",
        "began at 421 ms",
        "step0/tool:directory[0]",
        "ToolError: Closed on ␛[31mSundays",
    ]
