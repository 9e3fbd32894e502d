"""Files that are empty, cut off, mixed up or not quite JSON."""

import gzip
import json
import shutil

import pytest

from inspector import load_run, load_runs
from inspector.errors import RunFileError
from tests.importers.files import FOREIGN, drawn, import_note, total_tokens
from tests.importers.table import RAG

ODD = FOREIGN / "odd"
RAG_FILE = FOREIGN / "otlp_json" / "haystack_rag.otlp.jsonl"


def refusal(source):
    with pytest.raises(RunFileError) as caught:
        load_runs(source)
    return f"{caught.value} {caught.value.hint}"


EMPTY = sorted((FOREIGN / "haystack_snapshot").glob("*0byte*"))


@pytest.mark.parametrize("path", [*EMPTY, ODD / "empty.json"], ids=lambda path: path.name)
def test_an_empty_file_is_refused_with_the_reason_that_haystack_gives_for_it(path):
    said = refusal(path)
    assert path.name in said
    assert "is empty" in said
    assert "Haystack 2.16 to 3.0" in said
    assert "3.1 or later" in said
    assert "exc.pipeline_snapshot" in said


def test_the_empty_files_are_all_there():
    assert len(EMPTY) == 4


@pytest.mark.parametrize("text", ["null", "123", '"x"', "true", "{}", "[]", "   \n "])
def test_json_without_a_run_is_refused_in_one_sentence_with_the_name_of_the_file(tmp_path, text):
    path = tmp_path / "a.json"
    path.write_text(text)
    said = refusal(path)
    assert said.startswith("a.json ")


def test_a_trace_without_spans_is_refused_as_that():
    said = refusal(ODD / "otlp_empty_resourceSpans.json")
    assert "OpenTelemetry trace without a single span" in said


@pytest.mark.parametrize("name", ["a.json", "a.jsonl", "a.txt", "a", "a.run.json", "a.html"])
def test_what_a_file_is_called_never_matters(tmp_path, name):
    path = tmp_path / name
    shutil.copy(RAG_FILE, path)
    assert drawn(load_run(path)) == RAG


@pytest.mark.parametrize(
    "name",
    ["otlp_json/haystack_rag.msgtojson.json", "odd/tempo_v2_trace_wrapper.json"],
)
def test_ids_are_shown_alike_however_they_are_spelled(name):
    run = load_run(FOREIGN / name)
    ids = [span.extensions["import"]["span_id"] for span in run.spans]
    assert all(len(each) == 16 and set(each) <= set("0123456789abcdef") for each in ids)


def test_base64_and_hex_twins_are_the_same_run():
    one, other = load_run(RAG_FILE), load_run(FOREIGN / "otlp_json/haystack_rag.msgtojson.json")
    assert one.id == other.id
    assert [span.raw for span in one.spans] == [span.raw for span in other.spans]


def test_upper_case_ids_and_snake_case_keys_are_read(tmp_path):
    text = RAG_FILE.read_text()
    for ours, theirs in {
        "resourceSpans": "resource_spans", "scopeSpans": "scope_spans", "traceId": "trace_id",
        "spanId": "span_id", "parentSpanId": "parent_span_id",
        "startTimeUnixNano": "start_time_unix_nano", "endTimeUnixNano": "end_time_unix_nano",
        "stringValue": "string_value", "intValue": "int_value",
    }.items():  # fmt: skip
        text = text.replace(f'"{ours}"', f'"{theirs}"')
    tree = json.loads(text)
    for resource in tree["resource_spans"]:
        for span in resource["scope_spans"][0]["spans"]:
            span["span_id"] = span["span_id"].upper()
    run = load_run(json.dumps(tree).encode())
    assert drawn(run) == RAG
    assert total_tokens(run) == 51
    assert run.duration_ns == 99_294_447


def test_a_cut_last_line_is_counted_and_the_rest_is_shown():
    run = load_run(ODD / "jsonl_last_line_cut.otlp.jsonl")
    assert len(run.spans) == 4
    assert any("cut off" in str(problem) for problem in run.problems)
    assert sum(each["count"] for each in import_note(run)["skipped"]) == 2


def test_one_document_that_is_cut_off_keeps_its_whole_spans():
    text = json.dumps(json.loads(RAG_FILE.read_text())).encode()
    ends = [at for at in range(len(text)) if text.startswith(b'{"traceId"', at)]
    run = load_run(text[: ends[2] + 40])
    assert [span.name for span in run.spans] == ["retriever", "prompt_builder"]
    assert any("cut off" in str(problem) for problem in run.problems)


def test_a_broken_span_is_skipped_and_counted():
    tree = json.loads(RAG_FILE.read_text())
    spans = tree["resourceSpans"][0]["scopeSpans"][0]["spans"]
    spans.insert(1, 7)
    spans.insert(2, None)
    run = load_run(json.dumps(tree).encode())
    assert drawn(run) == RAG
    assert import_note(run)["skipped"] == [{"what": "span that is no object", "count": 2}]
    assert any("Left out: 2" in str(problem) for problem in run.problems)


def test_a_duplicate_span_counts_once():
    run = load_run(ODD / "otlp_duplicate_span.json")
    assert import_note(run)["skipped"][0]["count"] == 1


def test_a_circle_of_parents_is_cut_and_nothing_is_lost():
    tree = json.loads(RAG_FILE.read_text())
    spans = tree["resourceSpans"][0]["scopeSpans"][0]["spans"]
    first, second = spans[0], spans[1]
    first["parentSpanId"], second["parentSpanId"] = second["spanId"], first["spanId"]
    run = load_run(json.dumps(tree).encode())
    assert drawn(run) == "pipeline(retriever(prompt_builder) llm)"
    assert any("circle" in str(problem) for problem in run.problems)


