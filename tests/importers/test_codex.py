"""Sessions of Codex: what is told twice counts once, in both of their shapes."""

import pytest

from inspector import load_run
from inspector.errors import RunFileError
from tests.importers.files import drawn, import_note, total_tokens
from tests.importers.made_codex import codex_session, entry, session_lines


def test_a_session_is_an_agent_with_its_calls_and_tools():
    run = load_run(codex_session())
    assert import_note(run)["format"] == "codex"
    assert drawn(run) == "agent(gpt-x shell gpt-x)"
    assert [span.status for span in run.spans] == ["ok"] * 4
    call, tool, last = run.spans[1:]
    assert (call.duration_ns, tool.duration_ns) == (2_000_000_000, 2_000_000_000)
    assert tool.inputs == {"command": ["ls"]}
    assert tool.outputs == "a.txt"
    assert tool.tags == {"exit_code": 0}
    assert call.outputs["replies"][0]["content"][0] == {"reasoning": {"text": "look"}}
    assert last.outputs["replies"][0]["content"] == [{"text": "a.txt"}]
    assert run.duration_ns == 7_000_000_000


def test_figures_that_come_again_count_once_and_sums_do_not_count():
    run = load_run(codex_session())
    assert total_tokens(run) == 37
    assert run.usage["cached_tokens"] == 14


def test_sessions_of_older_versions_are_read():
    bare = [line["payload"] for line in session_lines() if line["type"] == "response_item"]
    first = {"id": "0b1", "timestamp": "2025-01-01T00:00:00Z", "instructions": None}
    run = load_run(codex_session([first, {"record_type": "state"}, *bare]))
    assert import_note(run)["format"] == "codex"
    assert [span.kind for span in run.spans] == ["agent", "llm", "tool", "llm"]
    assert total_tokens(run) is None
    assert run.duration_ns is None
    assert "start_ns" in run.spans[0].not_recorded


def test_a_tool_that_says_that_it_failed_failed():
    lines = session_lines()
    lines[8]["payload"]["output"] = {"content": "no such file", "success": False}
    run = load_run(codex_session(lines))
    assert run.spans[2].status == "failed"
    assert run.spans[2].error.message == "no such file"


def test_an_error_ends_a_session_and_a_next_turn_takes_it_up():
    failed = entry(9, "event_msg", {"type": "error", "message": "no more quota"})
    run = load_run(codex_session([*session_lines(), failed]))
    assert run.status == "failed"
    assert run.roots[0].error.message == "no more quota"
    again = entry(10, "event_msg", {"type": "task_started"})
    assert load_run(codex_session([*session_lines(), failed, again])).status == "completed"


def test_a_session_that_breaks_off_is_incomplete_and_its_cut_line_is_counted():
    run = load_run(codex_session(session_lines()[:9])[:-20])
    assert run.spans[2].status == "unfinished"
    assert run.status == "incomplete"
    assert import_note(run)["skipped"][0]["count"] == 1


def test_a_session_without_messages_is_refused_in_words():
    with pytest.raises(RunFileError, match="without a message"):
        load_run(codex_session(session_lines()[:2]))


def test_saving_and_opening_again_keeps_every_span(tmp_path):
    run = load_run(codex_session())
    run.save(tmp_path / "a.run.json")
    again = load_run(tmp_path / "a.run.json")
    assert [span.raw for span in again.spans] == [span.raw for span in run.spans]
