"""Compare two runs: what was decided differently, why, and what became of the answer.

More than two stand in one table, each measured by the first.

Exit code: 0 no decision differs, 1 some do, 2 it could not be done.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from inspector.cli.exit_codes import FINE, FOUND
from inspector.cli.output import (
    STDIN,
    add_run_choice,
    note,
    note_problems,
    numbered,
    opened,
    place_to_write,
    to_json,
    write,
    write_json,
    write_line,
)
from inspector.errors import InspectorError

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Sequence

    from inspector.diff.cohort import Cohort
    from inspector.diff.model import Comparison
    from inspector.runfile.model import PipelineRun


def add_arguments(parser: ArgumentParser) -> None:
    """Describe what the command takes."""
    parser.add_argument(
        "left",
        help="the run before: a file, FILE#2 for the second run in it; - is standard input",
    )
    parser.add_argument("right", help="the run after")
    parser.add_argument(
        "more", nargs="*", help="further runs: then all of them stand in a table, against the first"
    )
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="for programs")
    form.add_argument("--markdown", action="store_true", help="a page for a pull request")
    form.add_argument(
        "--html",
        metavar="FILE",
        help="a page for a browser, in one file without scripts; - is standard output",
    )
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
    add_run_choice(parser)


def run(args: Namespace) -> int:
    """Compare two runs, or several with the first. 1: some decision differs."""
    from inspector.diff.compare import diff_runs

    named = [numbered(each, args.number) for each in (args.left, args.right, *args.more)]
    if [file for file, _ in named].count(STDIN) > 1:
        raise InspectorError("Only one of the runs can come from standard input.")
    if args.html == "":
        raise InspectorError("--html names no file.", hint="Write --html page.html.")
    if args.more:
        return _cohort(args, named)
    place = _place(args.html, [file for file, _ in named]) if args.html else None
    sync = [_pair(each) for each in args.sync]
    left, right = (opened(file, number) for file, number in named)
    comparison = diff_runs(left, right, extract=args.extract, ignore=args.ignore, sync=sync)
    # Who stops reading wants the exit code all the same.
    with suppress(BrokenPipeError):
        _write(args, comparison, left, right, place)
    note_problems(left)
    note_problems(right)
    return FINE if comparison.same else FOUND


def _cohort(args: Namespace, named: Sequence[tuple[str, int | None]]) -> int:
    from inspector.diff.cohort import cohort

    if args.sync:
        raise InspectorError(
            "--sync puts the spans of two runs side by side, and these are more.",
            hint="Compare two of them.",
        )
    place = _place(args.html, [file for file, _ in named]) if args.html else None
    runs = [opened(file, number) for file, number in named]
    found = cohort(runs, extract=args.extract, ignore=args.ignore)
    with suppress(BrokenPipeError):
        _write_cohort(args, found, place)
    for each in runs:
        note_problems(each)
    return FINE if found.same else FOUND


def _write_cohort(args: Namespace, found: Cohort, place: Path | None) -> None:
    from inspector.presentation.cohort_table import cohort_verdict
    from inspector.presentation.cohort_text import cohort_lines, cohort_markdown

    if args.json:
        write_json([to_json(found.to_dict())])
    elif args.markdown:
        write(cohort_markdown(found))
    elif args.html:
        from inspector.export.cohort_html import cohort_html

        _write_page(cohort_html(found), cohort_verdict(found), place)
    else:
        for line in cohort_lines(found):
            write(f"{line}\n")


def _write(
    args: Namespace, comparison: Comparison, left: PipelineRun, right: PipelineRun,
    place: Path | None,
) -> None:  # fmt: skip
    if args.json:
        write_json([to_json(comparison.to_dict())])
    elif args.markdown:
        write(str(comparison))
    elif args.html:
        from inspector.export.comparison_html import comparison_html

        _write_page(comparison_html(comparison, left, right), comparison.verdict, place)
    else:
        from inspector.presentation.comparison_text import comparison_lines

        for line in comparison_lines(comparison, everything=args.all):
            write(f"{line}\n")


def _pair(words: str) -> tuple[str, str]:
    left, sign, right = words.partition("=")
    if not (sign and left and right):
        raise InspectorError(
            f"{words!r} names no two spans.", hint="Write --sync LEFT=RIGHT, such as s4=s6."
        )
    return left, right


def _place(output: str, inputs: Sequence[str]) -> Path | None:
    """Return where the page goes; None is standard output."""
    if output == STDIN:
        return None
    place = place_to_write(Path(output))
    for each in inputs:
        # By what it is and not by its name: a link to a run would replace the run.
        if each != STDIN and place.exists() and Path(each).exists() and place.samefile(each):
            raise InspectorError(
                f"{output} is one of the {'two ' if len(inputs) == 2 else ''}runs and would be"
                " overwritten.",
                hint="Name another file.",
            )
    return place


def _write_page(page: str, verdict: str, place: Path | None) -> None:
    from inspector.runfile.files import replace

    if place is None:
        # Whatever the encoding of the output is, a browser reads this.
        sys.stdout.write(page.encode("ascii", "xmlcharrefreplace").decode())
        return
    try:
        for _ in replace(str(place), [page.encode()]):
            pass
    except OSError as error:
        raise InspectorError(f"Cannot write {place}: {error.strerror}.") from error
    write_line(verdict)
    note(f"Wrote {place}.")
