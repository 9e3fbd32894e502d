"""Which visit of its component a span is, and the way to the others."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QToolButton, QWidget

from inspector.gui import theme
from inspector.gui.tips import tip
from inspector.gui.widgets.labels import ElidedWords, Icon
from inspector.gui.widgets.plain import IconButton
from inspector.presentation.words import number_words, plural

_RULE_PX = 1


class VisitsBar(QWidget):
    """Shows `visit 3 of 5 of prompt_builder` between two buttons, whatever tab is shown.

    It is there for every span: a line that comes and goes would move what one reads.
    """

    previous_wanted = Signal()
    next_wanted = Signal()
    difference_wanted = Signal(bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Visits")
        self._icon = Icon(size_px=14)
        self._previous = IconButton(
            "previous", "Previous visit (,)", self.previous_wanted.emit, self
        )
        self._next = IconButton("next", "Next visit (.)", self.next_wanted.emit, self)
        self._words = ElidedWords(step=-1, colour="secondary")
        self._difference = QToolButton(self)
        self._difference.setText("Changes since the visit before")
        self._difference.setAccessibleName("Changes since the visit before")
        self._difference.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._difference.setCheckable(True)
        self._difference.setAutoRaise(True)
        self._difference.setToolTip(
            tip("What this visit took and gave otherwise than the one before it (V, or hold Shift)")
        )
        self._difference.setFont(theme.font(-1))
        self._difference.toggled.connect(self.difference_wanted)
        row = QHBoxLayout(self)
        row.setContentsMargins(theme.GROUP_GAP_PX, 0, theme.GRID_PX, _RULE_PX)
        row.setSpacing(theme.GRID_PX)
        row.addWidget(self._icon)
        row.addWidget(self._words, 1)
        row.addWidget(self._previous)
        row.addWidget(self._next)
        row.addWidget(self._difference)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        # A method, which Qt forgets with its object: a lambda would outlive the button.
        theme.changes.changed.connect(self._dress)
        self.show_nothing()

    def _dress(self) -> None:
        self._difference.setFont(theme.font(-1))

    @property
    def words(self) -> str:
        return self._words.text()

    def show_nothing(self) -> None:
        """Take no room: no span is selected, and nothing is read that could move."""
        self._words.setText("")
        self.hide()

    def show_visit(self, name: str, visit: tuple[int, int] | None, *, of: str = "visit") -> None:
        """Show which visit a span is, and of how many; `None` while that is not known.

        Args:
            name: What is visited.
            visit: Such as `(3, 5)`.
            of: What a visit of it is called, such as `step`.

        """
        number, total = visit or (1, 1)
        if total > 1 and name:
            words = f"{of} {number_words(number)} of {number_words(total)} of {name}"
        elif total > 1:
            # Not `step 21 of 41`: Haystack counts from 0, and calls that one step 20.
            words = f"{number_words(number)} of {plural(total, of)}"
        else:
            words = f"the only {of} of {name}" if name and visit else name
        self._words.setText(words)
        self._icon.show_icon("visits", "secondary")
        self._previous.setEnabled(number > 1)
        self._next.setEnabled(number < total)
        self._difference.setEnabled(number > 1)
        self.setAccessibleDescription(words)
        self.show()

    def show_difference(self, shown: bool) -> None:
        """Show whether the changes are shown, without asking for them."""
        self._difference.blockSignals(True)
        self._difference.setChecked(shown)
        self._difference.blockSignals(False)
