"""Sessions of Claude Code: replies in several lines, tools, sidechains, what is no message."""

import json

import pytest

from inspector import load_run, load_runs
from inspector.errors import RunFileError
from tests.importers.files import FOREIGN, drawn, import_note, total_tokens

NUMBERS = iter(range(10**6))


def line(kind, second, message, **fields):
    return {"type": kind, "uuid": f"u{next(NUMBERS)}", "parentUuid": None, "isSidechain": False,
            "sessionId": "s", "timestamp": f"2026-01-01T00:00:{second:02}.000Z",
            "message": message, **fields}  # fmt: skip


def user(second, content, **fields):
    return line("user", second, {"role": "user", "content": content}, **fields)


def reply(second, id_, *content, usage=(4, 3), **fields):
    message = {"id": id_, "role": "assistant", "model": "m", "content": list(content),
               "usage": {"input_tokens": usage[0], "output_tokens": usage[1]}}  # fmt: skip
    return line("assistant", second, message, **fields)


def uses(id_, name="Bash"):
    return {"type": "tool_use", "id": id_, "name": name, "input": {"command": "ls"}}


def result(id_, content="a.txt", **fields):
    return [{"type": "tool_result", "tool_use_id": id_, "content": content, **fields}]


def text(said):
    return {"type": "text", "text": said}


def written(*lines):
    return "\n".join(map(json.dumps, lines)).encode()


SESSION = [
    user(1, "what is there?"), reply(2, "a", text("Let me look"), usage=(4, 1)),
    reply(3, "a", uses("t1"), usage=(4, 3)), user(5, result("t1")), reply(7, "b", text("a.txt")),
]  # fmt: skip


def test_a_session_is_an_agent_with_its_calls_and_tools():
    run = load_run(written(*SESSION))
    assert import_note(run)["format"] == "claude-code"
    assert drawn(run) == "agent(m Bash m)"
    assert [span.status for span in run.spans] == ["ok"] * 4
    call, tool = run.spans[1:3]
    assert (call.duration_ns, tool.duration_ns) == (2_000_000_000, 2_000_000_000)
    assert tool.outputs == "a.txt"
    assert "asked for it" in tool.not_recorded["start_ns"]
    assert run.status == "completed"
    assert run.inputs["messages"][0]["content"] == [{"text": "what is there?"}]


def test_a_reply_in_several_lines_counts_once_with_its_last_figures():
    assert total_tokens(load_run(written(*SESSION))) == 14
    run = load_run(FOREIGN / "odd" / "claude_same_message_id_3_lines.jsonl")
    assert run.usage["cached_tokens"] == 100
    assert [span.usage.output_tokens for span in run.spans if span.kind == "llm"] == [20, 7]


def test_a_line_that_is_told_again_counts_once():
    assert total_tokens(load_run(written(*SESSION, *SESSION))) == 14


def test_a_tool_that_failed_says_what_it_said():
    lines = [*SESSION[:3], user(5, result("t1", "no such file", is_error=True)), SESSION[4]]
    run = load_run(written(*lines))
    assert run.spans[2].status == "failed"
    assert run.spans[2].error.message == "no such file"


def test_a_tool_without_a_result_leaves_the_session_incomplete():
    run = load_run(written(*SESSION[:3]))
    assert run.spans[2].status == "unfinished"
    assert run.status == "incomplete"


def test_a_sidechain_is_an_agent_of_its_own():
    side = [user(4, "search", isSidechain=True), reply(5, "c", text("found"), isSidechain=True)]
    run = load_run(written(*SESSION[:3], *side, *SESSION[3:]))
    assert drawn(run) == "agent(m Bash sidechain(m) m)"
    assert total_tokens(run) == 21


def test_what_is_no_message_is_counted_and_a_summary_names_the_session():
    summary = {"type": "summary", "summary": "Looking around", "leafUuid": "x"}
    snapshot = {"type": "file-history-snapshot", "messageId": "x"}
    run = load_run(written(summary, snapshot, *SESSION))
    assert run.name == "Looking around"
    assert import_note(run)["skipped"] == [{"what": "entry that is no message", "count": 1}]


def test_two_sessions_in_one_file_are_two_runs():
    other = [user(1, "hi", sessionId="t"), reply(2, "z", text("!"), sessionId="t")]
    assert [len(run.spans) for run in load_runs(written(*SESSION, *other))] == [4, 2]


def test_an_export_in_one_piece_is_read():
    run = load_run(json.dumps({"loglines": SESSION}).encode())
    assert drawn(run) == "agent(m Bash m)"


def test_a_last_line_that_is_cut_is_counted():
    run = load_run(written(*SESSION)[:-30])
    assert drawn(run) == "agent(m Bash)"
    assert import_note(run)["skipped"][0]["count"] == 1


def test_a_session_without_messages_is_refused_in_words():
    with pytest.raises(RunFileError, match="without a message"):
        load_run(written({"type": "summary", "summary": "x", "leafUuid": "y"}))


def test_saving_and_opening_again_keeps_every_span(tmp_path):
    run = load_run(written(*SESSION))
    run.save(tmp_path / "a.run.json")
    again = load_run(tmp_path / "a.run.json")
    assert [span.raw for span in again.spans] == [span.raw for span in run.spans]
