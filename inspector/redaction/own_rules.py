"""The user's own: terms, patterns, and the values of variables that hold secrets."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from inspector.redaction.edits import Edit
from inspector.redaction.linear import finder, finder_of_terms, finder_of_users, widest

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

TERM, ENVIRONMENT = "term", "environment-value"
_BYTES_A_SIGN = 4


class OwnRules:
    """What a user wants replaced besides what everybody does.

    Args:
        terms: Texts; case does not count, and a word is found whole only.
        patterns: By the name of the rule; in RE2's syntax.
        environment: Values that are secrets, by the names of their variables.

    Raises:
        RedactionError: A pattern cannot be run in linear time.

    """

    def __init__(
        self,
        terms: tuple[str, ...] = (),
        patterns: tuple[tuple[str, str], ...] = (),
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self._terms = sorted({term for term in terms if term.strip()})
        self._patterns = patterns
        self._find_terms = finder_of_terms(self._terms) if self._terms else None
        self._find_patterns = [(name, finder_of_users(text, name)) for name, text in patterns]
        self._names = {
            value.encode("utf-8", "surrogatepass"): name
            for name, value in reversed([*(environment or {}).items()])
        }
        values = sorted(self._names, key=len, reverse=True)
        self._find_values = finder(b"|".join(map(_literal, values))) if values else None

    def __bool__(self) -> bool:
        return bool(self._find_terms or self._find_patterns or self._find_values)

    @property
    def short(self) -> bool:
        """Whether any text may hold a match, however short it is."""
        return bool(self._find_terms or self._find_patterns)

    def find(self, data: bytes) -> Iterator[Edit]:
        """Yield what these rules find in a text."""
        if self._find_values is not None:
            for found in self._find_values(data):
                name = self._names.get(found[0], "")
                start, end = found.span()
                yield Edit(start, end, ENVIRONMENT, name.encode())
        if self._find_terms is not None:
            for found in self._find_terms(data):
                start, end = found.span()
                if _is_whole(data, start, end):
                    text = data[start:end].decode("utf-8", "replace").casefold()
                    yield Edit(start, end, TERM, " ".join(text.split()).encode())
        for name, find in self._find_patterns:
            for found in find(data):
                start, end = found.span()
                if start < end and b"\0" not in found[0]:
                    yield Edit(start, end, name, found[0])

    @cached_property
    def reach(self) -> int | None:
        """How many bytes of a stream a match may still be in; None for any number."""
        most = max((len(value) for value in self._names), default=0)
        for term in self._terms:
            most = max(most, _BYTES_A_SIGN * len(term))
        for _, pattern in self._patterns:
            width = widest(pattern)
            if width is None:
                return None
            most = max(most, _BYTES_A_SIGN * width)
        return most


def _literal(value: bytes) -> bytes:
    return b"".join(b"\\x%02x" % sign for sign in value)


def _is_whole(data: bytes, start: int, end: int) -> bool:
    """Whether a term is no part of a longer word."""
    if _is_of_word(data[start : start + 1]) and _is_of_word(
        data[start - 1 : start] if start else b""
    ):
        return False
    return not (_is_of_word(data[end - 1 : end]) and _is_of_word(data[end : end + 1]))


def _is_of_word(sign: bytes) -> bool:
    # With the underscore: what is a word in a text is none in the name of a function.
    return sign.isalnum() or sign == b"_" or sign >= b"\x80"
