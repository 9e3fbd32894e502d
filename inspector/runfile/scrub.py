"""What a writer asks of whoever keeps things out of a file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable


class Scrub(Protocol):
    """Takes what must not be written out of each record, before it is hashed."""

    def clean(self, text: bytes) -> bytes:
        """Return one record's JSON without it."""
        ...

    def report(self) -> dict[str, Any]:
        """Return what the run header says of what was taken out."""
        ...


class ChunkScrub(Protocol):
    """Holds chunks back until nothing that must not be written can begin in them any more.

    What it returns is clean, and is written as it is: `(at_ns, tree)`, in order.
    """

    def chunk(self, span_id: str, at_ns: int, tree: Any) -> Iterable[tuple[int, Any]]:
        """Take a chunk of a span's stream; return those that may be written now."""
        ...

    def rest(self, span_id: str) -> Iterable[tuple[int, Any]]:
        """Return the chunks that were held back, when the span has ended."""
        ...
