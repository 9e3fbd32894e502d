"""Replaying up to one call, and running live from there on.

What stands before it in the recording is answered, or the replay fails: nobody is asked a
moment earlier than was said, and at another price. From it on, what would be answered runs
live, as far as the budget and the rules allow it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.replay.classes import RUNS, Treatment
from inspector.replay.manifest import row_at
from inspector.replay.plans import Plan, Source

if TYPE_CHECKING:
    from inspector.recording.session import LiveSpan
    from inspector.replay.classes import Ruling
    from inspector.replay.recorded import Entry
    from inspector.replay.session import ReplaySession
    from inspector.runfile.model import PipelineRun

_MAY_BE_ASKED = frozenset({Treatment.ANSWER, Treatment.UNKNOWN})


class LiveFrom:
    """Where in one replay things begin to run live. Any thread may ask."""

    def __init__(self, run: PipelineRun, path: str) -> None:
        """Find the recorded call.

        Raises:
            ReplayError: There is none.

        """
        self._row = row_at(run, path)
        self.path = run.spans[self._row].path or path
        self.reached = False

    def covers(self, entry: Entry) -> bool:
        """Say whether a recorded call stands where things run live."""
        return entry.row >= self._row

    def plan(self, session: ReplaySession, live: LiveSpan, ruling: Ruling) -> Plan | None:
        """Return the plan of a call that runs live, or None for one that goes its usual way."""
        place = session.place(live)
        takes = session.cassette.calls.by_path.get(place, ())
        # A call of a place that was not recorded comes after everything that was.
        covered = self.covers(takes[0]) if takes else self.reached
        if not covered:
            return None
        self.reached = True
        treatment = ruling.treatment
        if treatment in RUNS or live.kind == "hook":
            return None
        if treatment is Treatment.VERIFY and not session.terms.verify_retrieval:
            return None
        if treatment not in (*_MAY_BE_ASKED, Treatment.VERIFY):
            return None
        if (refusal := session.ledger.spend(ruling)) is not None:
            name = live.path or live.name
            raise session.fail(f"{name} would run live. {refusal}", session.ledger.hint(ruling))
        session.cassette.pass_by(place)
        live.fields["source"] = Source.LIVE
        return Plan(Source.LIVE, then=session.ledger.note_price)

    def refusal(self) -> str | None:
        """Say why a call without an answer may not run live yet, if it may not."""
        if self.reached:
            return None
        return f"Live calls begin at {self.path} in this replay, and this is before it."
