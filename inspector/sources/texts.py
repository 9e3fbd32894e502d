"""What a text on GitHub holds that may be a run: attachments, fenced blocks, linked gists."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from inspector.errors import FetchError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from inspector.sources.service import Link, Service

_ADDRESS = re.compile(r"https?://[^\s<>()\[\]\"'`|]{1,2000}")
_FENCE = re.compile(r"(?P<indent>[ \t>]*)(?P<fence>`{3,}|~{3,})(?P<info>[^`\n]*)")
_SUFFIXES = (".json", ".jsonl", ".gz", ".zip", ".zst", ".txt", ".age")
_LONGEST = 2**22


class Held(NamedTuple):
    """What stands in a text.

    Args:
        files: Attachments, each once.
        gists: Linked gists, each once.
        blocks: What stands between fences and begins like JSON.

    """

    files: tuple[Link, ...]
    gists: tuple[Link, ...]
    blocks: tuple[str, ...]


def held_by(text: str, service: Service) -> Held:
    """Return what a body of GitHub holds."""
    text = text[:_LONGEST].replace("\r\n", "\n")
    files: dict[str, Link] = {}
    gists: dict[str, Link] = {}
    for found in _ADDRESS.finditer(text):
        try:
            link = service.link(found[0].rstrip(".,;:!?*_"))
        except FetchError:
            continue
        if link.kind == "file" and link.name.lower().endswith(_SUFFIXES):
            files.setdefault(link.address, link)
        elif link.kind == "gist":
            gists.setdefault(link.id, link)
    return Held(tuple(files.values()), tuple(gists.values()), tuple(_blocks(text)))


def _blocks(text: str) -> Iterator[str]:
    opened: re.Match[str] | None = None
    lines: list[str] = []
    for line in text.split("\n"):
        found = _FENCE.fullmatch(line.rstrip())
        if opened is None:
            if found is not None:
                opened, lines = found, []
            continue
        if found is not None and _closes(found, opened):
            if (whole := "\n".join(lines).strip()).startswith(("{", "[")):
                yield whole
            opened = None
            continue
        lines.append(line.removeprefix(opened["indent"]))
    if opened is not None and (whole := "\n".join(lines).strip()).startswith(("{", "[")):
        yield whole  # GitHub, too, lets a fence end with the text


def _closes(found: re.Match[str], opened: re.Match[str]) -> bool:
    return (
        not found["info"].strip()
        and found["fence"][0] == opened["fence"][0]
        and len(found["fence"]) >= len(opened["fence"])
    )
