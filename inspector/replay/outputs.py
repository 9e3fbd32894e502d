"""What live, pure components made, held against what was recorded of them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from inspector.diff.leaves import first_difference
from inspector.redaction.likeness import leaves_without_numbers
from inspector.replay.as_written import as_written
from inspector.replay.redacted import agrees
from inspector.replay.trees import built
from inspector.replay.words import drift_of_executed_input, drift_of_output

if TYPE_CHECKING:
    from inspector.recording.session import LiveSpan
    from inspector.replay.recorded import Entry
    from inspector.replay.session import ReplaySession


def compare_executed(session: ReplaySession, path: str, live: LiveSpan) -> None:
    """Note where the outputs of an executed call differ, or what it was given does.

    Several takes may stand at one place; that the call is one of them is enough.
    """
    takes = [e for e in session.cassette.calls.by_path.get(path, ()) if e.kind == live.kind]
    session.cassette.use_place(path)
    if live.status == "canceled":
        return  # whoever reads a stream has gone away, and nobody knows what it would have made
    asked = session.asked(live)
    given = session.print_of(asked)
    same = [entry for entry in takes if entry.fingerprint == given]
    if not same:
        asked = as_written(session, asked)
        given = session.print_of(asked)
        same = [entry for entry in takes if entry.fingerprint == given]
    if session.numbered:
        asked = as_written(session, asked)
        same = [entry for entry in same if agrees(session, asked, entry.whole)]
    if not same:
        for entry in takes[-1:]:
            found = first_difference(entry.asked, asked, session.lookup)
            drift = drift_of_executed_input(live, entry, found.leaf, found.recorded, found.live)
            session.drift(drift, stop=False)
        return
    if live.status != "ok":
        _compare_errors(session, live, same)
        return
    outputs = live.fields.get("outputs")
    nearest = same[-1]
    if nearest.status != "ok":
        _note(session, live, nearest, "error", _message(nearest.raw.get("error")), None)
        return
    if outputs is None or all(entry.output_fingerprint is None for entry in same):
        return  # such as a hook, which gives nothing back
    made = session.print_of(outputs)
    if not session.numbered and any(entry.output_fingerprint == made for entry in same):
        return
    outputs = as_written(session, outputs)
    made = session.print_of(outputs)
    if any(entry.output_fingerprint == made and _agree(session, outputs, entry) for entry in same):
        return
    found = first_difference(nearest.raw.get("outputs"), outputs, session.lookup)
    _note(session, live, nearest, found.leaf, found.recorded, found.live)


def _compare_errors(session: ReplaySession, live: LiveSpan, same: list[Entry]) -> None:
    now = _message(as_written(session, built(live.fields.get("error"))))
    then: list[Any] = [
        _message(session.cassette.calls.followed(each.raw.get("error"))) for each in same
    ]
    if session.numbered:
        now, *then = map(leaves_without_numbers, (now, *then))
    # After a refusal, how a call fails says nothing of the call.
    if now not in then and (session.failure is None or then[-1] is None):
        _note(session, live, same[-1], "error", then[-1], now)


def _agree(session: ReplaySession, outputs: Any, entry: Entry) -> bool:
    """Whether the secrets in what was made are those of the recording."""
    if not session.numbered:
        return True
    return agrees(session, outputs, session.run.resolve(entry.raw.get("outputs")))


def _note(
    session: ReplaySession, live: LiveSpan, entry: Entry, leaf: str | None, was: Any, now: Any
) -> None:
    session.drift(drift_of_output(live, entry, leaf, was, now), stop=False)


def _message(error: Any) -> str | None:
    """Return what an error says, without the addresses in it."""
    return _ADDRESS.sub("0x", str(error.get("message"))) if isinstance(error, dict) else None


_ADDRESS = re.compile(r"\b0x[0-9a-fA-F]{4,}")
