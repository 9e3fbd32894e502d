"""The bar a run is searched with: the line, how much was found, and what is wrong with it."""

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QHBoxLayout, QToolButton, QVBoxLayout, QWidget

from inspector.gui import theme
from inspector.gui.widgets.labels import Icon, Words
from inspector.gui.widgets.plain import Hairline, IconButton, LinkButton
from inspector.gui.widgets.search_line import SearchLine

_SLOW_MS = 200


class SearchBar(QWidget):
    """Shows a search. It decides nothing: whoever owns it searches and says what came of it."""

    text_changed = Signal(str)
    stepped = Signal(int)
    filter_toggled = Signal(bool)
    stop_wanted = Signal()
    closed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Search")
        self.line = SearchLine(self)
        self._count = Words(colour="secondary", step=-1, parent=self)
        self._count.setAccessibleName("Results")
        self._count.setMinimumWidth(self._count.fontMetrics().horizontalAdvance("000 of 00 000"))
        self._count.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._stop = LinkButton("Cancel", self.stop_wanted.emit, self)
        self._stop.hide()
        self._back = IconButton(
            "previous", "Previous result (Shift+Enter)", lambda: self.stepped.emit(-1)
        )
        self._forward = IconButton("next", "Next result (Enter)", lambda: self.stepped.emit(1))
        self._filter = QToolButton(self)
        self._filter.setText("Filter")
        self._filter.setCheckable(True)
        self._filter.setAutoRaise(True)
        self._filter.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._filter.setAccessibleName("Show only what is found")
        self._filter.setToolTip("Show only what is found, and what it happened in (Ctrl+Shift+F)")
        self._filter.toggled.connect(self.filter_toggled)
        close = IconButton("close", "Close the search (Esc)", self.closed.emit)
        self._error = Words(colour="failed", step=-1, wrap=True, parent=self)
        self._error.setAccessibleName("What is wrong with the search")
        self._error.hide()

        row = QHBoxLayout()
        row.setContentsMargins(theme.GROUP_GAP_PX, theme.GRID_PX, theme.GRID_PX, theme.GRID_PX)
        row.setSpacing(theme.GRID_PX)
        row.addWidget(Icon("search"))
        row.addSpacing(theme.GRID_PX)
        row.addWidget(self.line, 1)
        for widget in (self._count, self._stop, self._back, self._forward, self._filter, close):
            row.addWidget(widget)
        below = QHBoxLayout()
        indent = theme.GROUP_GAP_PX + theme.ICON_PX + 3 * theme.GRID_PX
        below.setContentsMargins(indent, 0, theme.GROUP_GAP_PX, 0)
        below.addWidget(self._error)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(row)
        layout.addLayout(below)
        layout.addWidget(Hairline(self))

        self._slow = QTimer(self)
        self._slow.setSingleShot(True)
        self._slow.setInterval(_SLOW_MS)
        self._slow.timeout.connect(self._stop.show)
        self.line.textChanged.connect(self.text_changed)
        self.line.stepped.connect(self.stepped)
        self.line.left.connect(self.closed)
        self.setFocusProxy(self.line)

    @property
    def count_words(self) -> str:
        return self._count.text()

    @property
    def error_words(self) -> str:
        """What is said to be wrong; empty while nothing is."""
        return self._error.text() if self._error.isVisibleTo(self) else ""

    @property
    def filter_button(self) -> QToolButton:
        return self._filter

    @property
    def stop_button(self) -> LinkButton:
        return self._stop

    def begin(self) -> None:
        """Put the caret into the line, with all of it chosen."""
        self.line.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.line.selectAll()

    def show_text(self, text: str) -> None:
        """Put a line there that did not come from the keyboard."""
        if text != self.line.text():
            self.line.setText(text)

    def say(self, words: str, *, found: bool, steps: bool) -> None:
        """Say how much was found, and whether one can step through it."""
        self._count.setText(words)
        self._count.set_colour("secondary" if found else "failed")
        self._back.setEnabled(steps)
        self._forward.setEnabled(steps)

    def show_error(self, message: str, place: tuple[int, int] | None = None) -> None:
        """Say what is wrong under the line, with its place underlined; empty takes it away."""
        self._error.setText(message)
        self._error.setVisible(bool(message))
        self._error.setContentsMargins(0, 0, 0, theme.GRID_PX + 2 if message else 0)
        self.line.mark_wrong(place if message else None)
        self.line.setAccessibleDescription(message)

    def show_filter(self, only: bool) -> None:
        self._filter.setChecked(only)

    def show_busy(self, busy: bool) -> None:
        """Offer to stop what takes longer than a moment."""
        if busy:
            self._slow.start()
        else:
            self._slow.stop()
            self._stop.hide()
