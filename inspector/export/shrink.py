"""A run cut to the smallest part that still shows what somebody has chosen.

Delta debugging: all things of a kind are cut out at once, then by halves, down to single ones,
and what is left is tried: does it still replay STRICT, and does it still show what was chosen?
A cut that it does not survive is undone. That goes on, kind after kind, until not one single
thing can go any more.

What runs by itself in a replay, such as a prompt builder, makes other prompts of what is left.
So a recording that does not fit any more is replayed by the places of its calls first, which
says what each call is given now; then it has to replay STRICT as any other.
"""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING, Any, NamedTuple

from inspector.errors import InspectorError
from inspector.export.shrink_cuts import Cuts, Thing, cuts
from inspector.export.shrink_draft import Draft, draft_of, made_to_fit
from inspector.export.shrink_keep import given_to
from inspector.replay.plans import Source
from inspector.runfile.kinds import RunStatus
from inspector.runfile.load import load_run
from inspector.runfile.save import to_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from inspector.export.shrink_keep import Keep
    from inspector.replay.trials import Trial, Trials
    from inspector.runfile.model import PipelineRun

MOST_TRIES = 2_000
MOST_S = 300.0
_WHY = "cut out of the run, which shows without it what was to be kept"


class Progress(NamedTuple):
    """How far a run is cut."""

    kind: str
    tries: int
    size: int
    """Of what is left, in bytes."""


@dataclass(frozen=True, slots=True)
class Shrunk:
    """What is left of a run."""

    run: PipelineRun
    data: bytes
    """The run file."""
    size_before: int
    tries: int
    cut: Mapping[str, int]
    """How many of each kind were cut out."""
    ended: str
    """Why no more is tried: `done`, `tries`, `time` or `interrupted`."""
    places: Mapping[str, str] = field(default_factory=dict)
    """Where a thing that was to be kept now is, by its name: other paths than before only."""

    @property
    def is_smallest(self) -> bool:
        """Whether not one single thing could be cut out any more."""
        return self.ended == "done"


class _Enough(Exception):  # noqa: N818 - it is no error
    """There is no more time, or there are no more tries."""


def shrink(
    run: PipelineRun, keeps: Sequence[Keep], trials: Trials | None, *,
    most_tries: int = MOST_TRIES, most_s: float = MOST_S,
    progress: Callable[[Progress], None] = lambda _progress: None,
) -> Shrunk:  # fmt: skip
    """Cut a run to the smallest part that still shows some things.

    An interrupt from the keyboard ends it, too, with what it has come to.

    Args:
        run: The run, which is not changed.
        keeps: What is to be seen in what is left.
        trials: What replays it; None where it is to be looked at only, for findings.
        most_tries: After so many tries it ends.
        most_s: After so many seconds it ends.
        progress: Is called after each try.

    Raises:
        InspectorError: It does not replay STRICT as it is, is too large, or did not end.

    """
    if trials is not None and run.status not in (RunStatus.COMPLETED, RunStatus.FAILED):
        raise InspectorError(
            f"Only a run that came to its end is replayed, and this one is {run.status}.",
            hint="Choose a finding: it can be kept without a replay.",
        )
    try:
        return _Shrinking(run, keeps, trials, most_tries, most_s, progress).done()
    except RecursionError:
        raise InspectorError("This run is nested too deeply to be cut.") from None


