"""Says that something unforeseen went wrong, with a report that can be copied."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from inspector.gui import theme
from inspector.gui.dialogs.buttons import close_row
from inspector.gui.widgets.labels import Icon, Words


class CrashDialog(QDialog):
    """Shows a report of a bug of ours. The window stays usable."""

    def __init__(self, report: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Something unforeseen went wrong")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        words = QVBoxLayout()
        words.setSpacing(theme.GRID_PX)
        words.addWidget(Words("Something unforeseen went wrong.", step=1, strong=True))
        words.addWidget(
            Words(
                "The window goes on, and no file was changed. The report below names places in "
                "our code and versions; it holds nothing of your run. Put it into an issue.",
                wrap=True,
            )
        )
        top = QHBoxLayout()
        top.setSpacing(theme.GROUP_GAP_PX)
        top.addWidget(Icon("warning", colour="changed", size_px=24), 0, Qt.AlignmentFlag.AlignTop)
        top.addLayout(words, 1)

        self._report = QPlainTextEdit(report)
        self._report.setReadOnly(True)
        self._report.setFont(theme.monospace())
        self._report.setAccessibleName("Report")
        copy = QPushButton(theme.icon("copy"), "Copy the report")
        copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(report))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(20, 20, 20, 16)
        layout.setSpacing(theme.GROUP_GAP_PX)
        layout.addLayout(top)
        layout.addWidget(self._report, 1)
        layout.addWidget(close_row(self, copy))
        self.resize(640, 420)

    @property
    def report(self) -> str:
        return self._report.toPlainText()
