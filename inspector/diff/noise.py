"""What two runs of the same pipeline are expected to differ in.

Such differences are greyed and never hidden, and do not count. The rules are narrow on
purpose: a rule that takes a decision for noise is worse than noise that is shown. What a tool
was given is never noise, and neither is what a document says about itself.
"""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from inspector.diff.canonical import ADDRESS, CALLBACKS, PASSING_META, is_derived_id
from inspector.errors import InspectorError
from inspector.runfile.value import REF, TAG, tag_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_DEEPEST = 200
_MOST_SEGMENTS = 400

_IDS = frozenset(
    {
        "call_id", "completion_id", "id", "message_id", "request_id", "response_id", "run_id",
        "session_id", "span_id", "thread_id", "tool_call_id", "trace_id", "x_request_id",
    }
)  # fmt: skip
_TIMES = frozenset(
    {
        "completed_at", "completion_start_time", "created", "created_at", "end_time", "ended_at",
        "finished_at", "received_at", "start_time", "started_at", "timestamp",
    }
)  # fmt: skip
_DURATION = re.compile(
    r"(?:(?:\w+_)?(?:duration|latency|elapsed|took)|(?:queue|prompt|completion|total|response"
    r"|processing|elapsed|eval|load|inference|wall|run)_time)(?:_(?:ns|us|ms|s|sec|seconds))?"
)
# Made up by a machine: a UUID, a long hexadecimal number, a provider's prefix and what follows.
_MADE_UP = re.compile(
    r"(?i:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{16,})"
    r"|(?:chatcmpl|cmpl|call|fc|fp|gen|msg|req|resp|rs|run|span|step|toolu|trace)[-_][\w-]+"
    r"|(?=[A-Za-z]*\d)(?=\d*[A-Za-z])[A-Za-z0-9]{20,}"
)
_DATE = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d.*)?")
_EPOCHS = ((1e9, 5e9), (1e12, 5e12), (1e15, 5e15), (1e18, 5e18))  # s, ms, µs, ns

_SEGMENT = re.compile(r'\["(?:[^"\\]|\\.)*"\]|\[[^\]"]*\]|[^.\[\]/]+')


class NoiseRules:
    """The rules by which differences are noise: ours, and the user's paths.

    Args:
        paths: Leaves to be taken for noise with everything in them, such as `meta.latency`,
            `llm.replies[*].meta`, `**.session`. `*` stands for part of a name or for an index,
            `**` for any number of parts. A path counts wherever it stands in a longer one.
        defaults: Whether our own rules count.

    Raises:
        InspectorError: A path names nothing.

    """

    def __init__(self, paths: Iterable[str] = (), *, defaults: bool = True) -> None:
        self._defaults = defaults
        self._where: tuple[str, ...] = ()
        self._paths: list[tuple[str, tuple[str, ...]]] = []
        for path in paths:
            segments = _segments(path)
            if not segments or all(each == "**" for each in segments):
                raise InspectorError(
                    f"“{path}” does not name a value.",
                    hint="Write where the value is, such as replies[*].meta.latency.",
                )
            self._paths.append((path, segments))

    @property
    def has_paths(self) -> bool:
        """Whether the user named places, so that it matters where a value stands."""
        return bool(self._paths)

    @property
    def has_defaults(self) -> bool:
        """Whether what is noise by our own rules is noise here."""
        return self._defaults

    def under(self, where: str) -> NoiseRules:
        """Return the same rules for leaves of a place, such as `agent#1/llm.outputs`."""
        other = NoiseRules(defaults=self._defaults)
        other._paths = self._paths
        other._where = _segments(where)
        return other

    def reason(self, leaf: str, left: Any, right: Any, *, within: str | None = None) -> str | None:
        """Return by which rule a difference is noise, or None where it counts.

        Args:
            leaf: Where it is, such as `replies[0].meta.id`.
            left: The value at the leaf, None where there is none.
            right: The same.
            within: The tag of the innermost object around it that is tagged, where known.

        """
        segments = _segments(leaf)
        for path, pattern in self._paths:
            if _stands_in(pattern, self._where + segments):
                return path
        if not self._defaults:
            return None
        if left is None and right is None:
            return "unset"
        if within is None and any(each in ("documents", "document") for each in segments[:-1]):
            within = "document"
        one = None if left is None else passing(segments, left, within)
        other = None if right is None else passing(segments, right, within)
        if left is None or right is None or one == other:
            return one or other or (_rounding(left, right) or _address(left, right))
        return None

    def strip(self, tree: Any, leaf: str = "", lookup: Callable[[str], Any] | None = None) -> Any:
        """Return a value tree without what is noise; what has none is returned as it is.

        References are followed with `lookup`, and stay without.
        """
        return _Stripper(self, lookup).strip(tree, _segments(leaf), None, 0)

    def ignores(self, segments: tuple[str, ...]) -> bool:
        """Whether a path of the user's own stands for this place."""
        return any(_stands_in(pattern, self._where + segments) for _, pattern in self._paths)


