"""Say whether a run file is as its writer left it, and name the records that are not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.cli.exit_codes import FINE, FOUND
from inspector.cli.output import (
    add_run_choice,
    note_problems,
    opened,
    to_json,
    write_json,
    write_line,
)

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace


def add_arguments(parser: ArgumentParser) -> None:
    """Describe what the command takes."""
    parser.add_argument("file", help="a run file; - is standard input")
    add_run_choice(parser)
    parser.add_argument("--json", action="store_true", help="for programs")


def run(args: Namespace) -> int:
    """Check one file. 1: it changed, or nothing in it says whether it did."""
    loaded = opened(args.file, args.number)
    integrity = loaded.verify()
    fine = integrity.state == "ok" and loaded.complete and not loaded.problems
    if args.json:
        problems = [{"message": str(each), "hint": each.hint} for each in loaded.problems]
        answer = {
            "state": integrity.state,
            "changed": list(integrity.changed),
            "message": integrity.message,
            "complete": loaded.complete,
            "problems": problems,
        }
        write_json([to_json(answer)])
    else:
        write_line(f"{integrity.state}: {integrity.message}")
        for name in integrity.changed:
            write_line(f"  {name}")
        note_problems(loaded)
    return FINE if fine else FOUND
