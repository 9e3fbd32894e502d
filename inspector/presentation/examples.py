"""The runs that ship with the program."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

from inspector.assets import asset


class Example(NamedTuple):
    """One bundled run and what it shows, in a sentence."""

    title: str
    sentence: str
    path: Path


def bundled_examples() -> tuple[Example, ...]:
    """Return the bundled runs in the order in which they are best looked at."""
    try:
        listed = json.loads(asset("examples/index.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return ()
    found = (_example(entry) for entry in listed if isinstance(entry, dict))
    return tuple(example for example in found if example is not None)


def _example(entry: dict[str, Any]) -> Example | None:
    try:
        path = Path(str(asset(f"examples/{entry['file']}")))
        return Example(str(entry["title"]), str(entry["shows"]), path)
    except (KeyError, OSError):
        return None
