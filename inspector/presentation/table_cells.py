"""Rows of tables, as they are shown wherever that is: words, what they mean, what is spoken."""

from __future__ import annotations

from typing import NamedTuple


class Cell(NamedTuple):
    """What stands in one place of a table. `ink` and `ground` name meanings, not colours."""

    text: str = ""
    icon: str = ""
    ink: str = "text"
    icon_ink: str = ""
    figure: bool = False  # stands at the right
    quoted: bool = False  # words from a file, in the fixed font
    strong: bool = False
    ground: str = ""


class TableRow(NamedTuple):
    """One row; `key` is what a choice of it stands for."""

    key: int
    cells: tuple[Cell, ...]
    spoken: str
