"""Regular expressions that take time in proportion to the text, whoever wrote them.

Python's own engine goes back and tries again, which takes exponential time for patterns such
as `(a+)+b`. RE2 walks through the text once, with an automaton: it has no backreferences and
no look-around, and no pattern can make it slow. Patterns of users only ever run there.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from inspector.errors import RedactionError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_MEMORY = 64 * 2**20
_LONGEST_PATTERN = 10_000
_LONGEST_WIDTH = 4_096


def finder(pattern: bytes) -> Callable[[bytes], Iterator[Any]]:
    """Return `finditer` of one of our own patterns, which both engines read alike."""
    compiled = _compiled(pattern, latin=True)
    return (re.compile(pattern) if compiled is None else compiled).finditer


def finder_of_users(pattern: str, name: str) -> Callable[[bytes], Iterator[Any]]:
    """Return `finditer` of a user's pattern, on text in UTF-8.

    Raises:
        RedactionError: It is no pattern, or one that cannot be run in linear time.

    """
    if len(pattern) > _LONGEST_PATTERN:
        raise RedactionError(f"The pattern of the rule {name} is longer than a pattern may be.")
    try:
        compiled = _compiled(pattern.encode(), latin=False)
    except (ValueError, UnicodeEncodeError) as error:
        raise RedactionError(
            f"The rule {name} is no pattern that runs in linear time: {error}.",
            hint="It may have no backreference and no look-around (the syntax is RE2's).",
        ) from None
    if compiled is None:
        raise RedactionError(
            f"The rule {name} needs google-re2, which is not installed.",
            hint="Install it, or use a term in place of a pattern.",
        )
    if compiled.match(b"") is not None:
        raise RedactionError(
            f"The rule {name} matches the empty text.", hint="Make something in it compulsory."
        )
    return compiled.finditer  # type: ignore[no-any-return]  # a class without types


_BLANK = r"[ \t\r\n]{1,4}"


def finder_of_terms(terms: list[str]) -> Callable[[bytes], Iterator[Any]]:
    """Return `finditer` of literal texts, the longest first; case does not count.

    A blank stands for up to four blanks and line ends: a name may be broken over two lines.
    """
    terms = [" ".join(term.split()) for term in terms]
    longest_first = sorted(terms, key=len, reverse=True)
    pattern = "(?i)" + "|".join(map(_escaped, longest_first))
    compiled = _compiled(pattern.encode(), latin=False)
    if compiled is None:
        # One literal after the other: nothing here can go back. Only ASCII folds its case.
        spelt = {
            form.encode()
            for each in terms
            for form in (each, each.lower(), each.upper(), each.title())
        }
        ordered = sorted(spelt, key=len, reverse=True)
        literals = (re.escape(each).replace(b"\\ ", _BLANK.encode()) for each in ordered)
        return re.compile(b"(?i)" + b"|".join(literals)).finditer
    return compiled.finditer  # type: ignore[no-any-return]  # a class without types


def _escaped(text: str) -> str:
    return "".join(
        sign
        if sign.isalnum() or ord(sign) > 127
        else _BLANK
        if sign == " "
        else f"\\x{ord(sign):02x}"
        for sign in text
    )


def _compiled(pattern: bytes, *, latin: bool) -> Any:
    """Return a pattern compiled by RE2; None where that is not installed.

    Raises:
        ValueError: It is none of RE2's.

    """
    try:
        import re2
    except ImportError:
        return None
    options = re2.Options()
    options.max_mem = _MEMORY
    options.log_errors = False
    options.encoding = re2.Options.Encoding.LATIN1 if latin else re2.Options.Encoding.UTF8
    try:
        return re2.compile(pattern, options)
    except re2.error as error:
        said = error.args[0] if error.args else error
        raise ValueError(said.decode() if isinstance(said, bytes) else str(said)) from None


def widest(pattern: str) -> int | None:
    """Return how many characters a match has at most; None where nothing bounds it.

    What could still become a match has to be held back of a stream, so this is asked of
    each rule. A pattern that Python's parser does not know counts as unbounded.
    """
    from re import _parser  # type: ignore[attr-defined]  # says what no public function does

    try:
        _, most = _parser.parse(pattern).getwidth()
    except (re.error, RecursionError, OverflowError):
        return None
    return int(most) if most <= _LONGEST_WIDTH else None
