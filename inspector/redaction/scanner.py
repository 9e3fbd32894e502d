"""Finding secrets and personal data in a text, quickly where there are none.

Whole texts are only ever searched for signs that are rare in prose, by functions that work
at the speed of memory: long words without a space, stretches of digits and capitals, an `@`,
a `://`, a name of a secret before a colon. Patterns look at those places and nowhere else.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from itertools import product
from typing import TYPE_CHECKING

from inspector.redaction import context, personal, tokens
from inspector.redaction.catalog import GROUPS
from inspector.redaction.edits import Edit, ends_at, merged
from inspector.redaction.encodings import decoded, is_near_one, packed_in

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from inspector.redaction.own_rules import OwnRules

DEEPEST = 3
"""So many encodings around a secret are undone."""

_TOKEN_SIGNS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-+/.~$"
_MARK = b"a"
_RUN = 15


def _table(signs: bytes) -> bytes:
    return bytes(_MARK[0] if sign in signs else 32 for sign in range(256))


_TOKEN_TABLE = _table(_TOKEN_SIGNS)

_NUMBERS = rb":(?:[0-9]{1,6}|[0-9a-f]{8})>"


def placeholder_pattern(kinds: frozenset[str] = frozenset()) -> re.Pattern[bytes]:
    """Return what placeholders look like; nothing inside of one is ever found."""
    names = b"|".join(re.escape(name.encode()) for name in sorted({*GROUPS, *kinds}))
    return re.compile(b"<(?:(?:" + names + b")" + _NUMBERS + rb"|secret:[A-Z][A-Z0-9_]{0,80}>)")


_BEARER = re.compile(rb"(?i)(?:bearer|basic|apikey|bot)\s{1,3}[\"'<]?$")
_BEFORE_BEARER = (b" ", b"\t", b'"', b"'", b"<")
# The last two signs before a token that is known by what stands there: of a bearer, of a bot.
_TELLING = frozenset(
    [bytes(pair) for pair in product(b"rcytRCYT \t\n\r\v\f", b" \t\"'<")]
    + [bytes(pair) for pair in product(b"0123456789", b":")]
)
_LONGEST_OF_LETTERS = 40
_LINE_OF_BASE64 = 40
_LINE_ENDS = frozenset((b"\n", b"\r"))
_AWS_SECRET = re.compile(rb"(?<![A-Za-z0-9/+=])[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+])")
_NEAR = 400
_LONGEST_DULL = 120
_WIDEST_PAIR = 6
_MOST_DULL = 20_000


class Scanner:
    """Finds what has to be replaced. Any thread may use it.

    Args:
        off: Rules that are not asked.
        own: The terms and patterns of the user.
        keep: What is never replaced, in the form that edits have it.
        names: Finds names and addresses, where that was asked for.
        kinds: The names of the user's rules.

    """

    def __init__(
        self,
        off: frozenset[str] = frozenset(),
        own: OwnRules | None = None,
        keep: frozenset[bytes] = frozenset(),
        names: Callable[[bytes], Iterator[Edit]] | None = None,
        kinds: frozenset[str] = frozenset(),
    ) -> None:
        self._off = off
        self._own = own
        self._keep = keep
        self._names = names
        self.placeholder = placeholder_pattern(kinds)
        self._dull: set[bytes] = set()  # long words that hold nothing: names stand there often

    def scan(self, data: bytes) -> list[Edit]:
        """Return what has to be replaced in a text in UTF-8, in order, none overlapping."""
        return self._scan(data, 0)

    def under_key(self, rule: str, key: str, data: bytes) -> Edit | None:
        """Return what of a dictionary's value has to be replaced because of its key."""
        if rule in self._off or self.placeholder.search(data):
            return None
        edit = context.secret_under_key(rule, key, data)
        if edit is None or edit.secret in self._keep:
            return None
        return edit

    def in_id(self, data: bytes) -> list[Edit]:
        """Return what has to be replaced in an id: numbers of any kind are nothing there."""
        found = [*_tokens(data, 0, len(data), bearer=False)]
        if b"@" in data:
            found += personal.emails(data)
        if self._own is not None:
            found += self._own.find(data)
        return self._kept(data, found) if found else found

    def _kept(self, data: bytes, edits: list[Edit]) -> list[Edit]:
        """Return edits of rules that are asked, of what is not to stay, none overlapping."""
        edits = [e for e in edits if e.rule not in self._off and e.secret not in self._keep]
        if edits and b"<" in data:
            edits = self._outside_of_placeholders(data, edits)
        return merged(edits) if edits else edits

    def _scan(self, data: bytes, depth: int) -> list[Edit]:
        edits = list(self._raw(data, depth))
        if depth < DEEPEST:
            view = decoded(data)
            if view is not None:
                for edit in self._scan(view.data, depth + 1):
                    start, end = view.span(edit.start, edit.end)
                    if is_near_one(data, start, end):
                        edits.append(edit._replace(start=start, end=end, inner=None))
        return self._kept(data, edits) if edits else edits

    def _outside_of_placeholders(self, data: bytes, edits: list[Edit]) -> list[Edit]:
        """Leave out what lies inside of a placeholder, and cut off what reaches into one."""
        spans = [found.span() for found in self.placeholder.finditer(data)]
        if not spans:
            return edits
        starts, ends = [first for first, _ in spans], [last for _, last in spans]
        kept: list[Edit] = []
        for edit in edits:
            pieces = [(edit.start, edit.end)]
            near = bisect_right(ends, edit.start)
            for first, last in spans[near : bisect_left(starts, edit.end)]:
                pieces = [
                    piece
                    for one, other in pieces
                    for piece in ((one, min(other, first)), (max(one, last), other))
                    if piece[0] < piece[1]
                ]
            if pieces == [(edit.start, edit.end)]:
                kept.append(edit)
                continue
            for one, other in pieces:
                rest = data[one:other]
                if len(rest) >= 6 and _speaks(rest):
                    kept.append(Edit(one, other, edit.rule, rest))
        return kept

    def _raw(self, data: bytes, depth: int) -> Iterator[Edit]:
        yield from self._runs(data, depth)
        yield from personal.all_numbers(data)
        if b"@" in data:
            yield from personal.emails(data)
        addresses, pairs = _colons(data)
        if addresses:
            yield from context.urls(data, addresses)
        yield from context.secrets(data)
        if pairs:
            yield from personal.ipv6(data, pairs)
        if self._own is not None:
            yield from self._own.find(data)
        if self._names is not None and depth == 0:
            yield from self._names(data)

    def _forget(self, word: bytes) -> None:
        if len(word) <= _LONGEST_DULL:
            if len(self._dull) >= _MOST_DULL:
                self._dull.clear()
            self._dull.add(word)

    def _runs(self, data: bytes, depth: int) -> Iterator[Edit]:
        """Yield what is in long words: tokens, and what stands there in base64."""
        marked = data.translate(_TOKEN_TABLE)
        needle = _MARK * _RUN
        dull = self._dull
        start = marked.find(needle)
        while start >= 0:
            end = marked.find(b" ", start)
            end = len(data) if end < 0 else end
            # The needle is found at the first sign of the word: nothing before it is a mark.
            word = data[start:end]
            if word not in dull or (
                # What stands beside it may make more of it than it is by itself.
                (data[max(0, start - 2) : start] in _TELLING and _is_told(data, start))
                or (end - start >= _LINE_OF_BASE64 and data[end : end + 1] in _LINE_ENDS)
            ):
                yield from self._word(data, start, end, depth)
            start = marked.find(needle, end)

    def _word(self, data: bytes, start: int, end: int, depth: int) -> Iterator[Edit]:
        word = data[start:end]
        # What is in base64 has large letters and small ones; a word has at most a large one first.
        if (
            end - start < _LONGEST_OF_LETTERS
            and word.isalpha()
            and word[1:] in (word[1:].lower(), word[1:].upper())
        ):
            self._forget(word)
            return
        bearer = _is_bearer(data, start)
        found = list(_tokens(data, start, end, bearer=bearer))
        yield from found
        if found or depth >= DEEPEST:
            return
        held = packed_in(data, start, end)
        dull = not held or not depth  # deeper down, not all that is in it is looked at
        for packed in held:
            inner = self._scan(packed.data, depth + 1)
            if inner:
                dull = False
                yield Edit(
                    packed.start, packed.end, inner[0].rule, data[packed.start : packed.end],
                    (packed.data, tuple(inner)), packed.codec,
                )  # fmt: skip
        if dull:
            self._forget(word)


