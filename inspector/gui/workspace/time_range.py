"""Which part of a run's time is looked at."""

from PySide6.QtCore import QObject, Signal

Bounds = tuple[int, int]


class TimeRange(QObject):
    """The stretch of time, in nanoseconds of the run, that every pane filters to.

    `bounds` is `None` while the whole run is looked at. `commit` keeps the
    present range as a breadcrumb to which `pop` returns.
    """

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bounds: Bounds | None = None
        self._breadcrumbs: tuple[Bounds, ...] = ()

    @property
    def bounds(self) -> Bounds | None:
        return self._bounds

    @property
    def breadcrumbs(self) -> tuple[Bounds, ...]:
        """The committed ranges, outermost first."""
        return self._breadcrumbs

    def set(self, start_ns: int, end_ns: int) -> None:
        """Look at this stretch only; the ends may come in either order."""
        self._change((min(start_ns, end_ns), max(start_ns, end_ns)), self._breadcrumbs)

    def clear(self) -> None:
        """Look at the whole run again, and forget the breadcrumbs."""
        self._change(None, ())

    def commit(self) -> None:
        """Keep the present range, so that `pop` comes back to it."""
        if self._bounds is not None and self._bounds not in self._breadcrumbs[-1:]:
            self._change(self._bounds, (*self._breadcrumbs, self._bounds))

    def pop(self) -> None:
        """Go back to the last committed range that is not the present one."""
        kept = self._breadcrumbs
        if kept and kept[-1] == self._bounds:
            kept = kept[:-1]
        self._change(kept[-1] if kept else None, kept)

    def return_to(self, number: int) -> None:
        """Go back to a breadcrumb, counted from 0, and forget those that came after it."""
        kept = self._breadcrumbs[: number + 1]
        if kept:
            self._change(kept[-1], kept)

    def overlaps(self, start_ns: int, end_ns: int | None) -> bool:
        """Say whether a span of these times is inside or reaches into the range."""
        if self._bounds is None:
            return True
        start, end = self._bounds
        return start_ns <= end and (end_ns is None or end_ns >= start)

    def _change(self, bounds: Bounds | None, breadcrumbs: tuple[Bounds, ...]) -> None:
        if (bounds, breadcrumbs) == (self._bounds, self._breadcrumbs):
            return
        self._bounds = bounds
        self._breadcrumbs = breadcrumbs
        self.changed.emit()
