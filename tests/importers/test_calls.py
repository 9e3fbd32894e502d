"""Logs, streams and batches of calls, as the APIs of several providers write them."""

import json

import pytest

from inspector import load_run
from inspector.errors import RunFileError
from tests.importers.files import FOREIGN, drawn, import_note, total_tokens


def lines(*trees):
    return "\n".join(json.dumps(tree) for tree in trees).encode()


def stream(*trees, done=True):
    text = "".join(f"data: {json.dumps(tree)}\n\n" for tree in trees)
    return (text + ("data: [DONE]\n\n" if done else "")).encode()


def chunk(delta, finish=None, usage=None, id_="c1", index=0):
    return {"id": id_, "object": "chat.completion.chunk", "model": "m", "usage": usage,
            "choices": [{"index": index, "delta": delta, "finish_reason": finish}]}  # fmt: skip


def texts(span):
    return [part.get("text") for part in span.outputs["replies"][0]["content"]]


ANSWERS = {
    "openai": {"id": "a", "object": "chat.completion", "model": "m", "choices": [
        {"index": 0, "finish_reason": "stop",
         "message": {"role": "assistant", "content": "Low tide."}}],
        "usage": {"prompt_tokens": 4, "completion_tokens": 3, "total_tokens": 7}},
    "responses": {"id": "a", "object": "response", "status": "completed", "model": "m",
                  "output": [{"type": "message", "role": "assistant",
                              "content": [{"type": "output_text", "text": "Low tide."}]}],
                  "usage": {"input_tokens": 4, "output_tokens": 3, "total_tokens": 7}},
    "anthropic": {"id": "a", "type": "message", "role": "assistant", "model": "m",
                  "content": [{"type": "text", "text": "Low tide."}], "stop_reason": "end_turn",
                  "usage": {"input_tokens": 4, "output_tokens": 3}},
    "google": {"candidates": [{"content": {"role": "model", "parts": [{"text": "Low tide."}]},
                               "finishReason": "STOP"}], "modelVersion": "m",
               "usageMetadata": {"promptTokenCount": 4, "candidatesTokenCount": 3,
                                 "totalTokenCount": 7}},
}  # fmt: skip


@pytest.mark.parametrize("provider", ANSWERS)
def test_an_answer_of_every_provider_is_read(provider):
    run = load_run(json.dumps(ANSWERS[provider]).encode())
    assert import_note(run)["format"] == "chat-log"
    (span,) = run.spans
    assert (span.kind, span.llm["name"], span.status) == ("llm", "m", "ok")
    assert texts(span) == ["Low tide."]
    assert total_tokens(run) == 7
    assert span.inputs is None
    assert span.not_recorded["inputs"] == "the log holds the answer only"


@pytest.mark.parametrize("provider", ANSWERS)
def test_a_request_stands_before_its_answer(provider):
    request = {"model": "m", "messages": [{"role": "user", "content": "tide?"}], "top_p": 1}
    run = load_run(lines({"request": request, "response": ANSWERS[provider]}))
    (span,) = run.spans
    assert span.inputs["messages"][0]["content"] == [{"text": "tide?"}]
    assert span.inputs["top_p"] == 1
    assert texts(span) == ["Low tide."]


STREAMS = {
    "openai": stream(
        chunk({"role": "assistant", "content": ""}), chunk({"content": "Low "}),
        chunk({"content": "tide."}), chunk({}, "stop"),
        {**chunk({}, usage={"prompt_tokens": 4, "completion_tokens": 3}), "choices": []},
    ),
    "responses": stream(
        {"type": "response.created", "response": {"id": "a", "output": []}},
        {"type": "response.output_text.delta", "delta": "Low tide."},
        {"type": "response.completed", "response": ANSWERS["responses"]}, done=False,
    ),
    "anthropic": stream(
        {"type": "message_start", "message": {"role": "assistant", "model": "m", "content": [],
         "stop_reason": None, "usage": {"input_tokens": 4, "output_tokens": 1}}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta",
                                                              "text": "Low "}},
        {"type": "ping"},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta",
                                                              "text": "tide."}},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"},
         "usage": {"output_tokens": 3}},
        {"type": "message_stop"}, done=False,
    ),
    "google": stream(
        {"candidates": [{"content": {"role": "model", "parts": [{"text": "Low "}]}}]},
        {"candidates": [{"content": {"role": "model", "parts": [{"text": "tide."}]},
                         "finishReason": "STOP"}],
         "usageMetadata": {"promptTokenCount": 4, "candidatesTokenCount": 3}}, done=False,
    ),
}  # fmt: skip


