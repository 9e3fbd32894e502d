"""Runs that are redacted while they are recorded: before anything is written."""

import os
from pathlib import Path
from typing import Any

import orjson
import pytest

from inspector import PipelineRecorder, Redaction, load_run, record_run, recording
from inspector.errors import RedactionError
from inspector.redaction.live import HELD_BACK, LiveRedactor
from inspector.redaction.project import of_project, redaction_of
from inspector.runfile.interned import Interned
from inspector.runfile.journal import RunWriter
from inspector.runfile.limits import WriteLimits
from tests.helpers.secret_world import AT, credentials

MAIL = f"jo.doe{AT}example.org"
TOKEN = next(case.secret for case in credentials() if case.kind == "gitlab")
PLAIN = Redaction(environment=False)
HEADER = {
    "id": "01R",
    "kind": "pipeline",
    "name": "p",
    "status": "running",
    "recorder": {"version": "1"},
}
SPAN = {"id": "s1", "parent": None, "kind": "llm", "operation": "o", "name": "n", "path": "llm#1",
        "visit": 1, "start_ns": 1}  # fmt: skip


def written(
    tmp_path: Path, redaction: Redaction, write: Any, **more: Any
) -> tuple[RunWriter, list[bytes]]:
    """Write a run, flushing after each step; return its writer and all bytes that were ever out."""
    lines: list[bytes] = []
    redactor = LiveRedactor(redaction)
    writer = RunWriter(
        dict(HEADER), target=tmp_path / "a.run.json", scrub=redactor, redact=redactor.redact,
        chunk_scrub=redactor, stream=lambda _run, line: lines.append(line), **more,
    )  # fmt: skip
    write(writer)
    writer.finish({"status": "completed"})
    assert writer.wait(30)
    return writer, lines


def test_no_byte_of_a_journal_a_stream_or_a_file_holds_a_secret(tmp_path):
    journals: list[bytes] = []

    def look(_record: Any) -> None:
        writer.flush()
        journals.extend(each.read_bytes() for each in tmp_path.glob("*.run.jsonl"))

    def write(each: RunWriter) -> None:
        nonlocal writer
        writer = each
        shared = Interned(f"{'x' * 300} {MAIL}")
        each.start(dict(SPAN, inputs={"q": MAIL, "deep": {"password": "plain", "doc": shared}}))
        each.do(look)
        for at, piece in enumerate(
            [TOKEN[:9], TOKEN[9:15], TOKEN[15:] + " and", f" mail {MAIL[:6]}", MAIL[6:]]
        ):
            each.chunk("s1", at, {"$": "streaming_chunk", "content": piece, "meta": {"who": MAIL}})
            each.do(look)
        each.update("s1", {"tags": {MAIL: shared}})
        each.end("s1", 9, "failed", {"error": {"type": "E", "message": f"bad {TOKEN}"}})
        each.do(look)

    writer: Any = None
    _, lines = written(tmp_path, PLAIN, write)
    file = (tmp_path / "a.run.json").read_bytes()
    assert journals
    for data in (file, *journals, b"".join(lines)):
        for secret in (MAIL, TOKEN, TOKEN[4:14], MAIL.partition(AT)[2], "plain"):
            assert secret.encode() not in data
    run = load_run(file)
    chunks = [chunk.value["content"] for chunk in run.spans[0].chunks]
    assert "".join(chunks) == "<gitlab-token:1> and mail <email:1>"
    assert [chunk.at_ns for chunk in run.spans[0].chunks] == [0, 1, 2, 3, 4]
    assert run.verify().state == "ok"


def test_the_report_counts_each_place_of_the_finished_file_once(tmp_path):
    def write(writer: RunWriter) -> None:
        shared = Interned(f"{'x' * 300} {MAIL}")
        writer.start(dict(SPAN, inputs={"q": MAIL}))
        writer.do(lambda _record: writer.flush())
        writer.update("s1", {"tags": {"a": shared}})
        writer.do(lambda _record: writer.flush())
        writer.end("s1", 9, "ok", {"outputs": {"a": shared, "b": [f"to {MAIL}"]}})

    written(tmp_path, PLAIN, write)
    header = load_run(tmp_path / "a.run.json").header
    (told,) = header["redaction"]
    assert (told["rule"], told["count"], told["distinct"]) == ("email", 3, 1)
    assert {"llm#1: inputs.q", "llm#1: outputs.b[0]"} < set(told["paths"])
    assert len(told["paths"]) == 3
    assert header["redacted"]["streams"] == HELD_BACK


def test_fields_are_taken_out_also_of_values_that_are_kept_once(tmp_path):
    def write(writer: RunWriter) -> None:
        shared = Interned({"user": {"name": "Kim"}, "pad": "x" * 300})
        writer.start(dict(SPAN, inputs={"free": shared}))
        writer.do(lambda _record: writer.flush())
        writer.end("s1", 9, "ok", {"outputs": {"request": shared}})

    redaction = Redaction(fields=["request.user.name"], environment=False)
    written(tmp_path, redaction, write)
    span = load_run(tmp_path / "a.run.json").spans[0]
    assert span.inputs["free"]["user"]["name"] == "Kim"
    assert span.outputs["request"]["user"]["name"] == "<field:1>"


