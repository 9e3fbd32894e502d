"""What is no run gets one clear sentence; of what is damaged, the readable rest is shown."""

import gzip
import json
import os
import re
from pathlib import Path

import orjson
import pytest

from inspector.errors import NewerFormatError, RunFileError
from inspector.runfile.load import load_run
from tests.runfile.files import SAMPLE, by_name, ref, run_file, span

TEXT = SAMPLE.read_bytes()
JSON_BUT = "The data is JSON, but no run"
NO_OBJECT = "The data holds no JSON object: at byte {} instead of '{{'."
NOTHING = "Nothing can be read of the data"
OTHER = "The data is in the format 'har'"


def refusal(source):
    """The one sentence and the hint with which a file is refused."""
    with pytest.raises(RunFileError) as caught:
        load_run(source)
    sentence, hint = str(caught.value), caught.value.hint
    assert "\n" not in sentence
    assert sentence.endswith(".")
    assert len(sentence) < 200
    assert hint
    return sentence


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"", "The data is empty."),
        (b" \n\t\r\n ", "The data holds nothing but white space."),
        (bytes(1000), "The data holds zero bytes instead of text."),
        (b"hello", NO_OBJECT.format("0 stands 'hello'")),
        (b"\n  oh", NO_OBJECT.format("3 stands 'oh'")),
        (b"\xff\x00", NO_OBJECT.format(r"0 stands '\xff\x00'")),
        (b"null", NO_OBJECT.format("0 stands 'null'")),
        (b"[]", "The data holds a JSON list, not a run."),
        (b"{}", "The data is JSON, but no run: it is an empty object."),
        (b'{"a":1,"b":2}', "The data is JSON, but no run: its keys are a, b."),
        (b'{"format":"har"}', f"{OTHER}, not in “haystack-run”."),
        (b'{"format":7}', "The data is JSON, but no run: its keys are format."),
        (b'{"resourceSpans":[]}', f"{JSON_BUT}: it looks like an OpenTelemetry trace."),
        (b'{"components":1,"connections":1}', f"{JSON_BUT}: it looks like a pipeline definition."),
        (b'{"log":{"entries":[]}}', f"{JSON_BUT}: it looks like a HAR file."),
        (b"PK\x03\x04rest", "The data is a ZIP archive, not a run file."),
        (b"<html>", "The data is HTML or XML, not a run file."),
        (b'{"for', "The data is cut off after 5 bytes, before it says what it is."),
        (gzip.compress(b"hello", mtime=0), NO_OBJECT.format("0 stands 'hello'")),
        (b"\x1f\x8bnot really", f"{NOTHING}: its compressed data is damaged."),
        (b"\x28\xb5\x2f\xfdnot really", f"{NOTHING}: its compressed data is damaged."),
        (b'{"record":"run","format":"har"}\n', f"{OTHER}, not in “haystack-run”."),
    ],
)  # fmt: skip
def test_what_is_no_run_is_said_in_one_sentence(data, sentence):
    assert refusal(data) == sentence


def test_many_keys_are_not_all_told():
    said = refusal(json.dumps({f"key{n}": n for n in range(1000)}).encode())
    assert said == (
        "The data is JSON, but no run: its keys are key0, key1, key2, key3, key4, key5 …."
    )


def test_a_file_that_is_not_there():
    assert refusal("gone.run.json") == "Cannot open gone.run.json: there is no such file."


def test_a_directory_that_is_not_there(tmp_path):
    with pytest.raises(RunFileError) as caught:
        load_run(tmp_path / "nowhere" / "a.run.json")
    assert caught.value.hint == f"The directory {tmp_path / 'nowhere'} does not exist."


def test_a_directory(tmp_path):
    assert refusal(tmp_path) == f"Cannot open {tmp_path.name}: it is a directory."


@pytest.fixture
def somebody_else():
    """For a moment, not to be the superuser, who may read anything."""
    if os.name == "nt":
        pytest.skip("permissions are different there")
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    yield
    os.seteuid(0)


def test_a_file_that_may_not_be_read(tmp_path, request):
    path = tmp_path / "a.run.json"
    path.write_bytes(TEXT)
    path.chmod(0)
    request.getfixturevalue("somebody_else")
    assert refusal(path) == "Cannot open a.run.json: you may not read it."


def test_a_file_in_a_directory_that_may_not_be_looked_into(tmp_path, request):
    path = tmp_path / "closed" / "a.run.json"
    path.parent.mkdir()
    path.write_bytes(TEXT)
    path.parent.chmod(0)
    request.getfixturevalue("somebody_else")
    try:
        assert refusal(path) == "Cannot open a.run.json: you may not read it."
    finally:
        if os.name != "nt" and os.getuid() == 0:
            os.seteuid(0)
        path.parent.chmod(0o755)