@pytest.mark.parametrize("provider", STREAMS)
def test_a_stream_of_every_provider_is_put_together(provider):
    run = load_run(STREAMS[provider])
    assert import_note(run)["format"] == "sse"
    (span,) = run.spans
    assert (span.kind, span.status) == ("llm", "ok")
    assert texts(span) == ["Low tide."]
    assert total_tokens(run) == 7


def test_events_are_read_with_any_line_end_and_with_comments():
    text = STREAMS["openai"].decode().replace("\n", "\r\n")
    run = load_run((": hello\r\n\r\nevent: x\r\n" + text).encode())
    assert texts(run.spans[0]) == ["Low tide."]


def test_a_stream_without_its_blank_lines_is_read():
    run = load_run(STREAMS["openai"].replace(b"\n\n", b"\n"))
    assert texts(run.spans[0]) == ["Low tide."]


def test_pieces_of_a_call_of_a_tool_are_put_together():
    call = {"index": 0, "id": "t1", "type": "function", "function": {"name": "tide",
                                                                     "arguments": ""}}  # fmt: skip
    more = [{"index": 0, "function": {"arguments": part}} for part in ('{"at"', ': "noon"}')]
    other = {"index": 1, "id": "t2", "function": {"name": "wind", "arguments": "{}"}}
    run = load_run(
        stream(chunk({"tool_calls": [call]}), chunk({"tool_calls": [more[0]]}),
               chunk({"tool_calls": [other]}), chunk({"tool_calls": [more[1]]}, "tool_calls"))
    )  # fmt: skip
    calls = [part["tool_call"] for part in run.spans[0].outputs["replies"][0]["content"]]
    assert [(each["name"], each["arguments"]) for each in calls] == [
        ("tide", {"at": "noon"}), ("wind", {}),
    ]  # fmt: skip


def test_a_stream_that_breaks_off_is_unfinished_and_its_broken_event_is_counted():
    data = stream(chunk({"content": "Low "}), chunk({"content": "tide."}), done=False)
    run = load_run(data[:-30])
    assert texts(run.spans[0]) == ["Low "]
    assert run.spans[0].status == "unfinished"
    assert run.status == "incomplete"
    assert import_note(run)["skipped"][0]["count"] == 1


def test_tokens_that_a_stream_does_not_say_are_unknown():
    run = load_run(FOREIGN / "openai_chat_log" / "hayhooks_chat_stream.sse.txt")
    assert total_tokens(run) is None
    assert "tokens" in run.spans[0].not_recorded["usage"]


def test_pieces_that_are_not_what_they_should_be_are_no_trouble():
    odd = chunk({"content": True, "role": 5, "tool_calls": 3}, index=[1])
    run = load_run(stream(odd, chunk({"content": "a", "function_call": {"name": 1}}, "stop")))
    assert texts(run.spans[0])[0] == "a"


def test_two_answers_in_one_stream_are_two_calls():
    data = stream(chunk({"content": "a"}, "stop"), chunk({"content": "b"}, "stop", id_="c2"))
    assert [texts(span) for span in load_run(data).spans] == [["a"], ["b"]]


def test_chunks_one_a_line_are_one_call():
    run = load_run(lines(chunk({"content": "a"}), chunk({"content": "b"}, "stop")))
    assert import_note(run)["format"] == "chat-log"
    assert texts(run.spans[0]) == ["ab"]


def test_an_error_instead_of_an_answer_is_an_error():
    request = {"model": "m", "messages": []}
    run = load_run(
        lines({"request": request, "response": {"error": {"type": "t", "message": "no"}}})
    )
    assert run.status == "failed"
    assert (run.spans[0].error.type, run.spans[0].error.message) == ("t", "no")


