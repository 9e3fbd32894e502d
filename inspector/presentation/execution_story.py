"""What became of a durable execution over time: as far as anybody saw it, and no further.

A server tells where an execution stands now, never where it was. So its story is put together
from every look that was had of it. Between two looks that do not follow each other (their
`sequence` leaves some out) nobody knows, and the story says so.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Literal, NamedTuple

from inspector.hayhooks.client.model import Execution, ExecutionStatus
from inspector.presentation.visible import one_line

State = Literal["queued", "running", "waiting", "unknown"]
MomentKind = Literal[
    "submitted", "began", "interrupted", "resumed", "waits", "cancel", "progress",
    "completed", "failed", "canceled",
]  # fmt: skip

UNNUMBERED = 0
"""The sequence of a look that was kept without it."""

_FIRST = 1  # the sequence of what was just submitted
_BLINK_NS = 2_500_000_000  # less than that between two looks is not worth a doubt
_ENDS: dict[ExecutionStatus, MomentKind] = {
    ExecutionStatus.COMPLETED: "completed",
    ExecutionStatus.FAILED: "failed",
    ExecutionStatus.CANCELED: "canceled",
}


class Sighting(NamedTuple):
    """One look at an execution: where it stood from `at_ns` on, and was seen to until `until_ns`.

    `sequence` counts the changes.
    """

    at_ns: int
    until_ns: int
    sequence: int
    status: ExecutionStatus
    attempt: int
    is_retry: bool = False  # it was put back to be tried again later


class Stretch(NamedTuple):
    """A time in which an execution was in one state; `unknown` is what nobody saw."""

    start_ns: int
    end_ns: int
    state: State
    attempt: int  # the lane; 0 is the time before the first
    words: str


class Moment(NamedTuple):
    """Something that happened at one time."""

    at_ns: int
    kind: MomentKind
    attempt: int
    words: str


class Story(NamedTuple):
    """Stretches and moments in the order of time, between two times."""

    stretches: tuple[Stretch, ...]
    moments: tuple[Moment, ...]
    begin_ns: int
    end_ns: int

    @property
    def attempts(self) -> int:
        """How many attempts there were, seen or not."""
        drawn = [stretch.attempt for stretch in self.stretches]
        return max([*drawn, *(moment.attempt for moment in self.moments)], default=0)


def sighting(execution: Execution, seen_at_ns: int = 0) -> Sighting:
    """Return what one look at an execution tells."""
    row = execution.row
    at, later = row.updated_at_ns, row.available_at_ns
    is_retry = later is not None and later > at
    return Sighting(at, max(at, seen_at_ns), execution.sequence, row.status, row.attempt, is_retry)


def story(
    execution: Execution,
    sightings: Iterable[Sighting],
    signs: Mapping[int, tuple[int, int]],
    *,
    now_ns: int,
    is_stale: bool = False,
) -> Story:
    """Tell what is known of an execution.

    Args:
        execution: Its newest state.
        sightings: Every look there was, in any order.
        signs: By attempt, when its first and its last chunk came here.
        now_ns: The time up to which one that goes on is drawn.
        is_stale: Whether nobody could look lately: then nothing is known since the last look.

    """
    row = execution.row
    looks = _in_order([*sightings, sighting(execution)])
    created = row.created_at_ns or looks[0].at_ns
    if looks[0].sequence != _FIRST:
        looks = [Sighting(created, created, _FIRST, ExecutionStatus.QUEUED, 0), *looks]
    teller = _Teller(signs)
    for before, after in pairwise(looks):
        teller.tell(before, after)
    last = looks[-1]
    end = last.at_ns if last.status.is_over else max(now_ns, last.at_ns)
    if not last.status.is_over:
        teller.tell_the_present(last, end, is_stale=is_stale)
    moments = [Moment(created, "submitted", 0, "submitted"), *teller.moments]
    if execution.cancellation_requested_at_ns:
        at = execution.cancellation_requested_at_ns
        moments.append(Moment(at, "cancel", row.attempt, "cancel asked for"))
    stretches = _joined(teller.stretches)
    for each in execution.progress:
        words = one_line(each.message or each.kind)
        moments.append(Moment(each.at_ns, "progress", _attempt_at(stretches, each.at_ns), words))
    moments.sort(key=lambda moment: moment.at_ns)
    return Story(stretches, tuple(moments), created, max(end, created + 1))


def _attempt_at(stretches: Sequence[Stretch], at_ns: int) -> int:
    """Return in which attempt something was reported: the server does not say."""
    begun = [one for one in stretches if one.start_ns <= at_ns and one.attempt]
    running = [one for one in begun if one.state == "running"]
    return max((one.attempt for one in running or begun), default=1)


def _in_order(looks: Sequence[Sighting]) -> list[Sighting]:
    """Return each state once, until when it was last seen, in the order of its changes."""
    kept: dict[tuple[int, ExecutionStatus, int, int], Sighting] = {}
    for look in looks:
        unnumbered = look.at_ns if look.sequence == UNNUMBERED else 0
        key = (look.sequence, look.status, look.attempt, unnumbered)
        known = kept.get(key)
        if known is None or look.until_ns > known.until_ns:
            kept[key] = look
    last = max(kept.values(), key=lambda look: look.sequence)
    # Looks without a number were had before the last one, whatever our clock says of them.
    before = [look for look in kept.values() if look is not last and look.at_ns <= last.at_ns]
    return [*sorted(before, key=lambda look: (look.at_ns, look.attempt, look.sequence)), last]


class _Teller:
    """Tells what lies between two looks, one pair after the other."""

    def __init__(self, signs: Mapping[int, tuple[int, int]]) -> None:
        self._signs = signs
        self.stretches: list[Stretch] = []
        self.moments: list[Moment] = []

    def tell(self, before: Sighting, after: Sighting) -> None:
        """Tell of the time from one look to the next."""
        start, end = before.at_ns, max(before.at_ns, after.at_ns)
        state, known = _state_of(before), self._known_until(before, end)
        if self._is_interrupted(before, after):
            self._interrupt(before, after, end)
        elif after.attempt == before.attempt or self._follows(before, after, known, end):
            self._put(start, end, state, before.attempt)
        else:
            self._put(start, known, state, before.attempt)
            self._begin_unseen(after, known, end)
        for number in range(before.attempt + 1, after.attempt):
            self._tell_of_missed(number, start, end)
        self._arrive(before, after, end)

    def _interrupt(self, before: Sighting, after: Sighting, end: int) -> None:
        """Tell of an attempt that ended without an end, and of the one that came after it."""
        number, following = before.attempt, after.attempt
        # That a server says running, long after its worker died, is no sign of life.
        known = self._known_until(before._replace(until_ns=0), end)
        first = end
        if following > number:
            first = min(max(known, self._signs.get(following, (end, end))[0]), end)
        if before.is_retry or first - known <= _BLINK_NS:
            known = first
        self._put(before.at_ns, known, "running", number)
        words = f"attempt {number}: nobody saw when it ended"
        self._put(known, first, "unknown", number, words)
        if following > number and after.status is not ExecutionStatus.RUNNING and first == end:
            words = f"nobody saw attempt {following}"
            self._put(before.at_ns, end, "unknown", following, words)
        self._put(first, end, "running", following)
        said = "put back, to be tried again" if after.is_retry else "lease lost, or retried"
        self.moments.append(Moment(known, "interrupted", number, f"attempt {number}: {said}"))

    def tell_the_present(self, last: Sighting, end: int, *, is_stale: bool) -> None:
        """Tell of the time since the last look."""
        known = self._known_until(last, end) if is_stale else end
        self._put(last.at_ns, known, _state_of(last), last.attempt)
        words = "not seen since: the server is away"
        self._put(known, end, "unknown", last.attempt, words)

    def _known_until(self, look: Sighting, end: int) -> int:
        sign = self._signs.get(look.attempt, (0, 0))[1]
        if look.status is not ExecutionStatus.RUNNING:
            sign = 0
        return min(max(look.at_ns, look.until_ns, sign), end)

    @staticmethod
    def _is_interrupted(before: Sighting, after: Sighting) -> bool:
        if before.status is not ExecutionStatus.RUNNING:
            return False
        return after.attempt > before.attempt or after.status is ExecutionStatus.QUEUED

    def _follows(self, before: Sighting, after: Sighting, known: int, end: int) -> bool:
        """Say whether nothing happened between two looks, or so little that it has no length."""
        if after.attempt > before.attempt + 1:
            return False
        was_watched = before.until_ns > before.at_ns
        return after.sequence == before.sequence + 1 or (was_watched and end - known <= _BLINK_NS)

    def _begin_unseen(self, after: Sighting, known: int, end: int) -> None:
        """Tell of an attempt that began while nobody looked."""
        first = min(max(known, self._signs.get(after.attempt, (end, end))[0]), end)
        words = f"nobody saw when attempt {after.attempt} began"
        self._put(known, first, "unknown", after.attempt, words)
        self._put(first, end, "running", after.attempt)

    def _tell_of_missed(self, number: int, start: int, end: int) -> None:
        """Tell of an attempt that began and ended between two looks."""
        if number in self._signs:
            first, last = (min(max(start, sign), end) for sign in self._signs[number])
            self._put(first, last, "running", number)
            start = last
        self._put(start, end, "unknown", number, f"attempt {number}: nobody saw its end")

    def _arrive(self, before: Sighting, after: Sighting, at_ns: int) -> None:
        number, status = after.attempt, after.status
        waited = before.status is ExecutionStatus.WAITING
        if waited and status not in (ExecutionStatus.WAITING, ExecutionStatus.CANCELED):
            self.moments.append(Moment(at_ns, "resumed", number, "resumed"))
        elif status is ExecutionStatus.RUNNING and number > before.attempt:
            self.moments.append(Moment(at_ns, "began", number, f"attempt {number} began"))
        if status is before.status or before.status.is_over:
            return
        if status is ExecutionStatus.WAITING:
            self.moments.append(Moment(at_ns, "waits", number, "waits for an answer"))
        elif status.is_over:
            kind = _ENDS[status]
            self.moments.append(Moment(at_ns, kind, number, kind))

    def _put(self, start: int, end: int, state: State, attempt: int, words: str = "") -> None:
        if end > start:
            self.stretches.append(Stretch(start, end, state, attempt, words or state))


def _state_of(look: Sighting) -> State:
    match look.status:
        case ExecutionStatus.QUEUED:
            return "queued"
        case ExecutionStatus.WAITING:
            return "waiting"
        case _:
            return "running"


def _joined(stretches: Sequence[Stretch]) -> tuple[Stretch, ...]:
    """Make one of neighbours that say the same."""
    made: list[Stretch] = []
    for one in sorted(stretches, key=lambda each: (each.start_ns, each.attempt)):
        last = made[-1] if made else None
        if (
            last is not None
            and last.end_ns == one.start_ns
            and (last.state, last.attempt, last.words) == (one.state, one.attempt, one.words)
        ):
            made[-1] = last._replace(end_ns=one.end_ns)
        else:
            made.append(one)
    return tuple(made)
