"""A format is a line, also in another package; what fails there is named and skipped."""

import importlib.metadata
import json
import pkgutil
from importlib import import_module
from types import SimpleNamespace

import pytest

import inspector.importers
from inspector import load_run, load_runs
from inspector.errors import RunFileError
from inspector.importers import plugins, registry
from inspector.importers.building import RunBuilder
from inspector.importers.dialects import DIALECTS
from inspector.importers.head import Head
from inspector.importers.imported import ImportedRun, import_note
from tests.importers.files import FOREIGN
from tests.importers.made_codex import codex_session
from tests.importers.made_files import bundle, jaeger, langfuse, phoenix
from tests.importers.made_langsmith import langsmith_rows
from tests.importers.made_trajectories import atif_file, swe_file


class Entry:
    """An entry point whose object is at hand."""

    def __init__(self, name, made):
        self.name = name
        self._made = made

    def load(self):
        if isinstance(self._made, Exception):
            raise self._made
        return self._made


@pytest.fixture
def installed(monkeypatch):
    """Install importers of other packages; give a function that takes them."""

    def install(**entries):
        found = [Entry(name, made) for name, made in entries.items()]
        monkeypatch.setattr(
            plugins, "entry_points", lambda group: found if group == registry.GROUP else []
        )
        plugins.plugins.cache_clear()

    yield install
    plugins.plugins.cache_clear()


def gull(context):
    builder = RunBuilder(context.intake)
    builder.span(
        {"id": "s1", "parent": None, "kind": "other", "name": "gull", "role": "other", "path": "",
         "start_ns": 0, "end_ns": 5, "status": "ok"}
    )  # fmt: skip
    header = {"id": "g", "name": "gull", "status": "completed",
              "extensions": {"import": import_note(context)}}  # fmt: skip
    yield ImportedRun(header, builder)


GULL = SimpleNamespace(
    name="gull", words="a gull", read=gull, detect=lambda head: 99 if head.has("gull") else 0
)


def test_another_package_adds_a_format(installed):
    installed(gull=GULL)
    run = load_run(b'{"gull": 1}')
    assert run.name == "gull"
    assert run.extensions["import"]["format"] == "gull"
    assert run.spans[0].duration_ns == 5


def test_an_entry_point_may_be_what_makes_the_importer(installed):
    installed(gull=lambda: GULL)
    assert load_run(b'{"gull": 1}').name == "gull"


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        (ImportError("no such module"), "no such module"),
        (SimpleNamespace(detect=None), "it has no name, words, read"),
    ],
)
def test_an_importer_that_cannot_be_had_is_named_and_skipped(installed, broken, said):
    installed(tern=broken, gull=GULL)
    run = load_run(b'{"gull": 1}')
    assert run.name == "gull"
    assert any("tern" in str(problem) and said in str(problem) for problem in run.problems)


def test_an_importer_that_fails_to_look_is_named_and_skipped(installed):
    def fail(_head):
        raise KeyError("feathers")

    installed(tern=SimpleNamespace(name="tern", words="a tern", read=gull, detect=fail))
    run = load_run(FOREIGN / "otlp_json" / "haystack_rag.otlp.jsonl")
    assert len(run.spans) == 4
    assert any("tern" in str(problem) for problem in run.problems)


def test_an_importer_that_fails_to_read_is_named(installed):
    def fail(_context):
        raise KeyError("feathers")
        yield

    broken = SimpleNamespace(name="tern", words="a tern", read=fail, detect=lambda head: 100)
    installed(tern=broken)
    with pytest.raises(RunFileError, match=r"the importer tern failed \(KeyError"):
        load_runs(b'{"gull": 1}')


def test_a_less_sure_importer_of_another_package_leaves_our_formats_alone(installed):
    installed(gull=SimpleNamespace(name="gull", words="a gull", read=gull, detect=lambda head: 50))
    run = load_run(FOREIGN / "otlp_json" / "haystack_rag.otlp.jsonl")
    assert run.extensions["import"]["format"] == "otlp"


