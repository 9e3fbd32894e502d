"""How far a run has been played."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

if TYPE_CHECKING:
    from inspector.presentation.playback import Moment


class Playhead(QObject):
    """What of a run glows at present: panes listen here, the player writes here."""

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._moment: Moment | None = None
        self._differing: frozenset[int] = frozenset()

    @property
    def differing(self) -> frozenset[int]:
        """The rows that put out something else than in the run that this one is compared with."""
        return self._differing

    def set_differing(self, rows: frozenset[int]) -> None:
        """Have these rows flash when they are played."""
        if rows != self._differing:
            self._differing = rows
            self.changed.emit()

    @property
    def moment(self) -> "Moment | None":
        """What is to be seen now; `None` while nothing is played."""
        return self._moment

    def show(self, moment: "Moment | None") -> None:
        if moment == self._moment:
            return
        self._moment = moment
        self.changed.emit()
