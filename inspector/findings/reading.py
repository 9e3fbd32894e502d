"""One run, as the rules read it: what several of them ask for is worked out once."""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from inspector.errors import RunFileError
from inspector.findings.skim import Skim
from inspector.findings.sweep import Sweep, sweep
from inspector.runfile.failures import first_failures
from inspector.runfile.kinds import KIND_CODE, SpanKind
from inspector.runfile.table import NO_PARENT
from inspector.runfile.totals import leaf_calls
from inspector.runfile.value import TAG

if TYPE_CHECKING:
    from inspector.runfile.model import PipelineRun, Span
    from inspector.runfile.span import SpanError

_DEEPEST_CAUSE = 20
_REF = re.compile(rb'"\$ref":"([^"\\]{1,200})"')
_MOST_VALUES = 12
_LONG_VALUE = 20_000
T = TypeVar("T")


class Stopped(Exception):  # noqa: N818 - nothing went wrong
    """Nobody waits for the findings any more."""


class Reading:
    """Gives rules the spans that they look at."""

    def __init__(self, run: PipelineRun, cancelled: Callable[[], bool] | None = None) -> None:
        self.run = run
        self.table = run.table
        self._cancelled = cancelled
        self._kept: dict[str, Any] = {}

    def once(self, name: str, work_out: Callable[[], T]) -> T:
        """Return what several rules ask for under a name, worked out when it is first asked."""
        if name not in self._kept:
            self._kept[name] = work_out()
        found: T = self._kept[name]
        return found

    def spans(self, rows: Sequence[int]) -> Iterator[Span]:
        """Yield the spans in these rows, for as long as somebody waits for what they say.

        Raises:
            Stopped: Nobody does any more.

        """
        for row in rows:
            self.look_up()
            yield self.run.spans[row]

    def look_up(self) -> None:
        """Look up from long work.

        Raises:
            Stopped: Nobody waits for it any more.

        """
        if self._cancelled is not None and self._cancelled():
            raise Stopped

    @cached_property
    def skim(self) -> Skim:
        """What all records say, as far as several rules need it."""
        return Skim(self.run, self.look_up)

    @cached_property
    def sweep(self) -> Sweep:
        """What stands in any place of the run that some rules look for."""
        return sweep(self.run, self.look_up)

    def of_kind(self, kind: SpanKind) -> list[int]:
        """Return the rows of one kind, in start order."""
        code = KIND_CODE[kind]
        return [row for row, each in enumerate(self.table.kind) if each == code]

    @cached_property
    def calls(self) -> list[int]:
        """The rows of the calls of models, without what only passes them on."""
        return leaf_calls(self.run)

    @cached_property
    def failures(self) -> list[int]:
        """The rows at which something went wrong, without its echoes."""
        return first_failures(self.table)

    def namesakes(self, row: int) -> Sequence[int]:
        """Return all rows of the same kind and name, in start order."""
        return self._by_name[self.table.kind[row], self.table.name_code[row]]

    @cached_property
    def _by_name(self) -> dict[tuple[int, int], list[int]]:
        found: dict[tuple[int, int], list[int]] = {}
        for row, key in enumerate(zip(self.table.kind, self.table.name_code, strict=True)):
            found.setdefault(key, []).append(row)
        return found

    def inside(self, row: int) -> list[int]:
        """Return all rows below one, in start order."""
        found = {row}
        rows = []
        parent_row = self.table.parent_row
        # What happens inside of something starts after it, and so stands below it.
        for each in range(row + 1, len(self.table)):
            if parent_row[each] in found:
                found.add(each)
                rows.append(each)
        return rows

    def around(self, row: int) -> Iterator[int]:
        """Yield the rows that one happened inside of, from the innermost out."""
        row = self.table.parent_row[row]
        while row != NO_PARENT:
            yield row
            row = self.table.parent_row[row]

    def agent_of(self, row: int) -> int | None:
        """Return the row of the agent that this happened in."""
        agent = self._agents[row]
        return None if agent == NO_PARENT else agent

    @cached_property
    def _agents(self) -> array[int]:
        code, kind, parent_row = KIND_CODE[SpanKind.AGENT], self.table.kind, self.table.parent_row
        found = array("i", [NO_PARENT]) * len(self.table)
        for row, parent in enumerate(parent_row):
            if parent == NO_PARENT:
                continue
            if parent < row:
                found[row] = parent if kind[parent] == code else found[parent]
            else:  # odd files have children before their parents
                agents = (each for each in self.around(row) if kind[each] == code)
                found[row] = next(agents, NO_PARENT)
        return found

    def reply_json(self, row: int) -> bytes | None:
        """Return the JSON of what a model put out, with what it refers to; None where it is long.

        To rule out at little cost that there is anything to look at.
        """
        text = self.skim.replied.get(row)
        if text is None:
            return None
        whole = [text]
        waiting = _REF.findall(text)
        while waiting and len(whole) <= _MOST_VALUES:
            try:
                part = self.run.values.raw(waiting.pop().decode())
            except (KeyError, RunFileError, UnicodeDecodeError):
                return None
            if len(part) > _LONG_VALUE:
                return None
            whole.append(part)
            waiting += _REF.findall(part)
        return None if waiting else b" ".join(whole)

    def place_of(self, span: Span) -> str:
        """Return where a span is, for a sentence: ` in step 2`, or nothing."""
        code = KIND_CODE[SpanKind.STEP]
        for row in self.around(span.row):
            if self.table.kind[row] == code:
                step = self.run.spans[row].step
                return "" if step is None else f" in step {step}"
        return ""


def named(span: Span) -> str:
    """Return what a sentence calls a span."""
    return f"`{span.name or span.kind}`"


def listed(names: Sequence[str]) -> str:
    """Return names as a sentence has them: `a`, `b` and `c`."""
    quoted = [f"`{name}`" for name in names]
    if len(quoted) < 2:
        return "".join(quoted)
    return f"{', '.join(quoted[:-1])} and {quoted[-1]}"


def counted(number: int, one: str) -> str:
    """Return `1 LLM call`, `2 LLM calls`."""
    return f"{number} {one}{'' if number == 1 else 's'}"


def error_words(span: Span) -> tuple[str, str]:
    """Return what went wrong, as whoever raised it said it, and what that came from.

    Haystack wraps errors into its own, which say no more than where they came by.
    """
    error = span.error
    if error is None:
        return "", ""
    for _ in range(_DEEPEST_CAUSE):
        if error.cause is None or not (error.type or "").startswith("haystack."):
            break
        error = error.cause
    root = error
    for _ in range(_DEEPEST_CAUSE):
        if root.cause is None:
            break
        root = root.cause
    return _error_line(error), _error_line(root) if root is not error else ""


def _error_line(error: SpanError) -> str:
    kind = (error.type or "").rpartition(".")[2]
    message = (error.message or "").strip()
    return f"{kind}: {message}" if kind and message else kind or message


def replies_of(span: Span) -> list[Any] | None:
    """Return what a model answered; None where that was not recorded, or is not a reply."""
    outputs = span.outputs
    replies = outputs.get("replies") if isinstance(outputs, Mapping) else None
    return replies if isinstance(replies, list) else None


def parts_of(message: Any) -> list[Mapping[str, Any]]:
    """Return the parts of a chat message."""
    content = message.get("content") if isinstance(message, Mapping) else None
    found = content if isinstance(content, list) else []
    return [part for part in found if isinstance(part, Mapping)]


def is_tagged(value: Any, *tags: str) -> bool:
    """Say whether a value is one of these, as FORMAT.md calls them."""
    return isinstance(value, Mapping) and value.get(TAG) in tags
