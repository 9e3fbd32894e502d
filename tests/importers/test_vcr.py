"""Cassettes of VCR: how bodies are kept, what they hold beside calls of models, and damage."""

import base64
import gzip
import json
import zlib

import pytest
import yaml

from inspector import load_run
from inspector.errors import RunFileError
from tests.importers.files import FOREIGN, drawn, import_note, total_tokens
from tests.importers.test_calls import ANSWERS, STREAMS, texts

URL = "https://api.openai.com/v1/chat/completions"
ASKED = {"model": "m", "messages": [{"role": "user", "content": "tide?"}]}


def interaction(body=None, *, asked=None, url=URL, status=200, **response):
    said = {"string": json.dumps(ANSWERS["openai"])} if body is None else body
    return {
        "request": {"body": json.dumps(ASKED) if asked is None else asked, "headers": {},
                    "method": "POST", "uri": url},
        "response": {"body": said, "headers": {}, "status": {"code": status, "message": "OK"},
                     **response},
    }  # fmt: skip


def cassette(*interactions, **fields):
    return yaml.safe_dump({"interactions": list(interactions), "version": 1, **fields}).encode()


PACKED = json.dumps(ANSWERS["openai"]).encode()
BODIES = {
    "text": {"string": PACKED.decode()},
    "bytes": {"string": PACKED},
    "gzip": {"string": gzip.compress(PACKED)},
    "deflate": {"string": zlib.compress(PACKED)},
    "base64": {"base64_string": base64.b64encode(PACKED).decode()},
    "base64 of gzip": {"string": base64.b64encode(gzip.compress(PACKED)).decode()},
    "plain": PACKED.decode(),
    "events": {"string": STREAMS["openai"].decode()},
    "bytes of events": {"string": STREAMS["openai"]},
}


@pytest.mark.parametrize("kept", BODIES)
def test_a_body_is_read_however_it_is_kept(kept):
    run = load_run(cassette(interaction(BODIES[kept])))
    assert import_note(run)["format"] == "vcr"
    assert texts(run.spans[0]) == ["Low tide."]
    assert total_tokens(run) == 7
    assert run.spans[0].llm["provider"] == "openai"


def test_bodies_that_were_read_already_are_taken():
    made = interaction({"string": ""}, asked="", parsed_body=ANSWERS["openai"])
    made["request"] |= {"parsed_body": ASKED}
    run = load_run(cassette(made))
    assert run.spans[0].inputs["messages"][0]["content"] == [{"text": "tide?"}]
    assert total_tokens(run) == 7


def test_lines_of_json_are_one_answer():
    pieces = [{"model": "m", "message": {"role": "assistant", "content": "Low "}, "done": False},
              {"model": "m", "message": {"role": "assistant", "content": "tide."}, "done": True,
               "done_reason": "stop", "prompt_eval_count": 4, "eval_count": 3}]  # fmt: skip
    body = {"string": "\n".join(map(json.dumps, pieces))}
    run = load_run(cassette(interaction(body, url="http://localhost:11434/api/chat")))
    assert texts(run.spans[0]) == ["Low tide."]
    assert total_tokens(run) == 7


def test_cassettes_of_json_are_read():
    data = json.dumps({"version": 1, "interactions": [interaction(), interaction()]}).encode()
    run = load_run(data)
    assert drawn(run) == "m m"
    assert [span.path for span in run.spans] == ["m#1", "m#2"]
    assert total_tokens(run) == 14


def test_cassettes_of_ruby_are_read():
    body = {"encoding": "UTF-8", "string": PACKED.decode()}
    made = {"request": {"method": "post", "uri": URL, "headers": {},
                        "body": {"encoding": "UTF-8", "string": json.dumps(ASKED)}},
            "response": {"status": {"code": 200, "message": ""}, "headers": {}, "body": body},
            "recorded_at": "Thu, 01 Jan 2026 00:00:00 GMT"}  # fmt: skip
    data = b"---\n" + yaml.safe_dump({"http_interactions": [made]}).encode()
    run = load_run(data)
    assert total_tokens(run) == 7
    assert run.spans[0].tags["recorded_at"].startswith("Thu")


def test_what_is_no_call_of_a_model_is_a_request_with_its_answer():
    vectors = {"object": "list", "model": "e", "data": [{"embedding": [0.5, 1.0], "index": 0}],
               "usage": {"prompt_tokens": 9, "total_tokens": 9}}  # fmt: skip
    run = load_run(
        cassette(
            interaction({"string": '{"hits": []}'}, asked='{"q": "tide"}',
                        url="https://search.test/v1/find?key=1"),
            interaction({"string": json.dumps(vectors)}, asked='{"model": "e", "input": ["a"]}',
                        url="https://api.openai.com/v1/embeddings"),
            interaction(),
        )
    )  # fmt: skip
    assert [span.name for span in run.spans] == ["POST search.test/v1/find", "e", "m"]
    assert [span.role for span in run.spans] == ["other", "embedding", "llm"]
    assert run.spans[0].outputs == {"hits": []}
    assert run.spans[1].outputs == {"embeddings": [[0.5, 1.0]]}
    assert total_tokens(run) == 7
    assert run.usage["embedding_tokens"] == 9


