"""Where in a span a search found its words, with some of what stands around them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from inspector.presentation.needle import Leaf, Needle, folded, leaves
from inspector.presentation.query import Holds, Words
from inspector.presentation.search import wanted_texts
from inspector.presentation.visible import one_line
from inspector.presentation.words import elided

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from inspector.presentation.query import Query
    from inspector.runfile.model import PipelineRun, Span

BEFORE, AFTER = 28, 120
_LONGEST_MATCH = 200
_LONGEST_FIELD = 60
_VALUES = {
    "input": ("inputs", "arguments"),
    "output": ("outputs",),
    "": ("inputs", "arguments", "outputs", "state_changes"),
}
_MOST_CAUSES = 20


class Place(NamedTuple):
    """One place at which a search found something.

    `field` is its path as it stands in links, None where it is no value of the span's.
    `shown_field` is that in few words; `before`, `match` and `after` are one line together.
    """

    field: str | None
    shown_field: str
    before: str
    match: str
    after: str


def places_in(
    run: PipelineRun,
    row: int,
    query: Query,
    *,
    note: str = "",
    most: int = 4,
    cancelled: Callable[[], bool] = lambda: False,
) -> list[Place]:
    """Return where in a span the words of a query stand, at most so many places.

    Nothing for a query that asks for no words. Decodes the span's values. `note` is what a
    person wrote on the span: it is looked into first.
    """
    span = run.spans[row]
    found: dict[tuple[str | None, str], Place] = {}
    for part in wanted_texts(query):
        left = most - len(found)
        if left <= 0:
            break
        for field, shown, text, needle in _hits(span, part, note, cancelled):
            found.setdefault((field, shown), _place(field, shown, text, needle))
            if len(found) >= most:
                break
    return list(found.values())


def _hits(
    span: Span, part: Words | Holds, note: str, cancelled: Callable[[], bool]
) -> Iterator[tuple[str | None, str, str, Needle]]:
    needle = Needle(part.text, whole=isinstance(part, Holds) and part.whole)
    key = part.key if isinstance(part, Holds) else ""
    if key in ("", "note") and note and needle.stands_in(note):
        yield None, "note", note, needle
    for shown, text in _facts(span, key):
        if needle.stands_in(text):
            yield None, shown, text, needle
    if key in ("", "error"):
        for field, text in _error_texts(span):
            if needle.stands_in(text):
                yield field, "error", text, needle
    for name in _VALUES.get(key, ()):
        if not span.has(name):
            continue
        for leaf in leaves(getattr(span, name), name):
            if cancelled():
                return
            if needle.stands_in(leaf.text):
                yield leaf.path, shown_field(leaf), leaf.text, needle


def _facts(span: Span, key: str) -> Iterator[tuple[str, str]]:
    if key in ("", "name"):
        yield "name", span.name
    if key in ("", "type"):
        yield "type", span.type
    if key in ("", "model"):
        name = (span.llm or {}).get("name")
        if isinstance(name, str):
            yield "model", name
    if key == "path":
        yield "path", span.path


def _error_texts(span: Span) -> Iterator[tuple[str, str]]:
    error, field = span.error, "error"
    for _ in range(_MOST_CAUSES):
        if error is None:
            return
        yield f"{field}.message", error.message
        yield f"{field}.type", error.type
        field = f"{field}.{'cause' if error.cause else 'context'}"
        error = error.cause or error.context


def shown_field(leaf: Leaf) -> str:
    """Return the path of a field in few words: its beginning and its end."""
    return elided(one_line(leaf.path), _LONGEST_FIELD)


def _place(field: str | None, shown: str, text: str, needle: Needle) -> Place:
    start, end = span_of(text, needle.folded)
    end = min(end, start + _LONGEST_MATCH)
    before = _tail(text[max(0, start - 4 * BEFORE) : start])
    after = text[end : end + 4 * AFTER]
    return Place(
        field,
        shown,
        ("…" if start > len(before) else "") + before,
        _one_line(text[start:end]),
        _one_line(after)[:AFTER] + ("…" if end + AFTER < len(text) else ""),
    )


def _tail(text: str) -> str:
    """Return the end of what stands before a match, from the beginning of a word."""
    shown = _one_line(text)
    if len(shown) <= BEFORE:
        return shown
    cut = shown[-BEFORE:]
    word = cut.find(" ")
    return cut[word + 1 :] if 0 <= word < BEFORE // 2 else cut


def _one_line(text: str) -> str:
    """Return a part of a text as one line; blanks at its ends part it from its neighbours."""
    shown = one_line(text)
    lead = " " if text[:1].isspace() and shown else ""
    trail = " " if text[-1:].isspace() and (shown or text) else ""
    return f"{lead}{shown}{trail}"


def span_of(text: str, wanted: str) -> tuple[int, int]:
    """Return where in a text the folded words stand: from, to.

    Folding can make a text longer or shorter; then the place is looked for in the text itself.
    """
    there = folded(text)
    at = there.find(wanted)
    if at < 0:
        return 0, 0
    if len(there) == len(text):
        return at, at + len(wanted)
    start = _place_of(text, at)
    end = max(start + 1, _place_of(text, at + len(wanted)))
    return start, end


def _place_of(text: str, at: int) -> int:
    """Return the first place up to which a text folds to at least `at` characters."""
    low, high = 0, len(text)
    while low < high:
        middle = (low + high) // 2
        if len(folded(text[:middle])) < at:
            low = middle + 1
        else:
            high = middle
    return low