class _Shrinking:
    def __init__(
        self, run: PipelineRun, keeps: Sequence[Keep], trials: Trials | None, most_tries: int,
        most_s: float, progress: Callable[[Progress], None],
    ) -> None:  # fmt: skip
        self._run, self._keeps, self._trials = run, keeps, trials
        self._most_tries, self._ends_at = most_tries, time.monotonic() + most_s
        self._progress = progress
        self._best = draft_of(run)
        self._tries = 0
        self._cut: Counter[str] = Counter()
        self._failed: set[bytes] = set()
        self._made_to_fit: set[str] = set()  # kinds that other prompts followed from
        self._given: dict[str, str] = {}  # to spans that are answered, by their ids

    def done(self) -> Shrunk:
        """Cut, and return what is left."""
        before = to_bytes(self._run)
        self._check(before)
        ended = "done"
        try:
            self._cut_all()
        except _Enough as why:
            ended = str(why)
        except KeyboardInterrupt:
            ended = "interrupted"
        return self._shrunk(before, ended)

    def _check(self, data: bytes) -> None:
        """See to it that the run, as it is, shows and replays what it has to."""
        for keep in self._keeps:
            if not keep.holds(self._run):
                raise InspectorError(f"This run does not show {keep.name}.")
        ran = set() if self._trials is None else self._that_run(self._trials, data)
        self._given = {
            keep.span: given_to(self._run, keep.span)
            for keep in self._keeps
            if keep.by_given and keep.span not in ran
        }

    def _that_run(self, trials: Trials, data: bytes) -> set[str]:
        """Return the ids of the spans that a replay runs again."""
        trial = trials.attempt(data)
        if not trial.fits:
            said = f": {trial.message}" if trial.message else "."
            raise InspectorError(
                f"This run does not replay as it was recorded{said}",
                hint=trial.hint or "run-inspector replay shows where it differs.",
            )
        again = trials.attempt(data, loosely=True).run
        paths = {
            span.path
            for span in (() if again is None else again.spans)
            if span.raw.get("source") == Source.EXECUTED
        }
        return {span.id for span in self._run.spans if span.path in paths}

    def _cut_all(self) -> None:
        kinds = cuts(on_stubs=self._trials is None or self._trials.is_stub)
        since = 0  # how many kinds were tried since something was cut
        while since < len(kinds):
            for kind in kinds:
                before = self._best
                self._cut_kind(kind)
                since = since + 1 if self._best is before else 0

    def _cut_kind(self, kind: Cuts) -> None:
        """Cut out all things of a kind that can go."""
        left = list(dict.fromkeys(kind.there(self._best)))
        size = len(left)
        while size:
            kept: list[Thing] = []
            for start in range(0, len(left), size):
                some = left[start : start + size]
                if self._goes_without(kind, some):
                    self._cut[kind.kind] += len(some)
                else:
                    kept += some
            left = kept
            size = 0 if size == 1 else min(len(left), -(-size // 2))

    def _goes_without(self, kind: Cuts, some: list[Thing]) -> bool:
        """Cut some things out, unless something that is to be kept goes with them."""
        draft = kind.without(self._best, some)
        data = draft.data()
        if len(data) >= len(self._best.data()):
            return False
        known = sha256(data).digest()
        if known in self._failed:
            return False
        if self._tries >= self._most_tries:
            raise _Enough("tries")
        if time.monotonic() > self._ends_at:
            raise _Enough("time")
        self._tries += 1
        found = self._tried(kind, draft)
        if found is None:
            self._failed.add(known)
        else:
            self._best = found.pruned()
        self._progress(Progress(kind.kind, self._tries, len(self._best.data())))
        return found is not None

    def _tried(self, kind: Cuts, draft: Draft) -> Draft | None:
        """Return the draft, made to fit where it has to be, if it does all that it has to."""
        if not self._shows(draft):
            return None
        if (trials := self._trials) is None:
            return draft
        if kind.kind not in self._made_to_fit and trials.attempt(draft.data()).fits:
            return draft
        trial = trials.attempt(draft.data(), loosely=True)
        if not trial.fits or trial.run is None:
            return None
        fitted = made_to_fit(draft, trial.run).pruned()
        if len(fitted.data()) >= len(self._best.data()) or not self._shows(fitted):
            return None
        if not trials.attempt(fitted.data()).fits:
            return None
        # What it is like with one of a kind it mostly is with the next.
        self._made_to_fit.add(kind.kind)
        return fitted

    def _shows(self, draft: Draft) -> bool:
        try:
            run = load_run(draft.data())
            return all(keep.holds(run) for keep in self._keeps) and all(
                given_to(run, span) == given for span, given in self._given.items()
            )
        except InspectorError:
            return False  # too much of it is gone to be read

    # -- the end -------------------------------------------------------------------------

    def _shrunk(self, before: bytes, ended: str) -> Shrunk:
        data = _noted(self._best, self._keeps, self._cut, len(before), ended).data()
        cut: Mapping[str, int] = dict(self._cut)
        if not cut or len(data) >= len(before):
            data, cut = before, {}
        elif self._trials is not None:
            self._confirm(self._trials, data)
        run = load_run(data)
        return Shrunk(run, data, len(before), self._tries, cut, ended, self._places(run))

    def _confirm(self, trials: Trials, data: bytes) -> None:
        """Replay what is left as somebody else will: on a target that has not replayed yet."""
        if not trials.is_stub:
            trials.end()
        trial: Trial = trials.attempt(data)
        if not trial.fits:
            raise InspectorError(
                "What is left replays only after other replays.",
                hint="The pipeline keeps something between its runs.",
            )

    def _places(self, run: PipelineRun) -> dict[str, str]:
        moved = {}
        for keep in self._keeps:
            if keep.span and run.table.row_of(keep.span) is not None:
                now = run.span(keep.span).path
                if now != self._run.span(keep.span).path:
                    moved[keep.name] = now
        return moved


def _noted(
    draft: Draft, keeps: Sequence[Keep], cut: Mapping[str, int], size: int, ended: str
) -> Draft:
    """Return a draft that says what it is and what it lacks."""
    said = {
        "kept": [keep.name for keep in keeps],
        "cut": dict(sorted(cut.items())),
        "bytes_before": size,
        "ended": ended,
    }
    header: dict[str, Any] = dict(draft.header)
    noted = header.get("not_recorded")
    what = ", ".join(sorted(cut))
    header["not_recorded"] = [
        *(noted if isinstance(noted, list) else ()),
        {"what": what, "why": _WHY},
    ]
    others = header.get("extensions")
    others = others if isinstance(others, dict) else {}
    ours = others.get("inspector")
    ours = ours if isinstance(ours, dict) else {}
    header["extensions"] = {**others, "inspector": {**ours, "shrunk": said}}
    return Draft(header, draft.spans, draft.values)
