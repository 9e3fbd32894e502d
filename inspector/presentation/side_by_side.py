"""Two texts as rows of two columns, with what differs marked.

A row holds what stands side by side: the same line on both sides, a line and what became of
it, or a line that only one side has. What the rows of a side say, put together, is that side's
text again, exactly.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from inspector.diff.model import TextDiff

LONGEST_LINE = 1_000
"""Characters of a line in a row; longer ones go on in the next. Layouts slow down badly on more."""

_LOOK_UP = 2_000  # parts between two looks at whether to stop


class Piece(NamedTuple):
    """A stretch of a line; `marked` where the other side has not the same."""

    text: str
    marked: bool


class SideLine(NamedTuple):
    """One side of a row."""

    pieces: tuple[Piece, ...]
    number: int  # of the line in its text, from 1
    ends: bool  # with a line feed; otherwise it goes on in the side's next row, or is the last

    @property
    def text(self) -> str:
        return "".join(piece.text for piece in self.pieces)

    @property
    def marked(self) -> bool:
        return any(piece.marked for piece in self.pieces) or (self.ends and not self.pieces)


class TextRow(NamedTuple):
    """What stands side by side; None where a side has nothing there."""

    left: SideLine | None
    right: SideLine | None
    changed: bool
    hidden: int = 0  # how many rows that are the same it stands for, where it has no lines

    def line(self, side: int) -> SideLine | None:
        """Return what stands on a side, 0 left or 1 right."""
        return self.right if side else self.left

    @property
    def by_words(self) -> bool:
        """Whether single words differ in it, rather than all of it."""
        return any(
            line is not None and len({piece.marked for piece in line.pieces if piece.text}) > 1
            for line in (self.left, self.right)
        )


class SideBySide(NamedTuple):
    """Two texts as rows."""

    rows: tuple[TextRow, ...]
    note: str | None = None
    lengths: tuple[int, ...] = ()  # characters of the longer side of each row

    @property
    def changes(self) -> tuple[tuple[int, int], ...]:
        """The stretches of rows that differ: from, to (not included)."""
        found: list[tuple[int, int]] = []
        for at, row in enumerate(self.rows):
            if not row.changed:
                continue
            if found and found[-1][1] == at:
                found[-1] = (found[-1][0], at + 1)
            else:
                found.append((at, at + 1))
        return tuple(found)


class _Side:
    """Gathers the lines of one side until both sides are at the same place again."""

    def __init__(self) -> None:
        self.number = 1
        self.size = 0  # characters of the line that is being gathered
        self.pieces: list[Piece] = []
        self.lines: list[SideLine] = []
        self.touched = False

    def take(self, text: str, marked: bool) -> None:
        while text:
            room = LONGEST_LINE - self.size
            if marked and len(text) > room:
                cut = _break_at(text, room)
                self._add(text[:cut], marked)
                self.end(False)
                text = text[cut:]
            else:
                self._add(text, marked)
                text = ""

    def _add(self, text: str, marked: bool) -> None:
        if not text:
            return
        self.touched |= marked
        self.size += len(text)
        if self.pieces and self.pieces[-1].marked == marked:
            self.pieces[-1] = Piece(self.pieces[-1].text + text, marked)
        else:
            self.pieces.append(Piece(text, marked))

    def put(self, line: str) -> None:
        """Take a whole line that both sides have."""
        self.pieces = [Piece(line, False)] if line else []
        self.size = len(line)

    def end(self, ends: bool) -> None:
        self.lines.append(SideLine(tuple(self.pieces), self.number, ends))
        self.pieces = []
        self.size = 0
        self.number += ends

    def drain(self) -> list[SideLine]:
        lines, self.lines, self.touched = self.lines, [], False
        return lines


def side_by_side(diff: TextDiff, cancelled: Callable[[], bool] = lambda: False) -> SideBySide:
    """Return two texts as rows.

    Args:
        diff: What they share, and what they do not.
        cancelled: Asked now and then; the rows are not complete once it says so.

    """
    rows = tuple(_rows(diff, cancelled))
    return SideBySide(rows, diff.note, _lengths(rows))


def alone(text: str, *, is_left: bool) -> SideBySide:
    """Return a text that only one side has, without marks: there is nothing to tell apart."""
    side = _Side()
    for at, line in enumerate(text.split("\n")):
        if at:
            side.end(True)
        side.take(line, False)
        while side.size > LONGEST_LINE:
            _fold(side)
    side.end(False)
    rows = tuple(
        TextRow(line, None, True) if is_left else TextRow(None, line, True) for line in side.drain()
    )
    return SideBySide(rows, None, _lengths(rows))


def folded(shown: SideBySide, around: int = 3) -> SideBySide:
    """Return two texts without what is the same, but for some rows around what differs.

    A row with `hidden` stands for rows that are left out. Texts without a difference stay whole.
    """
    changes = shown.changes
    if not changes:
        return shown
    rows: list[TextRow] = []
    lengths: list[int] = []
    at = 0
    for first, after in (*changes, (len(shown.rows) + around, 0)):
        begin, stop = at, max(at, first - around)
        stop = min(stop, len(shown.rows))
        # A row that says what is left out would take as much room as one or two rows do.
        if stop - begin > 2:
            rows.append(TextRow(None, None, False, stop - begin))
            lengths.append(0)
        else:
            few = slice(begin, stop)
            rows += shown.rows[few]
            lengths += shown.lengths[few]
        at = min(len(shown.rows), max(stop, after + around))
        rows += shown.rows[stop:at]
        lengths += shown.lengths[stop:at]
    return SideBySide(tuple(rows), shown.note, tuple(lengths))


def _lengths(rows: Sequence[TextRow]) -> tuple[int, ...]:
    return tuple(max(_length(row.left), _length(row.right)) for row in rows)


def _length(line: SideLine | None) -> int:
    if line is None or not line.pieces:
        return 0
    if len(line.pieces) == 1:
        return len(line.pieces[0].text)
    return sum(len(piece.text) for piece in line.pieces)


def _fold(side: _Side) -> None:
    (piece,) = side.pieces
    cut = _break_at(piece.text, LONGEST_LINE)
    side.pieces = [Piece(piece.text[:cut], piece.marked)]
    side.end(False)
    rest = piece.text[cut:]
    side.pieces, side.size = ([Piece(rest, piece.marked)] if rest else []), len(rest)


def _rows(diff: TextDiff, cancelled: Callable[[], bool]) -> Iterator[TextRow]:
    left, right = _Side(), _Side()
    sides = {"left": left, "right": right}
    for number, part in enumerate(diff.parts):
        if number % _LOOK_UP == 0 and cancelled():
            return
        first, *others = part.text.split("\n")
        if part.kind != "same":
            side = sides[part.kind]
            side.take(first, True)
            for line in others:
                side.touched = True
                side.end(True)
                side.take(line, True)
            continue
        yield from _both(left, right, first)
        for at, line in enumerate(others, 1):
            left.end(True)
            right.end(True)
            yield from _settled(left, right)
            if at < len(others) and len(line) <= LONGEST_LINE:
                # Most lines of most texts are these: both sides have them whole.
                left.put(line)
                right.put(line)
                continue
            yield from _both(left, right, line)
    left.end(False)
    right.end(False)
    yield from _settled(left, right)


def _both(left: _Side, right: _Side, text: str) -> Iterator[TextRow]:
    """Give both sides the same words, and go on in the next row where that is too much for one."""
    while max(left.size, right.size) + len(text) > LONGEST_LINE:
        cut = _break_at(text, max(0, LONGEST_LINE - max(left.size, right.size)))
        for side in (left, right):
            side.take(text[:cut], False)
            side.end(False)
        text = text[cut:]
        yield from _settled(left, right)
    left.take(text, False)
    right.take(text, False)


def _settled(left: _Side, right: _Side) -> Iterator[TextRow]:
    changed = left.touched or right.touched
    one, other = left.drain(), right.drain()
    if not changed and len(one) == len(other) == 1:
        yield TextRow(one[0], other[0], False)
        return
    placed = zip(one, other, strict=True) if len(one) == len(other) else _spread(one, other)
    for here, there in placed:
        differs = changed and (here is None or there is None or _differ(here, there))
        yield TextRow(here, there, differs)


def _differ(here: SideLine, there: SideLine) -> bool:
    return (
        here.ends != there.ends
        or any(piece.marked for piece in (*here.pieces, *there.pieces))
        or here.text != there.text
    )


def _spread(
    one: Sequence[SideLine], other: Sequence[SideLine]
) -> Iterator[tuple[SideLine | None, SideLine | None]]:
    """Keep lines that share their beginning on top, and those that share their end below.

    Of a stretch that ends on a line both have in part, that line stands in the last row.
    """
    most = max(len(one), len(other))
    shares_end = any(not piece.marked and piece.text.strip() for piece in one[-1].pieces) and any(
        not piece.marked and piece.text.strip() for piece in other[-1].pieces
    )
    shares_start = any(not piece.marked and piece.text.strip() for piece in one[0].pieces) and any(
        not piece.marked and piece.text.strip() for piece in other[0].pieces
    )

    def placed(lines: Sequence[SideLine]) -> list[SideLine | None]:
        gap: list[SideLine | None] = [None] * (most - len(lines))
        if shares_end and (len(lines) > 1 or not shares_start):
            return [*lines[:-1], *gap, lines[-1]]
        return [*lines, *gap]

    return zip(placed(one), placed(other), strict=True)


def _break_at(text: str, room: int) -> int:
    """Return where a line may break within `room` characters: after a blank, if there is one."""
    if len(text) <= room:
        return len(text)
    blank = text.rfind(" ", max(0, room - 200), room)
    return blank + 1 if blank >= 0 else room
