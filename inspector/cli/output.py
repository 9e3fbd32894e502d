"""What commands write: data to standard output, messages to standard error.

Nothing that came from a file reaches the terminal as more than text.
"""

from __future__ import annotations

import json
import os
import sys
from contextlib import contextmanager, redirect_stdout, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from inspector.errors import InspectorError
from inspector.presentation.visible import one_line, visible_text

if TYPE_CHECKING:
    from argparse import _ActionsContainer
    from collections.abc import Iterable, Iterator

    from inspector.runfile.model import PipelineRun

STDIN = "-"
_STDOUT, _STDERR = 1, 2
_DIGITS = 9
_LONGEST = 4_000
_AS_WE_ARE = os.access in os.supports_effective_ids


def write(text: str) -> None:
    """Write a piece of text, every sign in it visible."""
    sys.stdout.write(visible_text(text))


def write_line(text: str = "") -> None:
    """Write a line."""
    sys.stdout.write(f"{visible_text(text)}\n")


def write_json(pieces: Iterable[str]) -> None:
    """Write JSON that was made by `to_json`."""
    sys.stdout.writelines(pieces)
    sys.stdout.write("\n")


def to_json(tree: Any, *, indent: int | None = None) -> str:
    """Return JSON in ASCII: any program can read it, and no terminal acts on it."""
    return json.dumps(tree, ensure_ascii=True, indent=indent)


@contextmanager
def kept_for_data() -> Iterator[None]:
    """Let what the code of a target prints go to standard error: the output is for data."""
    sys.stdout.flush()
    kept = None
    with suppress(OSError, ValueError):  # an output of a test, which has no number
        if sys.stdout.fileno() == _STDOUT:
            kept = os.dup(_STDOUT)
            os.dup2(_STDERR, _STDOUT)
    try:
        with redirect_stdout(sys.stderr):
            yield
    finally:
        if kept is not None:
            os.dup2(kept, _STDOUT)
            os.close(kept)


def place_to_write(output: Path) -> Path:
    """Return where a file that a command was told to write really is; a link stays a link.

    Raises:
        InspectorError: Nothing can be written there. It is asked before anything runs, as
            that may take long and cost money.

    """
    if str(output) == STDIN:
        raise InspectorError(
            "A file is written as a whole, not to standard output.", hint="Name a file with -o."
        )
    place = Path(os.path.realpath(output))
    if not os.path.isdir(place.parent):  # noqa: PTH112 - says no where we may not look
        raise InspectorError(f"There is no directory {output.parent} to write to.")
    if place.is_dir():
        raise InspectorError(
            f"Cannot write {output}: it is a directory.", hint="Name a file in it."
        )
    if place.exists() and not place.is_file():
        # Root could replace even a device.
        raise InspectorError(f"Cannot write {output}: it is not an ordinary file.")
    # A file is replaced as a whole, which takes no right to write it, but one to its directory.
    if not os.access(place.parent, os.W_OK | os.X_OK, effective_ids=_AS_WE_ARE):
        raise InspectorError(f"Nothing may be written to {output.parent}.")
    return place


def note(message: str, hint: str = "") -> None:
    """Say something beside the data."""
    sys.stdout.flush()
    sys.stderr.write(f"{one_line(message)}\n")
    if hint:
        sys.stderr.write(f"  {one_line(hint)}\n")


def complain(message: str, hint: str = "") -> None:
    """Say that something could not be done."""
    note(f"run-inspector: {_cut(message)}", _cut(hint))


def _cut(text: str) -> str:
    # What code of others raises may be as long as a book.
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def add_run_choice(parser: _ActionsContainer) -> None:
    """Let a command say which run of its file it means."""
    parser.add_argument(
        "--run",
        metavar="N",
        type=int,
        dest="number",
        help="which run of a file that holds several (default: the first)",
    )


def opened(file: str, number: int | None = None) -> PipelineRun:
    """Open the run that a command was given: a run file, or what another program wrote.

    Raises:
        RunFileError: It cannot be read, or holds no such run.

    """
    from inspector.importers.opening import open_runs

    found = open_runs(_given(file), only=1 if number is None else number)
    if number is None and found.total > 1:
        note(f"note: {shown_file(file)} holds {found.total:,} runs; this is the first.")
    return found.runs[0]


def numbered(words: str, number: int | None = None) -> tuple[str, int | None]:
    """Return the file and the number that `FILE#N` names; a file of that very name comes first."""
    file, sign, last = words.rpartition("#")
    # Digits of other scripts are digits, too, and no numbers to `int`.
    if not sign or not file or not (last.isascii() and last.isdigit()) or len(last) > _DIGITS:
        return words, number
    try:
        if Path(words).exists():
            return words, number
    except (OSError, ValueError):
        pass
    return file, int(last)


def opened_all(file: str) -> list[PipelineRun]:
    """Open all runs of the file that a command was given.

    Raises:
        RunFileError: It cannot be read, or holds no run.

    """
    from inspector.importers.opening import open_runs

    found = open_runs(_given(file))
    if len(found.runs) < found.total:
        count = len(found.runs)
        note(
            f"note: {shown_file(file)} holds {found.total:,} runs; {count:,} of them were read.",
            "Any other opens by its number: --run N.",
        )
    return found.runs


def _given(file: str) -> BinaryIO | Path:
    return sys.stdin.buffer if file == STDIN else Path(file)


def shown_file(file: str) -> str:
    """Return what a file is called in a sentence."""
    return "standard input" if file == STDIN else Path(file).name


def note_problems(run: PipelineRun) -> None:
    """Say what of a run's file could not be read."""
    for problem in run.problems:
        note(f"note: {problem}", problem.hint)
