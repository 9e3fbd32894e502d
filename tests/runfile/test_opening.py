"""A run file opens in every layout and from every source, and shows the same run."""

import gzip
import io
import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import orjson
import pytest

from inspector.runfile.load import load_run
from inspector.runfile.model import RunStatus, SpanKind, SpanStatus
from tests.runfile.files import DATA, SAMPLE, by_name, ref, run_file, span

try:
    from compression import zstd
except ImportError:
    from backports import zstd

TEXT = SAMPLE.read_bytes()
TREE = orjson.loads(TEXT)


def told(run):
    """Everything that a person could see of a run."""
    return (
        run.header,
        [(s.id, s.parent_id, s.kind, s.name, s.path, s.status, s.duration_ns) for s in run.spans],
        [(s.inputs, s.outputs, s.arguments, s.error, s.usage, s.chunks) for s in run.spans],
        run.usage,
        run.timeline,
        run.complete,
    )


LAYOUTS = {
    "one record a line": TEXT,
    "no line end at the end": TEXT.rstrip(b"\n"),
    "all on one line": orjson.dumps(TREE),
    "pretty-printed": json.dumps(TREE, indent=2).encode(),
    "pretty-printed without escapes": json.dumps(TREE, indent="\t", ensure_ascii=False).encode(),
    "keys in another order": orjson.dumps(TREE, option=orjson.OPT_SORT_KEYS),
    "keys in reverse order": orjson.dumps(dict(reversed(TREE.items()))),
    "a byte order mark": b"\xef\xbb\xbf" + TEXT,
    "a byte order mark, pretty-printed": b"\xef\xbb\xbf" + json.dumps(TREE, indent=1).encode(),
    "line ends of Windows": TEXT.replace(b"\n", b"\r\n"),
    "gzip": gzip.compress(TEXT),
    "gzip in two members": gzip.compress(TEXT[:3000]) + gzip.compress(TEXT[3000:]),
    "zstd": zstd.compress(TEXT),
    "zstd in two frames": zstd.compress(TEXT[:3000]) + zstd.compress(TEXT[3000:]),
    "space around it": b"\n  " + json.dumps(TREE, indent=2).encode() + b"\n\n",
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout_shows_the_same_run(layout):
    run = load_run(LAYOUTS[layout])
    assert told(run) == told(load_run(SAMPLE))
    assert run.problems == ()


@pytest.mark.parametrize("name", ["run.json", "run.gz", "run", "run.txt", "run.jsonl"])
@pytest.mark.parametrize("layout", ["one record a line", "gzip", "pretty-printed"])
def test_what_a_file_is_shows_in_its_bytes_not_in_its_name(tmp_path, name, layout):
    path = tmp_path / name
    path.write_bytes(LAYOUTS[layout])
    assert told(load_run(path)) == told(load_run(SAMPLE))


@pytest.mark.parametrize("make", [str, Path, Path.read_bytes, lambda path: path.open("rb")])
def test_a_run_opens_from_a_path_from_bytes_and_from_an_open_file(make):
    source = make(SAMPLE)
    run = load_run(source)
    if hasattr(source, "close"):
        source.close()
    assert len(run.spans) == 11


def test_a_text_file_object_will_do():
    assert len(load_run(io.StringIO(TEXT.decode())).spans) == 11


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
def test_a_named_pipe_is_read_to_its_end(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read_end = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write_end = os.open(pipe, os.O_WRONLY)
    os.set_blocking(read_end, True)

    def write():
        with os.fdopen(write_end, "wb") as out:
            out.write(TEXT)

    writer = threading.Thread(target=write)
    writer.start()
    with os.fdopen(read_end, "rb") as file:
        assert len(load_run(file).spans) == 11
    writer.join()


def test_standard_input_opens():
    code = (
        "import sys; from inspector.runfile.load import load_run\n"
        "print(len(load_run(sys.stdin.buffer).spans))"
    )
    done = subprocess.run([sys.executable, "-c", code], input=TEXT, capture_output=True, check=True)
    assert done.stdout.strip() == b"11"


def test_utf16_opens_and_is_said():
    run = load_run(TEXT.decode().encode("utf-16"))
    assert told(run) == told(load_run(SAMPLE))
    assert [problem.message for problem in run.problems] == ["It is written in UTF-16, not UTF-8."]


def test_the_sample_says_what_happened():
    run = load_run(SAMPLE)
    assert (run.id, run.name, run.status) == (
        "01JDQ6Z3V4N8W2X5Y7A9B1C3D5", "support", RunStatus.COMPLETED,
    )  # fmt: skip
    assert run.usage == {
        "prompt_tokens": 411, "completion_tokens": 68, "total_tokens": 479, "cached_tokens": 128,
        "reasoning_tokens": 0, "calls": 2, "unknown_calls": 0,
    }  # fmt: skip
    tool = run.at("agent#1/step0/tool:directory[1]")
    assert (tool.kind, tool.status, tool.thread) == (
        SpanKind.TOOL, SpanStatus.FAILED, "ThreadPoolExecutor-1_1",
    )  # fmt: skip
    assert tool.error.type == "haystack.tools.errors.ToolInvocationError"
    assert tool.error.cause.message == "the directory is closed on Sundays"
    assert tool.error.cause.cause is None
    assert tool.outputs is None
    assert tool.not_recorded == {"outputs": "the tool raised"}


def test_chunks_carry_their_time_of_arrival():
    chunks = load_run(SAMPLE).at("agent#1/step1/llm").chunks
    assert [chunk.at_ns for chunk in chunks][:2] == [641_000_000, 678_000_000]
    assert "".join(chunk.value["content"] for chunk in chunks).startswith("It rains lightly")


def test_the_tree_of_spans_can_be_walked_both_ways():
    run = load_run(SAMPLE)
    (root,) = run.roots
    assert [child.name for child in run.children(root)] == ["retriever", "builder", "agent"]
    leaf = run.span("s11")
    up = []
    while leaf is not None:
        up.append(leaf.name)
        leaf = run.parent(leaf)
    assert up == ["chat_generator", "step 1", "agent", "agent", "support"]
    assert list(run.table.depth) == [0, 1, 1, 1, 2, 3, 4, 4, 4, 3, 4]


def test_asking_for_a_span_that_is_not_there_says_so():
    run = load_run(SAMPLE)
    for wrong in ("s12", "s0", "s01", "S1", "", "s-1", "s1 ", "s٣"):
        with pytest.raises(KeyError):
            run.span(wrong)
    assert run.at("nowhere#1") is None


def test_spans_are_equal_when_they_are_the_same_span_of_the_same_run():
    one, other = load_run(SAMPLE), load_run(LAYOUTS["pretty-printed"])
    assert one.span("s3") == other.span("s3")
    assert len({one.span("s3"), other.span("s3"), one.span("s4")}) == 2


def test_the_timeline_tells_paths_times_and_errors():
    timeline = load_run(SAMPLE).timeline
    assert [(entry.path, entry.duration_ns) for entry in timeline][:2] == [
        ("retriever#1", 2_500_000),
        ("builder#1", 1_300_000),
    ]
    failed = [entry for entry in timeline if entry.error is not None]
    assert [entry.path for entry in failed] == ["agent#1/step0/tool:directory[1]"]


def test_absent_is_not_the_same_as_empty():
    run = load_run(run_file([span(1, inputs={}), span(2, 1)]))
    assert run.span("s1").inputs == {}
    assert run.span("s1").has("inputs")
    assert run.span("s2").inputs is None
    assert not run.span("s2").has("inputs")
    assert run.usage is None


def test_a_field_can_be_asked_for_without_decoding_its_value():
    text = run_file([span(1, inputs={"q": 1})]).replace(b'{"q":1}', b'{"q":?}')
    assert load_run(text).span("s1").has("inputs")


def test_opening_decodes_no_value():
    text = run_file([span(1, inputs=ref("x" * 300))], by_name("x" * 300))
    run = load_run(text.replace(b"xxx", b"\xff\xff\xff"))
    assert run.problems == ()
    assert "not valid UTF-8" in run.span("s1").problems[0]


def test_names_that_are_long_or_many_cost_a_word_each():
    run = load_run(run_file([span(n, name="same" if n % 2 else f"n{n}") for n in range(1, 101)]))
    assert run.table.name(0) == run.table.name(98) == "same"
    assert len(run.table.names) == 51


def test_every_run_file_that_was_ever_released_opens():
    files = sorted(DATA.glob("*.run.json*"))
    assert files
    for path in files:
        run = load_run(path)
        assert run.problems == (), path.name
        assert run.complete, path.name
        assert all(span.problems == () for span in run.spans), path.name


def test_loading_can_be_watched_and_stopped(tmp_path):
    path = tmp_path / "a.run.json"
    path.write_bytes(run_file([span(n, inputs={"text": "y" * 150}) for n in range(1, 9000)]))
    told_so_far = []
    load_run(path, progress=told_so_far.append)
    assert told_so_far == sorted(told_so_far)
    assert told_so_far[-1] == 1.0
    assert len(told_so_far) > 3
    with pytest.raises(Exception, match=r"Opening a\.run\.json was stopped"):
        load_run(path, cancelled=lambda: True)


def test_opening_imports_nothing_that_a_reader_does_not_need():
    code = (
        "import sys; from inspector.runfile.load import load_run\n"
        f"run = load_run({str(SAMPLE)!r}); [s.inputs for s in run.spans]; run.usage\n"
        "heavy = {'haystack', 'PySide6', 'numpy', 'deepdiff', 'keyring', 'pydantic'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
