"""Ties a view to what is selected."""

from typing import Protocol

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex
from PySide6.QtWidgets import QAbstractItemView

from inspector.gui.models.roles import SPAN_ID_ROLE
from inspector.gui.workspace.selection import RunSelection


class FindsSpans(Protocol):
    """A model that can say where a span stands."""

    def index_of(self, span_id: str) -> QModelIndex: ...


class FollowSelection(QObject):
    """Keeps a view's current row and a `RunSelection` the same, both ways.

    The view scrolls only when the row is out of sight, so that selecting
    elsewhere never moves what a person is reading.
    """

    def __init__(
        self,
        view: QAbstractItemView,
        model: FindsSpans,
        selection: RunSelection,
    ) -> None:
        super().__init__(view)
        self._view = view
        self._model = model
        self._selection = selection
        self._is_following = False
        view.selectionModel().currentChanged.connect(self._on_view_moved)
        view.clicked.connect(self._on_clicked)
        selection.span_changed.connect(self.show_selected)
        self.show_selected(selection.span_id)

    def show_selected(self, span_id: str | None) -> None:
        """Move the view to the selected span; call it after the rows have changed."""
        index = self._model.index_of(span_id) if span_id else QModelIndex()
        if self._view.currentIndex() == index:
            return
        if not index.isValid():
            self._view.selectionModel().clear()
            return
        # A row can stand for more than one span: it must not choose another one of them.
        self._is_following = True
        self._view.setCurrentIndex(index)
        self._is_following = False

    def _on_view_moved(
        self,
        current: QModelIndex | QPersistentModelIndex,
        _previous: QModelIndex | QPersistentModelIndex,
    ) -> None:
        if not self._is_following:
            self._select(current)

    def _on_clicked(self, index: QModelIndex) -> None:
        # The row may be current already, for another of the spans that it stands for.
        self._select(index)

    def _select(self, index: QModelIndex | QPersistentModelIndex) -> None:
        span_id = index.data(SPAN_ID_ROLE)
        if span_id is not None:
            self._selection.select(span_id)
