"""What a replay found: where the live pipeline is not the recorded one any more.

A report is part of the replay's run file, so it is made of JSON, and of bounded size.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from enum import StrEnum
from typing import Any

from inspector.runfile.value import TAG

REPORT_VERSION = 1

_LONGEST_TEXT = 4_000
_BEFORE = 300  # characters of a long text that are kept in front of where it differs
_MOST_ITEMS = 50
_DEEPEST = 8
_MOST_DRIFTS = 10_000
_MOST_PATHS = 10_000


class DriftKind(StrEnum):
    """What differs."""

    INPUT = "input"  # a call is given something else
    OUTPUT = "output"  # what runs live makes something else of the same inputs
    RETRIEVAL = "retrieval"  # a store finds something else for the same question
    TOPOLOGY = "topology"  # the pipeline is built in another way
    MISSING = "missing"  # a call that was never recorded
    UNUSED = "unused"  # a recorded answer that nobody asked for
    ORDER = "order"  # a call that was recorded at another place
    NOT_VERIFIED = "retrieval not verified"
    BLOCKED = "blocked network attempt"


class Grade(StrEnum):
    """How much it matters."""

    MAJOR = "major"
    MINOR = "minor"
    NOTE = "note"  # said, but no difference


@dataclass(frozen=True, slots=True)
class Drift:
    """One difference between a recording and its replay."""

    kind: str
    path: str
    visit: int
    grade: str
    leaf: str | None = None
    """Where in the value it differs, such as `messages[0].content[0].text`."""
    recorded: Any = None
    live: Any = None
    """The value at the leaf, then and now; None where there is none."""
    candidate: str | None = None
    """The path of the recorded call that comes nearest."""
    message: str = ""
    details: Mapping[str, Any] | None = None
    """What else differs, for kinds that have more than one leaf to tell of."""

    @property
    def counts(self) -> bool:
        """Whether it makes the replay another one than the recording."""
        return self.grade != Grade.NOTE

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON; what was not said is absent."""
        found: dict[str, Any] = {"kind": str(self.kind), "path": self.path, "visit": self.visit}
        found["grade"] = str(self.grade)
        recorded, live = bounded_pair(self.recorded, self.live)
        said = {
            "leaf": self.leaf, "recorded": recorded, "live": live,
            "candidate": self.candidate, "message": self.message or None,
            "details": None if self.details is None else bounded(self.details),
        }  # fmt: skip
        found.update((name, value) for name, value in said.items() if value is not None)
        return found

    @classmethod
    def from_dict(cls, found: Mapping[str, Any]) -> Drift:
        """Read one from JSON; fields of a wrong type are as good as absent."""
        visit = found.get("visit")
        details = found.get("details")
        return cls(
            kind=_text(found.get("kind")) or "",
            path=_text(found.get("path")) or "",
            visit=visit if isinstance(visit, int) and not isinstance(visit, bool) else 1,
            grade=_text(found.get("grade")) or Grade.MAJOR,
            leaf=_text(found.get("leaf")),
            recorded=found.get("recorded"),
            live=found.get("live"),
            candidate=_text(found.get("candidate")),
            message=_text(found.get("message")) or "",
            details=details if isinstance(details, Mapping) else None,
        )

    def __str__(self) -> str:
        """Return it in one line."""
        where = f" at {self.path}" if self.path else ""
        return f"{self.kind}{where}: {self.message}" if self.message else f"{self.kind}{where}"


