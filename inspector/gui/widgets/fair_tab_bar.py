"""Tabs of open files: when there is no room for all titles, the long ones give way first."""

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QTabBar

_LEAST_PX = 96


class FairTabBar(QTabBar):
    """A tab bar in which a short title stays whole as long as longer ones can be cut.

    Qt would take the same amount from each. Here each tab is as wide as it likes, up to a
    width at which all fit; where there is no such width, the bar scrolls.
    """

    _of: tuple[object, ...] = ()
    _most = 0

    def tabSizeHint(self, place: int) -> QSize:
        wanted = super().tabSizeHint(place)
        return QSize(min(wanted.width(), self._widest()), wanted.height())

    def minimumTabSizeHint(self, place: int) -> QSize:
        return self.tabSizeHint(place)

    def _widest(self) -> int:
        """Return how wide a tab may be, so that all of them fit."""
        holder = self.parentWidget()
        room = self.width() if holder is None else holder.width()
        places = range(self.count())
        # Qt asks for each tab, and more than once.
        of = (room, self.fontMetrics().height(), *(self.tabText(place) for place in places))
        if of != self._of:
            wanted = sorted(super(FairTabBar, self).tabSizeHint(place).width() for place in places)
            self._of, self._most = of, _fair(wanted, room)
        return self._most


def _fair(wanted: list[int], room: int) -> int:
    """Return what the largest may have, so that the sum fits into the room; never too little."""
    left = room
    for number, width in enumerate(wanted):
        share = left // (len(wanted) - number)
        if width > share:
            return max(_LEAST_PX, share)
        left -= width
    return max(_LEAST_PX, room)
