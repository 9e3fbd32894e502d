"""Rules of other packages, and rules that fail: what is wrong is named, and the rest goes on."""

from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest

from inspector.findings import RULES, Finding, Rule, Severity, all_rules, check, examine
from inspector.findings import plugins as plugin_module
from tests.helpers.drawn_runs import run_from_outline
from tests.helpers.rule_packages import HERE, breaks, install_rules

RUN = run_from_outline("""
    pipeline 0-100
      retriever 0-40
      llm 40-100 failed
""")


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Installs rules of another package, and takes them away again."""
    yield lambda **entries: install_rules(tmp_path / "site", monkeypatch, **entries)
    plugin_module.plugin_rules.cache_clear()


def test_rules_of_another_package_are_applied_like_ours(installed: Any) -> None:
    installed(garden=f"{HERE}:made_of_both")
    assert [rule.name for rule in all_rules()[len(RULES) :]] == ["long", "silent"]
    assert [(each.rule, each.spans) for each in check(RUN)] == [
        ("failed", ("s3",)), ("long", ("s3",)),
    ]  # fmt: skip


def test_rules_of_others_are_switched_off_like_ours(installed: Any) -> None:
    from inspector.findings import rules_without
    from inspector.findings.switches import known_rules

    installed(garden=f"{HERE}:LONG")
    assert known_rules(["long"]) == ("long",)
    assert [each.rule for each in check(RUN, rules=rules_without(["long"]))] == ["failed"]


def test_what_is_no_rule_or_cannot_be_had_is_named_and_skipped(installed: Any) -> None:
    installed(a=f"{HERE}:LONG", b=f"{HERE}:NO_RULE", c="no.such.module:x", d=f"{HERE}:NAMESAKE")
    rules, troubles = plugin_module.plugin_rules()
    assert [rule.name for rule in rules] == ["long"]
    assert [told.partition(":")[0] for told in troubles] == [
        "The rules of b were skipped", "The rules of c were skipped", "The rules of d were skipped",
    ]  # fmt: skip


def test_without_other_packages_there_are_only_ours() -> None:
    assert all(isinstance(each, EntryPoint) for each in plugin_module.entry_points(group="x"))
    assert all_rules() == RULES


@pytest.mark.parametrize(
    ("find", "words"),
    [
        (breaks, "RuntimeError: Out of seeds."),
        (lambda _reading: None, "TypeError"),
        (lambda _reading: [3], "which is no Finding"),
        (lambda _reading: [Finding("x", Severity.NOTE, "Nowhere.", ("s99",))], "span 's99'"),
        (lambda _reading: [Finding("x", "bad", "No severity.")], "AttributeError"),  # type: ignore[arg-type]
    ],
)
def test_a_rule_that_fails_is_named_and_costs_no_other(find: Any, words: str) -> None:
    found, skipped = examine(RUN, rules=[Rule("breaks", "breaks", find), *RULES])
    assert [each.rule for each in found] == ["failed"]
    (told,) = skipped
    assert told.startswith("The rule breaks failed and was skipped: ")
    assert words in told


def test_a_rule_that_fails_is_told_of_by_the_command(
    installed: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from inspector.cli.main import main

    installed(garden=f"{HERE}:BREAKS")
    RUN.save(tmp_path / "a.run.json")
    assert main(["check", str(tmp_path / "a.run.json")]) == 1
    told = capsys.readouterr()
    assert "The rule breaks failed and was skipped: RuntimeError: Out of seeds" in told.err
    assert main(["check", "--list"]) == 0
    assert "  breaks" in capsys.readouterr().out
