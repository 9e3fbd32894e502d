"""What a process has printed, as it comes."""

from PySide6.QtWidgets import QPlainTextEdit, QStackedLayout, QWidget

from inspector.gui import theme
from inspector.gui.widgets.empty_words import EmptyWords
from inspector.presentation.visible import visible_text

_NOTHING = (
    "Nothing was printed. What the pipeline prints while it is replayed, and its last words when "
    "it dies, stand here."
)


class PrintedView(QWidget):
    """Shows the end of what was printed; follows it while its end is in sight."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._empty = EmptyWords(words=_NOTHING)
        self._text = QPlainTextEdit()
        self._text.setReadOnly(True)
        self._text.setFrameShape(QPlainTextEdit.Shape.NoFrame)
        self._text.setAccessibleName("What was printed")
        self._pages = QStackedLayout(self)
        self._pages.setContentsMargins(0, 0, 0, 0)
        self._pages.addWidget(self._empty)
        self._pages.addWidget(self._text)
        theme.changes.changed.connect(self._dress)
        self._dress()

    @property
    def text(self) -> str:
        return self._text.toPlainText()

    def show_text(self, text: str) -> None:
        """Show other text; an end that is in sight stays so."""
        bar = self._text.verticalScrollBar()
        was, at_end = bar.value(), bar.value() >= bar.maximum()
        self._text.setPlainText(visible_text(text))
        bar.setValue(bar.maximum() if at_end else was)
        self._pages.setCurrentIndex(1 if text else 0)

    def _dress(self) -> None:
        self._text.setFont(theme.monospace())
