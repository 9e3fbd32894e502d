"""Logs of Inspect in both of their shapes, whatever is wrong with them."""

import gzip
import json
import zipfile
from io import BytesIO

import pytest

from inspector import load_run, load_runs
from inspector.errors import RunFileError
from inspector.importers import inspect_log
from inspector.importers.opening import open_runs
from tests.importers.files import FOREIGN, drawn, import_note, total_tokens

INSPECT = FOREIGN / "inspect"
NEW, OLD = INSPECT / "harbour_0.3.285.eval", INSPECT / "harbour_0.3.50.json"
HEADER = {"version": 2, "status": "success",
          "eval": {"task": "quay", "run_id": "r", "model": "openai/gpt-x",
                   "dataset": {"sample_ids": ["b", "a"]}}}  # fmt: skip


def at(second):
    return f"2026-01-01T00:00:{second:02}+00:00"


def model_event(second=1, **fields):
    usage = {"input_tokens": 4, "output_tokens": 3, "total_tokens": 7}
    return {"event": "model", "timestamp": at(second), "completed": at(second + 1),
            "model": "openai/gpt-x", "input": [{"role": "user", "content": "tide?"}],
            "output": {"choices": [{"message": {"role": "assistant", "content": "low"},
                                    "stop_reason": "stop"}], "usage": usage},
            **fields}  # fmt: skip


def sample(*events, **fields):
    return {"id": "a", "epoch": 1, "input": "tide?", "target": "low", "events": list(events),
            **fields}  # fmt: skip


def log(*samples, **fields):
    return json.dumps({**HEADER, "samples": list(samples), **fields}).encode()


def archive(members, how=zipfile.ZIP_DEFLATED):
    made = BytesIO()
    with zipfile.ZipFile(made, "w", how) as file:
        for name, tree in members.items():
            file.writestr(name, tree if isinstance(tree, bytes) else json.dumps(tree))
    return made.getvalue()


def test_a_call_has_its_prompt_answer_model_and_tokens():
    call = load_run(log(sample(model_event()))).spans[1]
    assert (call.kind, call.name, call.status) == ("llm", "gpt-x", "ok")
    assert call.llm == {"name": "gpt-x", "provider": "openai", "finish_reason": "stop"}
    assert call.inputs["messages"][0]["content"] == [{"text": "tide?"}]
    assert call.outputs["replies"][0]["content"] == [{"text": "low"}]
    assert (call.usage.input_tokens, call.usage.output_tokens) == (4, 3)
    assert call.duration_ns == 1_000_000_000


def test_a_sample_says_its_scores_its_target_and_its_limit():
    limit = {"type": "message", "limit": 5}
    scores = {"includes": {"value": "C", "answer": "low"}}
    root = load_run(log(sample(model_event(), scores=scores, limit=limit))).roots[0]
    assert root.outputs["scores"]["includes"]["value"] == "C"
    assert (root.tags["target"], root.tags["limit"]) == ("low", limit)


def test_texts_and_messages_that_are_kept_once_stand_where_they_belong():
    run = load_run(NEW, number=2)
    call = [span for span in run.spans if span.kind == "llm"][-1]
    roles = [message["role"] for message in call.inputs["messages"]]
    assert roles == ["system", "user", "assistant", "tool"]
    assert call.inputs["messages"][0]["content"][0]["text"].startswith("Answer shortly. Sea.")
    result = call.inputs["messages"][3]["content"][0]["tool_result"]
    assert result["result"].startswith("low at noon in Brest")
    old = [span for span in load_run(OLD).spans if span.kind == "llm"][-1]
    assert [message["role"] for message in old.inputs["messages"]] == roles


def test_a_text_that_is_kept_nowhere_is_said():
    run = load_run(log(sample(model_event(input="attachment://gone"))))
    assert run.spans[1].inputs["messages"][0]["content"] == [{"text": "attachment://gone"}]
    assert any("keeps elsewhere is not in it" in str(problem) for problem in run.problems)


def test_a_tool_that_failed_and_a_sample_that_failed_say_why():
    run = load_run(NEW, number=3)
    tool = next(span for span in run.spans if span.kind == "tool")
    assert (tool.status, tool.error.message) == ("failed", "no such harbour")
    assert run.status == "completed"
    failed = load_run(NEW, number=4)
    assert (failed.status, failed.roots[0].error.type) == ("failed", "ValueError")
    assert failed.roots[0].error.message == "the gauge is broken"
    assert "Traceback" in failed.roots[0].error.traceback


def test_cached_tokens_count_once_wherever_they_are_kept():
    outside = {"input_tokens": 4, "output_tokens": 3, "total_tokens": 15,
               "input_tokens_cache_read": 8}  # fmt: skip
    inside = {**outside, "input_tokens": 12}
    for usage in (outside, inside):
        event = model_event()
        event["output"]["usage"] = usage
        run = load_run(log(sample(event)))
        assert (run.usage["prompt_tokens"], run.usage["total_tokens"]) == (12, 15)
        assert run.usage["cached_tokens"] == 8


