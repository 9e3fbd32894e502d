"""Finds the spans of a run that a query asks for: cheap questions first, values last."""

from __future__ import annotations

from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple

from inspector.presentation.query import (
    All,
    Any,
    Everything,
    Holds,
    Is,
    Not,
    Query,
    Within,
    Words,
    parts_of,
)
from inspector.presentation.span_columns import SpanColumns, StoppedError, rows_of
from inspector.presentation.span_texts import TextLooker

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from inspector.presentation.notes import Mark
    from inspector.presentation.span_columns import Cancelled, Mask, Progress
    from inspector.presentation.span_texts import Texts
    from inspector.runfile.model import PipelineRun

    Bounds = tuple[int, int]

_LOOK_UP = 64  # records between two looks at whether to stop
_REPORT_EVERY_S = 0.1
_FEW = 0.02  # of all rows: then it is quicker to fetch each record than to go through all


class Bound(NamedTuple):
    """Which rows are surely meant, and which may be: between them lies what is not known yet."""

    surely: int
    perhaps: int


@dataclass(frozen=True, slots=True)
class Found:
    """The rows of a run that a query asks for, in start order."""

    query: Query
    mask: bytes  # one byte a row: 1 where it is meant
    rows: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.rows)


class RunSearch:
    """Answers queries about one run, and remembers what the next one needs as well."""

    def __init__(self, run: PipelineRun) -> None:
        self._run = run
        self.columns = SpanColumns(run)
        self._looker = TextLooker(run)

    @property
    def run(self) -> PipelineRun:
        return self._run

    @property
    def marks(self) -> Mapping[int, Mark]:
        """What a person left at spans, by row: free text is looked for in their notes, too."""
        return self.columns.marks

    @marks.setter
    def marks(self, marks: Mapping[int, Mark]) -> None:
        self.columns.marks = marks

    def note(self, row: int) -> str:
        """Return the note at a span, "" where there is none."""
        mark = self.marks.get(row)
        return mark.note if mark is not None else ""

    def at_once(self, query: Query, bounds: Bounds | None = None) -> Found | None:
        """Return what a query asks for where no record has to be read for it, else None."""
        ask = self._known if self.columns.is_read else self._from_table
        masks = {part: ask(part) for part in _leaves(query)}
        if None in masks.values():
            return None
        surely, _ = self._bound(query, masks.__getitem__)
        return self._found(query, surely & self._time(bounds))

    def find(
        self,
        query: Query,
        bounds: Bounds | None = None,
        *,
        cancelled: Cancelled = lambda: False,
        progress: Progress = lambda _fraction: None,
        found: Callable[[list[int]], None] = lambda _rows: None,
    ) -> Found | None:
        """Return what a query asks for; None when it was cancelled.

        Args:
            query: What to look for.
            bounds: Only in this stretch of the run's time.
            cancelled: Is asked now and then whether to stop.
            progress: Is told how much of the work is done, from 0 to 1.
            found: Is given rows as they are found, each once, before the whole answer is known.

        Raises:
            RunFileError: The file is not there any more.

        """
        try:
            asked = with_notes(query) if self.marks else query
            mask = self._find(asked, bounds, cancelled, progress, found)
        except StoppedError:
            return None
        return self._found(query, mask)

    def within(self, found: Found, bounds: Bounds) -> Found:
        """Return what of an answer reaches into a stretch of time."""
        mask = int.from_bytes(found.mask, "little") & self.columns.in_time(bounds)
        return self._found(found.query, mask)

    def _find(
        self,
        query: Query,
        bounds: Bounds | None,
        cancelled: Cancelled,
        progress: Progress,
        found: Callable[[list[int]], None],
    ) -> Mask:
        time = self._time(bounds)
        known: dict[Query, Mask] = {}
        bound = self._bound(query, self._from_table)
        if (bound.surely ^ bound.perhaps) & time:

            def ask(part: Query) -> Mask | None:
                if part not in known and (mask := self._from_records(part, cancelled, progress)):
                    known[part] = mask[0]
                return known.get(part)

            bound = self._bound(query, ask)
        surely, open_ = bound.surely & time, (bound.surely ^ bound.perhaps) & time
        if surely:
            found(rows_of(surely, self.columns.count))
        if open_:
            surely |= self._look(query, known, open_, _Reports(cancelled, progress, found))
        return surely

    def _look(self, query: Query, known: dict[Query, Mask], open_: Mask, tell: _Reports) -> Mask:
        """Go through the records of which the columns do not say enough."""
        count = self.columns.count
        unknown = [
            part for part in dict.fromkeys(_leaves(query)) if self._mask(part, known) is None
        ]
        self._looker.forget(unknown)
        texts = {part: self._looker.of(part) for part in unknown}
        flags = {
            part: mask.to_bytes(count, "little")
            for part in dict.fromkeys(_leaves(query))
            if (mask := self._mask(part, known)) is not None
        }
        meant = bytearray(count)
        rows = rows_of(open_, count)
        for done, (row, text) in enumerate(self._records(rows, open_)):
            if _is_meant(query, row, text, flags, texts):
                meant[row] = 1
                tell.row(row)
            if not done % _LOOK_UP:
                tell.look_up(done / len(rows))
        tell.flush()
        return int.from_bytes(meant, "little")

    def _records(self, rows: list[int], open_: Mask) -> Iterator[tuple[int, bytes]]:
        if len(rows) <= _FEW * self.columns.count:
            for row in rows:
                yield row, self._run.record_text(row)
            return
        wanted = open_.to_bytes(self.columns.count, "little")
        for row, text in self._run.record_texts():
            if wanted[row]:
                yield row, text

    def _found(self, query: Query, mask: Mask) -> Found:
        count = self.columns.count
        return Found(query, mask.to_bytes(count, "little"), tuple(rows_of(mask, count)))

    def _time(self, bounds: Bounds | None) -> Mask:
        return self.columns.full if bounds is None else self.columns.in_time(bounds)

    def _from_table(self, part: Query) -> Mask | None:
        if isinstance(part, Everything):
            return self.columns.full
        return self.columns.from_table(part) if isinstance(part, Is | Holds | Within) else None

    def _known(self, part: Query) -> Mask | None:
        """Return what is known of a part without reading, or loading a list of prices."""
        match part:
            case Within("cost") | Is("has", "cost"):
                return None
        found = self._from_records(part, lambda: False, lambda _fraction: None)
        return None if found is None else found[0]

    def _from_records(
        self, part: Query, cancelled: Cancelled, progress: Progress
    ) -> tuple[Mask] | None:
        mask = self._from_table(part)
        if mask is None and isinstance(part, Is | Holds | Within):
            mask = self.columns.from_records(part, cancelled, progress)
        return None if mask is None else (mask,)

    def _mask(self, part: Query, known: dict[Query, Mask]) -> Mask | None:
        return known[part] if part in known else self._from_table(part)

    def _bound(self, query: Query, ask: Callable[[Query], Mask | None]) -> Bound:
        """Return what is known of the answer when only some parts can be asked."""
        full = self.columns.full
        match query:
            case Not(of):
                inner = self._bound(of, ask)
                return Bound(full ^ inner.perhaps, full ^ inner.surely)
            case All(parts):
                surely = perhaps = full
                for part in parts:
                    inner = self._bound(part, ask)
                    surely, perhaps = surely & inner.surely, perhaps & inner.perhaps
                return Bound(surely, perhaps)
            case Any(parts):
                surely = perhaps = 0
                for part in parts:
                    inner = self._bound(part, ask)
                    surely, perhaps = surely | inner.surely, perhaps | inner.perhaps
                return Bound(surely, perhaps)
        mask = ask(query)
        return Bound(0, full) if mask is None else Bound(mask, mask)


