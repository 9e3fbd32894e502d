"""What a rule found in a text, and how found places are put together."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

APART = b"\0"
"""Stands between texts that are searched in one go; no rule looks across it."""

_LONGEST = 4_096  # of what tells joined places apart
_ADDRESS, _MAIL = "url-credentials", "email"


class Edit(NamedTuple):
    """A place in a text that has to be replaced.

    `start` and `end` count bytes of the text in UTF-8. `secret` is what stands there in the
    form that is the same however it is written, so that a card with and without spaces has
    one placeholder. `inner` holds what was found inside of an encoded place, which is then
    encoded again, and not replaced whole.
    """

    start: int
    end: int
    rule: str
    secret: bytes
    inner: tuple[bytes, tuple[Edit, ...]] | None = None
    codec: str = ""


def merged(edits: Iterable[Edit]) -> list[Edit]:
    """Return edits in order, of those that overlap the one that covers more.

    What is left of an edit that another one cuts is covered too: a found place never loses
    a byte to a neighbour.
    """
    out: list[Edit] = []
    for edit in sorted(edits, key=_place):
        if not out or edit.start >= out[-1].end:
            out.append(edit)
            continue
        last = out[-1]
        if edit.end <= last.end or (last.rule == _ADDRESS and edit.rule == _MAIL):
            continue  # what is left of such an address is the name of a machine
        out[-1] = _joined(last, edit)
    return out


def _place(edit: Edit) -> tuple[int, int]:
    return edit.start, -edit.end


def _joined(one: Edit, other: Edit) -> Edit:
    longer = one if one.end - one.start >= other.end - other.start else other
    secret = (one.secret + b"\0" + other.secret)[:_LONGEST]
    return Edit(one.start, other.end, longer.rule, secret)


def begins_at(data: bytes, place: int, most: int) -> int:
    """Return how far back one may look from a place: texts that stand side by side are apart."""
    # A number in place of a sign: with a sign, Python looks through all that is before `first`.
    first = max(0, place - most)
    return max(first, data.rfind(0, first, place) + 1)


def ends_at(data: bytes, place: int, most: int) -> int:
    """Return how far on one may look from a place."""
    last = min(len(data), place + most)
    found = data.find(0, place, last)
    return last if found < 0 else found
