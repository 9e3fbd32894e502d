"""The journal of a run opens while it is written, and after its writer was killed."""

import gzip
import os

import orjson
import pytest

from inspector.runfile.load import load_run
from inspector.runfile.model import RunStatus, SpanStatus
from tests.runfile.files import by_name, journal, name_of, ref, run_file, span

BIG = "x" * 300


def start(number, parent=None, **fields):
    started = span(number, parent, status="unfinished", **fields)
    del started["end_ns"]
    return {"record": "start", "span": started}


def end(number, **fields):
    return {"record": "end", "id": f"s{number}", "end_ns": 10 * number + 10, "status": "ok",
            "fields": fields}  # fmt: skip


def value(tree):
    return {"record": "value", "id": name_of(tree), "value": tree}


def chunk(number, at_ns, text):
    return {"record": "chunk", "id": f"s{number}", "at_ns": at_ns, "chunk": {"content": text}}


RECORDS = (
    start(1, kind="pipeline"),
    value(BIG),
    start(2, 1, inputs={"a": ref(BIG)}),
    chunk(2, 21, "Hel"),
    {"record": "update", "id": "s2", "fields": {"role": "llm", "inputs": {"a": 1, "b": ref(BIG)}}},
    chunk(2, 22, "lo"),
    end(2, outputs={"reply": "Hello"}, usage={"input_tokens": 3, "output_tokens": 2}),
    {"record": "header", "fields": {"name": "renamed"}},
    end(1, outputs={"x": 1}),
    {"record": "finish", "fields": {"status": "completed", "duration_ns": 77}},
)


def test_a_journal_tells_the_same_run_as_the_file_it_becomes():
    run = load_run(journal(*RECORDS))
    assert (run.status, run.name, run.duration_ns) == (RunStatus.COMPLETED, "renamed", 77)
    assert run.complete
    assert run.problems == ()
    two = run.span("s2")
    assert two.inputs == {"a": 1, "b": BIG}
    assert two.outputs == {"reply": "Hello"}
    assert (two.status, two.duration_ns, two.parent_id) == (SpanStatus.OK, 10, "s1")
    assert [(each.at_ns, each.value["content"]) for each in two.chunks] == [
        (21, "Hel"), (22, "lo"),
    ]  # fmt: skip
    assert run.usage == {
        "prompt_tokens": 3, "completion_tokens": 2, "calls": 1, "unknown_calls": 0,
    }  # fmt: skip
    assert two.problems == ()


@pytest.mark.parametrize("count", range(len(RECORDS)))
def test_whatever_was_written_before_the_kill_is_there(count):
    run = load_run(journal(*RECORDS[:count]))
    assert run.status is RunStatus.INCOMPLETE
    assert not run.complete
    assert run.problems == ()
    started = [record["span"]["id"] for record in RECORDS[:count] if record["record"] == "start"]
    assert [each.id for each in run.spans] == started
    ended = {record["id"] for record in RECORDS[:count] if record["record"] == "end"}
    for each in run.spans:
        assert (each.status is SpanStatus.UNFINISHED) == (each.id not in ended)
        assert (each.end_ns is None) == (each.id not in ended)


def test_a_journal_cut_off_anywhere_opens_to_its_last_whole_line():
    text = journal(*RECORDS)
    for size in range(text.index(b"\n") + 1, len(text) - 1):
        run = load_run(text[:size])
        lines = text[:size].split(b"\n")
        whole = [line for line in lines[1:] if is_json(line)]
        started = sum(line.startswith(b'{"record":"start"') for line in whole)
        assert len(run.spans) == started
        cut = bool(lines[-1]) and not is_json(lines[-1])
        assert [problem.message for problem in run.problems] == (
            ["Its last line is cut off; the rest is shown."] if cut else []
        )


def is_json(line):
    try:
        orjson.loads(line)
    except orjson.JSONDecodeError:
        return False
    return True


def test_a_journal_cut_off_in_its_first_line_says_so():
    first = journal()
    for size in range(1, len(first) - 2):
        try:
            run = load_run(first[:size])
        except Exception as error:
            assert "cut off" in str(error)  # noqa: PT017 - either way will do
        else:
            assert run.problems
            assert not run.complete


def test_a_compressed_journal_opens():
    assert len(load_run(gzip.compress(journal(*RECORDS))).spans) == 2


