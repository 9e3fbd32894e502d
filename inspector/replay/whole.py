"""What a replay gave back as a whole, held against what the run gave back.

Answers are given to calls that asked the same, and what runs by itself is compared. What
hands its work to others (an agent, a ranker round an LLM, a pipeline in a pipeline) shows
here whether it still makes the same of their answers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from inspector.diff.leaves import Difference, differences
from inspector.replay.as_written import as_written
from inspector.replay.memory import Again
from inspector.replay.trees import built, is_same
from inspector.runfile.drift import Drift, DriftKind, Grade
from inspector.runfile.value import tag_of

if TYPE_CHECKING:
    from inspector.recording.session import LiveSpan
    from inspector.replay.recorded import Entry
    from inspector.replay.session import ReplaySession

_MOST = 50
# What stands for a value that was not kept: nothing can be said of it.
_NOT_KEPT = frozenset(
    {"callable", "missing", "opaque", "redacted", "truncated", "type", "unreadable"}
)


def drift_of_whole(session: ReplaySession, root: LiveSpan) -> Drift | None:
    """Return where the result differs from the recorded one, and what made it different."""
    entry = next(iter(session.cassette.calls.entries), None)
    if entry is None or entry.parent is not None or entry.status != "ok":
        return None
    found = _difference(session, entry, root, in_common=entry.kind == "pipeline")
    if found is None:
        return None
    # The first one to end is the innermost, and the rest follows from it.
    for live in sorted(session.contained, key=lambda each: each.end_ns or 0):
        for entry in session.cassette.calls.by_path.get(session.place(live), ())[:1]:
            inner = _difference(session, entry, live, in_common=entry.kind == "pipeline")
            if inner is not None:
                return _drift(live.path, live.visit, inner, entry.path)
    return _drift("", 1, found, "")


def _difference(
    session: ReplaySession, entry: Entry, live: LiveSpan, *, in_common: bool
) -> Difference | None:
    recorded, made = entry.raw.get("outputs"), live.fields.get("outputs")
    if recorded is None or made is None or live.status != "ok" or entry.status != "ok":
        return None
    # That of a known value is known, too.
    if type(made) is not Again and is_same(made, recorded):
        return None
    if session.print_of(made) == entry.output_fingerprint:
        return None
    made = as_written(session, made)
    if session.print_of(made) == entry.output_fingerprint:
        return None
    if in_common:
        recorded, made = _in_common(session, recorded, made)
    for found in differences(recorded, made, session.lookup, most=_MOST):
        if tag_of(found.recorded) not in _NOT_KEPT and tag_of(found.live) not in _NOT_KEPT:
            return found
    return None


def _in_common(session: ReplaySession, recorded: Any, made: Any) -> tuple[Any, Any]:
    """Return the outputs that both have: whose to include is said anew with each run."""
    recorded, made = session.cassette.calls.followed(recorded), built(made)
    if not isinstance(recorded, dict) or not isinstance(made, dict):
        return recorded, made
    before: dict[str, Any] = {}
    after: dict[str, Any] = {}
    for name in recorded.keys() & made.keys():
        one, other = session.cassette.calls.followed(recorded[name]), built(made[name])
        if isinstance(one, dict) and isinstance(other, dict) and tag_of(one) is None:
            before[name] = {key: one[key] for key in one if key in other}
            after[name] = {key: other[key] for key in other if key in one}
        else:
            before[name], after[name] = one, other
    return before, after


def _drift(path: str, visit: int, found: Difference, candidate: str) -> Drift:
    what = path or "the run as a whole"
    return Drift(
        kind=DriftKind.OUTPUT, path=path, visit=visit, grade=Grade.MAJOR, leaf=found.leaf,
        recorded=found.recorded, live=found.live, candidate=candidate or None,
        message=f"{what} gives back something else than was recorded, first at {found.leaf}",
    )  # fmt: skip
