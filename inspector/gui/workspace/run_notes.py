"""The bookmarks and notes of an open run, and how to take back what was done to them."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QIODevice, QObject, QSaveFile, QTimer, Signal
from PySide6.QtGui import QUndoCommand, QUndoStack

from inspector.presentation.notes import (
    LONGEST_NOTE,
    Mark,
    Marks,
    notes_name,
    read_notes,
    written_notes,
)

if TYPE_CHECKING:
    from inspector.gui.workspace.open_run import OpenRun

_SAVE_AFTER_MS = 400
_LARGEST_FILE = 32 * 2**20
_NO_MARK = Mark()


class RunNotes(QObject):
    """What a person left at the spans of one run.

    It is kept in a folder of the program's, never in the run file. Until `keep_in` was
    told where, it lives as long as the run is open.
    """

    changed = Signal()
    save_failed = Signal(str)  # why

    def __init__(self, open_run: "OpenRun") -> None:
        super().__init__(open_run)
        self._open_run = open_run
        self._marks: Marks = {}
        self._path: Path | None = None
        self.undo_stack = QUndoStack(self)
        self._saving = QTimer(self)
        self._saving.setSingleShot(True)
        self._saving.setInterval(_SAVE_AFTER_MS)
        self._saving.timeout.connect(self.save)

    @property
    def marks(self) -> Mapping[str, Mark]:
        """By the ids of spans; a span without either is not in it."""
        return self._marks

    def at(self, span_id: str | None) -> Mark:
        """Return what was left at a span."""
        return self._marks.get(span_id, _NO_MARK) if span_id else _NO_MARK

    def by_row(self) -> dict[int, Mark]:
        """Return what was left, by the rows of the run's table."""
        row_of = self._open_run.run.table.row_of
        rows = ((row_of(span_id), mark) for span_id, mark in self._marks.items())
        return {row: mark for row, mark in rows if row is not None}

    def keep_in(self, folder: Path) -> None:
        """Read what was left at this run before, and keep there what changes from now on."""
        self._path = folder / notes_name(self._open_run.run)
        try:
            if self._path.stat().st_size > _LARGEST_FILE:
                return
            text = self._path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            return
        self._marks = {**read_notes(text), **self._marks}
        self.changed.emit()

    def toggle_bookmark(self, span_id: str) -> None:
        """Bookmark a span, or take its bookmark away."""
        mark = self.at(span_id)
        words = "Remove bookmark" if mark.bookmarked else "Bookmark"
        self._push(span_id, mark._replace(bookmarked=not mark.bookmarked), words)

    def write(self, span_id: str, note: str) -> None:
        """Leave a note at a span; an empty one takes it away."""
        note = note.strip()[:LONGEST_NOTE]
        self._push(span_id, self.at(span_id)._replace(note=note), "Note" if note else "Remove note")

    def save(self) -> None:
        """Write what changed, now."""
        self._saving.stop()
        if self._path is None:
            return
        try:
            if not self._marks:
                self._path.unlink(missing_ok=True)
                return
            # What people write about runs is nobody else's to read.
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            self.save_failed.emit(error.strerror or str(error))
            return
        file = QSaveFile(str(self._path))
        written = written_notes(self._open_run.run, self._marks).encode("utf-8", "replace")
        is_open = file.open(QIODevice.OpenModeFlag.WriteOnly)
        if not is_open or file.write(written) < 0 or not file.commit():
            self.save_failed.emit(file.errorString())

    def close(self) -> None:
        """Write what was not written yet."""
        if self._saving.isActive():
            self.save()

    def set_mark(self, span_id: str, mark: Mark) -> None:
        """Put a mark in place, as doing and undoing do."""
        if mark == _NO_MARK:
            self._marks.pop(span_id, None)
        else:
            self._marks[span_id] = mark
        self._saving.start()
        self.changed.emit()

    def _push(self, span_id: str, mark: Mark, words: str) -> None:
        if mark != self.at(span_id):
            self.undo_stack.push(_Change(self, span_id, mark, words))


class _Change(QUndoCommand):
    """Another mark at a span. Taking it back, or doing it again, goes to that span."""

    def __init__(self, notes: RunNotes, span_id: str, mark: Mark, words: str) -> None:
        super().__init__(words)
        self._notes = notes
        self._span_id = span_id
        self._before, self._after = notes.at(span_id), mark

    def redo(self) -> None:
        self._notes.set_mark(self._span_id, self._after)

    def undo(self) -> None:
        self._notes.set_mark(self._span_id, self._before)
