"""Documents as a table with their scores, and the chosen one in full."""

from functools import partial

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPoint, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPalette, QResizeEvent
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QHeaderView,
    QMenu,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeView,
    QVBoxLayout,
    QWidget,
)

from inspector.gui import theme
from inspector.gui.models.documents_model import Column, DocumentRole, DocumentsModel
from inspector.gui.tasks.runner import TaskRunner
from inspector.gui.widgets.facts_view import FactsView
from inspector.gui.widgets.labels import ElidedWords, Words
from inspector.gui.widgets.plain import QUESTIONS, Hairline, IconButton
from inspector.gui.widgets.quiet_splitter import QuietSplitter
from inspector.gui.widgets.text_viewer import TextViewer
from inspector.presentation.documents import DocumentRow, DocumentsView, marks_in
from inspector.presentation.previews import text_preview
from inspector.presentation.summary import Fact
from inspector.presentation.visible import visible_text
from inspector.presentation.words import number_words, plural, sentence

_WITHOUT_ID_PX = 700
_WITHOUT_SOURCE_PX = 480
_MARKED_CHARACTERS = 200_000
_BAR_PX = 56


class DocumentsPanel(QWidget):
    """One list of documents at a time, output first, with the words of the query marked."""

    field_chosen = Signal(str)
    asked = Signal(str, bool)  # the path of a document: where it came from, or who used it
    menu_opened = Signal(object, str)  # QMenu and path: others add what they offer

    def __init__(self, tasks: TaskRunner, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shown = DocumentsView(())
        self._model = DocumentsModel(self)
        self._lists = QComboBox(self)
        self._lists.setAccessibleName("List of documents")
        self._lists.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self._lists.currentIndexChanged.connect(self._show_list)
        self._title = Words(step=-1, colour="secondary")
        self._query = ElidedWords(step=-1, colour="secondary")
        self._query.setAccessibleName("Query")
        self._table = _Table(self)
        self._table.setModel(self._model)
        self._table.prepare()
        self._table.selectionModel().currentChanged.connect(self._on_current_changed)
        self._table.clicked.connect(self._on_chosen)
        self._table.activated.connect(self._on_activated)
        self._table.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self._table.customContextMenuRequested.connect(self._on_menu_requested)
        ask = [IconButton(i, words, partial(self._ask, backward=b)) for i, words, b in QUESTIONS]
        self._viewer = TextViewer(tasks, self, name="Content of the chosen document", buttons=ask)
        self._viewer.escape_pressed.connect(self._table.setFocus)
        self._facts = FactsView(self, name="What is known of the chosen document")
        self._facts.setMinimumHeight(3 * theme.row_height())

        self._below = QuietSplitter(Qt.Orientation.Vertical, self)
        self._below.addWidget(self._viewer)
        self._below.addWidget(self._facts)
        self._below.setStretchFactor(0, 3)
        self._below.setStretchFactor(1, 1)
        self._splitter = QuietSplitter(Qt.Orientation.Vertical, self)
        self._splitter.addWidget(self._table)
        self._splitter.addWidget(self._below)
        self._splitter.setSizes([200, 300])
        self._splitter.setStretchFactor(0, 2)
        self._splitter.setStretchFactor(1, 3)

        head = QHBoxLayout()
        head.setContentsMargins(theme.GAP_PX, theme.GRID_PX, theme.GAP_PX, theme.GRID_PX)
        head.setSpacing(theme.GAP_PX)
        head.addWidget(self._lists)
        head.addWidget(self._title)
        head.addWidget(self._query, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(head)
        layout.addWidget(Hairline(self))
        layout.addWidget(self._splitter, 1)
        self.setFocusProxy(self._table)

    def show_documents(self, shown: DocumentsView) -> None:
        """Show the documents of a span."""
        if shown == self._shown:
            return
        before = self._lists.currentText()
        self._shown = shown
        self._lists.blockSignals(True)
        self._lists.clear()
        for each in shown.lists:
            self._lists.addItem(f"{each.title} ({number_words(len(each.rows))})")
        self._lists.blockSignals(False)
        several = len(shown.lists) > 1
        self._lists.setVisible(several)
        self._title.setVisible(not several)
        self._query.setText(f"for “{text_preview(shown.query, 300)}”" if shown.query else "")
        self._lists.setCurrentIndex(max(0, self._lists.findText(before)))
        self._show_list(self._lists.currentIndex())

    def show_field(self, path: str) -> bool:
        """Choose the document at a path; `False` when there is none."""
        for number, each in enumerate(self._shown.lists):
            for place, row in enumerate(each.rows):
                if path.startswith(row.path):
                    self._lists.setCurrentIndex(number)
                    self._table.setCurrentIndex(self._model.index(place, 0))
                    return True
        return False

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._splitter.lie_or_stand(self.size())

    def _show_list(self, number: int) -> None:
        if not 0 <= number < len(self._shown.lists):
            return
        chosen = self._shown.lists[number]
        self._title.setText(sentence([chosen.title, plural(len(chosen.rows), "document")]))
        row = max(0, self._table.currentIndex().row())
        self._model.show_rows(chosen.rows)
        row = min(row, len(chosen.rows) - 1)
        self._table.setCurrentIndex(self._model.index(row, 0))

    def _on_current_changed(self, current: QModelIndex, _previous: QModelIndex) -> None:
        row = self._model.document(current)
        if row is not None:
            self._show_document(row)

    def _show_document(self, row: DocumentRow) -> None:
        if row.content is None:
            self._viewer.show_text(row.preview, "")
        else:
            # Where words stand is counted in the text as it is seen.
            seen = visible_text(row.content[:_MARKED_CHARACTERS])
            self._viewer.show_text(row.content, marks=marks_in(seen, self._shown.words))
        facts = [Fact("Id", text_preview(row.id, 100), from_file=True)] if row.id else []
        facts += [Fact(name, text, from_file=True) for name, text in row.facts]
        self._facts.show_facts(facts)
        self._facts.setVisible(bool(facts))

    def _on_chosen(self, index: QModelIndex) -> None:
        row = self._model.document(index)
        if row is not None:
            self.field_chosen.emit(row.path)

    @property
    def current_path(self) -> str:
        """The path of the chosen document."""
        row = self._model.document(self._table.currentIndex())
        return row.path if row is not None else ""

    def _ask(self, *, backward: bool) -> None:
        if self.current_path:
            self.asked.emit(self.current_path, backward)

    def _on_menu_requested(self, at: QPoint) -> None:
        if not self.current_path:
            return
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for icon, words, backward in QUESTIONS:
            menu.addAction(theme.icon(icon), words, partial(self._ask, backward=backward))
        self.menu_opened.emit(menu, self.current_path)
        menu.popup(self._table.viewport().mapToGlobal(at))

    def _on_activated(self, index: QModelIndex) -> None:
        self._on_chosen(index)
        self._viewer.set_focus_on_text()


class _Table(QTreeView):
    """A tree view without branches: rows of one height, no grid, one column fills the rest."""

    def prepare(self) -> None:
        """Set what needs a model first."""
        self.setAccessibleName("Documents")
        theme.dress_rows(self)
        self.setItemDelegate(_DocumentDelegate(self))
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setRootIsDecorated(False)
        self.setUniformRowHeights(True)
        self.setFrameShape(QTreeView.Shape.NoFrame)
        self.setEditTriggers(QTreeView.EditTrigger.NoEditTriggers)
        self.setAllColumnsShowFocus(True)
        header = self.header()
        header.setStretchLastSection(True)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        advance = self.fontMetrics().horizontalAdvance("0")
        header.resizeSection(Column.RANK, 6 * advance)
        header.resizeSection(Column.SCORE, 9 * advance + _BAR_PX)
        header.resizeSection(Column.ID, 11 * advance)
        header.resizeSection(Column.SOURCE, 20 * advance)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.setColumnHidden(Column.ID, self.width() < _WITHOUT_ID_PX)
        self.setColumnHidden(Column.SOURCE, self.width() < _WITHOUT_SOURCE_PX)


class _DocumentDelegate(QStyledItemDelegate):
    """Draws scores as a number with a bar, and the file's words in the fixed font."""

    def initStyleOption(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        super().initStyleOption(option, index)
        column = index.column()
        if column >= Column.ID:
            option.font = theme.monospace()
        else:
            option.font = theme.font()
            # Figures at the right of one column would touch the words of the next.
            option.text += "\u2002"
            option.displayAlignment = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        if column == Column.SOURCE:
            option.textElideMode = Qt.TextElideMode.ElideMiddle
        colour = theme.current().text if column != Column.ID else theme.current().secondary
        palette: QPalette = option.palette
        palette.setColor(QPalette.ColorRole.Text, colour)
        palette.setColor(QPalette.ColorRole.HighlightedText, colour)

    def sizeHint(
        self, _option: QStyleOptionViewItem, _index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        return QSize(60, theme.row_height())

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        super().paint(painter, option, index)
        share = index.data(DocumentRole.SHARE)
        if index.column() != Column.SCORE or share is None:
            return
        cell = option.rect
        tokens = theme.current()
        room = QRectF(cell.left() + theme.GAP_PX, cell.center().y() - 2, _BAR_PX - theme.GAP_PX, 5)
        painter.fillRect(room, tokens.border)
        room.setWidth(room.width() * max(0.0, min(1.0, share)))
        painter.fillRect(room, tokens.retrieval)
