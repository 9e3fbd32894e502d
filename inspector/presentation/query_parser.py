"""Reads what a person types into the search line."""

from __future__ import annotations

import re
from decimal import Decimal
from difflib import get_close_matches
from typing import NamedTuple

from inspector.presentation.query import (
    ALIASES,
    KEYS,
    UNITS_NS,
    UNITS_TOKENS,
    WORD_ALIASES,
    Everything,
    Holds,
    Is,
    Key,
    Not,
    Query,
    QueryError,
    Sort,
    Within,
    Words,
    all_of,
    any_of,
    quoted,
)

LONGEST = 4_000
_DEEPEST = 40
_MOST_DIGITS = 15
_KEY = re.compile(r"[^\W\d_][\w-]*")
_NUMBER = re.compile(r"([$€£]?)([0-9][0-9_]*(?:\.[0-9]+)?|\.[0-9]+)([^\W\d_]*)")
_EXAMPLES = {
    Sort.NUMBER: "{}:3 or {}:>2",
    Sort.TOKENS: "{}:>1000 or {}:>2k",
    Sort.DURATION: "{}:>1s, {}:<200ms or {}:1s..2min",
    Sort.MONEY: "{}:>0.01",
}


class Token(NamedTuple):
    """A piece of the line: `text` is what was meant, `start` and `end` where it stands."""

    sort: str  # "(", ")", "-", "or", "and", "term"
    text: str
    start: int
    end: int
    quoted: bool = False
    key: str = ""  # as it was typed, without its colon
    value_start: int = 0
    closed: bool = True  # a quotation that was begun was also ended
    value_quoted: bool = False
    sign: str = ""  # `=` or a comparison that stands before a quoted value


def parse_query(text: str) -> Query:
    """Read a search.

    Raises:
        QueryError: It cannot be understood; the error says where and why.

    """
    if len(text) > LONGEST:
        raise QueryError("The search is too long.", LONGEST, len(text), hint="Leave something out.")
    tokens = list(tokens_of(text))
    if not tokens:
        return Everything()
    return _Parser(tokens, len(text)).whole()


def tokens_of(text: str) -> list[Token]:
    """Take a line apart. Nothing is an error here, so that it serves half a line as well."""
    tokens: list[Token] = []
    at = 0
    while at < len(text):
        sign = text[at]
        if sign.isspace():
            at += 1
        elif sign in "()":
            tokens.append(Token(sign, sign, at, at + 1))
            at += 1
        elif sign == "-" and at + 1 < len(text) and not text[at + 1].isspace():
            tokens.append(Token("-", sign, at, at + 1))
            at += 1
        else:
            token = _quotation(text, at) if sign == '"' else _word(text, at)
            tokens.append(token)
            at = token.end
    return tokens


def _quotation(text: str, start: int) -> Token:
    said, end, closed = _unquoted(text, start)
    return Token("term", said, start, end, quoted=True, value_start=start, closed=closed)


def _unquoted(text: str, start: int) -> tuple[str, int, bool]:
    """Return what stands between quotation marks, where that ends and whether it does."""
    said: list[str] = []
    at = start + 1
    while at < len(text):
        sign = text[at]
        if sign == '"':
            return "".join(said), at + 1, True
        if sign == "\\" and text[at + 1 : at + 2] in ('"', "\\"):
            at += 1
        said.append(text[at])
        at += 1
    return "".join(said), len(text), False


def _word(text: str, start: int) -> Token:
    end = start
    while end < len(text) and not text[end].isspace() and text[end] not in '()"':
        end += 1
    word = text[start:end]
    key, colon, value = word.partition(":")
    if not colon or not _KEY.fullmatch(key):
        sort = {"OR": "or", "|": "or", "AND": "and", "NOT": "-"}.get(word, "term")
        return Token(sort, word, start, end, value_start=start)
    value_start = start + len(key) + 1
    if text[end : end + 1] == '"' and value in ("", "=", ">", "<", ">=", "<="):
        said, end, closed = _unquoted(text, end)
        return Token(
            "term", said, start, end, key=key, value_start=value_start, closed=closed,
            value_quoted=True, sign=value,
        )  # fmt: skip
    return Token("term", value, start, end, key=key, value_start=value_start)


