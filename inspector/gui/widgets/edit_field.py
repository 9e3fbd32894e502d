"""What stands round an editor of several lines, and editors of plain text."""

from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QPlainTextEdit, QStyle, QStyleOption, QVBoxLayout, QWidget

from inspector.gui import theme
from inspector.gui.widgets.file_drops import let_files_through


class EditField(QWidget):
    """Draws round an editor what a line to type in has round it."""

    def __init__(self, editor: QPlainTextEdit) -> None:
        super().__init__()
        self._editor = editor
        editor.setFrameShape(QPlainTextEdit.Shape.NoFrame)
        editor.installEventFilter(self)
        let_files_through(editor)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(2, 2, 2, 2)
        layout.addWidget(editor)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.FocusIn, QEvent.Type.FocusOut):
            self.update()
        return super().eventFilter(watched, event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        option = QStyleOption()
        option.initFrom(self)
        if self._editor.hasFocus():
            option.state |= QStyle.StateFlag.State_HasFocus
        painter = QPainter(self)
        edge = QStyle.PrimitiveElement.PE_FrameLineEdit
        self.style().drawPrimitive(edge, option, painter, self)
        painter.end()


class CodeField(QPlainTextEdit):
    """An editor of plain text in the fixed font; Tab leaves it."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setTabChangesFocus(True)
        self.setFrameShape(QPlainTextEdit.Shape.NoFrame)
        theme.changes.changed.connect(self._dress)
        self._dress()

    def _dress(self) -> None:
        self.setFont(theme.monospace())
        self.setTabStopDistance(4 * self.fontMetrics().horizontalAdvance(" "))
