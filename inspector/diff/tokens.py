"""Cutting a text into pieces: lines and sentences, and words as a person sees them.

Nothing is lost: the pieces of a text, put together, are the text. No cut goes through a line
break of two characters, or between a letter and the marks that belong to it.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise
from unicodedata import category

LONGEST_LINE = 400
_LONGEST_WORD = 1_000

# The marks that are met most. `_word_pattern` adds what else a text has.
_MARKS = "\u0300-\u036f\u200d\ufe00-\ufe0f\u20d0-\u20ff\U0001f3fb-\U0001f3ff"
# Written without spaces: each character is a word.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\U00020000-\U0003ffff"
)

_SENTENCE_END = re.compile(r"[.!?;…][.!?;…\"')\]”’»]*\s+|[。！？；][。！？；”’」』]*\s*")
# Where a sentence never ends, such as in JSON, cuts follow what is written and not how much
# stands in front of it, so that both sides are cut alike again soon after an insertion: in front
# of words that end with one of a third of all letters and digits.
_CLAUSE_START = re.compile(
    r"(?:(?<=[\s}\])>|])|(?<=,)(?=[\"{\[]))(?=[^\w\s]{0,2}\w{0,40}[adgjmpsvy147]\b)"
)
_STRETCH = re.compile(rf"(?s).{{60,1000}}?(?=[a-dA-D0-3])|.{{1,1000}}[{_MARKS}]{{0,30}}")
_PLAIN_WORD = re.compile(
    r"[A-Za-z0-9_]+(?:(?<=\d)[.,:](?=\d)[A-Za-z0-9_]+|'(?=[A-Za-z])[A-Za-z0-9_]+)*"
    r"|\r\n|\n|\r|[^\S\r\n]+|(?s:.)"
)


def lines(text: str) -> list[str]:
    """Return the lines of a text with their ends."""
    return text.splitlines(keepends=True)


def sentences(text: str) -> list[str]:
    """Return the lines of a text with their ends, long ones by sentence."""
    found: list[str] = []
    for line in lines(text):
        if len(line) <= LONGEST_LINE:
            found.append(line)
            continue
        # Most sentences end with a full stop, and looking for that alone is ten times as fast.
        rough = line.split(". ")
        for number, piece in enumerate(rough, 1):
            sentence = f"{piece}. " if number < len(rough) else piece
            if len(sentence) <= LONGEST_LINE:
                found.append(sentence)
            else:
                found += _long_sentence(sentence)
    return [each for each in found if each]


def _long_sentence(text: str) -> list[str]:
    found: list[str] = []
    for sentence in _pieces(text, [each.end() for each in _SENTENCE_END.finditer(text)]):
        if len(sentence) <= LONGEST_LINE:
            found.append(sentence)
        else:
            found += _clauses(sentence)
    return found


def _clauses(sentence: str) -> list[str]:
    found: list[str] = []
    starts = [each.start() for each in _CLAUSE_START.finditer(sentence)]
    for clause in _pieces(sentence, starts):
        if len(clause) <= _LONGEST_WORD:
            found.append(clause)
        else:
            found += _STRETCH.findall(clause)
    return found


def _pieces(text: str, cuts: list[int]) -> list[str]:
    edges = [0, *cuts, len(text)]
    return [text[at:to] for at, to in pairwise(edges) if to > at]


def words(text: str) -> list[str]:
    """Return the words of a text and what stands between them."""
    return _pattern(text).findall(text)


def _pattern(text: str) -> re.Pattern[str]:
    if text.isascii():
        return _PLAIN_WORD
    others = {each for each in set(text) if each > "\u036f" and category(each)[0] == "M"}
    return _word_pattern("".join(sorted(others)))


@lru_cache(maxsize=64)
def _word_pattern(marks: str) -> re.Pattern[str]:
    mark = f"[{_MARKS}{re.escape(marks)}]"
    letter = rf"(?:[^\W{_UNSPACED}]{mark}*)"
    return re.compile(
        rf"{letter}+(?:(?<=\d)[.,:](?=\d){letter}+|['’](?=[^\W\d_]){letter}+)*"
        rf"|\r\n|\n|\r|[^\S\r\n]+{mark}*"
        # Flags are two letters of their own, and halves of one character stay together.
        r"|[\U0001f1e6-\U0001f1ff]{2}|[\ud800-\udbff][\udc00-\udfff]"
        # A family is one picture, joined; anything else is a sign by itself.
        rf"|(?s:.)(?:{mark}*(?:(?<=\u200d)[^\w\s])?)*"
    )
