"""Which Python a target runs in: the one of the project it belongs to."""

from __future__ import annotations

import sys
from pathlib import Path

from inspector.replay.mode import ReplayError

_ENVIRONMENTS = (".venv", "venv", "env")
_PYTHONS = ("bin/python", "Scripts/python.exe")
_ROOTS = ("pyproject.toml", "setup.py", "setup.cfg", ".git")
_YAML = (".yaml", ".yml")
_MOST_LEVELS = 40


def interpreter_for(target: str, directory: Path | None = None) -> Path:
    """Return the Python of the environment that lies beside a target.

    It is looked for from the target's own folder up to the root of its project, which is
    where `pyproject.toml` stands. Without one it is the Python that runs this.

    Args:
        target: `package.module:attribute`, or a pipeline YAML.
        directory: Where modules are looked for; the working directory unless given.

    """
    start = _folder_of(target, (directory or Path.cwd()).absolute())
    for folder in (start, *start.parents)[:_MOST_LEVELS]:
        for name in _ENVIRONMENTS:
            # Not resolved: the link is what tells Python which environment it belongs to.
            if not (folder / name / "pyvenv.cfg").is_file():
                continue
            for python in _PYTHONS:
                if (found := folder / name / python).is_file():
                    return found
        if any((folder / root).exists() for root in _ROOTS):
            break
    return Path(sys.executable)


def checked_interpreter(python: str | Path) -> Path:
    """Return an interpreter that a person chose.

    Raises:
        ReplayError: There is no such program.

    """
    path = Path(python).expanduser().absolute()
    if path.is_dir():
        path = next((path / each for each in _PYTHONS if (path / each).is_file()), path)
    if not path.is_file():
        raise ReplayError(
            f"There is no Python at {path}.",
            hint="Name an interpreter, such as .venv/bin/python, or an environment's folder.",
        )
    return path


def _folder_of(target: str, directory: Path) -> Path:
    if target.lower().endswith(_YAML):
        return (directory / target).parent
    module = target.partition(":")[0].replace(".", "/")
    for place in (directory / f"{module}.py", directory / module / "__init__.py"):
        if module and place.is_file():
            return place.parent
    return directory
