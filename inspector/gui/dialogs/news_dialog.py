"""Shows what a replay would add to its recording, before anything is written."""

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QDialog, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from inspector.gui import theme
from inspector.gui.dialogs.buttons import close_row
from inspector.gui.widgets.cells_view import CellsView
from inspector.gui.widgets.labels import Icon, Words
from inspector.presentation.news_list import NEWS_TITLES, kept_words, news_rows, news_words

if TYPE_CHECKING:
    from inspector.replay.extend import News


class NewsDialog(QDialog):
    """Lists the new calls. Nothing is written before Add is pressed."""

    agreed = Signal()

    def __init__(self, news: "News", name: str, parent: QWidget | None = None) -> None:
        """Make the dialog.

        Args:
            news: What would be added.
            name: What the file of the recording is called.
            parent: Where it stands.

        """
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Add to the recording")
        self._words = Words(news_words(news, name), strong=True, wrap=True)
        self._table = CellsView(NEWS_TITLES, "Calls that would be added", (0.55, 0.44, 9, 20))
        self._table.show_rows(news_rows(news))
        row = QHBoxLayout()
        row.setSpacing(theme.GAP_PX)
        row.addWidget(Icon("info" if not news.calls else "add"), 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self._words, 1)
        add = QPushButton("Add to the recording")
        add.setEnabled(bool(news.calls))
        add.clicked.connect(self._agree)
        layout = QVBoxLayout(self)
        layout.setSpacing(theme.GAP_PX)
        layout.addLayout(row)
        layout.addWidget(self._table, 1)
        layout.addWidget(Words(kept_words(news), step=-1, colour="secondary", wrap=True))
        layout.addWidget(close_row(self, add))
        self.resize(680, 400)

    @property
    def table(self) -> CellsView:
        return self._table

    @property
    def words(self) -> str:
        return self._words.text()

    def _agree(self) -> None:
        self.agreed.emit()
        self.accept()
