"""How a span's place in the run is spelled."""

from __future__ import annotations

AGENT_SEGMENT = "agent#1"


def place_in(segment: str, visit: int, *, always: bool) -> str:
    """Return the segment with its visit; unless `always`, only repeats carry one."""
    return f"{segment}#{visit}" if always or visit > 1 else segment


def join(scope: str, segment: str) -> str:
    """Append a segment; a slash in a name must not look like a step down."""
    if "/" in segment:
        segment = segment.replace("/", "%2F")
    return f"{scope}/{segment}" if scope else segment


def short_name(qualified: str) -> str:
    """Return the last part of a dotted name: `guard` for `app.hooks.make.<locals>.guard`."""
    return qualified.rpartition(".")[2] or qualified