def test_an_answer_out_of_the_cache_of_inspect_counts_nothing():
    run = load_run(log(sample(model_event(), model_event(3, cache="read"))))
    assert total_tokens(run) == 7
    assert "cache" in run.spans[2].not_recorded["usage"]


def test_a_call_that_did_not_come_back_is_unfinished_and_one_that_failed_failed():
    run = load_run(log(sample(model_event(pending=True), model_event(3, error="no quota"))))
    assert [span.status for span in run.spans[1:]] == ["unfinished", "failed"]
    assert run.spans[2].error.message == "no quota"


def test_events_inside_of_a_tool_and_begun_tools_are_one_span():
    inner = {"event": "tool", "timestamp": at(2), "function": "f", "id": "c", "arguments": {},
             "result": "x", "events": [model_event(3)]}  # fmt: skip
    assert drawn(load_run(log(sample(inner)))) == "quay(f(gpt-x))"
    begun = {"event": "span_begin", "timestamp": at(2), "id": "s", "type": "tool", "name": "f"}
    told = {**inner, "events": [], "completed": at(5)}
    for events in ([begun, told], [told, begun]):
        inside = model_event(3, span_id="s")
        run = load_run(log(sample(*events, inside)))
        assert drawn(run) == "quay(f(gpt-x))"
        assert (run.spans[1].kind, run.spans[1].outputs) == ("tool", "x")


def test_a_sample_without_events_is_told_by_its_messages():
    call = {"id": "c", "function": "f", "arguments": {"x": 1}}
    messages = [
        {"role": "user", "content": "tide?"},
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "content": "low", "tool_call_id": "c", "function": "f"},
        {"role": "assistant", "content": [{"type": "reasoning", "reasoning": "hm"},
                                          {"type": "text", "text": "low"}]},
    ]  # fmt: skip
    run = load_run(log(sample(messages=messages)))
    assert drawn(run) == "quay(gpt-x f gpt-x)"
    assert run.spans[2].outputs == "low"
    assert run.spans[3].outputs["replies"][0]["content"][0] == {"reasoning": {"text": "hm"}}
    assert any(each["what"] == "times" for each in run.not_recorded)
    assert run.duration_ns is None


def test_the_oldest_logs_are_read_too():
    usage = {"input_tokens": 10, "output_tokens": 2, "total_tokens": 12}
    plain = {"id": 1, "epoch": 1, "input": [{"role": "user", "content": "x"}], "target": " Yes",
             "messages": [{"role": "assistant", "content": "Yes."}],
             "output": {"choices": [], "usage": usage}, "score": {"value": "C"}}  # fmt: skip
    kept = {"events": [model_event(input="tc://h")], "content": {"h": "a long text"}}
    told = {"id": 2, "epoch": 1, "input": "y", "target": "", "transcript": kept}
    one, two = load_runs(log(plain, told))
    assert (total_tokens(one), one.roots[0].outputs["scores"]) == (12, {"value": "C"})
    assert two.spans[1].inputs["messages"][0]["content"] == [{"text": "a long text"}]
    # What one sample lacks the others do not lack.
    assert [bool(run.not_recorded) for run in (one, two)] == [True, False]


def test_samples_stand_in_the_order_of_their_data_set():
    members = {"header.json": HEADER}
    for id_, epoch in (("a", 2), ("a", 1), ("b", 1)):
        members[f"samples/{id_}_epoch_{epoch}.json"] = {**sample(model_event()), "id": id_,
                                                        "epoch": epoch}  # fmt: skip
    names = [run.name for run in load_runs(archive(members))]
    assert names == ["quay · b, epoch 1", "quay · a, epoch 1", "quay · a, epoch 2"]


def test_one_of_thousands_of_samples_is_read_alone(monkeypatch):
    tree = sample(model_event())
    members = {f"samples/{n}_epoch_1.json": {**tree, "id": n} for n in range(3_000)}
    data = archive({"header.json": {**HEADER, "eval": {"task": "quay"}}, **members})
    opened = open_runs(data, only=2_999)
    assert opened.total == 3_000
    assert [run.name for run in opened.runs] == ["quay · 2998, epoch 1"]
    assert import_note(opened.runs[0])["run"] == 2_999
    several = open_runs(data, most=20)
    assert (len(several.runs), several.total) == (20, 3_000)
    assert any("these are the first 20" in str(problem) for problem in several.runs[0].problems)
    with pytest.raises(RunFileError, match="There is no run 3,001: the file holds 3,000 runs"):
        open_runs(data, only=3_001)
    monkeypatch.setattr(inspect_log, "_MOST_BYTES", 10_000)
    filled = load_runs(data)
    assert 0 < len(filled) < 100
    assert any("fill the memory" in str(problem) for problem in filled[0].problems)


def test_a_log_of_an_evaluation_that_did_not_end_opens():
    start = {"version": 2, "eval": HEADER["eval"]}
    runs = load_runs(archive({"_journal/start.json": start,
                              "samples/a_epoch_1.json": sample(model_event())}))  # fmt: skip
    assert len(runs[0].spans) == 2
    assert any("did not end" in str(problem) for problem in runs[0].problems)


