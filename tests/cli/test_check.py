"""`run-inspector check`: sentences, the spans that prove them, and an exit code for CI."""

import json

import pytest

from inspector.assets import asset
from inspector.cli.main import main


def example(name: str) -> str:
    return str(asset(f"examples/{name}.run.json"))


def test_a_run_with_findings_ends_with_one_and_says_where(capsys) -> None:
    assert main(["check", example("untaken-branch")]) == 1
    out = capsys.readouterr().out
    assert out.startswith("Warning: `technician` ran although `router` did not choose it")
    assert "  at technician#1, router#1\n" in out


@pytest.mark.parametrize("name", ["rag-answer", "validator-loop", "parallel-branches"])
def test_a_run_that_is_well_ends_with_zero(name, capsys) -> None:
    assert main(["check", example(name)]) == 0
    assert capsys.readouterr().out.startswith("Nothing to report")


def test_programs_get_every_field(capsys) -> None:
    assert main(["check", example("crash"), "--json"]) == 1
    (found,) = json.loads(capsys.readouterr().out)["findings"]
    assert (found["rule"], found["severity"]) == ("failed", "error")
    assert found["paths"] == ["planner#1"]
    assert "strawberries" in found["sentence"]
    assert main(["check", example("rag-answer"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"findings": []}