class _Stripper:
    """One call of `strip`."""

    def __init__(self, rules: NoiseRules, lookup: Callable[[str], Any] | None) -> None:
        self._rules = rules
        self._lookup = lookup
        self._seen: set[str] = set()
        self._met: dict[str, Any] = {}  # by digest: the same part each time, as `_known` asks
        # A part that stands in many places is stripped once, where it does not matter where.
        self._known: dict[tuple[int, str | None, tuple[str, ...]], tuple[Any, Any]] = {}

    def strip(self, tree: Any, segments: tuple[str, ...], within: str | None, depth: int) -> Any:
        if not isinstance(tree, (dict, list)) or depth > _DEEPEST:
            return tree
        if isinstance(tree, dict) and isinstance(ref := tree.get(REF), str):
            if self._lookup is None or ref in self._seen:
                return tree
            self._seen.add(ref)
            try:
                if ref not in self._met:
                    self._met[ref] = self._lookup(ref)
                return self.strip(self._met[ref], segments, within, depth + 1)
            except KeyError:
                return tree
            finally:
                self._seen.discard(ref)
        place = segments if self._rules.has_paths else _context(segments)
        key = (id(tree), within, place)
        if (known := self._known.get(key)) is None:
            known = self._known[key] = (tree, self._stripped(tree, segments, within, depth))
        return known[1]

    def _stripped(
        self, tree: Any, segments: tuple[str, ...], within: str | None, depth: int
    ) -> Any:
        changed = False
        if isinstance(tree, list):
            items = []
            for number, item in enumerate(tree):
                inner = (*segments, f"[{number}]")
                if self._rules.has_paths and self._rules.ignores(inner):
                    changed = True
                    continue
                kept = self.strip(item, inner, within, depth + 1)
                changed |= kept is not item
                items.append(kept)
            return items if changed else tree
        within = tag_of(tree) or within
        fields = {}
        for name, value in tree.items():
            inner = (*segments, name)
            if name != TAG and self._drops(inner, value, within):
                changed = True
                continue
            kept = fields[name] = self.strip(value, inner, within, depth + 1)
            changed |= kept is not value
        return fields if changed else tree

    def _drops(self, segments: tuple[str, ...], value: Any, within: str | None) -> bool:
        rules = self._rules
        if rules.has_paths and rules.ignores(segments):
            return True
        return rules.has_defaults and (
            value is None or passing(segments, value, within) is not None
        )


def _context(segments: tuple[str, ...]) -> tuple[str, ...]:
    """Return what of a place `passing` looks at for the values inside."""
    return ("arguments",) if "arguments" in segments else segments[-1:]