def test_records_that_are_damaged_or_unknown_are_left_out_and_said():
    text = journal(
        start(1),
        {"record": "future", "id": "s1"},
        {"record": "end", "id": "s9", "end_ns": 5, "status": "ok", "fields": {}},
        {"record": "chunk", "id": "s9", "at_ns": 5, "chunk": 1},
        {"record": "value", "value": 3},
        {"record": "start", "span": 5},
        {"record": 7},
        end(1, outputs={"a": 1}),
    ).replace(b'{"record":7}', b"no json at all")
    run = load_run(text)
    assert [str(problem) for problem in run.problems] == [
        "Records called “future” are not known; they are left out.",
        "line 4: This end is of a span that did not start here; it is left out.",
        "line 5: This chunk is of a span that did not start here; it is left out.",
        "line 6: This value cannot be read; it is left out.",
        "line 7: This span cannot be read; it is left out.",
        "line 8: This record cannot be read; it is left out.",
    ]
    assert run.span("s1").outputs == {"a": 1}


@pytest.mark.parametrize("wrong", [None, True, -1, 1.5, "text", [], {}])
@pytest.mark.parametrize("field", ["id", "span", "fields", "end_ns", "status", "at_ns", "chunk"])
def test_a_wrong_type_in_a_record_loses_no_other(field, wrong):
    records = [{**record, field: wrong} if field in record else record for record in RECORDS]
    run = load_run(journal(start(7), *records, start(8)))
    assert run.span("s8").name == "part8"
    for each in run.spans:
        assert isinstance(each.problems, tuple)
        each.chunks, each.raw, each.inputs  # noqa: B018 - they must not raise


def test_deep_nesting_in_a_journal_loses_that_value_only():
    deep = b"[" * 100_000 + b"]" * 100_000
    text = journal(start(1), start(2, 1, inputs={"x": "?"}), end(2), end(1))
    run = load_run(text.replace(b'"?"', deep))
    assert len(run.spans) == 2
    assert run.span("s2").inputs is None
    assert run.span("s2").status is SpanStatus.OK


def test_the_end_record_may_hold_the_whole_span():
    whole = {**span(2, 1, inputs={"q": 2}), "status": "ok"}
    run = load_run(journal(start(1), start(2, 1), end(2, **whole)))
    assert run.span("s2").inputs == {"q": 2}
    assert run.span("s2").parent_id == "s1"


def test_a_journal_holds_no_digests_and_its_values_prove_themselves():
    assert load_run(journal(*RECORDS)).verify().state == "none"
    wrong = journal(*RECORDS).replace(b'"value":"xxx', b'"value":"yyy')
    integrity = load_run(wrong).verify()
    assert integrity.state == "changed"
    assert integrity.changed == (f"value {name_of(BIG)}",)


def test_a_journal_whose_first_line_was_lost_shows_its_spans():
    run = load_run(journal(*RECORDS).split(b"\n", 1)[1])
    assert len(run.spans) == 2


@pytest.mark.skipif(os.name == "nt", reason="the system tells nothing about writers")
def test_a_journal_with_a_writer_is_running_and_without_one_incomplete(tmp_path):
    import fcntl

    path = tmp_path / "a.run.jsonl"
    with path.open("wb") as writer:
        fcntl.flock(writer, fcntl.LOCK_EX)
        writer.write(journal(start(1)))
        writer.flush()
        assert load_run(path).status is RunStatus.RUNNING
    assert load_run(path).status is RunStatus.INCOMPLETE


def test_an_open_journal_may_grow(tmp_path):
    path = tmp_path / "a.run.jsonl"
    path.write_bytes(journal(start(1, inputs={"a": 1})))
    run = load_run(path)
    with path.open("ab") as file:
        file.write(b"more\n")
    assert run.span("s1").inputs == {"a": 1}


def test_thousands_of_chunks_of_one_span_take_no_time():
    chunks = [chunk(1, n, "a") for n in range(20_000)]
    run = load_run(journal(start(1), *chunks, end(1)))
    assert len(run.span("s1").chunks) == 20_000


def test_a_finished_file_shows_the_same_as_its_journal():
    spans = [span(1), span(2, 1, inputs={"a": ref(BIG)})]
    saved = load_run(run_file(spans, by_name(BIG)))
    written = load_run(
        journal(value(BIG), *({"record": "start", "span": each} for each in spans), end(1), end(2))
    )
    for one, other in zip(saved.spans, written.spans, strict=True):
        assert (one.id, one.inputs, one.duration_ns) == (other.id, other.inputs, other.duration_ns)
