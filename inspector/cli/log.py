"""Show what has left this machine: each export, redacted copy and sealed run, and its digest.

Each line holds the digest of the one before, so that what was changed or taken out is noticed.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from inspector.cli.exit_codes import FINE, FOUND
from inspector.cli.output import note, to_json, write_json, write_line
from inspector.errors import InspectorError
from inspector.presentation.words import byte_words, plural

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Mapping

_DIGITS = 16


def add_arguments(parser: ArgumentParser) -> None:
    """Describe what the command takes."""
    parser.add_argument("file", nargs="?", help="another log than the usual one")
    parser.add_argument("--json", action="store_true", help="for programs")


def run(args: Namespace) -> int:
    """Print the log. 1: its chain is broken.

    Raises:
        InspectorError: None is kept, or it cannot be read.

    """
    from inspector.trust.export_log import VARIABLE, log_place, read_log

    place = Path(args.file) if args.file else log_place()
    if place is None:
        raise InspectorError("No log of exports is kept.", hint=f"{VARIABLE} is off.")
    if args.file and not place.is_file():
        raise InspectorError(f"There is no log {args.file}.")
    checked = read_log(place)
    if args.json:
        write_json(
            [
                to_json(
                    {
                        "file": str(place),
                        "entries": list(checked.entries),
                        "whole": not checked.trouble,
                        "trouble": checked.trouble or None,
                        "last": checked.last,
                    }
                )
            ]
        )
    else:
        for entry in checked.entries:
            _tell(entry)
        count = plural(len(checked.entries), "entry", "entries")
        write_line(f"{place}: {count}, the last one {checked.last[:_DIGITS]}…")
    if checked.trouble:
        note(checked.trouble)
    return FOUND if checked.trouble else FINE


def _tell(entry: Mapping[str, Any]) -> None:
    run = entry.get("run")
    run = run if isinstance(run, dict) else {}
    write_line(f"{entry.get('at')}  {entry.get('what')}  by {entry.get('who')}")
    named = run.get("file") or run.get("name")
    write_line(f"  of {named} ({run.get('id')}, {run.get('digest') or 'without a digest'})")
    files = entry.get("files")
    for file in files if isinstance(files, list) else ():
        if isinstance(file, dict):
            size = file.get("bytes")
            words = byte_words(size if isinstance(size, int) else None)
            write_line(f"  to {file.get('name')}: {words}, sha256 {file.get('sha256')}")
    rules = entry.get("rules")
    if rules is None:
        earlier = run.get("redacted_by")
        if isinstance(earlier, list):
            write_line(f"  redacted earlier by {', '.join(map(str, earlier))}")
        else:
            write_line("  not redacted")
    elif isinstance(rules, list):
        write_line(f"  redacted by {', '.join(map(str, rules)) or 'rules that found nothing'}")
