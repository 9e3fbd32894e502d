"""Messages of Pydantic-AI: turns, tools that failed or never answered, and what is missing."""

import json

import pytest

from inspector import load_run
from inspector.errors import RunFileError
from tests.importers.files import FOREIGN, drawn, import_note, total_tokens

SAMPLE = FOREIGN / "pydantic_ai" / "pydantic_ai_all_messages.json"


def at(second):
    return f"2026-01-01T00:00:{second:02}Z"


def request(second, *parts, **fields):
    return {"kind": "request", "timestamp": at(second), "parts": list(parts), **fields}


def response(second, *parts, **fields):
    return {"kind": "response", "timestamp": at(second), "model_name": "m", "parts": list(parts),
            "usage": {"input_tokens": 4, "output_tokens": 3}, **fields}  # fmt: skip


def asks(text):
    return {"part_kind": "user-prompt", "content": text}


def says(text):
    return {"part_kind": "text", "content": text}


def calls(name="tide", id_="t1", args='{"at": "noon"}'):
    return {"part_kind": "tool-call", "tool_name": name, "tool_call_id": id_, "args": args}


def returns(content, id_="t1", **fields):
    return {"part_kind": "tool-return", "tool_name": "tide", "tool_call_id": id_,
            "content": content, **fields}  # fmt: skip


def opened(*told):
    return load_run(json.dumps(told).encode())


def test_calls_and_tools_have_their_times():
    run = load_run(SAMPLE)
    assert import_note(run)["format"] == "pydantic-ai"
    call, tool = run.spans[1], run.spans[2]
    assert call.duration_ns == 42_891_000  # 34.813498 to 34.856389
    assert tool.duration_ns == 15_410_000  # 34.856389 to 34.871799
    assert tool.outputs == "Berlin: 21C"
    assert "asked for it" in tool.not_recorded["start_ns"]


def test_each_call_is_shown_with_all_that_was_said_before_it():
    run = load_run(SAMPLE)
    roles = [message["role"] for message in run.spans[5].inputs["messages"]]
    assert roles == ["system", "user", "assistant", "tool", "tool", "tool"]


def test_a_tool_that_must_be_called_again_failed():
    retry = {"part_kind": "retry-prompt", "tool_name": "tide", "tool_call_id": "t1",
             "content": "no such time"}  # fmt: skip
    run = opened(request(1, asks("tide?")), response(2, calls()), request(3, retry),
                 response(4, calls(id_="t2")), request(5, returns("4 m", "t2")),
                 response(6, says("4 m")))  # fmt: skip
    assert drawn(run) == "agent(m tide m tide m)"
    assert [span.status for span in run.spans if span.kind == "tool"] == ["failed", "ok"]
    assert run.spans[2].error.message == "no such time"
    assert run.status == "completed"
    assert total_tokens(run) == 21


@pytest.mark.parametrize("outcome", ["failed", "denied"])
def test_a_tool_whose_outcome_is_bad_failed(outcome):
    refused = request(3, returns("no", outcome=outcome))
    run = opened(request(1, asks("?")), response(2, calls()), refused, response(4, says("sorry")))
    assert run.spans[2].status == "failed"
    assert run.spans[2].error.type == outcome


def test_a_tool_without_a_result_is_unfinished_and_so_is_the_run():
    run = opened(request(1, asks("?")), response(2, calls()))
    assert run.spans[2].status == "unfinished"
    assert run.spans[2].not_recorded["outputs"] == "no message holds its result"
    assert run.status == "incomplete"


@pytest.mark.parametrize("named", [True, False])
def test_every_turn_is_an_agents_run(named):
    turns = []
    for number in (0, 2):
        more = {"run_id": f"r{number}"} if named else {}
        turns += [request(number, asks("?"), **more), response(number + 1, says("!"), **more)]
    run = opened(*turns)
    assert drawn(run) == "agent(m) agent(m)"
    assert len(run.spans[3].inputs["messages"]) == 3


def test_zeros_are_what_a_response_says_that_knows_of_no_tokens():
    quiet = response(2, says("!"), usage={"input_tokens": 0, "output_tokens": 0})
    run = opened(request(1, asks("?")), quiet)
    assert total_tokens(run) is None
    assert "usage" in run.spans[1].not_recorded


def test_older_words_for_tokens_and_cached_ones_are_read():
    usage = {"request_tokens": 9, "response_tokens": 2, "details": {"cached_tokens": 5}}
    run = opened(request(1, asks("?")), response(2, says("!"), usage=usage))
    assert total_tokens(run) == 11
    assert run.usage["cached_tokens"] == 5


def test_an_answer_from_before_its_question_has_no_end():
    run = opened(request(5, asks("?")), response(2, says("!")))
    assert run.spans[1].duration_ns is None
    assert "clock" in run.spans[1].not_recorded["end_ns"]


def test_thoughts_pictures_and_addresses_are_kept():
    picture = {"kind": "binary", "media_type": "image/png", "data": "AAAA"}
    link = {"kind": "image-url", "url": "http://a.test/x.png"}
    prompt = {"part_kind": "user-prompt", "content": ["see", picture, link]}
    run = opened(request(1, prompt),
                 response(2, {"part_kind": "thinking", "content": "hm"}, says("!")))  # fmt: skip
    content = run.spans[1].inputs["messages"][0]["content"]
    assert content[1]["$"] == "image"
    assert "http://a.test/x.png" in content[2]["text"]
    assert run.spans[1].outputs["replies"][0]["content"][0] == {"reasoning": {"text": "hm"}}


def test_messages_that_are_cut_off_show_what_stands_before_that():
    data = SAMPLE.read_bytes()
    run = load_run(data[: len(data) * 2 // 3])
    assert run.status == "incomplete"
    assert [span.kind for span in run.spans] == ["agent", "llm", "tool", "tool", "tool"]
    assert import_note(run)["skipped"][0]["count"] == 1


def test_messages_of_which_nothing_is_whole_are_refused_in_words():
    with pytest.raises(RunFileError, match="cut off or damaged"):
        load_run(b'[{"parts": [{"part_kind": "user-prompt"}], "kind": "request", "x')


def test_saving_and_opening_again_keeps_every_span(tmp_path):
    run = load_run(SAMPLE)
    run.save(tmp_path / "a.run.json")
    again = load_run(tmp_path / "a.run.json")
    assert [span.raw for span in again.spans] == [span.raw for span in run.spans]
