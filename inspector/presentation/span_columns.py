"""What a search compares, as columns: from the table at once, from the records in one pass.

A mask is a number with one byte a row, 1 where something is so: `&`, `|` and `^` then
take all rows of a run in one step.
"""

from __future__ import annotations

from array import array
from functools import cached_property
from itertools import compress
from math import ceil, floor
from operator import sub
from typing import TYPE_CHECKING

import msgspec

from inspector.presentation.llm_calls import llm_flags
from inspector.presentation.needle import Needle
from inspector.presentation.outline import total_tokens
from inspector.presentation.query import Holds, Is, Within
from inspector.runfile.columns import MARK_ERROR, MARK_USAGE
from inspector.runfile.kinds import KIND_CODE, STATUS_CODE
from inspector.runfile.table import NO_END

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from decimal import Decimal

    from inspector.presentation.notes import Mark
    from inspector.runfile.model import PipelineRun, Span

    Mask = int
    Cancelled = Callable[[], bool]
    Progress = Callable[[float], None]

UNKNOWN = -1
_LOOK_UP = 512  # rows between two looks at whether to stop
_MOST = 2**62


class StoppedError(Exception):
    """Whoever asked does not want to know any more."""


def mask_of(flags: Iterable[int]) -> Mask:
    """Return a mask from a 0 or 1 for each row."""
    return int.from_bytes(bytes(flags), "little")


def rows_of(mask: Mask, count: int) -> list[int]:
    """Return the rows that a mask holds, in order."""
    return list(compress(range(count), mask.to_bytes(count, "little"))) if mask else []


class _Facts(msgspec.Struct):
    """What of a record is compared. The rest is skipped."""

    type: str = ""
    visit: int | None = None
    step: int | None = None
    usage: msgspec.Raw = msgspec.Raw()
    llm: msgspec.Raw = msgspec.Raw()
    inputs: msgspec.Raw = msgspec.Raw()
    arguments: msgspec.Raw = msgspec.Raw()
    outputs: msgspec.Raw = msgspec.Raw()
    state_changes: msgspec.Raw = msgspec.Raw()
    chunks: msgspec.Raw = msgspec.Raw()


class _Model(msgspec.Struct):
    name: str = ""


class _Used(msgspec.Struct):
    total_tokens: int | None = None


_FACTS = msgspec.json.Decoder(_Facts)
_MODEL = msgspec.json.Decoder(_Model)
_USED = msgspec.json.Decoder(_Used)
_UNREADABLE = (msgspec.MsgspecError, RecursionError, UnicodeDecodeError)
_INPUT, _OUTPUT, _STATE, _STREAM, _MODELLED = 1, 2, 4, 8, 16
_FLAGS = {"input": _INPUT, "output": _OUTPUT, "state": _STATE, "stream": _STREAM,
          "model": _MODELLED}  # fmt: skip


class _Codes(dict[str, int]):
    def __missing__(self, word: str) -> int:
        code = self[word] = len(self)
        return code


