"""Give a run to people without this program: as a page, a test, a card, a text, a trace.

Secrets and personal data are taken out first, by the rules of the project.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from inspector.cli.exit_codes import FINE
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
from inspector.export.kinds import KINDS, Options, export_run, kind_named, written
from inspector.export.naming import file_stem
from inspector.presentation.words import byte_words

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from inspector.export.kinds import Exported
    from inspector.redaction.settings import Redaction


def add_arguments(parser: ArgumentParser) -> None:
    """Describe what the command takes."""
    parser.add_argument("file", help="a run file; - is standard input")
    add_run_choice(parser)
    parser.add_argument(
        "--as", dest="kind", required=True, choices=[*KINDS], metavar="KIND",
        help=", ".join(f"{name}: {kind.title.lower()}" for name, kind in KINDS.items()),
    )  # fmt: skip
    parser.add_argument(
        "-o", "--output", metavar="OUT",
        help="the file to write, of a fixture the folder; otherwise standard output",
    )  # fmt: skip
    parser.add_argument(
        "--at", metavar="SPAN", help="the span or component that it is about: an id, path or name"
    )
    parser.add_argument(
        "--pipeline", metavar="TARGET",
        help="of a fixture: what makes the pipeline, package.module:attribute",
    )  # fmt: skip
    parser.add_argument(
        "--no-redact", action="store_true",
        help="leave secrets and personal data in; not for fixtures",
    )  # fmt: skip
    parser.add_argument(
        "--term", action="append", default=[], metavar="TEXT", help="a text of yours to take out"
    )
    parser.add_argument(
        "--keep", action="append", default=[], metavar="TEXT",
        help="what stays although it is found",
    )  # fmt: skip
    parser.add_argument("--json", action="store_true", help="say what was written, for programs")


def run(args: Namespace) -> int:
    """Write a run in another form.

    Raises:
        InspectorError: The run lacks what the form needs, or it cannot be written.

    """
    kind = kind_named(args.kind)
    if args.output is None and kind.is_folder:
        raise InspectorError(
            f"A {args.kind} is several files.", hint="Name a folder for them with -o."
        )
    place = _place(args, is_folder=kind.is_folder)
    is_png = args.kind == "card" and place is not None and place.suffix.lower() == ".png"
    loaded = opened(args.file, args.number)
    options = Options(
        name=file_stem(loaded, None if kind.is_folder or place is None else place),
        at=args.at,
        target=args.pipeline,
        schemes=not is_png,
    )
    made = export_run(loaded, args.kind, redact=_redaction(args), options=options)
    if is_png:
        made = _as_png(made)
    places: dict[str, Path] = {}
    if place is not None:
        if args.file != STDIN and kind.is_folder:
            for name in made.files:
                _spare(place / name, Path(args.file))
        places, trouble = written(loaded, made, place, is_folder=kind.is_folder)
        if trouble:
            note(f"note: {trouble}")
    # Who stops reading has what is written all the same.
    with suppress(BrokenPipeError):
        _tell(args, made, places)
    note_problems(loaded)
    return FINE


def _place(args: Namespace, *, is_folder: bool) -> Path | None:
    if args.output is None:
        return None
    if not args.output:
        raise InspectorError("-o names no file.")
    if is_folder:
        folder = Path(args.output)
        if folder.exists() and not folder.is_dir():
            raise InspectorError(f"{args.output} is no folder.", hint="A fixture is several files.")
        return folder
    place = place_to_write(Path(args.output))
    if args.file != STDIN:
        _spare(place, Path(args.file))
    return place


def _spare(place: Path, source: Path) -> None:
    # By what it is and not by its name: a link to the run would replace the run.
    if place.exists() and source.exists() and place.samefile(source):
        raise InspectorError(
            f"{place.name} is the run itself and would be overwritten.",
            hint="Name another place with -o.",
        )


def _redaction(args: Namespace) -> Redaction | None:
    from inspector.redaction.project import of_project
    from inspector.redaction.settings import Redaction

    if args.no_redact:
        return None
    return (of_project() or Redaction()).with_more(args.term, (), args.keep, ())


def _as_png(made: Exported) -> Exported:
    try:
        from inspector.gui.widgets.svg_png import png_of_svg
    except ImportError as error:
        raise InspectorError(
            "A PNG is drawn by the window's parts, which are not installed.",
            hint="Install haystack-run-inspector[gui], or write an .svg.",
        ) from error
    return replace(made, files={f"{next(iter(made.files))[:-4]}.png": png_of_svg(made.main)})


def _tell(args: Namespace, made: Exported, places: dict[str, Path]) -> None:
    if args.json:
        write_json([to_json(_tree(made, places))])
        return
    for words in made.notes:
        note(f"note: {words}")
    if not places:
        sys.stdout.flush()
        # A browser, a trace viewer and a site read bytes; a terminal gets nothing to act on.
        _to_stdout(made.main)
        return
    for name, place in places.items():
        write_line(f"{place}: {byte_words(len(made.files[name]))}")
    if made.report is None:
        note("Nothing was taken out of it.")
    else:
        write_line(str(made.report).split("\n", 1)[0])


def _to_stdout(data: bytes) -> None:
    stream = getattr(sys.stdout, "buffer", None)
    if stream is None:
        sys.stdout.write(data.decode("utf-8", "replace"))
        return
    stream.write(data)
    stream.flush()


def _tree(made: Exported, places: dict[str, Path]) -> dict[str, Any]:
    return {
        "kind": made.kind,
        "files": [
            {
                "name": name,
                "path": str(places[name]) if name in places else None,
                "bytes": len(data),
                "sha256": sha256(data).hexdigest(),
                **({} if name in places else {"text": data.decode("utf-8", "replace")}),
            }
            for name, data in made.files.items()
        ],
        "notes": list(made.notes),
        "redaction": made.report.to_dict() if made.report is not None else None,
    }
