"""The menu of the files that were opened last."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QMenu, QWidget

from inspector.gui.settings import Memory
from inspector.gui.tips import tip


class RecentMenu(QMenu):
    """Lists recent files, as they are when it is opened."""

    path_chosen = Signal(object)  # Path

    def __init__(self, memory: Memory, parent: QWidget) -> None:
        super().__init__("Open recent", parent)
        self._memory = memory
        self.aboutToShow.connect(self._fill)

    def _fill(self) -> None:
        from inspector.presentation.visible import one_line

        self.clear()
        for path in self._memory.recent_files:
            action = self.addAction(one_line(path.name).replace("&", "&&"))
            action.setToolTip(tip(one_line(str(path))))
            action.triggered.connect(lambda _checked=False, path=path: self.path_chosen.emit(path))
        if self.isEmpty():
            self.addAction("No run was opened yet").setEnabled(False)
            return
        self.addSeparator()
        self.addAction("Forget these files", self._memory.forget_files)
