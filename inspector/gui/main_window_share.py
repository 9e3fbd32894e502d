"""What the window does to give a run away without the secrets in it."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QDialog, QFileDialog, QWidget

from inspector.gui.dialogs.save_run import ask_where_to_save_run
from inspector.gui.main_window_compare import ShowDialog
from inspector.gui.settings import Memory
from inspector.gui.workspace.open_run import OpenRun
from inspector.gui.workspace.workspace import Workspace
from inspector.presentation.redaction_words import saved_words
from inspector.presentation.visible import one_line
from inspector.replay.keys import SessionKeys

if TYPE_CHECKING:
    from inspector.gui.dialogs.share_dialog import ShareDialog
    from inspector.presentation.redaction_preview import RedactionPreview

_SUFFIXES = (".run.json.gz", ".run.json.zst", ".run.json", ".jsonl", ".json")


class ShareOffers(QObject):
    """Shows what would leave, leads to the places of it, and asks where the copy goes.

    It holds the salt of the session, which ends with the window.
    """

    said = Signal(str)

    def __init__(
        self, window: QWidget, workspace: Workspace, memory: Memory, show_dialog: ShowDialog
    ) -> None:
        super().__init__(window)
        self._window = window
        self._workspace = workspace
        self._memory = memory
        self._show_dialog = show_dialog
        self._keys = SessionKeys()

    def ask(self) -> None:
        """Show what a redacted copy of the run in front would be."""
        current = self._workspace.current
        if current is None:
            return
        # One a run: another run's dialog is not what was asked for.
        self._show_dialog(f"share {id(current)}", lambda: self._made(current))

    def _made(self, current: OpenRun) -> QDialog:
        from inspector.gui.dialogs.share_dialog import ShareDialog

        dialog = ShareDialog(current.run, self._keys, self._window)
        dialog.setWindowTitle(f"Share a redacted copy of {one_line(current.title)}")
        dialog.save_requested.connect(partial(self._ask_where, current, dialog))
        dialog.place_wanted.connect(partial(self._go_to, current))
        dialog.saved.connect(self._on_saved)

        def close_with(removed: OpenRun) -> None:
            if removed is current:
                dialog.reject()

        self._workspace.removed.connect(close_with)
        dialog.finished.connect(lambda _code: self._workspace.removed.disconnect(close_with))
        return dialog

    def _go_to(self, current: OpenRun, span_id: str, field: str) -> None:
        self._workspace.make_current(current)
        if span_id:
            current.selection.select(span_id, field or None)

    def _ask_where(self, current: OpenRun, dialog: "ShareDialog") -> QFileDialog:
        folder = Path(self._memory.last_folder or Path.home())
        suggested = folder / f"{_stem(current)}.redacted.run.json"

        return ask_where_to_save_run(
            dialog, suggested, lambda place: dialog.write(place, current.path),
            "Save the redacted copy",
        )  # fmt: skip

    def _on_saved(self, place: Path, preview: "RedactionPreview", trouble: str) -> None:
        self._memory.remember_folder(place.parent)
        self.said.emit(f"{saved_words(place.name, preview)} {one_line(trouble)}".rstrip())


def _stem(current: OpenRun) -> str:
    name = current.path.name if current.path is not None else current.title
    for suffix in _SUFFIXES:
        if name.endswith(suffix):
            return name.removesuffix(suffix) or "run"
    return name or "run"
