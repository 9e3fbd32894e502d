"""Show runs in a window."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from typing import TYPE_CHECKING

from inspector.errors import InspectorError

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

_INSTALL = 'Install it with: pip install "haystack-run-inspector[gui]"'


def add_arguments(parser: ArgumentParser) -> None:
    """Describe what the command takes."""
    parser.add_argument(
        "files",
        nargs="*",
        metavar="FILE",
        help="a run, or a link to a place in one; - is standard input",
    )
    parser.add_argument("--at", metavar="SPAN", help="the id or path of a span to go to")
    parser.add_argument(
        "--field", metavar="PATH", help="what to show of that span, such as outputs.replies[0]"
    )
    parser.add_argument(
        "--compare",
        action="store_true",
        help="show two files side by side, the first on the left; more of them in a table",
    )


def run(args: Namespace) -> int:
    """Start the window, and wait until it is closed."""
    if args.compare and (len(args.files) < 2 or "-" in args.files):
        raise InspectorError(
            "Two files or more are compared.",
            hint="Such as: run-inspector open BEFORE AFTER --compare",
        )
    if any(file.lower().startswith(("https://", "http://")) for file in args.files):
        raise InspectorError(
            "A web address is not opened, only files are.",
            hint="`run-inspector fetch URL` lists the runs of a GitHub issue; or paste the link"
            " into the window.",
        )
    if find_spec("PySide6") is None:
        raise InspectorError("The window needs PySide6, which is not installed.", hint=_INSTALL)
    if not has_display():
        raise InspectorError(
            "There is no display to show a window on.",
            hint="`run-inspector show FILE` prints a run in the terminal.",
        )
    try:
        from inspector.gui.app import main
    except ImportError as error:
        raise InspectorError(
            f"The window cannot start: {error}.",
            hint="`run-inspector doctor` says what is missing.",
        ) from error
    return main(args.files, at=args.at, field=args.field, compare=args.compare)


def has_display() -> bool:
    """Whether there is something to show a window on. Qt would abort the process over it."""
    if sys.platform in {"win32", "darwin", "cygwin"}:
        return True
    names = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    return any(os.environ.get(name) for name in names)