@pytest.mark.parametrize("cut", [15_000, 31_000])
def test_an_archive_that_is_cut_off_keeps_its_whole_samples(cut):
    runs = load_runs(NEW.read_bytes()[:cut])
    assert 3 <= len(runs) < 8 if cut == 15_000 else len(runs) == 8
    assert any("cut off" in str(problem) for problem in runs[0].problems)


def test_a_log_in_json_that_is_cut_off_keeps_its_whole_samples():
    data = OLD.read_bytes()
    runs = load_runs(data[: len(data) * 3 // 4])
    assert [run.name for run in runs] == ["harbour · 7, epoch 1", "harbour · a/b c, epoch 1"]
    assert any("cut off" in str(problem) for problem in runs[0].problems)


@pytest.mark.parametrize("wrap", [gzip.compress, lambda data: b"\xef\xbb\xbf" + data,
                                  lambda data: data.decode().encode("utf-16"),
                                  lambda data: b"\n " + data + b"\n\n"])  # fmt: skip
def test_a_log_opens_in_other_wrappings(wrap):
    assert drawn(load_run(wrap(log(sample(model_event()))))) == "quay(gpt-x)"


def test_one_sample_by_itself_opens():
    run = load_run(json.dumps(sample(model_event())).encode())
    assert import_note(run)["format"] == "inspect"
    assert drawn(run) == "sample(gpt-x)"


def test_samples_that_cannot_be_read_are_counted():
    members = {"header.json": HEADER, "samples/a_epoch_1.json": sample(model_event()),
               "samples/b_epoch_1.json": b"{", "samples/c_epoch_1.json": [1]}  # fmt: skip
    runs = load_runs(archive(members))
    assert len(runs) == 1
    assert [each["count"] for each in import_note(runs[0])["skipped"]] == [1, 1]


def test_an_archive_made_to_fill_a_machine_is_refused_in_words():
    heavy = b'{"id":"a","epoch":1,"x":"' + b"0" * (80 * 2**20) + b'"}'
    data = archive({"header.json": HEADER, "samples/a_epoch_1.json": heavy})
    with pytest.raises(RunFileError, match="cannot be read") as caught:
        load_run(data)
    assert "unpacks to more than 64 MiB" in caught.value.hint


def test_names_lead_nowhere_and_encrypted_members_are_counted():
    made = archive({"header.json": HEADER, "samples/../../x_epoch_1.json": sample(model_event()),
                    "samples//etc/y_epoch_1.json": sample(model_event())})  # fmt: skip
    assert len(load_runs(made)) == 2
    marked = bytearray(made)
    at_ = marked.rfind(b"PK\x01\x02")
    marked[at_ + 8] |= 1
    runs = load_runs(bytes(marked))
    assert len(runs) == 1
    assert "encrypted" in import_note(runs[0])["skipped"][0]["why"]


def test_other_archives_and_lists_of_logs_are_refused_in_words():
    with pytest.raises(RunFileError, match=r"is a ZIP archive of 2 files\."):
        load_run(archive({"[Content_Types].xml": b"<x/>", "word/document.xml": b"<x/>"}))
    index = {"2026_quay.eval": {"version": 2, "status": "success", "eval": HEADER["eval"]}}
    with pytest.raises(RunFileError, match="list of the logs in a folder"):
        load_run(json.dumps(index).encode())


@pytest.mark.parametrize(
    ("header", "said"),
    [({**HEADER, "status": "error", "error": {"message": "no such model"}}, "no such model"),
     ({**HEADER, "status": "started"}, "stopped before any sample"), (HEADER, "header only")],
)  # fmt: skip
def test_a_log_without_samples_is_refused_in_words(header, said):
    for data in (json.dumps(header).encode(), archive({"header.json": header})):
        with pytest.raises(RunFileError, match=said):
            load_run(data)


def test_messages_that_are_told_again_and_again_are_kept_once():
    pool = [{"role": "user", "content": f"{n} " + "salt " * 80} for n in range(400)]
    events = [model_event(1, input=[], input_refs=[[0, n]]) for n in range(1, 401)]
    run = load_run(log(sample(*events, events_data={"messages": pool})))
    assert len(run.spans[-1].inputs["messages"]) == 400
    assert run.spans[200].inputs["messages"][199]["content"][0]["text"].startswith("199 ")
    assert sum(run.values.size(each) for each in run.values.digests()) < 1_500_000


def test_references_to_messages_that_are_not_there_are_no_trouble():
    refs = [[0, 10**12], [-1, 2], ["a", 1], [1], None]
    run = load_run(log(sample(model_event(input=[], input_refs=refs))))
    assert len(run.spans) == 2


@pytest.mark.parametrize("path", [NEW, OLD, INSPECT / "relay_chunked_0.3.285.eval"])
def test_saving_and_opening_again_keeps_every_span(path, tmp_path):
    run = load_run(path, number=2)
    run.save(tmp_path / "a.run.json")
    again = load_run(tmp_path / "a.run.json")
    assert [span.raw for span in again.spans] == [span.raw for span in run.spans]
    assert again.spans[-1].outputs == run.spans[-1].outputs
