"""Arranges the rows of a replay beside the window, for its tree and its timeline alike."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QObject, QTimer, Signal

from inspector.gui.widgets.replay_scene import Ghost, build_ghost
from inspector.presentation.outline import component_roles
from inspector.presentation.run_tree import RunTree

if TYPE_CHECKING:
    from inspector.gui.tasks.runner import Cancelled
    from inspector.gui.workspace.open_replay import OpenReplay

# Arranging computes in Python, as the window does: it rests longer than it works.
_REST_TIMES = 4.0
_SHORTEST_REST_MS = 100
# The rows of a replay come in all the time, and a view asks of each that stands open.
_PAGE = 200


class Arranged(NamedTuple):
    """Some rows of a replay's table, as a tree and as a timeline."""

    rows: int
    tree: RunTree
    ghost: Ghost


class ReplayArranger(QObject):
    """Says when the rows that have come are arranged; those that come meanwhile are next."""

    arranged = Signal(object)  # Arranged
    failed = Signal(object)  # Exception; of those alike that follow each other only the first

    def __init__(self, replay: OpenReplay, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._replay = replay
        self._now: Arranged | None = None
        self._busy = False
        self._began = 0.0
        self._told = ""  # what went wrong last
        self._rest = QTimer(self)
        self._rest.setSingleShot(True)
        self._rest.timeout.connect(self._arrange)
        replay.begun.connect(self._arrange)
        replay.rows_changed.connect(self._on_rows_changed)
        if replay.table is not None:
            self._arrange()

    @property
    def now(self) -> Arranged | None:
        """What was arranged last."""
        return self._now

    @property
    def is_busy(self) -> bool:
        """Whether rows are being arranged."""
        return self._busy

    @property
    def is_complete(self) -> bool:
        """Whether all rows that have come are arranged."""
        table = self._replay.table
        return self._now is not None and table is not None and self._now.rows == len(table)

    def _on_rows_changed(self, _rows: list[int], grew: bool) -> None:
        if grew and not self._busy and not self._rest.isActive():
            self._rest.start(_SHORTEST_REST_MS)

    def _arrange(self) -> None:
        table = self._replay.table
        if self._busy or table is None or self.is_complete:
            return
        self._busy = True
        self._began = perf_counter()
        recording, snapshot = table.live.recording, table.snapshot()

        def work(_cancelled: Cancelled) -> Arranged:
            rows = snapshot.table()
            rows.children(-1)  # who is below whom takes a while, the first time it is asked
            roles = component_roles(recording)
            newcomers = snapshot.newcomers()
            ghost = build_ghost(rows, snapshot.recorded, newcomers, roles, recording.duration_ns)
            return Arranged(len(rows), RunTree(rows, page=_PAGE), ghost)

        self._replay.tasks.start(work, done=self._done, failed=self._failed, key="arrange")

    def _done(self, arranged: Arranged) -> None:
        took_ms = 1000 * (perf_counter() - self._began)
        self._busy = False
        self._told = ""
        self._now = arranged
        self.arranged.emit(arranged)
        if not self.is_complete:
            self._rest.start(max(_SHORTEST_REST_MS, round(_REST_TIMES * took_ms)))

    def _failed(self, error: Exception) -> None:
        self._busy = False
        # More rows are tried again, up to ten times a second: nobody wants to hear it each time.
        told = repr(error)
        if told != self._told:
            self._told = told
            self.failed.emit(error)
