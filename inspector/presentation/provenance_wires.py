"""The ways of a value that a run records: senders, receivers, and the ids of tool calls."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from inspector.presentation.previews import text_preview
from inspector.presentation.value_paths import ABSENT, Step, field_of, follow, joined, split
from inspector.presentation.values import field_path, items_in
from inspector.runfile.kinds import SpanKind

if TYPE_CHECKING:
    from inspector.presentation.value_graph import ValueGraph
    from inspector.runfile.model import PipelineRun, Span

_MOST_LOOKED_AT = 20_000  # spans beside one that are looked through for the one that is meant
_MOST_FOUND = 24


@dataclass(frozen=True, slots=True)
class Wired:
    """Another end of a value's way."""

    row: int
    path: str
    why: str
    recorded: bool = True
    exact: bool = True  # whether what stands there is the very value


def senders_of(run: PipelineRun, span: Span, steps: Sequence[Step]) -> list[Wired]:
    """Return where the value at a path came from, as far as the run says so."""
    if steps[0].label == "outputs":
        return list(_out_of_pipeline(run, span, steps))
    senders = span.senders
    if senders is None or steps[0].label != "inputs":
        return []
    found: list[Wired] = []
    for socket in [steps[1].label] if len(steps) > 1 else list(senders):
        inner = list(steps[:2]) if len(steps) > 1 else split(field_path("inputs", socket))
        found += _sent(run, span, socket, inner, steps[2:], _names(senders.get(socket)))
    return found[:_MOST_FOUND]


def _sent(
    run: PipelineRun, span: Span, socket: str, at: Sequence[Step], rest: Sequence[Step],
    names: Sequence[Any],
) -> list[Wired]:  # fmt: skip
    found: list[Wired] = []
    latest = _latest_before(run, span, {name for name in names if isinstance(name, str)})
    whole = follow(field_of(run, span, "inputs"), [*at[1:], *rest])
    for name in names:
        if name is None:
            found += _from_caller(run, span, socket, rest)
        elif name in latest:
            sender = run.spans[latest[name]]
            found += _ends(run, sender, _sockets_to(run, sender, span, socket), rest, whole)
    # A socket that takes several: what stands at a place in it came from one of them.
    exact = [wire for wire in found if wire.exact]
    return exact if exact and len(names) > 1 and rest else found


def _ends(
    run: PipelineRun, sender: Span, sockets: Sequence[str], rest: Sequence[Step], value: Any
) -> Iterator[Wired]:
    outputs = field_of(run, sender, "outputs")
    why = "it is the sender of this input"
    wires = []
    for socket in sockets:
        path = field_path("outputs", socket)
        for below in (rest, rest[1:]) if rest and rest[0].is_index else (rest,):
            # A socket for several senders holds a list of what they sent.
            there = follow(outputs, [*split(path)[1:], *below])
            if there is not ABSENT and _same(there, value):
                wires.append(Wired(sender.row, path + joined(below), why))
                break
    if wires:
        yield wires[0]
        return
    path = field_path("outputs", sockets[0]) if len(sockets) == 1 else "outputs"
    yield Wired(sender.row, path, why, exact=False)


def _from_caller(
    run: PipelineRun, span: Span, socket: str, rest: Sequence[Step]
) -> Iterator[Wired]:
    above = run.table.parent_row[span.row]
    if above < 0:
        return
    outer = run.spans[above]
    inputs = field_of(run, outer, "inputs")
    for keys in ((span.name, socket), (socket,)):
        way = split(field_path("inputs", *keys))
        if follow(inputs, [*way[1:], *rest]) is not ABSENT:
            yield Wired(above, joined([*way, *rest]), "the caller gave it")
            return
    yield Wired(above, "inputs", "the caller gave it", exact=False)