@pytest.mark.parametrize("name", ["a\0b", "x" * 5000])
def test_a_name_that_no_file_can_have(name):
    assert refusal(name).startswith("Cannot open ")


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="the system has no endless file")
def test_an_endless_file_is_not_read_to_its_end():
    assert refusal("/dev/zero") == "zero holds zero bytes instead of text."


def test_a_newer_file_asks_for_a_newer_program():
    newer = run_file([span(1)], first={"format": "haystack-run", "version": 2})
    for text in (newer, json.dumps(json.loads(newer), indent=1).encode()):
        with pytest.raises(NewerFormatError) as caught:
            load_run(text)
        assert str(caught.value) == (
            "The data uses run format 2; this Run Inspector reads up to 1."
        )
        assert caught.value.hint == "Update Run Inspector, then open the file again."


@pytest.mark.parametrize("version", [0, -1])
def test_a_version_that_never_was(version):
    text = run_file([span(1)], first={"format": "haystack-run", "version": version})
    assert refusal(text) == (
        f"The data says that it uses run format {version}, which never existed."
    )


@pytest.mark.parametrize("version", [None, "1", 1.0, True, [], {}])
def test_a_version_of_the_wrong_type_loses_no_span(version):
    run = load_run(run_file([span(1)], first={"format": "haystack-run", "version": version}))
    assert len(run.spans) == 1
    assert [problem.message for problem in run.problems] == [
        "It does not say which version of the format it uses."
    ]


# Cut off and damaged


SMALL = run_file(
    [span(1), span(2, 1, inputs={"a": ref("x" * 300), "list": [1, {"b": None}]}), span(3, 1)],
    {**by_name("x" * 300, [True, {"c": "é" * 150}]), "odd key": {"d": 1}},
    top={"more": {"e": [1, 2]}},
)


@pytest.mark.parametrize(("text", "stride"), [(SMALL, 1), (TEXT, 7)], ids=["small", "sample"])
def test_a_file_cut_off_anywhere_opens_to_its_last_whole_record_or_says_why_not(text, stride):
    for end in range(0, len(text), stride):
        cut = text[:end]
        whole_spans = sum(map(is_json, re.findall(rb'^\{"id":.*\}', cut, re.MULTILINE)))
        run = load_or_why_not(cut)
        if isinstance(run, str):
            assert whole_spans == 0
            assert re.search(r"is empty|cut off after .* bytes", run)
            continue
        assert [each.id for each in run.spans] == [f"s{n}" for n in range(1, whole_spans + 1)]
        if end < len(text.rstrip()):
            assert not run.complete
            assert any("cut off" in problem.message for problem in run.problems)


def load_or_why_not(data):
    try:
        return load_run(data)
    except RunFileError as error:
        return str(error)


def is_json(text):
    try:
        orjson.loads(text)
    except orjson.JSONDecodeError:
        return False
    return True


def test_a_pretty_printed_file_cut_off_anywhere_shows_what_is_whole():
    text = json.dumps(json.loads(TEXT), indent=1).encode()
    shown = -1
    for end in range(0, len(text), 23):
        run = load_or_why_not(text[:end])
        if isinstance(run, str):
            assert shown == -1
            assert re.search(r"is empty|cut off after", run)
            continue
        assert len(run.spans) >= shown
        assert not run.complete
        shown = len(run.spans)
    assert shown == 11


@pytest.mark.parametrize("pack", [gzip.compress])
def test_a_compressed_file_cut_off_shows_what_could_be_unpacked(pack):
    packed = pack(TEXT)
    for end in range(0, len(packed), 101):
        run = load_or_why_not(packed[:end])
        assert isinstance(run, str) or (not run.complete and run.problems)


def test_a_damaged_line_loses_that_line():
    lines = TEXT.split(b"\n")
    lines[4] = lines[4][:50]
    run = load_run(b"\n".join(lines))
    assert [each.id for each in run.spans] == [f"s{n}" for n in (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11)]
    assert run.span("s3").problems
    lines[4] = b"garbage,"
    run = load_run(b"\n".join(lines))
    assert [each.id for each in run.spans] == [f"s{n}" for n in (1, 2, 4, 5, 6, 7, 8, 9, 10, 11)]
    assert str(run.problems[0]) == "line 5: This span cannot be read; it is left out."


def test_text_behind_the_end_is_said():
    run = load_run(TEXT + b"what is this\n")
    assert len(run.spans) == 11
    assert any("behind its end" in problem.message for problem in run.problems)


def test_deep_nesting_of_the_file_itself_is_refused():
    assert refusal(b'{"a":' * 100_000).startswith("The data is damaged JSON")
    assert refusal(b"[" * 100_000) == "The data holds a JSON list, not a run."


@pytest.mark.parametrize("value", [None, 3, {"format": "haystack-run"}, object()])
def test_what_is_no_file_is_said_by_its_type(value):
    with pytest.raises(RunFileError, match=type(value).__name__):
        load_run(value)
