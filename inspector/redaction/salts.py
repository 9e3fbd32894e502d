"""Salts that files share, and whether a file has one. Kept apart: replays ask this of every run."""

from __future__ import annotations

import os
from functools import lru_cache
from hashlib import blake2b, pbkdf2_hmac
from typing import Any

from inspector.errors import RedactionError

SALT_VARIABLE = "RUN_INSPECTOR_SALT"
_SHORTEST_SALT = 8
_ROUNDS = 100_000
_DIGITS = 8


def salt_of_environment(variable: str = SALT_VARIABLE) -> bytes | None:
    """Return the shared salt of this machine, if it has one."""
    value = os.environ.get(variable)
    return value.encode("utf-8", "surrogatepass") if value else None


def is_numbered(said: Any) -> bool:
    """Whether the placeholders of a file are its own, or of a salt that is not here."""
    if not isinstance(said, dict):
        return False
    if said.get("placeholders") != "salted":
        return True
    salt = salt_of_environment()
    return salt is None or len(salt) < _SHORTEST_SALT or salt_check(salt) != said.get("salt_check")


def salt_check(salt: bytes) -> str:
    """Return what a file says of its salt: whether another one is the same, and no more."""
    return blake2b(b"check", key=key_of(salt)).hexdigest()[:_DIGITS]


@lru_cache(maxsize=8)
def key_of(salt: bytes) -> bytes:
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
