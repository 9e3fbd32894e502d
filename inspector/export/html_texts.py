"""Two texts on a page: side by side, or one above the other where there is no room."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from inspector.export.markup import Markup, element, joined
from inspector.presentation.side_by_side import TextRow, side_by_side
from inspector.presentation.words import number_words, plural

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from inspector.diff.model import TextDiff
    from inspector.presentation.side_by_side import SideLine

_AROUND = 2  # rows that are the same and stay beside those that differ
_FEWEST_FOLDED = 3
_MOST_ROWS = 1_500
_LONGEST_FOLD = 20_000
_LEAST_SHARED = 0.1
_PAGE = 6_000_000


class Room:
    """How many characters of texts a page may still take: a browser has to open it."""

    def __init__(self, characters: int = _PAGE) -> None:
        self._left = characters

    def has(self, characters: int) -> bool:
        """Take room, if there is enough."""
        if characters > self._left:
            return False
        self._left -= characters
        return True


TOO_LONG = "Left out, because the page would be too long; --json has it."


def sides(text: TextDiff, room: Room, *, caption: str) -> Markup:
    """Return two texts, what differs marked, long stretches that are the same folded."""
    shown = side_by_side(text)
    rows = shown.rows
    blocks: list[Markup] = []
    budget = _MOST_ROWS
    left_out = 0
    first = True
    for folded, part in _stretches(rows):
        if folded:
            if first:
                blocks.append(_table([], caption, head=True))
                first = False
            blocks.append(_fold(part, room))
            continue
        some = part[:budget]
        if not room.has(2 * sum(_size(row) for row in some)):
            some = []
        left_out += len(part) - len(some)
        budget -= len(some)
        if some:
            blocks.append(_table(some, caption, head=first))
            first = False
    notes = [shown.note] if shown.note else []
    if left_out:
        notes.append(f"{plural(left_out, 'row')} left out; --json has them.")
    return joined(
        element("div", blocks, class_="pair") if blocks else None,
        [element("p", note, class_="note") for note in notes],
    )


def inline(text: TextDiff, side: str) -> Markup:
    """Return one side of two texts, with what only it has marked."""
    return joined(
        _marked(part.text, side) if part.kind != "same" else part.text
        for part in text.parts
        if part.kind in ("same", side)
    )


def _marked(words: str, side: str) -> Markup:
    return element("del" if side == "left" else "ins", words)


def _stretches(rows: Sequence[TextRow]) -> Iterator[tuple[bool, list[TextRow]]]:
    """Yield stretches of rows, and whether they are folded."""
    near = [False] * len(rows)
    for at, row in enumerate(rows):
        if row.changed:
            for other in range(max(0, at - _AROUND), min(len(rows), at + _AROUND + 1)):
                near[other] = True
    found: list[tuple[bool, list[TextRow]]] = []
    for shown, group in groupby(zip(near, rows, strict=True), key=lambda each: each[0]):
        part = [row for _, row in group]
        folded = not shown and len(part) >= _FEWEST_FOLDED
        if not folded and found and not found[-1][0]:
            found[-1][1].extend(part)
        else:
            found.append((folded, part))
    yield from found


def _size(row: TextRow) -> int:
    return sum(len(line.text) for line in (row.left, row.right) if line is not None)


def _fold(part: list[TextRow], room: Room) -> Markup:
    lines = [row.left for row in part if row.left is not None]
    count = sum(line.ends for line in lines) or 1
    words = f"{plural(count, 'line')} {'is' if count == 1 else 'are'} the same"
    said = "".join(line.text + ("\n" if line.ends else "") for line in lines)
    rest = ""
    if len(said) > _LONGEST_FOLD:
        rest = f"and {number_words(len(said) - _LONGEST_FOLD)} more characters"
        said = said[:_LONGEST_FOLD]
    if not room.has(len(said)):
        said, rest = "", TOO_LONG
    return element(
        "details",
        element("summary", words),
        element("div", said.rstrip("\n"), class_="said"),
        element("p", rest, class_="note") if rest else None,
        class_="fold",
    )


def _table(part: Sequence[TextRow], caption: str, *, head: bool) -> Markup:
    top = element(
        "thead",
        element(
            "tr",
            element("th", "Left", scope="col", role="columnheader"),
            element("th", "Right", scope="col", role="columnheader"),
            role="row",
        ),
        role="rowgroup",
    )
    body = element("tbody", [_row(row) for row in part], role="rowgroup")
    return element(
        "table", top if head else None, body, class_="sides", role="table", aria_label=caption
    )


def _row(row: TextRow) -> Markup:
    return element("tr", _cell(row.left, row, "left"), _cell(row.right, row, "right"), role="row")


def _is_marked_by_words(row: TextRow) -> bool:
    """Say whether marks help: where next to nothing is shared, the signs at the row do."""
    pieces = [piece for line in (row.left, row.right) if line is not None for piece in line.pieces]
    return _is_shared((len(piece.text), not piece.marked) for piece in pieces)


def is_alike(text: TextDiff) -> bool:
    """Say whether two texts share enough for marks in them to help."""
    return _is_shared((len(part.text), part.kind == "same") for part in text.parts)


def _is_shared(sizes: Iterable[tuple[int, bool]]) -> bool:
    total = shared = 0
    for size, both in sizes:
        total += size
        shared += size * both
    return shared > _LEAST_SHARED * total


def _cell(line: SideLine | None, row: TextRow, side: str) -> Markup:
    if line is None:
        return element("td", class_="nothing", role="cell")
    sign, look = "", "twin" if side == "right" else None
    if row.changed:
        sign, look = ("−", "removed") if side == "left" else ("+", "added")
    by_words = _is_marked_by_words(row)
    said = [
        _marked(piece.text, side) if piece.marked and by_words else piece.text
        for piece in line.pieces
    ]
    return element(
        "td",
        element(
            "div",
            element("span", sign, class_="sign"),
            element("span", said, class_="said"),
            class_="line",
        ),
        class_=look,
        role="cell",
    )
