"""The decision points of two runs, side by side, in the order in which they happened."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.diff import calling, prompting, retrieving, routing, turning
from inspector.diff.context import Both, Context
from inspector.diff.model import (
    Agreement,
    AnswerKind,
    AnswerVerdict,
    Decision,
    DecisionKind,
    Pair,
    Pairing,
    Severity,
)
from inspector.diff.pairing import calls_side_by_side, in_fair_order
from inspector.diff.said import question_text, quoted, short
from inspector.diff.text import text_diff
from inspector.runfile.kinds import SpanKind, SpanStatus
from inspector.runfile.model import Span

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from inspector.diff.align import Alignment

_MOST_WORDS = 400
_JUDGES = frozenset({SpanKind.COMPONENT, SpanKind.HOOK, SpanKind.OTHER})


class Walk:
    """Both runs as one tree of pairs."""

    def __init__(self, context: Context, alignment: Alignment) -> None:
        self.context = context
        self.pairs = pairs = calls_side_by_side(context, alignment.pairs)
        place = {pair.left: at for at, pair in enumerate(pairs) if pair.left is not None}
        beside = {pair.right: at for at, pair in enumerate(pairs) if pair.right is not None}
        left, right = context.left.run.table, context.right.run.table
        self._counts: dict[tuple[bool, int | None], dict[str, int]] = {}
        self.above: list[int] = []
        self.below: dict[int, list[int]] = {}
        for at, pair in enumerate(pairs):
            if pair.left is not None:
                above = place.get(left.parent_row[pair.left], -1)
            else:
                assert pair.right is not None
                above = beside.get(right.parent_row[pair.right], -1)
            self.above.append(above)
            self.below.setdefault(above, []).append(at)
        for rows in self.below.values():
            in_fair_order(context, pairs, rows)

    def both(self, at: int) -> Both:
        """Return a pair with its spans."""
        return Both(self.context, self.pairs[at])

    def counts(self, row: int | None, *, on_right: bool) -> dict[str, int]:
        """Return how often what is inside a span ran: of a run with many, counted once."""
        key = on_right, row
        if key not in self._counts:
            view = self.context.right if on_right else self.context.left
            span = None if row is None else Span(view.run, row)
            self._counts[key] = turning.counts_of(view, span)
        return self._counts[key]

    def renamed(self) -> Iterator[tuple[str, str]]:
        """Yield the right and left names of the outermost components that were renamed."""
        left, right = self.context.left.run.table, self.context.right.run.table
        for root in self.below.get(-1, ()):
            for at in self.below.get(root, ()):
                pair = self.pairs[at]
                if pair.how is Pairing.RENAMED and None not in (pair.left, pair.right):
                    yield right.name(pair.right or 0), left.name(pair.left or 0)

    def calls_in(self, at: int) -> list[Both]:
        """Return the tool calls of a turn that both sides made."""
        calls = [self.both(child) for child in self.below.get(at, ())]
        return [each for each in calls if each.kind is SpanKind.TOOL and not each.alone]

    def events(self) -> Iterator[tuple[int, bool]]:
        """Yield each pair when it begins, and again (True) when it is over."""
        stack = [(at, False) for at in reversed(self.below.get(-1, ()))]
        while stack:
            at, over = stack.pop()
            yield at, over
            if not over:
                stack.append((at, True))
                stack.extend((child, False) for child in reversed(self.below.get(at, ())))


def decisions_of(
    context: Context,
    alignment: Alignment,
    answer: AnswerVerdict,
    tick: Callable[[float], None],
) -> tuple[Decision, ...]:
    """Return every decision point.

    Args:
        context: The runs and the rules.
        alignment: Which span is which.
        answer: What became of the answer.
        tick: Called now and then with how much is done, from 0 to 1; may raise.

    """
    walk = Walk(context, alignment)
    context.names.update(walk.renamed())
    found: list[Decision] = []
    told: set[tuple[int, str]] = set()
    begun: dict[int, Both] = {}
    answers = answer.left, answer.right
    total = 2 * len(walk.pairs) or 1
    for number, (at, over) in enumerate(walk.events()):
        if number % 512 == 0:
            tick(number / total)
        # A span is looked at when it begins and when it is over.
        both = begun.pop(at) if over else walk.both(at)
        if not over:
            begun[at] = both
        above = walk.above[at]
        if _is_inside_alone(walk, at):
            if not over and both.kind is SpanKind.TOOL:
                found += calling.tools(both)
            continue
        again = _again(walk, both, above, told) if both.alone else None
        if not over:
            found += _before(both, top=above < 0) if again is None else again
            if both.kind is SpanKind.STEP and not both.pair.same_inside:
                found += calling.in_another_order(walk.calls_in(at))
        elif again is None:
            found += _after(both, answers)
            if not both.worked:
                found += turning.failures(both, echo=_is_echo(walk, at))
    found.append(_answer(walk, answer))
    return tuple(found)


def _before(both: Both, *, top: bool) -> Iterable[Decision]:
    if top and not both.alone:
        yield from _input(both)
    if both.kind is SpanKind.COMPONENT:
        yield from routing.untaken(both)
        if both.role == "retrieval":
            yield from retrieving.queries(both)
    if both.kind is SpanKind.TOOL:
        yield from calling.tools(both)
    elif prompting.is_llm(both):
        yield from prompting.llms(both)
        yield from prompting.prompts(both)


def _after(both: Both, answers: tuple[str | None, str | None]) -> Iterable[Decision]:
    if both.kind is SpanKind.TOOL:
        yield from calling.results(both)
        return
    if both.kind is SpanKind.COMPONENT:
        if both.role != "retrieval":
            yield from retrieving.queries(both)
        yield from retrieving.retrieved(both)
        yield from routing.routes(both)
    if both.kind in _JUDGES:
        yield from routing.verdicts(both)
    if prompting.is_llm(both):
        yield from prompting.replies(both, answers)
    yield from turning.exits(both)


def _input(both: Both) -> Iterator[Decision]:
    left, right = both.left, both.right
    assert left is not None
    assert right is not None
    if not left.has("inputs") and not right.has("inputs"):
        return
    given = both.context.renamed_back(right.inputs)
    agreement, changes = both.compare(left.inputs, given, "inputs")
    texts = question_text(left.inputs), question_text(right.inputs)
    words = [quoted(each) for each in texts]
    if agreement is not Agreement.DIFFERS:
        title = f"the run was asked {words[0]}"
        yield both.decision(DecisionKind.INPUT, title, words, agreement, changes=changes)
        return
    title = f"the run was asked {words[1]} instead of {words[0]}"
    text = text_diff(*texts)
    if text.same:
        leaves = [change.leaf for change in changes if change.noise is None]
        title = f"the run was given another {leaves[0] if leaves else 'input'}"
    yield both.decision(
        DecisionKind.INPUT, short(title, _MOST_WORDS), words, agreement, Severity.MAJOR,
        text=None if text.same else text, changes=changes,
    )  # fmt: skip


def _again(walk: Walk, both: Both, above: int, told: set[tuple[int, str]]) -> list[Decision] | None:
    """Return the decision for a further visit or turn that one side has, once a parent.

    None where a span is no repetition, but a thing of its own.
    """
    if both.kind not in (SpanKind.COMPONENT, SpanKind.STEP) or both.inner:
        return None
    name = "turn" if both.kind is SpanKind.STEP else both.any.name
    parent = walk.pairs[above] if above >= 0 else None
    counts = [
        walk.counts(row, on_right=on_right).get(name, 0)
        for on_right, row in ((False, parent.left if parent else None),
                              (True, parent.right if parent else None))
    ]  # fmt: skip
    if both.kind is SpanKind.COMPONENT and (0 in counts or counts[0] == counts[1]):
        # As often as before: the user put another span beside it.
        return None
    # A loop's turn is several components once more: it is told once.
    side = "left" if both.right is None else "right"
    if (above, side) in told:
        return []
    told.add((above, side))
    return [turning.retry(both, *counts)]


def _is_inside_alone(walk: Walk, at: int) -> bool:
    above = walk.above[at]
    return above >= 0 and walk.pairs[above].how is Pairing.ALONE


def _is_echo(walk: Walk, at: int) -> bool:
    """Whether a span failed because one right inside it did."""
    for child in walk.below.get(at, ()):
        both = walk.both(child)
        if any(span is not None and span.status is SpanStatus.FAILED
               for _, span in both.sides) and both.kind is not SpanKind.TOOL:  # fmt: skip
            return True
    return False


_ANSWER_SEVERITY = {
    AnswerKind.SAME: (Agreement.SAME, Severity.NOTE),
    AnswerKind.REWORDED: (Agreement.DIFFERS, Severity.MINOR),
    AnswerKind.CHANGED: (Agreement.DIFFERS, Severity.MAJOR),
    AnswerKind.FLIPPED: (Agreement.DIFFERS, Severity.CRITICAL),
}


def _answer(walk: Walk, answer: AnswerVerdict) -> Decision:
    if answer.kind is AnswerKind.UNKNOWN:
        agreement, severity = Agreement.UNKNOWN, Severity.NOTE
        if answer.left is None and answer.right is not None:
            agreement, severity = Agreement.RIGHT_ONLY, Severity.CRITICAL
        elif answer.right is None and answer.left is not None:
            agreement, severity = Agreement.LEFT_ONLY, Severity.CRITICAL
    else:
        agreement, severity = _ANSWER_SEVERITY[answer.kind]
    roots: Sequence[Pair] = [walk.pairs[at] for at in walk.below.get(-1, ())]
    left = next((pair.left for pair in roots if pair.left is not None), None)
    right = next((pair.right for pair in roots if pair.right is not None), None)
    left_run, right_run = walk.context.left.run, walk.context.right.run
    return Decision(
        number=next(walk.context.numbers), kind=DecisionKind.ANSWER, path="", title=answer.sentence,
        left_span=None if left is None else left_run.table.id(left),
        right_span=None if right is None else right_run.table.id(right),
        left=short(answer.left or ""), right=short(answer.right or ""),
        agreement=agreement, severity=severity,
        text=answer.text if agreement is Agreement.DIFFERS else None,
    )  # fmt: skip