def _is_told(data: bytes, start: int) -> bool:
    """Whether a word may be a token because of what stands right before it."""
    return data[start - 1 : start] == b":" or _is_bearer(data, start)


def _is_bearer(data: bytes, start: int) -> bool:
    return (
        data[start - 1 : start] in _BEFORE_BEARER
        and _BEARER.search(data, max(0, start - 12), start) is not None
    )


def _colons(data: bytes) -> tuple[list[int], list[int]]:
    """Return the colons that begin an address, and those with another one right behind them."""
    addresses: list[int] = []
    pairs: list[int] = []
    last = -_WIDEST_PAIR
    place = data.find(b":")
    while place >= 0:
        if place - last < _WIDEST_PAIR:
            pairs.append(last)
        if data.startswith(b"//", place + 1):
            addresses.append(place)
        last = place
        place = data.find(b":", place + 1)
    return addresses, pairs


def _tokens(data: bytes, start: int, end: int, *, bearer: bool) -> Iterator[Edit]:
    """Yield what a long word is by itself, or because of what stands right before it."""
    known = False
    for found in tokens.TOKEN.finditer(data, start, end):
        known = True
        rule = tokens.RULE_OF_GROUP[found.lastgroup or "t0"]
        yield Edit(found.start(), found.end(), rule, found[0])
        if rule == "aws-key":
            yield from _aws_secrets(data, found.end())
    word = data[start:end]
    if known:
        return
    if data[start - 1 : start] == b":":
        bot = tokens.TELEGRAM.search(data, max(0, start - 11), end)
        if bot is not None:
            yield Edit(*bot.span(), "service-key", bot[0])
    elif word.startswith(tokens.SSH_BEGINS):
        body = tokens.SSH_BODY.match(data, start)
        if body is not None:
            yield Edit(*body.span(), "private-key", body[0])
    elif bearer and end - start > _RUN and context.looks_secret(word.rstrip(b".")):
        yield Edit(start, end, "authorization", word)


def _aws_secrets(data: bytes, end: int) -> Iterator[Edit]:
    """Yield the secret key that follows a key id."""
    for found in _AWS_SECRET.finditer(data, end, ends_at(data, end, _NEAR)):
        if _mixed(found[0]):
            yield Edit(*found.span(), "aws-key", found[0])


def _mixed(text: bytes) -> bool:
    return not text.islower() and not text.isupper() and any(48 <= sign <= 57 for sign in text)


def _speaks(rest: bytes) -> bool:
    return any(sign > 47 for sign in rest)
