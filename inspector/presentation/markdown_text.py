"""Text of a run in Markdown: it names nobody, links nowhere, fetches nothing, and ends no block."""

from __future__ import annotations

import re

from inspector.presentation.visible import one_line, visible_text
from inspector.presentation.words import elided

LONGEST_CODE = 200
LONGEST_BLOCK = 2_000
_MARKDOWN = re.compile(r"([\\`*_\[\]<>#|~!])")
_TICKS = re.compile(r"`+")
_WORD_JOINER = "\u2060"


def plain(text: str) -> str:
    """Return text that is nothing but text in Markdown, and calls on nobody."""
    quiet = _MARKDOWN.sub(r"\\\1", one_line(text))
    # A backslash does not keep a site from telling @somebody, nor from linking an address.
    return quiet.replace("@", f"@{_WORD_JOINER}").replace("://", f":{_WORD_JOINER}//")


def code(text: str, *, cell: bool = False, longest: int = LONGEST_CODE) -> str:
    """Return text as code in a line, whatever backticks it holds; in a table, as a `cell`."""
    shown = elided(one_line(text), longest)
    if cell:
        shown = shown.replace("|", "¦")  # code or not, it would end the cell
    fence = "`" * (1 + max((len(ticks) for ticks in _TICKS.findall(shown)), default=0))
    pad = " " if shown[:1] == "`" or shown[-1:] == "`" else ""
    return f"{fence}{pad}{shown}{pad}{fence}" if shown else ""


def block(text: str, longest: int = LONGEST_BLOCK) -> list[str]:
    """Return text as a block of code that it cannot end, in lines."""
    shown = visible_text(text)
    if len(shown) > longest:
        shown = f"{shown[:longest]}…"
    most = max((len(ticks) for ticks in _TICKS.findall(shown)), default=0)
    fence = "`" * max(3, most + 1)
    return [f"{fence}text", *shown.split("\n"), fence]
