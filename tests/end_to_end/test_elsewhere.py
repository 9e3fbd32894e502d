"""A file recorded here opens elsewhere: without Haystack, by schema, by other tools."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import jsonschema  # type: ignore[import-untyped]
import pytest

from inspector import record_run
from inspector.assets import asset
from tests.helpers import agents, pipelines
from tests.helpers.openai_server import OpenAIServer

pytestmark = pytest.mark.haystack

ROOT = Path(__file__).parents[2]

READ_EVERYTHING = """
import importlib.abc, json, sys

FORBIDDEN = {"haystack", "openai", "haystack_integrations", "PySide6", "numpy"}

class Wall(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in FORBIDDEN:
            raise ImportError(f"{name} cannot be imported here")

sys.meta_path.insert(0, Wall())
from inspector import load_run

run = load_run(sys.argv[1])
tree = [run.inputs, run.outputs, run.topology, run.definition, run.environment, run.usage]
for span in run.spans:
    tree += [span.inputs, span.outputs, span.arguments, dict(span.tags), str(span.error)]
    tree += [chunk.value for chunk in span.chunks or ()]
told = {
    "spans": [[span.path, span.kind, span.status] for span in run.spans],
    "outputs": json.dumps(run.outputs),
    "size": len(json.dumps(tree)),
    "problems": [str(problem) for problem in run.problems],
    "timeline": len(run.timeline),
    "verified": run.verify().state,
    "imported": sorted(FORBIDDEN & {name.partition(".")[0] for name in sys.modules}),
}
print(json.dumps(told))
"""


@pytest.fixture
def agent_file(openai_server: OpenAIServer, tmp_path: Path) -> Path:
    case = agents.three_tools(openai_server, stream=True, in_pipeline=True)
    _result, run = record_run(case.target, case.data)
    path = tmp_path / "agent.run.json"
    run.save(path)
    return path


@pytest.mark.parametrize("suffix", ["", ".gz", ".zst"])
def test_a_file_opens_where_haystack_cannot_be_imported(
    openai_server: OpenAIServer, tmp_path: Path, suffix: str
) -> None:
    case = agents.three_tools(openai_server, stream=True, in_pipeline=True)
    _result, run = record_run(case.target, case.data)
    path = tmp_path / f"agent.run.json{suffix}"
    run.save(path)

    command = [sys.executable, "-c", READ_EVERYTHING, str(path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["imported"] == []
    assert told["problems"] == []
    assert told["verified"] == "ok"
    assert told["spans"] == [[span.path, span.kind, span.status] for span in run.spans]
    assert case.token in told["outputs"]
    assert told["size"] > 5000


def test_the_schema_describes_what_is_recorded(agent_file: Path) -> None:
    schema = json.loads(asset("schema/run.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(json.loads(agent_file.read_bytes()), schema)


@pytest.mark.skipif(shutil.which("jq") is None, reason="jq is not installed here")
def test_jq_reads_the_file(agent_file: Path) -> None:
    command = ["jq", "-r", '.spans[] | select(.kind == "tool") | .name', str(agent_file)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    named = done.stdout.split()
    assert sorted(named) == ["look_up", "look_up", "measure", "measure", "take_note"]


def test_a_rag_file_has_one_record_a_line(openai_server: OpenAIServer, tmp_path: Path) -> None:
    case = pipelines.rag(openai_server)
    _result, run = record_run(case.target, case.data)
    path = tmp_path / "rag.run.json"
    run.save(path)
    lines = path.read_text(encoding="utf-8").splitlines()
    assert len(lines) >= len(run.spans) + len(run.values)
    spans = [json.loads(line.rstrip(",")) for line in lines if line.startswith('{"id":"s')]
    assert [span["id"] for span in spans] == [span.id for span in run.spans]
