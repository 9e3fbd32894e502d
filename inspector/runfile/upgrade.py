"""Brings files of older formats to the current one, a change at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from inspector.errors import NewerFormatError, RunFileError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

RawRun = dict[str, Any]

CURRENT = 1

UPGRADES: dict[int, Callable[[RawRun], RawRun]] = {}
"""From a version to the next: a function named after what it changes."""


def check_version(version: Any, name: str) -> int:
    """Return the format of a file as a number that `upgrade` can start from.

    Raises:
        NewerFormatError: Only a later Run Inspector knows it.
        RunFileError: No Run Inspector ever wrote it.

    """
    if type(version) is not int:
        # Wrong types lose their field and no more; the rest will tell.
        return CURRENT
    if version > CURRENT:
        raise NewerFormatError(
            f"{name} uses run format {version}; this Run Inspector reads up to {CURRENT}.",
            hint="Update Run Inspector, then open the file again.",
        )
    if version < min(UPGRADES, default=CURRENT):
        raise RunFileError(
            f"{name} says that it uses run format {version}, which never existed.",
            hint="Ask whoever made the file for a recording by haystack-run-inspector.",
        )
    return version


def upgrade(
    raw: RawRun,
    *,
    upgrades: Mapping[int, Callable[[RawRun], RawRun]] = UPGRADES,
    current: int = CURRENT,
) -> RawRun:
    """Return `raw` in the current format, leaving the argument alone."""
    version = raw.get("version")
    for older in range(version if type(version) is int else current, current):
        raw = upgrades[older](raw)
    return {**raw, "version": current}