class _Parser:
    def __init__(self, tokens: list[Token], length: int) -> None:
        self._tokens = tokens
        self._at = 0
        self._length = length

    def whole(self) -> Query:
        query = self._alternatives(0)
        if (left := self._next()) is not None:
            raise QueryError(
                "This parenthesis closes nothing.", left.start, left.end, hint="Take it out."
            )
        return query

    def _next(self) -> Token | None:
        return self._tokens[self._at] if self._at < len(self._tokens) else None

    def _alternatives(self, depth: int) -> Query:
        parts = [self._together(depth)]
        while (token := self._next()) is not None and token.sort == "or":
            self._at += 1
            parts.append(self._together(depth, after=token))
        return any_of(parts)

    def _together(self, depth: int, after: Token | None = None) -> Query:
        parts: list[Query] = []
        while (token := self._next()) is not None and token.sort not in ("or", ")"):
            if token.sort == "and":
                if not parts:
                    raise _nothing_beside(token, "before")
                self._at += 1
                if (following := self._next()) is None or following.sort in ("or", "and", ")"):
                    raise _nothing_beside(token, "after")
                continue
            parts.append(self._one(depth))
        if parts:
            return all_of(parts)
        token = self._next()
        if after is not None:
            raise _nothing_beside(after, "after")
        if token is not None and token.sort == "or":
            raise _nothing_beside(token, "before")
        if token is not None and token.sort == ")" and depth == 0:
            raise QueryError("This parenthesis closes nothing.", token.start, token.end)
        start = token.start if token is not None else self._length
        raise QueryError("There is nothing between the parentheses.", max(0, start - 1), start + 1)

    def _one(self, depth: int) -> Query:
        token = self._tokens[self._at]
        self._at += 1
        if token.sort == "-":
            if (of := self._next()) is None or of.sort in ("or", "and", ")"):
                raise _nothing_beside(token, "after")
            if depth >= _DEEPEST:
                raise _too_deep(token)
            return Not(self._one(depth + 1))
        if token.sort == "(":
            if depth >= _DEEPEST:
                raise _too_deep(token)
            if self._next() is None:
                raise _not_closed(token)
            inner = self._alternatives(depth + 1)
            closing = self._next()
            if closing is None:
                raise _not_closed(token)
            self._at += 1
            return inner
        return _term(token)


def _not_closed(token: Token) -> QueryError:
    return QueryError(
        "This parenthesis is not closed.", token.start, token.end, hint="Add ) where it ends."
    )


def _too_deep(token: Token) -> QueryError:
    return QueryError("This is nested too deeply.", token.start, token.end)


def _nothing_beside(token: Token, where: str) -> QueryError:
    name = token.text
    literal = f'In quotation marks, "{name}" is searched for as text.'
    return QueryError(f"There is nothing {where} {name}.", token.start, token.end, hint=literal)


def _term(token: Token) -> Query:
    if not token.closed:
        start = token.value_start + len(token.sign)
        raise QueryError(
            "The quotation mark is not closed.", start, token.end, hint='Add " where the text ends.'
        )
    if not token.key:
        if not token.text:
            raise QueryError(
                "There is nothing between the quotation marks.", token.start, token.end
            )
        return Words(token.text)
    key = _key(token)
    if not token.text and not token.value_quoted:
        raise QueryError(
            f"There is nothing behind {token.key}:", token.start, token.end, hint=_example(key)
        )
    match key.sort:
        case Sort.WORD:
            return Is(key.name, _one_of(key, token))
        case Sort.TEXT:
            return _holds(key, token)
    return _within(key, token)


def _key(token: Token) -> Key:
    typed = token.key.casefold()
    name = ALIASES.get(typed, typed)
    if name in KEYS:
        return KEYS[name]
    end = token.start + len(token.key)
    near = get_close_matches(typed, [*KEYS, *ALIASES], n=1, cutoff=0.6)
    literal = f"to search for it as text, write {quoted(f'{token.key}:{token.text}'[:40])}"
    hint = (
        f"Did you mean {ALIASES.get(near[0], near[0])}:? Or, {literal}."
        if near
        else f"There are {', '.join(KEYS)}. Or, {literal}."
    )
    raise QueryError(f"There is no key {token.key[:40]}.", token.start, end, hint=hint)


