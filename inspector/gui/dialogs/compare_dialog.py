"""Asks what a run is compared with."""

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QDialog, QListWidget, QPushButton, QVBoxLayout, QWidget

from inspector.gui import theme
from inspector.gui.dialogs.buttons import close_row
from inspector.gui.dialogs.choose_files import choose_file
from inspector.gui.settings import Memory
from inspector.gui.widgets.labels import Words
from inspector.gui.workspace.open_run import OpenRun
from inspector.presentation.visible import one_line

_SIZE = QSize(480, 320)


class CompareDialog(QDialog):
    """Offers the other open runs and the files opened last; any other file by a chooser."""

    run_chosen = Signal(object)  # OpenRun
    file_chosen = Signal(object)  # Path

    def __init__(
        self,
        left: OpenRun,
        others: Sequence[OpenRun],
        memory: Memory,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle("Compare with")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._memory = memory
        self._choices: list[OpenRun | Path] = list(others)
        known = {left.path, *(one.path for one in others)}
        self._choices += [path for path in memory.recent_files if path not in known]
        self._list = QListWidget()
        self._list.setAccessibleName("What to compare with")
        self._list.setUniformItemSizes(True)
        theme.dress_rows(self._list)
        for choice in self._choices:
            words = f"{choice.title} (open)" if isinstance(choice, OpenRun) else choice.name
            self._list.addItem(one_line(words))
            self._list.item(self._list.count() - 1).setSizeHint(QSize(0, theme.row_height()))
        self._list.setCurrentRow(0 if self._choices else -1)
        self._list.itemActivated.connect(self._choose)
        compare = QPushButton("Compare")
        compare.setDefault(True)
        compare.setEnabled(bool(self._choices))
        compare.clicked.connect(self._choose)
        other = QPushButton("Another file…")
        other.clicked.connect(self._ask_for_a_file)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(24, 20, 24, 16)
        layout.setSpacing(theme.GROUP_GAP_PX)
        layout.addWidget(Words(f"{one_line(left.title)} stands on the left. Compare it with"))
        layout.addWidget(self._list)
        layout.addWidget(close_row(self, other, compare))
        self.resize(_SIZE)

    def _choose(self) -> None:
        row = self._list.currentRow()
        if row < 0:
            return
        choice = self._choices[row]
        if isinstance(choice, OpenRun):
            self.run_chosen.emit(choice)
        else:
            self.file_chosen.emit(choice)
        self.accept()

    def _ask_for_a_file(self) -> None:
        choose_file(self, "Compare with", self._memory.last_folder, self._take)

    def _take(self, path: Path) -> None:
        self._memory.remember_folder(path.parent)
        self.file_chosen.emit(path)
        self.accept()
