"""`run-inspector check`: sentences, the spans that prove them, and an exit code for CI."""

import json
import re

import pytest

from inspector.assets import asset
from inspector.cli.main import main
from inspector.findings import RULES


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
    assert (found["fields"], found["documents"], found["possible"]) == ([], [], False)
    assert (found["rule"], found["severity"]) == ("failed", "error")
    assert found["paths"] == ["planner#1"]
    assert "strawberries" in found["sentence"]
    assert main(["check", example("rag-answer"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"findings": [], "off": [], "skipped": []}


def test_a_rule_that_is_switched_off_is_said_and_finds_nothing(capsys) -> None:
    off = ["--off", "route-not-taken", "--off", "usage-missing"]
    assert main(["check", example("untaken-branch"), *off]) == 0
    told = capsys.readouterr()
    assert told.out.startswith("Nothing to report")
    assert "2\u202frules are switched off: route-not-taken, usage-missing." in told.err


def test_the_project_of_a_run_switches_rules_off(tmp_path, capsys) -> None:
    run = tmp_path / "a.run.json"
    run.write_bytes(asset("examples/untaken-branch.run.json").read_bytes())
    project = tmp_path / "pyproject.toml"
    project.write_text(
        '[tool.run-inspector]\nfindings-off = ["route-not-taken", "usage-missing"]\n'
    )
    assert main(["check", str(run), "--json"]) == 0
    off = ["route-not-taken", "usage-missing"]
    assert json.loads(capsys.readouterr().out) == {"findings": [], "off": off, "skipped": []}
    project.write_text("[tool.run-inspector]\nfindings-off = 3\n")
    assert main(["check", str(run)]) == 2
    assert "no list of names of rules" in capsys.readouterr().err


def test_a_rule_that_does_not_exist_cannot_be_switched_off(capsys) -> None:
    assert main(["check", example("crash"), "--off", "retrid"]) == 2
    assert "Did you mean retried?" in capsys.readouterr().err


def test_all_rules_are_listed_with_what_they_find(capsys) -> None:
    assert main(["check", "--list"]) == 0
    out = capsys.readouterr().out
    assert all(re.search(rf"^  {rule.name} +{re.escape(rule.says)}$", out, re.M) for rule in RULES)
    assert main(["check", "--list", "--json", "--off", "retried"]) == 0
    listed = json.loads(capsys.readouterr().out)["rules"]
    assert [each["rule"] for each in listed] == [rule.name for rule in RULES]
    assert [each["rule"] for each in listed if each["off"]] == ["retried"]


def test_a_file_is_needed_to_look_for_findings(capsys) -> None:
    assert main(["check"]) == 2
    assert "check needs a run file" in capsys.readouterr().err


def test_documents_and_what_is_only_possible_are_said(tmp_path, capsys) -> None:
    from tests.helpers.span_runs import document, run_with

    given = [document(1, "Basil.", 0.2), document(2, "Beans.", 0.1)]
    run = run_with(
        {},
        {"name": "find", "role": "retrieval", "receivers": {"documents": ["sift"]},
         "senders": {"query": [None]}, "outputs": {"documents": given}},
        {"name": "sift", "role": "other", "senders": {"documents": ["find"]},
         "inputs": {"documents": given}, "outputs": {"documents": []}},
    )  # fmt: skip
    file = tmp_path / "a.run.json"
    run.save(file)
    assert main(["check", str(file)]) == 1
    out = capsys.readouterr().out
    assert "Warning: Possible: `sift` dropped all 2 documents (the best score was 0.2)." in out
    assert "  documents: doc-1, doc-2\n" in out
    assert main(["check", str(file), "--json"]) == 1
    (found,) = json.loads(capsys.readouterr().out)["findings"]
    assert (found["rule"], found["possible"]) == ("SCORE_BELOW_CUTOFF", True)
    assert found["documents"] == ["doc-1", "doc-2"]
    assert found["fields"] == ["inputs.documents", "outputs.documents"]