def test_a_call_that_failed_and_then_went_well_is_a_run_that_went_well():
    broken = interaction({"string": '{"error": {"message": "busy"}}'}, status=503)
    run = load_run(cassette(broken, interaction()))
    assert [span.status for span in run.spans] == ["failed", "ok"]
    assert run.spans[0].error.message == "busy"
    assert run.status == "completed"


def test_the_status_says_what_failed_where_the_answer_does_not():
    run = load_run(cassette(interaction({"string": "Bad Gateway"}, status=502)))
    assert (run.spans[0].error.type, run.spans[0].error.message) == ("HTTP 502", "Bad Gateway")
    assert run.status == "failed"


def test_what_is_in_the_headers_is_kept():
    run = load_run(FOREIGN / "vcr_cassette" / "haystack_chat_default_leaks_key.yaml")
    assert run.spans[0].tags["request_headers"]["host"] == ["127.0.0.1:8089"]


def test_a_cassette_that_is_cut_off_keeps_its_whole_interactions():
    data = cassette(interaction(), interaction())
    run = load_run(data[: data.rindex(b"response") + 5])
    assert [span.status for span in run.spans] == ["ok", "unfinished"]
    assert run.status == "incomplete"
    assert any("cut off" in str(problem) for problem in run.problems)


def test_a_cassette_of_json_that_is_cut_off_keeps_its_whole_interactions():
    data = json.dumps({"version": 1, "interactions": [interaction(), interaction()]}).encode()
    run = load_run(data[:-60])
    assert len(run.spans) == 1
    assert any("cut off" in str(problem) for problem in run.problems)


@pytest.mark.parametrize("part", [0.2, 0.5, 0.8, 0.99])
def test_wherever_a_cassette_is_cut_it_opens_or_is_refused_in_words(part):
    data = (FOREIGN / "vcr_cassette" / "haystack_agent_tools.yaml").read_bytes()
    try:
        count, said = len(load_run(data[: int(len(data) * part)]).spans), ""
    except RunFileError as error:
        count, said = 0, str(error)
    assert count or said


def test_an_empty_cassette_is_refused_as_that():
    with pytest.raises(RunFileError, match="a cassette of VCR without a single span"):
        load_run(b"interactions: []\nversion: 1\n")


def test_nothing_is_constructed_from_tags():
    rows = ["interactions:", "- request:", "    body: !!python/object/apply:os.getcwd []",
            "    method: GET", "    uri: http://a.test/", "  response:",
            "    body: {string: hello}", "    status: {code: 200}", ""]  # fmt: skip
    run = load_run("\n".join(rows).encode())
    assert run.spans[0].outputs == "hello"
    assert run.spans[0].inputs == []


def test_aliases_are_followed_while_they_stay_small():
    rows = ["interactions:", "- request: &asked", "    body: '{}'", "    uri: http://a.test/",
            "- request: *asked", ""]  # fmt: skip
    run = load_run("\n".join(rows).encode())
    assert [span.tags["url"] for span in run.spans] == ["http://a.test/"] * 2


def test_aliases_that_would_fill_memory_are_left_out_and_counted():
    rows = ["interactions:", "- request:", "    body:", "      l0: &l0 [x, x, x, x, x, x, x, x, x]"]
    rows += [f"      l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * 9)}]" for n in range(1, 12)]
    run = load_run("\n".join([*rows, "    uri: http://a.test/", ""]).encode())
    assert any("repeated" in each["what"] for each in import_note(run)["skipped"])


def test_yaml_that_is_nested_without_end_is_left_out_and_counted():
    deep = "[" * 500 + "]" * 500
    data = f"interactions:\n- request:\n    body: {deep}\n    uri: http://a.test/\n".encode()
    run = load_run(data)
    assert run.spans[0].tags["url"] == "http://a.test/"
    assert import_note(run)["skipped"][0]["count"] == 1


def test_yaml_that_no_parser_follows_is_said():
    deep = "[" * 50_000
    data = f"interactions:\n- request:\n    uri: http://a.test/\n    body: {deep}\n".encode()
    assert any("damaged" in str(problem) for problem in load_run(data).problems)


def test_other_yaml_is_refused_still():
    with pytest.raises(RunFileError):
        load_run(b"---\ncomponents:\n  a: 1\n")


def test_saving_and_opening_again_keeps_every_span(tmp_path):
    run = load_run(FOREIGN / "vcr_cassette" / "haystack_agent_tools.yaml")
    run.save(tmp_path / "a.run.json")
    again = load_run(tmp_path / "a.run.json")
    assert [span.raw for span in again.spans] == [span.raw for span in run.spans]
