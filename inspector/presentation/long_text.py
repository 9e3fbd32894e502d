"""Text of any length as lines short enough to lay out."""

import re
from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from unicodedata import combining

from inspector.presentation.visible import visible_text
from inspector.presentation.words import number_words

LONGEST_LINE = 1_000
"""Characters of a display line. Text layouts slow down badly on lines far longer than this."""

MOST_MATCHES = 100_000

_BREAK_WITHIN = 80  # how far back from the limit a blank is looked for
_PART = 100_000  # characters looked at in one call
_JOINERS = "\u200d\ufe0e\ufe0f"


class DisplayText:
    """A text broken into display lines, with hidden characters made visible.

    `source` is the text as shown, before it was broken; offsets count its
    characters. A display line either begins a line of the source or continues one.
    """

    def __init__(self, text: str) -> None:
        self._starts = array("q")
        self._continues = bytearray()
        self._numbers = array("q")
        self.source = "".join(map(visible_text, _parts(text)))
        start = number = 0
        while start >= 0:
            number += 1
            end = self.source.find("\n", start)
            stop = end if end >= 0 else len(self.source)
            self._starts.append(start)
            self._continues.append(0)
            self._numbers.append(number)
            if stop - start > LONGEST_LINE:
                self._break(start, stop, number)
            start = end + 1 if end >= 0 else -1

    def _break(self, start: int, stop: int, number: int) -> None:
        while stop - start > LONGEST_LINE:
            start = _break_before(self.source, start + LONGEST_LINE)
            self._starts.append(start)
            self._continues.append(1)
            self._numbers.append(number)

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
        stop = min(stop, len(self))
        parts: list[str] = []
        # Between two breaks of ours the source already is what is wanted.
        while first < stop:
            broken = self._continues.find(1, first + 1, stop)
            after = stop if broken < 0 else broken
            parts.append(self.source[self._starts[first] : self.end(after - 1)])
            first = after
        return "\n".join(parts)

    def place(self, offset: int) -> tuple[int, int]:
        """Return the display line and the column at which a character stands."""
        line = bisect_right(self._starts, offset) - 1
        return line, offset - self._starts[line]

    def head_of(self, line: int) -> int:
        """Return the display line that begins the source line this one belongs to."""
        while self._continues[line]:
            line -= 1
        return line


def _parts(text: str) -> Iterator[str]:
    """Yield a text in parts, none of which begins between a carriage return and its line feed.

    One call over millions of characters would keep the interpreter from every other
    thread meanwhile, the window's too.
    """
    start = 0
    while start < len(text):
        end = start + _PART
        if text[end - 1 : end + 1] == "\r\n":
            end += 1
        yield text[start:end]
        start = end


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
    wanted = re.compile(re.escape(needle), re.IGNORECASE)
    begin = 0
    while begin < len(text):
        # In parts, for the same reason as above; a match may reach over the end of one.
        end = begin + _PART
        for found in wanted.finditer(text, begin, end + len(needle) - 1):
            if len(starts) == MOST_MATCHES:
                return Matches(needle, starts, ends, all_found=False)
            starts.append(found.start())
            ends.append(found.end())
        if cancelled():
            return Matches(needle, starts, ends, all_found=False)
        begin = max(end, ends[-1] if ends else 0)
    return Matches(needle, starts, ends)


def match_words(matches: Matches, current: int, *, all_shown: bool = True) -> str:
    """Return `3 of 17`, as it stands beside a search box.

    A plus says that there may be more, in what was not searched.
    """
    if not matches.needle:
        return ""
    if not matches:
        return "no match"
    more = "" if matches.all_found and all_shown else "+"
    return f"{number_words(current + 1)} of {number_words(len(matches))}{more}"