def test_tools_and_their_results_belong_together():
    spoken = [
        {"role": "assistant", "content": None, "tool_calls": [
            {"id": "t1", "type": "function", "function": {"name": "tide", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "t1", "content": "4 m"},
    ]  # fmt: skip
    run = load_run(lines({"request": {"messages": spoken}, "response": ANSWERS["openai"]}))
    result = run.spans[0].inputs["messages"][1]["content"][0]["tool_result"]
    assert (result["call"]["name"], result["result"]) == ("tide", "4 m")


def test_a_conversation_ends_with_the_answer():
    run = load_run(lines({"messages": [{"role": "user", "content": "tide?"},
                                       {"role": "assistant", "content": "Low."}]}))  # fmt: skip
    assert texts(run.spans[0]) == ["Low."]
    assert len(run.spans[0].inputs["messages"]) == 1


def test_a_log_whose_last_line_is_cut_keeps_the_others():
    data = lines({"request": {"messages": []}, "response": ANSWERS["openai"]}, ANSWERS["openai"])
    run = load_run(data[:-20])
    assert len(run.spans) == 1
    assert import_note(run)["skipped"][0]["what"] == "entry that cannot be read"


def test_a_list_that_is_cut_off_keeps_its_whole_calls():
    data = json.dumps([ANSWERS["openai"], ANSWERS["openai"]]).encode()
    assert len(load_run(data[:-20]).spans) == 1


def asked(name):
    return {"custom_id": name, "method": "POST", "url": "/v1/chat/completions",
            "body": {"model": "m", "messages": [{"role": "user", "content": name}]}}  # fmt: skip


def answered(name, status=200, body=None):
    return {"id": f"b-{name}", "custom_id": name, "error": None, "response": {
        "status_code": status, "request_id": "r", "body": body or ANSWERS["openai"]}}  # fmt: skip


EXPIRED = {"id": "b", "custom_id": "c", "response": None,
           "error": {"code": "batch_expired", "message": "too late"}}  # fmt: skip
REFUSED = answered("b", 500, {"error": {"type": "server_error", "message": "broken"}})


def test_results_of_a_batch_succeed_fail_and_expire():
    run = load_run(lines(REFUSED, answered("a"), EXPIRED))
    assert import_note(run)["format"] == "batch"
    assert drawn(run) == "b a c"
    assert [span.status for span in run.spans] == ["failed", "ok", "failed"]
    assert [span.error and span.error.type for span in run.spans] == [
        "server_error", None, "batch_expired",
    ]  # fmt: skip
    assert total_tokens(run) == 7
    assert run.status == "completed"


def test_requests_and_results_of_a_batch_are_joined_by_their_ids_in_any_order():
    run = load_run(lines(asked("a"), asked("b"), answered("b"), answered("a")))
    assert drawn(run) == "a b"
    assert [span.inputs["messages"][0]["content"][0]["text"] for span in run.spans] == ["a", "b"]
    assert {span.status for span in run.spans} == {"ok"}


def test_results_of_anthropics_batches_are_read():
    run = load_run(
        lines({"custom_id": "a", "result": {"type": "succeeded", "message": ANSWERS["anthropic"]}},
              {"custom_id": "b", "result": {"type": "expired"}})
    )  # fmt: skip
    assert [span.status for span in run.spans] == ["ok", "failed"]
    assert total_tokens(run) == 7


def test_two_requests_with_one_id_are_both_kept():
    run = load_run(lines(asked("a"), asked("a")))
    assert len(run.spans) == 2
    assert any("custom_id a" in str(problem) for problem in run.problems)


def test_a_batch_of_which_nothing_can_be_read_is_refused_in_words():
    with pytest.raises(RunFileError, match="cut off or damaged"):
        load_run(b'{"custom_id": "a", "body": {"messages": [')


MADE = {**{f"stream {name}": data for name, data in STREAMS.items()},
        "batch": lines(asked("a"), answered("a"), REFUSED, EXPIRED)}  # fmt: skip


@pytest.mark.parametrize("name", MADE)
@pytest.mark.parametrize("part", [0.3, 0.6, 0.95])
def test_what_is_cut_off_opens_as_far_as_it_goes_or_is_refused_in_words(name, part):
    data = MADE[name]
    try:
        count, said = len(load_run(data[: int(len(data) * part)]).spans), ""
    except RunFileError as error:
        count, said = 0, str(error)
    assert count or said


@pytest.mark.parametrize("name", MADE)
def test_saving_and_opening_again_keeps_every_span(name, tmp_path):
    run = load_run(MADE[name])
    run.save(tmp_path / "a.run.json")
    again = load_run(tmp_path / "a.run.json")
    assert [span.raw for span in again.spans] == [span.raw for span in run.spans]
    assert again.usage == run.usage
