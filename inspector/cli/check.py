"""Say what a person should look at in a run: failures, empty answers, untaken routes that ran."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.cli.exit_codes import FINE, FOUND
from inspector.cli.output import note_problems, opened, to_json, write_json, write_line
from inspector.presentation.finding_list import NOTHING, finding_rows

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace


def add_arguments(parser: ArgumentParser) -> None:
    """Describe what the command takes."""
    parser.add_argument("file", help="a run file; - is standard input")
    parser.add_argument("--json", action="store_true", help="for programs")


def run(args: Namespace) -> int:
    """Look for everything that the rules know. 1: there is something."""
    from inspector.findings import check

    loaded = opened(args.file)
    findings = check(loaded)
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
        write_json([to_json({"findings": told})])
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
    note_problems(loaded)
    return FOUND if findings else FINE
