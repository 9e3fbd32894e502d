"""Drifts, worked out and put into words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from inspector.diff.leaves import Difference, first_difference
from inspector.replay.candidates import difference_words, nearest, request_words
from inspector.replay.classes import Treatment
from inspector.runfile.drift import Drift, DriftKind, Grade
from inspector.runfile.value import tag_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from inspector.recording.session import LiveSpan
    from inspector.replay.cassette import Miss
    from inspector.replay.policy import Ruling
    from inspector.replay.recorded import Entry
    from inspector.replay.session import ReplaySession

_MOST_CANDIDATES = 50


def drift_of_match(live: LiveSpan, entry: Entry) -> Drift:
    """Say that a call was answered by one that stands elsewhere."""
    return Drift(
        kind=DriftKind.ORDER, path=live.path, visit=live.visit, grade=Grade.MINOR,
        recorded=entry.path, live=live.path, candidate=entry.path,
        message=f"{live.path} asks what {entry.path} asked when it was recorded",
    )  # fmt: skip


def drift_of_miss(
    session: ReplaySession, live: LiveSpan, ruling: Ruling, miss: Miss, why: str = ""
) -> Drift:
    """Say what a call has no recorded answer to, and what comes nearest."""
    where = live.path or live.name
    if why:
        return _missing(
            live, miss.candidate, f"{where} cannot be answered from the recording: {why}"
        )
    if miss.again:
        times = session.cassette.times_asked(session.print_of(session.asked(live)), live.name)
        words = f"{where} is asked again: {request_words(times, times + 1)}"
        return _missing(live, miss.candidate, words)
    if miss.kind == "input" and miss.candidate is not None:
        return _input(session, live, miss.candidate, where)
    words = f"{where} was not recorded"
    candidate = miss.candidate
    asked = session.asked(live)
    family = session.cassette.family_of(candidate)[:_MOST_CANDIDATES] if candidate else []
    near = nearest(asked, ((each.path, each.asked) for each in family), session.lookup)
    if near is not None:
        words += f"; the nearest recorded call: {difference_words(near)}"
    if ruling.treatment is Treatment.UNKNOWN:
        words += f". What {live.type or live.name} does is not known, so it is not run"
    return _missing(live, candidate, words, None if near is None else near.path)


def _missing(live: LiveSpan, candidate: Entry | None, words: str, path: str | None = None) -> Drift:
    if path is None and candidate is not None:
        path = candidate.path
    return Drift(
        kind=DriftKind.MISSING, path=live.path, visit=live.visit, grade=Grade.MAJOR,
        candidate=path, message=words,
    )  # fmt: skip


def _input(session: ReplaySession, live: LiveSpan, candidate: Entry, where: str) -> Drift:
    found = first_difference(candidate.asked, session.asked(live), session.lookup)
    return Drift(
        kind=DriftKind.INPUT, path=live.path, visit=live.visit, grade=Grade.MAJOR,
        leaf=found.leaf, recorded=found.recorded, live=found.live, candidate=candidate.path,
        message=f"{where} is given something else than was recorded{_first(found)}",
    )  # fmt: skip


_NOT_WHOLE = frozenset({"missing", "opaque", "redacted", "truncated", "unreadable"})


def _first(found: Difference) -> str:
    """Say where two values differ first, and whether anybody can know that they do."""
    if not found.leaf:
        return ""
    if tag_of(found.recorded) in _NOT_WHOLE:
        return (
            f", as far as can be told: {found.leaf} was not kept whole when it was recorded, "
            "so it cannot be compared"
        )
    return f", first at {found.leaf}"


def drift_of_parameters(live: LiveSpan, parameters: Mapping[str, Any]) -> Drift:
    """Say that a component was made otherwise, so that its recorded answer does not count."""
    name = next(iter(parameters))
    return Drift(
        kind=DriftKind.INPUT, path=live.path, visit=live.visit, grade=Grade.MAJOR,
        leaf=f"init_parameters.{name}", live=str(parameters[name])[:500], candidate=live.path,
        message=f"{live.path} is made with another {name}, so its recorded answer does not count",
    )  # fmt: skip


def drift_of_attempt(what: str, where: str) -> Drift:
    """Say that something tried to leave the process, and where in the code."""
    return Drift(
        kind=DriftKind.BLOCKED, path="", visit=1, grade=Grade.MAJOR, live=what,
        message=f"something tried to reach {what}", details={"stack": where},
    )  # fmt: skip


def drift_of_stray(name: str, why: str) -> Drift:
    """Say that a call was refused of which nobody knows where it belongs."""
    return Drift(
        kind=DriftKind.MISSING, path="", visit=1, grade=Grade.MAJOR, live=name, message=why
    )


def drift_of_unused(entry: Entry) -> Drift:
    """Say that nobody asked for a recorded answer."""
    return Drift(
        kind=DriftKind.UNUSED, path=entry.path, visit=entry.visit, grade=Grade.MINOR,
        candidate=entry.path, message=f"nothing asked for the recorded answer of {entry.path}",
    )  # fmt: skip


def drift_of_output(live: LiveSpan, entry: Entry, leaf: str | None, was: Any, now: Any) -> Drift:
    """Say that what runs live made something else of the same inputs."""
    return Drift(
        kind=DriftKind.OUTPUT, path=live.path, visit=live.visit, grade=Grade.MAJOR, leaf=leaf,
        recorded=was, live=now, candidate=entry.path,
        message=f"{live.path} makes something else of the same inputs"
        f"{_first(Difference(leaf, was, now))}",
    )  # fmt: skip


def drift_of_executed_input(
    live: LiveSpan, entry: Entry, leaf: str | None, was: Any, now: Any
) -> Drift:
    """Say that what runs live is given something else."""
    return Drift(
        kind=DriftKind.INPUT, path=live.path, visit=live.visit, grade=Grade.MINOR, leaf=leaf,
        recorded=was, live=now, candidate=entry.path,
        message=f"{live.path} is given something else than was recorded"
        f"{_first(Difference(leaf, was, now))}",
    )  # fmt: skip


def note_not_verified(live: LiveSpan, why: str) -> Drift:
    """Say that recorded documents were served unseen. No difference, but no certainty."""
    return Drift(
        kind=DriftKind.NOT_VERIFIED, path=live.path, visit=live.visit, grade=Grade.NOTE,
        message=f"the recorded result was served, since {why}",
    )  # fmt: skip
