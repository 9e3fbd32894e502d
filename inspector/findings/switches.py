"""Which rules are switched off: by who asks, and by the project in which a run lies."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, NamedTuple

from inspector.errors import InspectorError
from inspector.findings.registry import all_rules

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from inspector.findings.finding import Rule

PROJECT_FILE = "pyproject.toml"
_KEY = "findings-off"
_LARGEST_PROJECT_FILE = 2**20


class ProjectSwitches(NamedTuple):
    """What a project's file says: names of rules that are off, in the order of the table."""

    off: tuple[str, ...] = ()
    file: Path | None = None


def rules_without(off: Iterable[str]) -> tuple[Rule, ...]:
    """Return the rules that are left."""
    names = frozenset(off)
    return tuple(rule for rule in all_rules() if rule.name not in names)


def known_rules(names: Iterable[str], *, said_by: str = "") -> tuple[str, ...]:
    """Return these names in the order of the table, each once.

    Args:
        names: Names of rules.
        said_by: Where they stand, as it is said of one that is none.

    Raises:
        InspectorError: One of them is no rule.

    """
    asked = tuple(names)
    there_are = [rule.name for rule in all_rules()]
    for name in asked:
        if name not in there_are:
            close = get_close_matches(name, there_are, n=1)
            where = f"{said_by}: there" if said_by else "There"
            raise InspectorError(
                f"{where} is no rule called {name[:60]!r}.",
                hint=f"Did you mean {close[0]}?" if close else f"Rules: {', '.join(there_are)}.",
            )
    return tuple(name for name in there_are if name in asked)


def project_switches(run_file: Path | None) -> ProjectSwitches:
    """Return what the nearest `pyproject.toml` with a `[tool.run-inspector]` above a file says.

    What was piped or pasted lies in no project.

    Raises:
        InspectorError: That table cannot be understood.

    """
    if run_file is None:
        return ProjectSwitches()
    for folder in run_file.absolute().parents:
        table = _table(folder / PROJECT_FILE)
        if table is None:
            continue
        names = table.get(_KEY, [])
        if not isinstance(names, list) or not all(isinstance(each, str) for each in names):
            raise InspectorError(
                f"{folder / PROJECT_FILE}: {_KEY} is no list of names of rules.",
                hint=f'Write {_KEY} = ["retried"].',
            )
        file = folder / PROJECT_FILE
        return ProjectSwitches(known_rules(names, said_by=str(file)), file)
    return ProjectSwitches()


def _table(file: Path) -> dict[str, Any] | None:
    """Return our table of a project's file; None where there is no such file or table."""
    try:
        if not file.is_file() or file.stat().st_size > _LARGEST_PROJECT_FILE:
            return None
        data = file.read_bytes()
    except OSError:
        return None
    if b"run-inspector" not in data:
        return None  # most are not about us, and need not be understood
    import tomllib

    try:
        tools = tomllib.loads(data.decode()).get("tool")
    except ValueError as error:
        raise InspectorError(f"{file} cannot be read: {error}.") from error
    table = tools.get("run-inspector") if isinstance(tools, dict) else None
    return table if isinstance(table, dict) else None
