"""What a changed template makes, against what the recorded one made; and its variables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from inspector.diff.text import text_diff
from inspector.presentation.previews import preview, type_words
from inspector.presentation.table_cells import Cell, TableRow
from inspector.presentation.values import items_in
from inspector.presentation.visible import one_line
from inspector.presentation.words import number_words, plural, sentence
from inspector.runfile.value import is_message, text_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from inspector.diff.model import TextPart
    from inspector.replay.preview import Preview, RenderedText
    from inspector.runfile.model import PipelineRun

VARIABLE_TITLES = ("Variable", "Recorded value", "")
_LONGEST_COMPARED = 200_000


class PreviewPart(NamedTuple):
    """A message as it would be made; `parts` of kind "right" are what the recorded one has not."""

    role: str
    parts: tuple[TextPart, ...]
    note: str = ""


def preview_parts(run: PipelineRun, span_id: str | None, made: Preview) -> tuple[PreviewPart, ...]:
    """Return what a template makes, with what is new against the recorded prompt marked.

    Messages stand against those of the same role in the same order.
    """
    recorded = _recorded_prompt(run, span_id)
    found, taken = [], set()
    for each in made.texts:
        at = next(
            (n for n, (role, _) in enumerate(recorded) if n not in taken and role == each.role),
            None,
        )
        if at is not None:
            taken.add(at)
        found.append(_part(each, recorded[at][1] if at is not None else None))
    if made.more:
        note = f"{plural(made.more, 'message')} more."
        found.append(PreviewPart("", (), note))
    return tuple(found)


def _part(made: RenderedText, before: str | None) -> PreviewPart:
    from inspector.diff.model import TextPart

    note = ""
    if made.length > len(made.text):
        note = (
            f"The first {number_words(len(made.text))} of {number_words(made.length)} characters."
        )
    if before is None or max(len(before), len(made.text)) > _LONGEST_COMPARED:
        return PreviewPart(made.role, (TextPart("same", made.text),), note)
    parts = tuple(part for part in text_diff(before, made.text).parts if part.kind != "left")
    return PreviewPart(made.role, parts, note)


def _recorded_prompt(run: PipelineRun, span_id: str | None) -> list[tuple[str, str]]:
    row = run.table.row_of(span_id) if span_id else None
    outputs = run.spans[row].outputs if row is not None else None
    made = outputs.get("prompt") if isinstance(outputs, dict) else None
    if isinstance(made, str):
        return [("", made)]
    return [
        (str(message.get("role")), text_of(message))
        for message in items_in(made) or ()
        if is_message(message)
    ]


def variable_rows(
    values: Mapping[str, Any], made: Preview | None, required: Any = None
) -> list[TableRow]:
    """Return the variables of a template as rows with the columns `VARIABLE_TITLES`.

    Those that the template asks for come first, and say so where nothing was recorded for them.

    Args:
        values: What was recorded, by the names of the variables.
        made: What became of the template; None while that is not known.
        required: Which variables the builder cannot do without: their names, or "*".

    """
    used = list(made.used) if made is not None and (made.used or not made.error) else list(values)
    names = [*used, *(name for name in values if name not in used)]
    rows = []
    for key, name in enumerate(names):
        state, ink = _state(name, values, used, made)
        if name not in values and (required == "*" or name in (required or ())):
            state, ink = "required, and never given", "failed"
        value = values.get(name)
        shown = preview(value, 80) if name in values else ""
        about = type_words(value) if name in values else ""
        cells = (
            Cell(one_line(name), quoted=True, ink="text" if name in used else "secondary"),
            Cell(shown, quoted=True, ink="secondary"),
            Cell(state or about, ink=ink),
        )
        rows.append(TableRow(key, cells, sentence([name, state, about, shown], ", ")))
    return rows


def _state(
    name: str, values: Mapping[str, Any], used: Sequence[str], made: Preview | None
) -> tuple[str, str]:
    if name not in values:
        return "no recorded value", "changed"
    if made is not None and name in made.lost:
        return "kept as its description only", "changed"
    if name not in used:
        return "not used", "secondary"
    return "", "secondary"


def preview_words(made: Preview) -> str:
    """Return what is wrong with a template, with the place; "" when nothing is."""
    if not made.error:
        return ""
    where = f"Line {made.line}: " if made.line is not None else ""
    return f"{where}{one_line(made.error)}"
