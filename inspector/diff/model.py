"""What a comparison of two runs says: frozen, bounded values, made of JSON's own types.

Spans are named by their ids in their own run (`s14`), and by their path for the reader. The left
run is the baseline. Values at a leaf are bounded value trees (`runfile.drift.bounded`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

COMPARISON_VERSION = 1


class Agreement(StrEnum):
    """Whether both sides decided alike."""

    SAME = "same"
    NOISE = (
        "noise"  # only what is expected to differ does: ids, times, durations, the user's own rules
    )
    DIFFERS = "differs"
    LEFT_ONLY = "left only"
    RIGHT_ONLY = "right only"
    UNKNOWN = "unknown"  # one side did not record it


class Severity(StrEnum):
    """How much a difference matters for the answer, the worst first."""

    CRITICAL = "critical"  # the answer flipped, another route, a failure on one side
    MAJOR = "major"  # other documents, another tool, other arguments, another verdict
    MINOR = "minor"  # order, scores, settings, wording
    NOTE = "note"  # said, but decides nothing


class DecisionKind(StrEnum):
    """What was decided at a decision point."""

    INPUT = "input"  # what the run was asked
    QUERY = "query"  # what a retriever was asked: query, filters, top_k
    DOCUMENTS = "documents"  # what it found
    ROUTE = "route"  # which way a router sent it on, and which ways it did not
    UNTAKEN = "untaken"  # a component ran although its route was not taken
    PROMPT = "prompt"  # what an LLM was sent
    LLM = "llm"  # which LLM, with which settings
    REPLY = "reply"  # what an LLM said inside the run, where that is not the answer
    TOOL = "tool"  # which tool was chosen
    ARGUMENTS = "arguments"
    RESULT = "result"  # what a tool returned, or its error
    VALIDATOR = "validator"  # a validator's or guard's verdict
    RETRY = "retry"  # a visit, turn or call more or less
    EXIT = "exit"  # why an agent or a loop stopped
    FAILURE = "failure"  # a span failed on one side
    ANSWER = "answer"


class Pairing(StrEnum):
    """Why two spans stand side by side, the surest first."""

    MANUAL = "manual"  # a sync point
    EXACT = "exact"  # same place, same visit, asked the same
    PLACE = "place"  # same place, asked something else
    CONTENT = "content"  # another place or visit, asked the same
    RENAMED = "renamed"  # same type and neighbours under another name
    ALONE = "alone"  # only one side has it


@dataclass(frozen=True, slots=True)
class Pair:
    """Two spans that are one operation, by their rows in their tables; one may be missing."""

    left: int | None
    right: int | None
    how: Pairing
    same: bool
    """Whether inputs, outputs and status are equal but for noise; what is inside aside."""
    same_inside: bool
    """The same, for everything inside them as well."""


@dataclass(frozen=True, slots=True)
class TextPart:
    """A stretch of text that both sides have, or one."""

    kind: str  # "same", "left", "right"
    text: str


@dataclass(frozen=True, slots=True)
class TextDiff:
    """Two texts as parts: those of "same" and "left" make the left one, exactly; so the right."""

    parts: tuple[TextPart, ...]
    note: str | None = None
    """What was given up for speed, such as marks by words in very large texts."""

    @property
    def left(self) -> str:
        return "".join(part.text for part in self.parts if part.kind != "right")

    @property
    def right(self) -> str:
        return "".join(part.text for part in self.parts if part.kind != "left")

    @property
    def same(self) -> bool:
        return all(part.kind == "same" for part in self.parts)


@dataclass(frozen=True, slots=True)
class DocumentMove:
    """One document in two ranked lists. Ranks count from 1; None where the side has it not."""

    key: str
    name: str  # what a person knows it by: a title, a source, the head of its content
    left_rank: int | None
    right_rank: int | None
    left_score: float | None
    right_score: float | None
    change: str  # "same", "score", "moved", "meta", "content", "removed", "added", "cut off"


@dataclass(frozen=True, slots=True)
class ValueChange:
    """One leaf that differs."""

    leaf: str  # as in drift reports: `replies[0].meta["model"]`
    kind: str  # "changed", "added", "removed", "type"; "moved": the values are its two places
    left: Any = None
    right: Any = None
    noise: str | None = None
    """The rule for which it is greyed, such as "id", "time", "duration" or the user's path."""


@dataclass(frozen=True, slots=True)
class Decision:
    """One decision point, with both sides."""

    number: int  # from 0, in the order in which they happened (the left run's, where both have it)
    kind: DecisionKind
    path: str
    title: (
        str  # the row's sentence: "retriever returned 5 documents, page 12 moved from rank 5 to 2"
    )
    left_span: str | None
    right_span: str | None
    left: str  # what was decided, in a short text; "" where the side has none
    right: str
    agreement: Agreement
    severity: Severity = Severity.NOTE
    text: TextDiff | None = None
    documents: tuple[DocumentMove, ...] = ()
    changes: tuple[ValueChange, ...] = ()

    @property
    def differs(self) -> bool:
        """Whether it counts for the exit code of a comparison."""
        return self.agreement in _DIFFERING and self.severity != Severity.NOTE


