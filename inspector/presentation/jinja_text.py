"""Which characters of a line of a template are Jinja, and of what sort, a line at a time.

An editor colours again only the lines that a person changes, so each line is read on its own,
with what the line before left open.
"""

from __future__ import annotations

import re
from enum import IntEnum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

_OPENING = re.compile(r"\{\{|\{%|\{#")
_CLOSING = {"{{": "}}", "{%": "%}", "{#": "#}"}
_TOKEN = re.compile(
    r"(?P<text>'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\")"
    r"|(?P<number>\b\d+(?:\.\d+)?\b)"
    r"|(?P<word>[^\W\d]\w*)"
)
_KEYWORDS = frozenset(
    {
        "and", "as", "block", "call", "continue", "break", "do", "elif", "else", "endblock",
        "endcall", "endfilter", "endfor", "endif", "endmacro", "endmessage", "endraw", "endset",
        "endwith", "extends", "filter", "for", "from", "if", "import", "in", "include", "is",
        "macro", "message", "not", "or", "raw", "recursive", "set", "with", "without", "none",
        "None", "true", "false", "True", "False",
    }
)  # fmt: skip


class Part(IntEnum):
    """What a stretch of a template is."""

    FENCE = 0  # {{ }} {% %}
    NAME = 1
    KEYWORD = 2
    TEXT = 3
    NUMBER = 4
    COMMENT = 5


class State(IntEnum):
    """What a line leaves open."""

    NOTHING = 0
    VALUE = 1  # {{
    BLOCK = 2  # {%
    COMMENT = 3  # {#


_STATES = {"{{": State.VALUE, "{%": State.BLOCK, "{#": State.COMMENT}
_FENCES = {state: fence for fence, state in _STATES.items()}


class Stretch(NamedTuple):
    """Characters of a line, from and to."""

    start: int
    end: int
    part: Part


def read_line(line: str, state: int = State.NOTHING) -> tuple[list[Stretch], State]:
    """Return the stretches of a line that are Jinja, and what it leaves open."""
    found: list[Stretch] = []
    at, now = 0, State(state) if 0 < state <= State.COMMENT else State.NOTHING
    while at < len(line):
        if now is State.NOTHING:
            opening = _OPENING.search(line, at)
            if opening is None:
                break
            now = _STATES[opening.group()]
            if now is not State.COMMENT:
                found.append(Stretch(opening.start(), opening.end(), Part.FENCE))
            begin, at = opening.start(), opening.end()
        else:
            begin = at
        fence = _CLOSING[_FENCES[now]]
        end = line.find(fence, at)
        stop = len(line) if end < 0 else end
        if now is State.COMMENT:
            found.append(Stretch(begin, len(line) if end < 0 else end + 2, Part.COMMENT))
        else:
            found += _inside(line, at, stop)
            if end >= 0:
                found.append(Stretch(end, end + 2, Part.FENCE))
        if end < 0:
            return found, now
        at, now = end + 2, State.NOTHING
    return found, now


def _inside(line: str, start: int, end: int) -> Iterator[Stretch]:
    for token in _TOKEN.finditer(line, start, end):
        match token.lastgroup:
            case "text":
                part = Part.TEXT
            case "number":
                part = Part.NUMBER
            case _:
                part = Part.KEYWORD if token.group() in _KEYWORDS else Part.NAME
        yield Stretch(token.start(), token.end(), part)
