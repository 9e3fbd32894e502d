"""Writing a redacted copy. The original is never its place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.errors import RedactionError
from inspector.runfile.save import save_bytes

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def write_copy(
    data: bytes,
    place: Path,
    original: Path | None,
    *,
    watch: Callable[[float], None] | None = None,
) -> None:
    """Write a copy to a file, which holds all of it or what it held before.

    Args:
        data: Exactly what leaves, not compressed.
        place: The suffix `.gz` or `.zst` compresses it.
        original: The file of the run; none for a run that is in no file.
        watch: Told how much is written, from 0 to 1. What it raises ends this, and the file is
            as it was.

    Raises:
        RedactionError: The place is that of the original, by whatever name.
        RunFileError: The file cannot be written.

    """
    if original is not None and _is_same(place, original):
        raise RedactionError(
            "The copy cannot take the place of the original.", hint="Choose another name."
        )
    save_bytes(data, place, watch=watch)


def _is_same(one: Path, other: Path) -> bool:
    try:
        return one.resolve() == other.resolve() or (one.exists() and one.samefile(other))
    except OSError:
        return False
