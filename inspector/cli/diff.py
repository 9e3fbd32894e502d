"""Compare two runs: what was decided differently, why, and what became of the answer.

Exit code: 0 no decision differs, 1 some do, 2 it could not be done.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.cli.exit_codes import FINE, FOUND
from inspector.cli.output import STDIN, note_problems, opened, to_json, write, write_json
from inspector.errors import InspectorError

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace


def add_arguments(parser: ArgumentParser) -> None:
    """Describe what the command takes."""
    parser.add_argument("left", help="the run before: a run file; - is standard input")
    parser.add_argument("right", help="the run after")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="for programs")
    form.add_argument("--markdown", action="store_true", help="a page for a pull request")
    parser.add_argument(
        "--extract",
        metavar="WHAT",
        help="what to take out of the answers and compare: field:PATH, regex:PATTERN or"
        " python:MODULE:FUNCTION, which is given the answer's text",
    )
    parser.add_argument(
        "--ignore",
        metavar="PATH",
        action="append",
        default=[],
        help="differences in these values do not count, such as 'replies[*].meta.session'",
    )
    parser.add_argument(
        "--sync",
        metavar="LEFT=RIGHT",
        action="append",
        default=[],
        help="two spans that stand side by side, by their ids or paths",
    )
    parser.add_argument("--all", action="store_true", help="also the decisions that are the same")


def run(args: Namespace) -> int:
    """Compare two runs. 1: some decision differs."""
    from inspector.diff.compare import diff_runs

    if args.left == args.right == STDIN:
        raise InspectorError("Only one of the two runs can come from standard input.")
    sync = [_pair(each) for each in args.sync]
    left, right = opened(args.left), opened(args.right)
    comparison = diff_runs(left, right, extract=args.extract, ignore=args.ignore, sync=sync)
    if args.json:
        write_json([to_json(comparison.to_dict())])
    elif args.markdown:
        write(str(comparison))
    else:
        from inspector.presentation.comparison_text import comparison_lines

        for line in comparison_lines(comparison, everything=args.all):
            write(f"{line}\n")
    note_problems(left)
    note_problems(right)
    return FINE if comparison.same else FOUND


def _pair(words: str) -> tuple[str, str]:
    left, sign, right = words.partition("=")
    if not (sign and left and right):
        raise InspectorError(
            f"{words!r} names no two spans.", hint="Write --sync LEFT=RIGHT, such as s4=s6."
        )
    return left, right