def _out_of_pipeline(run: PipelineRun, span: Span, steps: Sequence[Step]) -> Iterator[Wired]:
    """A pipeline's outputs are named after the components that they came from."""
    if span.kind is not SpanKind.PIPELINE or len(steps) < 2:
        return
    for row in reversed(run.table.children(span.row)):
        if run.table.name(row) == steps[1].label:
            path = "outputs" + joined(steps[2:])
            inside = follow(field_of(run, run.spans[row], "outputs"), split(path)[1:])
            if inside is not ABSENT:
                yield Wired(row, path, "the outputs of a pipeline name their component")
            return


def receivers_of(run: PipelineRun, span: Span, steps: Sequence[Step]) -> list[Wired]:
    """Return where the value at a path went, as far as the run says so."""
    if steps[0].label == "inputs":
        return list(_into_pipeline(run, span, steps))
    receivers = span.receivers
    if steps[0].label != "outputs" or not receivers:
        return []
    sockets = [steps[1].label] if len(steps) > 1 else list(receivers)
    wanted = {
        name for socket in sockets for name in _names(receivers.get(socket))
        if isinstance(name, str)
    }  # fmt: skip
    value = follow(field_of(run, span, "outputs"), steps[1:])
    found = []
    for row in _later_beside(run, span):
        if not wanted:
            break
        if run.table.name(row) not in wanted:
            if run.table.name(row) == span.name:
                break  # from its next visit on, others read what that one said
            continue
        user = run.spans[row]
        for socket, names in (user.senders or {}).items():
            if span.name in _names(names):
                found.append(_entry(run, user, socket, steps[2:], value))
        if len(found) >= _MOST_FOUND:
            break
    return found


def _entry(run: PipelineRun, user: Span, socket: str, rest: Sequence[Step], value: Any) -> Wired:
    path = field_path("inputs", socket)
    why = "it is a receiver of this output"
    given = follow(field_of(run, user, "inputs"), split(path)[1:])
    there = follow(given, rest)
    if there is not ABSENT and _same(there, value):
        return Wired(user.row, path + joined(rest), why)
    for number, item in enumerate((items_in(given) or ())[:_MOST_FOUND]):
        if _same(follow(item, rest), value):
            return Wired(user.row, f"{path}[{number}]{joined(rest)}", why)
    return Wired(user.row, path, why, exact=False)


def _into_pipeline(run: PipelineRun, span: Span, steps: Sequence[Step]) -> Iterator[Wired]:
    if span.kind is not SpanKind.PIPELINE or len(steps) < 2:
        return
    names = {steps[1].label} if len(steps) > 1 else set()
    for row in run.table.children(span.row)[:_MOST_LOOKED_AT]:
        child = run.spans[row]
        if child.name not in names:
            continue
        rest = steps[2:]
        inputs = field_of(run, child, "inputs")
        socket = rest[0].label if rest else ""
        sent = (child.senders or {}).get(socket)
        if rest and follow(inputs, rest) is not ABSENT and None in _names(sent):
            yield Wired(row, "inputs" + joined(rest), "the caller's inputs name their component")
        elif not rest:
            yield Wired(row, "inputs", "the caller's inputs name their component")
        return


def tool_call_of(
    run: PipelineRun, graph: ValueGraph, span: Span, steps: Sequence[Step]
) -> list[Wired]:
    """Return the reply in which an LLM asked for a tool, and where in it the argument stands."""
    if span.kind is not SpanKind.TOOL:
        return []
    call_id = (span.tool_call or {}).get("id")
    if isinstance(call_id, str):
        asked = [
            place for place in graph.places(f"tool_call {call_id}")
            if place.path.startswith("outputs") and place.row < span.row
            and run.table.kind_of(place.row) in (SpanKind.LLM, SpanKind.COMPONENT)
        ]  # fmt: skip
        if asked:
            return [_argument(run, asked[-1].row, asked[-1].path, steps, recorded=True)]
    return list(_asked_beside(run, span, steps))


