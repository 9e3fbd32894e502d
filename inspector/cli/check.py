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
from inspector.presentation.finding_list import NOTHING, finding_rows, off_words

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace


def add_arguments(parser: ArgumentParser) -> None:
    """Describe what the command takes."""
    parser.add_argument("file", help="a run file; - is standard input")
    add_run_choice(parser)
    parser.add_argument(
        "--off", metavar="RULE", action="append", default=[], help="a rule that is not applied"
    )
    parser.add_argument("--json", action="store_true", help="for programs")


def run(args: Namespace) -> int:
    """Look for everything that the rules know. 1: there is something."""
    from inspector.findings import check, rules_without
    from inspector.findings.switches import known_rules, project_switches

    asked = known_rules(args.off)
    loaded = opened(args.file, args.number)
    project = project_switches(None if args.file == STDIN else Path(args.file))
    off = known_rules({*asked, *project.off})
    findings = check(loaded, rules=rules_without(off))
    if args.json:
        told = [
            {
                "rule": each.rule, "severity": str(each.severity), "sentence": each.sentence,
                "spans": list(each.spans),
                "paths": [loaded.span(span_id).path for span_id in each.spans],
                "hint": each.hint,
            }
            for each in findings
        ]  # fmt: skip
        write_json([to_json({"findings": told, "off": list(off)})])
        return FOUND if findings else FINE
    rows = finding_rows(loaded, findings)
    for row in rows:
        write_line(f"{row.word}: {row.sentence}")
        if row.places:
            write_line(f"  at {', '.join(place.path or 'the run itself' for place in row.places)}")
        if row.hint:
            write_line(f"  {row.hint}")
    if not rows:
        write_line(NOTHING)
    if off:
        note(f"{off_words(off)}.")
    note_problems(loaded)
    return FOUND if findings else FINE
