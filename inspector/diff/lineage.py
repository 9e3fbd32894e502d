"""Where a span's inputs came from: by recorded senders where there are any."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from inspector.runfile.kinds import SpanKind

if TYPE_CHECKING:
    from inspector.diff.context import SideView
    from inspector.runfile.model import Span


class Source(NamedTuple):
    """A span that another one got something from."""

    row: int
    what: str  # a socket, or what it was in words
    recorded: bool


def sources_of(view: SideView, span: Span) -> Iterator[Source]:
    """Yield the spans that a span got its inputs from, those beside it first."""
    match span.kind:
        case SpanKind.LLM:
            yield from _of_turn(view, span)
        case SpanKind.TOOL:
            yield from _of_tool(view, span)
        case SpanKind.COMPONENT | SpanKind.OTHER:
            yield from _of_component(view, span)
        case _:
            above = view.run.table.parent_row[span.row]
            if above >= 0:
                yield Source(above, "what it was given", recorded=False)


def ends_of(view: SideView, span: Span) -> Iterator[Source]:
    """Yield the spans inside another one that its outputs came from."""
    children = view.run.children(span)
    if span.kind is SpanKind.PIPELINE:
        outputs = span.outputs if isinstance(span.outputs, Mapping) else {}
        last = {child.name: child for child in children}
        for name in outputs:
            if name in last:
                yield Source(last[name].row, "its outputs", recorded=True)
        if not outputs and children:
            yield Source(children[-1].row, "how it ended", recorded=False)
    elif children:
        inner = [child for child in children
                 if child.kind in (SpanKind.PIPELINE, SpanKind.AGENT, SpanKind.STEP, SpanKind.LLM,
                                   SpanKind.TOOL)]  # fmt: skip
        for child in (inner or list(children))[-1:]:
            yield Source(child.row, "what it came to", recorded=False)
        if span.kind is SpanKind.STEP:
            for child in inner[:-1]:
                yield Source(child.row, "what it came to", recorded=False)


def _of_component(view: SideView, span: Span) -> Iterator[Source]:
    senders = span.senders or {}
    names: dict[str, str] = {}
    outside = not senders
    for socket, sent in senders.items():
        for name in sent if isinstance(sent, list) else [sent]:
            if isinstance(name, str):
                names.setdefault(name, socket)
            else:
                outside = True
    found = view.latest_before(span, set(names)) if names else {}
    for name, socket in names.items():
        if name in found:
            yield Source(found[name].row, socket, recorded=True)
    above = view.run.table.parent_row[span.row]
    if outside and above >= 0:
        yield Source(above, "what it was given", recorded=False)


def _of_turn(view: SideView, span: Span) -> Iterator[Source]:
    """An LLM in an agent reads what the turn before it said and found out."""
    table = view.run.table
    step = table.parent_row[span.row]
    if step < 0:
        return
    beside = table.children(table.parent_row[step])
    at = bisect_left(beside, step) - 1
    while at >= 0 and table.kind_of(beside[at]) is not SpanKind.STEP:
        at -= 1
    if at < 0:
        yield Source(step, "what it was given", recorded=False)
        return
    for row in table.children(beside[at]):
        if table.kind_of(row) is SpanKind.TOOL:
            # The conversation names the call that a result answers.
            known = bool(bytes(view.glance.facts(row).tool_call))
            yield Source(row, "the result", recorded=known)
        elif table.kind_of(row) is SpanKind.LLM:
            yield Source(row, "the reply", recorded=True)


def _of_tool(view: SideView, span: Span) -> Iterator[Source]:
    table = view.run.table
    above = table.parent_row[span.row]
    for row in table.children(above):
        if row < span.row and table.kind_of(row) is SpanKind.LLM:
            yield Source(row, "the call", recorded=bool(bytes(view.facts(span).tool_call)))
            return
    if above >= 0:
        yield Source(above, "what it was given", recorded=False)
