"""How much a file may ask of the machine that opens it."""

from __future__ import annotations

from dataclasses import dataclass

MIB = 2**20


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Where opening stops and says so, instead of filling memory or disk.

    Args:
        unpacked_bytes: What a compressed file or a stream may come to.
        unpacked_ratio: How many times its size a compressed file may come to, once it
            is past `held_bytes`. Recorded conversations repeat themselves and reach
            about 100.
        held_bytes: How much of a compressed file or a stream is held in memory; what is
            more goes to a file without a name.
        whole_bytes: How large a file may be that is not laid out one record a line,
            and so has to be held in memory.
        line_bytes: How long one span's record may be.

    """

    unpacked_bytes: int = 4096 * MIB
    unpacked_ratio: int = 500
    held_bytes: int = 64 * MIB
    whole_bytes: int = 1024 * MIB
    line_bytes: int = 256 * MIB


DEFAULT_LIMITS = Limits()
IN_MEMORY = 64 * MIB
BLOCK = MIB // 2
"""Read and looked through while it is still in the processor's cache."""
