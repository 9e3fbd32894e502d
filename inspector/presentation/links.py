"""Links to a place in a run: made for others on this machine, and taken apart again."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import NamedTuple
from urllib.parse import parse_qs, quote, unquote, urlsplit

from inspector.errors import InspectorError

SCHEME = "run-inspector"
_LONGEST = 10_000
_PLAIN = re.compile(r"[\w@%+=:,./\-]+", re.ASCII)
_DRIVE = re.compile(r"/[A-Za-z]:[/\\]")


class Link(NamedTuple):
    """A file, and where in it: a span by id or path, a field such as `outputs.replies[0]`."""

    path: Path
    at: str | None = None
    field: str | None = None


def link_text(link: Link) -> str:
    """Return the link as text that can be pasted into the window or handed to the program."""
    where = link.path.as_posix()
    root = where if where.startswith("/") else f"/{where}"
    asked = [
        f"{name}={quote(value, safe='[].:/')}"
        for name, value in (("at", link.at), ("field", link.field))
        if value
    ]
    return f"{SCHEME}://{quote(root, safe='/:')}{'?' if asked else ''}{'&'.join(asked)}"


def command_line(link: Link) -> str:
    """Return the command that opens the same place."""
    words = [SCHEME, str(link.path)]
    words += ["--at", link.at] if link.at else []
    words += ["--field", link.field] if link.field else []
    return " ".join(map(_quoted, words))


def is_link(text: str) -> bool:
    """Say whether a text is meant as such a link."""
    return text.lstrip()[: len(SCHEME) + 1].lower() == f"{SCHEME}:"


def parsed_link(text: str) -> Link:
    """Take a link apart.

    Raises:
        InspectorError: It leads to no file of this machine, or is no such link.

    """
    text = text.strip()
    if not is_link(text) or len(text) > _LONGEST or "\n" in text:
        raise _wrong("That is no link to a place in a run.")
    try:
        parts = urlsplit(text)
        asked = parse_qs(parts.query)
    except ValueError:
        raise _wrong("That is no link to a place in a run.") from None
    path = unquote(parts.path)
    # A link can come from anybody: one that leads elsewhere would have us ask there.
    if parts.netloc not in ("", "localhost") or path.replace("\\", "/").startswith("//"):
        raise _wrong("That link leads to another machine.")
    if sys.platform == "win32" and _DRIVE.match(path):
        path = path[1:]
    if not Path(path).is_absolute() or "\0" in path:
        raise _wrong("That link names no file.")
    return Link(Path(path), *(asked.get(name, [None])[0] for name in ("at", "field")))


def _wrong(sentence: str) -> InspectorError:
    return InspectorError(
        sentence, hint=f"Such a link looks like {SCHEME}:///folder/a.run.json?at=s14 and is local."
    )


def _quoted(word: str) -> str:
    if _PLAIN.fullmatch(word):
        return word
    if sys.platform == "win32":
        return '"{}"'.format(word.replace('"', '""'))
    return "'{}'".format(word.replace("'", "'\"'\"'"))
