"""Say what a person should look at in a run: failures, empty answers, untaken routes that ran."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from inspector.cli.exit_codes import FINE, FOUND
from inspector.cli.output import (
    STDIN,
    add_run_choice,
    note,
    note_problems,
    opened,
    to_json,
    write_json,
    write_line,
)
from inspector.errors import InspectorError
from inspector.presentation.finding_list import NOTHING, finding_rows, off_words
from inspector.presentation.visible import one_line

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterable


def add_arguments(parser: ArgumentParser) -> None:
    """Describe what the command takes."""
    parser.add_argument("file", nargs="?", help="a run file; - is standard input")
    add_run_choice(parser)
    parser.add_argument(
        "--off", metavar="RULE", action="append", default=[], help="a rule that is not applied"
    )
    parser.add_argument(
        "--list", action="store_true", dest="only_list", help="name all rules, and what they find"
    )
    parser.add_argument("--json", action="store_true", help="for programs")


def run(args: Namespace) -> int:
    """Look for everything that the rules know. 1: there is something."""
    from inspector.findings import examine, rules_without
    from inspector.findings.plugins import plugin_rules
    from inspector.findings.switches import known_rules, project_switches

    asked = known_rules(args.off)
    if args.only_list:
        return _list(asked, as_json=args.json)
    if args.file is None:
        raise InspectorError(
            "check needs a run file.", hint="run-inspector check FILE, or check --list."
        )
    loaded = opened(args.file, args.number)
    project = project_switches(None if args.file == STDIN else Path(args.file))
    off = known_rules({*asked, *project.off})
    findings, skipped = examine(loaded, rules=rules_without(off))
    skipped += plugin_rules()[1]
    if args.json:
        told = [
            {
                "rule": each.rule, "severity": str(each.severity), "sentence": each.sentence,
                "spans": list(each.spans),
                "paths": [loaded.span(span_id).path for span_id in each.spans],
                "fields": list(each.fields), "documents": list(each.documents),
                "possible": each.possible, "hint": each.hint,
            }
            for each in findings
        ]  # fmt: skip
        write_json([to_json({"findings": told, "off": list(off), "skipped": list(skipped)})])
        return FOUND if findings else FINE
    rows = finding_rows(loaded, findings)
    for row in rows:
        write_line(f"{row.word}: {row.sentence}")
        if row.places:
            write_line(f"  at {', '.join(place.path or 'the run itself' for place in row.places)}")
        if row.documents:
            write_line(f"  documents: {', '.join(row.documents)}")
        if row.hint:
            write_line(f"  {row.hint}")
    if not rows:
        write_line(NOTHING)
    if off:
        note(f"{off_words(off)}.")
    for told_of in skipped:
        note(f"{told_of}.")
    note_problems(loaded)
    return FOUND if findings else FINE


def _list(off: Iterable[str], *, as_json: bool) -> int:
    """Name all rules that there are."""
    from inspector.findings import all_rules
    from inspector.findings.plugins import plugin_rules

    rules, troubles = all_rules(), plugin_rules()[1]
    if as_json:
        listed = [
            {"rule": rule.name, "group": rule.group, "says": rule.says, "off": rule.name in off}
            for rule in rules
        ]
        write_json([to_json({"rules": listed, "skipped": list(troubles)})])
        return FINE
    width = max(len(rule.name) for rule in rules)
    group = ""
    for rule in rules:
        if rule.group != group:
            write_line(f"{'' if not group else chr(10)}{rule.group}")
            group = rule.group
        write_line(f"  {one_line(rule.name):<{width}}  {one_line(rule.says)}")
    for trouble in troubles:
        note(f"{trouble}.")
    return FINE
