"""How much a recording may take of the host's memory and disk."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteLimits:
    """What is beyond a limit is left out, and the run says so.

    Args:
        value_bytes: Of one value.
        run_bytes: Of all values of a run together.
        memory_bytes: Of what a run keeps in memory, since it has no file or cannot write it.

    """

    value_bytes: int = 64 * 2**20
    run_bytes: int = 4 * 2**30
    memory_bytes: int = 256 * 2**20
