"""Names for runs: ULIDs, which sort by the time they were made."""

from __future__ import annotations

import os
import time

_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_PAIRS = [one + other for one in _ALPHABET for other in _ALPHABET]
_BITS = 130  # 26 characters of 5 bits


def new_run_id() -> str:
    """Return a new ULID: 48 bits of milliseconds, then 80 random bits."""
    number = (time.time_ns() // 1_000_000 << 80) | int.from_bytes(os.urandom(10))
    return "".join([_PAIRS[number >> shift & 1023] for shift in range(_BITS - 10, -1, -10)])
