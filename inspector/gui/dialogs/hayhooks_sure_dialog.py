"""Says what something will do and what not, before it is done."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QGridLayout,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from inspector.gui import theme
from inspector.gui.dialogs.buttons import close_row
from inspector.gui.widgets.labels import Icon, Words

_WIDE_LETTERS = 74


class HayhooksSureDialog(QDialog):
    """Leaving it is what Enter does."""

    agreed = Signal()

    def __init__(
        self,
        title: str,
        will: str,
        will_not: str,
        *,
        verb: str,
        leave: str,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(verb)
        said = Words(title, step=1, strong=True, wrap=True)
        grid = QGridLayout()
        grid.setHorizontalSpacing(theme.GAP_PX)
        grid.setVerticalSpacing(theme.GAP_PX)
        grid.setColumnStretch(1, 1)
        for row, (icon, colour, words) in enumerate(
            (("completed", "same", will), ("failed", "failed", will_not))
        ):
            grid.addWidget(Icon(icon, colour=colour), row, 0, Qt.AlignmentFlag.AlignTop)
            grid.addWidget(Words(words, wrap=True), row, 1)
        self._do = QPushButton(verb)
        self._do.setObjectName("agree")
        self._do.setAutoDefault(False)
        self._do.clicked.connect(self._agree)
        row_of_buttons = close_row(self, self._do)
        close = row_of_buttons.button(QDialogButtonBox.StandardButton.Close)
        close.setText(leave)
        close.setDefault(True)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(20, 20, 20, 16)
        layout.setSpacing(theme.GROUP_GAP_PX)
        layout.addWidget(said)
        layout.addLayout(grid)
        layout.addStretch(1)
        layout.addWidget(row_of_buttons)
        self.setAccessibleDescription(f"{will} {will_not}")
        self.resize(self.fontMetrics().averageCharWidth() * _WIDE_LETTERS, self.sizeHint().height())

    def _agree(self) -> None:
        self.agreed.emit()
        self.accept()
