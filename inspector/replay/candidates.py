"""The recorded call that comes nearest to one without an answer, and what differs, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from inspector.diff.leaves import Difference, differences

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_MOST_LOOKED_AT = 50
_MOST_DIFFERENCES = 25
_LONGEST = 60


class Nearest(NamedTuple):
    """A recorded call and in how many leaves it differs."""

    path: str
    found: tuple[Difference, ...]

    @property
    def first(self) -> Difference | None:
        """The first leaf that differs, or None for the very same call."""
        return self.found[0] if self.found else None


def nearest(
    live: Any,
    recorded: Iterable[tuple[str, Any]],
    lookup: Callable[[str], Any] | None = None,
) -> Nearest | None:
    """Return the recorded call that differs in the fewest leaves; the first of several.

    Args:
        live: What the live call was given, as a value tree.
        recorded: Path and inputs of recorded calls, the likeliest first.
        lookup: Returns the tree that a digest stands for.

    """
    best: Nearest | None = None
    for number, (path, asked) in enumerate(recorded):
        if number >= _MOST_LOOKED_AT:
            break
        found = differences(asked, live, lookup, most=_MOST_DIFFERENCES)
        if best is None or len(found) < len(best.found):
            best = Nearest(path, found)
        if not found:
            break
    return best


def request_words(times_recorded: int, times_requested: int) -> str:
    """Say how often a call was recorded and is requested: "recorded once, requested twice"."""
    return f"recorded {_times(times_recorded)}, requested {_times(times_requested)}"


def difference_words(found: Nearest) -> str:
    """Say in one line what differs between a call and its nearest candidate."""
    first = found.first
    if first is None:
        return f"{found.path} was given the same"
    count = len(found.found)
    if count >= _MOST_DIFFERENCES:
        more = f", and in {count - 1} places more at least"
    elif count > 1:
        more = f", and in {count - 1} {'places' if count > 2 else 'place'} more"
    else:
        more = ""
    told = f"{first.leaf or 'its value'}: {_short(first.recorded)} is now {_short(first.live)}"
    return f"{found.path} differs in {told}{more}"


def _times(count: int) -> str:
    return {0: "never", 1: "once", 2: "twice"}.get(count, f"{count} times")


def _short(value: Any) -> str:
    if value is None:
        return "nothing"
    text = " ".join((f"“{value}”" if isinstance(value, str) else str(value)).split())
    if len(text) <= _LONGEST:
        return text
    return text[: _LONGEST - 2] + ("…”" if isinstance(value, str) else "…")
