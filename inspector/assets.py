"""Finds the files that ship with the program."""

from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

_CHECKOUT: Traversable = Path(__file__).parent.parent / "resources"


def asset(name: str) -> Traversable:
    """Return the shipped file `name`, such as `icons/replay.svg`.

    A wheel carries `resources/` inside the package; a checkout keeps it beside
    the package. Nothing but this function knows the difference.

    Raises:
        FileNotFoundError: We ship no such file.
    """
    installed = files("inspector") / "_resources"
    root: Traversable = installed if installed.is_dir() else _CHECKOUT
    found = root.joinpath(*name.split("/"))
    if not (found.is_file() or found.is_dir()):
        raise FileNotFoundError(f"Run Inspector ships no {name!r}")
    return found
