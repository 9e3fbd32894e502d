"""What commands write: data to standard output, messages to standard error.

Nothing that came from a file reaches the terminal as more than text.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from inspector.presentation.visible import one_line, visible_text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from inspector.runfile.model import PipelineRun

STDIN = "-"


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


def note(message: str, hint: str = "") -> None:
    """Say something beside the data."""
    sys.stdout.flush()
    sys.stderr.write(f"{one_line(message)}\n")
    if hint:
        sys.stderr.write(f"  {one_line(hint)}\n")


def complain(message: str, hint: str = "") -> None:
    """Say that something could not be done."""
    note(f"run-inspector: {message}", hint)


def opened(file: str) -> PipelineRun:
    """Open the run that a command was given.

    Raises:
        RunFileError: It cannot be read, or holds no run.

    """
    from inspector.runfile.load import load_run

    if file == STDIN:
        return load_run(sys.stdin.buffer)
    return load_run(Path(file))


def note_problems(run: PipelineRun) -> None:
    """Say what of a run's file could not be read."""
    for problem in run.problems:
        note(f"note: {problem}", problem.hint)
