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
    assert json.loads(capsys.readouterr().out) == {"findings": [], "off": []}


def test_a_rule_that_is_switched_off_is_said_and_finds_nothing(capsys) -> None:
    assert main(["check", example("untaken-branch"), "--off", "route-not-taken"]) == 0
    told = capsys.readouterr()
    assert told.out.startswith("Nothing to report")
    assert "1\u202frule is switched off: route-not-taken." in told.err


def test_the_project_of_a_run_switches_rules_off(tmp_path, capsys) -> None:
    run = tmp_path / "a.run.json"
    run.write_bytes(asset("examples/untaken-branch.run.json").read_bytes())
    project = tmp_path / "pyproject.toml"
    project.write_text('[tool.run-inspector]\nfindings-off = ["route-not-taken"]\n')
    assert main(["check", str(run), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"findings": [], "off": ["route-not-taken"]}
    project.write_text("[tool.run-inspector]\nfindings-off = 3\n")
    assert main(["check", str(run)]) == 2
    assert "no list of names of rules" in capsys.readouterr().err


def test_a_rule_that_does_not_exist_cannot_be_switched_off(capsys) -> None:
    assert main(["check", example("crash"), "--off", "retrid"]) == 2
    assert "Did you mean retried?" in capsys.readouterr().err
