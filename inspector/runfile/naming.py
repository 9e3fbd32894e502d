"""What a source is called in sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

NAMELESS = "The data"
_LONGEST_NAME = 80


def shown_name(path: Path) -> str:
    """Return what a file is called in a sentence."""
    name = path.name or str(path)
    return name if len(name) <= _LONGEST_NAME else f"{name[:_LONGEST_NAME]}…"


def in_a_sentence(name: str) -> str:
    """Return a name as it stands after the first word."""
    return "the data" if name == NAMELESS else name
