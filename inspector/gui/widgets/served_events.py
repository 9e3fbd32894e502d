"""What happened to something of a server, in rows: for those who read instead of look."""

from collections.abc import Mapping

from PySide6.QtWidgets import QHeaderView, QTreeView

from inspector.gui import theme
from inspector.gui.models.hayhooks_events_model import EventColumn, EventsModel
from inspector.gui.widgets.row_tree import dress_tree


class ServedEvents(QTreeView):
    """Shows those columns whose width is given in letters, and what happened in all the rest."""

    def __init__(self, model: EventsModel, name: str, letters: Mapping[EventColumn, int]) -> None:
        super().__init__()
        self._letters = dict(letters)
        dress_tree(self, name)
        self.setRootIsDecorated(False)
        self.setModel(model)
        for column in EventColumn:
            self.setColumnHidden(column, column not in (*letters, EventColumn.WHAT))
        self.header().setStretchLastSection(True)
        self.header().setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        theme.changes.changed.connect(self._lay_out_columns)
        self._lay_out_columns()

    def _lay_out_columns(self) -> None:
        letter = self.fontMetrics().averageCharWidth()
        for column, letters in self._letters.items():
            self.header().resizeSection(column, letters * letter + theme.GAP_PX)