def test_the_head_of_a_text_that_is_left_out_is_redacted(tmp_path):
    def write(writer: RunWriter) -> None:
        text = "x" * 180 + " " + TOKEN + " " + "y" * 5000
        writer.start(dict(SPAN, inputs={"q": Interned(text)}))
        writer.end("s1", 9, "ok", {})

    written(tmp_path, PLAIN, write, limits=WriteLimits(value_bytes=2000))
    stub = load_run(tmp_path / "a.run.json").spans[0].inputs["q"]
    assert stub["$"] == "truncated"
    assert TOKEN[:8] not in stub["head"]


# -- with Haystack ---------------------------------------------------------------------------

haystack = pytest.importorskip("haystack", reason="pipelines are Haystack's")


def a_pipeline() -> Any:
    from haystack import Pipeline
    from haystack.components.builders import PromptBuilder

    pipeline = Pipeline(metadata={"name": f"of {MAIL}"})
    template = "Tell {{ who }} of " + "x" * 300 + " and never " + MAIL
    pipeline.add_component("prompt", PromptBuilder(template, required_variables="*"))
    return pipeline


DATA = {"prompt": {"who": f"our customer {MAIL} with {TOKEN}"}}


def no_secret_in(data: bytes) -> bool:
    return MAIL.encode() not in data and TOKEN.encode() not in data


@pytest.mark.parametrize("wanted", [True, PLAIN, {"environment": False}])
def test_a_recording_is_redacted(tmp_path, wanted):
    with recording(tmp_path, redact=wanted) as recorder:
        result = a_pipeline().run(DATA)
    assert MAIL in result["prompt"]["prompt"]  # the program itself sees what it always saw
    (file,) = recorder.paths
    assert no_secret_in(file.read_bytes())
    assert "jo" not in file.name
    assert load_run(file).header["redacted"]["placeholders"] == "numbered"


def test_a_sink_and_a_policy_see_no_secret_either(tmp_path):
    seen: list[str] = []

    class Policy:
        def may_keep(self, _run_id: str) -> bool:
            return True

        def keeps(self, header: Any) -> bool:
            seen.append(repr(header))
            return True

    def sink(run: Any) -> None:
        seen.append(repr(run.header) + run.to_bytes().decode())

    with recording(redact=PLAIN, sink=sink, keep=Policy()):
        a_pipeline().run(DATA)
    assert len(seen) >= 2
    for text in seen:
        assert no_secret_in(text.encode())


def test_record_run_and_enable_take_it_too(tmp_path):
    import inspector

    _, run = record_run(a_pipeline(), DATA, redact=PLAIN)
    run.save(tmp_path / "a.run.json")
    inspector.enable(redact=PLAIN)
    try:
        _, second = a_pipeline().run(DATA, record=True)
    finally:
        inspector.disable()
    second.save(tmp_path / "b.run.json")
    for name in "ab":
        assert no_secret_in((tmp_path / f"{name}.run.json").read_bytes())
    _, plain = record_run(a_pipeline(), DATA, redact=False)
    assert MAIL in plain.spans[1].inputs["who"]


def test_what_one_recorder_wants_out_is_out_for_all_of_them(tmp_path):
    with (
        recording(tmp_path / "a", redact=False) as one,
        recording(tmp_path / "b", redact=Redaction(terms=["customer"], environment=False)) as two,
    ):
        a_pipeline().run(DATA)
    for recorder in (one, two):
        data = recorder.paths[0].read_bytes()
        assert no_secret_in(data)
        assert b"customer" not in data


def test_a_project_file_redacts_every_recording_below_it(tmp_path, monkeypatch):
    (tmp_path / "pyproject.toml").write_text(
        '[tool.run-inspector.redact]\nterms = ["Customer"]\nenvironment = false\n'
        '[tool.run-inspector.redact.rules]\nnever = "nev[er]+"\n'
    )
    below = tmp_path / "src" / "app"
    below.mkdir(parents=True)
    monkeypatch.chdir(below)
    with PipelineRecorder(tmp_path / "runs") as recorder:
        a_pipeline().run(DATA)
    data = recorder.paths[0].read_bytes()
    assert no_secret_in(data)
    assert b"customer" not in data
    assert b"<never:1>" in data
    assert redaction_of(None) == of_project()
    assert redaction_of(False) is None
    assert redaction_of(True).terms == ("Customer",)


def test_a_file_of_its_own_comes_first_and_mistakes_in_it_are_said(tmp_path):
    (tmp_path / "pyproject.toml").write_text('[tool.run-inspector.redact]\nterms = ["a"]\n')
    own = tmp_path / "run-inspector.toml"
    own.write_text('[redact]\nterms = ["b"]\n')
    assert of_project(tmp_path).terms == ("b",)
    assert of_project(Path(os.sep)) is None
    for number, (text, says) in enumerate(
        (
            ("[redact]\nterm = ['b']\n", "no setting 'term'"),
            ("redact = 5\n", "has to be a table"),
            ("[redact\n", "cannot be read"),
            ("[redact]\nsalt_env = 'NOBODY_HAS_SET_THIS'\n", "which is not set"),
        )
    ):
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / "run-inspector.toml").write_text(text)
        with pytest.raises(RedactionError, match=says):
            of_project(folder)


def test_what_cannot_be_meant_is_refused_before_anything_runs(tmp_path):
    for wanted, says in (("yes", "cannot be redacted by"), ({"rules": {"a": "("}}, "linear time")):
        with pytest.raises(RedactionError, match=says):
            recording(tmp_path, redact=wanted)
    assert orjson.dumps(list(tmp_path.iterdir())) == b"[]"
