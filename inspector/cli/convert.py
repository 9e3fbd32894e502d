"""Make a run file of what another program wrote: a trace, a snapshot, or any other run."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from inspector.cli.exit_codes import FINE
from inspector.cli.output import (
    STDIN,
    add_run_choice,
    note,
    note_problems,
    opened,
    opened_all,
    place_to_write,
    shown_file,
    to_json,
    write_json,
    write_line,
)
from inspector.errors import InspectorError

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from inspector.runfile.model import PipelineRun

_ENDINGS = (".run.json.gz", ".run.json.zst", ".run.json", ".json.gz", ".json.zst", ".json")


def add_arguments(parser: ArgumentParser) -> None:
    """Describe what the command takes."""
    parser.add_argument("file", help="a trace, a snapshot or a run file; - is standard input")
    parser.add_argument("-o", "--output", metavar="FILE", required=True, help="the run file")
    which = parser.add_mutually_exclusive_group()
    add_run_choice(which)
    which.add_argument(
        "--all", action="store_true", help="every run of the file: FILE-1, FILE-2, ..."
    )
    parser.add_argument("--json", action="store_true", help="for programs")


def run(args: Namespace) -> int:
    """Write the run file, and say what it could not take over.

    Raises:
        InspectorError: The file cannot be read, or the output not be written.

    """
    output = Path(args.output)
    place_to_write(output)
    runs = opened_all(args.file) if args.all else [opened(args.file, args.number)]
    places = _places(output, len(runs))
    for place in places:
        whole = place_to_write(place)
        if args.file != STDIN and whole == Path(os.path.realpath(args.file)):
            raise InspectorError(
                "The run file cannot take the place of the original.",
                hint="Name another file with -o.",
            )
    for place, each in zip(places, runs, strict=True):
        each.save(place)
    if args.json:
        write_json([to_json([_told(*pair) for pair in zip(places, runs, strict=True)])])
        return FINE
    for place, each in zip(places, runs, strict=True):
        count = len(each.spans)
        write_line(f"{place}: {each.name or 'run'}, {count:,} {'span' if count == 1 else 'spans'}")
    for lost in _note(runs[0]).get("losses", ()):
        note(f"not in {shown_file(args.file)}: {lost}")
    note_problems(runs[0])
    return FINE


def _places(output: Path, count: int) -> list[Path]:
    if count == 1:
        return [output]
    name = output.name
    ending = next((end for end in _ENDINGS if name.endswith(end)), output.suffix)
    stem = name.removesuffix(ending)
    return [output.with_name(f"{stem}-{number}{ending}") for number in range(1, count + 1)]


def _told(place: Path, converted: PipelineRun) -> dict[str, Any]:
    return {
        "file": str(place),
        "id": converted.id,
        "name": converted.name,
        "status": str(converted.status),
        "spans": len(converted.spans),
        "usage": converted.usage,
        "import": _note(converted),
        "problems": [str(problem) for problem in converted.problems],
    }


def _note(converted: PipelineRun) -> dict[str, Any]:
    note_of = converted.extensions.get("import")
    return note_of if isinstance(note_of, dict) else {}
