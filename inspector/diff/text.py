"""Two texts side by side: first by lines and sentences, then by words where those differ.

Marks are for people: whole words, and no single words left standing between changed ones.
What is done about a text is bounded by its size, never by the time it takes, so that the same
two texts always give the same marks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.diff.marks import Change, Marks, settled
from inspector.diff.model import TextDiff, TextPart
from inspector.diff.sequences import matches
from inspector.diff.tokens import LONGEST_LINE, lines, sentences, words
from inspector.runfile.drift import first_difference_in_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

# What both texts have, what the left one has then, and what the right one has there.
_Step = tuple[str, str, str]

WORDS_LIMIT = 50_000
"""So many words, both sides together, are compared one by one."""

_MOST_CELLS = 4_000_000
_MOST_PIECES = 120_000
_SHINGLE = 3
_COARSE = "Large parts differ: some are marked by sentences, not by words."


def text_diff(left: str, right: str, *, limit: int = WORDS_LIMIT) -> TextDiff:
    """Return two texts as parts that both have, or one.

    Args:
        left: Any text, lone surrogates included.
        right: The same.
        limit: How many words of what differs are compared one by one, both sides together.

    """
    if left == right:
        return TextDiff((TextPart("same", left),) if left else ())
    # Of several equally good answers the same one, whichever text stands on the left.
    if (len(right), right) < (len(left), left):
        return _mirrored(text_diff(right, left, limit=limit))
    start, end = _common_lines(left, right)
    inner = left[start : len(left) - end], right[start : len(right) - end]
    changed, rest = _cut(*inner, lines)
    by_words = _affordable(changed, limit)
    marks = Marks()
    marks.same(left[:start])
    coarse = False
    for number, (same, gone, new) in enumerate(changed):
        marks.same(same)
        if number in by_words:
            coarse |= _by_words(words(gone), words(new), marks)
        else:
            coarse |= bool(gone and new)
            marks.change(gone, new)
    marks.same(rest + left[len(left) - end :])
    return TextDiff(tuple(marks.parts()), _COARSE if coarse else None)


def _mirrored(diff: TextDiff) -> TextDiff:
    parts: list[TextPart] = []
    for part in diff.parts:
        if part.kind == "same":
            parts.append(part)
        elif part.kind == "right" and parts and parts[-1].kind == "right":
            # It was the left one, which now stands behind what was the right one.
            parts.insert(-1, TextPart("left", part.text))
        else:
            parts.append(TextPart("left" if part.kind == "right" else "right", part.text))
    return TextDiff(tuple(parts), diff.note)


def _common_lines(left: str, right: str) -> tuple[int, int]:
    """Return how many characters of whole lines both texts begin with, and end with."""
    start = first_difference_in_text(left, right)
    start = left.rfind("\n", 0, start) + 1
    most = min(len(left), len(right)) - start
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        if (
            left[len(left) - middle : len(left) - low]
            == right[len(right) - middle : len(right) - low]
        ):
            low = middle
        else:
            high = middle - 1
    # A line is common when the line break in front of it is, too.
    found = left.find("\n", len(left) - low)
    return start, (len(left) - found - 1 if found >= 0 else 0)


def _cut(left: str, right: str, pieces: Callable[[str], list[str]]) -> tuple[list[_Step], str]:
    """Return in which pieces two texts differ, what both have before each, and behind the last."""
    one, other = pieces(left), pieces(right)
    found: list[_Step] = []
    at = 0
    pairs = [] if _is_noise(one, other) else matches(one, other)
    for block in _changes(pairs, len(one), len(other)):
        same = "".join(one[at : block.left])
        gone = one[block.left : block.left_end]
        new = other[block.right : block.right_end]
        at = block.left_end
        texts = "".join(gone), "".join(new)
        if pieces is lines and gone and new and max(map(len, (*gone, *new))) > LONGEST_LINE:
            inner, behind = _cut(*texts, sentences)
            steps = [*inner, (behind, "", "")]
            found.append((same + steps[0][0], *steps[0][1:]))
            found += steps[1:]
        else:
            found.append((same, *texts))
    return found, "".join(one[at:])


def _is_noise(one: list[str], other: list[str]) -> bool:
    """Whether so many pieces are so few different ones that nobody can tell which is which."""
    fewer = min(len(one), len(other))
    return fewer > _MOST_PIECES and 100 * len(set(one) & set(other)) < fewer


def _affordable(steps: list[_Step], limit: int) -> set[int]:
    """Return the numbers of the steps that are compared by words: the small ones first."""
    sizes = sorted(
        (len(gone) + len(new), number)
        for number, (_, gone, new) in enumerate(steps)
        if gone and new
    )
    found: set[int] = set()
    for size, number in sizes:
        # A word and the space behind it have some six characters.
        limit -= size // 6
        if limit < 0:
            break
        found.add(number)
    return found


def _by_words(one: list[str], other: list[str], marks: Marks) -> bool:
    coarse = False
    pairs: list[tuple[int, int]] = []
    if len(one) * len(other) <= _MOST_CELLS:
        pairs = matches(one, other)
    else:
        # Single words repeat too often to hold on to. Three in a row seldom do.
        for gap in _changes(_in_a_row(one, other), len(one), len(other), pairs):
            if (gap.left_end - gap.left) * (gap.right_end - gap.right) > _MOST_CELLS:
                coarse = True
                continue
            inner = matches(one[gap.left : gap.left_end], other[gap.right : gap.right_end])
            pairs += [(gap.left + here, gap.right + there) for here, there in inner]
        pairs.sort()
    at = 0
    for change in settled(list(_changes(pairs, len(one), len(other))), one, other):
        marks.same("".join(one[at : change.left]))
        marks.change(
            "".join(one[change.left : change.left_end]),
            "".join(other[change.right : change.right_end]),
        )
        at = change.left_end
    marks.same("".join(one[at:]))
    return coarse


def _in_a_row(one: list[str], other: list[str]) -> list[tuple[int, int]]:
    """Return the places of words that stand in a row of equal ones."""
    found: dict[int, int] = {}
    rows = [
        list(zip(*(side[at:] for at in range(_SHINGLE)), strict=False)) for side in (one, other)
    ]
    last = -1, -1
    for here, there in matches(*rows):
        for step in range(_SHINGLE):
            if here + step > last[0] and there + step > last[1]:
                last = here + step, there + step
                found[last[0]] = last[1]
    return list(found.items())


def _changes(
    pairs: Iterable[tuple[int, int]],
    left: int,
    right: int,
    kept: list[tuple[int, int]] | None = None,
) -> Iterator[Change]:
    """Yield what lies between equal places; `kept` takes the pairs on the way."""
    at = to = 0
    for here, there in pairs:
        if kept is not None:
            kept.append((here, there))
        if here > at or there > to:
            yield Change(at, here, to, there)
        at, to = here + 1, there + 1
    if left > at or right > to:
        yield Change(at, left, to, right)