class _Reports:
    """Tells how far a search is and what it found, not more often than anybody can see."""

    def __init__(
        self, cancelled: Cancelled, progress: Progress, found: Callable[[list[int]], None]
    ) -> None:
        self._cancelled = cancelled
        self._progress = progress
        self._found = found
        self._rows: list[int] = []
        self._last_s = monotonic()
        self._pause_s = _REPORT_EVERY_S

    def row(self, row: int) -> None:
        self._rows.append(row)

    def look_up(self, fraction: float) -> None:
        if self._cancelled():
            raise StoppedError
        self._progress(fraction)
        if self._rows and monotonic() - self._last_s > self._pause_s:
            self.flush()

    def flush(self) -> None:
        if self._rows:
            self._found(self._rows)
            self._rows = []
            # Whoever shows them has more to do each time.
            self._pause_s *= 1.5
        self._last_s = monotonic()


def _is_meant(
    query: Query, row: int, text: bytes, flags: dict[Query, bytes], texts: dict[Query, Texts]
) -> bool:
    match query:
        case Not(of):
            return not _is_meant(of, row, text, flags, texts)
        case All(parts):
            return all(
                _is_meant(one, row, text, flags, texts) for one in _cheap_first(parts, flags)
            )
        case Any(parts):
            return any(
                _is_meant(one, row, text, flags, texts) for one in _cheap_first(parts, flags)
            )
    known = flags.get(query)
    return bool(known[row]) if known is not None else texts[query].hold(row, text)


def _cheap_first(parts: tuple[Query, ...], flags: dict[Query, bytes]) -> Iterator[Query]:
    yield from (part for part in parts if part in flags)
    yield from (part for part in parts if part not in flags)


def _leaves(query: Query) -> Iterator[Query]:
    inside = parts_of(query)
    if not inside:
        yield query
    for part in inside:
        yield from _leaves(part)


def wanted_texts(query: Query, *, wanted: bool = True) -> list[Words | Holds]:
    """Return the texts that make a span match, not those that keep it out."""
    match query:
        case Not(of):
            return wanted_texts(of, wanted=not wanted)
        case Words() | Holds():
            return [query] if wanted else []
    return list(
        dict.fromkeys(
            text for part in parts_of(query) for text in wanted_texts(part, wanted=wanted)
        )
    )


def with_notes(query: Query) -> Query:
    """Return a query that looks for its free text in notes as well."""
    match query:
        case Words(text):
            return Any((query, Holds("note", text)))
        case Not(of):
            return Not(with_notes(of))
        case All(parts):
            return All(tuple(map(with_notes, parts)))
        case Any(parts):
            return Any(tuple(map(with_notes, parts)))
    return query


def asks_for_notes(query: Query) -> bool:
    """Say whether what is found depends on notes and bookmarks."""
    marked = (Is("has", "note"), Is("has", "bookmark"))
    return any(
        part in marked
        or isinstance(part, Words)
        or (isinstance(part, Holds) and part.key == "note")
        for part in _leaves(query)
    )
