"""The digests of a run file: what a value is called, and whether a file is as it was written."""

from __future__ import annotations

import base64
from hashlib import sha256

ID_DIGITS = 32
"""Hex digits of a value's name."""

_HEAD = 8


def value_id(text: bytes) -> str:
    """Return the name of a value: the head of the digest over its compact JSON."""
    return sha256(text).hexdigest()[:ID_DIGITS]


class RecordDigests:
    """Gathers the head of each record's digest, in the order of the file."""

    def __init__(self) -> None:
        self._heads = bytearray()

    def add(self, text: bytes) -> None:
        """Count a record by its compact JSON."""
        self._heads += sha256(text).digest()[:_HEAD]

    def add_value(self, digest: str) -> None:
        """Count a value whose name is known to be its digest, without hashing it again."""
        self._heads += bytes.fromhex(digest[: 2 * _HEAD])

    @property
    def record_digests(self) -> str:
        """What the file holds under `record_digests`."""
        return base64.b64encode(self._heads).decode()

    @property
    def digest(self) -> str:
        """What the file holds under `digest`."""
        return "sha256:" + sha256(self._heads).hexdigest()
