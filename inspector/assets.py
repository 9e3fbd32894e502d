"""Finds the files that ship with the program."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

_PACKAGE = Path(__file__).parent
_CHECKOUT = _PACKAGE.parent / "resources"


def asset(name: str) -> Traversable:
    """Return the shipped file `name`, such as `icons/replay.svg`.

    A wheel carries `resources/` inside the package; a checkout keeps it beside
    the package. Nothing but this function knows the difference.

    Raises:
        FileNotFoundError: We ship no such file.

    """
    found = _root().joinpath(*name.split("/"))
    if not (found.is_file() or found.is_dir()):
        raise FileNotFoundError(f"Run Inspector ships no {name!r}")
    return found


def _root() -> Traversable:
    installed = _PACKAGE / "_resources"
    if installed.is_dir():
        return installed
    if _CHECKOUT.is_dir():
        return _CHECKOUT
    # A package that is not a folder, in an archive. Only then is it worth the
    # 4 ms that this library takes to load: the window starts in 200.
    from importlib.resources import files

    return files("inspector") / "_resources"
