"""A run becomes a test that people read, keep, and believe when it fails."""

import ast
import json
from typing import Any

import pytest

from inspector.assets import asset
from inspector.diff.answer import answer_of
from inspector.errors import InspectorError
from inspector.export.fixture import test_text as text_of
from inspector.export.fixture_cut import cut_run
from inspector.export.kinds import Options, export_run
from inspector.export.python_text import assigned
from inspector.presentation.decided import decided
from inspector.redaction.settings import Redaction
from inspector.runfile.load import load_run
from tests.export.examples import EXAMPLES, example
from tests.export.hostile_runs import HIDDEN, HOSTILE, hostile_run


@pytest.mark.parametrize("name", EXAMPLES)
def test_what_a_test_needs_is_still_there_after_the_cut(name: str) -> None:
    run = example(name)
    short, data = cut_run(run)
    assert short.verify().state == "ok"
    assert decided(short) == decided(run)
    assert answer_of(short) == answer_of(run)
    assert [span.path for span in short.spans] == [span.path for span in run.spans]
    assert [span.inputs for span in short.spans] == [span.inputs for span in run.spans]
    assert [span.outputs for span in short.spans] == [span.outputs for span in run.spans]
    assert len(data) < len(asset(f"examples/{name}.run.json").read_bytes())
    assert b"Traceback" not in data
    whats = [note["what"] for note in short.not_recorded]
    assert "streamed chunks, costs and tracebacks" in whats


def test_a_test_says_each_decision_and_the_answer() -> None:
    run = example("agent-tools")
    names = run_literals(text_of(run, "a.run.json", "a", None))
    assert names["DECISIONS"]["assistant#1/step0/tool:read_sensor[1]"].endswith(" failed")
    assert names["DECISIONS"]["assistant#1/agent#1"] == "ended: text after 4 steps"
    assert names["ANSWER"].startswith("Both beds are too dry")
    found = run_literals(text_of(example("rag-answer"), "a.run.json", "a", None))["DECISIONS"]
    assert found["retriever#1"].startswith("found watering-schedule, valve-screen")
    loop = run_literals(text_of(example("validator-loop"), "a.run.json", "a", None))["DECISIONS"]
    assert [loop[f"validator#{at}"] for at in (1, 2, 3)] == [
        "gave validation_error", "gave validation_error", "gave validated",
    ]  # fmt: skip


def run_literals(text: str) -> dict[str, Any]:
    """Return what a test assigns at its top; anything that is not a literal raises."""
    found = {}
    for node in ast.parse(text).body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            found[node.targets[0].id] = ast.literal_eval(node.value)
    return found


@pytest.mark.parametrize("name", ["agent-tools", "crash", "rag-answer"])
def test_what_a_run_says_is_nothing_but_a_literal_in_its_test(name: str) -> None:
    run = hostile_run(HOSTILE, name)
    made = export_run(run, "fixture", redact=Redaction(),
                      options=Options(name="x"))  # fmt: skip
    text = made.main.decode()
    assert not [sign for sign in HIDDEN if sign in text]
    shape = [type(node).__name__ for node in ast.parse(text).body]
    calm = text_of(example(name), "x.run.json", "x", None)
    assert shape == [type(node).__name__ for node in ast.parse(calm).body]
    names = run_literals(text)
    said = names.get("ANSWER") or names["ERROR"]
    assert HOSTILE.split("\n")[0] in said


@pytest.mark.parametrize("words", ["", "a", HOSTILE, "'", '"', "'\"", "x" * 500, "\ud800" * 90])
def test_a_text_in_a_test_is_what_the_run_said(words: str) -> None:
    assert run_literals(assigned("A", words)) == {"A": words}
    assert run_literals(assigned("A", {words: words})) == {"A": {words: words}}


@pytest.mark.parametrize(
    "target", ["", "a", "a:b()", "os:system; x", "a.b:", "a b:c", "import:x", "a\n:b", "a:b.c"]
)
def test_a_target_that_is_none_is_said(target: str) -> None:
    with pytest.raises(InspectorError, match="names no pipeline"):
        text_of(example("crash"), "a.run.json", "a", target or " ")


def test_a_yaml_is_loaded_from_beside_the_test() -> None:
    text = text_of(example("crash"), "a.run.json", "a", 'it"s.yaml')
    assert "(Path(__file__).parent / 'it\"s.yaml').read_text" in text
    ast.parse(text)


def test_a_fixture_is_always_redacted() -> None:
    with pytest.raises(InspectorError, match="always redacted"):
        export_run(example("crash"), "fixture", redact=None)
    tree = json.loads(asset("examples/rag-answer.run.json").read_text("utf-8"))
    text = json.dumps(tree).replace("clogged screen", "ada@example.com screen")
    made = export_run(load_run(text.encode()), "fixture", redact=Redaction())
    assert b"ada@example.com" not in b"".join(made.files.values())
    assert b"<email:1>" in made.main


def test_a_run_that_has_not_ended_is_no_fixture() -> None:
    tree = json.loads(asset("examples/rag-answer.run.json").read_text("utf-8"))
    tree["run"]["status"] = "paused"
    with pytest.raises(InspectorError, match="came to its end, and this one is paused"):
        export_run(load_run(json.dumps(tree).encode()), "fixture", redact=Redaction())
