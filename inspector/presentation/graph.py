"""A pipeline as it was built: components, what is inside of them, what is connected."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from inspector.runfile.kinds import SpanKind

if TYPE_CHECKING:
    from collections.abc import Iterator

OUTSIDE = -1
"""What contains the components of the run itself."""

_DEEPEST = 24
_LLM = "llm"


@dataclass(slots=True, eq=False)
class GraphNode:
    """A component, or what an agent is made of: its LLM and its tools."""

    number: int
    container: int  # the node that this one is inside of, or `OUTSIDE`
    name: str
    kind: SpanKind  # of the spans that stand for it
    role: str
    type: str  # the qualified name of the class, where known
    inputs: Mapping[str, str] = field(default_factory=dict)  # types as text, by socket
    outputs: Mapping[str, str] = field(default_factory=dict)
    description: str = ""
    is_agent: bool = False
    inside: list[int] = field(default_factory=list)

    @property
    def class_name(self) -> str:
        """The last part of the type, which is how people call it."""
        return self.type.rpartition(".")[2]


@dataclass(frozen=True, slots=True)
class GraphEdge:
    """A connection of two sockets, or the calls that an agent's LLM makes of a tool."""

    sender: int
    receiver: int
    output: str = ""
    input: str = ""

    @property
    def is_call(self) -> bool:
        return not self.output


class Graph:
    """Nodes by number; nodes inside of others come after them."""

    def __init__(self) -> None:
        self.nodes: list[GraphNode] = []
        self.edges: list[GraphEdge] = []
        self.outermost: list[int] = []
        self._by_name: dict[tuple[int, str], int] = {}
        self._edges_at: dict[int, list[int]] | None = None
        self._indexed = 0

    def __len__(self) -> int:
        return len(self.nodes)

    def inside(self, container: int) -> Sequence[int]:
        """Return the nodes right inside of another one, or of the run."""
        return self.outermost if container == OUTSIDE else self.nodes[container].inside

    def find(self, container: int, kind: SpanKind, name: str) -> int | None:
        """Return the node that a span of this kind and name stands for."""
        return self._by_name.get((container, _key(kind, name)))

    def around(self, number: int) -> Iterator[int]:
        """Yield the nodes that one is inside of, the nearest first."""
        container = self.nodes[number].container
        while container != OUTSIDE:
            yield container
            container = self.nodes[container].container

    def edges_at(self, number: int) -> Sequence[int]:
        """Return the edges that begin or end at a node, by their place among all."""
        if self._edges_at is None or self._indexed != len(self.edges):
            self._edges_at = {}
            self._indexed = len(self.edges)
            for index, edge in enumerate(self.edges):
                self._edges_at.setdefault(edge.sender, []).append(index)
                if edge.receiver != edge.sender:
                    self._edges_at.setdefault(edge.receiver, []).append(index)
        return self._edges_at.get(number, ())

    def is_drawn_like(self, other: Graph) -> bool:
        """Say whether a drawing of the other graph is one of this one too."""
        return self.edges == other.edges and [
            (node.container, node.kind, node.name, node.type) for node in self.nodes
        ] == [(node.container, node.kind, node.name, node.type) for node in other.nodes]

    def labels(self, number: int) -> list[str]:
        """Return the names of what a node is inside of, from the outermost to its own."""
        return [self.nodes[one].name for one in (*reversed([*self.around(number)]), number)]

    def add(
        self, container: int, kind: SpanKind, name: str, *, role: str, type_: str = ""
    ) -> GraphNode:
        """Add a node; of two with one name, spans find the first."""
        node = GraphNode(len(self.nodes), container, name, kind, role, type_)
        self.nodes.append(node)
        (self.outermost if container == OUTSIDE else self.nodes[container].inside).append(
            node.number
        )
        self._by_name.setdefault((container, _key(kind, name)), node.number)
        return node

    def add_tool(self, agent: int, name: str, type_: str = "") -> GraphNode:
        """Add a tool of an agent, called by its LLM."""
        node = self.add(agent, SpanKind.TOOL, name, role="tool", type_=type_)
        llm = self.find(agent, SpanKind.LLM, _LLM)
        if llm is not None:
            self.edges.append(GraphEdge(llm, node.number))
        return node


def graph_of(topology: Mapping[str, Any] | None) -> Graph:
    """Return the graph of a recorded topology; what is not well-formed is left out."""
    graph = Graph()
    if topology is not None:
        _add_pipeline(graph, OUTSIDE, topology, _DEEPEST)
    return graph


def _add_pipeline(graph: Graph, container: int, topology: Mapping[str, Any], left: int) -> None:
    components = topology.get("components")
    if not isinstance(components, Mapping):
        return
    own: dict[str, int] = {}
    for name, entry in components.items():
        if isinstance(entry, Mapping):
            own[str(name)] = _add_component(graph, container, str(name), entry, left)
    for connection in _mappings(topology.get("connections")):
        sender, _, output = _text(connection.get("sender")).rpartition(".")
        receiver, _, input_ = _text(connection.get("receiver")).rpartition(".")
        if sender in own and receiver in own and output and input_:
            graph.edges.append(GraphEdge(own[sender], own[receiver], output, input_))


def _add_component(
    graph: Graph, container: int, name: str, entry: Mapping[str, Any], left: int
) -> int:
    node = graph.add(
        container,
        SpanKind.COMPONENT,
        name,
        role=_text(entry.get("role")),
        type_=_text(entry.get("type")),
    )
    node.inputs = _sockets(entry.get("inputs"))
    node.outputs = _sockets(entry.get("outputs"))
    _add_inside(graph, node, entry, left)
    return node.number


def _add_inside(graph: Graph, node: GraphNode, entry: Mapping[str, Any], left: int) -> None:
    if not left:
        return
    if isinstance(topology := entry.get("topology"), Mapping):
        _add_pipeline(graph, node.number, topology, left - 1)
    if isinstance(agent := entry.get("agent"), Mapping):
        _add_agent(graph, node, agent, left - 1)


def _add_agent(graph: Graph, node: GraphNode, agent: Mapping[str, Any], left: int) -> None:
    node.is_agent = True
    generator = agent.get("chat_generator")
    type_ = _text(generator.get("type")) if isinstance(generator, Mapping) else ""
    graph.add(node.number, SpanKind.LLM, _LLM, role="llm", type_=type_)
    for tool in _mappings(agent.get("tools")):
        type_ = _text(tool.get("type"))
        name = _text(tool.get("name")) or type_.rpartition(".")[2] or "tool"
        made = graph.add_tool(node.number, name, type_)
        made.description = _text(tool.get("description"))
        _add_inside(graph, made, tool, left)


def _key(kind: SpanKind, name: str) -> str:
    # An agent has one LLM, whatever its spans are called; a tool may be called as it is.
    if kind is SpanKind.LLM:
        return _LLM
    return f"tool:{name}" if kind is SpanKind.TOOL else f"component:{name}"


def _sockets(value: Any) -> dict[str, str]:
    if not isinstance(value, Mapping):
        return {}
    return {str(name): _text(type_) for name, type_ in value.items()}


def _mappings(value: Any) -> list[Mapping[str, Any]]:
    if not isinstance(value, (list, tuple)):
        return []
    return [item for item in value if isinstance(item, Mapping)]


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
