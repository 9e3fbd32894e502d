"""What a person has changed for replays, as rows of a table."""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Any

from inspector.presentation.edited_value import main_text, part_at, with_part
from inspector.presentation.table_cells import Cell, TableRow
from inspector.presentation.template_parts import is_template, template_texts
from inspector.presentation.visible import one_line
from inspector.presentation.what_if import ChangeKind, difference_words, place_words
from inspector.presentation.words import plural, sentence

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from inspector.presentation.compare_detail import DetailText
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


def change_texts(
    change: Change, cancelled: Callable[[], bool] = lambda: False
) -> Iterator[DetailText]:
    """Yield what was recorded at a place and what is to stand there, as texts side by side.

    Of a template it is a text for each message that differs.
    """
    from inspector.presentation.compare_detail import text_of

    if not is_template(change.name, change.before) or not isinstance(change.before, list):
        yield text_of(place_words(change), *_what_differs(change), cancelled)
        return
    before, after = ([(each.role, each.text) for each in template_texts(value)]
                     for value in (change.before, change.after))  # fmt: skip
    alike = SequenceMatcher(None, before, after, autojunk=False)
    for tag, start, end, low, high in alike.get_opcodes():
        if tag == "equal":
            continue
        old, new = before[start:end], after[low:high]
        for at in range(max(len(old), len(new))):
            one = old[at] if at < len(old) else None
            other = new[at] if at < len(new) else None
            shown = one or other
            title = f"{max(start, low) + at + 1} {shown[0] if shown else ''}"
            yield text_of(title, one and one[1], other and other[1], cancelled)


def _what_differs(change: Change) -> tuple[Any, Any]:
    """Return both values, or the text in each where nothing but that differs."""
    path = main_text(change.before) if change.before is not None else None
    if path and main_text(change.after) == path:
        text = part_at(change.after, path)
        if with_part(change.before, path, text) == change.after:
            return part_at(change.before, path), text
    return change.before, change.after


def kept_words(changes: Sequence[Change]) -> str:
    """Say what the next replay is going to be like, after something was changed."""
    if not changes:
        return "Nothing is changed: a replay is as it was recorded."
    return f"{count_words(changes)}: Ctrl+R replays with them, What if lists them."


def count_words(changes: Sequence[Change]) -> str:
    """Return how many changes there are."""
    return f"{plural(len(changes), 'change')} to the recording"
