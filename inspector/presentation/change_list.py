"""What a person has changed for replays, as rows of a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.presentation.table_cells import Cell, TableRow
from inspector.presentation.visible import one_line
from inspector.presentation.what_if import ChangeKind, difference_words, place_words
from inspector.presentation.words import plural, sentence

if TYPE_CHECKING:
    from collections.abc import Sequence

    from inspector.presentation.what_if import Change

CHANGE_TITLES = ("What", "Difference")
_ICONS = {ChangeKind.PARAMETER: "settings", ChangeKind.INPUT: "in", ChangeKind.ANSWER: "out"}


def change_rows(changes: Sequence[Change]) -> list[TableRow]:
    """Return changes as rows with the columns `CHANGE_TITLES`, keyed by their place."""
    rows = []
    for key, change in enumerate(changes):
        what, difference = place_words(change), difference_words(change)
        icon = "prompt" if change.name in ("template", "system_prompt", "user_prompt") else (
            _ICONS[change.kind]
        )  # fmt: skip
        cells = (Cell(what, icon=icon, icon_ink="changed"), Cell(one_line(difference)))
        rows.append(TableRow(key, cells, sentence([what, difference], ", ")))
    return rows


def count_words(changes: Sequence[Change]) -> str:
    """Return how many changes there are."""
    return f"{plural(len(changes), 'change')} to the recording"
