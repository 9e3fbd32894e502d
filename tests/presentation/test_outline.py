import time
from typing import Any

import pytest

from inspector.presentation.outline import error_sentence, outline, span_label, total_tokens
from inspector.presentation.visible import columns
from inspector.presentation.words import duration_words
from inspector.runfile.model import PipelineRun
from inspector.runfile.usage import Usage
from tests.helpers.drawn_runs import run_from_outline, run_from_table
from tests.helpers.synthetic_tables import synthetic_table

AGENT = """
support:pipeline 0-900
  retriever 0-3
  agent 5-900
    step 5-638
      llm 5-420
      directory:tool 421-430 failed
      directory:tool 421-440
    step 640-900
      llm 640-900
"""
FIELDS: dict[str, dict[str, Any]] = {
    "llm": {"usage": {"input_tokens": 150, "output_tokens": 39, "total_tokens": 189}},
    "directory": {"error": {"type": "tools.ToolError", "message": "Closed\non \x1b[31mSundays"}},
}


def plain(text: str) -> list[str]:
    return text.replace("\u202f", " ").splitlines()


@pytest.fixture
def agent_run() -> PipelineRun:
    return run_from_outline(AGENT, fields=FIELDS)


def test_a_run_is_a_tree_in_aligned_columns(agent_run: PipelineRun) -> None:
    assert plain(outline(agent_run)) == [
        "support               pipeline    900 ms",
        "├─ retriever          component   3.0 ms",
        "└─ agent              agent       895 ms",
        "   ├─ step 0          agent step  633 ms",
        "   │  ├─ llm          LLM call    415 ms  189 tok",
        "   │  ├─ directory#1  tool call   9.0 ms           ✕ failed",
        "   │  │     ✕ ToolError: Closed on ␛[31mSundays",
        "   │  └─ directory#2  tool call    19 ms",
        "   └─ step 1          agent step  260 ms",
        "      └─ llm          LLM call    260 ms  189 tok",
    ]


def test_the_error_stands_where_it_began_and_not_at_its_echoes() -> None:
    error = {"error": {"type": "ValueError", "message": "no such city"}}
    run = run_from_outline(
        "pipeline 0-9 failed\n  outer 0-9 failed\n    inner 0-9 failed",
        fields={"pipeline": error, "outer": error, "inner": error},
    )
    lines = plain(outline(run))
    assert sum("no such city" in line for line in lines) == 1
    assert "no such city" in lines[-1]


def test_what_has_not_ended_has_no_duration() -> None:
    lines = plain(outline(run_from_outline("agent 0-\n  llm 0-5\n  search:tool 5-")))
    assert lines[0].split()[-3:] == ["–", "◌", "unfinished"]
    assert "0 ns" not in "".join(lines)


def test_names_in_two_column_letters_do_not_push_the_columns() -> None:
    run = run_from_outline("pipeline 0-9\n  a 0-4\n  b 4-9", fields={"a": {"name": "検索"}})
    durations = [duration_words(run.table.duration_ns(row)) for row in range(3)]
    ends = {
        columns(line[: line.index(words)]) + columns(words)
        for line, words in zip(outline(run).splitlines(), durations, strict=True)
    }
    assert len(ends) == 1


def test_no_line_of_a_hostile_run_ever_moves_the_cursor() -> None:
    fields = {
        "a": {"name": "x\x1b[2J\r\n\x07", "error": {"type": "E\x1b[0m", "message": "\x1b]0;t\x07"}}
    }
    text = outline(run_from_outline("pipeline 0-9\n  a 0-4 failed\n  b 4-9", fields=fields))
    assert not any(sign < " " and sign != "\n" for sign in text)
    assert len(text.splitlines()) == 4


def test_a_step_is_called_by_its_number_and_the_nameless_by_their_kind() -> None:
    run = run_from_outline("agent 0-9\n  step 0-4\n  llm 4-9", fields={"llm": {"name": ""}})
    assert [span_label(run, row) for row in range(3)] == ["agent", "step 0", "LLM call"]


def test_tokens_without_a_total_are_added_up_and_unknown_ones_stay_unknown() -> None:
    assert total_tokens(Usage(input_tokens=3, output_tokens=4)) == 7
    assert total_tokens(Usage(total_tokens=9, input_tokens=3)) == 9
    assert total_tokens(Usage()) is None


def test_a_span_without_an_error_has_no_sentence(agent_run: PipelineRun) -> None:
    assert error_sentence(agent_run.spans[0]) == ""


def test_a_run_without_spans_has_an_empty_outline() -> None:
    assert outline(run_from_outline("")) == ""


def test_a_very_deep_run_keeps_its_lines_short() -> None:
    depth = 400
    drawing = "\n".join("  " * level + f"n{level}:other 0-9" for level in range(depth))
    lines = outline(run_from_outline(drawing)).splitlines()
    assert len(lines) == depth
    assert max(map(len, lines)) < 200


def test_a_hundred_thousand_spans_take_seconds_not_minutes() -> None:
    run = run_from_table(synthetic_table(100_000))
    began = time.perf_counter()
    assert outline(run).count("\n") >= 100_000 - 1
    assert time.perf_counter() - began < 30
