"""What the window asks before it opens a sealed run, and before it seals one."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QDialog, QFileDialog, QWidget

from inspector.gui.controllers.unseal_controller import Sealed, UnsealController
from inspector.gui.dialogs.save_run import ask_where_to_save_sealed
from inspector.gui.main_window_compare import ShowDialog
from inspector.gui.settings import Memory
from inspector.gui.workspace.open_run import OpenRun
from inspector.gui.workspace.workspace import Workspace
from inspector.presentation.visible import one_line
from inspector.replay.keys import SessionKeys

if TYPE_CHECKING:
    from inspector.gui.controllers.open_controller import Source
    from inspector.gui.dialogs.unseal_dialog import UnsealDialog

SUFFIX = ".age"


class SealOffers(QObject):
    """Shows a dialog for each sealed run, and one to seal the run in front.

    It holds the secrets of the session with which runs were opened.
    """

    said = Signal(str)

    def __init__(
        self,
        window: QWidget,
        unsealer: UnsealController,
        workspace: Workspace,
        memory: Memory,
        show_dialog: ShowDialog,
    ) -> None:
        super().__init__(window)
        self._window = window
        self._unsealer = unsealer
        self._workspace = workspace
        self._memory = memory
        self._show_dialog = show_dialog
        self._keys = SessionKeys()
        self._dialogs: dict[Source, UnsealDialog] = {}
        unsealer.asked.connect(self._ask)
        unsealer.failed.connect(self._on_failed)
        unsealer.opened.connect(self._on_opened)

    def ask(self) -> None:
        """Ask who may open a sealed copy of the run in front."""
        current = self._workspace.current
        if current is not None:
            self._show_dialog(f"seal {id(current)}", lambda: self._made_for(current))

    def _made_for(self, current: OpenRun) -> QDialog:
        from inspector.gui.dialogs.seal_dialog import SealDialog

        # The file of a run that was opened sealed is no run that could be sealed as it is.
        dialog = SealDialog(current.run, current.path, self._window)
        dialog.setWindowTitle(f"Seal {one_line(current.title)}")
        dialog.place_wanted.connect(partial(self._ask_where, current, dialog))
        dialog.sealed.connect(self._on_sealed)

        def close_with(removed: OpenRun) -> None:
            if removed is current:
                dialog.reject()

        self._workspace.removed.connect(close_with)
        dialog.finished.connect(lambda _code: self._workspace.removed.disconnect(close_with))
        return dialog

    def _ask_where(
        self, current: OpenRun, dialog: QDialog, chosen: Callable[[Path], None]
    ) -> QFileDialog:
        folder = Path(self._memory.last_folder or Path.home())
        name = current.path.name if current.path is not None else f"{current.title}.run.json"
        suggested = folder / f"{name.removesuffix(SUFFIX)}{SUFFIX}"
        return ask_where_to_save_sealed(dialog, suggested, chosen)

    def _on_sealed(self, place: Path, told: str) -> None:
        self._memory.remember_folder(place.parent)
        self.said.emit(f"Sealed {one_line(place.name)}. {one_line(told)}".rstrip())

    def _ask(self, sealed: Sealed) -> None:
        if sealed.source in self._dialogs:
            self._dialogs[sealed.source].raise_()
            return
        self._show_dialog(f"unseal {id(sealed)}", lambda: self._made(sealed))

    def _made(self, sealed: Sealed) -> QDialog:
        from inspector.gui.dialogs.unseal_dialog import UnsealDialog

        dialog = UnsealDialog(sealed.source.title, sealed.by, self._keys, self._window)
        self._dialogs[sealed.source] = dialog
        dialog.open_requested.connect(lambda secret: self._unsealer.unseal(sealed, secret))
        dialog.cancel_requested.connect(lambda: self._unsealer.cancel(sealed))
        dialog.finished.connect(lambda _code: self._dialogs.pop(sealed.source, None))
        return dialog

    def _on_failed(self, sealed: Sealed, message: str, hint: str) -> None:
        if (dialog := self._dialogs.get(sealed.source)) is not None:
            dialog.show_failure(message, hint)

    def _on_opened(self, sealed: Sealed) -> None:
        if (dialog := self._dialogs.get(sealed.source)) is not None:
            dialog.accept()