def test_a_span_that_ends_before_it_begins_keeps_its_place_and_says_so():
    tree = json.loads(RAG_FILE.read_text())
    span = tree["resourceSpans"][0]["scopeSpans"][0]["spans"][0]
    span["endTimeUnixNano"] = str(int(span["startTimeUnixNano"]) - 5)
    run = load_run(json.dumps(tree).encode())
    assert run.spans[1].duration_ns == 0
    assert "5 ns before it began" in run.spans[1].not_recorded["end_ns"]


def test_a_span_without_an_end_is_unfinished():
    tree = json.loads(RAG_FILE.read_text())
    for span in tree["resourceSpans"][0]["scopeSpans"][0]["spans"]:
        if "parentSpanId" not in span or not span["parentSpanId"]:
            span["endTimeUnixNano"] = 0
    run = load_run(json.dumps(tree).encode())
    assert run.spans[0].status == "unfinished"
    assert run.status == "incomplete"


def test_a_deep_chain_is_no_trouble():
    spans = [
        {"traceId": "1" * 32, "spanId": f"{n:016x}", "name": f"n{n}",
         "parentSpanId": f"{n - 1:016x}" if n > 1 else "", "startTimeUnixNano": str(10**18 + n),
         "endTimeUnixNano": str(10**18 + 9_000 - n), "attributes": []}
        for n in range(1, 3_001)
    ]  # fmt: skip
    tree = {"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}
    run = load_run(json.dumps(tree).encode())
    assert len(run.spans) == 3_000
    assert max(run.table.depth) == 2_999


def test_a_compressed_file_is_unpacked():
    assert drawn(load_run(gzip.compress(RAG_FILE.read_bytes()))) == RAG


def test_a_snapshot_that_is_cut_off_shows_what_stands_before_that():
    run = load_run(ODD / "snapshot_truncated_after_key.json")
    assert len(run.spans) >= 1
    assert any("cut off" in str(problem) for problem in run.problems)


def test_numbers_that_json_does_not_know_are_kept():
    run = load_run(ODD / "snapshot_nan_infinity.json")
    text = json.dumps([span.inputs for span in run.spans])
    assert '{"$": "float", "value": "nan"}' in text
    assert '{"$": "float", "value": "inf"}' in text


def test_trailing_garbage_is_counted():
    run = load_run(ODD / "trailing_garbage.json")
    assert import_note(run)["skipped"][0]["count"] == 1


def test_data_is_believed_before_its_schema():
    run = load_run(ODD / "snapshot_schema_data_mismatch.json")
    assert run.at("answer_builder#1") is not None
    assert total_tokens(run) == 60


def test_bytes_as_a_list_of_numbers_become_bytes():
    run = load_run(FOREIGN / "haystack_snapshot" / "hs2.31.0_weird_values_bp_sink.json")
    text = json.dumps([span.inputs for span in run.spans])
    assert '"$": "byte_stream"' in text
    assert '"$": "bytes"' in text
    assert len(text) < 400_000


def test_signs_that_python_takes_for_line_ends_stay_in_their_texts():
    run = load_run(ODD / "jsonl_raw_u2028.jsonl")
    said = [message["content"][0]["text"] for message in run.spans[0].inputs["messages"]]
    assert said == ["line\u2028sep and \x85 NEL", "two"]


def test_of_a_duplicate_key_the_last_one_counts_and_that_is_said():
    run = load_run(ODD / "jsonl_duplicate_key_session_id.jsonl")
    assert len(run.spans) == 1
    assert any("twice" in str(problem) for problem in run.problems)


def test_any_other_json_is_shown_as_a_tree():
    run = load_run(b'{"weather": {"town": "Inverness", "rain": [1, 2, 3]}}')
    assert run.spans[0].outputs == {"weather": {"town": "Inverness", "rain": [1, 2, 3]}}
    assert import_note(run)["format"] == "json"
    assert run.duration_ns is None
    assert run.usage is None


def test_a_list_of_json_is_shown_as_a_tree():
    assert load_run(b"[1, 2]").spans[0].outputs == [1, 2]


def test_keys_that_look_like_tags_of_ours_are_not_taken_for_them():
    run = load_run(b'{"$ref": "abc", "$": "document"}')
    assert run.spans[0].outputs == {"$": "dict", "items": [["$ref", "abc"], ["$", "document"]]}


def test_a_run_file_is_a_run_file_still():
    sample = FOREIGN.parent / "runs" / "sample-1.run.json"
    runs = load_runs(sample)
    assert len(runs) == 1
    assert "import" not in runs[0].extensions


def test_a_run_file_whose_format_stands_last_is_a_run_file(tmp_path):
    sample = json.loads((FOREIGN.parent / "runs" / "sample-1.run.json").read_text())
    turned = dict(reversed(sample.items()))
    run = load_run(json.dumps(turned, indent=1).encode())
    assert run.name == sample["run"]["name"]


def test_a_run_that_is_not_there_is_said():
    with pytest.raises(RunFileError, match="There is no run 3: the file holds one run"):
        load_run(RAG_FILE, number=3)


def test_opening_can_be_stopped():
    with pytest.raises(RunFileError, match="was stopped"):
        load_runs(RAG_FILE, cancelled=lambda: True)
