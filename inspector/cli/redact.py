"""Take secrets and personal data out of a run; the original stays as it is."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from inspector.cli.exit_codes import FINE, FOUND
from inspector.cli.logged import log_export
from inspector.cli.output import (
    STDIN,
    add_run_choice,
    note,
    note_problems,
    opened,
    place_to_write,
    to_json,
    write_json,
    write_line,
)
from inspector.errors import InspectorError
from inspector.presentation.redaction_preview import RedactionPreview

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from inspector.redaction.settings import Redaction


def add_arguments(parser: ArgumentParser) -> None:
    """Describe what the command takes."""
    parser.add_argument("file", help="a run file; - is standard input")
    add_run_choice(parser)
    parser.add_argument("-o", "--output", metavar="FILE", help="where the copy goes")
    parser.add_argument(
        "--dry-run", action="store_true", help="write nothing; list each place in its context"
    )
    parser.add_argument(
        "--term", action="append", default=[], metavar="TEXT", help="a text of yours to take out"
    )
    parser.add_argument(
        "--field", action="append", default=[], metavar="PATH",
        help="take out whatever stands there: meta.customer, **.address.*",
    )  # fmt: skip
    parser.add_argument(
        "--rule", action="append", default=[], metavar="NAME=PATTERN",
        help="a pattern of yours (RE2, which takes linear time)",
    )  # fmt: skip
    parser.add_argument(
        "--keep",
        action="append",
        default=[],
        metavar="TEXT",
        help="what stays although it is found",
    )
    parser.add_argument(
        "--off", action="append", default=[], metavar="RULE", help="a built-in rule to leave out"
    )
    parser.add_argument(
        "--salt-from-env", nargs="?", const="RUN_INSPECTOR_SALT", metavar="NAME",
        help="make placeholders the same in all files with the salt in this variable"
        " (default: RUN_INSPECTOR_SALT); otherwise they are numbered within the file",
    )  # fmt: skip
    parser.add_argument(
        "--names", action="store_true", help="look for names and places, too, with presidio"
    )
    parser.add_argument(
        "--no-project", action="store_true", help="leave aside what the project has set"
    )
    parser.add_argument("--json", action="store_true", help="for programs")


def run(args: Namespace) -> int:
    """Write a copy without secrets, or say what it would be. 1: a dry run found something.

    Raises:
        InspectorError: The file, a rule or the output makes no sense.

    """
    place = _place(args)
    redaction = _redaction(args)
    loaded = opened(args.file, args.number)
    preview = RedactionPreview(loaded, redaction)
    if args.json:
        write_json([to_json(_tree(preview, dry=args.dry_run))])
    elif args.dry_run:
        _list(preview)
    if place is not None:
        preview.copy().save(place)
        log_export(loaded, "redact", {str(place): place}, preview.report)
    if not args.json:
        write_line(str(preview.report))
        write_line(f"{preview.size_before:,} bytes before, {preview.size:,} after.")
    note_problems(loaded)
    return FOUND if args.dry_run and preview.report.count else FINE


def _place(args: Namespace) -> Path | None:
    if args.dry_run:
        return None
    if not args.output:
        raise InspectorError(
            "A redaction needs a file to write to.",
            hint="Name it with -o, or look first with --dry-run.",
        )
    place = place_to_write(Path(args.output))
    if args.file != STDIN and place == Path(os.path.realpath(args.file)):
        raise InspectorError(
            "The copy cannot take the place of the original.", hint="Name another file with -o."
        )
    return place


def _redaction(args: Namespace) -> Redaction:
    from inspector.redaction.project import of_project
    from inspector.redaction.salts import salt_of_environment
    from inspector.redaction.settings import Redaction

    redaction = (None if args.no_project else of_project()) or Redaction()
    rules = dict(redaction.rules)
    for given in args.rule:
        name, sign, pattern = given.partition("=")
        if not sign or not pattern:
            raise InspectorError(
                f"{given!r} is no rule.", hint="Write --rule 'employee=EMP-[0-9]{4}'."
            )
        rules[name] = pattern
    redaction = replace(
        redaction, rules=tuple(rules.items()), names=redaction.names or args.names
    ).with_more(args.term, args.field, args.keep, args.off)
    if args.salt_from_env:
        salt = salt_of_environment(args.salt_from_env)
        if salt is None:
            raise InspectorError(
                f"The variable {args.salt_from_env} is not set.",
                hint="Set it to at least 8 characters, the same for all files of yours.",
            )
        redaction = replace(redaction, salt=salt)
    return redaction


def _tree(preview: RedactionPreview, *, dry: bool) -> dict[str, Any]:
    told: dict[str, Any] = {
        **preview.report.to_dict(), "bytes_before": preview.size_before, "bytes": preview.size,
    }  # fmt: skip
    if dry:
        told["places"] = [
            {"rule": kind.rule, "placeholder": secret.placeholder, "where": place.where,
             "before": place.before, "secret": place.secret, "after": place.after}
            for kind in preview.kinds
            for secret in kind.secrets
            for place in secret.places
        ]  # fmt: skip
    return told


def _list(preview: RedactionPreview) -> None:
    for kind in preview.kinds:
        write_line(f"{kind.rule}: {kind.count}")
        for secret in kind.secrets:
            write_line(f"  {secret.placeholder}")
            for place in secret.places:
                write_line(f"    {place.where}")
                write_line(f"      {place.line}")
    if preview.report.names.endswith("not checked"):
        from inspector.redaction.names import why_not

        lacks = why_not()
        why = f" ({lacks})" if lacks else ""
        note(f"Names of persons were not looked for{why}: see --names and --term.")
