"""What came of a replay: its report, and the replay as a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from inspector.recording.secrets import scrubber_for
from inspector.redaction.likeness import leaves_without_numbers
from inspector.redaction.salts import is_numbered
from inspector.replay.as_written import written
from inspector.replay.classes import Treatment
from inspector.replay.construction import parameter_drifts, with_reasons
from inspector.replay.mode import ReplayError, ReplayMode
from inspector.replay.redacted import redactor_of
from inspector.replay.topology import topology_drifts
from inspector.replay.whole import drift_of_whole
from inspector.replay.words import drift_of_unused
from inspector.runfile.drift import DriftReport

if TYPE_CHECKING:
    from pathlib import Path

    from inspector.recording.described import Description
    from inspector.recording.targets import Target
    from inspector.redaction.project import Redact
    from inspector.replay.extend import News
    from inspector.replay.opening import Opened
    from inspector.replay.policy import Policy
    from inspector.replay.recorded import Entry
    from inspector.replay.session import ReplaySession
    from inspector.runfile.drift import Drift
    from inspector.runfile.model import PipelineRun

_NO_ANSWERS = frozenset({Treatment.EXECUTE, Treatment.CONTAIN, Treatment.FILES})


def compare_construction(
    run: PipelineRun, description: Description, policy: Policy, redact: Redact = None
) -> tuple[Drift, ...]:
    """Return how the live target is built otherwise than the recorded one."""
    notes = [note for note in run.not_recorded if isinstance(note, dict)]
    partial = any(note.get("what") == "topology" for note in notes)
    header = description.header
    scrub = scrubber_for(description.secret_names)
    redactor = redactor_of(run, redact, description.secret_names, scrub)
    recorded, live = run.definition, written(header.get("definition"), redactor or scrub)
    before, now = run.topology, header.get("topology")
    if redactor is not None:
        now = written(now, redactor)
    if is_numbered(run.header.get("redacted")):
        recorded, live = leaves_without_numbers(recorded), leaves_without_numbers(live)
        before, now = leaves_without_numbers(before), leaves_without_numbers(now)
    return (
        *topology_drifts(before, now, partial=partial),
        *parameter_drifts(recorded, live, policy),
    )


class Outcome:
    """One replay and what is to be told of it."""

    def __init__(self, session: ReplaySession, target: Target, file: Path | None) -> None:
        self._session = session
        self._target = target
        self._file = file
        self._report: DriftReport | None = None
        self._news: News | None = None
        self.opened: Opened | None = None
        self.extended: PipelineRun | None = None  # the recording, with what is new
        session.tell = lambda: (self.report(), self.run())

    def ended(self) -> None:
        """Look at the whole when the target has returned.

        Raises:
            ReplayDriftError: A drift was found, and the replay is STRICT.
            ReplayError: Something was to be different that never happened.

        """
        self._look_at_the_whole(ended_as_recorded=self._session.run.error is None)
        if self._session.failure is not None:
            raise self._session.failure
        overrides = self._session.terms.overrides
        word = None if overrides is None else overrides.unmet(self._session.twins.met)
        if word is not None:
            raise ReplayError(
                f"No call of this replay goes by {word!r}, so nothing was different there.",
                hint="Calls go by their paths, such as llm#1, or by their names.",
            )

    def ended_by(self, error: BaseException) -> BaseException:
        """Look at the whole when the target has raised, and return what is to be raised."""
        cause: BaseException | None = error
        while cause is not None:
            if isinstance(cause, ReplayError):
                return cause  # the caller asked for what cannot be, and Haystack wrapped it
            cause = cause.__cause__
        self._look_at_the_whole(ended_as_recorded=self._session.run.error is not None)
        return self._session.failure or error

    def _look_at_the_whole(self, *, ended_as_recorded: bool) -> None:
        session = self._session
        ledger = session.ledger
        if session.failure is not None:
            return
        if ended_as_recorded:
            for entry in session.cassette.unused(self._counts):
                ledger.drifts.append(drift_of_unused(entry))
            if (drift := self._of_whole()) is not None:
                ledger.drifts.append(drift)
        if session.terms.mode is ReplayMode.STRICT:
            stops = [drift for drift in ledger.drifts if drift.counts]
            if stops:
                session.fail(stops[0].message)
        elif session.terms.mode is ReplayMode.RECORD_NEW:
            self._extend()

    def _of_whole(self) -> Drift | None:
        """Compare the result, unless it is another one for a reason that is known."""
        session = self._session
        root = None if self.opened is None else self.opened.root
        if root is None or session.terms.overrides is not None or session.terms.gate is not None:
            return None
        if any(drift.counts for drift in session.ledger.drifts):
            return None
        if session.ledger.live_calls or session.cassette.follows_additions:
            return None
        return drift_of_whole(session, root)

    def _extend(self) -> None:
        assert self._file is not None, "RECORD_NEW was refused without a file"
        if self._session.terms.add_new:
            self.add_new()

    def news(self) -> News:
        """Return what there is to add to the file, or what was added."""
        from inspector.replay.extend import news

        if self._news is not None:
            return self._news
        if self._file is None:
            raise ReplayError(
                "This recording is in no file that could be extended.",
                hint="Save it first, and replay the file.",
            )
        return news(self._file, self.run(), self._session.policy)

    def add_new(self) -> PipelineRun:
        """Add what is new to the file, and return that anew."""
        from inspector.replay.extend import extend

        self._news = self.news()
        assert self._file is not None, "there would have been no news"
        self.extended = extend(self._file, self.run(), self._session.policy)
        return self.extended

    def _counts(self, entry: Entry) -> bool:
        """Say whether a recorded call is one that would be answered."""
        if entry.parent is None and entry.kind in ("pipeline", "agent"):
            return False
        live_from = self._session.live_from
        if live_from is not None and live_from.covers(entry):
            return False  # nobody was to ask for it
        if entry.kind in ("pipeline", "agent", "step") or not entry.has_answer:
            return False
        ruling = self._session.policy.of_recorded(
            entry.kind, entry.operation, entry.type, entry.path, entry.name
        )
        return ruling.treatment not in _NO_ANSWERS

    def report(self) -> DriftReport:
        """Return what the replay found."""
        if self._report is None:
            ledger = self._session.ledger
            self._report = DriftReport(
                drifts=with_reasons(ledger.drifts), live_calls=ledger.live_calls,
                answered=ledger.answered, executed=ledger.executed, verified=ledger.verified,
                not_verified=tuple(ledger.not_verified),
            )  # fmt: skip
        return self._report

    def run(self) -> PipelineRun:
        """Return the replay as a run that knows what it replays."""
        assert self.opened is not None
        more: dict[str, Any] = {
            "replay_of": self._session.run.id,
            "findings": [{"kind": "replay", "report": self.report().to_dict()}],
        }
        writer = self.opened.writer
        if (twins := self._session.twins.made) and "definition" in writer.header:
            from inspector.replay.set_up import with_twins

            more["definition"] = with_twins(writer.header["definition"], twins)
        return writer.run(more)
