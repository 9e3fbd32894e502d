"""Where two value trees differ, by the rules that make two calls the same call.

What does not count for a fingerprint does not count here either. Trees may hold nodes that a
writer keeps once, references, and the same part many times: each pair of parts is compared
once, so that a tree which unfolds to more than there is memory takes no longer than it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from inspector.diff.canonical import Canonical

if TYPE_CHECKING:
    from collections.abc import Callable

_DEEPEST = 200
_MOST_PAIRS = 500_000
_MOST = 100


class Difference(NamedTuple):
    """One leaf, and its value on both sides. Without a leaf, there is no difference."""

    leaf: str | None
    recorded: Any
    live: Any


NONE = Difference(None, None, None)


def first_difference(
    recorded: Any, live: Any, lookup: Callable[[str], Any] | None = None
) -> Difference:
    """Return the first leaf in which two trees differ, or a difference without a leaf.

    Args:
        recorded: A value tree as recorded; references are followed with `lookup`.
        live: A value tree of the replay.
        lookup: Returns the tree that a digest stands for.

    """
    return next(iter(differences(recorded, live, lookup, most=1)), NONE)


def differences(
    recorded: Any, live: Any, lookup: Callable[[str], Any] | None = None, *, most: int = _MOST
) -> tuple[Difference, ...]:
    """Return the leaves in which two trees differ, at most so many, in canonical order."""
    walk = _Walk(lookup, most)
    walk.compare(recorded, live, "", 0)
    return tuple(walk.found)


def inside(leaf: str, key: Any) -> str:
    """Return the notation of a part: `messages[0].content`, `meta["a b"]`."""
    if isinstance(key, int):
        return f"{leaf}[{key}]"
    word = str(key)
    if not word.isidentifier():
        quoted = word.replace("\\", "\\\\").replace('"', '\\"')
        return f'{leaf}["{quoted}"]'
    return f"{leaf}.{word}" if leaf else word


class _Walk:
    """One comparison."""

    def __init__(self, lookup: Callable[[str], Any] | None, most: int) -> None:
        self.found: list[Difference] = []
        self._most = most
        self._recorded = Canonical(lookup)
        self._live = Canonical(lookup)
        # Pairs seen before: equal ones need no second look, others were told of.
        self._seen: set[tuple[int, int]] = set()

    @property
    def _over(self) -> bool:
        return len(self.found) >= self._most or len(self._seen) > _MOST_PAIRS

    def compare(self, recorded: Any, live: Any, leaf: str, depth: int) -> None:
        if self._over or depth > _DEEPEST:
            return
        one, other = self._recorded.part(recorded), self._live.part(live)
        if one.kind != other.kind:
            self._tell(leaf, recorded, live)
            return
        if one.parts is None or other.parts is None:
            if one.plain != other.plain or type(one.plain) is not type(other.plain):
                self._tell(leaf, recorded, live)
            return
        pair = (id(one), id(other))
        if pair in self._seen:
            return
        self._seen.add(pair)
        if one.call_id is not None or other.call_id is not None:
            self._compare_ids(one.call_id, other.call_id, leaf)
        if one.plain != other.plain:
            self._tell(inside(leaf, "type"), one.plain, other.plain)
        self._compare_parts(one.parts, other.parts, leaf, depth + 1)

    def _compare_parts(
        self, recorded: dict[Any, Any], live: dict[Any, Any], leaf: str, depth: int
    ) -> None:
        for key in _in_order(recorded, live):
            if self._over:
                return
            inner = inside(leaf, key)
            if key in recorded and key in live:
                self.compare(recorded[key], live[key], inner, depth)
            elif key in recorded:
                self._tell(inner, recorded[key], None)
            else:
                self._tell(inner, None, live[key])

    def _compare_ids(self, recorded: str | None, live: str | None, leaf: str) -> None:
        # What a provider calls a tool call does not count; which call it is does.
        if self._recorded.number(recorded) != self._live.number(live):
            self._tell(inside(leaf, "id"), recorded, live)

    def _tell(self, leaf: str, recorded: Any, live: Any) -> None:
        if len(self.found) < self._most:
            self.found.append(
                Difference(leaf, self._recorded.shown(recorded), self._live.shown(live))
            )


def _in_order(recorded: dict[Any, Any], live: dict[Any, Any]) -> list[Any]:
    if all(isinstance(key, int) for key in (*recorded, *live)):
        return sorted({*recorded, *live})
    # As fingerprints go, so that tool calls are met in the order in which they number them.
    return sorted({*recorded, *live}, key=str)
