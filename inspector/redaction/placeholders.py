"""What stands in a file in place of a secret: the same for the same one, and nothing of it.

There are two forms. Without a salt the secrets of a file are numbered, `<email:1>`, in the
order in which they are met: nothing can be worked out from a number, and two runs of the
same pipeline mostly number alike. With a salt that several files share, the placeholder is
a keyed digest, `<email:7f3a9c21>`, the same in all of them; the salt stands in none.
"""

from __future__ import annotations

import threading
from hashlib import blake2b
from os import urandom
from typing import TYPE_CHECKING

from inspector.redaction.own_rules import ENVIRONMENT
from inspector.redaction.salts import key_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_DIGITS = 8


class Placeholders:
    """Gives placeholders. Any thread may ask.

    Args:
        salt: Shared by the files whose placeholders shall be the same; None to number them.
        taken: The highest number of each rule that is in use already.

    """

    def __init__(self, salt: bytes | None = None, taken: Mapping[str, int] | None = None) -> None:
        self._key = urandom(32) if salt is None else key_of(salt)
        self._shared = salt is not None
        self._texts: dict[tuple[str, bytes], str] = {}
        self._last: dict[str, int] = dict(taken or {})
        self._given: dict[str, tuple[str, bytes]] = {}  # which secret a placeholder stands for
        # Which of them have their placeholder from another file, and the other way round.
        self._settled: set[tuple[str, bytes]] = set()
        self._owners: dict[str, tuple[str, bytes]] = {}
        self._lock = threading.Lock()

    def of(self, rule: str, secret: bytes) -> str:
        """Return what stands for a secret that a rule found."""
        if rule == ENVIRONMENT:
            return f"<secret:{secret.decode().upper()}>"
        digest = blake2b(secret, key=self._key, person=rule.encode()[:16]).digest()
        if self._shared:
            return f"<{rule}:{digest.hex()[:_DIGITS]}>"
        with self._lock:
            text = self._texts.get((rule, digest))
            if text is None:
                number = self._last[rule] = self._last.get(rule, 0) + 1
                text = self._texts[rule, digest] = f"<{rule}:{number}>"
                self._given[text] = (rule, digest)
        return text

    @property
    def last(self) -> dict[str, int]:
        """The highest number of each rule."""
        return {} if self._shared else dict(self._last)

    def agree(self, pairs: Iterable[tuple[str, str]]) -> bool:
        """Let placeholders be those that another file has for the same secrets.

        Args:
            pairs: Each with one that was given here or came from that file, and with what
                stands in that file at this place.

        Returns:
            Whether that can be: no secret has two placeholders, and none stands for two.
            Where it cannot, nothing is changed.

        """
        with self._lock:
            new: dict[tuple[str, bytes], str] = {}
            owners: dict[str, tuple[str, bytes]] = {}
            for mine, theirs in pairs:
                secret = self._given.get(mine)
                if mine == theirs or secret is None:
                    if mine != theirs:
                        return False
                    continue
                if new.get(secret) == theirs:
                    continue
                taken = secret in self._settled or secret in new
                owned = theirs in self._owners or theirs in owners
                if taken or owned or theirs[1:-1].partition(":")[0] != secret[0]:
                    return False
                new[secret], owners[theirs] = theirs, secret
            for secret, theirs in new.items():
                del self._given[self._texts[secret]]
                self._texts[secret] = theirs
                self._given[theirs] = secret
            self._settled.update(new)
            self._owners.update(owners)
        return True

    def skip(self, rule: str, number: int) -> None:
        """Give no number up to this one: a text says it already."""
        with self._lock:
            self._last[rule] = max(self._last.get(rule, 0), number)
