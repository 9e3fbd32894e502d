"""Two runs as one tree: spans that are one operation share a row."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, NamedTuple

from inspector.diff.model import Pairing
from inspector.presentation.outline import span_label
from inspector.presentation.run_tree import is_folded
from inspector.presentation.tree_row import icon_of
from inspector.presentation.visible import one_line
from inspector.presentation.words import duration_words, sentence, status_words
from inspector.runfile.kinds import SpanStatus

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from inspector.diff.model import Comparison, Pair
    from inspector.runfile.model import PipelineRun

NOBODY = -1


class Change(NamedTuple):
    """How a row differs."""

    mark: str
    words: str
    ink: str


SAME = Change("=", "the same", "secondary")
INSIDE = Change("∙", "the same, but not what is inside", "secondary")
DIFFERS = Change("≠", "differs", "changed")
LEFT_ONLY = Change("−", "left only", "failed")
RIGHT_ONLY = Change("+", "right only", "same")

_PAIRINGS = {
    Pairing.MANUAL: "put side by side by hand",
    Pairing.CONTENT: "found by what it was asked",
    Pairing.RENAMED: "renamed",
}


class SideText(NamedTuple):
    """One span in a row."""

    label: str
    icon: str
    kind: str
    role: str
    duration: str
    failed: bool


class CompareTreeRow(NamedTuple):
    """What a row says of both sides."""

    left: SideText | None
    right: SideText | None
    change: Change
    how: str  # how the two were found to belong together, where that is not plain
    spoken: str
    depth: int = 0  # how many rows are around it


class CompareTree:
    """The pairs of a comparison by what they happened inside of. Nodes are numbers of pairs.

    A pair stands where its left span does, and where only the right run has it, in the row
    of what it happened inside of there. An agent stands in the row of its component.
    """

    def __init__(
        self,
        comparison: Comparison,
        left: PipelineRun,
        right: PipelineRun,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> None:
        self.pairs = comparison.pairs
        self._left = left
        self._right = right
        self._of_left = array("i", [NOBODY]) * len(left.spans)
        self._of_right = array("i", [NOBODY]) * len(right.spans)
        for at, pair in enumerate(self.pairs):
            if pair.left is not None:
                self._of_left[pair.left] = at
            if pair.right is not None:
                self._of_right[pair.right] = at
        self.parents = array("i", [NOBODY]) * len(self.pairs)
        self._hosts: dict[int, int] = {}  # agents, and the pair in whose row they stand
        self._children: dict[int, list[int]] = {NOBODY: []}
        self.changed = bytearray(len(self.pairs))  # itself, or anything below it
        self.changed_inside = bytearray(len(self.pairs))
        self._places = array("i", [0]) * len(self.pairs)
        self._ordinals = array("i", [0]) * len(self.pairs)
        self.rows = 0  # how many there are when everything is open
        self._build(cancelled)

    def _build(self, cancelled: Callable[[], bool]) -> None:
        for at, pair in enumerate(self.pairs):
            if at % 1_000 == 0 and cancelled():
                return
            self.parents[at] = self._above(pair)
            if self._is_folded(pair) and self.parents[at] != NOBODY:
                self._hosts[at] = self.parents[at]
        for at in range(len(self.pairs)):
            if at in self._hosts:
                continue
            above = self.parents[at] = self.host(self.parents[at])
            family = self._children.setdefault(above, [])
            self._places[at] = len(family)
            family.append(at)
        waiting = list(reversed(self._children[NOBODY]))
        while waiting:
            node = waiting.pop()
            self._ordinals[node] = self.rows
            self.rows += 1
            waiting += reversed(self.children(node))
        for at, pair in enumerate(self.pairs):
            if pair.same or self.changed[self.host(at)]:
                continue
            node = self.host(at)
            while node != NOBODY and not self.changed[node]:
                self.changed[node] = 1
                node = self.parents[node]
                if node != NOBODY:
                    self.changed_inside[node] = 1

    def _above(self, pair: Pair) -> int:
        if pair.left is not None:
            row = self._left.table.parent_row[pair.left]
            return NOBODY if row < 0 else self._of_left[row]
        assert pair.right is not None
        row = self._right.table.parent_row[pair.right]
        return NOBODY if row < 0 else self._of_right[row]

    def _is_folded(self, pair: Pair) -> bool:
        sides = ((self._left, pair.left), (self._right, pair.right))
        return all(is_folded(run.table, row) for run, row in sides if row is not None)

    def host(self, node: int) -> int:
        """Return the node in whose row a pair stands: itself, but for agents."""
        while node in self._hosts:
            node = self._hosts[node]
        return node

    def children(self, node: int) -> Sequence[int]:
        """Return the nodes below one; `NOBODY` asks for the outermost."""
        return self._children.get(node, ())

    def parent(self, node: int) -> int:
        return self.parents[node]

    def place(self, node: int) -> int:
        return self._places[node]

    def ids(self, node: int) -> tuple[str | None, str | None]:
        """Return the ids of a node's spans."""
        pair = self.pairs[node]
        return (
            None if pair.left is None else self._left.table.id(pair.left),
            None if pair.right is None else self._right.table.id(pair.right),
        )

    def node_of(self, left_id: str | None, right_id: str | None) -> int | None:
        """Return the node at which a span stands."""
        for run, of, span_id in (
            (self._left, self._of_left, left_id), (self._right, self._of_right, right_id),
        ):  # fmt: skip
            row = None if span_id is None else run.table.row_of(span_id)
            if row is not None and of[row] != NOBODY:
                return self.host(of[row])
        return None

    def change(self, node: int) -> Change:
        """Return how a node differs."""
        pair = self.pairs[node]
        if pair.left is None:
            return RIGHT_ONLY
        if pair.right is None:
            return LEFT_ONLY
        if not pair.same:
            return DIFFERS
        return INSIDE if self.changed[node] else SAME

    def _depth(self, node: int) -> int:
        depth = 0
        while (node := self.parents[node]) != NOBODY:
            depth += 1
        return depth

    def ordinal(self, node: int) -> int:
        """Return at which row a node stands when everything is open."""
        return self._ordinals[node]

    def changed_rows(self) -> tuple[dict[int, int], int]:
        """Return at which row each node stands where only what differs is shown; how many."""
        nodes = [at for at in range(len(self.pairs)) if self.changed[at] and at not in self._hosts]
        nodes.sort(key=self._ordinals.__getitem__)
        return {node: row for row, node in enumerate(nodes)}, len(nodes)

    def opened_at_first(self, most: int = 200) -> list[int]:
        """Return what is open at first: what leads to something that differs.

        Where nothing does, the outermost.
        """
        wanted = [
            at for at in range(len(self.pairs))
            if at not in self._hosts and self.changed_inside[at]
        ]  # fmt: skip
        return wanted[:most] or list(self.children(NOBODY))[:most]

    def marks(self) -> list[tuple[int, Change]]:
        """Return every node that differs by itself, in order, for a map of them.

        Of spans around something that differs only the innermost counts, and whatever stands
        alone: that a pipeline puts out something else is no news where a part of it does.
        """
        found = []
        for at, pair in enumerate(self.pairs):
            if pair.same or at in self._hosts:
                continue
            if not self.changed_inside[at] or pair.left is None or pair.right is None:
                found.append((at, self.change(at)))
        return found

    def row(self, node: int) -> CompareTreeRow:
        """Return what the row of a node says."""
        pair = self.pairs[node]
        left = None if pair.left is None else _side(self._left, pair.left)
        right = None if pair.right is None else _side(self._right, pair.right)
        change = self.change(node)
        how = _PAIRINGS.get(pair.how, "")
        known = left or right
        assert known is not None
        name = known.label
        if left and right and left.label != right.label:
            name = f"{left.label}, on the right {right.label}"
        spoken = sentence([name, change.words, how], ", ")
        return CompareTreeRow(left, right, change, how, spoken, self._depth(node))


def _side(run: PipelineRun, row: int) -> SideText:
    span = run.spans[row]
    failed = span.status is SpanStatus.FAILED
    duration = duration_words(run.table.duration_ns(row))
    return SideText(
        label=one_line(span_label(run, row)),
        icon=icon_of(str(span.kind), span.role),
        kind=str(span.kind),
        role=span.role,
        duration=status_words(span.status) if failed else duration,
        failed=failed,
    )


def wanted(nodes: Iterable[int], tree: CompareTree, *, only_changed: bool) -> list[int]:
    """Return those of some nodes that are shown."""
    return [node for node in nodes if tree.changed[node] or not only_changed]
