"""Asks which runs stand beside each other."""

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import (
    QDialog,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from inspector.gui import theme
from inspector.gui.dialogs.buttons import close_row
from inspector.gui.widgets.labels import Words
from inspector.gui.workspace.open_cohort import CohortMember
from inspector.presentation.visible import one_line


class CohortDialog(QDialog):
    """Ticks runs that are open in some form; the first ticked one is the baseline."""

    chosen = Signal(object)  # list of CohortMember

    def __init__(
        self,
        choices: Sequence[CohortMember],
        least: int = 2,
        parent: QWidget | None = None,
    ) -> None:
        """Make the dialog.

        Args:
            choices: The runs to choose from.
            least: How many have to be ticked.
            parent: Where it stands.

        """
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Runs in a table")
        self._choices = list(choices)
        self._least = least
        self._list = QListWidget()
        self._list.setAccessibleName("Runs to put beside each other")
        for choice in self._choices:
            words = choice.label or choice.side.title
            if choice.label and choice.label != choice.side.title:
                words = f"{choice.label}  ({choice.side.title})"
            item = QListWidgetItem(one_line(words))
            item.setSizeHint(QSize(0, theme.row_height()))
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
            item.setCheckState(Qt.CheckState.Checked)
            self._list.addItem(item)
        self._list.setCurrentRow(0 if self._choices else -1)
        self._list.itemChanged.connect(self._allow)
        self._show = QPushButton("Show table")
        self._show.setDefault(True)
        self._show.clicked.connect(self._choose)
        layout = QVBoxLayout(self)
        words = (
            "The others are measured by the first one that is ticked. Space ticks."
            if least > 1
            else "These come to the table. Space ticks."
        )
        layout.addWidget(Words(words, colour="secondary", wrap=True))
        layout.addWidget(self._list, 1)
        layout.addWidget(close_row(self, self._show))
        self.resize(520, 360)
        self._allow()

    @property
    def runs(self) -> QListWidget:
        return self._list

    def _ticked(self) -> list[CohortMember]:
        return [
            choice
            for row, choice in enumerate(self._choices)
            if self._list.item(row).checkState() == Qt.CheckState.Checked
        ]

    def _allow(self) -> None:
        self._show.setEnabled(len(self._ticked()) >= self._least)

    def _choose(self) -> None:
        self.chosen.emit(self._ticked())
        self.accept()