_DIFFERING = frozenset({Agreement.DIFFERS, Agreement.LEFT_ONLY, Agreement.RIGHT_ONLY})


@dataclass(frozen=True, slots=True)
class Cause:
    """A recorded fact that may have caused the first divergence: an inference."""

    sentence: str
    likely: str  # "certain" (it is what differs there), "likely", "possible"
    path: str = ""
    leaf: str = ""


@dataclass(frozen=True, slots=True)
class Link:
    """A step of the chain from the first divergence to the answer."""

    left_span: str | None
    right_span: str | None
    path: str
    sentence: str
    recorded: bool  # by recorded senders; otherwise inferred


@dataclass(frozen=True, slots=True)
class Divergence:
    """Where the two runs first decide differently, and what follows from it."""

    decision: int  # its number
    sentence: str
    causes: tuple[Cause, ...] = ()
    chain: tuple[Link, ...] = ()


@dataclass(frozen=True, slots=True)
class ConfigurationChange:
    """One thing that is set up in another way."""

    area: str  # "component", "parameter", "connection", "package", "environment"
    path: str  # the component, or the package
    leaf: str
    left: Any
    right: Any
    sentence: str


class AnswerKind(StrEnum):
    """What became of the answer."""

    SAME = "same"
    REWORDED = "reworded"  # the same, but for spaces, case, punctuation and order of words
    CHANGED = "changed"
    FLIPPED = "flipped"  # what the extractor took out of it differs
    UNKNOWN = "unknown"  # a side has none


@dataclass(frozen=True, slots=True)
class AnswerVerdict:
    """The final answers, judged."""

    kind: AnswerKind
    sentence: str
    left: str | None
    right: str | None
    left_extract: Any = None
    right_extract: Any = None
    text: TextDiff | None = None


@dataclass(frozen=True, slots=True)
class Paid:
    """What a replay really paid, where its recording answered calls; None is unknown."""

    amount: float | None  # in the unit of the metric
    answered: int  # calls of models that the recording answered
    calls: int  # all calls of models, these among them

    @property
    def words(self) -> str:
        """Where its answers came from."""
        some = "" if self.answered == self.calls else f"{self.answered} of {self.calls} calls "
        return f"{some}answered from the recording"


@dataclass(frozen=True, slots=True)
class Metric:
    """One figure on both sides; `delta` is right minus left. None is unknown, never zero.

    The cost of a replay is that of all its answers, recorded ones among them, so that it can be
    held against that of another run; what was paid for it stands beside it.
    """

    name: str  # "input tokens", "estimated cost", "duration of llm"
    unit: str  # "tokens", "USD", "ns", "calls"
    left: Any
    right: Any
    delta: Any
    not_comparable: str | None = None  # why, in words
    left_paid: Paid | None = None  # None where the recording of a replay answered nothing
    right_paid: Paid | None = None


@dataclass(frozen=True, slots=True)
class SpanChanges:
    """How one pair of spans differs, leaf by leaf; noise is listed too, and marked."""

    path: str
    left_span: str | None
    right_span: str | None
    inputs: tuple[ValueChange, ...] = ()
    outputs: tuple[ValueChange, ...] = ()
    note: str | None = None  # what was left out, such as leaves beyond a limit


@dataclass(frozen=True, slots=True)
class Side:
    """Which run stands on a side."""

    id: str
    name: str
    status: str
    started_at: str | None
    duration_ns: int | None
    origin: str | None  # the file's name, without its directory
    digest: str | None
    spans: int


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two runs, compared."""

    left: Side
    right: Side
    verdict: str
    """One sentence: what the change did."""
    answer: AnswerVerdict
    decisions: tuple[Decision, ...]
    divergence: Divergence | None
    configuration: tuple[ConfigurationChange, ...]
    pairs: tuple[Pair, ...]
    """Every span of both runs, in an order that keeps each side's own."""
    spans: tuple[SpanChanges, ...]
    """Pairs whose own values differ, noise included; further leaves are computed when asked for."""
    metrics: tuple[Metric, ...]
    notes: tuple[str, ...] = field(default=())
    """What could not be compared, and what was left out."""

    @property
    def same(self) -> bool:
        """Whether no decision differs: exit code 0."""
        return not any(decision.differs for decision in self.decisions)

    @property
    def equal(self) -> bool:
        """Whether nothing but noise differs, configuration and other values included."""
        return self.same and not self.configuration and all(pair.same for pair in self.pairs)

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as JSON, of a form that stays (see the schema)."""
        from inspector.diff.as_json import to_dict

        return to_dict(self)

    @classmethod
    def from_dict(cls, found: dict[str, Any]) -> Comparison:
        """Return the comparison that JSON describes.

        Raises:
            InspectorError: It describes none.

        """
        from inspector.diff.as_json import from_dict

        return from_dict(found)

    def __str__(self) -> str:
        """Return the page for a pull request, in Markdown."""
        from inspector.diff.page import page_of

        return page_of(self)
