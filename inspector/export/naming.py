"""What the files of an export are called."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from inspector.presentation.visible import one_line

if TYPE_CHECKING:
    from pathlib import Path

    from inspector.runfile.model import PipelineRun

_ENDINGS = (".run.json.gz", ".run.json.zst", ".run.json", ".run.jsonl", ".json")
_NO_NAME = re.compile(r"[^A-Za-z0-9._-]+")
_LONGEST = 60


def file_stem(run: PipelineRun, place: Path | None = None) -> str:
    """Return what to call files about a run: as the place says, else the file, else the run.

    Nothing in it leads to another folder, on any system.
    """
    if place is not None:
        return place.stem
    said = run.origin.name if run.origin is not None else one_line(run.name)
    for ending in _ENDINGS:
        if said.lower().endswith(ending):
            said = said[: -len(ending)]
            break
    return _NO_NAME.sub("-", said)[:_LONGEST].strip("-.") or "run"
