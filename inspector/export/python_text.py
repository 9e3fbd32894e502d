"""Values as Python that people read: whatever a run says stands in it as a literal and no more."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

_WIDTH = 100
_PIECE = 94
_WORDS = re.compile(r"\S*\s*")


def assigned(name: str, value: str | Mapping[str, str] | None) -> str:
    """Return `NAME = value`, over as many lines as it takes."""
    if value is None:
        return f"{name} = None"
    if isinstance(value, str):
        return f"{name} = {text(value, 0, len(name) + 3)}"
    if not value:
        return f"{name} = {{}}"
    lines = [f"{name} = {{"]
    for key, words in value.items():
        lead = f"    {quoted(key)}: "
        lines.append(f"{lead}{text(words, 4, len(lead))},")
    return "\n".join([*lines, "}"])


def text(words: str, indent: int, before: int) -> str:
    """Return a string as Python, in pieces where a line would be too long.

    Args:
        words: The string.
        indent: How far the line is indented that it stands in.
        before: How many signs stand before it in that line.

    """
    whole = quoted(words)
    if before + len(whole) + 1 <= _WIDTH:
        return whole
    margin = " " * (indent + 4)
    pieces = "\n".join(f"{margin}{quoted(piece)}" for piece in _pieces(words, _PIECE - indent))
    return f"(\n{pieces}\n{' ' * indent})"


def quoted(words: str) -> str:
    """Return a string in double quotes; what does not print, or turns text round, as an escape."""
    said = repr(words)
    if said[0] == "'" and '"' not in words:
        return '"{}"'.format(said[1:-1].replace("\\'", "'"))
    return said


def _pieces(words: str, longest: int) -> list[str]:
    """Cut a text behind blanks, and what has none anywhere."""
    pieces, current = [], ""
    for word in _WORDS.findall(words):
        if current and len(quoted(current + word)) > longest:
            pieces.append(current)
            current = ""
        rest = word
        while len(quoted(rest)) > longest:
            cut = max(1, longest // 4)  # a sign can take up to ten to write
            pieces.append(rest[:cut])
            rest = rest[cut:]
        current += rest
    return [*pieces, current] if current or not pieces else pieces
