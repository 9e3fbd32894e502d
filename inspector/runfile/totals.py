"""What follows from all spans of a run together: its tokens and its timeline."""

from __future__ import annotations

from array import array
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from zlib import crc32

import msgspec

from inspector.errors import RunFileError
from inspector.runfile.columns import MARK_ERROR, MARK_LLM, MARK_USAGE
from inspector.runfile.kinds import KIND_CODE, SpanStatus
from inspector.runfile.table import NO_PARENT
from inspector.runfile.usage import Usage, recorded_usage, total
from inspector.runfile.value import REF

if TYPE_CHECKING:
    from inspector.runfile.model import PipelineRun
    from inspector.runfile.span import SpanError

# The words of `run.usage`: the first three are those of Haystack and the feature request.
_USAGE_WORDS = (
    ("prompt_tokens", "input_tokens"),
    ("completion_tokens", "output_tokens"),
    ("total_tokens", "total_tokens"),
    ("cached_tokens", "cached_input_tokens"),
    ("cache_write_tokens", "cache_write_tokens"),
    ("reasoning_tokens", "reasoning_tokens"),
    ("audio_input_tokens", "audio_input_tokens"),
    ("audio_output_tokens", "audio_output_tokens"),
    ("embedding_tokens", "embedding_tokens"),
)
_LLM = KIND_CODE["llm"]
_ON_TIMELINE = frozenset(KIND_CODE[kind] for kind in ("component", "step", "llm", "tool"))


@dataclass(frozen=True, slots=True)
class TimelineEntry:
    """One visit of a component, step of an agent, LLM call or tool call."""

    path: str
    start_ns: int
    duration_ns: int | None
    status: SpanStatus
    error: SpanError | None


class _Used(msgspec.Struct):
    usage: dict[str, Any] | None = None


class _Placed(msgspec.Struct):
    path: str = ""


_USED = msgspec.json.Decoder(_Used)
_PLACED = msgspec.json.Decoder(_Placed)
_UNREADABLE = (msgspec.MsgspecError, RecursionError, UnicodeDecodeError)


def leaf_calls(run: PipelineRun) -> list[int]:
    """Return the rows of the calls of models that contain no other such call, in start order.

    What contains one reports the sum of calls that report themselves.
    """
    table = run.table
    counted = [
        row
        for row, (mark, kind) in enumerate(zip(table.marks, table.kind, strict=True))
        if mark & (MARK_USAGE | MARK_LLM) or kind == _LLM
    ]
    holds_others = bytearray(len(table))
    for row in counted:
        above = table.parent_row[row]
        while above != NO_PARENT and not holds_others[above]:
            holds_others[above] = 1
            above = table.parent_row[above]
    return [row for row in counted if not holds_others[row]]


def usage_of(run: PipelineRun) -> dict[str, int] | None:
    """Return the tokens of all calls of models, each counted once."""
    marks, kinds = run.table.marks, run.table.kind
    found: list[Usage] = []
    calls = unknown = 0
    for row in leaf_calls(run):
        usage = _usage_in(run, row) if marks[row] & MARK_USAGE else None
        if usage is not None and usage.known:
            found.append(usage)
            calls += usage.embedding_tokens is None
        elif marks[row] & MARK_LLM or kinds[row] == _LLM:
            unknown += 1
    summed = total(found) or Usage()
    figures = {ours: getattr(summed, name) for ours, name in _USAGE_WORDS}
    known = {ours: figure for ours, figure in figures.items() if figure is not None}
    if not known and not unknown:
        return None
    return {**known, "calls": calls + unknown, "unknown_calls": unknown}


def timeline_of(run: PipelineRun) -> list[TimelineEntry]:
    """Return each component visit, agent step, LLM call and tool call, in start order."""
    table = run.table
    found = []
    for row, kind in enumerate(table.kind):
        if kind not in _ON_TIMELINE:
            continue
        error = run.spans[row].error if table.marks[row] & MARK_ERROR else None
        found.append(
            TimelineEntry(
                _path_in(run, row, _text(run, row)),
                table.start_ns[row],
                table.duration_ns(row),
                table.status_of(row),
                error,
            )
        )
    return found


class PathIndex:
    """Finds spans by their path: four bytes a span, and a look at the record to be sure."""

    def __init__(self, run: PipelineRun) -> None:
        self._run = run
        self._sums = array("I", bytes(4 * len(run.table)))
        with suppress(RunFileError):  # the file changed: the run says so among its problems
            for row, text in run.record_texts():
                self._sums[row] = crc32(_path_in(run, row, text).encode("utf-8", "replace"))

    def find(self, path: str) -> int | None:
        """Return the first row with this path."""
        wanted = crc32(path.encode("utf-8", "replace"))
        row = -1
        while True:
            try:
                row = self._sums.index(wanted, row + 1)
            except ValueError:
                return None
            if _path_in(self._run, row, _text(self._run, row)) == path:
                return row


def rows_by_path(run: PipelineRun) -> dict[str, int]:
    """Return the first row of each path: for those who look for nearly all of them."""
    found: dict[str, int] = {}
    with suppress(RunFileError):  # the file changed: the run says so among its problems
        for row, text in run.record_texts():
            path = _path_in(run, row, text)
            if row < found.get(path, row + 1):
                found[path] = row
    return found


def _text(run: PipelineRun, row: int) -> bytes:
    try:
        return run.record_text(row)
    except RunFileError:
        return b"{}"


def _path_in(run: PipelineRun, row: int, text: bytes) -> str:
    try:
        return _PLACED.decode(text).path
    except _UNREADABLE:
        return run.spans[row].path


def _usage_in(run: PipelineRun, row: int) -> Usage | None:
    try:
        tree = _USED.decode(_text(run, row)).usage
    except _UNREADABLE:
        return run.spans[row].usage
    if tree is not None and REF in tree:  # kept once, as a replay has it from its recording
        return run.spans[row].usage
    return None if tree is None else recorded_usage(tree)
