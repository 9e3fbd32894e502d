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

    @property
    def moment(self) -> "Moment | None":
        """What is to be seen now; `None` while nothing is played."""
        return self._moment

    def show(self, moment: "Moment | None") -> None:
        if moment == self._moment:
            return
        self._moment = moment
        self.changed.emit()
