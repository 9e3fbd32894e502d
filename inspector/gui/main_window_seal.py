"""What the window asks before it opens a sealed run."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QDialog, QWidget

from inspector.gui.controllers.unseal_controller import Sealed, UnsealController
from inspector.gui.main_window_compare import ShowDialog
from inspector.replay.keys import SessionKeys

if TYPE_CHECKING:
    from inspector.gui.controllers.open_controller import Source
    from inspector.gui.dialogs.unseal_dialog import UnsealDialog


class SealOffers(QObject):
    """Shows a dialog for each sealed run. It holds the secrets of the session."""

    said = Signal(str)

    def __init__(
        self, window: QWidget, unsealer: UnsealController, show_dialog: ShowDialog
    ) -> None:
        super().__init__(window)
        self._window = window
        self._unsealer = unsealer
        self._show_dialog = show_dialog
        self._keys = SessionKeys()
        self._dialogs: dict[Source, UnsealDialog] = {}
        unsealer.asked.connect(self._ask)
        unsealer.failed.connect(self._on_failed)
        unsealer.opened.connect(self._on_opened)

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