class SpanColumns:
    """The columns of one run; those that need the records are made when first asked for."""

    def __init__(self, run: PipelineRun) -> None:
        self._run = run
        self.count = len(run.table)
        self.full: Mask = int.from_bytes(b"\1" * self.count, "little")
        self._read = False
        self._visit = array("q")
        self._step = array("q")
        self._tokens = array("q")
        self._flags = bytearray()
        self._types = _Codes()
        self._type_code = array("I")
        self._models = _Codes()
        self._model_code = array("I")
        self._amounts: dict[int, Decimal] | None = None
        self.marks: Mapping[int, Mark] = {}  # what a person left at spans, by row

    @property
    def is_read(self) -> bool:
        """Whether the records were gone through."""
        return self._read

    def names(self) -> list[str]:
        """Return the different names of spans."""
        return list(self._run.table.names)

    def types(self) -> list[str]:
        """Return the different types, as far as the records were read."""
        return [name for name in self._types if name]

    def models(self) -> list[str]:
        """Return the different models, as far as the records were read."""
        return [name for name in self._models if name]

    def from_table(self, part: Is | Holds | Within) -> Mask | None:
        """Return the rows of which a part is so; None where the table does not say."""
        table = self._run.table
        match part:
            case Is("kind", "llm"):
                return self.llm_calls
            case Is("kind", word):
                return self._equal(table.kind, KIND_CODE[word])
            case Is("status", word):
                return self._equal(table.status, STATUS_CODE[word])
            case Is("has", "error"):
                return self._marked(MARK_ERROR)
            case Is("has", "usage"):
                return self._marked(MARK_USAGE)
            case Is("has", "note"):
                return self._where(row for row, mark in self.marks.items() if mark.note)
            case Is("has", "bookmark"):
                return self._where(row for row, mark in self.marks.items() if mark.bookmarked)
            case Holds("note", text, whole):
                needle = Needle(text, whole=whole)
                noted = ((row, mark.note) for row, mark in self.marks.items() if mark.note)
                return self._where(row for row, note in noted if needle.stands_in(note))
            case Holds("name", text, whole):
                return self._coded(table.names, table.name_code, Needle(text, whole=whole))
            case Within("duration"):
                low, high = _bounds(part)
                if high == _MOST:  # the usual question, and much quicker to answer
                    return mask_of([took >= low for took in self._durations])
                return mask_of([low <= took <= high for took in self._durations])
        return None

    @cached_property
    def llm_calls(self) -> Mask:
        """Return the rows that are calls of an LLM, a generator in a pipeline among them."""
        return mask_of(llm_flags(self._run))

    @cached_property
    def _durations(self) -> array[int]:
        """How long each span took; less than nothing of one that has not ended."""
        table = self._run.table
        return array("q", map(sub, table.end_ns, table.start_ns))

    def in_time(self, bounds: tuple[int, int]) -> Mask:
        """Return the rows that reach into a stretch of time."""
        table, (first, last) = self._run.table, bounds
        return mask_of(
            [
                start <= last and (end >= first or end == NO_END)
                for start, end in zip(table.start_ns, table.end_ns, strict=True)
            ]
        )

    def from_records(
        self, part: Is | Holds | Within, cancelled: Cancelled, progress: Progress
    ) -> Mask | None:
        """Return the rows of which a part is so; None where their values have to be read."""
        match part:
            case Within("cost") | Is("has", "cost"):
                return self._priced(part)
            case Within("visit" | "step" | "tokens" as key):
                self.read(cancelled, progress)
                column = {"visit": self._visit, "step": self._step, "tokens": self._tokens}[key]
                low, high = _bounds(part)
                return mask_of([number >= 0 and low <= number <= high for number in column])
            case Is("has", word) if word in _FLAGS:
                self.read(cancelled, progress)
                wanted = _FLAGS[word]
                chosen = bytes(int(bool(code & wanted)) for code in range(256))
                return int.from_bytes(self._flags.translate(chosen), "little")
            case Holds("type", text, whole):
                self.read(cancelled, progress)
                return self._coded(self._types, self._type_code, Needle(text, whole=whole))
            case Holds("model", text, whole):
                self.read(cancelled, progress)
                return self._coded(self._models, self._model_code, Needle(text, whole=whole))
        return None

    def read(self, cancelled: Cancelled, progress: Progress) -> None:
        """Go through the records once.

        Raises:
            StoppedError: It was cancelled; the next call begins again.
            RunFileError: The file is not there any more.

        """
        if self._read:
            return
        count = self.count
        self._visit = array("q", bytes(8 * count))
        self._step = array("q", [UNKNOWN]) * count
        self._tokens = array("q", [UNKNOWN]) * count
        self._type_code = array("I", bytes(4 * count))
        self._model_code = array("I", bytes(4 * count))
        self._flags = bytearray(count)
        self._types.clear()
        self._models.clear()
        self._types[""] = self._models[""] = 0
        for done, (row, text) in enumerate(self._run.record_texts()):
            if not done % _LOOK_UP:
                if cancelled():
                    raise StoppedError
                progress(done / count)
            try:
                facts = _FACTS.decode(text)
                if _is_elsewhere(facts.usage) or _is_elsewhere(facts.llm):
                    self._mend(row, self._run.spans[row])
                else:
                    self._take(row, facts)
            except _UNREADABLE:
                self._mend(row, self._run.spans[row])
        self._read = True

    def _take(self, row: int, facts: _Facts) -> None:
        self._visit[row] = min(1 if facts.visit is None else facts.visit, _MOST)
        if facts.step is not None:
            self._step[row] = min(facts.step, _MOST)
        self._type_code[row] = self._types[facts.type]
        flags = (
            (_INPUT if facts.inputs or facts.arguments else 0)
            | (_OUTPUT if facts.outputs else 0)
            | (_STATE if facts.state_changes else 0)
            | (_STREAM if facts.chunks else 0)
        )
        if facts.usage:
            tokens = _USED.decode(facts.usage).total_tokens
            if tokens is None:
                tokens = _tokens_in(self._run.spans[row])
            self._tokens[row] = UNKNOWN if tokens is None else min(tokens, _MOST)
        if facts.llm:
            model = _MODEL.decode(facts.llm).name
            self._model_code[row] = self._models[model]
            flags |= _MODELLED if model else 0
        self._flags[row] = flags

    def _mend(self, row: int, span: Span) -> None:
        """Take a record field by field, of which not all can be read."""
        tokens, step = _tokens_in(span), span.step
        model = (span.llm or {}).get("name")
        model = model if isinstance(model, str) else ""
        self._visit[row] = max(min(span.visit, _MOST), UNKNOWN)
        self._step[row] = UNKNOWN if step is None else max(min(step, _MOST), UNKNOWN)
        self._type_code[row] = self._types[span.type]
        self._tokens[row] = UNKNOWN if tokens is None else min(tokens, _MOST)
        self._model_code[row] = self._models[model]
        self._flags[row] = (
            (_INPUT if span.has("inputs") or span.has("arguments") else 0)
            | (_OUTPUT if span.has("outputs") else 0)
            | (_STATE if span.has("state_changes") else 0)
            | (_STREAM if span.has("chunks") else 0)
            | (_MODELLED if model else 0)
        )

    def _priced(self, part: Is | Within) -> Mask:
        flags = bytearray(self.count)
        for row, amount in self.amounts().items():
            flags[row] = isinstance(part, Is) or part.holds(amount)
        return int.from_bytes(flags, "little")

    def amounts(self) -> dict[int, Decimal]:
        """Return what each call of a model is estimated to have cost; unknown is not in it."""
        if self._amounts is None:
            # Loads a price list, and so only when somebody asks for prices.
            from inspector.cost.estimating import estimate

            row_of = self._run.table.row_of
            self._amounts = {
                row: call.amount
                for call in estimate(self._run).calls
                if call.amount is not None and (row := row_of(call.span_id)) is not None
            }
        return self._amounts

    def _where(self, rows: Iterable[int]) -> Mask:
        flags = bytearray(self.count)
        for row in rows:
            if row < self.count:  # a run that is followed has more by now
                flags[row] = 1
        return int.from_bytes(flags, "little")

    def _equal(self, column: array[int], code: int) -> Mask:
        chosen = bytes(int(each == code) for each in range(256))
        return int.from_bytes(column.tobytes().translate(chosen), "little")

    def _marked(self, mark: int) -> Mask:
        chosen = bytes(int(bool(each & mark)) for each in range(256))
        return int.from_bytes(self._run.table.marks.tobytes().translate(chosen), "little")

    def _coded(self, words: Iterable[str], codes: array[int], needle: Needle) -> Mask:
        chosen = [int(needle.stands_in(word)) for word in words]
        if not any(chosen):
            return 0
        return mask_of(map(chosen.__getitem__, codes))


def _is_elsewhere(raw: msgspec.Raw) -> bool:
    """Say whether a field refers to a value, or to one in it, instead of holding it."""
    return bool(raw) and b'"$ref"' in bytes(raw)


def _tokens_in(span: Span) -> int | None:
    usage = span.usage
    return None if usage is None else total_tokens(usage)


def _bounds(part: Within) -> tuple[int, int]:
    """Return the least and the greatest whole number within."""
    low, high = 0, _MOST
    if part.low is not None:
        low = ceil(part.low)
        low += low == part.low and not part.low_in
    if part.high is not None:
        high = floor(part.high)
        high -= high == part.high and not part.high_in
    return low, high
