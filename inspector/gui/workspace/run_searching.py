"""What is searched for in one run, what was found, and which result is looked at."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QObject, QTimer, Signal

from inspector.gui.tasks.progress import Progress
from inspector.gui.workspace.hits import Hit, PlainHits

if TYPE_CHECKING:
    from collections.abc import Sequence

    from inspector.gui.tasks.runner import Cancelled, Task
    from inspector.gui.workspace.open_run import OpenRun
    from inspector.presentation.completing import Vocabulary
    from inspector.presentation.query import Query, QueryError
    from inspector.presentation.search import Found, RunSearch
    from inspector.presentation.search_places import Place

_TASK, _PLACE_TASK = "search", "search place"
_AT_ONCE = 200_000  # spans whose table is looked through while the window waits
_AFTER_TYPING_MS = 120
_LOCATED = 200  # results whose places are looked for before anybody goes there
_HISTORY = 30


class _Answer(NamedTuple):
    found: Found
    hits: tuple[Hit, ...] | None
    located: int  # how many of the rows found were looked into


class RunSearching(QObject):
    """The one place that knows what a run is searched for. Panes ask it and listen to it.

    A line that cannot be understood leaves the results as they were, and `error` says why.
    A line that the table of spans answers is answered before `ask` returns; others are
    answered beside the window, and rows come in as they are found.
    """

    opened_changed = Signal(bool)
    asked_changed = Signal()  # another line, understood or not
    found_changed = Signal()  # other results, or more of them
    current_changed = Signal(int)  # the place of a result, -1 for none
    filter_changed = Signal(bool)
    busy_changed = Signal(bool)
    moved = Signal(float)  # how much of a search is done
    failed = Signal(object)  # Exception
    kept = Signal(str)  # a line worth remembering
    _came = Signal(object, object)  # from the worker: for which task, rows

    def __init__(self, open_run: OpenRun) -> None:
        super().__init__(open_run)
        self._open_run = open_run
        self._search: RunSearch | None = None
        self._query: Query | None = None
        self._whole: Found | None = None  # in all of the run's time
        self._shown: Found | None = None  # in the time that is looked at
        self._task: Task | None = None
        self._waits_for_more = False
        self.text = ""
        self.error: QueryError | None = None
        self.hits: Sequence[Hit] = ()
        self.current = -1
        self.is_open = False
        self.is_filter = False
        self.history: tuple[str, ...] = ()
        self._located: frozenset[int] = frozenset()  # rows that were looked into for places
        self._forget_found = False  # what is on the screen is of the search before
        self._progress = Progress(self)
        self._progress.moved.connect(self.moved)
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.setInterval(_AFTER_TYPING_MS)
        self._later.timeout.connect(self._start)
        self._came.connect(self._on_came)
        open_run.range.changed.connect(self._on_range_changed)
        open_run.run_changed.connect(self._on_run_changed)
        open_run.notes.changed.connect(self._on_notes_changed)

    # What is there

    @property
    def is_busy(self) -> bool:
        return self._task is not None

    @property
    def waits(self) -> bool:
        """Whether something is searched for, or will be when nobody types any more."""
        return self.is_busy or self._later.isActive()

    @property
    def query(self) -> Query | None:
        """What was last understood; None while nothing is asked for."""
        return self._query

    @property
    def found(self) -> Found | None:
        """What was found in the time that is looked at; None while nothing is asked for."""
        return self._shown

    @property
    def matched(self) -> bytes | None:
        """One byte a row of the run's table, 1 where it was found; None where nothing is asked."""
        if self._shown is None:
            return None
        # A run that is followed has more rows than when they were looked through.
        count = len(self._open_run.run.table)
        return self._shown.mask[:count].ljust(count, b"\0")

    @property
    def only_found(self) -> bytes | None:
        """`matched` while nothing else is to be shown; None otherwise."""
        return self.matched if self.is_filter else None

    def vocabulary(self) -> Vocabulary:
        """Return the words of this run that can be asked for."""
        from inspector.presentation.completing import vocabulary_of

        return vocabulary_of(self._of_run())

    # What is wanted

    def open(self) -> None:
        """Begin to search: bring the line into sight."""
        if not self.is_open:
            self.is_open = True
        self.opened_changed.emit(True)

    def close(self) -> None:
        """Search no more, and show everything as it was."""
        if not self.is_open:
            return
        self.keep()
        self.is_open = False
        self.set_filter(False)
        self.ask("")
        self.opened_changed.emit(False)

    def ask(self, text: str) -> None:
        """Search for what a line says."""
        from inspector.presentation.query import Everything, QueryError
        from inspector.presentation.query_parser import parse_query

        self.text = text
        try:
            query = parse_query(text)
        except QueryError as error:
            self.error = error
            self.asked_changed.emit()
            return
        self.error = None
        wanted = None if isinstance(query, Everything) else query
        if wanted != self._query:
            self._query = wanted
            self.stop()
            self._set_current(-1)
            self._begin()
        self.asked_changed.emit()

    def stop(self) -> None:
        """Search no further; what was found stays."""
        self._later.stop()
        self._waits_for_more = False
        if self._task is not None:
            self._task.cancel()
            self._task = None
            self.busy_changed.emit(False)

    def set_filter(self, only: bool) -> None:
        """Show only what was found, or everything."""
        if only != self.is_filter:
            self.is_filter = only
            self.filter_changed.emit(only)

    def step(self, by: int) -> None:
        """Go to the next result, or with -1 to the one before; after the last comes the first."""
        if self.hits:
            start = 0 if by > 0 else -1
            self.go(start if self.current < 0 else self.current + by)

    def go(self, place: int) -> None:
        """Go to a result: to its span, and to the field of it."""
        if not self.hits:
            return
        self.keep()
        self._set_current(place % len(self.hits))
        hit = self.hits[self.current]
        span_id = self._open_run.run.table.id(hit.row)
        self._open_run.selection.select(span_id, hit.place.field if hit.place else None)
        if hit.place is None and hit.row not in self._located:
            self._locate(hit)

    def keep(self) -> None:
        """Remember the line."""
        text = self.text.strip()
        if self._query is not None and self.error is None and text not in self.history[:1]:
            others = tuple(one for one in self.history if one != text)
            self.history = (text, *others)[:_HISTORY]
            self.kept.emit(text)

    # How it is done

    def _of_run(self) -> RunSearch:
        from inspector.presentation.search import RunSearch

        run = self._open_run.run
        if self._search is None or self._search.run is not run:
            self._search = RunSearch(run)
            self._search.marks = self._open_run.notes.by_row()
        return self._search

    def _begin(self) -> None:
        if self._query is None:
            self._show(None)
            return
        search = self._of_run()
        if search.columns.count <= _AT_ONCE:
            found = search.at_once(self._query)
            if found is not None:
                self._show(found)
                if not _asks_for_words(self._query):
                    return
        # Every letter would start another search.
        self._later.start()

    def _start(self) -> None:
        query, search = self._query, self._of_run()
        if query is None:
            return
        progress, came = self._progress, self._came
        bounds = self._open_run.range.bounds

        def work(cancelled: Cancelled) -> _Answer | None:
            def found(rows: list[int]) -> None:
                if not cancelled():
                    came.emit(query, rows)

            whole = search.find(query, cancelled=cancelled, progress=progress.report, found=found)
            if whole is None:
                return None
            return _located(search, whole, bounds, cancelled)

        def done(answer: _Answer | None) -> None:
            self._task = None
            if answer is not None:
                self._located = frozenset(answer.found.rows[: answer.located])
                self._show(answer.found, answer.hits)
            self.busy_changed.emit(False)
            if self._waits_for_more:
                self._waits_for_more = False
                self._start()

        def failed(error: Exception) -> None:
            self._task = None
            self.busy_changed.emit(False)
            self.failed.emit(error)

        self._forget_found = True
        self._task = self._open_run.tasks.start(work, done=done, failed=failed, key=_TASK)
        self.busy_changed.emit(True)

    def _on_came(self, query: Query, rows: list[int]) -> None:
        """Show rows that a worker has just found."""
        if query is not self._query or self._task is None:
            return
        from inspector.presentation.search import Found

        known = () if self._forget_found or self._whole is None else self._whole.rows
        self._forget_found = False
        together = tuple(sorted({*known, *rows}))
        mask = bytearray(self._of_run().columns.count)
        for row in together:
            mask[row] = 1
        self._show(Found(query, bytes(mask), together))

    def _show(self, whole: Found | None, hits: tuple[Hit, ...] | None = None) -> None:
        """Show what was found; `hits` are the places of its rows, as far as they are known."""
        looked_at = self.hits[self.current] if 0 <= self.current < len(self.hits) else None
        self._whole = whole
        self._shown = self._in_time(whole)
        rows = self._shown.rows if self._shown is not None else ()
        if hits is None:
            self.hits = PlainHits(rows)
        else:
            kept, located = set(rows), {hit.row for hit in hits}
            known = [hit for hit in hits if hit.row in kept]
            more = [Hit(row) for row in rows if row not in located]
            self.hits = tuple(sorted([*known, *more], key=_row_of))
        if looked_at is not None:
            first = bisect_left(self.hits, looked_at.row, key=_row_of)
            after = bisect_right(self.hits, looked_at.row, key=_row_of)
            exact = [n for n in range(first, after) if self.hits[n] == looked_at]
            self._set_current(exact[0] if exact else first if first < after else -1)
        self.found_changed.emit()

    def _in_time(self, whole: Found | None) -> Found | None:
        bounds = self._open_run.range.bounds
        if whole is None or bounds is None:
            return whole
        return self._of_run().within(whole, bounds)

    def _on_range_changed(self) -> None:
        if self._whole is not None:
            self._show(self._whole, self._known_places())
            self._later.start()  # for the places of those that came into sight

    def _known_places(self) -> tuple[Hit, ...]:
        return tuple(hit for hit in self.hits if hit.place is not None)

    def _on_run_changed(self) -> None:
        if self._query is None:
            return
        # A run that grows faster than it is searched must not start over for ever.
        if self._task is not None:
            self._waits_for_more = True
        else:
            self._begin()

    def _on_notes_changed(self) -> None:
        from inspector.presentation.search import asks_for_notes

        if self._search is not None:
            self._search.marks = self._open_run.notes.by_row()
        if self._query is not None and asks_for_notes(self._query):
            self._on_run_changed()

    def _locate(self, hit: Hit) -> None:
        query, run, note = self._query, self._open_run.run, self._of_run().note(hit.row)
        if query is None or not _asks_for_words(query):
            return

        def work(cancelled: Cancelled) -> list[Place]:
            from inspector.presentation.search_places import places_in

            return places_in(run, hit.row, query, note=note, cancelled=cancelled)

        def done(places: list[Place]) -> None:
            self._located |= {hit.row}
            still = 0 <= self.current < len(self.hits) and self.hits[self.current] == hit
            if not places or not still:
                return
            at = self.current
            found_there = tuple(Hit(hit.row, place) for place in places)
            self.hits = (*self.hits[:at], *found_there, *self.hits[at + 1 :])
            self.found_changed.emit()
            self._open_run.selection.select(run.table.id(hit.row), places[0].field)

        self._open_run.tasks.start(work, done=done, failed=self.failed.emit, key=_PLACE_TASK)

    def _set_current(self, place: int) -> None:
        if place != self.current:
            self.current = place
            self.current_changed.emit(place)


def _row_of(hit: Hit) -> int:
    return hit.row


def _asks_for_words(query: Query) -> bool:
    from inspector.presentation.search import wanted_texts

    return bool(wanted_texts(query))


def _located(
    search: RunSearch, whole: Found, bounds: tuple[int, int] | None, cancelled: Cancelled
) -> _Answer | None:
    """Look for the places of the first results."""
    from inspector.presentation.search_places import places_in

    seen = whole if bounds is None else search.within(whole, bounds)
    if not _asks_for_words(whole.query):
        return _Answer(whole, None, 0)
    hits: list[Hit] = []
    for row in seen.rows[:_LOCATED]:
        if cancelled():
            return None
        note = search.note(row)
        places = places_in(search.run, row, whole.query, note=note, cancelled=cancelled)
        hits += [Hit(row, place) for place in places] or [Hit(row)]
    return _Answer(whole, tuple(hits), _LOCATED)