def _asked_beside(run: PipelineRun, span: Span, steps: Sequence[Step]) -> Iterator[Wired]:
    """Find a call without an id: the same tool with the same arguments, just before."""
    beside = run.table.children(run.table.parent_row[span.row])
    for at in range(bisect_left(beside, span.row) - 1, -1, -1):
        if run.table.kind_of(beside[at]) is not SpanKind.LLM:
            continue
        replies = items_in(follow(field_of(run, run.spans[beside[at]], "outputs"),
                                  split(".replies"))) or ()  # fmt: skip
        for reply, message in enumerate(replies[:_MOST_FOUND]):
            parts = message.get("content") if isinstance(message, Mapping) else None
            for number, part in enumerate(parts if isinstance(parts, list) else ()):
                match part:
                    case {"tool_call": {"name": span.name, "arguments": arguments}}:
                        if _same(arguments, span.inputs):
                            path = f"outputs.replies[{reply}].content[{number}].tool_call"
                            yield _argument(run, beside[at], path, steps, recorded=False)
                            return
        return


def _argument(
    run: PipelineRun, row: int, path: str, steps: Sequence[Step], *, recorded: bool
) -> Wired:
    why = "this reply asked for it, by the id of the call"
    if not recorded:
        why = "this reply asked for the same tool with the same arguments"
    inner = f"{path}.arguments{joined(steps[1:])}"
    there = follow(field_of(run, run.spans[row], "outputs"), split(inner)[1:])
    if there is ABSENT and len(steps) > 1:
        word = text_preview(steps[1].label, 60)
        return Wired(row, path, f"the call has no `{word}`: the agent put it in, from its state",
                     recorded=False, exact=False)  # fmt: skip
    return Wired(row, inner if there is not ABSENT else path, why, recorded)


def _sockets_to(run: PipelineRun, sender: Span, span: Span, socket: str) -> Sequence[str]:
    """Return the outputs of a component that are connected to an input of another one."""
    receivers = sender.receivers or {}
    found = [name for name, ends in receivers.items() if span.name in _names(ends)]
    if len(found) < 2:
        return found
    meant = [
        name for name in found
        if (f"{sender.name}.{name}", f"{span.name}.{socket}") in _connections(run, span)
    ]  # fmt: skip
    return meant or found


def _connections(run: PipelineRun, span: Span) -> set[tuple[str, str]]:
    """Return the connections of the pipeline that a component is a part of."""
    topology: Any = run.topology
    chain: list[str] = []
    row = run.table.parent_row[span.row]
    while row >= 0:
        if run.table.kind_of(row) is SpanKind.COMPONENT:
            chain.append(run.table.name(row))
        row = run.table.parent_row[row]
    for name in reversed(chain):
        node = topology.get("components", {}).get(name) if isinstance(topology, Mapping) else None
        topology = node.get("topology") if isinstance(node, Mapping) else None
    found = topology.get("connections") if isinstance(topology, Mapping) else None
    return {
        (str(each.get("sender")), str(each.get("receiver")))
        for each in (found if isinstance(found, list) else ())
        if isinstance(each, Mapping)
    }


def _latest_before(run: PipelineRun, span: Span, names: set[str]) -> dict[str, int]:
    rows = run.table.children(run.table.parent_row[span.row])
    found: dict[str, int] = {}
    first = bisect_left(rows, span.row)
    for at in range(first - 1, max(-1, first - _MOST_LOOKED_AT), -1):
        if len(found) == len(names):
            break
        name = run.table.name(rows[at])
        if name in names:
            found.setdefault(name, rows[at])
    return found


def _later_beside(run: PipelineRun, span: Span) -> Sequence[int]:
    rows = run.table.children(run.table.parent_row[span.row])
    first = bisect_left(rows, span.row) + 1
    return rows[first : first + _MOST_LOOKED_AT]


def _names(ends: Any) -> Sequence[Any]:
    items = items_in(ends)
    if items is not None:
        return items
    return [ends] if isinstance(ends, str) else []


def _same(one: Any, other: Any) -> bool:
    try:
        return one is other or bool(one == other)
    except RecursionError:
        return False