@dataclass(frozen=True, slots=True)
class DriftReport:
    """Everything that one replay found, and what it could not look at."""

    drifts: tuple[Drift, ...] = ()
    live_calls: int = 0
    answered: int = 0
    executed: int = 0
    verified: int = 0
    not_verified: tuple[str, ...] = ()
    """The paths of calls whose recorded documents were served without a look at the store."""

    @property
    def same(self) -> bool:
        """Whether the replay is the recording over again, as far as was looked at."""
        return not any(drift.counts for drift in self.drifts)

    def of_kind(self, kind: str) -> tuple[Drift, ...]:
        """Return the drifts of one kind."""
        return tuple(drift for drift in self.drifts if drift.kind == kind)

    def to_dict(self) -> dict[str, Any]:
        """Return the report as JSON of bounded size."""
        found: dict[str, Any] = {"version": REPORT_VERSION, "same": self.same}
        found.update((name, getattr(self, name)) for name in _COUNTS)
        found["not_verified"] = list(self.not_verified[:_MOST_PATHS])
        found["drifts"] = [drift.to_dict() for drift in self.drifts[:_MOST_DRIFTS]]
        if len(self.drifts) > _MOST_DRIFTS:
            found["drifts_left_out"] = len(self.drifts) - _MOST_DRIFTS
        return found

    @classmethod
    def from_dict(cls, found: Mapping[str, Any]) -> DriftReport:
        """Read a report from JSON, whoever wrote it."""
        drifts = found.get("drifts")
        paths = found.get("not_verified")
        counts = {name: found.get(name) for name in _COUNTS}
        return cls(
            drifts=tuple(
                Drift.from_dict(each)
                for each in (drifts if isinstance(drifts, list) else ())
                if isinstance(each, Mapping)
            ),
            not_verified=tuple(
                path for path in (paths if isinstance(paths, list) else ()) if isinstance(path, str)
            ),
            **{
                name: count
                for name, count in counts.items()
                if isinstance(count, int) and not isinstance(count, bool)
            },
        )

    def __str__(self) -> str:
        """Return the report as text, a line a drift."""
        ending = "same" if self.same else "drift"
        counts = (
            f"{self.answered} answered, {self.executed} executed, {self.verified} verified,"
            f" {self.live_calls} live"
        )
        lines = [f"Replay: {ending} ({counts})"]
        lines += [f"- {drift.grade}: {drift}" for drift in self.drifts]
        lines += [f"- {DriftKind.NOT_VERIFIED}: {path}" for path in self.not_verified]
        return "\n".join(lines)


_COUNTS = tuple(
    each.name for each in fields(DriftReport) if each.name not in ("drifts", "not_verified")
)


def bounded(tree: Any, depth: int = 0) -> Any:
    """Return a value tree that fits into a report: long texts, lists and depths are cut."""
    if isinstance(tree, str):
        return _cut(tree, 0)
    if isinstance(tree, Mapping):
        if depth >= _DEEPEST:
            return _left_out("dict", len(tree))
        kept = {
            str(key): bounded(value, depth + 1)
            for key, value in list(tree.items())[:_MOST_ITEMS]
        }  # fmt: skip
        if len(tree) > _MOST_ITEMS:
            kept["…"] = _left_out("dict", len(tree) - _MOST_ITEMS)
        return kept
    if isinstance(tree, (list, tuple)):
        if depth >= _DEEPEST:
            return _left_out("list", len(tree))
        items = [bounded(item, depth + 1) for item in tree[:_MOST_ITEMS]]
        if len(tree) > _MOST_ITEMS:
            items.append(_left_out("list", len(tree) - _MOST_ITEMS))
        return items
    if tree is None or isinstance(tree, (bool, int, float)):
        return tree
    return _cut(repr(tree), 0)


def bounded_pair(recorded: Any, live: Any) -> tuple[Any, Any]:
    """Return two values bounded alike; of long texts the part is kept where they differ."""
    if isinstance(recorded, str) and isinstance(live, str):
        start = max(0, first_difference_in_text(recorded, live) - _BEFORE)
        if max(len(recorded), len(live)) <= _LONGEST_TEXT:
            start = 0
        return _cut(recorded, start), _cut(live, start)
    return bounded(recorded), bounded(live)


def first_difference_in_text(one: str, other: str) -> int:
    """Return how many characters two texts have in common from their start."""
    low, high = 0, min(len(one), len(other))
    # Comparing slices is a memory comparison; a loop over characters would be felt.
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _cut(text: str, start: int) -> str:
    end = start + _LONGEST_TEXT
    if start == 0 and len(text) <= end:
        return text
    return ("…" if start else "") + text[start:end] + ("…" if end < len(text) else "")


def _left_out(kind: str, size: int) -> dict[str, Any]:
    return {TAG: "truncated", "type": kind, "size": size, "why": "left out of the report"}


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None
