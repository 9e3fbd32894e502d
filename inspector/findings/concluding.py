"""What agents conclude, and how full their context is by then."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations
from typing import TYPE_CHECKING, Any

from inspector.findings.finding import Finding, Severity
from inspector.findings.passages import texts_in
from inspector.findings.reading import listed, named
from inspector.runfile.kinds import SpanKind, SpanStatus
from inspector.runfile.value import is_message

if TYPE_CHECKING:
    from inspector.findings.reading import Reading
    from inspector.runfile.model import Span

_FIGURE = re.compile(r"(?<![\w.,])\d+(?:[.,]\d+)*(?![\w])")
_MOST_FIGURES = 40
_LONGEST = 200_000
_MOST_AGENTS = 1_000  # of a longer run the first are read
_NEARLY_FULL = 0.8
_LEAST_TOKENS = 3_000
_ROUNDED = 0.0051


def answer_not_from_tool(reading: Reading) -> Iterator[Finding]:
    """Find answers whose figures come neither from a tool nor from what was asked."""
    for span in reading.spans(reading.of_kind(SpanKind.AGENT)[:_MOST_AGENTS]):
        outputs = span.outputs
        messages = outputs.get("messages") if isinstance(outputs, Mapping) else None
        if span.status != SpanStatus.OK or not isinstance(messages, list) or len(messages) < 2:
            continue
        *before, last = messages
        results = [each for each in before if _role(each) == "tool"]
        if not results or _role(last) != "assistant":
            continue
        told = _figures(texts_in([last]))
        if not told:
            continue
        known = _known(before)
        # An answer mixes: one figure that follows from nothing may be a matter of speech.
        if any(_follows(figure, known) for figure in told):
            continue
        yield Finding(
            "answer-not-from-tool",
            Severity.NOTE,
            f"The answer of {named(span)} rests on no result of a tool: {listed(told[:4])} "
            f"{'stands' if len(told) == 1 else 'stand'} neither in a result nor in a question.",
            (span.id, *_last_call(reading, span)),
            "Look at what the tools said before it.",
            ("outputs.messages",),
            possible=True,
        )


def _role(message: Any) -> str:
    return str(message.get("role")) if is_message(message) else ""


def _figures(texts: Iterable[str]) -> list[str]:
    found: dict[str, None] = {}
    for text in texts:
        for figure in _FIGURE.findall(text[:_LONGEST]):
            # Small whole numbers count things, steps and hours: anybody says them.
            if len(figure) > 1:
                found[figure] = None
    return list(found)[:_MOST_FIGURES]


def _known(messages: list[Any]) -> tuple[str, list[float]]:
    """Return all that was said before, and the figures in it."""
    said = "\n".join(_everything(messages, 0))[:_LONGEST]
    figures = {value for each in re.findall(r"\d+(?:[.,]\d+)*", said)
               if (value := _value(each)) is not None}  # fmt: skip
    return said, sorted(figures)[:80]


def _everything(tree: Any, depth: int) -> Iterator[str]:
    if isinstance(tree, str):
        yield tree
    elif isinstance(tree, bool) or tree is None or depth > 30:
        return
    elif isinstance(tree, int | float):
        yield repr(tree)
    elif isinstance(tree, list):
        for each in tree:
            yield from _everything(each, depth + 1)
    elif isinstance(tree, Mapping):
        for key, each in tree.items():
            if key != "meta":  # tokens and times are in there, not what was said
                yield from _everything(each, depth + 1)


def _value(figure: str) -> float | None:
    plain = figure.replace(",", "") if re.fullmatch(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?", figure) else (
        figure.replace(",", ".")
    )  # fmt: skip
    try:
        return float(plain)
    except ValueError:
        return None


def _follows(figure: str, known: tuple[str, list[float]]) -> bool:
    """Say whether a figure was said before, or follows from two that were."""
    said, figures = known
    value = _value(figure)
    if figure in said or value is None:
        return True
    if any(_is_near(value, each) or _is_near(value, each * 100) for each in figures):
        return True
    return any(
        _is_near(value, made)
        for one, other in combinations(figures, 2)
        for made in (one + other, other - one, one * other, other / one if one else 0.0,
                     one / other * 100 if other else 0.0, (one + other) / 2)
    )  # fmt: skip


def _is_near(value: float, other: float) -> bool:
    return abs(value - other) <= max(0.51 if value == int(value) else 0.051, _ROUNDED * abs(other))


def _last_call(reading: Reading, span: Span) -> tuple[str, ...]:
    calls = set(reading.calls)
    inside = [row for row in reading.inside(span.row) if row in calls]
    return (reading.table.id(inside[-1]),) if inside else ()


def context_growing(reading: Reading) -> Iterator[Finding]:
    """Find agents whose prompts grew until they nearly filled what the model can read."""
    longest: dict[int, tuple[int, int, int]] = {}  # agent: tokens, their row, the first tokens
    for row in reading.calls:
        agent = reading.agent_of(row)
        tokens = reading.skim.tokens.get(row, (None, None))[0]
        if agent is None or tokens is None:
            continue
        most, place, first = longest.get(agent, (0, row, tokens))
        longest[agent] = (tokens, row, first) if tokens > most else (most, place, first)
    for agent, (tokens, row, first) in longest.items():
        if tokens < _LEAST_TOKENS or tokens <= first:
            continue
        call = reading.run.spans[row]
        limit = _window(call)
        if limit is None or tokens < limit * _NEARLY_FULL:
            continue
        span = reading.run.spans[agent]
        yield Finding(
            "context-growing",
            Severity.WARNING,
            f"The prompts of {named(span)} grew from {first:,} to {tokens:,} tokens, "
            f"{tokens * 100 // limit} % of the {limit:,} that `{_called(call)}` can read.",
            (call.id, span.id),
            "Shorten what tools give back, or let a hook compact the messages.",
            ("usage.input_tokens",),
        )


def _called(call: Span) -> str:
    name = (call.llm or {}).get("name")
    return name if isinstance(name, str) else ""


def _window(call: Span) -> int | None:
    from inspector.cost.windows import context_window

    provider = (call.llm or {}).get("provider")
    return context_window(_called(call), provider if isinstance(provider, str) else None)
