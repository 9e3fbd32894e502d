"""What of a run flashes while it is played beside another one."""

import pytest

from inspector.diff.compare import diff_runs
from inspector.presentation.baseline import differing_rows
from inspector.presentation.examples import bundled_examples
from inspector.runfile.load import load_run
from inspector.runfile.model import PipelineRun
from tests.helpers.span_runs import run_with


def example(name: str) -> PipelineRun:
    return load_run(next(one.path for one in bundled_examples() if one.path.stem == f"{name}.run"))


def differing(one: PipelineRun, other: PipelineRun) -> tuple[list[str], list[str]]:
    compared = diff_runs(one, other)
    return (
        [one.table.name(row) for row in sorted(differing_rows(compared, one, is_left=True))],
        [other.table.name(row) for row in sorted(differing_rows(compared, other, is_left=False))],
    )


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("rag-answer", []),
        ("rag-other-prompt", ["prompt_builder", "llm", "answer_builder"]),
        ("rag-other-document", ["retriever", "prompt_builder", "llm", "answer_builder"]),
    ],
)
def test_the_innermost_spans_that_put_out_something_else_differ(
    name: str, expected: list[str]
) -> None:
    assert differing(example("rag-answer"), example(name)) == (expected, expected)


def made(*tools: dict[str, object]) -> PipelineRun:
    spans = ({"kind": "tool", "parent": "s1", **tool} for tool in tools)
    return run_with({"name": "all", "kind": "pipeline"}, *spans)


def test_what_was_only_asked_otherwise_does_not_differ() -> None:
    one = made({"name": "a", "inputs": {"q": 1}, "outputs": {"result": 3}})
    other = made({"name": "a", "inputs": {"q": 2}, "outputs": {"result": 3}})
    assert differing(one, other) == ([], [])


def test_what_only_one_run_has_differs_there() -> None:
    tool = {"name": "a", "outputs": {"result": 3}}
    assert differing(made(tool), made(tool, {"name": "b"})) == ([], ["b"])


def test_what_failed_on_one_side_differs() -> None:
    failed = {"name": "a", "status": "failed", "error": {"type": "E", "message": "no"}}
    assert differing(made({"name": "a"}), made(failed)) == (["a"], ["a"])
