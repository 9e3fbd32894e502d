"""Snapshots where Haystack leaves them when a pipeline crashes.

Only names, sizes and times are looked at; a snapshot is read when somebody opens it.
"""

from __future__ import annotations

import re
import tempfile
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

_MOST_LOOKED_AT = 5_000
_FOLDER = "pipeline_snapshot"
_NAME = re.compile(
    r"(?P<component>.+?)(?:_(?P<visit>\d+))?_(?P<when>\d{4}(?:_\d\d){5})\.json\Z", re.DOTALL
)


class CrashSnapshot(NamedTuple):
    """A file that Haystack wrote when a pipeline crashed or met a breakpoint.

    Args:
        path: The file.
        component: Where the pipeline stopped, as its name says; empty where it is named otherwise.
        written_at: Local time: that of its name, else that of the file.
        is_empty: Whether nothing is in it, as Haystack 2.16 to 3.0 leaves some.

    """

    path: Path
    component: str
    written_at: datetime
    is_empty: bool


def crash_folders() -> tuple[Path, ...]:
    """Return the folders that Haystack writes to: the first of them that it may."""
    return (
        Path.home() / ".haystack" / _FOLDER,
        Path(tempfile.gettempdir()) / "haystack" / _FOLDER,
        Path.cwd() / ".haystack" / _FOLDER,
    )


def crash_snapshots(folders: tuple[Path, ...], most: int) -> list[CrashSnapshot]:
    """Return the newest snapshots in some folders; one that cannot be looked at is passed over."""
    found: dict[Path, CrashSnapshot] = {}
    for folder in dict.fromkeys(folders):
        with suppress(OSError):
            for number, path in enumerate(folder.iterdir()):
                if number >= _MOST_LOOKED_AT:
                    break
                with suppress(OSError, ValueError, OverflowError):
                    if path.suffix == ".json" and path.is_file():
                        found[path] = _described(path)
    newest = sorted(found.values(), key=lambda each: (each.written_at, each.path), reverse=True)
    return newest[:most]


def _described(path: Path) -> CrashSnapshot:
    status = path.stat()
    written_at = datetime.fromtimestamp(status.st_mtime)  # noqa: DTZ006 - names are local, too
    component = ""
    if (parts := _NAME.match(path.name)) is not None:
        component = parts["component"]
        with suppress(ValueError):
            written_at = datetime.strptime(parts["when"], "%Y_%m_%d_%H_%M_%S")  # noqa: DTZ007 - as Haystack names it
    return CrashSnapshot(path, component, written_at, status.st_size == 0)
