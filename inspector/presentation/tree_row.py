"""What one row of the component tree says."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import compress
from typing import TYPE_CHECKING

from inspector.presentation.outline import span_label, total_tokens
from inspector.presentation.run_tree import PAGE, agent_within
from inspector.presentation.words import (
    THIN,
    UNKNOWN,
    duration_words,
    kind_words,
    number_words,
    one_line,
    plural,
    sentence,
    status_words,
)
from inspector.runfile.kinds import STATUS_CODE, RunStatus, SpanKind, SpanStatus
from inspector.runfile.table import NO_END

if TYPE_CHECKING:
    from collections.abc import Sequence

    from inspector.presentation.run_tree import RunTree
    from inspector.runfile.model import PipelineRun
    from inspector.runfile.table import SpanTable

_FAILED = STATUS_CODE[SpanStatus.FAILED]
# Roles whose picture says more than that of their kind.
_ROLE_ICONS = {
    "retrieval", "embedding", "ranking", "routing", "joining", "prompt", "validation",
    "conversion", "fetch", "write", "llm", "agent", "pipeline", "tool",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class TreeRow:
    """The words and figures of one row, ready to be drawn."""

    label: str
    detail: str
    kind: str
    role: str
    icon: str
    status: SpanStatus
    failed_inside: bool
    duration: str
    share: float  # of the whole run's time, 0 to 1
    tokens: str
    spoken: str  # all of it in words, for those who listen
    running: bool = False  # has no end because it is still going on


def tree_row(run: PipelineRun, tree: RunTree, node: int) -> TreeRow:
    """Return what the row of a node says."""
    if visits := tree.visits(node):
        return _visits_row(run, tree, node, visits)
    if page := tree.page(node):
        return _page_row(run, tree, node, page)
    row = tree.row(node)
    if row is None:
        raise IndexError(node)
    span = run.spans[row]
    duration_ns = run.table.duration_ns(row)
    role = span.role
    label = span_label(run, row)
    number = _visit_number(tree, node)
    is_visit = number > 0
    if is_visit:
        label = f"visit {number_words(number)}"
    detail = (
        _error_kind(run, row)
        or _steps(run, row)
        or ("" if is_visit else _type_words(span.type, {label, str(span.kind), role}))
    )
    tokens = _token_figure(run, row)
    duration = duration_words(duration_ns)
    running = span.status is SpanStatus.UNFINISHED and run.status is RunStatus.RUNNING
    return TreeRow(
        label=label,
        detail=detail,
        kind=str(span.kind),
        role=role,
        icon=icon_of(str(span.kind), role),
        status=span.status,
        failed_inside=tree.failed_inside(node),
        duration=duration,
        share=_share(run, duration_ns),
        tokens=tokens,
        spoken=sentence(
            [
                label,
                kind_words(str(span.kind)).lower().replace("llm", "LLM"),
                status_words(RunStatus.RUNNING if running else span.status),
                detail,
                duration if duration != UNKNOWN else "",
                f"{tokens} tokens" if tokens else "",
            ],
            ", ",
        ),
        running=running,
    )


def icon_of(kind: str, role: str = "") -> str:
    """Return the name of the icon for a span: that of what it does, else of its kind."""
    if kind == SpanKind.COMPONENT and role in _ROLE_ICONS:
        return role
    return kind


def _visits_row(run: PipelineRun, tree: RunTree, node: int, visits: Sequence[int]) -> TreeRow:
    table = run.table
    first = run.spans[visits[0]]
    spent_ns = _spent_ns(table, visits)
    failed = bytes(map(table.status.__getitem__, visits)).count(_FAILED)
    last = table.status_of(visits[-1])
    label = span_label(run, visits[0])
    detail = f"×{THIN}{number_words(len(visits))}"
    return TreeRow(
        label=label,
        detail=detail,
        kind=str(first.kind),
        role=first.role,
        icon=icon_of(str(first.kind), first.role),
        status=SpanStatus.FAILED if failed == len(visits) else last,
        failed_inside=bool(failed) or tree.failed_inside(node),
        duration=duration_words(spent_ns),
        share=_share(run, spent_ns),
        tokens="",
        spoken=sentence(
            [
                label,
                kind_words(str(first.kind)).lower(),
                plural(len(visits), "visit"),
                f"{number_words(failed)} failed" if failed else "",
                duration_words(spent_ns),
            ],
            ", ",
        ),
    )


def _spent_ns(table: SpanTable, visits: Sequence[int]) -> int | None:
    """Return how long the visits took that have ended; there may be a hundred thousand.

    None where the end of none is known.
    """
    ends = list(map(table.end_ns.__getitem__, visits))
    if NO_END in ends:
        visits = list(compress(visits, map(NO_END.__ne__, ends)))
        ends = list(map(table.end_ns.__getitem__, visits))
    if not ends:
        return None
    return sum(ends) - sum(map(table.start_ns.__getitem__, visits))


def _page_row(run: PipelineRun, tree: RunTree, node: int, page: Sequence[int]) -> TreeRow:
    table = run.table
    first = tree.place(node) * PAGE
    label = f"{number_words(first + 1)} to {number_words(first + len(page))}"
    start_ns = table.start_ns[page[0]]
    last = table.end_ns[page[-1]]
    spent_ns = None if last < start_ns else last - start_ns
    duration = duration_words(spent_ns)
    return TreeRow(
        label=label,
        detail=f"from {span_label(run, page[0])}",
        kind=str(SpanKind.OTHER),
        role="",
        icon="visits",
        status=SpanStatus.OK,
        failed_inside=tree.failed_inside(node),
        duration=duration,
        share=_share(run, spent_ns),
        tokens="",
        spoken=f"{label}, from {span_label(run, page[0])}, {duration}",
    )


def _visit_number(tree: RunTree, node: int) -> int:
    """Return which visit of its component a row is, from 1; 0 where there is but one."""
    above, number = tree.parent(node), tree.place(node) + 1
    if tree.is_page(above):
        number += tree.place(above) * PAGE
        above = tree.parent(above)
    return number if tree.visits(above) else 0


def _share(run: PipelineRun, duration_ns: int | None) -> float:
    whole_ns = run.duration_ns or run.table.end_of_run()
    if not whole_ns or duration_ns is None:
        return 0.0
    return min(1.0, duration_ns / whole_ns)


def _steps(run: PipelineRun, row: int) -> str:
    """Return how many turns an agent took."""
    table = run.table
    agent = row if table.kind_of(row) is SpanKind.AGENT else agent_within(table, row)
    if agent is None:
        return ""
    steps = sum(table.kind_of(child) is SpanKind.STEP for child in table.children(agent))
    return plural(steps, "step") if steps else ""


def _error_kind(run: PipelineRun, row: int) -> str:
    if run.table.status_of(row) is not SpanStatus.FAILED:
        return ""
    error = run.spans[row].error
    return one_line(error.type).rpartition(".")[2] if error else ""


def _type_words(qualified: str, said: set[str]) -> str:
    """Return the name of a class where it says more than label and icon do already."""
    kind = one_line(qualified).rpartition(".")[2]
    return "" if kind.lower() in {word.replace("_", "").lower() for word in said} else kind


def _token_figure(run: PipelineRun, row: int) -> str:
    span = run.spans[row]
    if not span.has("usage"):
        return ""
    usage = span.usage
    total = total_tokens(usage) if usage is not None else None
    return "" if total is None else number_words(total)
