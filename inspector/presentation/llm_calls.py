"""Which spans are calls of an LLM, wherever they stand."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from inspector.runfile.kinds import KIND_CODE, SpanKind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from inspector.runfile.model import PipelineRun

_LLM, _COMPONENT = (KIND_CODE[kind] for kind in (SpanKind.LLM, SpanKind.COMPONENT))
_ROLE = "llm"
_FEW = 200  # records that are looked up one by one sooner than in one pass through all


class _Record(msgspec.Struct):
    role: str = ""


_ROLES = msgspec.json.Decoder(_Record)


def llm_flags(run: PipelineRun) -> bytearray:
    """Return 1 for each row that is a call of an LLM, and 0 for the others.

    A generator that stands in a pipeline by itself is one call a visit. It is
    a component by its kind; the recorder says in its role what it does.
    """
    table = run.table
    flags = bytearray(kind == _LLM for kind in table.kind)
    # The first visit of each name speaks for the others: there are far more spans than names.
    first: dict[int, int] = {}
    for row, (kind, name) in enumerate(zip(table.kind, table.name_code, strict=True)):
        if kind == _COMPONENT:
            first.setdefault(name, row)
    speaks = {table.name_code[row] for row in _speaking(run, set(first.values()))}
    if speaks:
        for row, (kind, name) in enumerate(zip(table.kind, table.name_code, strict=True)):
            if kind == _COMPONENT and name in speaks:
                flags[row] = True
    return flags


def _speaking(run: PipelineRun, rows: set[int]) -> Iterator[int]:
    """Yield those of some rows whose role is that of an LLM."""
    if len(rows) <= _FEW:
        yield from (row for row in rows if run.spans[row].role == _ROLE)
        return
    for row, text in run.record_texts():
        if row in rows:
            try:
                role = _ROLES.decode(text).role
            except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
                role = run.spans[row].role
            if role == _ROLE:
                yield row