def _example(key: Key) -> str:
    if key.words:
        return f"Write one of {', '.join(key.words)}."
    pattern = _EXAMPLES.get(key.sort, '{}:word or {}:"several words"')
    return f"For example {pattern.replace('{}', key.name)}."


def _one_of(key: Key, token: Token) -> str:
    typed = token.text.casefold()
    aliases = WORD_ALIASES.get(key.name, {})
    word = aliases.get(typed, typed)
    if word in key.words and not token.sign:
        return word
    near = get_close_matches(typed, [*key.words, *aliases], n=1, cutoff=0.6)
    meant = f"Did you mean {key.name}:{aliases.get(near[0], near[0])}? " if near else ""
    raise QueryError(
        f"There is no {key.name} {token.text[:40]}.", token.value_start, token.end,
        hint=f"{meant}{_example(key)}",
    )  # fmt: skip


def _holds(key: Key, token: Token) -> Query:
    whole, text = token.sign == "=", token.text
    if not token.value_quoted and text.startswith("="):
        whole, text = True, text[1:]
    if not text or token.sign not in ("", "="):
        raise QueryError(
            f"There is nothing to look for behind {token.key}:", token.value_start, token.end,
            hint=_example(key),
        )  # fmt: skip
    return Holds(key.name, text, whole)


def _within(key: Key, token: Token) -> Query:
    text = token.sign + token.text
    start = token.value_start
    if token.value_quoted:
        raise QueryError(
            f"{key.name}: takes a number, without quotation marks.", start, token.end,
            hint=_example(key),
        )  # fmt: skip
    for sign in (">=", "<=", "≥", "≤", ">", "<", "="):
        if text.startswith(sign):
            number = _number(key, text[len(sign) :], start + len(sign), token)
            if sign in (">=", "≥", ">"):
                return Within(key.name, low=number, low_in=sign != ">")
            if sign in ("<=", "≤", "<"):
                return Within(key.name, high=number, high_in=sign != "<")
            return Within(key.name, number, number)
    low_text, dots, high_text = text.partition("..")
    if not dots:
        number = _number(key, text, start, token)
        return Within(key.name, number, number)
    middle = start + len(low_text)
    low = _number(key, low_text, start, token) if low_text else None
    high = _number(key, high_text, middle + 2, token) if high_text else None
    if low is None and high is None:
        raise QueryError("There is no number beside the dots.", start, token.end,
                         hint=_example(key))  # fmt: skip
    if low is not None and high is not None and low > high:
        raise QueryError(
            "The first number is larger than the second.", start, token.end,
            hint="Write the smaller one first.",
        )  # fmt: skip
    return Within(key.name, low, high)


def _number(key: Key, text: str, start: int, token: Token) -> Decimal:
    end = max(token.end, start + 1)
    found = _NUMBER.fullmatch(text)
    if found is None or (found[1] and key.sort != Sort.MONEY):
        raise QueryError(
            f"{text[:40]} is not a number." if text else "A number is missing here.",
            min(start, token.end - 1), end, hint=_example(key),
        )  # fmt: skip
    digits = found[2].replace("_", "")
    if len(digits) > _MOST_DIGITS:
        raise QueryError("This number is too long.", start, end)
    number = Decimal(digits)
    unit_at = start + found.end(2)
    return (number * _unit(key, found[3], number, (unit_at, end))).normalize() + 0


def _unit(key: Key, unit: str, number: Decimal, place: tuple[int, int]) -> int:
    if key.sort == Sort.DURATION:
        if not unit and not number:
            return 1
        if (size := UNITS_NS.get(unit)) is not None:
            return size
        message = f"There is no unit {unit} for a duration." if unit else "A duration needs a unit."
        raise QueryError(message, min(place[0], place[1] - 1), place[1],
                         hint="Write ms, s, min or h: 200ms, 1.5s, 2min.")  # fmt: skip
    if key.sort == Sort.TOKENS and (size := UNITS_TOKENS.get(unit.casefold())) is not None:
        return size
    if unit:
        hint = "Write k for a thousand: 2k." if key.sort == Sort.TOKENS else "Leave it out."
        raise QueryError(f"There is no unit {unit} for {key.name}.", *place, hint=hint)
    return 1
