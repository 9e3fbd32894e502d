"""An exception: what it said, what caused it, and where it happened."""

from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QResizeEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QListWidget,
    QListWidgetItem,
    QStackedLayout,
    QVBoxLayout,
    QWidget,
)

from inspector.gui import theme
from inspector.gui.tasks.runner import TaskRunner
from inspector.gui.widgets.empty_words import EmptyWords
from inspector.gui.widgets.labels import Icon, Words
from inspector.gui.widgets.plain import FileWords, Hairline, IconButton, PanelGround
from inspector.gui.widgets.text_viewer import TextViewer
from inspector.presentation.previews import short_type, text_preview
from inspector.presentation.visible import visible_text
from inspector.runfile.model import SpanError

_MOST_LINKS = 50
_LONGEST_MESSAGE = 1_000
_ROWS_SHOWN = 4
_ROWS_IF_TIGHT = 2
_ROOMY_ROWS = 13


@dataclass(frozen=True, slots=True)
class _Link:
    error: SpanError
    relation: str


class ErrorView(QWidget):
    """Shows one error of a chain at a time: type and message above, traceback below."""

    def __init__(self, tasks: TaskRunner, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._links: list[_Link] = []
        PanelGround(self)
        self._type = FileWords(strong=True, step=1, colour="failed", wrap=True)
        self._type.setAccessibleName("Type of the error")
        self._message = FileWords(wrap=True)
        self._message.setAccessibleName("Message of the error")
        copy = IconButton("copy", "Copy the error with its traceback", self.copy_error)

        self._chain_words = Words("This error and what led to it", step=-1, colour="secondary")
        self._chain = QListWidget(self)
        self._chain.setAccessibleName("Errors that led to this one")
        theme.dress_rows(self._chain)
        self._chain.setFrameShape(QListWidget.Shape.NoFrame)
        self._chain.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._chain.currentRowChanged.connect(self._show_link)
        self._viewer = TextViewer(tasks, self, name="Traceback")

        said = QVBoxLayout()
        said.setSpacing(theme.GRID_PX)
        said.addWidget(self._type)
        said.addWidget(self._message)
        head = QHBoxLayout()
        head.setContentsMargins(theme.GROUP_GAP_PX, theme.GAP_PX, theme.GRID_PX, theme.GAP_PX)
        head.setSpacing(theme.GAP_PX)
        top = Qt.AlignmentFlag.AlignTop
        head.addWidget(Icon("failed", colour="failed"), 0, top)
        head.addLayout(said, 1)
        head.addWidget(copy, 0, top)
        chain = QVBoxLayout()
        chain.setContentsMargins(theme.GROUP_GAP_PX, 0, theme.GRID_PX, theme.GAP_PX)
        chain.setSpacing(theme.GRID_PX)
        chain.addWidget(self._chain_words)
        chain.addWidget(self._chain)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(head)
        layout.addLayout(chain)
        layout.addWidget(Hairline(self))
        self._below = QStackedLayout()
        self._below.addWidget(self._viewer)
        self._below.addWidget(EmptyWords(self, words="No traceback was recorded."))
        layout.addLayout(self._below, 1)
        self.setFocusProxy(self._viewer)

    def show_error(self, error: SpanError) -> None:
        """Show an error and what led to it."""
        self._links = _chain_of(error)
        several = len(self._links) > 1
        self._chain_words.setVisible(several)
        self._chain.setVisible(several)
        self._chain.clear()
        for link in self._links:
            name = short_type(link.error.type)
            words = f"{link.relation}{name}: {text_preview(link.error.message, 160)}"
            item = QListWidgetItem(words)
            item.setFont(theme.monospace())
            self._chain.addItem(item)
        self._share_height()
        self._chain.setCurrentRow(0)
        self._show_link(0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._share_height()

    def _share_height(self) -> None:
        """Show few of the errors where it is tight: the message must be readable."""
        most = _ROWS_SHOWN if self.height() >= _ROOMY_ROWS * theme.row_height() else _ROWS_IF_TIGHT
        rows = min(len(self._links), most)
        edges = 2 * self._chain.frameWidth()
        self._chain.setFixedHeight(rows * max(1, self._chain.sizeHintForRow(0)) + edges)

    def copy_error(self) -> None:
        """Copy type, message and traceback of the whole chain."""
        QGuiApplication.clipboard().setText("\n\n".join(_error_text(link) for link in self._links))

    def _show_link(self, row: int) -> None:
        if not 0 <= row < len(self._links):
            return
        error = self._links[row].error
        self._type.setText(visible_text(error.type or "An error without a type"))
        message = error.message
        long = len(message) > _LONGEST_MESSAGE
        self._message.setText(visible_text(f"{message[:_LONGEST_MESSAGE]}…" if long else message))
        self._message.setVisible(bool(message))
        if error.traceback or long:
            self._viewer.show_text(error.traceback.rstrip("\n") or message, "")
        self._below.setCurrentIndex(0 if error.traceback or long else 1)


def _chain_of(error: SpanError) -> list[_Link]:
    links: list[_Link] = []
    following: SpanError | None = error
    relation = ""
    while following is not None and len(links) < _MOST_LINKS:
        links.append(_Link(following, relation))
        relation = "caused by " if following.cause is not None else "while handling "
        following = following.cause or following.context
    return links


def _error_text(link: _Link) -> str:
    error = link.error
    return "\n".join(
        part for part in (f"{link.relation}{error.type}: {error.message}", error.traceback) if part
    )
