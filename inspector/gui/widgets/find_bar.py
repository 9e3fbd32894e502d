"""A line to search a text with: the words, `3 of 17`, forward and back."""

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QWidget

from inspector.gui import theme
from inspector.gui.widgets.labels import Words
from inspector.gui.widgets.plain import IconButton


class FindBar(QWidget):
    """Asks for a search; whoever owns the text does it and says what came of it."""

    text_changed = Signal(str)
    stepped = Signal(int)  # 1 forward, -1 back
    closed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._field = QLineEdit(self)
        self._field.setPlaceholderText("Find in this text")
        self._field.setAccessibleName("Find in this text")
        self._field.textChanged.connect(self.text_changed)
        self._field.installEventFilter(self)
        self._count = Words(parent=self, colour="secondary", step=-1)
        self._count.setMinimumWidth(self._count.fontMetrics().horizontalAdvance("0000 of 0000"))
        self._count.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._count.setAccessibleName("Matches")
        back = IconButton("previous", "Previous match (Shift+Enter)", lambda: self.stepped.emit(-1))
        forward = IconButton("next", "Next match (Enter)", lambda: self.stepped.emit(1))
        close = IconButton("close", "Close find (Esc)", self.closed.emit)

        layout = QHBoxLayout(self)
        layout.setContentsMargins(theme.GAP_PX, theme.GRID_PX, theme.GRID_PX, theme.GRID_PX)
        layout.setSpacing(theme.GRID_PX)
        layout.addWidget(self._field, 1)
        layout.addWidget(self._count)
        for button in (back, forward, close):
            layout.addWidget(button)

    @property
    def text(self) -> str:
        return self._field.text()

    def begin(self, text: str = "") -> None:
        """Show the line and put the caret into it, with `text` to start from."""
        self.show()
        if text:
            self._field.setText(text)
        self._field.selectAll()
        self._field.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def say(self, words: str, *, found: bool) -> None:
        self._count.setText(words)
        self._count.set_colour("secondary" if found else "failed")

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                shift = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
                self.stepped.emit(-1 if shift else 1)
                return True
            if event.key() == Qt.Key.Key_Escape:
                self.closed.emit()
                return True
        # Esc closes this line before anything else that listens to it.
        if (
            event.type() == QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and event.key() == Qt.Key.Key_Escape
        ):
            event.accept()
            return True
        return super().eventFilter(watched, event)
