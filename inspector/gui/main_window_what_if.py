"""What the window shows when something of a recording is to be changed: the editors."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QDialog, QWidget

from inspector.errors import InspectorError
from inspector.gui.dialogs.dialogs_of import DialogsOf
from inspector.gui.settings import Memory
from inspector.gui.workspace.open_run import OpenRun
from inspector.gui.workspace.workspace import Workspace

if TYPE_CHECKING:
    from inspector.gui.dialogs.change_dialog import ChangeDialog
    from inspector.presentation.what_if import Change
    from inspector.presentation.what_if_places import Place

ShowDialog = Callable[[str, Callable[[], QDialog]], None]


class WhatIfOffers(QObject):
    """Opens an editor for what somebody wants to change; what is decided is an undoable change."""

    replay_requested = Signal(object)  # OpenRun
    said = Signal(str)

    def __init__(
        self, window: QWidget, workspace: Workspace, memory: Memory, show_dialog: ShowDialog
    ) -> None:
        super().__init__(window)
        self._window = window
        self._workspace = workspace
        self._memory = memory
        self._show_dialog = show_dialog
        self._open: DialogsOf[OpenRun] = DialogsOf()
        workspace.added.connect(self._on_added)
        workspace.removed.connect(self._open.close)

    def edit(self, open_run: OpenRun, place: "Place") -> None:
        """Open the editor of a place."""
        key = "/".join(("what-if", str(id(open_run)), *place.key))
        self._show_dialog(key, partial(self._make, open_run, place))

    def edit_template(self) -> None:
        """Change the prompt nearest to what is selected, or say that there is none."""
        from inspector.presentation.what_if_places import Form, places_at, template_places

        open_run = self._workspace.current
        if open_run is None:
            return
        run, span_id = open_run.run, open_run.selection.span_id
        row = run.table.row_of(span_id) if span_id else None
        near = places_at(run, run.spans[row]) if row is not None else []
        found = [each for each in near if each.form is Form.TEMPLATE] or template_places(run)
        if found:
            self.edit(open_run, found[0])
        else:
            self.said.emit("This recording holds no prompt template.")

    def edit_here(self) -> None:
        """Change what is selected: a value, or what the selected span gave back."""
        from inspector.presentation.what_if_places import parameter_places, places_at

        open_run = self._workspace.current
        if open_run is None:
            return
        run, (span_id, field) = open_run.run, open_run.selection.focus
        row = run.table.row_of(span_id) if span_id else None
        if row is None:
            self.said.emit("No span is selected.")
            return
        span = run.spans[row]
        found = places_at(run, span, field or "") or parameter_places(run, span)
        if found:
            self.edit(open_run, found[0])
        else:
            self.said.emit("Nothing here can be different in a replay.")

    def _make(self, open_run: OpenRun, place: "Place") -> "ChangeDialog":
        from inspector.presentation.what_if_places import Form, fault_of

        known = open_run.changes.at(place.key)
        now = known.after if known is not None else place.recorded
        fault = partial(fault_of, open_run.run, place)
        dialog: ChangeDialog
        match place.form:
            case Form.TEMPLATE:
                from inspector.gui.dialogs.template_dialog import TemplateDialog

                python = self._interpreter(open_run)
                dialog = TemplateDialog(open_run, place, now, fault, python, self._window)
            case Form.DOCUMENTS:
                from inspector.gui.dialogs.documents_dialog import DocumentsDialog
                from inspector.presentation.edited_documents import row_of

                at = row_of(place.focus)
                dialog = DocumentsDialog(place, now, fault, at, self._window)
            case _:
                from inspector.gui.dialogs.value_dialog import ValueDialog

                dialog = ValueDialog(place, now, fault, self._window)
        dialog.decided.connect(lambda change: self._keep(open_run, change))
        self._open.add(open_run, dialog)
        return dialog

    def _keep(self, open_run: OpenRun, change: "Change") -> None:
        """Keep a change for the next replay, and say so: the editor was all that showed it."""
        from inspector.presentation.change_list import kept_words

        open_run.changes.put(change)
        self.said.emit(kept_words(open_run.changes.changes))

    def _interpreter(self, open_run: OpenRun) -> Path | None:
        """Return the Python that this pipeline was replayed with; None is that of the window."""
        from inspector.gui.dialogs.replay_dialog_source import interpreter_of
        from inspector.presentation.replay_choice import Remembered, pipeline_key

        kept = self._memory.replay(pipeline_key(open_run.run))
        try:
            return interpreter_of(Remembered(kept).choice()) if kept else None
        except InspectorError:
            return None  # it is gone since

    def _on_added(self, open_run: OpenRun) -> None:
        open_run.changes.asked.connect(partial(self.edit, open_run))
        open_run.changes.replay_asked.connect(partial(self.replay_requested.emit, open_run))
