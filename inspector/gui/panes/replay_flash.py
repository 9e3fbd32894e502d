"""Lights for a moment what turns out to differ while a replay comes in."""

from time import monotonic

from PySide6.QtCore import QObject, QTimer, Signal

from inspector.gui import theme
from inspector.gui.workspace.open_replay import OpenReplay
from inspector.presentation.live_replay import Match

FLASH_MS = 700
_LOOK_MS = 100
_MOST = 24  # each is drawn by itself, and of more than a few nobody sees any
_FLASHING = (Match.DRIFTED, Match.EDITED)


class ReplayFlash(QObject):
    """Says which rows of a replay's table are lit. With reduced motion nothing ever is."""

    changed = Signal(object)  # frozenset of rows

    def __init__(self, replay: OpenReplay, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._replay = replay
        self._until: dict[int, float] = {}
        self._known: set[int] = set()
        self._timer = QTimer(self)
        self._timer.setInterval(_LOOK_MS)
        self._timer.timeout.connect(self._look)
        replay.rows_changed.connect(self._on_rows_changed)

    @property
    def rows(self) -> frozenset[int]:
        return frozenset(self._until)

    def _on_rows_changed(self, rows: list[int], _grew: bool) -> None:
        table = self._replay.table
        if table is None:
            return
        # What is new has nothing that it could differ from.
        fresh = [
            row
            for row in rows
            if row < table.recorded and row not in self._known and table.match(row) in _FLASHING
        ]
        self._known.update(fresh)
        if not fresh or theme.is_still():
            return
        until = monotonic() + FLASH_MS / 1000
        self._until.update(dict.fromkeys(fresh[-_MOST:], until))
        self._timer.start()
        self.changed.emit(self.rows)

    def _look(self) -> None:
        now = monotonic()
        left = {row: until for row, until in self._until.items() if until > now}
        if len(left) != len(self._until):
            self._until = left
            self.changed.emit(self.rows)
        if not left:
            self._timer.stop()
