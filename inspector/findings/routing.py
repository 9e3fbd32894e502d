"""What ran although nothing had chosen it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from inspector.findings.finding import Finding, Severity
from inspector.findings.reading import counted, listed, named
from inspector.runfile.kinds import KIND_CODE, SpanKind

if TYPE_CHECKING:
    from inspector.findings.reading import Reading
    from inspector.findings.skim import Wires
    from inspector.runfile.model import Span

_ROUTING = "routing"


def route_not_taken(reading: Reading) -> Iterator[Finding]:
    """Find components that ran although the router before them took another route.

    Haystack runs a component as soon as one input arrives and the others have defaults: a
    run-time input, such as a `streaming_callback`, is enough.
    """
    table = reading.table
    components = reading.of_kind(SpanKind.COMPONENT)
    roles = reading.skim.roles
    routers = {table.name_code[row] for row in components if roles[row] == _ROUTING}
    with_router = {table.parent_row[row] for row in components if table.name_code[row] in routers}
    by_parent: dict[int, list[int]] = {}
    for row in components:
        if table.parent_row[row] in with_router:
            by_parent.setdefault(table.parent_row[row], []).append(row)
    for rows in by_parent.values():
        yield from _among(reading, rows)


def _among(reading: Reading, rows: list[int]) -> Iterator[Finding]:
    before: dict[str, list[Span]] = {}
    for span in reading.spans(rows):
        if routers := _refused_by(reading, span, before):
            yield _finding(reading, span, routers)
        before.setdefault(span.name, []).append(span)


def _refused_by(reading: Reading, span: Span, before: Mapping[str, list[Span]]) -> list[Span]:
    """Return the routers that sent a component nothing, where nobody else did either."""
    wires = reading.skim.senders(span.row)
    senders = {name for names in wires.values() for name in names if name}
    routers = []
    for sender in senders:
        for visit in before.get(sender, ()):
            receivers = reading.skim.receivers(visit.row)
            if visit.outputs is None or _sent_to(visit, receivers, span.name):
                return []
            if visit.role == _ROUTING and any(span.name in names for names in receivers.values()):
                routers.append(visit)
    return routers


def _sent_to(sender: Span, receivers: Wires, receiver: str) -> bool:
    outputs = sender.outputs
    sent = outputs if isinstance(outputs, Mapping) else {}
    return any(receiver in receivers.get(socket, ()) for socket in sent)


def _finding(reading: Reading, span: Span, routers: list[Span]) -> Finding:
    router = routers[-1]
    taken = (
        [str(socket) for socket in router.outputs] if isinstance(router.outputs, Mapping) else []
    )
    given = [
        str(socket)
        for socket, names in reading.skim.senders(span.row).items()
        if names and all(name is None for name in names)
    ]
    sentence = f"{named(span)} ran although {named(router)} did not choose it"
    sentence += f" (it chose {listed(taken)})" if taken else ""
    if given:
        inputs = "input" if len(given) == 1 else "inputs"
        sentence += f": the run-time {inputs} {listed(given)} started it"
    inside = [span.row, *reading.inside(span.row)]
    kinds = [reading.table.kind[row] for row in inside]
    tools = kinds.count(KIND_CODE[SpanKind.TOOL])
    llms = len(set(inside) & set(reading.calls))
    did = [counted(llms, "LLM call") if llms else "", counted(tools, "tool call") if tools else ""]
    made = " and ".join(word for word in did if word)
    return Finding(
        "route-not-taken",
        Severity.WARNING,
        f"{sentence}, and it made {made}." if made else f"{sentence}.",
        (span.id, router.id),
        "Pass such an input only to what is meant to run, or give the component an input "
        "without a default that the route has to fill.",
    )
