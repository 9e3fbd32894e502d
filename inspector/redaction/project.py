"""The redaction that a project has set for all its recordings.

It stands in the `pyproject.toml` of the project, or in a `run-inspector.toml` of its own, in
the folder that the program runs in or above it:

    [tool.run-inspector.redact]        # [redact] in run-inspector.toml
    terms = ["Project Bluebird"]
    fields = ["meta.customer"]
    salt_env = "RUN_INSPECTOR_SALT"

    [tool.run-inspector.redact.rules]
    employee = "EMP-[0-9]{4}"
"""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

from inspector.errors import RedactionError

if TYPE_CHECKING:
    from inspector.redaction.settings import Redaction

    Redact = Redaction | dict[str, Any] | bool | None
    """What callers may write."""

OWN_FILE = "run-inspector.toml"
_PYPROJECT = "pyproject.toml"
_MARK = b"run-inspector"
_FRESH_S = 5.0
_HIGHEST = 30


def redaction_of(wanted: Any = None) -> Redaction | None:
    """Return the redaction for what a caller wrote.

    Args:
        wanted: A `Redaction`, or its settings as a dictionary; True for the project's, or all
            built-in rules where the project has none; False for none; None for the project's,
            if there is one.

    Raises:
        RedactionError: It makes no sense.

    """
    if wanted is False:
        return None
    if wanted is None:
        return of_project()
    # Only now: rules take longer to load than a small run takes.
    from inspector.redaction.settings import Redaction

    if isinstance(wanted, Redaction):
        return wanted
    if wanted is True:
        return of_project() or Redaction()
    if isinstance(wanted, dict):
        return Redaction(**wanted)
    raise RedactionError(
        f"A recording cannot be redacted by {wanted!r}.",
        hint="Use redact=True, or a Redaction(terms=..., fields=..., rules=...).",
    )


def of_project(folder: str | Path | None = None) -> Redaction | None:
    """Return what the project of a folder has set; None where it has not.

    Raises:
        RedactionError: It has, and that makes no sense. Recording without it would be worse.

    """
    try:
        here = os.fspath(folder or Path.cwd())
    except OSError:
        return None  # the folder that the program runs in is gone
    found = _settings(here, int(monotonic() / _FRESH_S))
    if found is None:
        return None
    from inspector.redaction.settings import redaction_from

    where, settings = found
    return redaction_from(settings, where)


@lru_cache(maxsize=64)
def _settings(folder: str, _moment: int) -> tuple[str, dict[str, Any]] | None:
    """Return the nearest settings; looked up again now and then."""
    here = Path(folder)
    for place in (here, *list(here.parents)[:_HIGHEST]):
        for name, keys in (
            (OWN_FILE, ("redact",)),
            (_PYPROJECT, ("tool", _MARK.decode(), "redact")),
        ):
            settings = _in_file(place / name, keys)
            if settings is not None:
                return name, settings
    return None


def _in_file(path: Path, keys: tuple[str, ...]) -> dict[str, Any] | None:
    try:
        data = path.read_bytes()
    except OSError:
        return None
    if path.name == _PYPROJECT and _MARK not in data:
        return None
    import tomllib

    try:
        table: Any = tomllib.loads(data.decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        if path.name == _PYPROJECT and b"redact" not in data:
            return None
        raise RedactionError(f"{path.name} cannot be read: {error}.") from None
    for key in keys:
        table = table.get(key)
        if table is None:
            return None
        if not isinstance(table, dict):
            raise RedactionError(f"{'.'.join(keys)} in {path.name} has to be a table.")
    found: dict[str, Any] = table
    return found
