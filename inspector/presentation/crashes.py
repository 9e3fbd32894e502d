"""How the snapshots that Haystack left are offered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.presentation.visible import one_line
from inspector.presentation.words import elided, sentence

if TYPE_CHECKING:
    from inspector.importers.crash_folders import CrashSnapshot

_LONGEST = 60


def crash_title(found: CrashSnapshot) -> str:
    """Return `Stopped at llm`, or the name of the file."""
    name = one_line(found.component)
    shown = f"Stopped at {name}" if name else one_line(found.path.name)
    return elided(shown, _LONGEST)


def crash_sentence(found: CrashSnapshot) -> str:
    """Return when it was, and what of an empty one can be had."""
    when = f"{found.written_at:%Y-%m-%d %H:%M:%S}"
    empty = "empty: Haystack failed while writing it" if found.is_empty else ""
    return sentence([when, empty])