def test_the_group_is_asked_of_the_installed_packages():
    assert importlib.metadata.entry_points(group=registry.GROUP) == ()


FORMATS = {
    "otlp": FOREIGN / "otlp_json" / "haystack_rag.otlp.jsonl",
    "haystack-snapshot": FOREIGN / "haystack_snapshot" / "hs3.4.1_rag_bp_llm.json",
    "otlp-protobuf": FOREIGN / "otlp_protobuf" / "haystack_rag.pb",
    "haystack-diagnostics": bundle(),
    "hayhooks": FOREIGN / "hayhooks_traces" / "hayhooks_traces.json",
    "hayhooks-execution": FOREIGN / "hayhooks_execution" / "rag.json",
    "jaeger": jaeger(),
    "mlflow": FOREIGN / "mlflow_trace" / "mlflow_haystack_rag.trace.json",
    "langfuse": langfuse("trace"),
    "spans": phoenix("list"),
    "zipkin": FOREIGN / "zipkin_json" / "haystack_rag.zipkin.json",
    "logging-tracer": FOREIGN / "haystack_logging_tracer" / "logging_tracer_rag.log",
    "pydantic-ai": FOREIGN / "pydantic_ai" / "pydantic_ai_all_messages.json",
    "claude-code": FOREIGN / "odd" / "claude_same_message_id_3_lines.jsonl",
    "codex": codex_session(),
    "langsmith": langsmith_rows(),
    "inspect": FOREIGN / "inspect" / "relay_0.3.285.eval",
    "atif": atif_file(),
    "swe-agent": swe_file(),
    "vcr": FOREIGN / "vcr_cassette" / "haystack_agent_tools.yaml",
    "batch": FOREIGN / "openai_batch" / "openai_batch_input.jsonl",
    "a2a": b'{"id": "t", "contextId": "c", "status": {"state": "TASK_STATE_WORKING"}}',
    "chat-log": FOREIGN / "openai_chat_log" / "openai_chat_pairs.jsonl",
    "sse": FOREIGN / "openai_chat_log" / "openai_chat_stream.sse.txt",
    "json": b'{"a": 1}',
}


def test_every_format_of_the_table_is_told_by_its_content():
    told = {
        name: load_runs(source)[0].extensions["import"]["format"]
        for name, source in FORMATS.items()
    }
    assert told == {name: name for name in FORMATS}
    assert [each.name for each in registry.IMPORTERS] == list(FORMATS)


def test_every_module_that_reads_a_format_stands_in_the_table():
    modules = {
        f"inspector.importers.{found.name}"
        for found in pkgutil.iter_modules(inspector.importers.__path__)
    }
    readers = {
        name
        for name in modules
        if hasattr(import_module(name), "detect") and hasattr(import_module(name), "read")
    }
    assert readers == {each.module for each in registry.IMPORTERS}


def test_every_convention_is_asked():
    modules = {
        found.name.removeprefix("dialect_")
        for found in pkgutil.iter_modules(inspector.importers.__path__)
        if found.name.startswith("dialect_")
    }
    assert {each.read.__module__.rpartition("dialect_")[2] for each in DIALECTS} == modules


@pytest.mark.parametrize(
    "data",
    [b"", b"{", b"[", b'{"a', b'{"resourceSpans', b"\xff\xfe\x00", b'{"a":{"b":[{"c"', b"[[[[["],
)  # fmt: skip
def test_looking_at_a_file_never_fails(data):
    head = Head(data, len(data))
    for each in registry.IMPORTERS:
        assert isinstance(each.detect(head), int)


def test_keys_are_seen_also_where_the_first_value_is_longer_than_what_is_looked_at():
    text = json.dumps({"resourceSpans": [{"x": "y" * 100_000}]}).encode()
    assert Head(text[:65_536], len(text)).keys == {"resourceSpans"}
