"""Every format opens in the wrappings in which files of it are met."""

import gzip
import json
from io import BytesIO
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

import pytest

from inspector import load_runs
from inspector.errors import RunFileError
from inspector.importers.texts import is_lines
from tests.importers.files import drawn, import_note, total_tokens
from tests.importers.test_registry import FORMATS


def bytes_of(name):
    given = FORMATS[name]
    return given.read_bytes() if isinstance(given, Path) else given


def told(data):
    runs = load_runs(data)
    return import_note(runs[0])["format"], [(drawn(run), total_tokens(run)) for run in runs]


BINARY = ["otlp-protobuf", *(name for name in FORMATS if bytes_of(name).startswith(b"PK"))]
# Theirs says what nobody else knows: that it is any JSON at all.
TEXTS = [name for name in FORMATS if name not in (*BINARY, "json")]
LINES = [name for name in TEXTS if is_lines(bytes_of(name)) and bytes_of(name)[:1] == b"{"]
DOCUMENTS = [name for name in TEXTS
             if name not in LINES and bytes_of(name).strip()[:1] in (b"{", b"[")]  # fmt: skip


def trees(name):
    return [json.loads(line) for line in bytes_of(name).split(b"\n") if line.strip()]


WRAPPINGS = {
    "packed": gzip.compress,
    "with a mark": lambda data: b"\xef\xbb\xbf" + data,
    "in UTF-16": lambda data: data.decode().encode("utf-16"),
    "with lines as on Windows": lambda data: data.replace(b"\r", b"").replace(b"\n", b"\r\n"),
    "behind blank lines": lambda data: b"\n \n" + data + b"\n\n",
    "with zero bytes at the end": lambda data: data + b"\0" * 64,
}


@pytest.mark.parametrize("how", WRAPPINGS)
@pytest.mark.parametrize("name", TEXTS)
def test_a_file_opens_as_it_is_met(name, how):
    data = bytes_of(name)
    assert told(WRAPPINGS[how](data)) == told(data)


@pytest.mark.parametrize("name", LINES)
def test_lines_open_however_they_are_parted(name):
    wanted, lines = told(bytes_of(name)), [json.dumps(tree) for tree in trees(name)]
    cut = [*lines[:1], '{"a": ', *lines[1:]]
    laid = {
        "with blank lines": "\n\n".join(lines),
        "as a list": f"[{', '.join(lines)}]",
        "one after the other": "".join(lines),
        "over several lines": "\n".join(json.dumps(tree, indent=2) for tree in trees(name)),
        "with commas": ",\n".join(lines),
        "as RFC 7464 has them": "".join(f"\x1e{line}\n" for line in lines),
        "behind text": "\n".join(["2026-01-01 INFO begun", *lines]),
        "with a broken line": "\n".join(cut),
    }
    for how, text in laid.items():
        assert told(text.encode()) == wanted, how


@pytest.mark.parametrize("name", DOCUMENTS)
def test_documents_open_however_they_are_laid_out(name):
    data = bytes_of(name)
    tree = json.loads(data)
    line = json.dumps(tree)
    laid = {
        "in one line": line,
        "over several lines": json.dumps(tree, indent="\t"),
        "with a comma too many": f"{line[:-1]},{line[-1]}",
        "before other text": f"{line}\nDone in 3 s.\n",
        "before a comma": f"{line},\n",
    }
    if isinstance(tree, dict):
        laid["in a list"] = f"[{line}]"
    for how, text in laid.items():
        assert told(text.encode()) == told(data), how


@pytest.mark.parametrize("name", BINARY)
def test_what_is_no_text_opens_packed(name):
    assert told(gzip.compress(bytes_of(name))) == told(bytes_of(name))


def test_spans_among_logs_and_metrics_are_found():
    spans = bytes_of("otlp")
    logs = b'{"resourceLogs": [{"scopeLogs": []}]}\n{"resourceMetrics": []}\n'
    assert told(logs + spans) == told(spans)
    with pytest.raises(RunFileError, match="without a single span"):
        load_runs(logs)


def zipped(*files):
    packed = BytesIO()
    with ZipFile(packed, "w", ZIP_DEFLATED) as archive:
        for name, data in files:
            archive.writestr(name, data)
    return packed.getvalue()


@pytest.mark.parametrize("name", FORMATS)
def test_the_only_file_of_an_archive_opens_as_it_does_alone(name):
    data = bytes_of(name)
    assert told(zipped(("traces/x", data))) == told(data)
    by_a_mac = (("__MACOSX/traces/._x", b"\0\5\x16\7"), ("x.gz", gzip.compress(data)))
    assert told(zipped(*by_a_mac)) == told(data)


def test_of_an_archive_of_several_files_each_is_named():
    with pytest.raises(RunFileError) as refused:
        load_runs(zipped(("b.json", b"{}"), ("a.json", b"{}")))
    assert str(refused.value) == "The data is a ZIP archive of 2 files."
    assert refused.value.hint == "Unpack it, and open those that hold runs: a.json, b.json"


def test_what_cannot_be_read_in_an_archive_is_named():
    with pytest.raises(RunFileError, match=r"^x\.json in the data is empty\.$"):
        load_runs(zipped(("x.json", b"")))
