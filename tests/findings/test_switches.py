"""Rules are switched off by who asks, and by the project in which a run lies."""

from pathlib import Path

import pytest

from inspector.assets import asset
from inspector.errors import InspectorError
from inspector.findings import RULES, check, project_switches, rules_without
from inspector.findings.switches import known_rules
from inspector.runfile.load import load_run

AGENT = load_run(asset("examples/agent-tools.run.json").read_bytes(), use_cache=False)


def project(folder: Path, text: str) -> Path:
    """Write a project's file, and return where a run of it would lie."""
    (folder / "pyproject.toml").write_text(text)
    (folder / "runs").mkdir()
    return folder / "runs" / "a.run.json"


def test_a_rule_that_is_off_finds_nothing_and_the_others_find_what_they_did() -> None:
    everything = check(AGENT)
    assert {each.rule for each in everything} == {"failed", "retried"}
    left = check(AGENT, rules=rules_without(["retried"]))
    assert left == tuple(each for each in everything if each.rule != "retried")


def test_the_project_around_a_run_switches_rules_off(tmp_path: Path) -> None:
    run = project(tmp_path, '[tool.run-inspector]\nfindings-off = ["retried", "failed"]\n')
    switches = project_switches(run)
    assert switches.off == ("failed", "retried")
    assert switches.file == tmp_path / "pyproject.toml"


def test_a_project_file_that_is_not_about_us_is_passed_by(tmp_path: Path) -> None:
    project(tmp_path, '[tool.run-inspector]\nfindings-off = ["retried"]\n')
    inner = tmp_path / "package"
    inner.mkdir()
    run = project(inner, '[project]\nname = "haystack-run-inspector"\n')
    assert project_switches(run).off == ("retried",)


@pytest.mark.parametrize("text", ["", "[tool]\nother = 1\n", "this is = not [ toml\n"])
def test_without_our_table_nothing_is_off(tmp_path: Path, text: str) -> None:
    run = project(tmp_path, text)
    assert project_switches(run).off == ()


def test_what_was_piped_lies_in_no_project() -> None:
    assert project_switches(None) == ((), None)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('findings-off = "retried"', "no list of names of rules"),
        ("findings-off = [1]", "no list of names of rules"),
        ('findings-off = ["retryed"]', "there is no rule called 'retryed'"),
        ("findings-off = [", "cannot be read"),
    ],
)
def test_a_mistake_in_the_table_is_a_sentence(tmp_path: Path, text: str, words: str) -> None:
    run = project(tmp_path, f"[tool.run-inspector]\n{text}\n")
    with pytest.raises(InspectorError) as caught:
        project_switches(run)
    assert words in str(caught.value)
    assert str(tmp_path / "pyproject.toml") in str(caught.value)


def test_a_name_that_is_nearly_one_is_offered() -> None:
    with pytest.raises(InspectorError) as caught:
        known_rules(["retryed"])
    assert caught.value.hint == "Did you mean retried?"


def test_names_come_in_the_order_of_the_table_each_once() -> None:
    names = [rule.name for rule in RULES]
    assert known_rules([*reversed(names), *names]) == tuple(names)
