"""Names for runs: ULIDs, which sort by the time they were made."""

from __future__ import annotations

import os
import time
from random import Random

_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_PAIRS = [one + other for one in _ALPHABET for other in _ALPHABET]
_BITS = 130  # 26 characters of 5 bits

# Asking the system for each name would hand the interpreter to another thread in the
# middle of the host's call, and that one may keep it for milliseconds.
_draw = Random(os.urandom(32))  # noqa: S311 - a name, not a secret
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=lambda: _draw.seed(os.urandom(32)))


def new_run_id() -> str:
    """Return a new ULID: 48 bits of milliseconds, then 80 random bits."""
    number = (time.time_ns() // 1_000_000 << 80) | _draw.getrandbits(80)
    return "".join([_PAIRS[number >> shift & 1023] for shift in range(_BITS - 10, -1, -10)])
