"""Everything that is shown of two runs compared: the verdict first, then what proves it."""

from PySide6.QtWidgets import QVBoxLayout, QWidget

from inspector.gui.widgets.labels import Words
from inspector.gui.widgets.status_line import StatusLine
from inspector.gui.workspace.open_comparison import OpenComparison


class ComparisonWindow(QWidget):
    """The tab of one comparison."""

    def __init__(self, comparison: OpenComparison, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.open_comparison = comparison
        self._verdict = Words("")
        self._status = StatusLine()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self._verdict)
        layout.addStretch(1)
        layout.addWidget(self._status)
        comparison.compared.connect(self._show)
        if comparison.comparison is not None:
            self._show()

    def take_focus(self) -> None:
        """Put the focus where keys do most."""
        self.setFocus()

    def say(self, words: str) -> None:
        """Say something at the left of the status line."""
        self._status.words.setText(words)

    def _show(self) -> None:
        found = self.open_comparison.comparison
        if found is not None:
            self._verdict.setText(found.verdict)
