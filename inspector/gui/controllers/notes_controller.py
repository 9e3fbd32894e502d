"""Bookmarks and notes at the spans of the current run."""

from bisect import bisect_left, bisect_right
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QUndoStack

from inspector.errors import InspectorError
from inspector.gui.messages import Messages
from inspector.gui.workspace.open_replay import OpenReplay
from inspector.gui.workspace.open_run import OpenRun
from inspector.gui.workspace.workspace import Workspace


class NotesController(QObject):
    """Does to the notes of the current run what a person asks for.

    `said` tells what happened; `changeable` what can be taken back, and what can be done
    again: the words for each, empty where there is nothing.
    """

    said = Signal(str)
    changeable = Signal(str, str)

    def __init__(
        self,
        workspace: Workspace,
        messages: Messages,
        folder: Path | None,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._messages = messages
        self._folder = folder
        workspace.added.connect(self._on_added)
        workspace.replay_added.connect(self._on_replay_added)
        workspace.current_changed.connect(self._on_current_changed)

    def bookmark(self) -> None:
        """Bookmark the selected span, or take its bookmark away."""
        if (open_run := self._workspace.current) is None:
            return
        span_id = open_run.selection.span_id
        if span_id is None:
            self.said.emit("No span is selected.")
            return
        open_run.notes.toggle_bookmark(span_id)
        now = open_run.notes.at(span_id).bookmarked
        self.said.emit("Bookmarked." if now else "The bookmark is gone.")

    def next_bookmark(self) -> None:
        """Go to the next span with a bookmark or a note; after the last comes the first."""
        self._step(1)

    def previous_bookmark(self) -> None:
        """Go to the one before; before the first comes the last."""
        self._step(-1)

    def undo(self) -> None:
        """Take back what was done last to bookmarks, notes, changes and breakpoints."""
        if (stack := self._stack()) is not None:
            words = stack.undoText()
            stack.undo()
            self.said.emit(f"Taken back: {words.lower()}." if words else "Nothing to undo.")

    def redo(self) -> None:
        """Do again what was taken back."""
        if (stack := self._stack()) is not None:
            words = stack.redoText()
            stack.redo()
            self.said.emit(f"Done again: {words.lower()}." if words else "Nothing to redo.")

    def tell(self) -> None:
        """Say what can be taken back and what done again now."""
        stack = self._stack()
        self.changeable.emit(stack.undoText() if stack else "", stack.redoText() if stack else "")

    def _stack(self) -> QUndoStack | None:
        """Return what was done to what is in front; a replay has breakpoints of its own."""
        item = self._workspace.current_item
        if isinstance(item, OpenReplay):
            return item.undo_stack
        return item.notes.undo_stack if isinstance(item, OpenRun) else None

    def _step(self, by: int) -> None:
        if (open_run := self._workspace.current) is None:
            return
        from inspector.presentation.notes import bookmarked_rows

        rows = bookmarked_rows(open_run.run, open_run.notes.marks)
        if not rows:
            self.said.emit("This run has no bookmarks. Ctrl+B sets one.")
            return
        here = open_run.run.table.row_of(open_run.selection.span_id or "")
        here = -1 if here is None else here
        place = bisect_right(rows, here) if by > 0 else bisect_left(rows, here) - 1
        place %= len(rows)
        open_run.selection.select(open_run.run.table.id(rows[place]))
        self.said.emit(f"Bookmark {place + 1} of {len(rows)}")

    def _on_added(self, open_run: OpenRun) -> None:
        notes = open_run.notes
        notes.undo_stack.indexChanged.connect(self._on_stack_moved)
        notes.save_failed.connect(self._on_save_failed)
        if self._folder is not None:
            notes.keep_in(self._folder)

    def _on_replay_added(self, replay: OpenReplay) -> None:
        replay.undo_stack.indexChanged.connect(self._on_stack_moved)

    # Methods, not lambdas: Qt lets go of them when it lets go of us.

    def _on_stack_moved(self, _at: int) -> None:
        self.tell()

    def _on_current_changed(self, _item: object) -> None:
        self.tell()

    def _on_save_failed(self, why: str) -> None:
        self._messages.failed(
            InspectorError(
                f"Bookmarks and notes could not be saved: {why}.",
                hint="They stay while the run is open.",
            )
        )
