"""What the cards and edges of a graph say."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from inspector.presentation.graph_traces import MOST_LOOKED_INTO
from inspector.presentation.tree_row import icon_of
from inspector.presentation.visible import one_line
from inspector.presentation.words import (
    THIN,
    duration_words,
    elided,
    kind_words,
    number_words,
    plural,
    sentence,
    status_mark,
)
from inspector.runfile.kinds import SpanKind

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from inspector.presentation.graph import GraphEdge, GraphNode
    from inspector.presentation.graph_traces import Bounds, NodeState, Traces

UNINVITED = "ran although its route was not taken"
_UNINVITED_VISITS = "although its route was not taken"
_MOST_IN_A_LINE = 3
_LONGEST_NAME = 48
_LONGEST_LABEL = 28
_LONGEST_TYPE = 60
_MOST_NAMED = 12
# `haystack.dataclasses.document.Document` is called `Document` by everybody.
_MODULES = re.compile(r"(?:\b[A-Za-z_]\w*\.)+(?=[A-Za-z_])")


@dataclass(frozen=True, slots=True)
class CardWords:
    """What a card says, and of what it is made to look."""

    name: str
    detail: str  # the class, or what the card stands for
    count: str  # `×3`, or nothing for a single visit
    duration: str
    mark: str  # of a state that is not simply "ran"
    icon: str
    kind: str
    role: str
    ran: bool
    failed: bool  # in some visit
    failed_always: bool
    uninvited: bool
    running: bool
    spoken: str


def card_words(traces: Traces, number: int, bounds: Bounds | None) -> CardWords:
    """Return what the card of a node says of a stretch of time."""
    node = traces.graph.nodes[number]
    state = traces.state(number, bounds)
    ran = state.visits > 0
    name = node_name(node)
    mark = status_mark("failed") if state.failed else status_mark("running") * state.is_running
    return CardWords(
        name=name,
        detail=node_detail(node),
        count=f"×{THIN}{number_words(state.visits)}" if state.visits > 1 else "",
        duration=duration_words(state.took_ns) if ran and not state.is_running else "",
        mark=mark,
        icon=icon_of(str(node.kind), node.role),
        kind=str(node.kind),
        role=node.role,
        ran=ran,
        failed=state.failed > 0,
        failed_always=0 < state.failed == state.visits,
        uninvited=state.uninvited > 0,
        running=state.is_running,
        spoken=sentence([name, _sort(node), *_state_words(state, ranged=bounds is not None)], ", "),
    )


def node_name(node: GraphNode) -> str:
    """Return what people call a node."""
    if node.kind is SpanKind.LLM:
        return "LLM"
    return elided(one_line(node.name), _LONGEST_NAME) or "unnamed"


def node_detail(node: GraphNode) -> str:
    """Return what a node is, in the small words below its name."""
    if node.kind == "tool":
        return "tool" if node.class_name in ("", "Tool") else one_line(node.class_name)
    return elided(one_line(node.class_name), _LONGEST_NAME)


def edge_label(edge: GraphEdge) -> str:
    """Return the sockets of an edge: one name where both have the same."""
    if edge.is_call:
        return ""
    sender, receiver = one_line(edge.output), one_line(edge.input)
    both = sender if sender == receiver else f"{sender} → {receiver}"
    return both if len(both) <= _LONGEST_LABEL else elided(sender, _LONGEST_LABEL)


def route_label(edge: GraphEdge) -> str:
    """Return the name of a route: the socket that its sender chose."""
    return elided(one_line(edge.output), _LONGEST_LABEL)


def edge_words(traces: Traces, number: int, bounds: Bounds | None) -> str:
    """Return an edge in words: from where to where, and how often."""
    return sentence(list(edge_lines(traces, number, bounds)))


def edge_lines(traces: Traces, number: int, bounds: Bounds | None) -> tuple[str, str]:
    """Return an edge in two lines: from where to where, and how often what went over it."""
    edge = traces.graph.edges[number]
    sender, receiver = (node_name(traces.graph.nodes[one]) for one in (edge.sender, edge.receiver))
    passed = traces.passed(number, bounds)
    if edge.is_call:
        return f"{sender} → {receiver}", plural(passed, "call") if passed else "not called"
    where = f"{sender}.{one_line(edge.output)} → {receiver}.{one_line(edge.input)}"
    type_ = traces.graph.nodes[edge.sender].outputs.get(edge.output, "")
    how = (
        plural(passed, "value")
        if passed
        else "not taken"
        if traces.was_withheld(number)
        else "nothing went over it"
    )
    return where, sentence([how, type_words(type_)])


def node_tip(traces: Traces, number: int, bounds: Bounds | None) -> list[str]:
    """Return what hovering over a node says, the most important line first."""
    node, state = traces.graph.nodes[number], traces.state(number, bounds)
    lines = [
        node_name(node),
        sentence([_sort(node), *_state_words(state, ranged=bounds is not None)]),
        elided(one_line(node.description), 2 * _LONGEST_TYPE),
    ]
    for title, sockets in (("in", node.inputs), ("out", node.outputs)):
        lines += _socket_lines(title, sockets)
    return [line for line in lines if line]


def node_line(traces: Traces, number: int, bounds: Bounds | None) -> str:
    """Return what a node is and what became of it in one line, the latter first."""
    node, state = traces.graph.nodes[number], traces.state(number, bounds)
    return sentence([node_name(node), *_state_words(state, ranged=bounds is not None), _sort(node)])


def graph_summary(traces: Traces, bounds: Bounds | None) -> str:
    """Return how much of a pipeline ran."""
    outermost = [traces.state(node, bounds) for node in traces.graph.outermost]
    ran = sum(state.visits > 0 for state in outermost)
    refused = sum(traces.was_withheld(edge) for edge in range(len(traces.graph.edges)))
    return sentence(
        [
            f"{number_words(ran)} of {plural(len(outermost), 'component')} ran",
            f"{plural(refused, 'route')} not taken" if refused else "",
            f"values were followed for the first {plural(MOST_LOOKED_INTO, 'visit')}"
            if traces.is_partial
            else "",
        ]
    )


def sockets_line(traces: Traces, number: int) -> str:
    """Return a node's sockets and their types in one line."""
    node = traces.graph.nodes[number]
    joined, taken, refused = set(), set(), set()
    for index in traces.graph.edges_at(number):
        edge = traces.graph.edges[index]
        if edge.receiver == number:
            joined.add(edge.input)
        if edge.sender == number and traces.passed(index, None):
            taken.add(edge.output)
        elif edge.sender == number and traces.was_withheld(index):
            refused.add(edge.output)
    refused -= taken
    return sentence(
        [
            _listed("in", node.inputs, joined, frozenset()),
            _listed("out", node.outputs, taken | refused, refused),
        ],
        "  ·  ",
    )


