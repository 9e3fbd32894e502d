"""The words that a condition on a value is put together from."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from inspector.replay.mode import ReplayError

_MOST_DIGITS = 30
_SPACE = re.compile(r"\s+")
_NAME = re.compile(r"[^\W\d]\w*")
_NUMBER = re.compile(r"-?(?:\d[\d_]*)(?:\.\d+)?(?:[eE][+-]?\d{1,3})?")
_COMPARE = re.compile(r"==|!=|<>|<=|>=|≤|≥|≠|=|<|>")
_SAME_SIGNS = {"=": "==", "<>": "!=", "≤": "<=", "≥": ">=", "≠": "!="}
_WORDS: dict[str, Any] = {"true": True, "false": False, "null": None, "none": None}
_JOINING = {"&&": "and", "||": "or", "!": "not", "&": "and", "|": "or"}
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}


class ConditionError(ReplayError):
    """A condition that cannot be understood, with the place where that begins.

    Args:
        message: One sentence on what is wrong.
        start: The first character that is wrong.
        end: One past the last of them.
        hint: What to write instead.

    """

    def __init__(self, message: str, start: int, end: int, *, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.start = start
        self.end = max(end, start + 1)


class Token(NamedTuple):
    """A piece of a condition: `text` as it was written, `value` what it stands for."""

    sort: str  # name, number, string, word, compare, contains, and, or, not, or a sign itself
    text: str
    start: int
    end: int
    value: Any = None

    @property
    def place(self) -> tuple[int, int]:
        return self.start, self.end


def tokens_of(text: str) -> list[Token]:
    """Take a condition apart.

    Raises:
        ConditionError: Something in it is no word of the language.

    """
    tokens: list[Token] = []
    at = 0
    while at < len(text):
        if space := _SPACE.match(text, at):
            at = space.end()
            continue
        token = _token(text, at, after=tokens[-1] if tokens else None)
        tokens.append(token)
        at = token.end
    return tokens


def _token(text: str, at: int, after: Token | None) -> Token:
    sign = text[at]
    if sign in "\"'":
        return _string(text, at)
    if found := _NAME.match(text, at):
        word = found[0]
        lower = word.casefold()
        if after is not None and after.sort == ".":
            return Token("name", word, at, found.end())
        if lower in ("and", "or", "not", "contains"):
            return Token(lower, word, at, found.end())
        if lower in _WORDS:
            return Token("word", word, at, found.end(), _WORDS[lower])
        return Token("name", word, at, found.end())
    if found := _NUMBER.match(text, at):
        return _number(found[0], at, found.end())
    if found := _COMPARE.match(text, at):
        return Token("compare", _SAME_SIGNS.get(found[0], found[0]), at, found.end())
    if sign in "().[]":
        return Token(sign, sign, at, at + 1)
    wrong = text[at : at + 2] if text[at : at + 2] in _JOINING else sign
    meant = _JOINING.get(wrong)
    hint = f"Write {meant}." if meant else 'A text stands between quotation marks: "like this".'
    raise ConditionError(f"{wrong} means nothing here.", at, at + len(wrong), hint=hint)


def _number(written: str, start: int, end: int) -> Token:
    if len(written) > _MOST_DIGITS:
        raise ConditionError("This number is too long.", start, end)
    digits = written.replace("_", "")
    whole = digits.lstrip("-").isdigit()
    return Token("number", written, start, end, int(digits) if whole else float(digits))


def _string(text: str, start: int) -> Token:
    mark = text[start]
    said: list[str] = []
    at = start + 1
    while at < len(text):
        sign = text[at]
        if sign == mark:
            return Token("string", text[start : at + 1], start, at + 1, "".join(said))
        if sign == "\\" and at + 1 < len(text):
            at += 1
            sign = _ESCAPES.get(text[at], text[at])
        said.append(sign)
        at += 1
    raise ConditionError(
        "The quotation mark is not closed.", start, len(text),
        hint=f"Add {mark} where the text ends.",
    )  # fmt: skip
