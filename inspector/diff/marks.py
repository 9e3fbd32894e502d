"""Marks in two texts that read well: moved to where words begin, and no confetti."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from inspector.diff.model import TextPart

if TYPE_CHECKING:
    from collections.abc import Iterator

_MOST_SLIDES = 100
_MOST_WORDS = 3  # so many equal words between changed ones may be taken for changed
_MOST_ITEMS = 20


class Change(NamedTuple):
    """What was replaced by what, as places in the items of both sides, ends not included."""

    left: int
    left_end: int
    right: int
    right_end: int


class Marks:
    """Collects parts; those of one kind that follow each other become one."""

    def __init__(self) -> None:
        self._parts: list[TextPart] = []
        self._same: list[str] = []
        self._left: list[str] = []
        self._right: list[str] = []

    def same(self, text: str) -> None:
        if text:
            self._flush_change()
            self._same.append(text)

    def change(self, left: str, right: str) -> None:
        if not left and not right:
            return  # what stands around it is one part
        if self._same:
            self._parts.append(TextPart("same", "".join(self._same)))
            self._same.clear()
        self._left.append(left)
        self._right.append(right)

    def parts(self) -> list[TextPart]:
        """Return everything that was told."""
        self._flush_change()
        if self._same:
            self._parts.append(TextPart("same", "".join(self._same)))
            self._same.clear()
        return self._parts

    def _flush_change(self) -> None:
        for kind, texts in (("left", self._left), ("right", self._right)):
            if text := "".join(texts):
                self._parts.append(TextPart(kind, text))
            texts.clear()


def settled(changes: list[Change], one: list[str], other: list[str]) -> Iterator[Change]:
    """Yield changes of words as a person would have marked them."""
    return iter(_joined(_slid(changes, one, other), one, other))


def _slid(changes: list[Change], one: list[str], other: list[str]) -> list[Change]:
    """Return the changes, those of one side moved to where a line, a sentence or a word begins.

    In “a b b c” either b may be the new one; which of the two it is, is ours to say.
    """
    found: list[Change] = []
    for number, change in enumerate(changes):
        left, left_end, right, right_end = change
        if left < left_end and right < right_end:
            found.append(change)
            continue
        items, start, end = (other, right, right_end) if left == left_end else (one, left, left_end)
        before = found[-1] if found else Change(0, 0, 0, 0)
        back = min(start - (before.right_end if items is other else before.left_end), _MOST_SLIDES)
        behind = changes[number + 1] if number + 1 < len(changes) else None
        if behind is None:
            ahead = len(items) - end
        else:
            ahead = (behind.right if items is other else behind.left) - end
        step = _best_step(items, start, end, back, min(ahead, _MOST_SLIDES))
        found.append(Change(left + step, left_end + step, right + step, right_end + step))
    return found


def _best_step(items: list[str], start: int, end: int, back: int, ahead: int) -> int:
    def score(step: int) -> int:
        return _edge(items, start + step) + _edge(items, end + step)

    best, chosen = score(0), 0
    for step in range(1, back + 1):
        if items[start - step] != items[end - step]:
            break
        if (here := score(-step)) > best:
            best, chosen = here, -step
    for step in range(1, ahead + 1):
        if items[start + step - 1] != items[end + step - 1]:
            break
        if (here := score(step)) > best:
            best, chosen = here, step
    return chosen


def _edge(items: list[str], place: int) -> int:
    """Return how good a place is for a mark to begin or end at."""
    if place == 0 or place == len(items):
        return 4
    before = items[place - 1]
    if before[-1] in "\r\n":
        return 4
    if before.isspace():
        return 3 if place > 1 and items[place - 2][-1] in ".!?;:。！？" else 2
    return 0


def _joined(changes: list[Change], one: list[str], other: list[str]) -> list[Change]:
    """Return the changes, with the few equal words between large ones taken for changed."""
    if len(changes) < 2:
        return [_narrowed(change, one, other) for change in changes]
    letters_left, letters_right = _letters(one), _letters(other)

    def size(change: Change) -> int:
        return (
            letters_left[change.left_end] - letters_left[change.left]
            + letters_right[change.right_end] - letters_right[change.right]
        )  # fmt: skip

    found: list[Change] = []
    for each in changes:
        change = each
        while found:
            last = found[-1]
            letters = letters_left[change.left] - letters_left[last.left_end]
            if 2 * letters > min(size(last), size(change)):
                break
            if not _is_tiny(one[last.left_end : change.left]):
                break
            found.pop()
            change = Change(last.left, change.left_end, last.right, change.right_end)
        found.append(_narrowed(change, one, other))
    return found


def _narrowed(change: Change, one: list[str], other: list[str]) -> Change:
    """Return the change without what both sides of it begin and end with."""
    left, left_end, right, right_end = change
    while left < left_end and right < right_end and one[left_end - 1] == other[right_end - 1]:
        left_end, right_end = left_end - 1, right_end - 1
    while left < left_end and right < right_end and one[left] == other[right]:
        left, right = left + 1, right + 1
    return Change(left, left_end, right, right_end)


def _letters(items: list[str]) -> list[int]:
    """Return how many letters of words stand in front of each item."""
    return [0, *accumulate(len(item) if item[0].isalnum() else 0 for item in items)]


def _is_tiny(items: list[str]) -> bool:
    if len(items) > _MOST_ITEMS or any(item[0] in "\r\n" for item in items):
        return False
    return sum(item[0].isalnum() for item in items) <= _MOST_WORDS
