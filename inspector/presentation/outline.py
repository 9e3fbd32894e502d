"""A run as text: one line a span, indented below what it happened inside of."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from inspector.presentation.visible import columns, one_line
from inspector.presentation.walk import Walk
from inspector.presentation.words import (
    duration_words,
    elided,
    kind_words,
    status_mark,
    status_words,
    token_words,
)
from inspector.runfile.columns import MARK_USAGE
from inspector.runfile.kinds import KIND_CODE, STATUS_CODE, SpanKind, SpanStatus

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from inspector.runfile.model import PipelineRun, Span
    from inspector.runfile.usage import Usage

_LONGEST_NAME = 60
_LONGEST_ERROR = 200
# Beyond this the tree is no longer indented: every level would widen every line below it.
_DEEPEST_INDENT = 24
_GAP = "  "
_OK = STATUS_CODE[SpanStatus.OK]
_STEP = KIND_CODE[SpanKind.STEP]
_COMPONENT = KIND_CODE[SpanKind.COMPONENT]


class _Line(NamedTuple):
    tree: str
    kind: str = ""
    duration: str = ""
    tokens: str = ""
    status: str = ""


def outline(run: PipelineRun) -> str:
    """Return the tree of a run in aligned columns, without a final line feed.

    What went wrong stands below the span at which it began; the spans around
    it only say that they failed.
    """
    return "\n".join(outline_lines(run))


def outline_lines(run: PipelineRun) -> Iterator[str]:
    """Yield the lines of `outline`."""
    lines = list(_lines(run))
    cells = [line for line in lines if line.kind]
    name_width = max((columns(line.tree) for line in cells), default=0)
    kind_width = max((columns(line.kind) for line in cells), default=0)
    duration_width = max((columns(line.duration) for line in cells), default=0)
    token_width = max((columns(line.tokens) for line in cells), default=0)
    for line in lines:
        if not line.kind:
            yield line.tree
            continue
        yield _GAP.join(
            (
                _left(line.tree, name_width),
                _left(line.kind, kind_width),
                _right(line.duration, duration_width),
                _right(line.tokens, token_width),
                line.status,
            )
        ).rstrip()


def span_label(run: PipelineRun, row: int) -> str:
    """Return what people call the span in `row`: its name, or which step it is."""
    if run.table.kind[row] == _STEP:
        step = run.spans[row].step
        if step is not None:
            return f"step {step}"
    return one_line(run.table.name(row)) or kind_words(run.table.kind_of(row))


def component_roles(run: PipelineRun) -> dict[int, str]:
    """Return what components do, by the code of their name; one span of each has to say it."""
    table = run.table
    roles: dict[int, str] = {}
    for row, (kind, name) in enumerate(zip(table.kind, table.name_code, strict=True)):
        if kind == _COMPONENT and name not in roles:
            roles[name] = run.spans[row].role
    return roles


def error_sentence(span: Span) -> str:
    """Return what went wrong in a span, in one line, or nothing."""
    error = span.error
    if error is None:
        return ""
    kind = one_line((error.type or "").rpartition(".")[2])
    message = one_line(error.message or "")
    return elided(f"{kind}: {message}" if kind and message else kind or message, _LONGEST_ERROR)


def total_tokens(usage: Usage) -> int | None:
    """Return all tokens of one call, adding up the parts where no total was reported."""
    if usage.total_tokens is not None:
        return usage.total_tokens
    parts = (usage.input_tokens, usage.output_tokens, usage.embedding_tokens)
    known = [part for part in parts if part is not None]
    return sum(known) if known else None


def _lines(run: PipelineRun) -> Iterator[_Line]:
    walk = Walk(run.table)
    failures = set(walk.failures)
    waiting: list[tuple[int, str, str, str]] = [
        (row, "", "", visit) for row, visit in _with_visits(run, walk.children(None))
    ]
    waiting.reverse()
    while waiting:
        row, lead, guide, visit = waiting.pop()
        inside = list(_with_visits(run, walk.children(row)))
        yield _span_line(run, row, lead, visit)
        if row in failures and (words := error_sentence(run.spans[row])):
            stem = f"{guide}│  " if inside else f"{guide}   "
            yield _Line(f"{stem}{status_mark(run.table.status_of(row))} {words}")
        indented = columns(guide) < 3 * _DEEPEST_INDENT
        for place in range(len(inside) - 1, -1, -1):
            child, inner_visit = inside[place]
            last = place == len(inside) - 1
            deeper = guide + ("   " if last else "│  ") if indented else guide
            waiting.append((child, guide + ("└─ " if last else "├─ "), deeper, inner_visit))


def _span_line(run: PipelineRun, row: int, lead: str, visit: str) -> _Line:
    table = run.table
    state = table.status_of(row)
    tokens = ""
    if table.marks[row] & MARK_USAGE:
        usage = run.spans[row].usage
        total = total_tokens(usage) if usage is not None else None
        tokens = token_words(total) if total is not None else ""
    return _Line(
        tree=f"{lead}{elided(span_label(run, row), _LONGEST_NAME)}{visit}",
        kind=kind_words(table.kind_of(row)).lower().replace("llm", "LLM"),
        duration=duration_words(table.duration_ns(row)),
        tokens=tokens,
        status="" if table.status[row] == _OK else f"{status_mark(state)} {status_words(state)}",
    )


def _with_visits(run: PipelineRun, rows: Iterable[int]) -> Iterator[tuple[int, str]]:
    """Pair sibling rows with `#2` and so on, where a name ran more than once."""
    siblings = list(rows)
    name_code, kind = run.table.name_code, run.table.kind
    total = Counter((kind[row], name_code[row]) for row in siblings)
    seen: Counter[tuple[int, int]] = Counter()
    for row in siblings:
        key = kind[row], name_code[row]
        seen[key] += 1
        repeated = total[key] > 1 and kind[row] != _STEP
        yield row, f"#{seen[key]}" if repeated else ""


def _left(text: str, width: int) -> str:
    return text + " " * (width - columns(text))


def _right(text: str, width: int) -> str:
    return " " * (width - columns(text)) + text
