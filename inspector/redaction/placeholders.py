"""What stands in a file in place of a secret: the same for the same one, and nothing of it.

There are two forms. Without a salt the secrets of a file are numbered, `<email:1>`, in the
order in which they are met: nothing can be worked out from a number, and two runs of the
same pipeline mostly number alike. With a salt that several files share, the placeholder is
a keyed digest, `<email:7f3a9c21>`, the same in all of them; the salt stands in none.
"""

from __future__ import annotations

import threading
from functools import lru_cache
from hashlib import blake2b, pbkdf2_hmac
from os import urandom
from typing import TYPE_CHECKING

from inspector.errors import RedactionError
from inspector.redaction.own_rules import ENVIRONMENT

if TYPE_CHECKING:
    from collections.abc import Mapping

_SHORTEST_SALT = 8
_ROUNDS = 100_000
_DIGITS = 8


class Placeholders:
    """Gives placeholders. Any thread may ask.

    Args:
        salt: Shared by the files whose placeholders shall be the same; None to number them.
        taken: The highest number of each rule that is in use already.

    """

    def __init__(self, salt: bytes | None = None, taken: Mapping[str, int] | None = None) -> None:
        self._key = urandom(32) if salt is None else _key(salt)
        self._shared = salt is not None
        self._numbers: dict[tuple[str, bytes], int] = {}
        self._last: dict[str, int] = dict(taken or {})
        self._given: dict[str, tuple[str, bytes]] = {}  # which secret a placeholder stands for
        self._settled: dict[str, str] = {}  # placeholders that are those of another file
        self._lock = threading.Lock()

    def of(self, rule: str, secret: bytes) -> str:
        """Return what stands for a secret that a rule found."""
        if rule == ENVIRONMENT:
            return f"<secret:{secret.decode().upper()}>"
        digest = blake2b(secret, key=self._key, person=rule.encode()[:16]).digest()
        if self._shared:
            return f"<{rule}:{digest.hex()[:_DIGITS]}>"
        with self._lock:
            number = self._numbers.get((rule, digest))
            if number is None:
                number = self._last[rule] = self._last.get(rule, 0) + 1
                self._numbers[rule, digest] = number
                self._given[f"<{rule}:{number}>"] = (rule, digest)
        return f"<{rule}:{number}>"

    @property
    def last(self) -> dict[str, int]:
        """The highest number of each rule."""
        return {} if self._shared else dict(self._last)

    def agree(self, mine: str, theirs: str) -> bool:
        """Let a placeholder be the one that another file has for the same secret.

        Args:
            mine: One that was given here, or that came from that file.
            theirs: What stands in that file at this place.

        Returns:
            Whether that can be: no secret has two placeholders, and none stands for two.

        """
        with self._lock:
            if mine == theirs:
                secret = self._given.get(mine)
                return secret is None or self._settled.setdefault(mine, mine) == mine
            secret = self._given.get(mine)
            if secret is None or mine in self._settled or theirs in self._settled:
                return False
            rule, _, number = theirs[1:-1].partition(":")
            if rule != secret[0] or not number.isdigit():
                return False
            self._numbers[secret] = int(number)
            self._given[theirs] = secret
            self._settled[theirs] = theirs
            del self._given[mine]
            return True

    def skip(self, rule: str, number: int) -> None:
        """Give no number up to this one: a text says it already."""
        with self._lock:
            self._last[rule] = max(self._last.get(rule, 0), number)


def salt_check(salt: bytes) -> str:
    """Return what a file says of its salt: whether another one is the same, and no more."""
    return blake2b(b"check", key=_key(salt)).hexdigest()[:_DIGITS]


@lru_cache(maxsize=8)
def _key(salt: bytes) -> bytes:
    """Stretch a salt, so that nobody finds a short one by trying.

    Raises:
        RedactionError: It is too short for that.

    """
    if len(salt) < _SHORTEST_SALT:
        raise RedactionError(
            "The salt is too short: whoever has a file could guess it.",
            hint=f"Use at least {_SHORTEST_SALT} characters, better 30 random ones.",
        )
    return pbkdf2_hmac("sha256", salt, b"haystack-run redaction", _ROUNDS)
