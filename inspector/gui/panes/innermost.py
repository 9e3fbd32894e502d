"""What Esc does where nothing else has a use for it: it closes the innermost thing that is open."""

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget

from inspector.gui.workspace.open_run import OpenRun


class ClosesInnermost(QObject):
    """Hears of Esc when no widget that has the focus took it.

    First goes an answer about a value, then the changes since the visit before, the search,
    and at last the range of time, one breadcrumb at a time.
    """

    def __init__(self, window: QWidget, open_run: OpenRun) -> None:
        super().__init__(window)
        self._window = window
        self._open_run = open_run
        window.installEventFilter(self)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        return (
            event.type() is QEvent.Type.KeyPress
            and isinstance(event, QKeyEvent)
            and event.key() == Qt.Key.Key_Escape
            and event.modifiers() == Qt.KeyboardModifier.NoModifier
            and self._close()
        )

    def _close(self) -> bool:
        """Close the innermost thing; say whether there was one."""
        # Loaded only now: the window is painted before any of it can be open.
        from inspector.gui.panes.span_visits import SpanVisits
        from inspector.gui.widgets.origins_view import OriginsView

        answer = self._window.findChild(OriginsView)
        visits = self._window.findChild(SpanVisits)
        search, time_range = self._open_run.search, self._open_run.range
        if isinstance(answer, OriginsView) and answer.isVisible():
            answer.closed.emit()
        elif isinstance(visits, SpanVisits) and visits.is_toggled:
            visits.toggle()
        elif search.is_open:
            search.close()
        elif time_range.bounds is not None:
            time_range.pop()
        else:
            return False
        return True
