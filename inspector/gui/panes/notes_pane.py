"""What a person wrote about the spans of a run."""

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QLineEdit,
    QListView,
    QPlainTextEdit,
    QSizePolicy,
    QStackedLayout,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from inspector.gui import theme
from inspector.gui.models.notes_model import NotesModel
from inspector.gui.panes.follow_selection import FollowSelection
from inspector.gui.widgets.edit_field import EditField
from inspector.gui.widgets.empty_words import EmptyWords
from inspector.gui.widgets.file_drops import let_files_through
from inspector.gui.widgets.labels import ElidedWords
from inspector.gui.widgets.note_delegate import NoteDelegate
from inspector.gui.widgets.plain import Hairline, PanelGround
from inspector.gui.workspace.open_run import OpenRun

_EDITOR_LINES = 5
_NOTHING = (
    "Ctrl+B bookmarks the selected span; what you write above stays with it. "
    "Both are kept on this machine, beside the run and never in its file."
)
_NONE_IN_TIME = "No bookmark or note in this stretch of time. Backspace shows the whole run."
_NONE_FITS = "No bookmark and no note holds all of these words."


class NotesPane(QWidget):
    """Takes a note at the selected span, and lists all there are. Knows one `OpenRun`."""

    def __init__(self, open_run: OpenRun, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._open_run = open_run
        self._span_id: str | None = None  # whose note is in the editor
        self._shown: tuple[str | None, str] | None = None  # the note as it was put there
        self._model = NotesModel(self)
        self._title = ElidedWords("", strong=True)
        self._bookmark = _BookmarkButton()
        self._editor = _Editor()
        self._filter = QLineEdit()
        self._filter.setPlaceholderText("Search in notes")
        self._filter.setAccessibleName("Search in notes")
        let_files_through(self._filter)
        self._filter.setClearButtonEnabled(True)
        self._view = _view()
        self._view.setModel(self._model)
        self._view.setItemDelegate(NoteDelegate(self._view))
        self._empty = EmptyWords(self)
        self._lay_out()
        self.setFocusProxy(self._editor)

        self._editor.written.connect(self._keep)
        self._bookmark.clicked.connect(self._on_bookmark)
        self._filter.textChanged.connect(lambda _text: self._show_list())
        open_run.notes.changed.connect(self._on_notes_changed)
        open_run.selection.span_changed.connect(self._show_span)
        open_run.run_changed.connect(self._show_list)
        open_run.range.changed.connect(self._show_list)
        self._follow = FollowSelection(self._view, self._model, open_run.selection)
        theme.changes.changed.connect(self._view.doItemsLayout)
        self._show_list()
        self._show_span(open_run.selection.span_id)

    @property
    def editor(self) -> QPlainTextEdit:
        return self._editor

    @property
    def view(self) -> QListView:
        return self._view

    @property
    def filter_line(self) -> QLineEdit:
        return self._filter

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setSpacing(theme.GAP_PX)
        head.addWidget(self._title, 1)
        head.addWidget(self._bookmark)
        upper = QVBoxLayout()
        upper.setContentsMargins(theme.GROUP_GAP_PX, theme.GAP_PX, theme.GAP_PX, theme.GAP_PX)
        upper.setSpacing(theme.GRID_PX)
        upper.addLayout(head)
        upper.addWidget(EditField(self._editor))
        upper.addSpacing(theme.GRID_PX)
        upper.addWidget(self._filter)
        pages = QWidget()
        self._stack = QStackedLayout(pages)
        self._stack.addWidget(self._empty)
        self._stack.addWidget(self._view)
        ground = QWidget()
        PanelGround(ground)
        inside = QVBoxLayout(ground)
        inside.setContentsMargins(0, 0, 0, 0)
        inside.setSpacing(0)
        inside.addLayout(upper)
        inside.addWidget(Hairline())
        inside.addWidget(pages, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(ground)

    def _show_span(self, span_id: str | None) -> None:
        self._keep()
        run = self._open_run.run
        row = run.table.row_of(span_id) if span_id else None
        self._span_id = span_id if row is not None else None
        if row is None:
            self._title.setText("No span is selected")
        else:
            from inspector.presentation.outline import span_label
            from inspector.presentation.visible import one_line

            self._title.setText(one_line(span_label(run, row)))
        self._editor.setEnabled(row is not None)
        self._bookmark.setEnabled(row is not None)
        self._show_mark()

    def _show_mark(self) -> None:
        mark = self._open_run.notes.at(self._span_id)
        self._bookmark.setChecked(mark.bookmarked)
        # What is being written stays, as long as nobody changed the note meanwhile.
        if (self._span_id, mark.note) != self._shown:
            self._shown = (self._span_id, mark.note)
            if self._editor.toPlainText().strip() != mark.note:
                self._editor.setPlainText(mark.note)

    def _keep(self) -> None:
        if self._span_id is not None:
            self._open_run.notes.write(self._span_id, self._editor.toPlainText())

    def _on_bookmark(self) -> None:
        if self._span_id is not None:
            self._open_run.notes.toggle_bookmark(self._span_id)

    def _on_notes_changed(self) -> None:
        self._show_list()
        self._show_mark()

    def _show_list(self) -> None:
        from inspector.presentation.in_time import is_in_time
        from inspector.presentation.notes import mark_rows

        run, marks = self._open_run.run, self._open_run.notes.marks
        bounds = self._open_run.range.bounds
        fitting = mark_rows(run, marks, self._filter.text())
        rows = [row for row in fitting if is_in_time(run.table, row.span_id, bounds)]
        self._model.show(rows)
        self._stack.setCurrentIndex(1 if rows else 0)
        self._filter.setVisible(bool(marks))
        self._empty.say(_NONE_IN_TIME if fitting else _NONE_FITS if marks else _NOTHING)
        self._follow.show_selected(self._open_run.selection.span_id)


class _Editor(QPlainTextEdit):
    """Says when what was written is to be kept: when one leaves it, or with Ctrl+Enter or Esc."""

    written = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName("Note on the selected span")
        self.setPlaceholderText("What is worth remembering about this span?")
        self.setTabChangesFocus(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.changes.changed.connect(self._dress)
        self._dress()

    def _dress(self) -> None:
        self.setFont(theme.font())
        self.setFixedHeight(self.fontMetrics().lineSpacing() * _EDITOR_LINES + 14)

    def event(self, event: QEvent) -> bool:
        # Esc leaves the note before anything else that listens to it.
        if (
            isinstance(event, QKeyEvent)
            and event.type() == QEvent.Type.ShortcutOverride
            and event.key() == Qt.Key.Key_Escape
        ):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if enter and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.written.emit()
        elif event.key() == Qt.Key.Key_Escape:
            self.focusNextChild()
        else:
            super().keyPressEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.written.emit()


class _BookmarkButton(QToolButton):
    def __init__(self) -> None:
        super().__init__()
        self.setCheckable(True)
        self.setAutoRaise(True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAccessibleName("Bookmark this span")
        self.setToolTip("Bookmark this span (Ctrl+B)")
        self.toggled.connect(lambda _on: self._dress())
        theme.changes.changed.connect(self._dress)
        self._dress()

    def _dress(self) -> None:
        self.setIcon(theme.icon("bookmark", "accent" if self.isChecked() else "secondary"))


def _view() -> QListView:
    view = QListView()
    view.setAccessibleName("Bookmarks and notes")
    view.setMouseTracking(True)
    view.setFrameShape(QListView.Shape.NoFrame)
    view.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
    view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    view.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
    theme.dress_rows(view)
    return view
