"""The places of a preview: what stands there, what stands around it, and where that is."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from inspector.presentation.visible import one_line
from inspector.redaction.catalog import group_of

_AROUND = 60  # bytes at either side, for one line
_WIDE = 4_000  # and for a page
_LONGEST_SECRET = 20_000  # of what is shown


class Piece(NamedTuple):
    """A stretch of a text, and what stands in its place in the copy; None where it stays."""

    text: str
    instead: str | None = None
    here: bool = False  # whether it is the place that is looked at


@dataclass(frozen=True, slots=True)
class PreviewPlace:
    """One place: what stands before it, what is taken out, and what stands after it.

    `start` and `end` count bytes of `text`, which is in UTF-8. `span_id` is empty where the
    place is in no span, but in the run's own record; `field` is the way to it from there.
    """

    where: str
    text: bytes
    start: int
    end: int
    span_id: str = ""
    field: str = ""

    @property
    def secret(self) -> str:
        """What stands there."""
        return self.text[self.start : self.end].decode("utf-8", "replace")

    @property
    def before(self) -> str:
        """A few words before it."""
        return self._before(_AROUND)

    @property
    def after(self) -> str:
        """A few words after it."""
        return self._after(_AROUND)

    @property
    def line(self) -> str:
        """The place on one line, as it is now."""
        return one_line(f"{self.before}{self.secret}{self.after}")

    def _before(self, most: int) -> str:
        text = self.text[max(0, self.start - most) : self.start].decode("utf-8", "ignore")
        return text.rpartition("\0")[2]

    def _after(self, most: int) -> str:
        text = self.text[self.end : self.end + most].decode("utf-8", "ignore")
        return text.partition("\0")[0]

    def pieces(self, stretches: list[tuple[int, int, str]]) -> list[Piece]:
        """Cut what stands around this place into what stays and what is replaced.

        Args:
            stretches: All that is replaced in its text, in order: start, end, placeholder.
                Where this place is none of them, it stays.

        """
        first = max(self.text.rfind(b"\0", 0, self.start) + 1, self.start - _WIDE)
        last = self.text.find(b"\0", self.end)
        last = min(len(self.text) if last < 0 else last, self.end + _WIDE)
        shown = [each for each in stretches if first <= each[0] and each[1] <= last]
        mine = (self.start, self.end)
        if all(each[:2] != mine for each in shown):
            shown = sorted([*shown, (*mine, "")])
        pieces: list[Piece] = []
        at = first
        for start, end, placeholder in shown:
            if start > at:
                pieces.append(Piece(_words(self.text[at:start])))
            instead = placeholder or None
            words = _words(self.text[start : min(end, start + _LONGEST_SECRET)])
            pieces.append(Piece(words, instead, here=(start, end) == mine))
            at = end
        if last > at:
            pieces.append(Piece(_words(self.text[at:last])))
        return pieces


def _words(text: bytes) -> str:
    return text.decode("utf-8", "ignore")


@dataclass(frozen=True, slots=True)
class PreviewSecret:
    """One secret with all its places. Ticked, it is replaced in all of them."""

    rule: str
    secret: str
    placeholder: str
    places: tuple[PreviewPlace, ...]
    ticked: bool = True
    kept: str = ""
    """What has to be in the `keep` of a redaction for this to stay."""
    rank: int = 0
    """How many of its rule stand before it."""

    @property
    def group(self) -> str:
        """`credentials` or `personal data`."""
        return group_of(self.rule)


@dataclass(frozen=True)
class PreviewKind:
    """What one rule finds."""

    rule: str
    secrets: tuple[PreviewSecret, ...]

    @cached_property
    def count(self) -> int:
        """How many places are replaced."""
        return sum(len(each.places) for each in self.secrets if each.ticked)

    @cached_property
    def total(self) -> int:
        """How many places there are, also of what stays."""
        return sum(len(each.places) for each in self.secrets)