def passing(segments: tuple[str, ...], value: Any, within: str | None) -> str | None:
    """Return by which of our rules a value is one that passes, by what it is called and is."""
    name = segments[-1] if segments else ""
    if name in CALLBACKS or tag_of(value) == "callable":
        return "callback"
    if "arguments" in segments:
        return None
    if within == "document":
        if name in ("embedding", "sparse_embedding") and "meta" not in segments[-2:]:
            return "embedding"
        return "id" if name == "id" and is_derived_id(value) else None
    parent = segments[-2] if len(segments) > 1 else ""
    if parent in ("tool_call", "call", "origin") and name in ("id", "extra"):
        return "id"
    if within == "chat_message" and parent == "meta" and name in PASSING_META:
        return "time" if name in _TIMES else "id"
    if name == "system_fingerprint":
        return "id"
    if name in _IDS:
        return "id" if _is_made_up(value) else None
    if name in _TIMES:
        return "time" if _is_time(value) else None
    if _DURATION.fullmatch(name) and (_is_number(value) or tag_of(value) == "timedelta"):
        return "duration"
    return None


def may_pass(segments: tuple[str, ...], within: str | None) -> bool:
    """Whether a value of a place can be one that passes, other than for being a callback."""
    name = segments[-1]
    if name in CALLBACKS:
        return True
    if "arguments" in segments:
        return False
    parent = segments[-2] if len(segments) > 1 else ""
    return (
        name in _IDS
        or name in _TIMES
        or name in ("embedding", "extra", "sparse_embedding", "system_fingerprint")
        or (parent == "meta" and name in PASSING_META)
        or (within != "document" and _DURATION.fullmatch(name) is not None)
    )


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _is_made_up(value: Any) -> bool:
    if tag_of(value) == "uuid":
        return True
    return isinstance(value, str) and _MADE_UP.fullmatch(value) is not None


def _is_time(value: Any) -> bool:
    if isinstance(value, str):
        return _DATE.fullmatch(value) is not None
    if _is_number(value):
        return any(low <= value <= high for low, high in _EPOCHS)
    return tag_of(value) in ("datetime", "date", "time")


def _rounding(left: Any, right: Any) -> str | None:
    # As fingerprints count: sums of floats differ in their last digits between machines.
    if isinstance(left, float) and isinstance(right, float) and f"{left:.9g}" == f"{right:.9g}":
        return "rounding"
    return None


def _address(left: Any, right: Any) -> str | None:
    if tag_of(left) == "opaque" and tag_of(right) == "opaque":
        one, other = (
            {**each, "repr": ADDRESS.sub("0x", str(each.get("repr")))} for each in (left, right)
        )
        return "address" if one == other else None
    return None


def _segments(leaf: str) -> tuple[str, ...]:
    found = []
    for segment in _SEGMENT.findall(leaf)[:_MOST_SEGMENTS]:
        quoted = segment.startswith('["')
        found.append(re.sub(r"\\(.)", r"\1", segment[2:-2]) if quoted else segment)
    return tuple(found)


def _stands_in(pattern: tuple[str, ...], segments: tuple[str, ...]) -> bool:
    """Whether a pattern fits a stretch of the segments, wherever it begins and ends."""
    # Which parts of the pattern may come next: linear in both, whatever stands in them.
    waiting: set[int] = set()
    for segment in segments:
        waiting.add(0)
        reached: set[int] = set()
        for place in waiting:
            at = place
            while at < len(pattern) and pattern[at] == "**":
                reached.add(at)
                at += 1
            if at < len(pattern) and _fits(pattern[at], segment):
                reached.add(at + 1)
        if any(all(each == "**" for each in pattern[place:]) for place in reached):
            return True
        waiting = reached
    return False


def _fits(pattern: str, segment: str) -> bool:
    if pattern == segment:
        return True
    if pattern.startswith("["):
        return segment.startswith("[") and fnmatchcase(segment[1:-1], pattern[1:-1])
    return fnmatchcase(segment, pattern) or fnmatchcase(segment.partition("#")[0], pattern)
