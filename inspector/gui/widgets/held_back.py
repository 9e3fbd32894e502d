"""A line below a text that says how much of it is not shown, and offers the rest."""

from collections.abc import Callable

from PySide6.QtWidgets import QHBoxLayout, QWidget

from inspector.gui import theme
from inspector.gui.widgets.labels import Words
from inspector.gui.widgets.plain import LinkButton


class HeldBack(QWidget):
    """Hidden until something was held back."""

    def __init__(self, show_all: Callable[[], object], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._show_all = show_all
        self._words = Words(parent=self, colour="secondary", step=-1)
        self._all = LinkButton("Show all", self._on_pressed, self)
        row = QHBoxLayout(self)
        row.setContentsMargins(theme.GAP_PX, 0, theme.GAP_PX, 0)
        row.addWidget(self._words)
        row.addWidget(self._all)
        row.addStretch(1)
        self.hide()

    def say(self, words: str, *, more: bool) -> None:
        """Say what is missing; with `more`, it can be asked for."""
        self._words.setText(words)
        self._all.setVisible(more)
        self._all.setEnabled(True)
        self.show()

    def _on_pressed(self) -> None:
        self._all.setEnabled(False)
        self._show_all()