def _listed(
    title: str, sockets: Mapping[str, str], joined: Collection[str], refused: Collection[str]
) -> str:
    """Return the first sockets in words, those with connections before the others."""
    names = sorted(sockets, key=lambda name: name not in joined)
    words = [
        f"{one_line(name)}: {type_words(sockets[name])}{' (not taken)' * (name in refused)}"
        for name in names[:_MOST_IN_A_LINE]
    ]
    more = f" +{number_words(len(names) - len(words))}" if len(names) > len(words) else ""
    return f"{title} {', '.join(words)}{more}" if words else ""


def sends_to(traces: Traces, number: int, bounds: Bounds | None) -> str:
    """Return in words to whom a node sent something, and to whom it did not."""
    given: dict[str, None] = {}
    kept: dict[str, None] = {}
    for index in traces.graph.edges_at(number):
        edge = traces.graph.edges[index]
        if edge.sender == number:
            name = node_name(traces.graph.nodes[edge.receiver])
            (given if traces.passed(index, bounds) else kept)[name] = None
    lost = [f"not {name}" for name in kept if name not in given]
    return ", ".join([*given, *lost])


def type_words(type_: str) -> str:
    """Return a type as people write it: `list[Document]`, without modules."""
    return elided(_MODULES.sub("", one_line(type_)), _LONGEST_TYPE)


def _sort(node: GraphNode) -> str:
    return node_detail(node) or kind_words(str(node.kind))


def _state_words(state: NodeState, *, ranged: bool) -> Sequence[str]:
    if not state.visits:
        return ["did not run in this stretch of time" if ranged else "did not run"]
    if state.visits > 1:
        words = [f"ran {number_words(state.visits)} times", duration_words(state.took_ns)]
        if state.failed:
            words.append(f"failed {number_words(state.failed)}×")
        if state.uninvited:
            words.append(f"{number_words(state.uninvited)}× {_UNINVITED_VISITS}")
        return words
    if state.is_running:
        return ["running"]
    ran = UNINVITED if state.uninvited else "ran once"
    return [ran, duration_words(state.took_ns), *["failed"] * bool(state.failed)]


def _socket_lines(title: str, sockets: Mapping[str, str]) -> list[str]:
    named = [f"{title} {one_line(name)}: {type_words(kind)}" for name, kind in sockets.items()]
    if len(named) > _MOST_NAMED:
        rest = len(named) - _MOST_NAMED
        return [*named[:_MOST_NAMED], f"and {number_words(rest)} more"]
    return named
