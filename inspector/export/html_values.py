"""Values that differ, leaf by leaf; what differs by nature is greyed and says why."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from inspector.diff.said import value_words
from inspector.diff.text import text_diff
from inspector.export.html_table import Row, table
from inspector.export.html_texts import TOO_LONG, inline, is_alike
from inspector.export.markup import NOTHING, Markup, element, joined, place
from inspector.presentation.words import plural

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from inspector.diff.model import SpanChanges, ValueChange
    from inspector.export.html_texts import Room

_LONGEST = 2_000
_MOST_ROWS = 100
_MOST_SPANS = 60
_TITLES = ("Value", "Left", "Right")

_NOISE = {
    "id": "an id",
    "time": "a time",
    "duration": "a duration",
}


def values(changes: Sequence[ValueChange], room: Room, *, caption: str) -> Markup:
    """Return a table of values that differ, noise last."""
    ordered = sorted(changes, key=lambda change: change.noise is not None)
    rows = []
    for change in ordered[:_MOST_ROWS]:
        one, other = _words(change)
        if not room.has(2 * (len(one) + len(other))):
            return element("p", TOO_LONG, class_="note")
        rows.append(_row(change, one, other))
    if not rows:
        return NOTHING
    rest = len(ordered) - len(rows)
    return joined(
        table(_TITLES, rows, caption=caption, look="cards values"),
        element("p", f"{plural(rest, 'more value')} left out; --json has them.", class_="note")
        if rest
        else None,
    )


def two_values(left: Any, right: Any) -> tuple[Markup, Markup]:
    """Return two values with what differs between them marked."""
    one, other = ("" if each is None else value_words(each, _LONGEST) for each in (left, right))
    before, after = _marked(one, other, text=_both_text(left, right))
    return _cell("−", before, one), _cell("+", after, other)


def span_values(spans: Iterable[SpanChanges], room: Room) -> tuple[Markup, int, int]:
    """Return the values of each pair of spans, folded.

    Returns:
        The markup, how many pairs it shows, and how many are left out.

    """
    blocks: list[Markup] = []
    left_out = 0
    for span in spans:
        changes = [*_under("inputs", span.inputs), *_under("outputs", span.outputs)]
        if len(blocks) >= _MOST_SPANS:
            left_out += 1
            continue
        noisy = sum(change.noise is not None for change in changes)
        told = [plural(len(changes) - noisy, "value")] if len(changes) > noisy else []
        told += [f"{noisy} only by nature"] if noisy else []
        name = place(span.path) if span.path else "the run"
        blocks.append(
            element(
                "details",
                element("summary", name, f" · {', '.join(told)}" if told else None),
                values(changes, room, caption=f"Values of {span.path or 'the run'}"),
                element("p", span.note, class_="note") if span.note else None,
            )
        )
    return joined(blocks), len(blocks), left_out


def _under(word: str, changes: Iterable[ValueChange]) -> list[ValueChange]:
    return [
        replace(change, leaf=f"{word}{'' if change.leaf[:1] in ('', '[') else '.'}{change.leaf}")
        for change in changes
    ]


def _words(change: ValueChange) -> tuple[str, str]:
    one = "" if change.kind == "added" else _said(change.left, change)
    other = "" if change.kind == "removed" else _said(change.right, change)
    return one, other


def _said(value: Any, change: ValueChange) -> str:
    if change.kind == "type":
        return f"{value_words(value, _LONGEST)} ({type(value).__name__})"
    return "“”" if value == "" else value_words(value, _LONGEST)


def _row(change: ValueChange, one: str, other: str) -> Row:
    if change.noise is not None:
        left, right = joined(one), joined(other)
    else:
        left, right = _marked(one, other, text=_both_text(change.left, change.right))
    name = joined(place(change.leaf or "the value"), element("span", _why(change), class_="note"))
    cells = (name, _cell("−", left, one), _cell("+", right, other))
    return Row(cells, "noise" if change.noise is not None else None, named=True)


def _why(change: ValueChange) -> str:
    if change.noise is not None:
        return f" (expected: {_NOISE.get(change.noise, change.noise)})"
    return " (moved)" if change.kind == "moved" else ""


def _cell(sign: str, said: Markup, words: str) -> Markup:
    if not words:
        return element("span", "–", class_="quiet")
    return element("span", f"{sign} ", element("span", said, class_="value"))


def _both_text(left: Any, right: Any) -> bool:
    return isinstance(left, str) and isinstance(right, str)


def _marked(one: str, other: str, *, text: bool) -> tuple[Markup, Markup]:
    if not (text and one and other):
        return joined(one), joined(other)
    found = text_diff(one, other)
    if not is_alike(found):
        return joined(one), joined(other)
    return inline(found, "left"), inline(found, "right")
