"""Lets a test draw the spans it is about."""

import re
from array import array
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from hypothesis import strategies as st

from inspector.runfile.kinds import KIND_CODE, STATUS_CODE
from inspector.runfile.table import NO_END, NO_PARENT, SpanTable

_LINE = re.compile(
    r"(?P<indent> *)(?P<name>[\w.-]+)(:(?P<kind>\w+))? "
    r"(?P<start>\d+)-(?P<end>\d*)( (?P<status>\w+))?$"
)
_KIND_BY_NAME = {"pipeline", "agent", "step", "llm", "tool", "hook"}


class Drawn(NamedTuple):
    """One span of a drawing."""

    name: str
    kind: str
    start_ns: int
    end_ns: int | None
    parent: int | None
    status: str = "ok"


def table_from_outline(outline: str, *, unit_ns: int = 1_000_000) -> SpanTable:
    """Read a drawing, a span a line, indented below its parent.

    `name:kind start-end status`, in milliseconds: `search:tool 40-60 failed`.
    The kind may be left out where the name says it, as in `llm 10-40`, and is
    `component` otherwise. Without an end a span is unfinished.
    """
    spans: list[Drawn] = []
    open_rows: list[tuple[int, int]] = []
    for line in outline.splitlines():
        if not line.strip():
            continue
        match = _LINE.match(line.rstrip())
        assert match, f"not a span: {line!r}"
        indent = len(match["indent"])
        while open_rows and open_rows[-1][0] >= indent:
            open_rows.pop()
        name = match["name"]
        end_ns = int(match["end"]) * unit_ns if match["end"] else None
        spans.append(
            Drawn(
                name=name,
                kind=match["kind"] or (name if name in _KIND_BY_NAME else "component"),
                start_ns=int(match["start"]) * unit_ns,
                end_ns=end_ns,
                parent=open_rows[-1][1] if open_rows else None,
                status=match["status"] or ("ok" if end_ns is not None else "unfinished"),
            )
        )
        open_rows.append((indent, len(spans) - 1))
    return table_of(spans)


def table_of(spans: Sequence[Drawn]) -> SpanTable:
    """Put spans into columns, in start order as the reader does."""
    order = sorted(range(len(spans)), key=lambda place: spans[place].start_ns)
    row_of = {place: row for row, place in enumerate(order)}
    sorted_spans = [spans[place] for place in order]
    names = sorted({span.name for span in spans})
    codes = {name: code for code, name in enumerate(names)}
    parents = [NO_PARENT if span.parent is None else row_of[span.parent] for span in sorted_spans]
    return SpanTable(
        start_ns=array("q", [span.start_ns for span in sorted_spans]),
        end_ns=array("q", [NO_END if s.end_ns is None else s.end_ns for s in sorted_spans]),
        parent_row=array("i", parents),
        depth=array("i", _depths(parents)),
        kind=array("B", [KIND_CODE[span.kind] for span in sorted_spans]),
        status=array("B", [STATUS_CODE[span.status] for span in sorted_spans]),
        name_code=array("i", [codes[span.name] for span in sorted_spans]),
        marks=array("B", bytes(len(spans))),
        offset=array("q", bytes(8 * len(spans))),
        length=array("q", bytes(8 * len(spans))),
        names=names,
        ids=None,
    )


def _depths(parents: Iterable[int]) -> list[int]:
    above = list(parents)
    depths = []
    for row in range(len(above)):
        depth = 0
        while (row := above[row]) != NO_PARENT:
            depth += 1
        depths.append(depth)
    return depths


@st.composite
def tables(draw: st.DrawFn, *, largest: int = 30, tidy: bool = False) -> SpanTable:
    """Any tree of spans with any times; `tidy` ones start inside their parent and end."""
    count = draw(st.integers(0, largest))
    spans: list[Drawn] = []
    for place in range(count):
        parent = draw(st.none() | st.integers(0, place - 1)) if place else None
        inside = spans[parent] if tidy and parent is not None else None
        earliest = inside.start_ns if inside else 0
        latest = inside.end_ns or 0 if inside else 40
        start_ns = draw(st.integers(earliest, latest))
        length = draw(st.integers(0, 30) if tidy else st.none() | st.integers(0, 30))
        failed = draw(st.booleans())
        spans.append(
            Drawn(
                name=draw(st.sampled_from("abc")),
                kind=draw(st.sampled_from(sorted(KIND_CODE))),
                start_ns=start_ns,
                end_ns=None if length is None else start_ns + length,
                parent=parent,
                status="unfinished" if length is None else "failed" if failed else "ok",
            )
        )
    return table_of(spans)
