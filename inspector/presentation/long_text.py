"""Text of any length as lines short enough to lay out."""

import re
from array import array
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from unicodedata import combining

from inspector.presentation.visible import visible_text

LONGEST_LINE = 1_000
"""Characters of a display line. Text layouts slow down badly on lines far longer than this."""

MOST_MATCHES = 100_000

_BREAK_WITHIN = 80  # how far back from the limit a blank is looked for
_JOINERS = "\u200d\ufe0e\ufe0f"


class DisplayText:
    """A text broken into display lines, with hidden characters made visible.

    `source` is the text as shown, before it was broken; offsets count its
    characters. A display line either begins a line of the source or continues one.
    """

    def __init__(self, text: str) -> None:
        self.source = visible_text(text)
        self._starts = array("q")
        self._continues = bytearray()
        self._numbers = array("q")
        start = 0
        for number, line in enumerate(self.source.split("\n"), 1):
            self._add(line, start, number)
            start += len(line) + 1

    def _add(self, line: str, start: int, number: int) -> None:
        position = 0
        while True:
            self._starts.append(start + position)
            self._continues.append(position > 0)
            self._numbers.append(number)
            if len(line) - position <= LONGEST_LINE:
                return
            position = _break_before(line, position + LONGEST_LINE)

    def __len__(self) -> int:
        return len(self._starts)

    def continues(self, line: int) -> bool:
        """Say whether a display line goes on with the source line before it."""
        return bool(self._continues[line])

    def number(self, line: int) -> int:
        """Return the number of the source line, from 1."""
        return self._numbers[line]

    def start(self, line: int) -> int:
        return self._starts[line]

    def end(self, line: int) -> int:
        if line + 1 == len(self):
            return len(self.source)
        return self._starts[line + 1] - (0 if self._continues[line + 1] else 1)

    def line(self, line: int) -> str:
        return self.source[self._starts[line] : self.end(line)]

    def lines(self, first: int, stop: int) -> str:
        """Return display lines as one text, every one of them ended by a line feed but the last."""
        return "\n".join(self.line(at) for at in range(first, min(stop, len(self))))

    def place(self, offset: int) -> tuple[int, int]:
        """Return the display line and the column at which a character stands."""
        line = bisect_right(self._starts, offset) - 1
        return line, offset - self._starts[line]

    def head_of(self, line: int) -> int:
        """Return the display line that begins the source line this one belongs to."""
        while self._continues[line]:
            line -= 1
        return line


def _break_before(line: str, limit: int) -> int:
    blank = line.rfind(" ", limit - _BREAK_WITHIN, limit)
    if blank >= 0:
        return blank + 1
    # Not between a letter and its accent, nor inside an emoji of several parts.
    for position in range(limit, limit - _BREAK_WITHIN, -1):
        after, before = line[position], line[position - 1]
        if not combining(after) and after not in _JOINERS and before not in _JOINERS:
            return position
    return limit


@dataclass(frozen=True, slots=True)
class Matches:
    """Where a search found something: `starts[i]` to `ends[i]`, in order."""

    needle: str
    starts: "array[int]"
    ends: "array[int]"
    all_found: bool = True

    def __len__(self) -> int:
        return len(self.starts)

    def near(self, offset: int) -> int:
        """Return the first match at or after `offset`, going round at the end; -1 without any."""
        if not self.starts:
            return -1
        return bisect_right(self.starts, offset - 1) % len(self.starts)

    def within(self, first: int, last: int) -> range:
        """Return the matches that begin between two offsets."""
        return range(bisect_right(self.starts, first - 1), bisect_right(self.starts, last))


NO_MATCHES = Matches("", array("q"), array("q"))


def find_all(text: str, needle: str, cancelled: Callable[[], bool] = lambda: False) -> Matches:
    """Return where `needle` stands in `text`, whatever its case, up to `MOST_MATCHES` times."""
    starts, ends = array("q"), array("q")
    if not needle:
        return NO_MATCHES
    for found in re.finditer(re.escape(needle), text, re.IGNORECASE):
        if len(starts) == MOST_MATCHES or (len(starts) % 1_000 == 0 and cancelled()):
            return Matches(needle, starts, ends, all_found=False)
        starts.append(found.start())
        ends.append(found.end())
    return Matches(needle, starts, ends)


def match_words(matches: Matches, current: int) -> str:
    """Return `3 of 17`, as it stands beside a search box."""
    if not matches.needle:
        return ""
    if not matches:
        return "no match"
    return f"{current + 1} of {len(matches)}{'' if matches.all_found else '+'}"
