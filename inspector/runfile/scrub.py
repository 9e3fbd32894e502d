"""What a writer asks of whoever keeps things out of a file."""

from __future__ import annotations

from typing import Any, Protocol


class Scrub(Protocol):
    """Takes what must not be written out of each record, before it is hashed."""

    def clean(self, text: bytes) -> bytes:
        """Return one record's JSON without it."""
        ...

    def report(self) -> dict[str, Any]:
        """Return what the run header says of what was taken out."""
        ...
