"""The bundled runs: they open, they are whole, and they tell nothing of where they were made."""

import getpass
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import pytest

from inspector import load_run
from inspector.assets import asset

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "resources" / "examples"
FILES = sorted(FOLDER.glob("*.run.json"))
LISTED = json.loads((FOLDER / "index.json").read_text(encoding="utf-8"))


def named(path: Path) -> str:
    return path.name.removesuffix(".run.json")


def opened(name: str) -> Any:
    return load_run(FOLDER / f"{name}.run.json", use_cache=False)


def strings(tree: Any) -> list[str]:
    if isinstance(tree, dict):
        return [text for item in (*tree, *tree.values()) for text in strings(item)]
    if isinstance(tree, list):
        return [text for item in tree for text in strings(item)]
    return [tree] if isinstance(tree, str) else []


def test_every_example_is_listed_and_every_listed_one_is_there() -> None:
    assert len(FILES) == 8
    assert {entry["file"] for entry in LISTED} == {path.name for path in FILES}
    readme = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert all(f"`{path.name}`" in readme for path in FILES)


@pytest.mark.parametrize("path", FILES, ids=named)
def test_an_example_opens_without_a_problem(path: Path) -> None:
    run = load_run(path, use_cache=False)
    assert run.problems == ()
    assert run.verify().state == "ok"
    assert all(span.problems == () for span in run.spans)
    assert run.status == ("failed" if named(path) == "crash" else "completed")
    assert run.not_recorded in ([], (), None)


@pytest.mark.parametrize("path", FILES, ids=named)
def test_an_example_follows_the_schema(path: Path) -> None:
    schema = json.loads(asset("schema/run.schema.json").read_text(encoding="utf-8"))
    jsonschema.validate(json.loads(path.read_bytes()), schema)


@pytest.mark.parametrize("path", FILES, ids=named)
def test_an_example_tells_nothing_of_the_machine_it_was_made_on(path: Path) -> None:
    texts = strings(json.loads(path.read_bytes()))
    absolute = re.compile(r"""(?:^|[\s"'(=])(/(?:home|root|Users|work|tmp|usr|opt|var)/[^\s"']*)""")
    assert not [text for text in texts if absolute.search(text)]
    assert not [text for text in texts if re.search(r"[A-Z]:\\\\?Users", text)]
    assert not [text for text in texts if "127.0.0.1" in text or "localhost" in text]
    assert not [text for text in texts if "made-up-" in text], "not even the made-up key"
    names = {os.uname().nodename, getpass.getuser()} - {"root", "localhost", ""}
    assert not [text for text in texts for name in names if re.search(rf"\b{name}\b", text)]


@pytest.mark.parametrize("path", FILES, ids=named)
def test_an_example_takes_as_long_as_a_real_run(path: Path) -> None:
    run = load_run(path, use_cache=False)
    assert run.duration_ns is not None
    assert 0.5e9 < run.duration_ns < 10e9
    assert path.stat().st_size < 600_000


def test_the_three_answers_differ_by_prompt_and_by_document() -> None:
    def answer(name: str) -> str:
        text: str = opened(name).outputs["answer_builder"]["answers"][0]["data"]
        return text

    first, prompt, document = map(answer, ("rag-answer", "rag-other-prompt", "rag-other-document"))
    assert len({first, prompt, document}) == 3
    assert "green rim" in document
    assert "green rim" not in first


def test_the_agent_recovers_from_a_tool_that_failed() -> None:
    run = opened("agent-tools")
    tools = [span for span in run.spans if span.kind == "tool"]
    assert [span.name for span in tools].count("read_sensor") == 3
    (failed,) = (span for span in tools if span.status == "failed")
    assert "F12" in failed.error.message
    assert "TimeoutError" in json.dumps(failed.error.raw)
    assert run.status == "completed"
    first_step = [span for span in tools if "step0" in span.path]
    assert len(first_step) == 3


def test_the_loop_runs_three_times() -> None:
    run = opened("validator-loop")
    assert [span.visit for span in run.spans if span.name == "llm"] == [1, 2, 3]


def test_the_untaken_branch_ran_because_of_a_run_time_input() -> None:
    run = opened("untaken-branch")
    (router,) = (span for span in run.spans if span.name == "router")
    assert list(router.outputs) == ["general"], "the fault route was not taken"
    (technician,) = (span for span in run.spans if span.path == "technician#1")
    assert not isinstance(technician.inputs["question"], str), "no question reached it"
    assert technician.senders["streaming_callback"] == [None], "it came from the caller"
    assert [span for span in run.spans if span.kind == "agent"]
    calls = [span for span in run.spans if span.type.endswith("OpenAIChatGenerator")]
    assert len(calls) == 3, "instead of one"
    assert all(span.chunks for span in calls)


def test_the_branches_overlap() -> None:
    run = opened("parallel-branches")
    first = [span for span in run.spans if span.name in ("summary_llm", "wishes_llm", "reply_llm")]
    assert max(span.start_ns for span in first) < min(span.end_ns for span in first)
    assert all(len(span.chunks) > 5 for span in first)


def test_the_crash_holds_its_cause_and_a_snapshot() -> None:
    run = opened("crash")
    assert "strawberries" in run.error.message
    assert "KeyError" in json.dumps(run.error.raw)
    assert run.snapshot["break_point"]["component_name"] == "planner"


@pytest.mark.haystack
def test_without_the_run_time_input_the_branch_does_not_run(tmp_path: Path) -> None:
    """Haystack issue 11109, on the Haystack that is installed: the example stays true."""
    script = f"""
import sys
sys.path[:0] = [{str(FOLDER)!r}]
import make_examples
from desk_scenes import _router, _router_data, _router_script
from inspector import record_run

counts = []
with make_examples.OpenAIServer(_router_script) as server:
    import os
    os.environ["OPENAI_BASE_URL"] = server.url
    for data in (_router_data(), {{"router": _router_data()["router"]}}):
        _result, run = record_run(_router(), data)
        counts.append(sum(span.kind == "agent" for span in run.spans))
print(*counts)
"""
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["1", "0"]
