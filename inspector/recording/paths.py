"""How a span's place in the run is spelled."""

from __future__ import annotations

AGENT_SEGMENT = "agent#1"


def escaped(segment: str) -> str:
    """Return a segment in which a slash does not look like a step down."""
    return segment.replace("/", "%2F")


def short_name(qualified: str) -> str:
    """Return the last part of a dotted name: `guard` for `app.hooks.make.<locals>.guard`."""
    return qualified.rpartition(".")[2] or qualified
