"""Zipkin traces, in both versions and whatever they lack."""

import json

import pytest

from inspector import load_run, load_runs
from tests.importers.files import FOREIGN, drawn, import_note, total_tokens


def zipkin(number, parent, name, **fields):
    made = {"traceId": "ab" * 16, "id": f"{number:016x}", "name": name,
            "timestamp": 1_000_000 * number, "duration": 500_000, "tags": {}, **fields}  # fmt: skip
    return made if parent is None else {**made, "parentId": f"{parent:016x}"}


def opened(*spans):
    return load_run(json.dumps(spans).encode())


def test_values_that_the_exporter_cut_stay_texts_and_that_is_said():
    run = load_run(FOREIGN / "zipkin_json" / "haystack_rag.zipkin.json")
    losses = import_note(run)["losses"]
    assert any("128 characters" in each for each in losses)
    assert any(each.startswith("tokens:") for each in losses)
    assert isinstance(run.at("retriever#1").outputs, str)


def test_figures_are_numbers_although_zipkin_keeps_texts():
    run = opened(
        zipkin(1, None, "chat m", tags={
            "gen_ai.operation.name": "chat", "gen_ai.request.model": "m",
            "gen_ai.usage.input_tokens": "5", "gen_ai.usage.output_tokens": "2",
        })
    )  # fmt: skip
    assert total_tokens(run) == 7


@pytest.mark.parametrize(
    ("tag", "message"), [("no such tide", "no such tide"), ("true", None), ("", None)]
)
def test_an_error_tag_makes_a_span_fail(tag, message):
    run = opened(zipkin(1, None, "a"), zipkin(2, 1, "b", tags={"error": tag}))
    assert [span.status for span in run.spans] == ["ok", "failed"]
    assert (run.spans[1].error.message or None) == message


def test_an_error_that_is_false_is_none():
    assert opened(zipkin(1, None, "a", tags={"error": "false"})).status == "completed"


def test_version_one_is_read():
    old = zipkin(1, None, "a")
    del old["tags"]
    old["binaryAnnotations"] = [{"key": "colour", "value": "grey", "endpoint": {}}]
    run = load_run(json.dumps([old]).encode())
    assert import_note(run)["format"] == "zipkin"
    assert run.spans[0].tags == {"colour": "grey"}


def test_a_list_of_traces_is_one_run_each():
    other = zipkin(3, None, "c", traceId="cd" * 16)
    data = json.dumps([[zipkin(1, None, "a"), zipkin(2, 1, "b")], [other]]).encode()
    assert [drawn(run) for run in load_runs(data)] == ["a(b)", "c"]


def test_ids_without_their_zeros_find_their_parents():
    run = opened(zipkin(1, None, "a", id="1"), zipkin(2, 1, "b"))
    assert drawn(run) == "a(b)"


def test_a_shared_span_is_that_of_the_server_inside_of_the_client():
    client = zipkin(2, 1, "ask", kind="CLIENT")
    server = zipkin(2, 1, "answer", kind="SERVER", shared=True)
    assert drawn(opened(zipkin(1, None, "a"), client, server)) == "a(ask(answer))"


def test_a_cut_trace_keeps_its_whole_spans():
    data = json.dumps([zipkin(1, None, "a"), zipkin(2, 1, "b"), zipkin(3, 1, "c")]).encode()
    run = load_run(data[:-40])
    assert drawn(run) == "a(b)"
    assert import_note(run)["skipped"][0]["count"] == 1


def test_what_is_no_span_is_counted():
    run = opened(zipkin(1, None, "a"), 5, {"traceId": "x"})
    assert import_note(run)["skipped"][0]["count"] == 2


def test_scores_and_spans_of_others_are_no_zipkin_spans():
    score = {"id": "a", "traceId": "b", "name": "good", "timestamp": "2026-01-01T00:00:00Z",
             "observationId": None, "value": 1}  # fmt: skip
    assert import_note(opened(score))["format"] != "zipkin"
