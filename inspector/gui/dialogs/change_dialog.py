"""What the editors of a what-if have in common: a place, a sentence on what is wrong, buttons."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QIcon, QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from inspector.errors import InspectorError
from inspector.gui import theme
from inspector.gui.widgets.labels import Icon, Words
from inspector.presentation.edited_value import doubt_about
from inspector.presentation.visible import one_line
from inspector.presentation.what_if import difference_words

if TYPE_CHECKING:
    from inspector.presentation.what_if_places import Place

Fault = Callable[[Any], str]
_LOOK_AFTER_MS = 150


class ChangeDialog(QDialog):
    """Lets a person say what stands at a place instead of what was recorded.

    Nothing changes before Keep is pressed, which is possible while `value` returns something
    that can stand there.
    """

    decided = Signal(object)  # Change

    def __init__(self, place: "Place", fault: Fault, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.place = place
        self._fault = fault
        self.setWindowTitle(f"What if: {one_line(place.title)}")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._icon = Icon("info")
        self._said = Words(step=-1, colour="secondary", wrap=True)
        self._said.setAccessibleName("About this change")
        self._said.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self._keep = QPushButton("Keep change")
        self._keep.setDefault(True)
        self._keep.clicked.connect(self.keep)
        self._reset = QPushButton("As recorded")
        self._reset.setAutoDefault(False)
        self._reset.clicked.connect(self.reset)
        # Return belongs to the text that is edited.
        QShortcut(QKeySequence("Ctrl+Return"), self, self.keep)

        row = QHBoxLayout()
        row.setSpacing(theme.GRID_PX + 2)
        row.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self._said, 1)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        buttons.button(QDialogButtonBox.StandardButton.Cancel).setIcon(QIcon())
        buttons.rejected.connect(self.reject)
        buttons.addButton(self._reset, QDialogButtonBox.ButtonRole.ResetRole)
        buttons.addButton(self._keep, QDialogButtonBox.ButtonRole.AcceptRole)
        self._buttons = buttons
        self.body = QVBoxLayout()
        self.body.setSpacing(theme.GAP_PX)
        layout = QVBoxLayout(self)
        layout.setSpacing(theme.GAP_PX)
        layout.addLayout(self.body, 1)
        layout.addLayout(row)
        layout.addWidget(buttons)

        self._looking = QTimer(self)
        self._looking.setSingleShot(True)
        self._looking.setInterval(_LOOK_AFTER_MS)
        self._looking.timeout.connect(self.check)

    def value(self) -> Any:
        """Return what is to stand there.

        Raises:
            InspectorError: What was written is nothing that could.

        """
        raise InspectorError("Nothing is edited here.")

    def reset(self) -> None:
        """Show again what was recorded."""

    def look_later(self) -> None:
        """Say in a moment what is wrong with what was written, if anything."""
        self._looking.start()

    def check(self) -> bool:
        """Say what is wrong with what was written, and return whether nothing is."""
        self._looking.stop()
        try:
            value = self.value()
        except InspectorError as error:
            self._say("failed", "failed", f"{error} {error.hint}".strip())
            self._keep.setEnabled(False)
            return False
        if fault := self._fault(value):
            self._say("failed", "failed", fault)
            self._keep.setEnabled(False)
            return False
        self._keep.setEnabled(True)
        if value == self.place.recorded:
            self._say("info", "secondary", "As it was recorded: this is no change.")
        elif doubt := doubt_about(self.place.recorded, value):
            self._say("warning", "changed", doubt)
        else:
            self._say("compare", "changed", difference_words(self.place.changed(value)))
        return True

    def keep(self) -> None:
        """Make the change, if it can be made."""
        if self.check():
            self.decided.emit(self.place.changed(self.value()))
            self.accept()

    @property
    def said(self) -> str:
        """What is said of what was written."""
        return self._said.text()

    def _say(self, icon: str, colour: str, words: str) -> None:
        self._icon.show_icon(icon, colour)
        self._said.set_colour("failed" if colour == "failed" else "secondary")
        self._said.setText(words)
